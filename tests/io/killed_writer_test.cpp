// A writer that is killed at any of its writes, not only at random ones: the trajectory opens and
// has all frames before. The frames around the 64th are the ones that matter: there the index of
// chunks outgrows its first node, and HDF5 rearranges it. And a resumed writer that drops frames:
// there the file shrinks.
//
// A program of its own, because it stands between HDF5 and the system's pwrite and ftruncate.
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

int truncate_or_die(int file, off64_t size) {
  if (++writes == deadly_write) std::raise(SIGKILL);
  return static_cast<int>(syscall(SYS_ftruncate, file, size));
}

}  // namespace

extern "C" {
ssize_t pwrite64(int file, const void* bytes, std::size_t count, off64_t offset) {
  return write_or_die(file, bytes, count, offset);
}
ssize_t pwrite(int file, const void* bytes, std::size_t count, off_t offset) {
  return write_or_die(file, bytes, count, offset);
}
int ftruncate64(int file, off64_t size) noexcept { return truncate_or_die(file, size); }
int ftruncate(int file, off_t size) noexcept { return truncate_or_die(file, size); }
}

namespace pencilbox::testing {
namespace {

constexpr int frames = 67;

/// The writes done before each frame, and after the last: shared with the process that writes.
struct WritesBefore {
  long frame[frames + 1];
  long all;
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

  void write(long deadly) const {
    in_a_process(deadly, [this] { write_frames(); });
  }

  /// Which ends with its write number `deadly`.
  template <class Action>
  void in_a_process(long deadly, const Action& action) const {
    const pid_t child = fork();
    if (child == 0) {
      writes = 0;
      deadly_write = deadly;
      action();
      before_->all = writes;
      _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    const bool killed = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
    const bool done = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    ASSERT_TRUE(deadly == never ? done : killed) << status;
  }

  static TrajectoryHeader header() {
    FieldSet fields;
    fields.insert(Field::position);
    fields.insert(Field::force);
    return {fields, Precision::double_, "1", "deck", "b", "d", 0, 0, sample_results(0)};
  }

  /// Goes on after frame `kept - 1` with the frames that were there.
  void go_on(int kept) const {
    TrajectoryWriter writer =
        TrajectoryWriter::resume(path(), start_, header(), sample_frame(start_, kept - 1).step);
    for (int i = kept; i < kept + 2; ++i) append(writer, i);
    writer.close();
  }

  /// A frame, and after every third the results of observables.
  void append(TrajectoryWriter& writer, int i) const {
    writer.append(pack(sample_frame(start_, i)), sample_observation(start_, i));
    if (i % results_every == 0) writer.append_results(10 * i, 0.1 * i, sample_results(i));
    writer.wait();
  }

  void write_frames() const { write_frames(header()); }
  void write_frames(const TrajectoryHeader& header) const {
    TrajectoryWriter writer(path(), start_, header);
    for (int i = 0; i < frames; ++i) {
      before_->frame[i] = writes;
      append(writer, i);
    }
    before_->frame[frames] = writes;
    writer.close();
  }

  /// Kills a writer that goes on with a file made with `first` at each of its writes.
  void expect_all_kept(const TrajectoryHeader& first) {
    in_a_process(never, [&] { write_frames(first); });
    const std::filesystem::path saved = folder_ / "saved.h5md";
    std::filesystem::copy_file(path(), saved);
    constexpr int kept = 20;
    in_a_process(never, [this] { go_on(kept); });
    ASSERT_EQ(whole_frames(), kept + 2);
    const long all = before_->all;
    ASSERT_GT(all, 5);
    for (long deadly = 1; deadly <= all && !HasFailure(); ++deadly) {
      std::filesystem::copy_file(saved, path(), std::filesystem::copy_options::overwrite_existing);
      in_a_process(deadly, [this] { go_on(kept); });
      try {
        EXPECT_GE(whole_frames(), kept) << "write " << deadly << " of " << all;
        go_on(kept);
        EXPECT_EQ(whole_frames(), kept + 2) << "write " << deadly << " of " << all;
      } catch (const std::exception& error) {
        ADD_FAILURE() << "write " << deadly << " of " << all << ": " << error.what();
      }
    }
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
    expect_same_for_ovito(file, steps.size());
    expect_whole_results(file, steps.size());
    for (std::size_t i = 0; i < steps.size(); ++i) {
      if (i > 0 && steps[i] == 0.0) return static_cast<int>(i);  // was being dropped
      const Frame frame = sample_frame(start_, static_cast<int>(i));
      EXPECT_EQ(steps[i], static_cast<double>(frame.step));
      for (std::size_t k = 0; k < row; ++k) {
        EXPECT_EQ(positions[i * row + k], frame.position[k / 3][k % 3]) << "frame " << i;
        EXPECT_EQ(forces[i * row + k], frame.force[k / 3][k % 3]) << "frame " << i;
      }
    }
    return static_cast<int>(steps.size());
  }

  /// The group /AMBER has those frames too, whole.
  void expect_same_for_ovito(const ReadFile& file, std::size_t count) const {
    EXPECT_EQ(file.values("/AMBER/frame").data.size(), count);
    const auto lengths = file.values("/AMBER/cell_lengths").data;
    ASSERT_GE(lengths.size(), 3 * count);
    for (std::size_t i = 0; i < 3 * count; ++i) {
      const double edge = start_.box.periodic[i % 3] ? start_.box.edges[i % 3] : 0.0;
      if (lengths[i] != edge) {
        EXPECT_EQ(file.values("/AMBER/frame").data[i / 3], 0.0) << "not being dropped";
      }
    }
  }

  /// Those of the frames that the file has, each as it was written, and no sample of the series
  /// missing.
  void expect_whole_results(const ReadFile& file, std::size_t count) const {
    const std::string table = "/observables/radial-distribution/table/";
    if (!file.has("/observables/radial-distribution")) return;  // of a file that did not know them
    EXPECT_GE(file.values("/observables/radial-distribution/value").data.size(), count);
    const auto steps = file.values(table + "step").data;
    const auto values = file.values(table + "value").data;
    ASSERT_GE(values.size(), 6 * steps.size());
    for (std::size_t row = 0; row < steps.size(); ++row) {
      if (row > 0 && steps[row] == 0.0) break;  // was being dropped
      const auto expected = sample_results(static_cast<int>(steps[row]) / 10).front();
      for (std::size_t k = 0; k < 6; ++k) {
        EXPECT_EQ(values[6 * row + k], expected.columns[k % 2].values[k / 2]) << steps[row];
      }
    }
    const std::string series = "/observables/pressure-tensor/table/";
    const auto samples = file.values(series + "step").data;
    const auto pressures = file.values(series + "value").data;
    ASSERT_GE(pressures.size(), 2 * samples.size());
    for (std::size_t row = 0; row < samples.size(); ++row) {
      if (row > 0 && samples[row] == 0.0) break;
      EXPECT_EQ(samples[row], 4.0 * static_cast<double>(row));
      EXPECT_EQ(pressures[2 * row], std::sin(samples[row]));
    }
    const std::size_t least = count > 1 && knew_them_ ? (count - 2) / results_every + 1 : 0;
    EXPECT_GE(steps.size(), least);
  }

  static constexpr int results_every = 3;
  bool knew_them_ = true;  ///< from its first frame on
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

TEST_F(KilledWriter, WhoResumesLosesNothingThatWasToBeKept) { expect_all_kept(header()); }

/// A file that knew no observables gets their place when it is gone on with.
TEST_F(KilledWriter, WhoResumesWithObservablesOfItsOwnLosesNothingEither) {
  TrajectoryHeader none = header();
  none.observables.clear();
  knew_them_ = false;
  expect_all_kept(none);
}

}  // namespace
}  // namespace pencilbox::testing
