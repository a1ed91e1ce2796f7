#include "app/compare/ceilings.hpp"

#include "app/compare/not_known.hpp"

namespace pencilbox {
namespace {

/// Bytes of a number.
struct Sizes {
  double state, accumulator, pair;
};

Sizes sizes_of(Precision precision) {
  switch (precision) {
    case Precision::single:
      return {4.0, 4.0, 4.0};
    case Precision::mixed:
      return {8.0, 8.0, 4.0};
    default:
      return {8.0, 8.0, 8.0};
  }
}

}  // namespace

double issue_share(const DeviceProperties& device, const BackendStats& stats,
                   std::int64_t particles, const Potential& potential, Precision precision,
                   double seconds) {
  const bool counted =
      std::holds_alternative<LennardJonesModel>(potential) && precision != Precision::double_;
  if (!counted || !(device.issue_per_s > 0.0) || !(seconds > 0.0)) return not_known;
  const double candidates = stats.candidates_per_particle * static_cast<double>(particles);
  const double partners = 2.0 * stats.pairs_in_range;  // each is met from both sides
  const double instructions =
      instructions_of_candidate * candidates + instructions_of_partner * partners;
  return instructions / (seconds * device.issue_per_s);
}

double least_bytes_per_step(Precision precision) {
  const Sizes bytes = sizes_of(precision);
  constexpr double index = 4.0;
  constexpr double moved_words = 5.0 * index;  // cell, id, three images; types are all the same
  const bool separate = bytes.state > bytes.pair;
  // x, v in and out, f in; the move hands each to its cell, most to the one it was in: cell in,
  // ticket out
  const double move = 12.0 * bytes.state + 3.0 * bytes.accumulator + 2.0 * index;
  // ticket in, x, v and words in and out; and positions once more where pairs read them shorter
  const double reorder =
      index + 2.0 * (6.0 * bytes.state + moved_words) + (separate ? 3.0 * bytes.pair : 0.0);
  const double force = 3.0 * bytes.pair + index + 3.0 * bytes.accumulator;  // x, cell in; f out
  return move + reorder + force;
}

double bandwidth_share(const DeviceProperties& device, std::int64_t particles, Precision precision,
                       double seconds) {
  if (!(device.memory_bytes_per_s > 0.0) || !(seconds > 0.0)) return not_known;
  return least_bytes_per_step(precision) * static_cast<double>(particles) /
         (seconds * device.memory_bytes_per_s);
}

}  // namespace pencilbox
