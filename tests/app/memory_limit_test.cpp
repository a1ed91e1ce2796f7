// The memory that is left: of the machine, and of control groups of both versions.
#include "core/memory_limit.hpp"

#include "core/error.hpp"
#include "tests/app/program_runner.hpp"
#include "tests/support/sanitized.hpp"

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

TEST_F(MemoryLimit, AGroupThatIsUsedUpHasNothingLeftWhateverItsFilesSay) {
  put("proc/self/cgroup", "4:memory:/job\n");
  put("sys/fs/cgroup/memory/job/memory.limit_in_bytes", "9223372036854771712\n");
  put("sys/fs/cgroup/memory/job/memory.stat", "total_inactive_file 9223372036854771712\n");
  EXPECT_EQ(left().bytes, 9223372036854771712);
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

/// A control group below ours, of either version, with so much memory; only root may make one.
class ControlGroup {
 public:
  explicit ControlGroup(std::int64_t bytes) {
    const std::string name = "pencilbox-test-" + std::to_string(getpid());
    for (const auto& [folder, limit] :
         {std::pair{"/sys/fs/cgroup/memory/", "memory.limit_in_bytes"},
          std::pair{"/sys/fs/cgroup/", "memory.max"}}) {
      std::error_code error;
      group_ = folder + name;
      if (!std::filesystem::create_directory(group_, error)) continue;
      limited_ = bool(std::ofstream(group_ / limit) << bytes << std::flush);
      if (limited_) return;
      std::filesystem::remove(group_, error);
    }
  }
  ~ControlGroup() {
    if (limited_) rmdir(group_.c_str());  // its files are the kernel's, and go with it
  }
  ControlGroup(const ControlGroup&) = delete;
  ControlGroup& operator=(const ControlGroup&) = delete;

  bool limited() const { return limited_; }
  /// Before a command of a shell, which enters the group.
  std::string entering() const {
    return "echo $$ >'" + (group_ / "cgroup.procs").string() + "' &&";
  }

 private:
  std::filesystem::path group_;
  bool limited_ = false;
};

class InAControlGroup : public InAFolder {
 protected:
  void SetUp() override {
    if (is_sanitized()) GTEST_SKIP() << "the sanitizer takes more memory than the group has";
    if (!group_.limited()) GTEST_SKIP() << "may not make a control group here";
    write("deck.yaml",
          "system: {particles: {lattice: {type: fcc, density: 0.8442, cells: [50, 50, 50]}}}\n"
          "potential: {cutoff: 2.5}\nrun: {steps: 1, device: host}\n"
          "output: {checkpoint: {every: 1}}\n");
  }

  void expect_not_enough(const std::string& arguments) const {
    const auto before = listing();
    const ProgramResult result = program(arguments, group_.entering());
    EXPECT_EQ(result.exit_code, 4) << arguments << ": " << result.err;
    EXPECT_TRUE(result.err.starts_with("pencilbox: not enough memory: about ")) << result.err;
    EXPECT_NE(result.err.find("more are needed, the control group /"), std::string::npos);
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
    EXPECT_EQ(listing(), before) << arguments;
  }

  const ControlGroup& group() const { return group_; }

 private:
  ControlGroup group_{120'000'000};
};

TEST_F(InAControlGroup, NoCommandIsKilledWithoutAWord) {
  for (const std::string command : {"run", "check", "compare"}) {
    expect_not_enough(command + " deck.yaml");
  }
  expect_not_enough("bench few-particles --cells 100 --per-cell 1");
  expect_not_enough("bench fenns --particles 400000 --scenarios 1");
  expect_not_enough("bench n-body --particles 2000000");
  expect_not_enough("bench pair-histogram --points 2000000");
}

TEST_F(InAControlGroup, ARunThatWasBegunElsewhereIsNotKilledEither) {
  ASSERT_EQ(program("run deck.yaml --quiet").exit_code, 0);
  expect_not_enough("run deck.yaml --resume --set run.steps=2");
  expect_not_enough(
      "run deck.yaml --set 'system.particles={file: deck/checkpoint.h5}' --set "
      "output.directory=again");
}

TEST_F(InAControlGroup, AStartFileThatIsTooLargeIsToldBeforeItIsTaken) {
  constexpr int particles = 1'500'000;
  std::string text = std::to_string(particles) + "\nLattice=\"2e6 0 0 0 9 0 0 0 9\"\n";
  for (int i = 0; i < particles; ++i) text += "A " + std::to_string(i) + " 0 0\n";
  write("start.xyz", text);
  write("deck.yaml",
        "system: {particles: {file: start.xyz}}\npotential: {cutoff: 2.5}\n"
        "run: {steps: 1, device: host}\n");
  for (const std::string command : {"run", "check"}) expect_not_enough(command + " deck.yaml");
}

TEST_F(InAControlGroup, WhatFitsRuns) {
  write("deck.yaml", small_deck());
  const ProgramResult result = program("run deck.yaml --quiet", group().entering());
  EXPECT_EQ(result.exit_code, 0) << result.err;
}

}  // namespace
}  // namespace pencilbox::testing
