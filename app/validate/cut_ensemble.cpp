#include "app/validate/cut_ensemble.hpp"

#include <variant>

#include "core/interactions/lennard_jones.hpp"

namespace pencilbox {

CutEnsemble::CutEnsemble(const Potential& potential, double temperature) {
  LennardJonesModel model = std::get<LennardJonesModel>(potential);
  model.truncation = Truncation::shift;
  of_a_pair_ = -lennard_jones_constants<double>(model).front().energy_shift / temperature;
}

double CutEnsemble::log_weight(Simulation& simulation) const {
  const auto particles = static_cast<double>(simulation.observe().particles);
  return of_a_pair_ * 0.5 * particles * simulation.neighbor_stats().partners_per_particle;
}

}  // namespace pencilbox
