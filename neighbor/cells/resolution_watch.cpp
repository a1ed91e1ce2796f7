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

struct OfAll {
  PENCILBOX_DEVICE_FUNCTION bool operator()(Index) const { return true; }
};

/// In sides of a cell, from its centre: a whole cell outside the grid.
constexpr double escaped_from = 1.5;

/// Numbers of them, on the device.
enum Outside { far, escaped, kinds_of_outside };

template <class Precision, class IsCounted>
struct WatchParticles {
  static constexpr const char* name = "watch the resolution";
  using State = typename Precision::State;
  using Accumulator = typename Precision::Accumulator;

  Vec3View<const State> offset, velocity;
  Vec3View<const Accumulator> force;
  const ParticleId* id;
  IsCounted is_counted;
  GridView<double> grid;
  double far_offset;
  Index* outside;            ///< [kinds_of_outside]
  std::uint64_t* too_large;  ///< smallest id

  PENCILBOX_DEVICE_FUNCTION void operator()(Index i) const {
    if (!is_counted(i)) return;
    const Vec3<State> at = offset[i];
    const Vec3<double> open{outside_by(at.x, grid.periodic.x), outside_by(at.y, grid.periodic.y),
                            outside_by(at.z, grid.periodic.z)};
    if (open.x > far_offset || open.y > far_offset || open.z > far_offset) {
      atomic_add(outside + far, Index{1});
    }
    if (open.x > escaped_from * grid.side.x || open.y > escaped_from * grid.side.y ||
        open.z > escaped_from * grid.side.z) {
      atomic_add(outside + escaped, Index{1});
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

  /// From the centre of its cell, in an open direction.
  PENCILBOX_DEVICE_FUNCTION static double outside_by(State offset_along, bool is_periodic) {
    if (is_periodic) return 0.0;
    const auto by = static_cast<double>(offset_along);
    return by < 0.0 ? -by : by;
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

LookedAt& LookedAt::operator+=(const LookedAt& more) {
  far += more.far;
  escaped += more.escaped;
  too_large = std::min(too_large, more.too_large);
  return *this;
}

template <class Precision>
ResolutionWatch<Precision>::ResolutionWatch(const Potential& potential)
    : resolution_(resolution_of(potential, Precision::value)), cutoff_(cutoff_of(potential)) {
  outside_.resize(kinds_of_outside);
  too_large_.resize(1);
}

template <class Precision>
template <class IsCounted>
LookedAt ResolutionWatch<Precision>::count_those(const Particles<Precision>& particles,
                                                 const IsCounted& is_counted, const CellGrid& grid,
                                                 Stream& stream) {
  const Resolution early = resolution_.finer(warning_factor);
  const ParticleState<Precision>& state = particles.state;
  outside_.fill_bytes(0, stream);
  too_large_.fill_bytes(0xff, stream);
  for_each(stream, particles.count,
           WatchParticles<Precision, IsCounted>{
               state.position.view(), state.velocity.view(), particles.sums.force.view(),
               state.id.data(), is_counted, grid.view<double>(),
               std::min(early.farthest_with_partner(), early.farthest()), outside_.data(),
               too_large_.data()});
  const std::vector<Index> outside = outside_.download(stream);
  return {outside[far], outside[escaped], too_large_.download(stream)[0]};
}

template <class Precision>
LookedAt ResolutionWatch<Precision>::count(const Particles<Precision>& particles,
                                           const CellGrid& grid, Stream& stream) {
  return count_those(particles, OfAll{}, grid, stream);
}

template <class Precision>
LookedAt ResolutionWatch<Precision>::count_own(const Particles<Precision>& particles,
                                               const OwnRows& own, const CellGrid& grid,
                                               Stream& stream) {
  return count_those(particles, own, grid, stream);
}

template <class Precision>
void ResolutionWatch<Precision>::judge(const LookedAt& seen, const CellGrid& grid,
                                       std::int64_t step,
                                       const std::function<ExactState()>& exact) {
  has_far_ = false;
  escaped_ = seen.escaped;
  const std::string at_step = "step " + std::to_string(step) + ": ";
  if (seen.too_large != LookedAt::none) {
    throw PhysicsError(at_step + "particle " + std::to_string(seen.too_large) +
                       " has a position, velocity or force beyond 3.4e38, more than the floats of "
                       "frames can hold (overlapping particles?)");
  }
  if (seen.far == 0) return;
  const ExactState state = exact();
  const std::vector<GridPlace> places = places_of(state);
  if (const auto found = first_unresolved(grid, cutoff_, places, resolution_)) {
    throw PhysicsError(at_step + in_words(*found, grid, places, state.id, Precision::value));
  }
  const Resolution early = resolution_.finer(warning_factor);
  has_far_ = first_unresolved(grid, cutoff_, places, early).has_value();
}

template <class Precision>
bool ResolutionWatch<Precision>::wants_new_grid(std::int64_t particles) const {
  constexpr std::int64_t tolerated_share = 64;
  return has_far_ || escaped_ * tolerated_share > particles;
}

template <class Precision>
bool ResolutionWatch<Precision>::is_helped_by(const CellGrid& grid,
                                              const std::vector<Double3>& positions) const {
  const std::vector<GridPlace> places = pencilbox::places_of(grid, positions);
  if (has_far_) {
    const Resolution early = resolution_.finer(warning_factor);
    return !first_unresolved(grid, cutoff_, places, early);
  }
  const auto outside = std::count_if(places.begin(), places.end(), [&](const GridPlace& place) {
    for (std::size_t d = 0; d < 3; ++d) {
      if (std::abs(place.offset[d]) > escaped_from * grid.side[d]) return true;
    }
    return false;
  });
  return 2 * outside <= escaped_;
}

template class ResolutionWatch<SinglePrecision>;
template class ResolutionWatch<MixedPrecision>;
template class ResolutionWatch<DoublePrecision>;

}  // namespace pencilbox::PENCILBOX_DEVICE
