// What observables found, in the trajectory: as H5MD's elements that change with time, at each
// checkpoint and at the end.
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

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class TrajectoryResults : public ::testing::Test {
 protected:
  std::filesystem::path path() const { return folder_ / "trajectory.h5md"; }

  static TrajectoryHeader header() {
    TrajectoryHeader header;
    header.version = "1.2.3";
    header.observables = sample_results(0);
    return header;
  }
  void append_frame(TrajectoryWriter& writer, int i) const {
    writer.append(pack(sample_frame(start_, i)), sample_observation(start_, i));
  }
  static void append_results(TrajectoryWriter& writer, int i) {
    writer.append_results(10 * i, 0.1 * i, sample_results(i));
  }
  void write(const TrajectoryHeader& header) const {
    TrajectoryWriter writer(path(), start_, header);
    for (int i = 0; i < 4; ++i) {
      append_frame(writer, i);
      if (i == 1) append_results(writer, i);
    }
    append_results(writer, 3);
    append_results(writer, 3);  // a run that ends with a checkpoint asks twice
    writer.close();
  }

  std::vector<std::string> names(const std::string& name) const {
    const hdf5::Lock lock;
    const hdf5::File file = hdf5::File::open_to_read(path());
    const hdf5::Dataset dataset = hdf5::Dataset::open(file.id(), name);
    const hdf5::Type type = hdf5::Type::of_dataset(dataset.id());
    const std::size_t length = H5Tget_size(type.id());
    std::string packed(dataset.shape().at(0) * length, '\0');
    dataset.read(type.id(), packed.data(), dataset.shape().at(0));
    std::vector<std::string> names;
    for (std::size_t k = 0; k < packed.size(); k += length) {
      names.emplace_back(packed.substr(k, length).c_str());
    }
    return names;
  }

  TemporaryFolder folder_;
  StartState start_ = sample_start(2);
};

TEST_F(TrajectoryResults, AreTablesAndNumbersWithStepAndTime) {
  write(header());
  const std::string g = "/observables/radial-distribution";
  EXPECT_THAT(names(g + "/table/columns"), ElementsAre("r", "g"));
  EXPECT_THAT(names(g + "/numbers/columns"), ElementsAre("highest_g"));
  const ReadFile file(path());
  EXPECT_EQ(file.values(g + "/table/value").shape, (std::vector<hsize_t>{2, 3, 2}));
  EXPECT_THAT(file.values(g + "/table/value").data,
              ElementsAre(0.5, 0.0, 1.5, 2.0, 2.5, 0.9 - 1, 0.5, 0.0, 1.5, 4.0, 2.5, 0.9 - 3));
  EXPECT_THAT(file.values(g + "/table/step").data, ElementsAre(10, 30));
  EXPECT_THAT(file.values(g + "/table/time").data, ElementsAre(0.1, 0.1 * 3));
  EXPECT_THAT(file.values(g + "/numbers/value").data, ElementsAre(2.0, 4.0));
}

TEST_F(TrajectoryResults, OfATimeSeriesAreARowForEachSample) {
  write(header());
  const std::string p = "/observables/pressure-tensor";
  EXPECT_THAT(names(p + "/table/columns"), ElementsAre("pressure", "mean_pressure"));
  const ReadFile file(path());
  EXPECT_THAT(file.values(p + "/table/step").data, ElementsAre(0, 4, 8, 12, 16, 20, 24, 28));
  const auto values = file.values(p + "/table/value");
  EXPECT_EQ(values.shape, (std::vector<hsize_t>{8, 2}));
  for (std::size_t row = 0; row < 8; ++row) {
    const double step = 4.0 * static_cast<double>(row);
    EXPECT_EQ(values.data[2 * row], std::sin(step));
    EXPECT_EQ(values.data[2 * row + 1], std::cos(step));
    EXPECT_EQ(file.values(p + "/table/time").data[row], 0.01 * step);
  }
  EXPECT_THAT(file.values(p + "/numbers/step").data, ElementsAre(10, 30));
}

/// MDAnalysis looks for `value` in all that lies below /observables, with an entry for each frame.
TEST_F(TrajectoryResults, HaveAnEntryForEachFrame) {
  write(header());
  const ReadFile file(path());
  for (const std::string name : {"radial-distribution", "pressure-tensor"}) {
    const std::string group = "/observables/" + name;
    EXPECT_THAT(file.values(group + "/value").data, ElementsAre(0, 0, 1, 1)) << name;
    for (const std::string counter : {"/step", "/time"}) {
      EXPECT_EQ(file.address(group + counter), file.address("/particles/all/position" + counter));
    }
  }
}

TEST_F(TrajectoryResults, OfSplitFilesAreInTheOneThatGrows) {
  TrajectoryHeader split = header();
  split.split_every = 2;
  write(split);
  const ReadFile first(split_path(path(), 0)), second(split_path(path(), 1));
  const std::string series = "/observables/pressure-tensor/table/step";
  EXPECT_THAT(first.values(series).data, ElementsAre(0, 4, 8));
  EXPECT_THAT(second.values(series).data, ElementsAre(12, 16, 20, 24, 28));
}

TEST_F(TrajectoryResults, GetAPlaceInAFileThatKnewNone) {
  TrajectoryHeader none = header();
  none.observables.clear();
  {
    TrajectoryWriter writer(path(), start_, none);
    for (int i = 0; i < 3; ++i) append_frame(writer, i);
    writer.close();
  }
  TrajectoryWriter writer = TrajectoryWriter::resume(path(), start_, header(), 15);
  append_frame(writer, 2);
  append_results(writer, 2);
  writer.close();
  const ReadFile file(path());
  EXPECT_THAT(file.values("/observables/radial-distribution/value").data, ElementsAre(0, 0, 0));
  EXPECT_THAT(file.values("/observables/radial-distribution/table/step").data, ElementsAre(20));
}

TEST_F(TrajectoryResults, OfAnotherShapeAreRefusedAndNothingChanges) {
  write(header());
  const std::string before = read_text(path());
  TrajectoryHeader other = header();
  for (ObservableColumn& column : other.observables.front().columns) column.values.pop_back();
  try {
    TrajectoryWriter::resume(path(), start_, other, 30);
    FAIL() << "not refused";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("shape of a row of radial-distribution/table: the file has "
                                        "[3, 2], this run [2, 2]"));
  }
  EXPECT_EQ(read_text(path()), before);
}

}  // namespace
}  // namespace pencilbox::testing
