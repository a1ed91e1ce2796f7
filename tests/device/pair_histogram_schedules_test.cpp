// The same on the emulator, in any order of threads and with warps of either size.
#include "tests/device/pair_histogram_cases.hpp"

namespace pencilbox::PENCILBOX_DEVICE {
namespace {

TEST(PairHistogram, DoesNotDependOnTheOrderOfThreads) {
  EmulatorSettings& settings = emulator_settings();
  const EmulatorSettings before = settings;
  for (const Schedule schedule : {Schedule::reverse, Schedule::random}) {
    for (const int warp_size : {32, 64}) {
      settings.schedule = schedule;
      settings.warp_size = warp_size;
      expect_all_ways_to_count_the_same<DoublePrecision>(warp_size);
    }
  }
  settings = before;
}
}  // namespace
}  // namespace pencilbox::PENCILBOX_DEVICE
