// Back ends of one block per cell and of a loop over particles: how blocks, threads and shared
// memory are cut does not change a bit, in whatever combination, and what does not fit is refused.
#include <gmock/gmock.h>

#include "core/device/host/emulator.hpp"
#include "core/error.hpp"
#include "tests/support/every_backend.hpp"

namespace pencilbox::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

DeviceBackend host_backend(const std::string& name) {
  for (const DeviceBackend& backend : device_backends()) {
    if (backend.info.name == name && backend.device->kind() == "host") return backend;
  }
  throw std::logic_error("no back end " + name);
}

/// Cells of some 70 particles, which take several pieces of 16, and rounds of 32 threads; two
/// types.
SimulationSetup full_cells() {
  SimulationSetup setup = make_lj_setup(
      random_liquid(420, periodic_box(12.6, 4.4, 8.5), 0.7, 31, 2), 4.2, Truncation::force_shift);
  setup.precision = Precision::mixed;
  setup.deterministic = true;
  return setup;
}

class LaunchCuts : public ::testing::Test {
 protected:
  void TearDown() override { host::emulator_settings() = saved_; }

  /// Evaluates with every combination of the options, and compares bits.
  static void expect_same_bits(const std::string& name, const std::vector<std::string>& staged) {
    const DeviceBackend backend = host_backend(name);
    SimulationSetup setup = full_cells();
    const Evaluation truth = evaluate_reference(setup);
    for (const char* runs : {"cells", "merged"}) {
      setup.options = default_options(backend.info);
      setup.options["runs"] = runs;
      const Evaluation expected = evaluate(backend, setup);
      EXPECT_LE(largest_difference(expected.frame.force, truth.frame.force),
                5e-5 * largest_component(truth.frame.force));
      for (const char* block : {"32", "64"}) {
        for (const char* blocks : {"1", "5"}) {
          for (const std::string& particles : staged) {
            setup.options["block"] = block;
            setup.options["blocks"] = blocks;
            if (!particles.empty()) setup.options["staged"] = particles;
            const Evaluation mine = evaluate(backend, setup);
            const std::string which =
                std::string(runs) + ", " + blocks + " blocks of " + block + ", staged " + particles;
            EXPECT_EQ(mine.frame.force, expected.frame.force) << which;
            EXPECT_EQ(mine.sums.potential_energy, expected.sums.potential_energy) << which;
            EXPECT_EQ(mine.stats.pairs_in_range, truth.stats.pairs_in_range) << which;
          }
        }
      }
    }
  }

 private:
  host::EmulatorSettings saved_ = host::emulator_settings();
};

TEST_F(LaunchCuts, ParPartLoopHasTheSameBits) { expect_same_bits("par-part-loop", {""}); }

TEST_F(LaunchCuts, ParCellHasTheSameBits) { expect_same_bits("par-cell", {""}); }

TEST_F(LaunchCuts, ParCellSmHasTheSameBitsInAnyOrderOfThreads) {
  host::emulator_settings().schedule = host::Schedule::random;
  host::emulator_settings().seed = 7;
  expect_same_bits("par-cell-sm", {"33", "150"});
}

TEST_F(LaunchCuts, ParCellSmRefusesMoreThanSharedMemoryHolds) {
  const DeviceBackend backend = host_backend("par-cell-sm");
  host::emulator_settings().shared_limit = 64 * 1024;
  SimulationSetup setup = full_cells();
  setup.options = default_options(backend.info);
  setup.options["staged"] = "4096";  // of two types, in float: 16 bytes each, just what there is
  EXPECT_NO_THROW(evaluate(backend, setup));
  setup.precision = Precision::double_;
  try {
    evaluate(backend, setup);
    FAIL() << "4096 particles in double were accepted";
  } catch (const BackendRefusal& refusal) {
    EXPECT_THAT(refusal.what(), AllOf(HasSubstr("4096"), HasSubstr("114688"), HasSubstr("65536")));
  }
}

}  // namespace
}  // namespace pencilbox::testing
