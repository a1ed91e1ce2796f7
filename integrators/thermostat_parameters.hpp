// What thermostats take from a deck, in the same words.
#pragma once

#include "core/registry.hpp"

namespace pencilbox {

inline ParameterInfo bath_temperature(double minimum = 0.0) {
  return {.name = "temperature",
          .description = "Of the heat bath",
          .unit = "epsilon",
          .minimum = minimum,
          .maximum = 1e6};
}

inline ParameterInfo relaxation_time() {
  return {.name = "relaxation_time",
          .description = "In which the temperature approaches that of the heat bath",
          .unit = "tau",
          .minimum = 1e-12,
          .maximum = 1e12};
}

inline ParameterInfo noise_seed() {
  return {.name = "seed",
          .description = "Seed of the noise",
          .unit = "",
          .minimum = 0.0,
          .maximum = 0x1p53,
          .default_value = "1",
          .is_integer = true};
}

}  // namespace pencilbox
