// FENNS with other coarse grids than small systems get by themselves: many coarse cells, ragged
// ones, one or two in a direction, more sources and more targets than a batch.
#include <gmock/gmock.h>

#include "core/device/host/emulator.hpp"
#include "core/error.hpp"
#include "tests/support/every_backend.hpp"

namespace pencilbox::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::vector<DeviceBackend> fenns_on_every_device() {
  std::vector<DeviceBackend> found;
  for (const DeviceBackend& backend : device_backends()) {
    if (backend.info.name == "fenns") found.push_back(backend);
  }
  return found;
}

std::string device_name(const ::testing::TestParamInfo<DeviceBackend>& info) {
  return info.param.name();
}

class Fenns : public ::testing::TestWithParam<DeviceBackend> {
 protected:
  void SetUp() override { saved_ = host::emulator_settings(); }
  void TearDown() override { host::emulator_settings() = saved_; }

  /// Seven, five and three cells.
  static SimulationSetup liquid(const Bool3& periodic) {
    Box box = periodic_box(18.2, 13.0, 7.7);
    box.periodic = periodic;
    SimulationSetup setup = make_lj_setup(random_liquid(900, box, 0.85, 5), 2.5, Truncation::shift);
    setup.precision = Precision::double_;
    return setup;
  }

  Evaluation run(SimulationSetup setup, const std::string& coarse_cells,
                 const std::string& block) const {
    setup.options = {{"coarse_cells", coarse_cells}, {"block", block}};
    return evaluate(GetParam(), setup);
  }

 private:
  host::EmulatorSettings saved_;
};

TEST_P(Fenns, EveryCoarseGridGivesTheSameForces) {
  const Bool3 masks[] = {{true, true, true}, {false, true, true}, {false, false, false}};
  for (const Bool3& periodic : masks) {
    const SimulationSetup setup = liquid(periodic);
    const Evaluation truth = evaluate_reference(setup);
    for (const char* coarse_cells : {"1", "2", "3", "4", "7"}) {
      for (const char* block : {"32", "128"}) {
        SCOPED_TRACE(std::string("coarse cells ") + coarse_cells + ", block " + block);
        const Evaluation mine = run(setup, coarse_cells, block);
        EXPECT_LE(largest_difference(mine.frame.force, truth.frame.force),
                  1e-12 * largest_component(truth.frame.force));
        EXPECT_EQ(mine.stats.pairs_in_range, truth.stats.pairs_in_range);
      }
    }
  }
}

TEST_P(Fenns, BorderSectionsSpareCandidates) {
  // Five cells of 2.98 in each direction, 3 and 2 to a coarse cell: who is further than 2.5 from
  // all faces of a coarse cell is met by nobody outside, and is a candidate less than in 27 cells.
  const SimulationSetup setup = make_lj_setup(
      random_liquid(900, periodic_box(14.9, 14.9, 14.9), 0.85, 5), 2.5, Truncation::shift);
  const Evaluation mine = run(setup, "2", "64");
  EXPECT_THAT(mine.stats.note, HasSubstr("2 x 2 x 2 coarse cells of 3 x 3 x 3 cells"));
  DeviceBackend all_candidates = GetParam();
  for (const BackendInfo& info : GetParam().device->backends()) {
    if (info.name == "par-part-no-loop") all_candidates.info = info;
  }
  const Evaluation other = evaluate(all_candidates, setup);
  EXPECT_EQ(mine.stats.pairs_in_range, other.stats.pairs_in_range);
  EXPECT_LT(mine.stats.candidates_per_particle, other.stats.candidates_per_particle - 1.0);
}

TEST_P(Fenns, FixedOrderWithManyCoarseCells) {
  SimulationSetup setup = liquid({true, true, true});
  setup.deterministic = true;
  const Evaluation expected = run(setup, "3", "64");
  EXPECT_THAT(expected.stats.note, HasSubstr("3 x 3 x 3 coarse cells of 3 x 2 x 1 cells"));
  for (const int warp_size : {32, 64}) {
    for (const auto schedule : {host::Schedule::reverse, host::Schedule::random}) {
      host::emulator_settings().warp_size = warp_size;
      host::emulator_settings().schedule = schedule;
      const Evaluation mine = run(setup, "3", "64");
      EXPECT_EQ(mine.frame.force, expected.frame.force);
      EXPECT_EQ(mine.frame.potential_energy, expected.frame.potential_energy);
    }
  }
}

TEST_P(Fenns, GridsThatDoNotFitAreRefused) {
  StartState sparse = random_liquid(20, periodic_box(10, 10, 10), 0.85, 3);
  sparse.box = periodic_box(200, 200, 200);
  const SimulationSetup setup = make_lj_setup(std::move(sparse), 3.0, Truncation::shift);
  const Evaluation truth = evaluate_reference(setup);
  EXPECT_EQ(run(setup, "auto", "256").stats.pairs_in_range, truth.stats.pairs_in_range);
  const auto refusal_of = [&](const std::string& coarse_cells) -> std::string {
    try {
      run(setup, coarse_cells, "256");
    } catch (const BackendRefusal& refusal) {
      return refusal.what();
    }
    return "accepted";
  };
  EXPECT_THAT(refusal_of("1"),
              AllOf(HasSubstr("local grid over 60 x 60 x 60 cells"), HasSubstr("shared memory")));
  EXPECT_THAT(refusal_of("64"),
              HasSubstr("60 x 60 x 60 coarse cells take 864000 bytes of shared memory"));
}

INSTANTIATE_TEST_SUITE_P(All, Fenns, ::testing::ValuesIn(fenns_on_every_device()), device_name);

}  // namespace
}  // namespace pencilbox::testing
