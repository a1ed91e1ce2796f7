// `pencilbox view` up to the door of ParaView: what is refused, and what pvbatch would be given.
#include <gmock/gmock.h>

#include "tests/app/program_runner.hpp"

namespace pencilbox::testing {
namespace {

using ::testing::HasSubstr;

class View : public InAFolder {
 protected:
  View() {
    write("deck.yaml", small_deck());
    EXPECT_EQ(program("run deck.yaml --quiet").exit_code, 0);
  }

  /// A pvbatch that notes its arguments and leaves a picture; it wants a display, and this is none.
  std::string fake_paraview(const std::string& body = "echo picture >\"$3\"") const {
    std::filesystem::create_directory(folder() / "bin");
    write("bin/pvbatch", "#!/bin/sh\nprintf '%s\\n' \"$@\" >arguments\n" + body + "\n");
    std::filesystem::permissions(folder() / "bin/pvbatch", std::filesystem::perms::owner_all);
    return "DISPLAY=:99 PATH=\"$PWD/bin:$PATH\"";
  }

  void expect_refused(const std::string& arguments, const std::string& what, int code = 2,
                      const std::string& environment = "") const {
    const auto before = listing();
    const ProgramResult result = program("view " + arguments, environment);
    EXPECT_EQ(result.exit_code, code) << result.err;
    EXPECT_THAT(result.err, HasSubstr(what));
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
    EXPECT_EQ(listing(), before);
  }
};

TEST_F(View, RefusesInOneLine) {
  std::filesystem::create_directory(folder() / "empty");
  expect_refused("nowhere", "view: 'nowhere' is no directory");
  expect_refused("empty", "trajectory.h5md: no such file");
  expect_refused("deck --field mas",
                 "no such field, got mas, allowed velocity, species, "
                 "potential_energy, mass");
  expect_refused("deck --frame 3", "--frame: out of range, got 3, allowed -3 to 2");
  expect_refused("deck --output a.gif", "no such format, got '.gif', allowed .png");
  expect_refused("deck --film --output a.png", "allowed .avi, .ogv");
  expect_refused("deck --film --frame 1", "--film");
  expect_refused("deck --radius 0.5,0.4",
                 "--radius: got 2 numbers, allowed one, or one for each of A");
  expect_refused("deck --output no/a.png", "is no directory");
  write("there.png", "mine");
  expect_refused("deck --output there.png", "there.png is already there");
  expect_refused("deck",
                 "no pvbatch in PATH (Debian: paraview python3-paraview); by hand: open "
                 "deck/trajectory.xmf2",
                 4, "PATH=/nowhere");
}

TEST_F(View, GivesParaViewAFrameAFieldAndTheBox) {
  const std::string environment = fake_paraview();
  const ProgramResult result =
      program("view deck --frame -2 --field speed --range -1e-3 2 --size 90 80", environment);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("deck.png\nby hand: open deck/trajectory.xmf2"));
  EXPECT_EQ(read("deck.png"), "picture\n");
  const std::string arguments = read("arguments");
  for (const char* words : {"/view.py\ndeck/trajectory.xmf2\n", "\n--field=velocity\n",
                            "\n--frame=-2\n", "\n--size\n90\n80\n", "\n--range=-0.001,2\n",
                            "\n--box=0,0,0,6.718384", "\n--radius=0.5\n--types=A\n"}) {
    EXPECT_THAT(arguments, HasSubstr(words));
  }
  EXPECT_EQ(program("view deck --film --output film.ogv", environment).exit_code, 0);
  EXPECT_THAT(read("arguments"), HasSubstr("\n--film\n"));
}

TEST_F(View, TellsWhatParaViewSaysWhenItFails) {
  expect_refused("deck --output a.png", "pvbatch failed with exit code 7: no display", 4,
                 fake_paraview("rm arguments; echo no display >&2; exit 7"));
  EXPECT_FALSE(std::filesystem::exists(folder() / "a.png"));
}

/// Where there is no display the program starts one, and waits until it says that it is ready.
class ViewWithoutADisplay : public View {
 protected:
  /// An X server that is slow, as under load; it notes that it was ended.
  std::string fake_server(const std::string& body) const {
    fake_paraview("echo \"$DISPLAY\" >\"$3\"");
    write("bin/Xvfb", "#!/bin/sh\nwhile [ \"$1\" != -displayfd ]; do shift; done\n" + body + "\n");
    std::filesystem::permissions(folder() / "bin/Xvfb", std::filesystem::perms::owner_all);
    return "DISPLAY= PATH=\"$PWD/bin:$PATH\"";
  }
};

TEST_F(ViewWithoutADisplay, WaitsForTheServerAndEndsIt) {
  const std::string environment = fake_server(
      "echo \"$@\" | grep -q -e -noreset || exit 1\n"
      "trap 'echo ended >server; exit' TERM\nsleep 1\neval \"echo 4711 >&$2\"\n"
      "while :; do sleep 0.1; done");
  const ProgramResult result = program("view deck", environment);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(read("deck.png"), ":4711\n");
  EXPECT_EQ(read("server"), "ended\n");
}

TEST_F(ViewWithoutADisplay, SaysWhyThereIsNoServer) {
  expect_refused("deck --output a.png",
                 "the X server Xvfb does not become ready: no memory for a screen", 4,
                 fake_server("echo no memory for a screen; exit 1"));
}

TEST_F(View, TellsTheCauseAndNotThatTheShellSaysAborted) {
  expect_refused("deck --output a.png", "exit code 134: bad X server connection", 4,
                 fake_paraview("rm arguments; echo bad X server connection; echo; echo Aborted; "
                               "exit 134"));
  expect_refused(
      "deck --output a.png", "exit code 134: a.py | ERR| bad X server connection\n", 4,
      fake_paraview("rm arguments; printf '\\033[31ma.py | ERR| bad X server connection\\033[0m"
                    "\\nStack trace:\\n37 main\\n'; exit 134"));
}

}  // namespace
}  // namespace pencilbox::testing
