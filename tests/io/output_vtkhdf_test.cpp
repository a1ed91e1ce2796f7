// The sidecar of virtual datasets: whole after every frame, and the same numbers as the H5MD files.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "io/output/file.hpp"
#include "io/output/trajectory.hpp"
#include "io/output/vtkhdf.hpp"
#include "tests/io/output_support.hpp"
#include "tests/io/sample_trajectory.hpp"

namespace pencilbox::testing {
namespace {

const std::vector<ParticleArray> vtkhdf_arrays{
    {"position", "/particles/all/position/value", 3, true, 4, true},
    {"id", "/particles/all/id/value", 1, false, 4, true},
    {"species", "/particles/all/species", 1, false, 4, false},
};

VtkhdfSources one_file() {
  return {0, [](std::size_t) { return std::string("trajectory.h5md"); }};
}

void append(VtkhdfWriter& writer, int first, int last) {
  std::vector<FramePlace> frames;
  for (int i = first; i < last; ++i) frames.push_back({"trajectory.h5md", i, 0.5 * i});
  writer.append(frames);
}

/// As many times as NSteps says: VTK reads the one into memory for the other.
void expect_steps(const std::filesystem::path& path, std::size_t frames) {
  const ReadFile file(path);
  EXPECT_EQ(file.numbers("/VTKHDF/Steps", "NSteps"),
            std::vector<double>{static_cast<double>(frames)});
  const std::vector<double> times = file.values("/VTKHDF/Steps/Values").data;
  ASSERT_EQ(times.size(), frames);
  for (std::size_t i = 0; i < frames; ++i) EXPECT_EQ(times[i], 0.5 * static_cast<double>(i));
}

TEST(Vtkhdf, IsAWholeFileAfterEveryFrame) {
  const TemporaryFolder folder;
  const auto path = folder / "trajectory.vtkhdf";
  const hdf5::Lock lock;
  VtkhdfWriter writer(path, 50, vtkhdf_arrays, one_file());
  for (int frame = 0; frame < 20; ++frame) {
    // HDF5 reads a copy here: it knows the file as open.
    const auto copy = folder / ("copy" + std::to_string(frame));
    std::filesystem::copy_file(path, copy);
    expect_steps(copy, static_cast<std::size_t>(frame));
    append(writer, frame, frame + 1);
  }
  writer.close();
  expect_steps(path, 20);
  EXPECT_FALSE(std::filesystem::exists(twin_of(path)));
}

TEST(Vtkhdf, SaysWhatVtkLooksFor) {
  const TemporaryFolder folder;
  const auto path = folder / "trajectory.vtkhdf";
  const hdf5::Lock lock;
  VtkhdfWriter writer(path, 50, vtkhdf_arrays, one_file());
  append(writer, 0, 2);
  writer.close();
  const ReadFile file(path);
  EXPECT_EQ(file.numbers("/VTKHDF", "Version"), (std::vector<double>{2, 0}));
  EXPECT_EQ(file.strings("/VTKHDF", "Type"), std::vector<std::string>{"PolyData"});
  const auto expect = [&file](const std::string& name, const std::vector<double>& numbers) {
    EXPECT_EQ(file.values("/VTKHDF/" + name).data, numbers) << name;
  };
  expect("NumberOfPoints", {50});
  expect("Vertices/NumberOfCells", {50});
  expect("Vertices/NumberOfConnectivityIds", {50});
  EXPECT_EQ(file.values("/VTKHDF/Vertices/Connectivity").data.back(), 49);
  EXPECT_EQ(file.values("/VTKHDF/Vertices/Offsets").data.size(), 51U);
  for (const std::string kind : {"Lines", "Polygons", "Strips"}) {
    for (const std::string name :
         {"NumberOfCells", "NumberOfConnectivityIds", "Connectivity", "Offsets"}) {
      expect(kind + "/" + name, {0});
    }
  }
  const Values parts = file.values("/VTKHDF/Steps/NumberOfParts");
  EXPECT_EQ(parts.data, std::vector<double>(parts.data.size(), 1.0));
  const Values cells = file.values("/VTKHDF/Steps/CellOffsets");
  EXPECT_EQ(cells.shape.at(1), 4U);
  EXPECT_EQ(cells.data, std::vector<double>(cells.data.size(), 0.0));
  EXPECT_EQ(file.values("/VTKHDF/Steps/PointOffsets").data.at(3), 150);
  EXPECT_EQ(file.values("/VTKHDF/Steps/PointDataOffsets/id").data.at(3), 150);
  EXPECT_EQ(file.values("/VTKHDF/Steps/PointDataOffsets/species").data.at(3), 0);
}

TEST(Vtkhdf, IsMadeAnewWhereItIsFull) {
  const TemporaryFolder folder;
  const auto path = folder / "trajectory.vtkhdf";
  const hdf5::Lock lock;
  VtkhdfWriter writer(path, 2, vtkhdf_arrays, one_file());
  append(writer, 0, 1023);
  append(writer, 1023, 1026);
  append(writer, 1026, 5000);
  append(writer, 5000, 5001);
  writer.close();
  expect_steps(path, 5001);
  const std::vector<double> offsets = ReadFile(path).values("/VTKHDF/Steps/PointOffsets").data;
  EXPECT_EQ(offsets.size(), 8192U);
  EXPECT_EQ(offsets.back(), 2.0 * 8191);
}

/// HDF5 reads the frames of a virtual dataset that are there like others.
void expect_numbers_of_frames(const std::filesystem::path& path, const StartState& start,
                              int frames) {
  const ReadFile file(path);
  const std::size_t particles = start.id.size();
  const std::size_t rows = static_cast<std::size_t>(frames) * particles;
  const Values points = file.first_rows("/VTKHDF/Points", rows);
  const Values energy = file.first_rows("/VTKHDF/PointData/potential_energy", rows);
  ASSERT_EQ(points.data.size(), 3 * rows);
  for (std::size_t frame = 0; frame < static_cast<std::size_t>(frames); ++frame) {
    const Frame expected = sample_frame(start, static_cast<int>(frame));
    for (std::size_t i = 0; i < particles; ++i) {
      EXPECT_EQ(energy.data[frame * particles + i], expected.potential_energy[i]);
      for (std::size_t d = 0; d < 3; ++d) {
        EXPECT_EQ(points.data[(frame * particles + i) * 3 + d], expected.position[i][d]);
      }
    }
  }
  const Values species = file.values("/VTKHDF/PointData/species");
  EXPECT_EQ(species.data, (std::vector<double>{start.type.begin(), start.type.end()}));
}

class MappedFrom : public ::testing::TestWithParam<std::int64_t> {};

TEST_P(MappedFrom, TheNumbersOfTheTrajectory) {
  const TemporaryFolder folder;
  const StartState start = sample_start(2);
  TrajectoryHeader header;
  header.fields.insert(Field::potential_energy);
  header.precision = Precision::double_;
  header.split_every = GetParam();
  write_trajectory(folder / "trajectory.h5md", start, header, 7);
  expect_numbers_of_frames(folder / "trajectory.vtkhdf", start, 7);
}

INSTANTIATE_TEST_SUITE_P(Vtkhdf, MappedFrom, ::testing::Values(0, 3), [](const auto& suite) {
  return suite.param == 0 ? std::string("one_file") : std::string("split");
});

}  // namespace
}  // namespace pencilbox::testing
