// Good start files: LAMMPS data and extended XYZ.
#include <chrono>

#include <gtest/gtest.h>

#include "io/input/start_file.hpp"
#include "tests/support/temporary_folder.hpp"

namespace pencilbox::testing {
namespace {

constexpr const char* data_file = R"(LAMMPS data file via write_data, version 29 Sep 2021

3 atoms
2 atom types
0 bonds
0 extra bond per atom

-1.0 9.0 xlo xhi
0 20 ylo yhi
0 30 zlo zhi

Velocities

3 0.3 0 0
1 0.1 0 0   # the first
2 -0.2 1e-3 0

Masses

1 1
2 2.5

Atoms # atomic

3 2 8.5 1 29.999999999999996 0 -1 2
1 1 -1 0 0
2 1 9.0 -0.5 30 1 0 0
)";

TEST(LammpsData, ReadsParticlesThatAreFarAwayInAnOpenDirection) {
  const TemporaryFolder folder;
  std::string text = data_file;
  text.replace(text.find("29.999999999999996"), 18, "994299999999999996");  // looked for ever once
  StartFileRequest request;
  request.periodic = {true, true, false};
  const StartState start = read_start(folder.write("far.data", text), request);
  EXPECT_EQ(start.position.at(2)[2], 994299999999999996.0);
}

TEST(LammpsData, ReadsRowsOfAnyOrder) {
  const TemporaryFolder folder;
  const StartState start = read_start(folder.write("start.data", data_file), {});
  EXPECT_EQ(start.box.lower, (Double3{-1, 0, 0}));
  EXPECT_EQ(start.box.edges, (Double3{10, 20, 30}));
  EXPECT_TRUE(start.box.fully_periodic());
  ASSERT_EQ(start.types.size(), 2U);
  EXPECT_EQ(start.types[0].name, "A");
  EXPECT_EQ(start.types[1].name, "B");
  EXPECT_EQ(start.types[1].mass, 2.5);
  EXPECT_EQ(start.id, (std::vector<ParticleId>{1, 2, 3}));
  EXPECT_EQ(start.type, (std::vector<std::int32_t>{0, 0, 1}));
  EXPECT_EQ(start.position[0], (Double3{-1, 0, 0}));
  EXPECT_EQ(start.position[2], (Double3{8.5, 1, 29.999999999999996}));
  EXPECT_EQ(start.image[2], (std::array<std::int32_t, 3>{0, -1, 2}));
  EXPECT_EQ(start.velocity[0], (Double3{0.1, 0, 0}));
  EXPECT_EQ(start.velocity[1], (Double3{-0.2, 1e-3, 0}));
}

TEST(LammpsData, WrapsWhatIsOutsideAndMovesItsImage) {
  const TemporaryFolder folder;
  const StartState start = read_start(folder.write("start.data", data_file), {});
  // x = 9.0 is the upper corner, y = -0.5 below the lower, z = 30 the upper: one image each.
  EXPECT_EQ(start.position[1], (Double3{-1.0, 19.5, 0.0}));
  EXPECT_EQ(start.image[1], (std::array<std::int32_t, 3>{2, -1, 1}));
}

TEST(LammpsData, LeavesAnOpenDirectionAlone) {
  const TemporaryFolder folder;
  const StartState start =
      read_start(folder.write("start.data", data_file), {{false, false, false}, {}});
  EXPECT_EQ(start.position[1], (Double3{9.0, -0.5, 30.0}));
  EXPECT_EQ(start.image[1], (std::array<std::int32_t, 3>{1, 0, 0}));
  EXPECT_EQ(start.box.periodic, (Bool3{false, false, false}));
}

TEST(LammpsData, TakesNamesAndMoreTypesFromTheDeck) {
  const TemporaryFolder folder;
  const StartState start =
      read_start(folder.write("start.data", data_file),
                 {{true, true, true}, {{"argon", 1.0}, {"krypton", 2.5}, {"xenon", 4.0}}});
  ASSERT_EQ(start.types.size(), 3U);
  EXPECT_EQ(start.types[1].name, "krypton");
  EXPECT_EQ(start.types[2].mass, 4.0);
}

TEST(LammpsData, TakesTheMassFromWhoeverSaysIt) {
  const TemporaryFolder folder;
  const std::string path = folder.write("start.data", data_file).string();
  StartFileRequest names;
  names.types = {{"argon", 1.0}, {"krypton", 1.0}};
  names.mass_is_given = {false, false};
  EXPECT_EQ(read_start(path, names).types[1].mass, 2.5);
  EXPECT_EQ(read_start(path, names).types[1].name, "krypton");
}

TEST(LammpsData, NeedsNoVelocitiesNoMassesBesideADeckAndNoComment) {
  const TemporaryFolder folder;
  const StartState start =
      read_start(folder.write("start.data",
                              "title\r\n1 atoms\r\n1 atom types\r\n0 5 xlo xhi\r\n0 5 ylo yhi\r\n"
                              "0 5 zlo zhi\r\n\r\nAtoms\r\n\r\n1 1 1 2 3\r\n"),
                 {{true, true, true}, {{"A", 3.0}}});
  EXPECT_EQ(start.position[0], (Double3{1, 2, 3}));
  EXPECT_EQ(start.velocity[0], (Double3{0, 0, 0}));
  EXPECT_EQ(start.types[0].mass, 3.0);
}

TEST(Wrapping, KeepsAHairBelowTheLowerCornerInTheBox) {
  const TemporaryFolder folder;
  const StartState start =
      read_start(folder.write("a.xyz", "1\nLattice=\"10 0 0 0 10 0 0 0 10\"\nA -1e-20 5 5\n"), {});
  EXPECT_GE(start.position[0][0], 0.0);
  EXPECT_LT(start.position[0][0], 10.0);
  EXPECT_EQ(start.image[0][0], 0);
}

TEST(ExtendedXyz, ReadsEveryPropertyInAnyOrder) {
  const TemporaryFolder folder;
  const std::string text =
      "3\n"
      "Lattice=\"10.0 0 0 0 11.0 0 0 0 12.5\" Origin=\"-5 -5.5 -6.25\" pbc=\"T F T\" "
      "Properties=id:I:1:velo:R:3:pos:R:3:species:S:1 Time=0.5 title='a b' \n"
      "2 0.1 0.2 0.3 -4 -4 -4 Kr\n"
      "3 0 0 0 1 20 1 Ar\n"
      "1 -0.1 0 0 0 0 0 Ar\n"
      "3\nanother frame\n";
  const StartState start = read_start(folder.write("start.xyz", text), {{true, false, true}, {}});
  EXPECT_EQ(start.box.lower, (Double3{-5, -5.5, -6.25}));
  EXPECT_EQ(start.box.edges, (Double3{10, 11, 12.5}));
  ASSERT_EQ(start.types.size(), 2U);
  EXPECT_EQ(start.types[0].name, "Kr");
  EXPECT_EQ(start.types[1].name, "Ar");
  EXPECT_EQ(start.type, (std::vector<std::int32_t>{1, 0, 1}));
  EXPECT_EQ(start.position[1], (Double3{-4, -4, -4}));
  EXPECT_EQ(start.position[2], (Double3{1, 20, 1}));  // y is open
  EXPECT_EQ(start.velocity[1], (Double3{0.1, 0.2, 0.3}));
  EXPECT_EQ(start.velocity[0], (Double3{-0.1, 0, 0}));
}

TEST(ExtendedXyz, TakesTypesFromTheDeckAndIdsFromTheOrder) {
  const TemporaryFolder folder;
  const std::string text = "2\nLattice=\"5 0 0 0 5 0 0 0 5\"\nB 1 1 1\nA 2 2 2\n";
  // Without an ending the content tells.
  const StartState start =
      read_start(folder.write("frame", text), {{true, true, true}, {{"A", 1.0}, {"B", 2.0}}});
  EXPECT_EQ(start.type, (std::vector<std::int32_t>{1, 0}));
  EXPECT_EQ(start.id, (std::vector<ParticleId>{1, 2}));
  EXPECT_EQ(start.types[1].mass, 2.0);
}

TEST(StartFile, TellsLammpsFromXyzByContent) {
  const TemporaryFolder folder;
  EXPECT_EQ(read_start(folder.write("data.melt", data_file), {}).size(), 3);
}

TEST(StartFile, ReadsAQuarterOfAMillionAtomsQuickly) {
  std::string text = "250047\nLattice=\"63 0 0 0 63 0 0 0 63\" Properties=species:S:1:pos:R:3\n";
  for (int z = 0; z < 63; ++z) {
    for (int y = 0; y < 63; ++y) {
      for (int x = 0; x < 63; ++x) {
        text += "A " + std::to_string(x) + ".123456789012 " + std::to_string(y) + ".123456789012 " +
                std::to_string(z) + ".123456789012\n";
      }
    }
  }
  const TemporaryFolder folder;
  const auto path = folder.write("large.xyz", text);
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(read_start(path, {}).size(), 250047);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  EXPECT_LT(seconds.count(), 10.0);  // what it takes is 0.1 s; sanitizers and busy machines more
  RecordProperty("seconds", std::to_string(seconds.count()));
}

}  // namespace
}  // namespace pencilbox::testing
