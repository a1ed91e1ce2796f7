#include <fmt/format.h>

#include "app/ranks/ranked_simulation.hpp"

namespace pencilbox {

std::optional<std::string> refusal_on_ranks(const SimulationSettings& setup, const Box& box) {
  const auto refused = [](const std::string& what, const std::string& allowed) {
    return fmt::format("{}: not on several ranks yet, which take {}", what, allowed);
  };
  if (!box.fully_periodic()) return refused("open faces", "boxes that are periodic throughout");
  if (setup.integrator != "velocity-verlet") return refused(setup.integrator, "velocity-verlet");
  if (setup.barostat) return refused("a barostat", "boxes that stay");
  if (setup.zero_momentum_every) return refused("zero_momentum", "runs without it");
  if (!setup.observables.empty()) return refused("observables", "runs without them");
  if (setup.backend == "auto") return refused("auto", "back ends by name");
  return {};
}

}  // namespace pencilbox
