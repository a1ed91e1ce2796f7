// A value that stays, or changes linearly over the steps of a stage. Kernels ask for it by the
// step, so that a graph which is launched again and again has the right one each time.
#pragma once

#include <cstdint>
#include <string>

#include "core/ramp_parameter.hpp"
#include "integrators/integrator.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

struct Ramp {
  double from, to;
  std::int64_t first_step, steps;  ///< of the stage

  PENCILBOX_DEVICE_FUNCTION bool stays() const { return from == to; }

  /// `to` at the stage's last step, and at any later one.
  PENCILBOX_DEVICE_FUNCTION double operator()(std::int64_t step) const {
    if (stays() || step <= first_step) return from;
    if (step - first_step >= steps) return to;
    const double share = static_cast<double>(step - first_step) / static_cast<double>(steps);
    return from + share * (to - from);
  }
};

/// Of a parameter that a deck gives as a number or as a ramp.
inline Ramp ramp_of(const IntegratorSettings& settings, const std::string& parameter) {
  const double from = settings.parameters.at(parameter);
  const auto end = settings.parameters.find(ramp_end(parameter));
  return {from, end == settings.parameters.end() ? from : end->second, settings.first_step,
          settings.steps};
}

}  // namespace pencilbox::PENCILBOX_DEVICE
