// Where particles will be when half of the time that a list serves has gone by, as far as their
// velocities and the last forces on them tell. A list that is made of these places lasts longer
// than one of where particles are: who flies straight on is as far from its place at the end as it
// was in the beginning, and not twice as far. Nobody has to believe in it: who is farther from its
// place than the list can bear makes the next one due, whatever the reason.
#pragma once

#include "core/device/math.hpp"
#include "core/pair_coordinates.hpp"
#include "core/step_control.hpp"
#include "core/vec3.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

/// From what age of a list on those who move particles note what a force adds to a velocity in a
/// step, its kick: for the last quarter of the time that the list before has served. One that ends
/// sooner is followed by one that knows of no kicks.
PENCILBOX_DEVICE_FUNCTION inline std::int32_t age_of_kicks(std::int32_t age_before) {
  return age_before - age_before / 4;
}

/// The time that a list will serve is taken to be that of the one before. By the same operations in
/// every kernel: which of them rounds how must not decide where a particle is sorted to.
template <class Precision>
struct LookAhead {
  using State = typename Precision::State;

  /// Of what a constant force does in all that time: in half of it, it would be 0.5 and at the end
  /// 1; somewhere between, particles are the nearest to their places all along.
  static constexpr State share_of_bend = State(0.6);

  bool is_for_list = false;              ///< else a particle's place is where it is
  const StepControl* control = nullptr;  ///< knows the next two; null: they are given
  std::int32_t age = 0;                  ///< evaluations that the last list has served
  std::int32_t age_before = 0;           ///< and the one before
  State half_timestep{};                 ///< [tau]
  State farthest{};  ///< from where a particle is: less than a list can bear [sigma]
  PairCoordinates<State, typename Precision::Pair> coordinates{};  ///< that places are rounded to

  /// `velocity`: as it has brought the particle here, half a step ago. `kick`: what the last force
  /// has added to it in a step. That may take it half as far as the list can bear: a force that
  /// would carry somebody farther does not last so long.
  PENCILBOX_DEVICE_FUNCTION Vec3<State> operator()(const Vec3<State>& position,
                                                   const Vec3<State>& velocity,
                                                   const Vec3<State>& kick) const {
    if (is_for_list) return ahead_of(position, velocity, kick);
    return {position.x, position.y, position.z};  // GCC copies 16 bytes: waits for two stores of 8
  }

  /// What tells the cell of a particle at `position` whose place is `then`. Of a start, where
  /// nobody looks ahead, it is not what pairs see: rounded for them, one beside a face may be
  /// beyond it, and not be where ranks have dealt it out to.
  PENCILBOX_DEVICE_FUNCTION Vec3<State> tells_cell(const Vec3<State>& position,
                                                   const Vec3<State>& then) const {
    const bool is_start = served() == 0;
    return {is_start ? position.x : then.x, is_start ? position.y : then.y,
            is_start ? position.z : then.z};
  }

 private:
  PENCILBOX_DEVICE_FUNCTION std::int32_t served() const {
    return control != nullptr ? control->age : age;
  }

  PENCILBOX_DEVICE_FUNCTION Vec3<State> ahead_of(const Vec3<State>& position,
                                                 const Vec3<State>& velocity,
                                                 const Vec3<State>& kick) const {
    const std::int32_t served = this->served();
    if (served == 0) return rounded(position);
    const std::int32_t before = control != nullptr ? control->age_before : age_before;
    const auto steps = static_cast<State>(served);
    const State time = half_timestep * steps;
    Vec3<State> bend{};
    if (served >= age_of_kicks(before)) {
      const State kicks = State(0.5) * time * times_plus(share_of_bend, steps, State(1));
      bend = shortened(kicks, kick, State(0.5) * farthest) * kick;
    }
    const Vec3<State> way = times_plus(time, velocity, bend);
    return rounded(times_plus(shortened(State(1), way, farthest), way, position));
  }

  /// `times`, or by how much the vector has to be multiplied in its place to be no longer.
  PENCILBOX_DEVICE_FUNCTION static State shortened(State times, const Vec3<State>& vector,
                                                   State longest) {
    const State length = std::sqrt(
        times_plus(vector.x, vector.x, times_plus(vector.y, vector.y, vector.z * vector.z)));
    return times * length > longest ? longest / length : times;
  }

  /// As pairs see it.
  PENCILBOX_DEVICE_FUNCTION Vec3<State> rounded(const Vec3<State>& place) const {
    return coordinates(place).template to<State>();
  }
};

}  // namespace pencilbox::PENCILBOX_DEVICE
