// A parameter that a deck gives as a number or as a ramp, {from: 1.0, to: 0.5}. The value at the
// end of the ramp is a parameter of its own; absent: the other one stays as it is.
#pragma once

#include <string>
#include <string_view>

#include "core/registry.hpp"

namespace pencilbox {

inline constexpr std::string_view ramp_suffix = ".to";

/// What the value at the end of the ramp is called beside `parameter`.
inline std::string ramp_end(std::string_view parameter) {
  return std::string(parameter) + std::string(ramp_suffix);
}

inline bool is_ramp_end(std::string_view parameter) { return parameter.ends_with(ramp_suffix); }

/// An integrator names it behind the parameter itself that may be a ramp.
inline ParameterInfo ramp_end_of(const ParameterInfo& parameter) {
  ParameterInfo end = parameter;
  end.name = ramp_end(parameter.name);
  return end;
}

inline bool has_ramp(const IntegratorParameters& parameters) {
  for (const auto& [name, value] : parameters) {
    if (is_ramp_end(name)) return true;
  }
  return false;
}

}  // namespace pencilbox
