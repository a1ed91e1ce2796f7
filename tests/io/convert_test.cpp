// Frames as texts: what is written is a start file again, with the same particles.
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.hpp"
#include "io/convert/elements.hpp"
#include "io/convert/texts.hpp"
#include "io/convert/trajectory_reader.hpp"
#include "io/input/start_file.hpp"
#include "io/output/trajectory.hpp"
#include "tests/io/foreign_hdf5.hpp"
#include "tests/io/output_support.hpp"
#include "tests/io/sample_trajectory.hpp"

namespace pencilbox::testing {
namespace {

using ::testing::HasSubstr;

TrajectoryHeader header(Precision precision, std::int64_t split_every = 0) {
  TrajectoryHeader header;
  for (const Field field : {Field::velocity, Field::image}) header.fields.insert(field);
  header.precision = precision;
  header.version = "1";
  header.split_every = split_every;
  return header;
}

class Converted : public ::testing::TestWithParam<Precision> {
 protected:
  Converted() {
    start_.box.periodic = {true, false, true};
    write_trajectory(path(), start_, header(GetParam()), 3);
  }

  std::filesystem::path path() const { return folder_ / "trajectory.h5md"; }
  StoredFrame frame(int number) const { return TrajectoryReader(path()).read(number); }

  StartState read_again(const std::string& text, const char* name) const {
    return parse_start(text, name, {start_.box.periodic});
  }

  double stored(double value) const { return as_stored(value, GetParam()); }

  TemporaryFolder folder_;
  StartState start_ = sample_start(3);
};

void expect_same_types(const StartState& a, const StartState& b) {
  EXPECT_EQ(a.type, b.type);
  ASSERT_EQ(a.types.size(), b.types.size());
  for (std::size_t i = 0; i < a.types.size(); ++i) {
    EXPECT_EQ(a.types[i].mass, b.types[i].mass);
  }
}

/// An XYZ file knows types by name; their order is the deck's, or that in which they come.
std::vector<std::pair<std::string, double>> types_of_particles(const StartState& state) {
  std::vector<std::pair<std::string, double>> types;
  for (const std::int32_t type : state.type) {
    const ParticleType& named = state.types[static_cast<std::size_t>(type)];
    types.emplace_back(named.name, named.mass);
  }
  return types;
}

TEST_P(Converted, AFrameIsWhatTheFileHolds) {
  const StoredFrame read = frame(2);
  const Frame written = sample_frame(start_, 2);
  EXPECT_EQ(read.step, written.step);
  EXPECT_EQ(read.time, written.time);
  EXPECT_EQ(read.state.box.edges, start_.box.edges);
  EXPECT_EQ(read.state.box.lower, start_.box.lower);
  EXPECT_EQ(read.state.box.periodic, start_.box.periodic);
  EXPECT_EQ(read.state.id, start_.id);
  EXPECT_EQ(read.state.image, written.image);
  EXPECT_EQ(read.state.types[1].name, "krypton");
  expect_same_types(read.state, start_);
  for (std::size_t i = 0; i < written.position.size(); ++i) {
    for (std::size_t d = 0; d < 3; ++d) {
      EXPECT_EQ(read.state.position[i][d], stored(written.position[i][d]));
      EXPECT_EQ(read.state.velocity[i][d], stored(written.velocity[i][d]));
    }
  }
}

TEST_P(Converted, ExtendedXyzIsTheSameStartAgain) {
  const StoredFrame read = frame(1);
  const StartState again = read_again(extended_xyz(read), "a.extxyz");
  EXPECT_EQ(again.position, read.state.position);
  EXPECT_EQ(again.velocity, read.state.velocity);
  EXPECT_EQ(again.image, read.state.image);
  EXPECT_EQ(again.box.edges, read.state.box.edges);
  EXPECT_EQ(again.box.lower, read.state.box.lower);
  EXPECT_EQ(types_of_particles(again), types_of_particles(read.state));
  const StartState with_deck =
      parse_start(extended_xyz(read), "a.extxyz", {start_.box.periodic, start_.types});
  expect_same_types(with_deck, read.state);
}

TEST_P(Converted, LammpsDataIsTheSameStartAgain) {
  const StoredFrame read = frame(1);
  const StartState again = read_again(lammps_data(read), "a.data");
  EXPECT_EQ(again.position, read.state.position);
  EXPECT_EQ(again.velocity, read.state.velocity);
  EXPECT_EQ(again.image, read.state.image);
  EXPECT_EQ(again.box.lower, read.state.box.lower);
  for (std::size_t d = 0; d < 3; ++d) {
    EXPECT_DOUBLE_EQ(again.box.edges[d], read.state.box.edges[d]);
  }
  expect_same_types(again, read.state);
}

TEST_P(Converted, PlainXyzKeepsPositionsAndSpecies) {
  const StoredFrame read = frame(1);
  const std::string text = plain_xyz(read);
  const StartState again = read_again(text, "a.xyz");
  EXPECT_EQ(again.position, read.state.position);
  for (std::size_t i = 0; i < again.type.size(); ++i) {
    EXPECT_EQ(types_of_particles(again)[i].first, types_of_particles(read.state)[i].first);
  }
  EXPECT_THAT(text, HasSubstr("\nargon "));
}

INSTANTIATE_TEST_SUITE_P(Convert, Converted,
                         ::testing::Values(Precision::single, Precision::double_),
                         [](const auto& suite) { return std::string(name_of(suite.param)); });

TEST(Convert, ReadsATrajectoryInSeveralFiles) {
  const TemporaryFolder folder;
  const StartState start = sample_start(1);
  write_trajectory(folder / "trajectory.h5md", start, header(Precision::double_, 2), 5);
  const TrajectoryReader trajectory(folder / "trajectory.h5md");
  ASSERT_EQ(trajectory.frames(), 5);
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(trajectory.read(i).step, 10 * i);
    EXPECT_EQ(trajectory.read(i).state.position, sample_frame(start, i).position);
  }
}

TEST(Convert, PutsWhatRoundingMovedToTheUpperFaceAtTheLowerOne) {
  const TemporaryFolder folder;
  const StartState start = sample_start(1);
  TrajectoryWriter writer(folder / "trajectory.h5md", start, header(Precision::double_));
  Frame frame = sample_frame(start, 0);
  const double upper = start.box.lower[0] + start.box.edges[0];
  frame.position[0][0] = upper;
  frame.image[0][0] = 4;
  writer.append(pack(frame), sample_observation(start, 0));
  writer.close();
  const StoredFrame read = TrajectoryReader(folder / "trajectory.h5md").read(0);
  EXPECT_EQ(read.state.position[0][0], upper - start.box.edges[0]);
  EXPECT_EQ(read.state.image[0][0], 5);
  EXPECT_EQ(read.state.image[1], frame.image[1]);
}

TEST(Convert, ATrajectoryWithoutVelocitiesGivesNone) {
  const TemporaryFolder folder;
  const StartState start = sample_start(1);
  TrajectoryHeader positions_only;
  positions_only.version = "1";
  write_trajectory(folder / "trajectory.h5md", start, positions_only, 1);
  const StoredFrame read = TrajectoryReader(folder / "trajectory.h5md").read(0);
  EXPECT_EQ(extended_xyz(read).find("velo"), std::string::npos);
  EXPECT_EQ(extended_xyz(read).find("image"), std::string::npos);
  EXPECT_EQ(lammps_data(read).find("Velocities"), std::string::npos);
  EXPECT_EQ(parse_start(extended_xyz(read), "a.xyz", {}).position, read.state.position);
  EXPECT_EQ(parse_start(lammps_data(read), "a.data", {}).position, read.state.position);
}

TEST(Convert, RefusesWhatIsNoTrajectory) {
  const TemporaryFolder folder;
  EXPECT_THROW(TrajectoryReader(folder / "trajectory.h5md"), InputError);
  std::ofstream(folder / "trajectory.h5md") << "no HDF5";
  EXPECT_THROW(TrajectoryReader(folder / "trajectory.h5md"), InputError);
}

TEST(Convert, RefusesWhatNoRunHasWritten) {
  const TemporaryFolder folder;
  const auto path = folder / "trajectory.h5md";
  const auto refusal = [&path] {
    try {
      (void)TrajectoryReader(path).read(0);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  const auto anew = [&path] {
    std::filesystem::remove(path);
    write_trajectory(path, sample_start(1), header(Precision::double_), 2);
  };
  const std::string all = "particles/all/";
  for (const auto& [name, shape] :
       std::vector<std::pair<std::string, hdf5::Shape>>{{"position/step", {2, 3}},
                                                        {"position/time", {2, 3}},
                                                        {"position/value", {2, 4, 4}},
                                                        {"velocity/value", {2, 5, 3}},
                                                        {"box/edges/value", {2, 4, 4}},
                                                        {"species", {5}},
                                                        {"mass", {4, 2}}}) {
    anew();
    replace_dataset(path, all + name, shape);
    EXPECT_THAT(refusal(), HasSubstr("no trajectory that can be read: ")) << name;
  }
  anew();
  replace_number(path, all + "box/edges/value", {0, 0, 0}, -9.0);
  EXPECT_THAT(refusal(), HasSubstr("its box has no side, but -9"));
  anew();
  replace_number(path, all + "position/value", {0, 0, 0}, 1e9);
  EXPECT_THAT(refusal(), HasSubstr("particle 1 lies outside its periodic box"));
  anew();
  EXPECT_EQ(refusal(), "no error");
}

TEST(ExtendedXyz, RefusesImagesAndMassesThatCannotBe) {
  const auto refusal = [](const std::string& rows, const std::vector<ParticleType>& types = {}) {
    const std::string head =
        "2\nLattice=\"9 0 0 0 9 0 0 0 9\" Properties=species:S:1:pos:R:3:image:I:3:masses:R:1\n";
    try {
      parse_start(head + rows, "a.xyz", {{true, true, true}, types});
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  EXPECT_EQ(refusal("A 1 1 1 0 -3 1000000000 2\nA 2 2 2 0 0 0 2\n"), "no error");
  EXPECT_THAT(refusal("A 1 1 1 0 0 2147483648 2\nA 2 2 2 0 0 0 2\n"),
              HasSubstr("a.xyz:3: image: out of range, got 2147483648"));
  EXPECT_THAT(refusal("A 1 1 1 0 0 0.5 2\nA 2 2 2 0 0 0 2\n"), HasSubstr("image: not an integer"));
  EXPECT_THAT(refusal("A 1 1 1 0 0 0 2\nA 2 2 2 0 0 0 3\n"),
              HasSubstr("a.xyz:4: masses: another mass of one species, got mass 3 of type A"));
  EXPECT_THAT(refusal("A 1 1 1 0 0 0 0\nA 2 2 2 0 0 0 0\n"), HasSubstr("masses: out of range"));
  EXPECT_THAT(refusal("A 1 1 1 0 0 0 2\nA 2 2 2 0 0 0 2\n", {{"A", 1.0}}),
              HasSubstr("masses: disagrees with the deck"));
}

TEST(Elements, AreThoseOfThePeriodicTable) {
  for (const char* symbol : {"H", "He", "Ar", "Kr", "Og", "U"}) EXPECT_TRUE(is_element(symbol));
  for (const char* word : {"", "A", "AR", "ar", "Xx", " ", "H ", "He Li", "rg"}) {
    EXPECT_FALSE(is_element(word)) << word;
  }
}

}  // namespace
}  // namespace pencilbox::testing
