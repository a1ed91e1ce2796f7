// Particles that follow each other, moved a few at a time, so that a compiler makes vectors of what
// is done to each: by the one formula of a move, with its bits.
#pragma once

#include <algorithm>
#include <array>

#include "core/kick_and_drift.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

template <class Precision>
class MovingTogether {
 public:
  using State = typename Precision::State;
  using Accumulator = typename Precision::Accumulator;

  explicit MovingTogether(const KickAndDrift<Precision>& move) : move_(move) {}

  /// Those in [begin, end). `force`: of the first of them, and of those that follow.
  void operator()(Index begin, Index end, const Vec3View<const Accumulator>& force) const {
    Index i = begin;
    if (move_.is_watched()) {
      for (; i + at_once <= end; i += at_once) move_some(i, behind(force, i - begin));
    }
    for (; i < end; ++i) move_(i, force[i - begin]);
  }

 private:
  static constexpr Index at_once = 8;
  template <class T>
  using Numbers = std::array<T, at_once>;

  static Vec3View<const Accumulator> behind(const Vec3View<const Accumulator>& force, Index by) {
    return {force.x + by, force.y + by, force.z + by};
  }

  /// Everything is read before anything is written: nothing that a compiler knows keeps the arrays
  /// apart.
  void move_some(Index first, const Vec3View<const Accumulator>& force) const {
    Numbers<State> half_step_per_mass;
    for (Index k = 0; k < at_once; ++k) half_step_per_mass[k] = move_.half_step_per_mass(first + k);
    const auto timestep = static_cast<State>(move_.timestep);
    Numbers<State> x, y, z, velocity_x, velocity_y, velocity_z;
    for (Index k = 0; k < at_once; ++k) {
      MovingParticle<Precision> moving{move_.position[first + k], move_.velocity[first + k],
                                       half_step_per_mass[k]};
      moving.kick_and_drift(force[k], timestep);
      x[k] = moving.position.x;
      y[k] = moving.position.y;
      z[k] = moving.position.z;
      velocity_x[k] = moving.velocity.x;
      velocity_y[k] = moving.velocity.y;
      velocity_z[k] = moving.velocity.z;
    }
    store(velocity_x, move_.velocity.x + first);
    store(velocity_y, move_.velocity.y + first);
    store(velocity_z, move_.velocity.z + first);
    const UnderWatch<Precision>& watch = move_.arrival.under_watch;
    store(x, watch.position.x + first);
    store(y, watch.position.y + first);
    store(z, watch.position.z + first);
    if (watch.wants_kicks(move_.arrival.unit)) {
      for (Index k = 0; k < at_once; ++k) {
        watch.note_kick(first + k, move_.half_kick(first + k, force[k]).twice());
      }
    }
    for (Index k = 0; k < at_once; ++k) {
      const Index i = first + k;
      watch.show(i, {x[k], y[k], z[k]}, watch.read(i), move_.arrival.unit);
    }
  }

  static void store(const Numbers<State>& numbers, State* to) {
    std::copy(numbers.begin(), numbers.end(), to);
  }

  const KickAndDrift<Precision>& move_;
};

}  // namespace pencilbox::PENCILBOX_DEVICE
