// Going on with a trajectory that is there: in one file and in several, after a whole run and after
// a killed one; and what is refused.
#include <algorithm>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.hpp"
#include "io/output/hdf5.hpp"
#include "io/output/trajectory.hpp"
#include "io/output/trajectory_files.hpp"
#include "tests/io/output_support.hpp"
#include "tests/support/texts.hpp"

namespace pencilbox::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr int steps_between_frames = 10;  // of sample_frame

TrajectoryHeader header_with_results(std::int64_t split_every) {
  TrajectoryHeader header;
  for (const Field field : {Field::velocity, Field::image, Field::id}) header.fields.insert(field);
  header.precision = Precision::single;
  header.version = "1.2.3";
  header.split_every = split_every;
  header.observables = sample_results(0);
  return header;
}

void append_with_results(TrajectoryWriter& writer, const StartState& start, int first, int last) {
  for (int i = first; i < last; ++i) {
    writer.append(pack(sample_frame(start, i)), sample_observation(start, i));
    if (i % 2 == 1) writer.append_results(10 * i, 0.1 * i, sample_results(i));
  }
}

void write_with_results(const std::filesystem::path& path, const StartState& start,
                        const TrajectoryHeader& header, int frames) {
  TrajectoryWriter writer(path, start, header);
  append_with_results(writer, start, 0, frames);
  writer.close();
}

/// What a reader sees of a dataset of all files, one behind the other.
std::vector<double> values(const std::filesystem::path& path, std::int64_t split_every,
                           const std::string& name) {
  if (split_every == 0) return ReadFile(path).values(name).data;
  std::vector<double> all;
  for (std::size_t number = 0; std::filesystem::exists(split_path(path, number)); ++number) {
    const std::vector<double> part = ReadFile(split_path(path, number)).values(name).data;
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

class Resumed : public ::testing::TestWithParam<std::int64_t> {
 protected:
  std::filesystem::path path() const { return folder_ / "trajectory.h5md"; }

  /// The files hold what one run of `frames` frames writes, and so does the sidecar.
  void expect_as_one_run(int frames) const {
    const TemporaryFolder other;
    const auto whole = other / "trajectory.h5md";
    write_with_results(whole, start_, header_with_results(GetParam()), frames);
    for (const std::string name : {"/particles/all/position/value",
                                   "/particles/all/position/step",
                                   "/particles/all/velocity/value",
                                   "/particles/all/velocity/time",
                                   "/particles/all/image/value",
                                   "/particles/all/id/value",
                                   "/particles/all/box/edges/value",
                                   "/AMBER/coordinates",
                                   "/AMBER/cell_lengths",
                                   "/AMBER/cell_angles",
                                   "/AMBER/cell_origin",
                                   "/observables/temperature/value",
                                   "/observables/total_energy/value",
                                   "/observables/radial-distribution/value",
                                   "/observables/radial-distribution/step",
                                   "/observables/radial-distribution/table/value",
                                   "/observables/radial-distribution/table/step",
                                   "/observables/radial-distribution/numbers/value",
                                   "/observables/pressure-tensor/table/value",
                                   "/observables/pressure-tensor/table/step",
                                   "/observables/pressure-tensor/table/time",
                                   "/observables/pressure-tensor/numbers/value",
                                   "/observables/pressure-tensor/numbers/step"}) {
      EXPECT_EQ(values(path(), GetParam(), name), values(whole, GetParam(), name)) << name;
    }
    EXPECT_EQ(read_text(folder_ / "trajectory.xmf2"), read_text(other / "trajectory.xmf2"));
    EXPECT_EQ(trajectory_outputs(path()).size(), trajectory_outputs(whole).size());
  }

  TemporaryFolder folder_;
  StartState start_ = sample_start(3);
};

TEST_P(Resumed, DropsWhatIsLaterAndGoesOn) {
  for (const int kept : {0, 1, 3, 4, 5, 7, 8}) {
    write_with_results(path(), start_, header_with_results(GetParam()), 8);
    // A step between two frames, too: the checkpoint need not be a frame's.
    const std::int64_t step = (kept - 1) * steps_between_frames + 4;
    TrajectoryWriter writer =
        TrajectoryWriter::resume(path(), start_, header_with_results(GetParam()), step);
    EXPECT_EQ(writer.last_step(), kept == 0 ? -1 : (kept - 1) * steps_between_frames);
    append_with_results(writer, start_, kept, 10);
    writer.close();
    expect_as_one_run(10);
    for (const auto& file : trajectory_outputs(path())) std::filesystem::remove(file);
  }
}

TEST_P(Resumed, AddsNothingOfItsOwn) {
  write_with_results(path(), start_, header_with_results(GetParam()), 5);
  TrajectoryWriter::resume(path(), start_, header_with_results(GetParam()), 1000).close();
  expect_as_one_run(5);
}

/// Lengthens a dataset of the file that grew last by a row, as a kill between two flushes does.
void lengthen(const std::filesystem::path& path, const std::string& name) {
  const hdf5::Lock lock;
  hdf5::File file = hdf5::File::open(path);
  hdf5::Dataset dataset = hdf5::Dataset::open(file.id(), name);
  hdf5::Shape row = dataset.shape();
  const hsize_t rows = row.at(0);
  row.erase(row.begin());
  dataset.set_rows(rows + 1, row);
}

TEST_P(Resumed, ForgetsAFrameThatIsNotComplete) {
  write_with_results(path(), start_, header_with_results(GetParam()), 5);
  const auto last = GetParam() == 0 ? path() : split_path(path(), 1);
  for (const std::string name : {"position/value", "velocity/value", "id/value"}) {
    lengthen(last, "particles/all/" + name);
  }
  lengthen(last, "observables/temperature/value");
  lengthen(last, "AMBER/cell_lengths");
  TrajectoryWriter writer =
      TrajectoryWriter::resume(path(), start_, header_with_results(GetParam()), 1000);
  EXPECT_EQ(writer.last_step(), 4 * steps_between_frames);
  append_with_results(writer, start_, 5, 7);
  writer.close();
  expect_as_one_run(7);
}

TEST_P(Resumed, GoesOnWithAFileOfAVersionThatKnewNoAmber) {
  write_with_results(path(), start_, header_with_results(GetParam()), 3);
  const auto file = GetParam() == 0 ? path() : split_path(path(), 0);
  {
    const hdf5::Lock lock;
    const hdf5::File older = hdf5::File::open(file);
    ASSERT_GE(H5Ldelete(older.id(), "AMBER", H5P_DEFAULT), 0);
  }
  TrajectoryWriter writer =
      TrajectoryWriter::resume(path(), start_, header_with_results(GetParam()), 14);
  append_with_results(writer, start_, 2, 3);
  writer.close();
  EXPECT_FALSE(ReadFile(file).has("/AMBER"));
  EXPECT_EQ(ReadFile(file).values("/particles/all/position/step").data,
            (std::vector<double>{0, 10, 20}));
}

INSTANTIATE_TEST_SUITE_P(Trajectory, Resumed, ::testing::Values(0, 3), [](const auto& suite) {
  return suite.param == 0 ? std::string("one_file") : std::string("split");
});

/// The line that resume() throws, after a run with header_with_results().
std::string refusal(const std::filesystem::path& path, const StartState& start,
                    const TrajectoryHeader& header) {
  try {
    TrajectoryWriter::resume(path, start, header, 1000);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(TrajectoryResume, RefusesAnotherRunAndNamesBothValues) {
  const TemporaryFolder folder;
  const auto path = folder / "trajectory.h5md";
  const StartState start = sample_start(3);
  const TrajectoryHeader header = header_with_results(0);
  write_with_results(path, start, header, 3);
  const std::string before = read_text(path);

  const auto expect = [&](const StartState& other, const TrajectoryHeader& asked,
                          const std::string& what) {
    const std::string text = refusal(path, other, asked);
    EXPECT_THAT(text, AllOf(HasSubstr("trajectory.h5md: cannot be continued: "), HasSubstr(what)));
    EXPECT_EQ(text.find('\n'), std::string::npos);
  };
  expect(sample_start(2), header, "number of particles: the file has [108], this run [32]");
  StartState other = start;
  other.id.back() = 1000;
  expect(other, header, "id of row 107: the file has 108, this run 1000");
  other = start;
  other.type[5] = 1 - other.type[5];
  expect(other, header, "type of row 5: the file has 0, this run 1");
  other = start;
  other.types[1].name = "xenon";
  expect(other, header, "[\"argon\", \"krypton\"], this run [\"argon\", \"xenon\"]");
  other = start;
  other.box.lower[1] = 7.5;
  expect(other, header, "origin of the box: the file has [-3.25, 2.5, 101], this run [-3.25, 7.5");
  other = start;
  other.box.periodic[2] = false;
  expect(other, header, "boundary: ");
  TrajectoryHeader asked = header;
  asked.precision = Precision::double_;
  expect(start, asked, "precision: the file has [\"single\"], this run [\"double\"]");
  asked = header;
  asked.fields.insert(Field::force);
  expect(start, asked, "fields: the file has [\"position\", \"velocity\", \"image\", \"id\"]");
  EXPECT_EQ(read_text(path), before);
}

TEST(TrajectoryResume, RefusesWhatIsNoTrajectory) {
  const TemporaryFolder folder;
  const auto path = folder / "trajectory.h5md";
  const StartState start = sample_start(2);
  EXPECT_THAT(refusal(path, start, header_with_results(0)), HasSubstr("no such file"));
  EXPECT_THAT(refusal(path, start, header_with_results(4)), HasSubstr("trajectory-0000.h5md"));

  write_with_results(path, start, header_with_results(0), 3);
  const std::string whole = read_text(path);
  for (const std::size_t size : {std::size_t{0}, std::size_t{100}, whole.size() / 2}) {
    std::filesystem::resize_file(path, size);
    const std::string text = refusal(path, start, header_with_results(0));
    EXPECT_THAT(text, HasSubstr("cannot be continued: cannot open")) << size;
    EXPECT_EQ(text.find('\n'), std::string::npos);
  }
  { const auto file = hdf5::File::create(path); }
  EXPECT_THAT(refusal(path, start, header_with_results(0)), HasSubstr("cannot be continued: "));
}

TEST(TrajectoryResume, RefusesFilesThatDoNotFollowEachOther) {
  const TemporaryFolder folder;
  const auto path = folder / "trajectory.h5md";
  const StartState start = sample_start(2);
  write_with_results(path, start, header_with_results(3), 9);
  std::filesystem::copy_file(split_path(path, 0), split_path(path, 1),
                             std::filesystem::copy_options::overwrite_existing);
  EXPECT_THAT(refusal(path, start, header_with_results(3)),
              AllOf(HasSubstr("trajectory-0001.h5md"), HasSubstr("does not follow")));
}

TEST(TrajectoryResume, RemovesWhatAKillLeftOfTheNextFile) {
  const TemporaryFolder folder;
  const auto path = folder / "trajectory.h5md";
  write_with_results(path, sample_start(2), header_with_results(2), 5);
  const auto twin = folder / ".trajectory-0003.h5md.next";
  std::filesystem::copy_file(split_path(path, 0), twin);
  EXPECT_EQ(trajectory_outputs(path).size(), 6U);
  TrajectoryWriter::resume(path, sample_start(2), header_with_results(2), 1000).close();
  EXPECT_FALSE(std::filesystem::exists(twin));
}

TEST(TrajectoryResume, KnowsEveryFileOfATrajectory) {
  const TemporaryFolder folder;
  const auto path = folder / "trajectory.h5md";
  EXPECT_TRUE(trajectory_outputs(path).empty());
  write_with_results(path, sample_start(2), header_with_results(2), 5);
  const std::vector<std::filesystem::path> outputs = trajectory_outputs(path);
  for (const std::string name : {"trajectory-0000.h5md", "trajectory-0001.h5md",
                                 "trajectory-0002.h5md", "trajectory.xmf2"}) {
    EXPECT_EQ(std::count(outputs.begin(), outputs.end(), folder / name), 1) << name;
  }
}

}  // namespace
}  // namespace pencilbox::testing
