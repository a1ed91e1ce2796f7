// The parameter of tests that every back end must pass: a back end on a device, and a precision.
#pragma once

#include <gtest/gtest.h>

#include "tests/support/configurations.hpp"

namespace pencilbox::testing {

struct BackendCase {
  DeviceBackend backend;
  Precision precision;
};

inline void PrintTo(const BackendCase& c, std::ostream* out) {
  *out << c.backend.name() << " in " << name_of(c.precision);
}

inline std::vector<BackendCase> every_backend_in(const std::vector<Precision>& precisions) {
  std::vector<BackendCase> cases;
  for (const DeviceBackend& backend : device_backends()) {
    for (const Precision precision : precisions) cases.push_back({backend, precision});
  }
  return cases;
}

inline std::vector<BackendCase> every_backend_and_precision() {
  return every_backend_in({Precision::single, Precision::mixed, Precision::double_});
}

inline std::string case_name(const ::testing::TestParamInfo<BackendCase>& info) {
  return info.param.backend.name() + "_" + std::string(name_of(info.param.precision));
}

class EveryBackend : public ::testing::TestWithParam<BackendCase> {
 protected:
  const DeviceBackend& backend() const { return GetParam().backend; }
  Precision precision() const { return GetParam().precision; }

  Evaluation run(SimulationSetup setup) const {
    setup.precision = precision();
    return evaluate(backend(), setup);
  }
};

/// Instantiates a suite derived from EveryBackend.
#define PENCILBOX_FOR_EVERY_BACKEND(Suite)                                                  \
  INSTANTIATE_TEST_SUITE_P(                                                                 \
      All, Suite, ::testing::ValuesIn(::pencilbox::testing::every_backend_and_precision()), \
      ::pencilbox::testing::case_name)

/// The same in double alone, for what is asked to the last digits.
#define PENCILBOX_FOR_EVERY_BACKEND_IN_DOUBLE(Suite)                                     \
  INSTANTIATE_TEST_SUITE_P(                                                              \
      All, Suite,                                                                        \
      ::testing::ValuesIn(::pencilbox::testing::every_backend_in({Precision::double_})), \
      ::pencilbox::testing::case_name)

}  // namespace pencilbox::testing
