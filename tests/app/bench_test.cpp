// `pencilbox bench`: what it lists, what it measures in the smallest rows, what it refuses.
#include <chrono>
#include <vector>

#include "tests/app/program_runner.hpp"
#include "tests/support/texts.hpp"

namespace pencilbox::testing {
namespace {

constexpr const char* quick_bench = "bench few-particles --device host --calls 2 --repeats 2 ";

/// Fields of a CSV line, quotes taken off.
std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (const char c : line) {
    if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      fields.emplace_back();
    } else {
      fields.back() += c;
    }
  }
  return fields;
}

std::string field(const std::vector<std::string>& lines, std::size_t row, const std::string& name) {
  const auto names = fields_of(lines.at(0));
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) throw std::logic_error("no column " + name);
  return fields_of(lines.at(row)).at(static_cast<std::size_t>(found - names.begin()));
}

TEST_F(InAFolder, BenchListsTheBenchmarks) {
  const ProgramResult result = program("bench");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  for (const std::string name : {"few-particles", "fenns", "n-body", "pair-histogram"}) {
    EXPECT_NE(result.out.find(name + "  "), std::string::npos) << result.out;
    EXPECT_EQ(program("bench " + name + " --help").exit_code, 0);
  }
}

TEST_F(InAFolder, BenchFewParticlesRunsEveryBackEndAndWritesAllOfIt) {
  const auto before = listing();
  const ProgramResult result = program(std::string(quick_bench) + "--cells 2,3 --per-cell 1");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.err, "");
  for (const char* words :
       {"lennard-jones (18 FLOP)", "2^3 cells, 1 per cell: 8 particles, at most 3 in a cell",
        "7.00, as published (7.0)", "3^3 cells, 1 per cell: 27 particles", "not a published row",
        "reference", "no: the benchmark's potentials have no cutoff", "1 thread a target",
        "x-pencil"}) {
    EXPECT_NE(result.out.find(words), std::string::npos) << words << "\n" << result.out;
  }
  EXPECT_EQ(listing(), before) << "no --csv, no file";
}

TEST_F(InAFolder, BenchFewParticlesCsvHoldsARowForEachVariant) {
  const ProgramResult result = program(
      std::string(quick_bench) +
      "--cells 2,4 --per-cell 1 --backends par-part-no-loop,x-pencil --options "
      "'x-pencil:length=1;x-pencil:length=2;par-part-no-loop:threads_per_target=4,runs=merged' "
      "--csv bench.csv");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.out.find("x-pencil length=1"), std::string::npos) << result.out;
  const auto lines = lines_of(read("bench.csv"));
  ASSERT_EQ(lines.size(), 7U);
  const std::vector<std::string> backends{"par-part-no-loop", "x-pencil", "x-pencil"};
  for (std::size_t row = 1; row < lines.size(); ++row) {
    ASSERT_EQ(fields_of(lines[row]).size(), fields_of(lines[0]).size()) << lines[row];
    EXPECT_EQ(field(lines, row, "backend"), backends[(row - 1) % 3]);
    EXPECT_EQ(field(lines, row, "interactions_per_particle"), row <= 3 ? "7" : "13.75");
    EXPECT_EQ(field(lines, row, "largest_cell"), row <= 3 ? "3" : "4");
    EXPECT_EQ(field(lines, row, "calls"), "2");
    EXPECT_EQ(field(lines, row, "refusal"), "");
    EXPECT_GT(std::stod(field(lines, row, "graph_best_us")), 0.0);
    EXPECT_GE(std::stod(field(lines, row, "graph_median_us")),
              std::stod(field(lines, row, "graph_best_us")));
    EXPECT_GT(std::stod(field(lines, row, "calls_us")), 0.0);
    EXPECT_LT(std::stod(field(lines, row, "largest_error")), 1e-5);
  }
  EXPECT_EQ(field(lines, 1, "options"), "block=128 runs=merged threads_per_target=4");
  EXPECT_EQ(field(lines, 2, "blocks"), "8");
  EXPECT_EQ(field(lines, 3, "blocks"), "4");
}

TEST_F(InAFolder, BenchFewParticlesHasFourPotentials) {
  for (const std::string potential : {"position-sum", "lennard-jones", "extended", "rootless"}) {
    const ProgramResult result =
        program(std::string(quick_bench) + "--cells 2 --per-cell 10 --potential " + potential);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_NE(result.out.find("few-particles: " + potential), std::string::npos) << result.out;
  }
}

/// Whatever a cell holds and however it is divided among lanes: its targets in one chunk or in
/// several, groups that hold the last of a cell's own sources and the first of another's.
TEST_F(InAFolder, BenchFewParticlesIsRightInEveryShapeOfPairsOnce) {
  std::string options;
  for (const char* shape :
       {"group=1,targets=8,threads_per_cell=32", "group=4,targets=8,threads_per_cell=64",
        "group=8,targets=8,threads_per_cell=128", "group=32,targets=8,threads_per_cell=32",
        "group=4,targets=16,threads_per_cell=128"}) {
    options += (options.empty() ? "half-shell:" : ";half-shell:") + std::string(shape);
  }
  for (const std::string potential : {"lennard-jones", "position-sum"}) {
    const ProgramResult result = program(
        "bench few-particles --device host --calls 1 --repeats 1 --cells 2 --per-cell 40 "
        "--backends half-shell --options \"" +
        options + "\" --csv few.csv --overwrite --potential " + potential);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    const std::vector<std::string> lines = lines_of(read("few.csv"));
    ASSERT_EQ(lines.size(), 6U) << result.out;
    for (std::size_t k = 1; k < lines.size(); ++k) {
      EXPECT_LT(std::stod(field(lines, k, "largest_error")), 1e-5) << lines[k];
    }
  }
}

TEST_F(InAFolder, BenchFewParticlesLeavesOutLargeRowsOnTheHostAndSaysSo) {
  const ProgramResult result =
      program(std::string(quick_bench) + "--cells 2,32 --backends par-part-no-loop");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.out.find("left out, as too slow on this device: 32^3 x 1, 32^3 x 10, 2^3 x 100, "
                            "32^3 x 100"),
            std::string::npos)
      << result.out;
  EXPECT_NE(result.out.find("2^3 cells, 10 per cell"), std::string::npos) << result.out;
  const ProgramResult asked =
      program(std::string(quick_bench) + "--cells 2 --per-cell 100 --backends par-part-no-loop");
  EXPECT_EQ(asked.exit_code, 0) << asked.err;
  EXPECT_NE(asked.out.find("as published (799)"), std::string::npos) << asked.out;
}

TEST_F(InAFolder, BenchFewParticlesReplacesAFileOnlyIfToldTo) {
  write("mine.csv", "mine\n");
  const std::string arguments = std::string(quick_bench) +
                                "--cells 2 --per-cell 1 --backends par-part-no-loop --csv mine.csv";
  EXPECT_EQ(program(arguments).exit_code, 2);
  EXPECT_EQ(read("mine.csv"), "mine\n");
  EXPECT_EQ(program(arguments + " --overwrite").exit_code, 0);
  EXPECT_EQ(lines_of(read("mine.csv")).size(), 2U);
}

TEST_F(InAFolder, BenchFewParticlesDrawsTheFiguresOfThePaper) {
  const ProgramResult result =
      program(std::string(quick_bench) +
              "--cells 2,4 --per-cell 1 --backends par-part-no-loop,x-pencil "
              "--potential position-sum,lennard-jones,extended,rootless --output out");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.out.find("14.00     9.100"), std::string::npos) << "published beside ours\n"
                                                                   << result.out;
  const auto figure_6 = lines_of(read("out/few-particles-figure-6.csv"));
  EXPECT_EQ(figure_6.size(), 1U + 2U * 2U + 4U * 2U) << "ours, and four published chips";
  EXPECT_EQ(field(figure_6, 1, "series"), "par-part-no-loop");
  EXPECT_EQ(field(figure_6, 1, "speedup"), "1");
  const auto figure_8 = lines_of(read("out/few-particles-figure-8.csv"));
  EXPECT_EQ(figure_8.size(), 1U + 2U * 4U * 2U);
  for (const char* name : {"out/few-particles-figure-6.svg", "out/few-particles-figure-8.svg"}) {
    EXPECT_TRUE(read(name).starts_with("<svg")) << name;
  }
  EXPECT_NE(read("out/few-particles-figure-8.svg").find("x-pencil, 168 FLOP"), std::string::npos);
  EXPECT_EQ(lines_of(read("out/few-particles.csv")).size(), 17U);
  EXPECT_EQ(lines_of(read("out/few-particles-published.csv")).size(), 3U);
}

TEST_F(InAFolder, BenchFennsSetsEveryMethodBesideThePaper) {
  const ProgramResult result =
      program("bench fenns --device host --particles 1024 --radii 1 --repeats 1 --output out");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const auto lines = lines_of(read("out/fenns.csv"));
  ASSERT_EQ(lines.size(), 1U + 8U + 6U + 8U) << result.out;
  const auto row_of = [&](const std::string& scenario, const std::string& method) {
    for (std::size_t k = 1; k < lines.size(); ++k) {
      if (field(lines, k, "scenario") == scenario && field(lines, k, "method") == method) return k;
    }
    throw std::logic_error("no " + method);
  };
  const std::size_t paper = row_of("1", "hoetzlein 2r");
  EXPECT_EQ(field(lines, paper, "cells_per_side"), "90") << "Table 4";
  EXPECT_EQ(field(lines, paper, "published_gtx_1080_ti_ms"), "0.73");
  EXPECT_EQ(field(lines, paper, "published_titan_x_ms"), "0.89");
  EXPECT_EQ(field(lines, paper, "published_memory_bytes"), std::to_string(8 * 1024 + 8 * 729000));
  EXPECT_GT(std::stod(field(lines, paper, "median_ms")), 0.0);
  EXPECT_EQ(field(lines, row_of("2", "green 18^3"), "published_gtx_1080_ti_ms"), "1.09");
  EXPECT_EQ(field(lines, row_of("3", "par-part-loop merged"), "published_titan_x_ms"), "");
  const std::size_t fair = row_of("3", "green r");
  EXPECT_NE(field(lines, fair, "refusal").find("a grid of 360^3 cells"), std::string::npos);
  for (const char* name : {"out/fenns-scenario-1.svg", "out/fenns-scenario-3.svg", "out/fenns.html",
                           "out/fenns.json"}) {
    EXPECT_FALSE(read(name).empty()) << name;
  }
}

TEST_F(InAFolder, BenchNBodyComparesTiledWithNaive) {
  const auto before = std::chrono::steady_clock::now();
  const ProgramResult result =
      program("bench n-body --device host --particles 2,64,100 --output out");
  const std::chrono::duration<double> whole = std::chrono::steady_clock::now() - before;
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const auto lines = lines_of(read("out/n-body.csv"));
  ASSERT_EQ(lines.size(), 10U);
  EXPECT_EQ(field(lines, 7, "method"), "naive");
  EXPECT_EQ(field(lines, 9, "method"), "all-pairs threads_per_target=8");
  // Two bodies feel one force each; of 64 each feels 63, of 100 each 99.
  const double interactions[] = {2.0, 4032.0, 9900.0};
  double spent = 0.0;
  for (std::size_t row = 1; row < lines.size(); ++row) {
    const double seconds = 1e-3 * std::stod(field(lines, row, "median_ms"));
    EXPECT_NEAR(std::stod(field(lines, row, "interactions_per_s")) * seconds,
                interactions[(row - 1) / 3], 1e-6)
        << lines[row];
    const std::size_t naive = 1 + (row - 1) / 3 * 3;
    EXPECT_NEAR(std::stod(field(lines, row, "speedup")) * seconds,
                1e-3 * std::stod(field(lines, naive, "median_ms")), 1e-6 * seconds)
        << lines[row];
    EXPECT_LT(std::stod(field(lines, row, "force_error")), 1e-5);
    spent += seconds;
  }
  // Of three repeats two take the median or more, all within the time that the program took by this
  // test's own watch; a unit that is not the column's would be a thousand times off.
  EXPECT_LT(2.0 * spent, whole.count());
  EXPECT_GT(1000.0 * spent, whole.count());
  EXPECT_TRUE(read("out/n-body.svg").starts_with("<svg"));
}

TEST_F(InAFolder, BenchPairHistogramTimesFourWays) {
  const ProgramResult result =
      program("bench pair-histogram --device host --points 300 --buckets 20 --output out");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const auto lines = lines_of(read("out/pair-histogram.csv"));
  ASSERT_EQ(lines.size(), 5U);
  EXPECT_EQ(field(lines, 1, "method"), "naive");
  EXPECT_EQ(field(lines, 2, "method"), "tiled");
  EXPECT_EQ(field(lines, 3, "method"), "privatised");
  EXPECT_EQ(field(lines, 4, "method"), "banked");
  for (std::size_t row = 1; row < lines.size(); ++row) {
    EXPECT_GT(std::stod(field(lines, row, "median_s")), 0.0);
    EXPECT_EQ(field(lines, row, "published_titan_x_s"), "") << "of 512,000 points only";
  }
}

TEST_F(InAFolder, BenchesReplaceFilesOnlyIfToldTo) {
  expect_replaces_only_if_told_to("bench n-body --device host --particles 8 --output out",
                                  "bench n-body: --output: the file exists, got out/");
}

class BenchArgumentsTest : public InAFolder,
                           public ::testing::WithParamInterface<WrongArguments> {};

TEST_P(BenchArgumentsTest, GiveOneLineAndTouchNothing) {
  write("there.csv", "mine\n");
  expect_refused("bench " + GetParam().arguments, GetParam().line, GetParam().mention);
}

WrongArguments wrong(const std::string& arguments, const std::string& option,
                     const std::string& mention) {
  return {"few-particles " + arguments, "bench few-particles: " + option + ": ", mention};
}

INSTANTIATE_TEST_SUITE_P(
    FewParticles, BenchArgumentsTest,
    ::testing::Values(
        WrongArguments{"few-particle", "bench: unknown benchmark, got 'few-particle'",
                       "allowed: few-particles, fenns, n-body, pair-histogram"},
        WrongArguments{"few-particles more", "", "more"},
        WrongArguments{"few-particles --cutoff 3", "", "--cutoff"},
        wrong("--backends y-pencil", "--backends", "did you mean x-pencil?"),
        wrong("--backends x-pencil,", "--backends", "got nothing"),
        wrong("--backends x-pencil,x-pencil", "--backends", "twice"),
        wrong("--options y-pencil:length=3", "--options", "did you mean x-pencil?"),
        wrong("--options x-pencil:length", "--options", "allowed OPTION=VALUE"),
        wrong("--options x-pencil:lenght=3", "--options", "did you mean length?"),
        wrong("--options x-pencil:length=0", "--options", "length: not a value of this option"),
        wrong("--options x-pencil:length=longest", "--options", "got longest, allowed "),
        wrong("--options x-pencil:length=3,length=4", "--options", "an option twice"),
        wrong("--options reference:length=3", "--options", "no options"),
        wrong("--backends reference --options x-pencil", "--options", "not among --backends"),
        wrong("--cells 2,0", "--cells", "got 0, allowed 1 to 256"),
        wrong("--cells 2,,4", "--cells", "got nothing"), wrong("--cells 2,2", "--cells", "twice"),
        wrong("--cells two", "--cells", "got two"),
        wrong("--cells 256 --per-cell 100", "--cells", "1677721600, allowed at most 100000000"),
        wrong("--per-cell 1.5", "--per-cell", "got 1.5"),
        wrong("--potential gravity", "--potential",
              "position-sum, lennard-jones, extended, rootless"),
        wrong("--device metal", "--device", "allowed auto, host"),
        wrong("--calls 0", "--calls", "got 0"), wrong("--repeats x", "--repeats", "got x"),
        wrong("--csv there.csv", "--csv", "--overwrite"), wrong("--csv .", "--csv", "directory"),
        wrong("--potential extended,extended", "--potential", "twice"),
        wrong("--csv nowhere/bench.csv", "--csv", "no such directory"),
        wrong("--output there.csv", "--output", "a file, not a directory")));

INSTANTIATE_TEST_SUITE_P(
    Others, BenchArgumentsTest,
    ::testing::Values(
        WrongArguments{"fenns --scenarios 4", "bench fenns: --scenarios: ", "got 4"},
        WrongArguments{"fenns --particles 1", "bench fenns: --particles: ", "got 1"},
        WrongArguments{"fenns --radii 0", "bench fenns: --radii: ", "got 0, allowed 0.05 to 10"},
        WrongArguments{"fenns --radii 1,nan", "bench fenns: --radii: ", "got nan"},
        WrongArguments{"fenns --repeats 0", "bench fenns: --repeats: ", "got 0"},
        WrongArguments{"fenns --device metal", "bench fenns: --device: ", "allowed auto, host"},
        WrongArguments{"n-body --particles 64,64", "bench n-body: --particles: ", "twice"},
        WrongArguments{"n-body --options x-pencil", "bench n-body: --options: ", "all-pairs"},
        WrongArguments{"n-body --options all-pairs:block=3", "bench n-body: --options: ", "got 3"},
        WrongArguments{"n-body --output there.csv", "bench n-body: --output: ", "not a directory"},
        WrongArguments{"pair-histogram --points 1", "bench pair-histogram: --points: ", "got 1"},
        WrongArguments{"pair-histogram --buckets 0", "bench pair-histogram: --buckets: ", "got 0"},
        WrongArguments{"pair-histogram --block 7", "bench pair-histogram: --block: ", "got 7"},
        WrongArguments{"pair-histogram --speed 7", "", "--speed"}));

}  // namespace
}  // namespace pencilbox::testing
