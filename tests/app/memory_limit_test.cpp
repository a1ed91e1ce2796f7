// The memory that is left: of the machine, and of control groups of both versions.
#include "app/commands/memory_limit.hpp"

#include "core/error.hpp"
#include "tests/app/program_runner.hpp"

namespace pencilbox::testing {
namespace {

/// A tree with proc and sys as the kernel shows them.
class MemoryLimit : public InAFolder {
 protected:
  void put(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((folder() / name).parent_path());
    write(name, text);
  }
  MemoryLeft left() const { return memory_left(folder()); }
};

TEST_F(MemoryLimit, WhatCannotBeReadLimitsNothing) { EXPECT_GT(left().bytes, 1LL << 60); }

TEST_F(MemoryLimit, OfTheMachineWithItsSwap) {
  put("proc/meminfo", "MemTotal: 16000 kB\nMemAvailable:   3000 kB\nSwapFree: 1000 kB\n");
  EXPECT_EQ(left().bytes, 4000 * 1024);
  EXPECT_EQ(left().where, "this machine");
}

TEST_F(MemoryLimit, OfTheNarrowestGroupAbove) {
  put("proc/meminfo", "MemAvailable: 9000000 kB\n");
  put("proc/self/cgroup", "0::/batch/job-7\n");
  put("sys/fs/cgroup/batch/job-7/memory.max", "max\n");
  put("sys/fs/cgroup/batch/memory.max", "1000000\n");
  put("sys/fs/cgroup/batch/memory.current", "400000\n");
  put("sys/fs/cgroup/batch/memory.stat", "anon 1\ninactive_file 150000\n");
  EXPECT_EQ(left().bytes, 750000);
  EXPECT_EQ(left().where, "the control group /batch");
}

TEST_F(MemoryLimit, OfAGroupOfVersionOne) {
  put("proc/self/cgroup", "5:cpu,memory:/job\n0::/\n");
  put("sys/fs/cgroup/memory/job/memory.limit_in_bytes", "5000\n");
  put("sys/fs/cgroup/memory/job/memory.usage_in_bytes", "6000\n");
  EXPECT_EQ(left().bytes, 0);
  EXPECT_EQ(left().where, "the control group /job");
}

TEST_F(MemoryLimit, AGroupThatIsMountedAtTheRootOfAContainer) {
  put("proc/self/cgroup", "4:memory:/not/to/be/seen/from/here\n");
  put("sys/fs/cgroup/memory/memory.limit_in_bytes", "7000\n");
  EXPECT_EQ(left().bytes, 7000);
}

TEST_F(MemoryLimit, IsToldWithBothNumbers) {
  const MemoryLeft group{500'000'000, "the control group /job"};
  EXPECT_NO_THROW(require_memory(500'000'000, group));
  try {
    require_memory(2'000'000'000, group);
    FAIL() << "not refused";
  } catch (const SystemError& error) {
    EXPECT_STREQ(error.what(),
                 "not enough memory: about 2.00 GB more are needed, the control group /job has "
                 "0.50 GB left");
  }
}

TEST_F(MemoryLimit, MoreParticlesThanAnyMachineHoldsAreRefusedBeforeTheyAreMade) {
  constexpr std::int64_t needed = 139'264'000'000;  // of 2,048,000,000 particles
  if (memory_left().bytes >= needed) GTEST_SKIP() << "this machine could hold them";
  write("deck.yaml", small_deck());
  for (const std::string command : {"check", "run"}) {
    const ProgramResult result =
        program(command + " deck.yaml --set system.particles.lattice.cells=[800,800,800]");
    EXPECT_EQ(result.exit_code, 4) << result.err;
    EXPECT_TRUE(result.err.starts_with("pencilbox: not enough memory: about ")) << result.err;
  }
  EXPECT_FALSE(std::filesystem::exists(folder() / "deck"));
}

}  // namespace
}  // namespace pencilbox::testing
