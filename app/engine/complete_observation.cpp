#include "app/engine/complete_observation.hpp"

#include <limits>
#include <variant>

namespace pencilbox {

void complete(Observation& sums, const Potential& potential,
              const std::vector<std::int64_t>& type_counts, const Box& box,
              bool conserves_momentum) {
  sums.volume = box.volume();
  const auto* lennard_jones = std::get_if<LennardJonesModel>(&potential);
  if (lennard_jones != nullptr && lennard_jones->tail_correction) {
    const TailCorrection tail = tail_correction(*lennard_jones, type_counts, sums.volume);
    sums.potential_energy += tail.energy;
    sums.virial += tail.virial;
  }
  const double fixed = conserves_momentum ? 3.0 : 0.0;
  const double freedom = 3.0 * static_cast<double>(sums.particles) - fixed;
  sums.temperature = freedom > 0.0 ? 2.0 * sums.kinetic_energy / freedom : 0.0;
  sums.pressure = box.fully_periodic()
                      ? (2.0 * sums.kinetic_energy + sums.virial) / (3.0 * sums.volume)
                      : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace pencilbox
