// The parameter of tests that every back end must pass: a back end on a device, and a precision.
#pragma once

#include <stdexcept>

#include <gtest/gtest.h>

#include "tests/support/configurations.hpp"

namespace pencilbox::testing {

inline void PrintTo(const DeviceBackend& backend, std::ostream* out) { *out << backend.name(); }

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

/// One back end, on every device that answers, for what is its own. A name that no back end has is
/// an error: a suite over nothing would pass.
inline std::vector<BackendCase> backend_in_every_precision(const std::string& name) {
  std::vector<BackendCase> cases;
  for (const BackendCase& one : every_backend_and_precision()) {
    if (one.backend.info.name == name) cases.push_back(one);
  }
  if (cases.empty()) throw std::logic_error("no back end " + name);
  return cases;
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

  bool on_host() const { return backend().device->kind() == "host"; }

  /// Blocks are emulated here, a thousand times slower than where they are real: long runs are
  /// shortened to what still shows a mistake.
  bool emulated() const { return on_host() && backend().info.needs_blocks; }

  /// Whether the back end refuses this problem, in words, for the particles in its fullest cell. It
  /// may only where 27 cells of them exceed 48 KB: from 65 a cell on, in double.
  bool refuses_the_crowd(SimulationSetup setup) const {
    setup.precision = precision();
    setup.backend = backend().info.name;
    setup.options = default_options(backend().info);
    const ProblemReport report = backend().device->check(setup);
    for (const BackendVerdict& verdict : report.backends) {
      if (verdict.info.name != setup.backend || !verdict.refusal) continue;
      EXPECT_GT(report.largest_cell, 64) << *verdict.refusal;
      EXPECT_NE(verdict.refusal->find("particles"), std::string::npos) << *verdict.refusal;
      return true;
    }
    return false;
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

/// The same for what concerns one back end.
#define PENCILBOX_FOR_BACKEND(Suite, name)                                                     \
  INSTANTIATE_TEST_SUITE_P(                                                                    \
      All, Suite, ::testing::ValuesIn(::pencilbox::testing::backend_in_every_precision(name)), \
      ::pencilbox::testing::case_name)

}  // namespace pencilbox::testing
