// A writer that is killed at any of its writes, not only at random ones: the trajectory opens and
// has all frames before. The frames around the 64th are the ones that matter: there the index of
// chunks outgrows its first node, and HDF5 rearranges it.
//
// A program of its own, because it stands between HDF5 and the system's pwrite.
#include <atomic>
#include <csignal>
#include <limits>
#include <memory>
#include <vector>

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "io/output/trajectory.hpp"
#include "tests/io/output_support.hpp"

namespace {

constexpr long never = std::numeric_limits<long>::max();
std::atomic<long> writes{0};
std::atomic<long> deadly_write{never};

ssize_t write_or_die(int file, const void* bytes, std::size_t count, off64_t offset) {
  if (++writes == deadly_write) std::raise(SIGKILL);
  return syscall(SYS_pwrite64, file, bytes, count, offset);
}

}  // namespace

extern "C" {
ssize_t pwrite64(int file, const void* bytes, std::size_t count, off64_t offset) {
  return write_or_die(file, bytes, count, offset);
}
ssize_t pwrite(int file, const void* bytes, std::size_t count, off_t offset) {
  return write_or_die(file, bytes, count, offset);
}
}

namespace pencilbox {
namespace {

using test::ReadFile;
using test::sample_frame;
using test::sample_observation;
using test::sample_start;
using test::TemporaryFolder;

constexpr int frames = 67;

/// The writes done before each frame, and after the last: shared with the process that writes.
struct WritesBefore {
  long frame[frames + 1];
};

class KilledWriter : public ::testing::Test {
 protected:
  KilledWriter() {
    void* shared = mmap(nullptr, sizeof(WritesBefore), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    before_ = static_cast<WritesBefore*>(shared);
  }
  ~KilledWriter() override { munmap(before_, sizeof(WritesBefore)); }

  std::filesystem::path path() const { return folder_ / "trajectory.h5md"; }

  /// In a process of its own, which ends with its write number `deadly`.
  void write(long deadly) const {
    const pid_t child = fork();
    if (child == 0) {
      writes = 0;
      deadly_write = deadly;
      write_frames();
      _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    const bool killed = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
    const bool done = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    ASSERT_TRUE(deadly == never ? done : killed) << status;
  }

  void write_frames() const {
    FieldSet fields;
    fields.insert(Field::position);
    fields.insert(Field::force);
    TrajectoryWriter writer(path(), start_, {fields, Precision::double_, "1", "deck", "b", "d"});
    for (int i = 0; i < frames; ++i) {
      before_->frame[i] = writes;
      writer.append(pack(sample_frame(start_, i)), sample_observation(start_, i));
      writer.wait();
    }
    before_->frame[frames] = writes;
    writer.close();
  }

  /// How many frames the file has; all of them must be the ones that were written.
  int whole_frames() const {
    const ReadFile file(path());
    const auto steps = file.values("/particles/all/position/step").data;
    const auto positions = file.values("/particles/all/position/value").data;
    const auto forces = file.values("/particles/all/force/value").data;
    const std::size_t row = 3 * start_.id.size();
    EXPECT_GE(positions.size(), steps.size() * row);
    EXPECT_GE(forces.size(), steps.size() * row);
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const Frame frame = sample_frame(start_, static_cast<int>(i));
      EXPECT_EQ(steps[i], static_cast<double>(frame.step));
      for (std::size_t k = 0; k < row; ++k) {
        EXPECT_EQ(positions[i * row + k], frame.position[k / 3][k % 3]) << "frame " << i;
        EXPECT_EQ(forces[i * row + k], frame.force[k / 3][k % 3]) << "frame " << i;
      }
    }
    return static_cast<int>(steps.size());
  }

  StartState start_ = sample_start(1);
  TemporaryFolder folder_;
  WritesBefore* before_ = nullptr;
};

TEST_F(KilledWriter, LeavesEveryFrameBeforeAtWhicheverWriteItDies) {
  write(never);
  ASSERT_EQ(whole_frames(), frames);
  constexpr int first = 62;
  const WritesBefore counted = *before_;
  for (long deadly = counted.frame[first] + 1; deadly <= counted.frame[frames]; ++deadly) {
    write(deadly);
    int written = first;
    while (counted.frame[written + 1] < deadly) ++written;
    try {
      const int found = whole_frames();
      EXPECT_GE(found, written) << "write " << deadly;
      EXPECT_LE(found, written + 1) << "write " << deadly;
    } catch (const std::exception& error) {
      ADD_FAILURE() << "write " << deadly << ": " << error.what();
    }
    if (HasFailure()) break;
  }
}

}  // namespace
}  // namespace pencilbox
