#include "app/validate/cut_ensemble.hpp"

#include <variant>

#include "core/interactions/lennard_jones.hpp"

namespace pencilbox {

CutEnsemble::CutEnsemble(const SimulationSetup& setup, double temperature) {
  LennardJonesModel model = std::get<LennardJonesModel>(setup.potential);
  model.truncation = Truncation::shift;
  const double at_cutoff = lennard_jones_constants<double>(model).front().energy_shift;
  const double pairs = 0.5 * static_cast<double>(setup.start.size());  // for each partner
  of_a_partner_ = -pairs * at_cutoff / temperature;
}

double CutEnsemble::log_weight(Simulation& simulation) const {
  return of_a_partner_ * simulation.neighbor_stats().partners_per_particle;
}

}  // namespace pencilbox
