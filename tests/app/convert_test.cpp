// `pencilbox convert`: files that the program starts from again, and what is refused.
#include <gmock/gmock.h>

#include "tests/app/program_runner.hpp"

namespace pencilbox::testing {
namespace {

using ::testing::HasSubstr;

class Convert : public InAFolder {
 protected:
  Convert() {
    write("deck.yaml", small_deck());
    EXPECT_EQ(program("run deck.yaml --quiet --set 'output.trajectory.fields=[velocity, image]' "
                      "--set run.precision=double")
                  .exit_code,
              0);
  }

  void expect_refused(const std::string& arguments, const std::string& what) const {
    const auto before = listing();
    const ProgramResult result = program("convert " + arguments);
    EXPECT_EQ(result.exit_code, 2) << result.err;
    EXPECT_THAT(result.err, HasSubstr(what));
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
    EXPECT_EQ(listing(), before);
  }

  /// A run of no steps from `file`, its frame as extended XYZ.
  std::string frame_of_run_from(const std::string& file) const {
    write("again.yaml", "system: {particles: {file: " + file +
                            "}}\npotential: {cutoff: 2.5}\nrun: {steps: 0, precision: double}\n"
                            "output: {trajectory: {every: 1, fields: [velocity, image]}}\n");
    EXPECT_EQ(program("run again.yaml --quiet --overwrite").err, "");
    EXPECT_EQ(program("convert again --to extxyz --overwrite").exit_code, 0);
    return rows(read("again.extxyz"));
  }

  /// Behind the comment line, which says step and time.
  static std::string rows(const std::string& text) {
    return text.substr(text.find('\n', text.find("Lattice")));
  }
};

TEST_F(Convert, WritesWhatARunStartsFromAgain) {
  const ProgramResult result = program("convert deck --to extxyz --frames -1 --output last.extxyz");
  EXPECT_THAT(result.out, HasSubstr("last.extxyz: 1 frame of "));
  const std::string last = rows(read("last.extxyz"));
  EXPECT_EQ(frame_of_run_from("last.extxyz"), last);
  EXPECT_EQ(program("convert deck --to lammps").exit_code, 0);
  EXPECT_EQ(frame_of_run_from("deck.data"), last);
}

TEST_F(Convert, ChoosesFramesAndNamesElements) {
  EXPECT_EQ(program("convert deck --to xyz --elements Ar").exit_code, 0);
  const std::string all = read("deck.xyz");
  EXPECT_THAT(all, HasSubstr("\nAr "));
  EXPECT_THAT(program("convert deck/trajectory.h5md --to xyz --frames ::2 --elements Ar").out,
              HasSubstr("trajectory.xyz: 2 frames of "));
  const std::string some = read("trajectory.xyz");
  EXPECT_EQ(all.substr(0, some.find("Lattice", 99)), some.substr(0, some.find("Lattice", 99)));
  EXPECT_THAT(program("convert deck --to extxyz").out,
              HasSubstr("'A' is no chemical element: for ASE add --elements Ar"));
}

TEST_F(Convert, RefusesInOneLine) {
  expect_refused("nowhere --to xyz", "nowhere: no such file");
  expect_refused("deck --to gsd", "no such format, got gsd, allowed extxyz, xyz, lammps");
  expect_refused("deck", "--to is required");
  expect_refused("deck --to lammps --frames :", "a LAMMPS data file holds one frame");
  for (const char* frames : {"3", "-4", "2:1", "5:", "a", "1:b", "1.5"}) {
    expect_refused(std::string("deck --to xyz --frames=") + frames, "convert: --frames: ");
  }
  expect_refused("deck --to xyz --frames 0:3:0", "the step is not 1 or more");
  expect_refused("deck --to xyz --frames ''", "--frames: is empty");
  expect_refused("deck --to xyz --elements AR", "AR is no chemical element");
  expect_refused("deck --to xyz --elements Ar,Kr", "not one for each type, got Ar,Kr");
  write("there.xyz", "mine");
  expect_refused("deck --to xyz --output there.xyz", "there.xyz is already there");
  expect_refused("deck --to xyz --output no/a.xyz", "is no directory");
  expect_refused("deck --to xyz --output deck --overwrite", "deck is no file");
  expect_refused("deck --to xyz --output deck/trajectory.h5md --overwrite", "is what is read");
  EXPECT_EQ(read("there.xyz"), "mine");
  std::filesystem::create_symlink("there.xyz", folder() / ".deck.xyz.next");
  expect_refused("deck --to xyz", ".deck.xyz.next is there, left by a program that was killed");
  EXPECT_EQ(read("there.xyz"), "mine");
}

}  // namespace
}  // namespace pencilbox::testing
