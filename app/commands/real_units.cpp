#include "app/commands/real_units.hpp"

#include <fmt/format.h>

#include "core/ramp_parameter.hpp"

namespace pencilbox {
namespace {

/// Of a bath, "94.4 K" or "180 to 94.4 K"; nothing where a stage has none.
std::string temperature_text(const DeckStage& stage, const RealUnits& units) {
  const auto kelvin = [&](const std::string& name) {
    return stage.parameters.at(name) * units.epsilon;
  };
  if (stage.parameters.count("temperature") == 0) return {};
  const double from = kelvin("temperature");
  const std::string end = ramp_end("temperature");
  if (stage.parameters.count(end) == 0) return fmt::format(", a bath of {:.5g} K", from);
  return fmt::format(", a bath of {:.5g} to {:.5g} K", from, kelvin(end));
}

std::string stage_text(const DeckStage& stage, const RealUnits& units) {
  const double timestep = stage.timestep * units.picoseconds();
  const std::string name = stage.name.empty() ? std::string() : stage.name + ": ";
  return fmt::format("  {}timestep {:.5g} fs, {} steps are {:.5g} ps{}\n", name, timestep * 1e3,
                     stage.steps, timestep * static_cast<double>(stage.steps),
                     temperature_text(stage, units));
}

}  // namespace

std::string real_units_text(const Deck& deck) {
  if (!deck.units) return {};
  const RealUnits& units = *deck.units;
  std::string text = fmt::format(
      "in real units: sigma = {:.6g} nm, epsilon = {:.6g} K ({:.6g} kJ/mol), m = {:.6g} dalton\n"
      "  tau = {:.6g} ps, epsilon/sigma^3 = {:.6g} MPa, m/sigma^3 = {:.6g} kg/m^3, "
      "sigma^2/tau = {:.6g} cm^2/s\n",
      units.sigma, units.epsilon, units.kilojoules_per_mole(), units.mass, units.picoseconds(),
      units.megapascals(), units.kilograms_per_cubic_metre(),
      units.square_centimetres_per_second());
  for (const DeckStage& stage : deck.stages) text += stage_text(stage, units);
  return text;
}

}  // namespace pencilbox
