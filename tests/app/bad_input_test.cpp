// Bad input as a user meets it: one line on stderr with file, line and key; exit code 2 (3 for
// physics, 4 for the machine); in less than a second; nothing created, nothing touched; and `check`
// says the same as `run`. Numbers are those of the list of bad inputs; every single way of being
// wrong is tested in tests/io/input_bad_deck_test.cpp.
#include <chrono>

#include "tests/app/program_runner.hpp"

namespace pencilbox::testing {
namespace {

struct BadInput {
  std::string what;
  std::string deck;       ///< "" leaves the good deck
  std::string arguments;  ///< after `run deck.yaml`
  std::string prefix;     ///< of the line, after "pencilbox: "
  std::string mention;
  int exit_code = 2;
};

void PrintTo(const BadInput& bad, std::ostream* out) { *out << bad.what; }

std::string replaced(std::string from, std::string to) {
  std::string deck = small_deck();
  const auto at = deck.find(from);
  if (at == std::string::npos) throw std::logic_error("no '" + from + "' in the deck");
  return deck.replace(at, from.size(), to);
}

std::string with_file(const std::string& name) {
  return replaced("lattice: {type: fcc, density: 0.8442, cells: [4, 4, 4]}", "file: " + name);
}

class BadInputTest : public InAFolder, public ::testing::WithParamInterface<BadInput> {
 protected:
  void SetUp() override {
    write("deck.yaml", GetParam().deck.empty() ? small_deck() : GetParam().deck);
    write("two.xyz", two_atoms("1 1 1", "1 1 1"));
    write("near.xyz", two_atoms("1 1 1", "1 1 1.3"));
    write("nan.xyz", two_atoms("1 1 1", "nan 2 3"));
    write("short.data",
          "t\n\n2 atoms\n1 atom types\n\n0 9 xlo xhi\n0 9 ylo yhi\n0 9 zlo zhi\n\n"
          "Atoms # atomic\n\n1 1 1 1 1\n");
    write("twice.data",
          "t\n\n2 atoms\n1 atom types\n\n0 9 xlo xhi\n0 9 ylo yhi\n0 9 zlo zhi\n\n"
          "Atoms # atomic\n\n1 1 1 1 1\n1 1 2 2 2\n");
    write("type.data",
          "t\n\n2 atoms\n1 atom types\n\n0 9 xlo xhi\n0 9 ylo yhi\n0 9 zlo zhi\n\n"
          "Atoms # atomic\n\n1 1 1 1 1\n2 5 2 2 2\n");
    write("inverted.data",
          "t\n\n1 atoms\n1 atom types\n\n9 0 xlo xhi\n0 9 ylo yhi\n0 9 zlo zhi\n\n"
          "Atoms # atomic\n\n1 1 1 1 1\n");
    std::filesystem::create_directory(folder() / "done");
    write("done/thermo.csv", "mine\n");
    std::filesystem::create_directory(folder() / "broken");
    write("broken/checkpoint.h5", "mine\n");
    std::filesystem::create_directory(folder() / "folder.yaml");
  }

  static std::string two_atoms(const std::string& a, const std::string& b) {
    return "2\nLattice=\"9 0 0 0 9 0 0 0 9\" Properties=species:S:1:pos:R:3\nA " + a + "\nA " + b +
           "\n";
  }
};

TEST_P(BadInputTest, GivesOneLineAndTouchesNothing) {
  const BadInput& bad = GetParam();
  const auto before = listing();
  for (const std::string command : {"run ", "check "}) {
    // Only a run finds out what the physics does, or minds outputs that are there.
    const bool only_a_run = bad.exit_code == 3 || bad.mention == "--overwrite";
    if (only_a_run && command == "check ") continue;
    const auto start = std::chrono::steady_clock::now();
    const ProgramResult result = program(
        command +
        (bad.arguments.ends_with(".yaml") && !bad.arguments.starts_with("--") ? "" : "deck.yaml ") +
        bad.arguments);
    const auto took = std::chrono::steady_clock::now() - start;
    EXPECT_EQ(result.exit_code, bad.exit_code) << command << result.err;
    const std::string prefix = "pencilbox: " + bad.prefix;
    EXPECT_EQ(result.err.substr(0, prefix.size()), prefix) << command;
    EXPECT_NE(result.err.find(bad.mention), std::string::npos) << command << result.err;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
    EXPECT_EQ(result.out, "") << command;
    EXPECT_LT(took, std::chrono::seconds(5)) << "one second on an idle machine, sanitizers apart";
    EXPECT_EQ(listing(), before) << command;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Deck, BadInputTest,
    ::testing::Values(
        BadInput{"1 misspelt top-level key", small_deck("cutof: 2\n"), "",
                 "deck.yaml:8: cutof:", "did you mean potential.cutoff?"},
        BadInput{"2 misspelt nested key", replaced("density", "denisty"), "",
                 "deck.yaml:3: system.particles.lattice.denisty:", "did you mean density?"},
        BadInput{"3 duplicate key", replaced("{cutoff: 2.5}", "{cutoff: 2.5, cutoff: 3}"), "",
                 "deck.yaml:5: potential.cutoff: duplicate key", "lines 5 and 5"},
        BadInput{"4 wrong section", replaced("{cutoff: 2.5}", "{cutoff: 2.5, steps: 5}"), "",
                 "deck.yaml:5: potential.steps: key in the wrong section", "run.steps"},
        BadInput{"5 missing key", replaced("steps: 20, ", ""), "",
                 "deck.yaml:6: run.steps: missing", "allowed"},
        BadInput{"6 tab", replaced("  velocities", "\tvelocities"), "", "deck.yaml:4: tab",
                 "spaces"},
        BadInput{"7 open bracket", replaced("{cutoff: 2.5}", "{cutoff: 2.5"), "",
                 "deck.yaml:", "5"},
        BadInput{"8 empty", "\n", "", "deck.yaml:", "empty"},
        BadInput{"9 no such file", "", "nowhere.yaml", "nowhere.yaml:", "file not found"},
        BadInput{"9 a directory", "", "folder.yaml", "folder.yaml:", "directory"},
        BadInput{"10 UTF-16",
                 "\xff\xfe"
                 "a",
                 "", "deck.yaml:", "UTF-16"},
        BadInput{"11 large", std::string(10 << 20, '#'), "", "deck.yaml:", "10485760 bytes"},
        BadInput{"11 alias bomb", "a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\n", "",
                 "deck.yaml:", "aliases"},
        BadInput{"12 second document", small_deck("---\na: 1\n"), "", "deck.yaml:8: second", "one"},
        BadInput{"13 a word for a number", replaced("2.5", "\"abc\""), "",
                 "deck.yaml:5: potential.cutoff:", "abc"},
        BadInput{"14 hexadecimal", replaced("2.5", "0x10"), "",
                 "deck.yaml:5: potential.cutoff:", "0x10"},
        BadInput{"15 a float for an integer", replaced("20", "100.5"), "",
                 "deck.yaml:6: run.steps:", "100.5"},
        BadInput{"16 too many steps", replaced("20", "1e30"), "",
                 "deck.yaml:6: run.steps:", "1e30"},
        BadInput{"16 one step more than a double counts", replaced("20", "9007199254740993"), "",
                 "deck.yaml:6: run.steps: out of range", "9007199254740993"},
        BadInput{"16 too many atoms", replaced("[4, 4, 4]", "[1000, 1000, 1000]"), "",
                 "deck.yaml:3: system.particles.lattice", "at most 2147483647"},
        BadInput{"17 timestep", small_deck("integrator: {timestep: 0}\n"), "",
                 "deck.yaml:8: integrator.timestep:", "allowed"},
        BadInput{"18 timestep nan", small_deck("integrator: {timestep: .nan}\n"), "",
                 "deck.yaml:8: integrator.timestep:", ".nan"},
        BadInput{"19 cutoff", replaced("2.5", "-2.5"), "",
                 "deck.yaml:5: potential.cutoff:", "-2.5"},
        BadInput{
            "20 a box below the cutoff",
            replaced("2.5", "7") + "neighbor: {backend: par-part-no-loop}\n", "",
            "deck.yaml:8: neighbor.backend: par-part-no-loop cannot run this: the box side along x",
            "below the cutoff 7"},
        BadInput{"21 the same, pencils", replaced("2.5", "7"), "--set neighbor.backend=x-pencil",
                 "--set neighbor.backend: x-pencil cannot run this: the box side along x", "7"},
        BadInput{"22 negative skin", small_deck("neighbor: {skin: -1}\n"), "",
                 "deck.yaml:8: neighbor.skin:", "out of range"},
        BadInput{"23 density", replaced("0.8442", "1e6"), "",
                 "deck.yaml:3: system.particles.lattice.density:", "1e6"},
        BadInput{"24 box",
                 replaced("lattice: {type: fcc, density: 0.8442, cells: [4, 4, 4]}",
                          "random: {count: 5, box: [10, 0, 10]}"),
                 "", "deck.yaml:3: system.particles.random.box", "0"},
        BadInput{"24 inverted", with_file("inverted.data"), "", "inverted.data:6:", "xlo"},
        BadInput{"25 nobody",
                 replaced("lattice: {type: fcc, density: 0.8442, cells: [4, 4, 4]}",
                          "random: {count: 0, box: [10, 10, 10]}"),
                 "", "deck.yaml:3: system.particles.random.count:", "0"},
        BadInput{"26 temperature of one",
                 replaced("lattice: {type: fcc, density: 0.8442, cells: [4, "
                          "4, 4]}",
                          "random: {count: 1, box: [10, 10, 10]}"),
                 "", "deck.yaml:4: system.velocities.temperature:", "degree"},
        BadInput{"26 negative temperature", replaced("1.44", "-1"), "",
                 "deck.yaml:4: system.velocities.temperature:", "-1"},
        BadInput{"27 sigma",
                 replaced("{cutoff: 2.5}",
                          "{cutoff: 2.5, pairs: [{types: [A, A], epsilon: 1, sigma: 0}]}"),
                 "", "deck.yaml:5: potential.pairs[0].sigma:", "0"},
        BadInput{"28 unknown back end", small_deck("neighbor: {backend: y-pencil}\n"), "",
                 "deck.yaml:8: neighbor.backend:", "did you mean x-pencil?"},
        BadInput{"28 unknown device", replaced("device: host", "device: metal"), "",
                 "deck.yaml:6: run.device:", "auto, host"},
        BadInput{"28 unknown option",
                 small_deck("neighbor: {backend: x-pencil, options: {len: 3}}\n"), "",
                 "deck.yaml:8: neighbor.options.len:", "length"},
        BadInput{"29 precision", replaced("double", "half"), "",
                 "deck.yaml:6: run.precision:", "single, mixed, double"},
        BadInput{"29 integrator", small_deck("integrator: {type: euler}\n"), "",
                 "deck.yaml:8: integrator.type:", "velocity-verlet"},
        BadInput{"30 thermostat", small_deck("integrator: {tau: 0}\n"), "",
                 "deck.yaml:8: integrator.tau:", "unknown"},
        BadInput{"31 interval", replaced("thermo: {every: 10}", "thermo: {every: 0}"), "",
                 "deck.yaml:7: output.thermo.every:", "0"}));

INSTANTIATE_TEST_SUITE_P(
    Files, BadInputTest,
    ::testing::Values(
        BadInput{"32 output below a file", "", "--set output.directory=two.xyz/below",
                 "output directory 'two.xyz/below':", "is a file, not a directory"},
        BadInput{"34 the start file is a checkpoint's name", with_file("done/checkpoint.h5"),
                 "--overwrite --set output.directory=done",
                 "--set output.directory:", "output would overwrite the start file"},
        BadInput{"35 nothing to resume", "", "--resume --set output.directory=done",
                 "--resume: there is no checkpoint.h5 in 'done'", "nothing to resume"},
        BadInput{"35 a checkpoint that is none", "", "--resume --set output.directory=broken",
                 "broken/checkpoint.h5:", "is no checkpoint of pencilbox"},
        BadInput{"33 output exists", "", "--set output.directory=done", "", "--overwrite"},
        BadInput{"34 output is the input", "", "--set output.directory=deck.yaml", "", "deck.yaml"},
        BadInput{"38 two at one point", with_file("two.xyz"), "", "two.xyz:4:", "3"},
        BadInput{"38 not a number", with_file("nan.xyz"), "", "nan.xyz:4:", "nan"},
        BadInput{"38 count", with_file("short.data"), "", "short.data:", "2"},
        BadInput{"38 duplicate id", with_file("twice.data"), "", "twice.data:13:", "1"},
        BadInput{"38 type", with_file("type.data"), "", "type.data:13:", "5"},
        BadInput{"38 no such file", with_file("nowhere.data"), "", "", "nowhere.data"},
        BadInput{"--set without a value", "", "--set potential.cutoff", "--set", "key=value"},
        BadInput{"--set unknown", "", "--set potential.cutof=3", "--set", "cutoff"}));

TEST_F(InAFolder, AnOverlapThatBlowsUpEndsWithTheStepAndTheParticle) {  // 39
  write("near.xyz",
        "2\nLattice=\"9 0 0 0 9 0 0 0 9\" Properties=species:S:1:pos:R:3\nA 1 1 1\nA 1 1 1.3\n");
  write("deck.yaml",
        "system: {particles: {file: near.xyz}}\npotential: {cutoff: 2.5}\n"
        "run: {steps: 100, device: host}\noutput: {directory: out, thermo: {every: 10}}\n");
  const ProgramResult result = program("run deck.yaml --quiet");
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_NE(result.err.find("step 1: particle 1 is lost"), std::string::npos) << result.err;
  EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  // What was written before stands: the row of step 0.
  EXPECT_NE(read("out/thermo.csv").find("\n0,0,"), std::string::npos);
}

TEST_F(InAFolder, ACommandLineThatIsWrongGivesOneLine) {
  for (const std::string arguments : {"runn deck.yaml", "run", "run a.yaml b.yaml",
                                      "run --nonsense x.yaml", "backends y-pencil", "compare"}) {
    const ProgramResult result = program(arguments);
    EXPECT_EQ(result.exit_code, 2) << arguments;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  }
}

}  // namespace
}  // namespace pencilbox::testing
