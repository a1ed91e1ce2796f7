// Start files that a run has left: a checkpoint, and every frame of a trajectory. What they hold is
// taken to the bit, and what they lack or what is broken is told.
#include <cmath>
#include <filesystem>

#include <gtest/gtest.h>

#include "core/memory_limit.hpp"
#include "io/checkpoint/checkpoint_file.hpp"
#include "io/input/deck.hpp"
#include "io/input/start_file.hpp"
#include "io/output/hdf5.hpp"
#include "io/output/trajectory.hpp"
#include "tests/io/foreign_hdf5.hpp"
#include "tests/io/input_support.hpp"
#include "tests/io/output_support.hpp"
#include "tests/io/sample_trajectory.hpp"
#include "tests/support/texts.hpp"

namespace pencilbox::testing {
namespace {

namespace fs = std::filesystem;

FieldSet fields_of_a_start() {
  FieldSet fields;
  for (const Field field : {Field::position, Field::velocity, Field::image}) fields.insert(field);
  return fields;
}

fs::path write_three_frames(const fs::path& path, const StartState& start,
                            Precision precision = Precision::double_,
                            const FieldSet& fields = fields_of_a_start(),
                            std::int64_t split_every = 0) {
  TrajectoryHeader header;
  header.fields = fields;
  header.precision = precision;
  header.version = "1.2.3";
  header.deck = "a: 1\n";
  header.backend = "green";
  header.device = "host";
  header.split_every = split_every;
  write_trajectory(path, start, header, 3);
  return path;
}

StartFileRequest frame(std::int64_t number) {
  StartFileRequest request;
  request.frame = number;
  return request;
}

std::string refusal_of_start(const fs::path& path, const StartFileRequest& request = {}) {
  return error_of([&] { (void)read_start(path, request); });
}

void expect_mention(const std::string& line, const std::vector<std::string>& parts) {
  for (const std::string& part : parts) {
    EXPECT_NE(line.find(part), std::string::npos) << part << " in " << line;
  }
  EXPECT_EQ(line.find('\n'), std::string::npos) << line;
}

class TrajectoryAsStart : public ::testing::TestWithParam<Precision> {};

TEST_P(TrajectoryAsStart, EveryFrameIsTakenToTheBit) {
  const TemporaryFolder folder;
  const StartState start = sample_start(3);
  const fs::path path = write_three_frames(folder / "trajectory.h5md", start, GetParam());
  for (const int number : {0, 1, 2}) {
    for (const std::int64_t named : {number, number - 3}) {
      const StartState read = read_start(path, frame(named));
      const Frame written = sample_frame(start, number);
      EXPECT_EQ(read.box.lower, start.box.lower);
      EXPECT_EQ(read.box.edges, start.box.edges);
      EXPECT_EQ(read.box.periodic, start.box.periodic);
      EXPECT_EQ(read.id, start.id);
      EXPECT_EQ(read.type, start.type);
      ASSERT_EQ(read.types.size(), 2U);
      EXPECT_EQ(read.types[1].name, "krypton");
      EXPECT_EQ(read.types[1].mass, 2.1) << "though the particles' masses may be floats";
      ASSERT_EQ(read.position.size(), written.position.size());
      for (std::size_t i = 0; i < read.position.size(); ++i) {
        for (std::size_t d = 0; d < 3; ++d) {
          const double stored = as_stored(written.position[i][d], GetParam());
          const double moved = stored - read.position[i][d];  // a float may lie on the upper face
          const std::int32_t images = read.image[i][d] - written.image[i][d];
          EXPECT_EQ(moved, images * start.box.edges[d]) << number << " " << i;
          EXPECT_EQ(read.velocity[i][d], as_stored(written.velocity[i][d], GetParam()));
          EXPECT_LT(read.position[i][d], start.box.lower[d] + start.box.edges[d]);
        }
      }
    }
  }
  EXPECT_EQ(read_start(path, {}).position, read_start(path, frame(-1)).position);
  EXPECT_NE(read_start(path, {}).position, read_start(path, frame(0)).position);
}

INSTANTIATE_TEST_SUITE_P(Precisions, TrajectoryAsStart,
                         ::testing::Values(Precision::single, Precision::double_),
                         [](const auto& suite) { return std::string(name_of(suite.param)); });

TEST(TrajectoryAsStart, NamesAFrameThatIsNotThere) {
  const TemporaryFolder folder;
  const fs::path path = write_three_frames(folder / "trajectory.h5md", sample_start(2));
  expect_mention(refusal_of_start(path, frame(3)),
                 {path.string(), "no such frame, got 3", "0 to 2", "-3"});
  expect_mention(refusal_of_start(path, frame(-4)), {"no such frame, got -4"});
}

TEST(TrajectoryAsStart, WithoutVelocitiesTheyHaveToBeDrawn) {
  const TemporaryFolder folder;
  FieldSet fields;
  fields.insert(Field::position);
  const StartState start = sample_start(2);
  const fs::path path =
      write_three_frames(folder / "trajectory.h5md", start, Precision::double_, fields);
  expect_mention(refusal_of_start(path), {path.string(), "no velocities", "system.velocities"});
  StartFileRequest request;
  request.draws_velocities = true;
  const StartState read = read_start(path, request);
  EXPECT_EQ(read.velocity, std::vector<Double3>(start.id.size(), Double3{}));
  EXPECT_EQ(read.image, decltype(read.image)(start.id.size())) << "none are in the file";
}

TEST(TrajectoryAsStart, OfASplitOneAPartIsNamed) {
  const TemporaryFolder folder;
  const StartState start = sample_start(2);
  const fs::path path = folder / "trajectory.h5md";
  write_three_frames(path, start, Precision::double_, fields_of_a_start(), 2);
  expect_mention(refusal_of_start(path),
                 {path.string(), "split over several", "trajectory-0000.h5md"});
  EXPECT_EQ(read_start(folder / "trajectory-0001.h5md", {}).position,
            sample_frame(start, 2).position);
}

TEST(TrajectoryAsStart, AMassThatTheDeckDoesNotGiveIsTheFiles) {
  const TemporaryFolder folder;
  StartState start = sample_start(2);
  for (ParticleType& type : start.types) type.mass = 3.5;
  const fs::path path = write_three_frames(folder / "trajectory.h5md", start, Precision::double_,
                                           fields_of_a_start());
  StartFileRequest request;
  request.types = start.types;
  for (ParticleType& type : request.types) type.mass = 1.0;
  request.mass_is_given.assign(request.types.size(), false);
  EXPECT_EQ(read_start(path, request).types.front().mass, 3.5);
  request.mass_is_given.assign(request.types.size(), true);
  EXPECT_THROW((void)read_start(path, request), InputError);
}

TEST(TrajectoryAsStart, KeepsIdsThatAreNotOneToN) {
  const TemporaryFolder folder;
  StartState start = sample_start(2);
  for (ParticleId& id : start.id) id = 3 * id + 5;
  const fs::path path = write_three_frames(folder / "trajectory.h5md", start);
  EXPECT_EQ(read_start(path, {}).id, start.id);
}

TEST(TrajectoryAsStart, DamageIsToldInALine) {
  const TemporaryFolder folder;
  const fs::path path = write_three_frames(folder / "trajectory.h5md", sample_start(2));
  const std::string text = read_text(path);
  expect_mention(refusal_of_start(folder.write("half.h5md", text.substr(0, text.size() / 2))),
                 {"half.h5md", "damaged"});
  expect_mention(refusal_of_start(folder.write("head.h5md", text.substr(0, 8))),
                 {"head.h5md", "damaged"});
  {
    const hdf5::Lock lock;
    hdf5::File::create(folder / "other.h5");
  }
  expect_mention(refusal_of_start(folder / "other.h5"),
                 {"other.h5", "of another kind", "checkpoint"});
}

TEST(TrajectoryAsStart, WhatNoRunHasWrittenIsToldInALine) {
  const TemporaryFolder folder;
  const fs::path path = folder / "trajectory.h5md";
  const auto anew = [&path] {
    fs::remove(path);
    write_three_frames(path, sample_start(2));
  };
  const std::string all = "particles/all/";
  anew();
  replace_number(path, all + "image/value", {2, 4, 1}, 2147483647.0);
  expect_mention(refusal_of_start(path),
                 {"image: image flag out of range, got 2147483647 of id 5"});
  anew();
  replace_number(path, all + "box/edges/value", {2, 1, 1}, 1e17);
  expect_mention(refusal_of_start(path),
                 {"box: a corner of the box so far from the origin", "got 1e+17"});
  anew();
  replace_dataset(path, all + "position/step", {3, 2});
  expect_mention(refusal_of_start(path), {"a dataset has shape [3][2]"});
}

TEST(TrajectoryAsStart, MoreParticlesThanMemoryHoldsAreToldBeforeTheyAreTaken) {
  constexpr hsize_t particles = 2'000'000'000;  // of which the file holds none: zeros by default
  if (memory_left().bytes >= bytes_of_start(particles)) GTEST_SKIP() << "this machine holds them";
  const TemporaryFolder folder;
  const fs::path path = write_three_frames(folder / "trajectory.h5md", sample_start(2));
  const std::string all = "particles/all/";
  for (const char* field : {"position/value", "velocity/value", "image/value"}) {
    replace_dataset(path, all + field, {3, particles, 3});
  }
  EXPECT_THROW((void)read_start(path, {}), NotEnoughMemory);
}

TEST(TrajectoryAsStart, TwoParticlesAtOnePointAreNamed) {
  const TemporaryFolder folder;
  StartState start = sample_start(2);
  start.position[7] = start.position[3];
  start.velocity[7] = start.velocity[3];
  const fs::path path = write_three_frames(folder / "trajectory.h5md", start);
  expect_mention(refusal_of_start(path), {"two particles at one point", "ids 4 and 8"});
}

TEST(TrajectoryAsStart, TypesOfTheDeckAreTheFilesByName) {
  const TemporaryFolder folder;
  const StartState start = sample_start(2);
  const fs::path path = write_three_frames(folder / "trajectory.h5md", start, Precision::single);
  StartFileRequest request;
  request.types = {{"krypton", 2.1}, {"neon", 0.5}, {"argon", 1.0}};
  const StartState read = read_start(path, request);
  EXPECT_EQ(read.types.size(), 3U);
  for (std::size_t i = 0; i < read.type.size(); ++i) {
    EXPECT_EQ(read.types[static_cast<std::size_t>(read.type[i])].name,
              start.types[static_cast<std::size_t>(start.type[i])].name);
  }
  request.types = {{"argon", 1.0}};
  expect_mention(refusal_of_start(path, request),
                 {"no such type in the deck, got krypton", "argon"});
  request.types = {{"argon", 1.0}, {"krypton", 2.0}};
  expect_mention(refusal_of_start(path, request), {"mass 2.1 of type krypton", "allowed 2, as in"});
}

Checkpoint sample_checkpoint() {
  Checkpoint checkpoint;
  checkpoint.version = "9.9.9";
  checkpoint.deck = "potential.cutoff: 2.5\n";
  ExactState& state = checkpoint.state;
  state.step = 137;
  state.box = {{-1.0 / 3.0, 0.1, 1e3}, {7.1, 8.2, 9.3}, {true, false, true}};
  state.types = {{"argon", 1.0 / 3.0}, {"krypton", 2.1}};
  state.grid = {{-1.0 / 3.0, 0.1, 1e3}, {3.55, 4.1, 4.65}, {2, 2, 2}};
  for (int i = 0; i < 8; ++i) {
    state.id.push_back(3 * i + 2);
    state.type.push_back(i % 2);
    state.cell.push_back({i % 2, i / 2 % 2, i / 4});
    state.image.push_back({-i, 0, 1 << 30});
    state.offset.push_back({1.0 / (3.0 + i), -0.25 * i, 1e-3 / 7.0});
    state.velocity.push_back({1.0 / (1.0 + i), -7.0 / 3.0, 0.0});
    state.force.push_back({0.0, 0.0, 0.0});
  }
  return checkpoint;
}

constexpr Bool3 of_checkpoint{true, false, true};

TEST(CheckpointAsStart, IsTakenToTheBit) {
  const TemporaryFolder folder;
  const Checkpoint checkpoint = sample_checkpoint();
  const ExactState& state = checkpoint.state;
  write_checkpoint_file(folder / "checkpoint.h5", checkpoint);
  const StartState read = read_start(folder / "checkpoint.h5", {of_checkpoint});
  EXPECT_EQ(read.id, state.id);
  EXPECT_EQ(read.type, state.type);
  EXPECT_EQ(read.velocity, state.velocity);
  EXPECT_EQ(read.image, state.image);
  EXPECT_EQ(read.types[0].mass, 1.0 / 3.0);
  EXPECT_EQ(read.box.edges, state.box.edges);
  EXPECT_EQ(read.box.periodic, state.box.periodic);
  for (std::size_t i = 0; i < state.id.size(); ++i) {
    for (std::size_t d = 0; d < 3; ++d) {
      EXPECT_EQ(read.position[i][d],
                state.grid.lower[d] +
                    ((state.cell[i][d] + 0.5) * state.grid.side[d] + state.offset[i][d]));
    }
  }
}

TEST(CheckpointAsStart, WrapsWhoHasLeftACellAtTheFace) {
  const TemporaryFolder folder;
  Checkpoint checkpoint = sample_checkpoint();
  checkpoint.state.offset[0][0] = -0.6 * 3.55;  // of cell 0: 0.355 below the lower face
  write_checkpoint_file(folder / "checkpoint.h5", checkpoint);
  const StartState read = read_start(folder / "checkpoint.h5", {of_checkpoint});
  EXPECT_NEAR(read.position[0][0], -1.0 / 3.0 + 7.1 - 0.355, 1e-12);
  EXPECT_EQ(read.image[0][0], -1);
}

TEST(CheckpointAsStart, DamageAndContradictionAreTold) {
  const TemporaryFolder folder;
  write_checkpoint_file(folder / "checkpoint.h5", sample_checkpoint());
  const fs::path path = folder / "checkpoint.h5";
  expect_mention(refusal_of_start(path),
                 {"boundary: disagrees with system.boundary", "got [periodic, open, periodic]",
                  "[periodic, periodic, periodic]"});
  StartFileRequest request{of_checkpoint};
  request.frame = 0;
  expect_mention(refusal_of_start(path, request), {"a checkpoint has no frames"});
  std::string text = read_text(path);
  expect_mention(refusal_of_start(folder.write("cut.h5", text.substr(0, text.size() - 20))),
                 {"cut.h5"});
  text[text.size() / 2] ^= 1;
  expect_mention(refusal_of_start(folder.write("bit.h5", text)), {"bit.h5: is damaged"});
}

TEST(TextAsStart, HasNoFrames) {
  const TemporaryFolder folder;
  const fs::path path = folder.write("a.xyz", "1\nLattice=\"5 0 0 0 5 0 0 0 5\"\nA 0 0 0\n");
  expect_mention(refusal_of_start(path, frame(0)), {path.string(), "only a trajectory", "frame 0"});
}

// What the deck says of it.

Deck deck_of_system(const std::string& system, const fs::path& folder,
                    const std::optional<OtherStart>& other = {},
                    const std::vector<std::string>& overrides = {}) {
  return parse_deck("system: " + system + "\npotential: {cutoff: 2.5}\nrun: {steps: 1}\n",
                    (folder / "deck.yaml").string(), overrides, test_catalogue(), other);
}

TEST(DeckWithHdf5Start, TakesBoundaryAndSettlesTheFrame) {
  const TemporaryFolder folder;
  StartState start = sample_start(2);
  start.box.periodic = {true, false, true};
  write_three_frames(folder / "t.h5md", start);
  const Deck deck = deck_of_system("{particles: {file: t.h5md}}", folder / "");
  EXPECT_EQ(deck.periodic, (Bool3{true, false, true}));
  EXPECT_EQ(std::get<FileStart>(deck.start).frame, 2);
  const std::string resolved = resolved_yaml(deck);
  expect_mention(std::string(resolved.begin(), std::find(resolved.begin(), resolved.end(), '\n')),
                 {"title"});
  EXPECT_NE(resolved.find("frame: 2\n"), std::string::npos) << resolved;
  EXPECT_NE(resolved.find("open"), std::string::npos) << resolved;
  const Deck again = parse_deck(resolved, "elsewhere.yaml", {}, test_catalogue());
  EXPECT_EQ(resolved_yaml(again), resolved);
  EXPECT_EQ(std::get<FileStart>(
                deck_of_system("{particles: {file: t.h5md, frame: -3}}", folder / "").start)
                .frame,
            0);
}

TEST(DeckWithHdf5Start, RefusesInItsOwnWords) {
  const TemporaryFolder folder;
  write_three_frames(folder / "t.h5md", sample_start(2));
  expect_mention(
      error_of([&] { deck_of_system("{particles: {file: t.h5md, frame: 7}}", folder / ""); }),
      {"deck.yaml:1: system.particles.frame: no such frame, got 7, allowed 0 to 2"});
  expect_mention(error_of([&] {
                   deck_of_system(
                       "{particles: {frame: 0, lattice: {type: sc, density: 1, cells: [3, "
                       "3, 3]}}}",
                       folder / "");
                 }),
                 {"deck.yaml:1: system.particles.frame: only with a start file"});
}

TEST(DeckWithHdf5Start, AnotherStartTakesThePlaceOfTheSystem) {
  const TemporaryFolder folder;
  write_three_frames(folder / "t.h5md", sample_start(2));
  const OtherStart other{folder / "t.h5md", -2};
  const std::string own =
      "{particles: {lattice: {type: sc, density: 1, cells: [3, 3, 3]}}, types: [{name: Z}], "
      "velocities: {temperature: 1}}";
  const Deck deck = deck_of_system(own, folder / "", other);
  EXPECT_EQ(std::get<FileStart>(deck.start).frame, 1);
  EXPECT_TRUE(deck.types.empty());
  EXPECT_FALSE(deck.velocities);
  EXPECT_TRUE(
      deck_of_system(own, folder / "", other, {"system.velocities.temperature=2"}).velocities);
}

}  // namespace
}  // namespace pencilbox::testing
