#include "neighbor/cells/resolution_watch.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "core/error.hpp"
#include "neighbor/cells/exact_transfer.hpp"
#include "neighbor/cells/unresolved.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

namespace {

/// To act, by a new grid, before a limit is passed.
constexpr double warning_factor = 2.0;

template <class Precision>
struct WatchParticles {
  static constexpr const char* name = "watch the resolution";
  using State = typename Precision::State;
  using Accumulator = typename Precision::Accumulator;

  Vec3View<const State> offset, velocity;
  Vec3View<const Accumulator> force;
  const ParticleId* id;
  Vec3<bool> periodic;
  double far_offset;
  Index* far;
  std::uint64_t* too_large;  ///< smallest id

  PENCILBOX_DEVICE_FUNCTION void operator()(Index i) const {
    const Vec3<State> at = offset[i];
    if ((!periodic.x && is_far(at.x)) || (!periodic.y && is_far(at.y)) ||
        (!periodic.z && is_far(at.z))) {
      atomic_add(far, Index{1});
    }
    if constexpr (frames_are_narrower) {
      if (too_large_for_float(at) || too_large_for_float(velocity[i]) ||
          too_large_for_float(force[i])) {
        atomic_min(too_large, static_cast<std::uint64_t>(id[i]));
      }
    }
  }

  /// In single such a number is infinite already, which others find.
  static constexpr bool frames_are_narrower = Precision::value == pencilbox::Precision::mixed;

  PENCILBOX_DEVICE_FUNCTION bool is_far(State offset_along) const {
    return static_cast<double>(offset_along) > far_offset ||
           static_cast<double>(offset_along) < -far_offset;
  }
  PENCILBOX_DEVICE_FUNCTION static bool too_large_for_float(const Vec3<double>& v) {
    return too_large_for_float(v.x) || too_large_for_float(v.y) || too_large_for_float(v.z);
  }
  PENCILBOX_DEVICE_FUNCTION static bool too_large_for_float(double number) {
    constexpr double largest = std::numeric_limits<float>::max();
    constexpr double finite = std::numeric_limits<double>::max();
    return (number > largest && number <= finite) || (number < -largest && number >= -finite);
  }
};

std::vector<GridPlace> places_of(const ExactState& state) {
  std::vector<GridPlace> places(state.cell.size());
  for (std::size_t i = 0; i < places.size(); ++i) places[i] = {state.cell[i], state.offset[i], {}};
  return places;
}

}  // namespace

template <class Precision>
ResolutionWatch<Precision>::ResolutionWatch(const Potential& potential)
    : resolution_(resolution_of(potential, Precision::value)), cutoff_(cutoff_of(potential)) {
  far_.resize(1);
  too_large_.resize(1);
}

template <class Precision>
void ResolutionWatch<Precision>::look(const Particles<Precision>& particles, const CellGrid& grid,
                                      std::int64_t step, Stream& stream) {
  const Resolution early = resolution_.finer(warning_factor);
  const ParticleState<Precision>& state = particles.state;
  far_.fill_bytes(0, stream);
  too_large_.fill_bytes(0xff, stream);
  for_each(stream, particles.count,
           WatchParticles<Precision>{state.position.view(), state.velocity.view(),
                                     particles.sums.force.view(), state.id.data(),
                                     grid.view<double>().periodic,
                                     std::min(early.farthest_with_partner(), early.farthest()),
                                     far_.data(), too_large_.data()});
  wants_new_grid_ = false;
  const std::string at_step = "step " + std::to_string(step) + ": ";
  const std::uint64_t too_large = too_large_.download(stream)[0];
  if (too_large != ~std::uint64_t{0}) {
    throw PhysicsError(at_step + "particle " + std::to_string(too_large) +
                       " has a position, velocity or force beyond 3.4e38, more than the floats of "
                       "frames can hold (overlapping particles?)");
  }
  if (far_.download(stream)[0] == 0) return;
  const ExactState exact = download_exact(particles, grid, stream);
  const std::vector<GridPlace> places = places_of(exact);
  if (const auto found = first_unresolved(grid, cutoff_, places, resolution_)) {
    throw PhysicsError(at_step + in_words(*found, grid, places, exact.id, Precision::value));
  }
  wants_new_grid_ = first_unresolved(grid, cutoff_, places, early).has_value();
}

template <class Precision>
bool ResolutionWatch<Precision>::is_helped_by(const CellGrid& grid,
                                              const std::vector<Double3>& positions,
                                              Index escaped) const {
  const std::vector<GridPlace> places = pencilbox::places_of(grid, positions);
  if (wants_new_grid_) {
    const Resolution early = resolution_.finer(warning_factor);
    return !first_unresolved(grid, cutoff_, places, early);
  }
  const auto outside = std::count_if(places.begin(), places.end(), [&](const GridPlace& place) {
    for (std::size_t d = 0; d < 3; ++d) {
      if (std::abs(place.offset[d]) > 1.5 * grid.side[d]) return true;  // as binning counts
    }
    return false;
  });
  return 2 * outside <= escaped;
}

template class ResolutionWatch<SinglePrecision>;
template class ResolutionWatch<MixedPrecision>;
template class ResolutionWatch<DoublePrecision>;

}  // namespace pencilbox::PENCILBOX_DEVICE
