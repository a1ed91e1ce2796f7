// Where particles will be when half of the time that a list serves has gone by, as far as their
// velocities tell. A list that is made of these places lasts longer than one of where particles
// are: who flies straight on is as far from its place at the end as it was in the beginning, and
// not twice as far. Nobody has to believe in it: who is farther from its place than the list can
// bear makes the next one due, whatever the reason.
#pragma once

#include "core/device/math.hpp"
#include "core/step_control.hpp"
#include "core/vec3.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

/// The time that a list will serve is taken to be that of the one before. By the same operations in
/// every kernel: which of them rounds how must not decide where a particle is sorted to.
template <class State>
struct LookAhead {
  const StepControl* control = nullptr;  ///< knows how long that was; null: `interval` does
  std::int32_t interval = 0;             ///< evaluations
  State half_timestep{};                 ///< [tau]
  State farthest{};  ///< from where a particle is: less than a list can bear [sigma]

  PENCILBOX_DEVICE_FUNCTION Vec3<State> operator()(const Vec3<State>& position,
                                                   const Vec3<State>& velocity) const {
    const std::int32_t steps = control != nullptr ? control->age : interval;
    if (steps == 0) return position;
    const State time = half_timestep * static_cast<State>(steps);
    const State speed = std::sqrt(times_plus(
        velocity.x, velocity.x, times_plus(velocity.y, velocity.y, velocity.z * velocity.z)));
    const bool is_too_far = time * speed > farthest;
    return times_plus(is_too_far ? farthest / speed : time, velocity, position);
  }
};

}  // namespace pencilbox::PENCILBOX_DEVICE
