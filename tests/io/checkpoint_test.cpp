// A checkpoint gives back the very state; its bytes depend on the state alone; whatever is damaged
// is refused in words; one of the two generations is whole at every moment.
#include <algorithm>
#include <array>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/error.hpp"
#include "io/checkpoint/generations.hpp"
#include "io/checkpoint/seal.hpp"
#include "tests/io/output_support.hpp"
#include "tests/support/exact_state.hpp"
#include "tests/support/texts.hpp"

namespace pencilbox::testing {
namespace {

namespace fs = std::filesystem;

/// A state whose every number is awkward.
Checkpoint sample(Precision precision, std::int64_t step = 137, int particles = 40) {
  Checkpoint checkpoint;
  checkpoint.version = "9.9.9";
  checkpoint.deck = "potential.cutoff: 2.5\nsystem.types: [{name: A, mass: 1}]\n";
  checkpoint.start = {0.1, -std::nextafter(4.0, 5.0)};
  ExactState& state = checkpoint.state;
  state.step = step;
  state.precision = precision;
  state.box = {{-1.0 / 3.0, 0.1, 1e5}, {7.1, 8.2, 9.3}, {true, false, true}};
  state.types = {{"argon", 1.0 / 3.0}, {"krypton", 2.1}};
  state.grid = {{-1.0 / 3.0, 0.1, 1e5}, {3.55, 4.1, 4.65}, {2, 2, 2}};
  state.integrator = {{"xi", {0.1, 1.0 / 7.0}}, {"empty", {}}};
  const auto exact = [&](double value) {
    return precision == Precision::single ? static_cast<double>(static_cast<float>(value)) : value;
  };
  checkpoint.observables = {
      {{"a-first", 7, 0, {}}, {{"samples", {3.0}}, {"empty", {}}}},
      {{"b-second", 10, 500, {{"bins", 3.0}, {"max_distance", 0.1}}}, {{"counts", {1e15, 0.1}}}}};
  for (int i = 0; i < particles; ++i) {
    state.id.push_back(3 * i + 2);
    state.type.push_back(i % 2);
    state.cell.push_back({i % 2, i / 2 % 2, i / 4 % 2});
    state.image.push_back({-i, 0, 1 << 30});
    state.offset.push_back({exact(std::sin(1.0 + i)), -0.0, exact(1e-300 * i)});
    state.velocity.push_back({exact(1.0 / (1.0 + i)), exact(-7e5 / 3.0), 0.0});
    state.force.push_back({exact(std::cos(i)), exact(1e10 / 7.0), exact(-1e-3 * i)});
  }
  return checkpoint;
}

void expect_same_checkpoint(const Checkpoint& a, const Checkpoint& b) {
  EXPECT_EQ(a.version, b.version);
  EXPECT_EQ(a.deck, b.deck);
  EXPECT_EQ(a.start.time, b.start.time);
  EXPECT_EQ(a.start.total_energy, b.start.total_energy);
  expect_same(a.state, b.state);
  ASSERT_EQ(a.observables.size(), b.observables.size());
  for (std::size_t k = 0; k < a.observables.size(); ++k) {
    EXPECT_EQ(a.observables[k].choice, b.observables[k].choice);
    EXPECT_EQ(a.observables[k].numbers, b.observables[k].numbers);
  }
}

void overwrite_text(const fs::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << text;
}

std::string refusal_of_checkpoint(const fs::path& path) {
  try {
    (void)read_checkpoint_file(path);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

class CheckpointFile : public ::testing::TestWithParam<Precision> {};

TEST_P(CheckpointFile, GivesBackTheVeryState) {
  const TemporaryFolder folder;
  const Checkpoint written = sample(GetParam());
  write_checkpoint_file(folder / "a.h5", written);
  expect_same_checkpoint(read_checkpoint_file(folder / "a.h5"), written);
}

INSTANTIATE_TEST_SUITE_P(Precisions, CheckpointFile,
                         ::testing::Values(Precision::single, Precision::mixed, Precision::double_),
                         [](const auto& precision) {
                           return std::string(name_of(precision.param));
                         });

TEST(CheckpointBytes, AreThoseOfTheState) {
  const TemporaryFolder folder;
  write_checkpoint_file(folder / "a.h5", sample(Precision::mixed));
  usleep(1'100'000);  // HDF5 keeps times in seconds
  fs::create_directory(folder / "elsewhere");
  write_checkpoint_file(folder / "elsewhere/b.h5", sample(Precision::mixed));
  EXPECT_EQ(read_text(folder / "a.h5"), read_text(folder / "elsewhere/b.h5"));
}

TEST(CheckpointBytes, FloatsAreStoredAsFloats) {
  const TemporaryFolder folder;
  write_checkpoint_file(folder / "s.h5", sample(Precision::single));
  write_checkpoint_file(folder / "m.h5", sample(Precision::mixed));
  const ReadFile single(folder / "s.h5"), mixed(folder / "m.h5");  // HDF5 minds no seal
  EXPECT_TRUE(single.stores("/particles/offset", H5T_IEEE_F32LE));
  EXPECT_TRUE(mixed.stores("/particles/offset", H5T_IEEE_F64LE));
}

TEST(DamagedCheckpoint, CutAtAnyLengthIsRefused) {
  const TemporaryFolder folder;
  write_checkpoint_file(folder / "a.h5", sample(Precision::mixed));
  const std::string whole = read_text(folder / "a.h5");
  for (std::size_t size = 0; size < whole.size(); size += 1 + size / 40) {
    overwrite_text(folder / "b.h5", whole.substr(0, size));
    EXPECT_NE(refusal_of_checkpoint(folder / "b.h5"), "") << size;
  }
  overwrite_text(folder / "b.h5", whole.substr(0, whole.size() - 1));
  EXPECT_NE(refusal_of_checkpoint(folder / "b.h5").find("its end is missing: truncated"),
            std::string::npos);
  overwrite_text(folder / "b.h5", whole + "x");
  EXPECT_NE(refusal_of_checkpoint(folder / "b.h5"), "");
}

TEST(DamagedCheckpoint, AFlippedBitIsRefusedWhereverItIs) {
  const TemporaryFolder folder;
  write_checkpoint_file(folder / "a.h5", sample(Precision::mixed));
  const std::string whole = read_text(folder / "a.h5");
  std::vector<std::size_t> places;
  for (std::size_t at = 0; at < whole.size(); at += 97) places.push_back(at);
  for (std::size_t back = 1; back <= 32; ++back) places.push_back(whole.size() - back);  // the seal
  for (const std::size_t at : places) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 1 << at % 8);
    overwrite_text(folder / "b.h5", damaged);
    EXPECT_NE(refusal_of_checkpoint(folder / "b.h5"), "") << "byte " << at;
  }
}

TEST(DamagedCheckpoint, ABlockOfZerosIsRefused) {
  const TemporaryFolder folder;
  write_checkpoint_file(folder / "a.h5", sample(Precision::mixed));
  std::string damaged = read_text(folder / "a.h5");
  std::fill_n(damaged.begin() + 2048, 512, '\0');
  overwrite_text(folder / "a.h5", damaged);
  EXPECT_NE(refusal_of_checkpoint(folder / "a.h5").find("is damaged: its checksum"),
            std::string::npos);
}

TEST(DamagedCheckpoint, WhatIsNoneIsToldApart) {
  const TemporaryFolder folder;
  overwrite_text(folder / "empty.h5", "");
  overwrite_text(folder / "text.h5", std::string(5000, 'x'));
  {
    const hid_t file = H5Fcreate((folder / "foreign.h5").c_str(), H5F_ACC_TRUNC, 0, 0);
    H5Fclose(file);
  }
  fs::create_directory(folder / "directory.h5");
  ASSERT_EQ(::mkfifo((folder / "pipe.h5").c_str(), 0600), 0);
  EXPECT_NE(refusal_of_checkpoint(folder / "empty.h5").find("empty.h5: is empty"),
            std::string::npos);
  EXPECT_NE(refusal_of_checkpoint(folder / "text.h5").find("is no checkpoint of pencilbox"),
            std::string::npos);
  EXPECT_NE(refusal_of_checkpoint(folder / "foreign.h5").find("HDF5 file of another program"),
            std::string::npos);
  EXPECT_NE(
      refusal_of_checkpoint(folder / "directory.h5").find("cannot be read: it is no regular file"),
      std::string::npos)
      << refusal_of_checkpoint(folder / "directory.h5");
  EXPECT_NE(refusal_of_checkpoint(folder / "pipe.h5").find("it is no regular file"),
            std::string::npos);
  EXPECT_NE(refusal_of_checkpoint(folder / "nowhere.h5").find("No such file"), std::string::npos);
}

void write_format(hid_t file, std::int64_t number) {
  const hid_t attribute = H5Aopen(file, "format", H5P_DEFAULT);
  H5Awrite(attribute, H5T_NATIVE_INT64, &number);
  H5Aclose(attribute);
}

/// As another hand would, which then seals it again.
void change(const fs::path& path, const std::function<void(hid_t)>& by) {
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  by(file);
  H5Fclose(file);
  seal(path);
}

std::string refusal_after(const std::function<void(hid_t)>& changed) {
  const TemporaryFolder folder;
  write_checkpoint_file(folder / "a.h5", sample(Precision::mixed));
  change(folder / "a.h5", changed);
  return refusal_of_checkpoint(folder / "a.h5");
}

TEST(Checkpoint, AnOlderFormatIsRead) {
  const TemporaryFolder folder;
  write_checkpoint_file(folder / "a.h5", sample(Precision::mixed));
  change(folder / "a.h5", [](hid_t file) { write_format(file, 1); });
  const ExactState state = read_checkpoint_file(folder / "a.h5").state;
  EXPECT_EQ(state.id, sample(Precision::mixed).state.id);
  EXPECT_TRUE(state.reference.empty());
}

Checkpoint sample_with_list() {
  Checkpoint checkpoint = sample(Precision::double_);
  checkpoint.state.reference = checkpoint.state.offset;
  checkpoint.state.reference[0][1] += 0.125;
  checkpoint.state.skin = 0.3;
  checkpoint.state.list_age = 7;
  checkpoint.state.list_age_before = 12;
  return checkpoint;
}

TEST(Checkpoint, HoldsWhatAListWasMadeOf) {
  const TemporaryFolder folder;
  const Checkpoint checkpoint = sample_with_list();
  write_checkpoint_file(folder / "a.h5", checkpoint);
  const ExactState state = read_checkpoint_file(folder / "a.h5").state;
  EXPECT_EQ(state.reference, checkpoint.state.reference);
  EXPECT_EQ(state.skin, 0.3);
  EXPECT_EQ(state.list_age, 7);
  EXPECT_EQ(state.list_age_before, 12);
}

/// A file of format 2 says nothing of it; a later one has to.
TEST(Checkpoint, OfAnOlderFormatKnowsOfNoListBefore) {
  const TemporaryFolder folder;
  write_checkpoint_file(folder / "a.h5", sample_with_list());
  change(folder / "a.h5",
         [](hid_t file) { H5Adelete_by_name(file, "list", "age_before", H5P_DEFAULT); });
  EXPECT_NE(refusal_of_checkpoint(folder / "a.h5").find("age_before"), std::string::npos)
      << refusal_of_checkpoint(folder / "a.h5");
  change(folder / "a.h5", [](hid_t file) { write_format(file, 2); });
  const ExactState state = read_checkpoint_file(folder / "a.h5").state;
  EXPECT_EQ(state.list_age, 7);
  EXPECT_EQ(state.list_age_before, 0);
}

TEST(DamagedCheckpoint, AnotherFormatIsRefusedWithBothNumbers) {
  const std::string text = refusal_after([](hid_t file) { write_format(file, 4); });
  EXPECT_NE(text.find("format 4 of pencilbox 9.9.9, this program reads formats 1 to 3"),
            std::string::npos)
      << text;
}

TEST(DamagedCheckpoint, IndicesOutsideTheirArraysAreRefused) {
  for (const char* name : {"cell", "type", "id"}) {
    const std::string text = refusal_after([name](hid_t file) {
      const hid_t dataset =
          H5Dopen2(file, (std::string("/particles/") + name).c_str(), H5P_DEFAULT);
      const std::vector<std::int32_t> large(120, 1 << 29);
      H5Dwrite(dataset, H5T_NATIVE_INT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, large.data());
      H5Dclose(dataset);
    });
    EXPECT_NE(text.find("has a wrong id, type or cell"), std::string::npos) << name << ": " << text;
  }
}

TEST(DamagedCheckpoint, NumbersThatNoSimulationCanGoOnFromAreRefused) {
  const double none = std::numeric_limits<double>::quiet_NaN();
  const std::vector<std::pair<std::function<void(ExactState&)>, std::string>> cases{
      {[&](ExactState& state) { state.offset[7][1] = none; }, "row 8 has an offset, velocity or f"},
      {[&](ExactState& state) { state.velocity[0][0] = -std::numeric_limits<double>::infinity(); },
       "row 1 has an offset, veloc"},
      {[&](ExactState& state) { state.force[39][2] = none; }, "row 40 has an offset, velocity or"},
      {[&](ExactState& state) { state.types[1].mass = 0.0; }, "a mass that is not positive"},
      {[&](ExactState& state) { state.box.edges[0] = 0.0; }, "its box has no volume"},
      {[&](ExactState& state) { state.grid.side[2] = none; }, "cells of no size"},
      {[&](ExactState& state) {
         state.grid.cells = {1 << 30, 1 << 30, 1};
       },
       "a grid of 1.15"}};
  for (const auto& [spoil, words] : cases) {
    const TemporaryFolder folder;
    Checkpoint checkpoint = sample(Precision::mixed);
    spoil(checkpoint.state);
    write_checkpoint_file(folder / "a.h5", checkpoint);
    const std::string text = refusal_of_checkpoint(folder / "a.h5");
    EXPECT_NE(text.find("a.h5: cannot be resumed by this version: " + words), std::string::npos)
        << text;
  }
}

TEST(DamagedCheckpoint, AStepThatIsNoWholeNumberIsRefused) {
  const std::string text = refusal_after([](hid_t file) {
    H5Adelete(file, "step");
    const hid_t space = H5Screate(H5S_SCALAR);
    const hid_t attribute =
        H5Acreate2(file, "step", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, H5P_DEFAULT);
    const double step = 1e300;
    H5Awrite(attribute, H5T_NATIVE_DOUBLE, &step);
    H5Aclose(attribute);
    H5Sclose(space);
  });
  EXPECT_NE(text.find("'step' is 1e+300, no whole number"), std::string::npos) << text;
}

TEST(DamagedCheckpoint, AMissingPartIsRefused) {
  for (const char* name : {"box", "grid", "particles/force", "deck", "integrator"}) {
    const std::string text =
        refusal_after([name](hid_t file) { H5Ldelete(file, name, H5P_DEFAULT); });
    EXPECT_NE(text.find("a.h5: cannot be resumed by this version"), std::string::npos)
        << name << ": " << text;
    EXPECT_EQ(text.find('\n'), std::string::npos);
  }
}

TEST(Generations, TheNewestIsFoundAndTheOneBeforeIsKept) {
  const TemporaryFolder folder;
  CheckpointWriter writer(folder.path(), nullptr);
  EXPECT_FALSE(writer.last_step());
  for (const std::int64_t step : {10, 20, 30}) writer.write(sample(Precision::mixed, step));
  EXPECT_EQ(writer.last_step(), 30);
  const FoundCheckpoint found = find_checkpoint(folder.path());
  EXPECT_EQ(found.checkpoint.state.step, 30);
  EXPECT_EQ(found.note, "");
  EXPECT_EQ(read_checkpoint_file(folder / "checkpoint.previous.h5").state.step, 20);
  EXPECT_FALSE(fs::exists(folder / "checkpoint.h5.tmp"));
}

TEST(Generations, TheOlderIsTakenWithANoteIfTheNewerIsDamagedOrMissing) {
  const TemporaryFolder folder;
  CheckpointWriter writer(folder.path(), nullptr);
  for (const std::int64_t step : {10, 20}) writer.write(sample(Precision::mixed, step));
  overwrite_text(folder / "checkpoint.h5", "");
  const FoundCheckpoint found = find_checkpoint(folder.path());
  EXPECT_EQ(found.checkpoint.state.step, 10);
  EXPECT_NE(found.note.find("checkpoint.h5: is empty; going on from the older "
                            "checkpoint.previous.h5, step 10"),
            std::string::npos)
      << found.note;
  // The damaged one must not push the whole one out.
  CheckpointWriter next(folder.path(), &found);
  next.write(sample(Precision::mixed, 25));
  EXPECT_EQ(read_checkpoint_file(folder / "checkpoint.h5").state.step, 25);
  EXPECT_EQ(read_checkpoint_file(folder / "checkpoint.previous.h5").state.step, 10);

  fs::remove(folder / "checkpoint.h5");
  EXPECT_NE(find_checkpoint(folder.path()).note.find("is missing"), std::string::npos);
}

TEST(Generations, BothDamagedOrNoneIsOneLine) {
  const TemporaryFolder folder;
  const auto message = [&] {
    try {
      (void)find_checkpoint(folder.path());
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_NE(message().find("there is no checkpoint.h5"), std::string::npos) << message();
  overwrite_text(folder / "checkpoint.h5", "");
  EXPECT_NE(message().find("is empty"), std::string::npos);
  overwrite_text(folder / "checkpoint.previous.h5", "text");
  EXPECT_NE(message().find("is empty; and "), std::string::npos) << message();
  EXPECT_NE(message().find("is no checkpoint"), std::string::npos) << message();
}

TEST(Generations, AFileThatWasReplacedIsNoticed) {
  const TemporaryFolder folder;
  CheckpointWriter writer(folder.path(), nullptr);
  writer.write(sample(Precision::mixed, 10));
  const FoundCheckpoint found = find_checkpoint(folder.path());
  require_still_there(found);
  writer.write(sample(Precision::mixed, 20));
  EXPECT_THROW(require_still_there(found), InputError);
}

TEST(Generations, AFullDiskKeepsTheLastOne) {
  const TemporaryFolder folder;
  CheckpointWriter(folder.path(), nullptr).write(sample(Precision::mixed, 10));
  const std::string whole = read_text(folder / "checkpoint.h5");
  const pid_t child = fork();
  if (child == 0) {
    std::signal(SIGXFSZ, SIG_IGN);
    constexpr rlimit limit{5000, 5000};
    setrlimit(RLIMIT_FSIZE, &limit);
    try {
      const FoundCheckpoint found = find_checkpoint(folder.path());
      CheckpointWriter(folder.path(), &found).write(sample(Precision::mixed, 20));
    } catch (const SystemError& error) {
      _exit(std::string(error.what()).find("File too large") != std::string::npos ? 0 : 1);
    }
    _exit(2);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(read_text(folder / "checkpoint.h5"), whole);
  EXPECT_FALSE(fs::exists(folder / "checkpoint.h5.tmp"));
}

}  // namespace
}  // namespace pencilbox::testing
