// What keeps the pressure of a stage: which barostats there are, what they take from a deck, and
// the values that one has chosen.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/ramp_parameter.hpp"
#include "core/registry.hpp"

namespace pencilbox {

struct Barostat {
  std::string type;
  IntegratorParameters parameters{};  ///< all of its type, under the names of a deck

  std::int64_t every() const { return static_cast<std::int64_t>(parameters.at("every")); }
  bool is_due(std::int64_t step) const { return step % every() == 0; }

  bool operator==(const Barostat&) const = default;
};

inline constexpr const char* stochastic_cell_rescaling = "stochastic-cell-rescaling";

/// The pressure outside; it may be negative, which stretches a liquid.
inline ParameterInfo outer_pressure() {
  return {.name = "pressure",
          .description = "That the box is under",
          .unit = "epsilon/sigma^3",
          .minimum = -1e6,
          .maximum = 1e6};
}

/// All of them. A barostat goes with every integrator that has a temperature.
inline std::vector<IntegratorInfo> barostats() {
  return {{.name = stochastic_cell_rescaling,
           .summary = "constant pressure by a volume that follows the pressure, with noise",
           .source = "Bernetti and Bussi, J. Chem. Phys. 153, 114107 (2020)",
           .parameters = {outer_pressure(),
                          ramp_end_of(outer_pressure()),
                          {.name = "relaxation_time",
                           .description = "In which the pressure approaches that of the deck, if "
                                          "the compressibility is right",
                           .unit = "tau",
                           .minimum = 1e-12,
                           .maximum = 1e12},
                          {.name = "compressibility",
                           .description = "Isothermal, a rough one does: it changes how fast the "
                                          "volume follows, and no mean",
                           .unit = "sigma^3/epsilon",
                           .minimum = 1e-12,
                           .maximum = 1e12,
                           .default_value = "0.1"},
                          {.name = "every",
                           .description = "The box changes at multiples of it",
                           .unit = "steps",
                           .minimum = 1.0,
                           .maximum = 1e6,
                           .default_value = "10",
                           .is_integer = true},
                          {.name = "seed",
                           .description = "Seed of the noise",
                           .unit = "",
                           .minimum = 0.0,
                           .maximum = 0x1p53,
                           .default_value = "1",
                           .is_integer = true}}}};
}

}  // namespace pencilbox
