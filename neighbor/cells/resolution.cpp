#include "neighbor/cells/resolution.hpp"

#include <algorithm>

namespace pencilbox {

namespace {

double smallest_sigma(const LennardJonesModel& model) {
  const auto smaller = [](const auto& a, const auto& b) { return a.sigma < b.sigma; };
  return std::min_element(model.pairs.begin(), model.pairs.end(), smaller)->sigma;
}

}  // namespace

Resolution resolution_of(const Potential& potential, Precision precision) {
  Resolution resolution;
  if (precision == Precision::double_) resolution.pair_rounding = double_rounding;
  if (precision != Precision::single) resolution.state_rounding = double_rounding;
  if (const auto* model = std::get_if<LennardJonesModel>(&potential)) {
    resolution.separation = largest_share_of_sigma * smallest_sigma(*model);
  } else if (const auto* tabulated = std::get_if<TabulatedModel>(&potential)) {
    resolution.separation = largest_share_of_sigma * tabulated->nearest_row();
  }
  return resolution;
}

}  // namespace pencilbox
