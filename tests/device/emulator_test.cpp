// The emulator must notice what a GPU would punish, and say which kernel did it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/device/device.hpp"

namespace pencilbox::host {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

/// Restores the settings after each test.
class Emulator : public ::testing::TestWithParam<Schedule> {
 protected:
  Emulator() {
    emulator_settings().schedule = GetParam();
    emulator_settings().seed = 12345;
  }
  ~Emulator() override { emulator_settings() = saved_; }

  template <class Kernel>
  static std::string message_of(const LaunchShape& shape, const Kernel& kernel) {
    Stream stream;
    try {
      launch(stream, shape, kernel);
    } catch (const EmulatorError& error) {
      return error.what();
    }
    return "no error";
  }

 private:
  EmulatorSettings saved_ = emulator_settings();
};

enum class Defect { none, no_barrier_after_load, no_barrier_before_overwrite };

/// Sums tiles of the input in every thread, as tiled kernels do.
template <Defect defect>
struct TiledSum {
  static constexpr const char* name = "tiled sum";
  const float* in;
  float* out;
  Index tiles;

  void operator()(const Block& block) const {
    const auto tile = block.shared<float>(block.threads());
    float sum = 0.0F;
    for (Index t = 0; t < tiles; ++t) {
      if constexpr (defect != Defect::no_barrier_before_overwrite) block.barrier();
      tile[block.thread()] = in[t * block.threads() + block.thread()];
      if constexpr (defect != Defect::no_barrier_after_load) block.barrier();
      for (Index i = 0; i < block.threads(); ++i) sum += static_cast<float>(tile[i]);
    }
    out[block.index() * block.threads() + block.thread()] = sum;
  }
};

constexpr int threads = 96;
constexpr Index tiles = 3;
constexpr LaunchShape shape{4, threads, threads * sizeof(float)};

/// Blocks write where others read, from one barrier of the grid to the next.
enum class GridDefect { none, a_block_leaves, a_thread_leaves, another_place };

template <GridDefect defect>
struct PassOn {
  static constexpr const char* name = "pass on";
  Index* values;  // [2][blocks * threads]
  Index rounds;

  void operator()(const Block& block) const {
    const auto all = static_cast<Index>(block.blocks() * block.threads());
    const auto i = static_cast<Index>(block.index() * block.threads() + block.thread());
    for (Index round = 0; round < rounds; ++round) {
      if (defect == GridDefect::a_block_leaves && block.index() == 1 && round == 1) return;
      if (defect == GridDefect::a_thread_leaves && i == 5 && round == 1) return;
      if (defect == GridDefect::another_place && block.index() == 1 && round == 1) {
        block.grid_barrier();
      } else {
        block.grid_barrier();
      }
      const Index* from = values + round % 2 * all;
      Index* to = values + (1 - round % 2) * all;
      to[i] = from[(i + block.threads() + 1) % all] + 1;
    }
  }
};

template <GridDefect defect>
std::string message_of_grid(const LaunchShape& grid, std::vector<Index>& values, Index rounds) {
  Stream stream;
  try {
    launch_at_once(stream, grid, PassOn<defect>{values.data(), rounds});
  } catch (const EmulatorError& error) {
    return error.what();
  }
  return "no error";
}

constexpr LaunchShape shape_of_grid{3, 64, 0};
constexpr Index threads_of_grid = 3 * 64;

TEST_P(Emulator, RunsBlocksThatMeet) {
  std::vector<Index> values(2 * threads_of_grid, 0);
  for (Index i = 0; i < threads_of_grid; ++i) values[static_cast<std::size_t>(i)] = i;
  EXPECT_EQ(message_of_grid<GridDefect::none>(shape_of_grid, values, 4), "no error");
  for (Index i = 0; i < threads_of_grid; ++i) {
    EXPECT_EQ(values[static_cast<std::size_t>(i)], (i + 4 * 65) % threads_of_grid + 4);
  }
}

TEST_P(Emulator, ReportsWhoDoesNotComeToABarrierOfTheGrid) {
  std::vector<Index> values(2 * threads_of_grid, 0);
  EXPECT_THAT(message_of_grid<GridDefect::a_block_leaves>(shape_of_grid, values, 4),
              AllOf(HasSubstr("kernel 'pass on'"), HasSubstr("waits for the grid at emulator_test"),
                    HasSubstr("block 1 has left the kernel")));
  EXPECT_THAT(message_of_grid<GridDefect::a_thread_leaves>(shape_of_grid, values, 4),
              AllOf(HasSubstr("kernel 'pass on', block 0"), HasSubstr("divergent barrier"),
                    HasSubstr("63 of 64 threads reach it, the others have left the kernel")));
  EXPECT_THAT(message_of_grid<GridDefect::another_place>(shape_of_grid, values, 4),
              AllOf(HasSubstr("waits for the grid at emulator_test"), HasSubstr(", block "),
                    HasSubstr(" at emulator_test")));
}

TEST_P(Emulator, ReportsAGridThatCannotRunAtOnce) {
  const LaunchShape large{emulator_settings().resident_threads / 64 + 1, 64, 0};
  std::vector<Index> values(static_cast<std::size_t>(2 * 64 * large.blocks), 0);
  EXPECT_FALSE(fit_at_once<PassOn<GridDefect::none>>(large));
  EXPECT_THAT(message_of_grid<GridDefect::none>(large, values, 2),
              HasSubstr("threads cannot run at once"));
  EXPECT_THAT(message_of(shape_of_grid, PassOn<GridDefect::none>{values.data(), 2}),
              HasSubstr("its blocks were not launched to run at once"));
}

TEST_P(Emulator, RunsACorrectKernelRight) {
  const std::vector<float> in(threads * tiles, 1.0F);
  std::vector<float> out(4 * threads, -1.0F);
  EXPECT_EQ(message_of(shape, TiledSum<Defect::none>{in.data(), out.data(), tiles}), "no error");
  EXPECT_EQ(out, std::vector<float>(4 * threads, static_cast<float>(threads * tiles)));
}

TEST_P(Emulator, ReportsABarrierRemovedAfterTheLoad) {
  const std::vector<float> in(threads * tiles, 1.0F);
  std::vector<float> out(4 * threads);
  const std::string message =
      message_of(shape, TiledSum<Defect::no_barrier_after_load>{in.data(), out.data(), tiles});
  EXPECT_THAT(message, HasSubstr("kernel 'tiled sum'"));
}

TEST_P(Emulator, ReportsABarrierRemovedBeforeTheOverwrite) {
  const std::vector<float> in(threads * tiles, 1.0F);
  std::vector<float> out(4 * threads);
  EXPECT_THAT(message_of(shape, TiledSum<Defect::no_barrier_before_overwrite>{in.data(), out.data(),
                                                                              tiles}),
              AllOf(HasSubstr("kernel 'tiled sum'"), HasSubstr("a race (missing barrier?)")));
}

struct OutOfBounds {
  static constexpr const char* name = "out of bounds";
  void operator()(const Block& block) const {
    const auto values = block.shared<float>(8);
    values[block.thread()] = 1.0F;
  }
};

TEST_P(Emulator, ReportsAnIndexOutsideASharedArray) {
  EXPECT_THAT(message_of({1, 9, 64}, OutOfBounds{}),
              AllOf(HasSubstr("kernel 'out of bounds'"), HasSubstr("index 8 outside [0, 8)"),
                    HasSubstr("emulator_test.cpp")));
}

struct TooMuchMemory {
  static constexpr const char* name = "too much memory";
  void operator()(const Block& block) const { block.shared<double>(9); }
};

TEST_P(Emulator, ReportsMoreSharedMemoryThanTheLaunchGave) {
  EXPECT_THAT(message_of({1, 1, 64}, TooMuchMemory{}),
              AllOf(HasSubstr("kernel 'too much memory'"), HasSubstr("72 bytes")));
}

struct SomeLeaveEarly {
  static constexpr const char* name = "some leave early";
  void operator()(const Block& block) const {
    if (block.thread() >= 5) return;
    block.barrier();
  }
};

TEST_P(Emulator, ReportsADivergentBarrier) {
  EXPECT_THAT(message_of({2, 64, 0}, SomeLeaveEarly{}),
              AllOf(HasSubstr("kernel 'some leave early'"), HasSubstr("divergent barrier"),
                    HasSubstr("5 of 64 threads")));
}

struct TwoBarriers {
  static constexpr const char* name = "two barriers";
  void operator()(const Block& block) const {
    if (block.thread() % 2 == 0) {
      block.barrier();
    } else {
      block.barrier();
    }
  }
};

TEST_P(Emulator, ReportsThreadsAtDifferentBarriers) {
  EXPECT_THAT(message_of({1, 64, 0}, TwoBarriers{}),
              AllOf(HasSubstr("kernel 'two barriers'"), HasSubstr("divergent barrier")));
}

struct UnwrittenRead {
  static constexpr const char* name = "unwritten read";
  float* out;
  void operator()(const Block& block) const {
    const auto values = block.shared<float>(4);
    out[0] = values[2];
  }
};

TEST_P(Emulator, ReportsAReadOfUnwrittenSharedMemory) {
  float out = 0.0F;
  EXPECT_THAT(message_of({1, 1, 16}, UnwrittenRead{&out}),
              AllOf(HasSubstr("kernel 'unwritten read'"), HasSubstr("no thread has written")));
}

struct NonAtomicCount {
  static constexpr const char* name = "non-atomic count";
  void operator()(const Block& block) const {
    const auto count = block.shared<Index>(1);
    if (block.thread() == 0) count[0] = 0;
    block.barrier();
    count[0] += 1;
  }
};

TEST_P(Emulator, ReportsANonAtomicIncrement) {
  EXPECT_THAT(message_of({1, 32, 4}, NonAtomicCount{}),
              AllOf(HasSubstr("kernel 'non-atomic count'"), HasSubstr("race")));
}

struct HalfAWarpShuffles {
  static constexpr const char* name = "half a warp shuffles";
  void operator()(const Block& block) const {
    if (block.lane() < 16) block.shuffle(1, 0);
  }
};

TEST_P(Emulator, ReportsADivergentWarpOperation) {
  EXPECT_THAT(message_of({1, 64, 0}, HalfAWarpShuffles{}),
              AllOf(HasSubstr("kernel 'half a warp shuffles'"), HasSubstr("warp operation")));
}

/// Neighbouring lanes exchange through shared memory, ordered by a barrier of the warp, or not.
template <bool with_warp_barrier>
struct WarpExchange {
  static constexpr const char* name = "warp exchange";
  Index* out;
  void operator()(const Block& block) const {
    const auto values = block.shared<Index>(block.threads());
    values[block.thread()] = block.thread();
    if constexpr (with_warp_barrier) block.warp_barrier();
    out[block.thread()] = values[block.thread() ^ 1];
  }
};

TEST_P(Emulator, AWarpBarrierOrdersItsWarp) {
  for (const int warp_size : {32, 64}) {
    emulator_settings().warp_size = warp_size;
    std::vector<Index> out(128);
    EXPECT_EQ(message_of({1, 128, 512}, WarpExchange<true>{out.data()}), "no error");
    for (Index i = 0; i < 128; ++i) EXPECT_EQ(out[static_cast<std::size_t>(i)], i ^ 1);
    EXPECT_THAT(message_of({1, 128, 512}, WarpExchange<false>{out.data()}),
                HasSubstr("kernel 'warp exchange'"));
  }
}

struct Throws {
  static constexpr const char* name = "throws";
  void operator()(const Block& block) const {
    block.barrier();
    if (block.thread() == 3) throw std::runtime_error("from inside");
    block.barrier();
  }
};

TEST_P(Emulator, PassesOnAnExceptionAndGoesOn) {
  Stream stream;
  EXPECT_THROW(launch(stream, {3, 32, 0}, Throws{}), std::runtime_error);
  EXPECT_EQ(message_of(shape, TooMuchMemory{}), "no error");
}

/// The order in which threads and blocks run.
struct Order {
  static constexpr const char* name = "order";
  Index* next;
  Index* order;
  void operator()(const Block& block) const {
    const Index position = atomic_add(next, Index{1});
    order[position] = static_cast<Index>(block.index()) * block.threads() + block.thread();
  }
};

TEST_P(Emulator, RunsThreadsInTheOrderOfTheSchedule) {
  Index next = 0;
  std::vector<Index> order(64);
  EXPECT_EQ(message_of({1, 64, 0}, Order{&next, order.data()}), "no error");
  const bool ascending = std::is_sorted(order.begin(), order.end());
  const bool descending = std::is_sorted(order.rbegin(), order.rend());
  EXPECT_EQ(ascending, GetParam() == Schedule::forward);
  EXPECT_EQ(descending, GetParam() == Schedule::reverse);
}

INSTANTIATE_TEST_SUITE_P(Schedules, Emulator,
                         ::testing::Values(Schedule::forward, Schedule::reverse, Schedule::random),
                         [](const auto& parameters) {
                           switch (parameters.param) {
                             case Schedule::forward:
                               return "forward";
                             case Schedule::reverse:
                               return "reverse";
                             default:
                               return "random";
                           }
                         });

}  // namespace
}  // namespace pencilbox::host
