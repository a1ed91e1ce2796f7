// What tests of decks and start files share.
#pragma once

#include <functional>
#include <string>

#include "core/error.hpp"
#include "core/ramp_parameter.hpp"
#include "io/input/catalogue.hpp"

namespace pencilbox::testing {

/// The one that decks get which name none, and two more, one of them with options of every kind.
inline Catalogue test_catalogue() {
  BackendInfo any{.name = "auto", .summary = "the fastest", .source = "test"};
  BackendInfo plain{
      .name = "par-part-no-loop", .summary = "one thread a particle", .source = "test"};
  BackendInfo tuned{.name = "par-cell", .summary = "one block a cell", .source = "test"};
  tuned.options = {{"block", "64", "threads in a block", {}, 32, 1024},
                   {"order", "auto", "order of cells", {"auto", "morton", "rows"}, 1, 0},
                   {"cells", "auto", "cells in a block", {"auto"}, 1, 64},
                   {"prefetch", "true", "read ahead", {"true", "false"}, 1, 0}};
  const IntegratorInfo verlet{.name = "velocity-verlet", .summary = "energy", .source = "test"};
  IntegratorInfo bath{.name = "langevin", .summary = "temperature", .source = "test"};
  const ParameterInfo temperature{"temperature", "of the bath", "epsilon", 0.0, 1e6};
  const ParameterInfo end = ramp_end_of(temperature);
  bath.parameters = {temperature,
                     end,
                     {"friction", "rate", "1/tau", 1e-12, 1e6},
                     {"seed", "of the noise", "", 0.0, 0x1p53, "1", true}};
  IntegratorInfo rescaling{
      .name = "velocity-rescaling", .summary = "temperature", .source = "test"};
  const ParameterInfo relaxation_time{"relaxation_time", "of the bath", "tau", 1e-12, 1e12};
  rescaling.parameters = {temperature, end, relaxation_time, bath.parameters.back()};
  IntegratorInfo chain{.name = "nose-hoover", .summary = "temperature", .source = "test"};
  chain.parameters = {
      temperature, end, relaxation_time, {"chain_length", "links", "", 1.0, 8.0, "3", true}};
  IntegratorInfo fire{.name = "fire", .summary = "minimisation", .source = "test"};
  fire.parameters = {{"force_tolerance", "ends below", "epsilon/sigma", 1e-12, 1e12, "0.01"},
                     {"max_displacement", "in a step", "sigma", 1e-6, 1.0, "0.1"}};
  ObservableInfo pairs{.name = "radial-distribution", .summary = "g(r)", .source = "test"};
  pairs.parameters = {{"bins", "number of bins", "", 1.0, 1000.0, "250", true},
                      {"max_distance", "pairs farther apart", "sigma", 1e-6, 1e7}};
  const std::vector<ParameterInfo> lags{
      {"length", "longest lag", "samples", 2.0, 1e6, "", true},
      {"origin_every", "between two", "samples", 1.0, 1e6, "10", true}};
  const ObservableInfo flight{"mean-squared-displacement", "how far", "test", lags};
  const ObservableInfo memory{"velocity-autocorrelation", "how long", "test", lags};
  const std::vector<ParameterInfo> blocks{{"blocks", "of samples", "", 2.0, 1e3, "10", true}};
  const ObservableInfo tensor{"pressure-tensor", "all elements", "test", blocks};
  const ObservableInfo energies{"energies-by-type", "where it is", "test", blocks};
  ObservableInfo profile{"density-profile", "slices", "test", {pairs.parameters[0]}};
  profile.words = {{"axis", "across which", {"x", "y", "z"}, "z"}};
  const ObservableInfo neighbours{
      "coordination",
      "how many",
      "test",
      {pairs.parameters[1], {"max_neighbors", "the last", "", 1.0, 1e5, "50", true}}};
  const ObservableInfo waves{"structure-factor",
                             "S(k)",
                             "test",
                             {pairs.parameters[0],
                              {"k_max", "longest", "1/sigma", 1e-6, 1e6},
                              {"max_vectors", "of a shell", "", 1.0, 1e5, "50", true}}};
  return {{any, plain, tuned},
          {verlet, bath, rescaling, chain, fire},
          {"host", "cuda"},
          {pairs, flight, memory, tensor, energies, profile, neighbours, waves}};
}

/// The line of the InputError that the action throws, or "no error".
inline std::string error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace pencilbox::testing
