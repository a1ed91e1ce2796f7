#include "core/interactions/potential.hpp"

#include <limits>

namespace pencilbox {

double cutoff_of(const Potential& potential) {
  if (const auto* model = std::get_if<LennardJonesModel>(&potential))
    return model->largest_cutoff();
  if (const auto* model = std::get_if<TabulatedModel>(&potential)) return model->largest_cutoff();
  if (std::holds_alternative<CandidatePotentialModel>(potential)) return 0.0;
  return std::numeric_limits<double>::infinity();
}

int types_of(const Potential& potential) {
  if (const auto* model = std::get_if<LennardJonesModel>(&potential)) return model->types;
  if (const auto* model = std::get_if<TabulatedModel>(&potential)) return model->types;
  if (const auto* model = std::get_if<SoftenedGravityModel>(&potential)) {
    return static_cast<int>(model->masses.size());
  }
  return 1;
}

}  // namespace pencilbox
