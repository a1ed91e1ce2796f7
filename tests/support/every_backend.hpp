// The parameter of tests that every back end must pass: a back end on a device, and a precision.
#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/configurations.hpp"

namespace pencilbox::testing {

inline void PrintTo(const DeviceBackend& backend, std::ostream* out) { *out << backend.name(); }

/// The back end is one of device_backends(), not a copy: each test is a process, and each process
/// lists the cases of all tests, thousands, before it runs its own.
struct BackendCase {
  const DeviceBackend& backend;
  Precision precision;
  ListUntil list_until = ListUntil::displacement;  ///< where it keeps one and the test asks
};

inline void PrintTo(const BackendCase& c, std::ostream* out) {
  *out << c.backend.name() << " in " << name_of(c.precision);
}

inline std::vector<BackendCase> every_backend_in(const std::vector<Precision>& precisions) {
  std::vector<BackendCase> cases;
  for (const DeviceBackend& backend : device_backends()) {
    for (const Precision precision : precisions)
      cases.push_back({backend, precision, ListUntil::displacement});
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

/// The cases that a test concerns: what runs them all would be skipped where it has nothing to ask.
/// None is an error, too.
template <class Concerns>
std::vector<BackendCase> cases_where(Concerns concerns) {
  std::vector<BackendCase> cases;
  for (const BackendCase& one : every_backend_and_precision()) {
    if (concerns(one)) cases.push_back(one);
  }
  if (cases.empty()) throw std::logic_error("a suite over nothing");
  return cases;
}

inline bool is_on_host(const BackendCase& one) { return one.backend.device->kind() == "host"; }

inline bool is_emulated(const BackendCase& one) {
  return is_on_host(one) && one.backend.info.needs_blocks;
}

inline bool is_in_double(const BackendCase& one) { return one.precision == Precision::double_; }

inline bool has_a_fixed_order(const BackendCase& one) { return one.backend.info.has_fixed_order; }

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

  bool on_host() const { return is_on_host(GetParam()); }

  /// Blocks are emulated here, a thousand times slower than where they are real: long runs are
  /// shortened to what still shows a mistake.
  bool emulated() const { return is_emulated(GetParam()); }

  /// The words in which the back end refuses this problem for the particles in its fullest cell,
  /// where it does. One alone may, and it has to exactly where its 48 KB do not hold the crowd:
  /// else a back end that refuses would pass whatever it is asked.
  std::optional<std::string> refusal_of_the_crowd(SimulationSetup setup) const {
    setup.precision = precision();
    setup.backend = backend().info.name;
    setup.options = default_options(backend().info);
    const ProblemReport report = backend().device->check(setup);
    std::optional<std::string> refusal;
    bool is_known = false;
    for (const BackendVerdict& verdict : report.backends) {
      if (verdict.info.name != setup.backend) continue;
      is_known = true;
      refusal = verdict.refusal;
    }
    EXPECT_TRUE(is_known) << setup.backend;
    const bool has_to =
        setup.backend == "all-in-sm" &&
        report.largest_cell > most_in_a_cell_of_all_in_sm(setup.start.types.size() > 1);
    EXPECT_EQ(refusal.has_value(), has_to)
        << report.largest_cell << " particles in a cell: " << refusal.value_or("not refused");
    if (refusal) {
      EXPECT_NE(refusal->find("particles"), std::string::npos) << *refusal;
    }
    return refusal;
  }

 private:
  /// 48 KB for 27 cells are 1,820 bytes for each, 16 of them for its offsets; a particle takes
  /// three coordinates and an index, and its type where there are several.
  int most_in_a_cell_of_all_in_sm(bool several_types) const {
    if (precision() == Precision::double_) return several_types ? 56 : 64;  // 32 or 28 bytes
    return several_types ? 90 : 112;                                        // 20 or 16
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

/// The same for the cases of which `concerns` holds.
#define PENCILBOX_WHERE(Suite, concerns)                                                     \
  INSTANTIATE_TEST_SUITE_P(All, Suite,                                                       \
                           ::testing::ValuesIn(::pencilbox::testing::cases_where(concerns)), \
                           ::pencilbox::testing::case_name)

/// The same for what concerns one back end.
#define PENCILBOX_FOR_BACKEND(Suite, name)                                                     \
  INSTANTIATE_TEST_SUITE_P(                                                                    \
      All, Suite, ::testing::ValuesIn(::pencilbox::testing::backend_in_every_precision(name)), \
      ::pencilbox::testing::case_name)

}  // namespace pencilbox::testing
