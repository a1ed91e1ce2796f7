// A disk that becomes full, at whatever write: one line with the name of the file, exit code 4,
// what was there before can be read. The disk is a small one of memory, which a user may mount in a
// name space of his own.
#include "tests/app/program_runner.hpp"

namespace pencilbox::testing {
namespace {

class FullDisk : public InAFolder {
 protected:
  void SetUp() override {
    std::filesystem::create_directory(folder() / "disk");
    if (on_a_disk("64k", "true").exit_code != 0) {
      GTEST_SKIP() << "may not mount a small disk in a name space of users here";
    }
    write("deck.yaml",
          small_deck("integrator: {timestep: 0.001}\n")
              .replace(small_deck().find("output: {"), 9, "output: {directory: disk/out, "));
  }

  /// Runs a command while a disk of that size lies at `disk`.
  ProgramResult on_a_disk(const std::string& size, const std::string& command) const {
    return run("/usr/bin/unshare",
               "--user --map-root-user --mount /bin/sh -c \"mount -t tmpfs -o size=" + size +
                   " none disk && " + command + "\"");
  }
};

TEST_F(FullDisk, IsToldInOneLineWithTheNameOfTheFile) {
  for (int kilobytes = 40; kilobytes <= 1000; kilobytes += 60) {
    const ProgramResult result = on_a_disk(
        std::to_string(kilobytes) + "k",
        "'" + program_path() +
            "' run deck.yaml --quiet --set run.steps=2000 --set "
            "'output.trajectory={every: 1, fields: [position, velocity, force, image]}' --set "
            "output.thermo.every=1 --set output.checkpoint.every=7");
    EXPECT_EQ(result.exit_code, 4) << kilobytes << ": " << result.err;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1)
        << kilobytes << ": " << result.err;
    EXPECT_NE(result.err.find("disk/out/"), std::string::npos) << kilobytes << ": " << result.err;
    EXPECT_NE(result.err.find("No space left on device"), std::string::npos)
        << kilobytes << ": " << result.err;
    EXPECT_EQ(result.err.find("0x"), std::string::npos) << kilobytes << ": " << result.err;
  }
}

}  // namespace
}  // namespace pencilbox::testing
