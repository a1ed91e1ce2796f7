// Observables of a run, as a user meets them: what is written, what is refused, and that nothing
// else changes.

#include <nlohmann/json.hpp>

#include "tests/app/program_runner.hpp"
#include "tests/io/output_support.hpp"

namespace pencilbox::testing {
namespace {

namespace fs = std::filesystem;

constexpr const char* observables =
    "observables:\n"
    "  - {type: radial-distribution, every: 4, bins: 50, max_distance: 3}\n"
    "  - {type: mean-squared-displacement, every: 3, length: 4, origin_every: 1}\n"
    "  - {type: velocity-autocorrelation, every: 2, from: 7, length: 4, origin_every: 2}\n"
    "  - {type: pressure-tensor, every: 2}\n"
    "  - {type: energies-by-type, every: 5, from: 1}\n"
    "  - {type: density-profile, every: 5, axis: x, bins: 20}\n"
    "  - {type: coordination, every: 5, max_distance: 1.5}\n"
    "  - {type: structure-factor, every: 10, k_max: 8, bins: 20, max_vectors: 10}\n";

const std::vector<std::string> files{"observable-radial-distribution",
                                     "observable-mean-squared-displacement",
                                     "observable-velocity-autocorrelation",
                                     "observable-pressure-tensor",
                                     "observable-energies-by-type",
                                     "observable-density-profile",
                                     "observable-coordination",
                                     "observable-structure-factor"};

class ObservablesOfARun : public InAFolder {
 protected:
  ObservablesOfARun() { write("deck.yaml", small_deck(observables)); }

  void expect_refused(const std::string& arguments, const std::string& words) const {
    const ProgramResult result = program(arguments);
    EXPECT_EQ(result.exit_code, 2) << arguments;
    EXPECT_NE(result.err.find(words), std::string::npos) << result.err;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  }
};

TEST_F(ObservablesOfARun, AreWrittenAndReported) {
  const ProgramResult result = program("run deck.yaml");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  for (const std::string& file : files) {
    EXPECT_TRUE(fs::exists(folder() / "deck" / (file + ".csv"))) << file;
    EXPECT_NE(read("deck/" + file + ".svg").find("<polyline"), std::string::npos) << file;
    EXPECT_NE(result.out.find(file.substr(std::string("observable-").size()) + ": "),
              std::string::npos)
        << result.out;
  }
  EXPECT_EQ(read("deck/observable-radial-distribution.csv").substr(0, 6), "r,g,n\n");
  const auto report = nlohmann::json::parse(read("deck/report.json")).at("observables");
  EXPECT_EQ(report[0].at("samples"), 6);  // 0, 4, ..., 20
  EXPECT_EQ(report[1].at("samples"), 7);  // 0, 3, ..., 18
  EXPECT_EQ(report[2].at("samples"), 7);  // 8, 10, ..., 20
  EXPECT_GT(report[0].at("share"), 0.0);
  EXPECT_TRUE(report[1].at("numbers").at("diffusion_coefficient").is_number());
}

TEST_F(ObservablesOfARun, AgreeWithThermo) {
  ASSERT_EQ(program("run deck.yaml --quiet --set run.precision=double --set output.thermo.every=5 "
                    "--set 'observables=[{type: pressure-tensor, every: 5}, "
                    "{type: energies-by-type, every: 5}]'")
                .exit_code,
            0);
  const auto thermo = rows_of(read("deck/thermo.csv"));
  const auto tensor = rows_of(read("deck/observable-pressure-tensor.csv"));
  const auto energies = rows_of(read("deck/observable-energies-by-type.csv"));
  ASSERT_EQ(thermo.size(), 5U);
  ASSERT_EQ(tensor.size(), thermo.size());
  ASSERT_EQ(energies.size(), thermo.size());
  for (std::size_t row = 0; row < thermo.size(); ++row) {
    EXPECT_EQ(tensor[row][0], thermo[row][0]);
    EXPECT_EQ(tensor[row][1], thermo[row][1]);
    const double trace = tensor[row][3] + tensor[row][4] + tensor[row][5];
    EXPECT_NEAR(trace / 3.0, thermo[row].back(), 1e-11);
    EXPECT_NEAR(energies[row][2], thermo[row][3], 1e-12);
    EXPECT_NEAR(energies[row][3], thermo[row][4], 1e-12);
  }
}

TEST_F(ObservablesOfARun, AreInTheTrajectoryToo) {
  ASSERT_EQ(program("run deck.yaml --quiet --set output.trajectory.every=10 "
                    "--set output.checkpoint.every=12")
                .exit_code,
            0);
  const ReadFile file(folder() / "deck/trajectory.h5md");
  const std::string g = "/observables/radial-distribution/table/";
  EXPECT_EQ(file.values(g + "step").data, (std::vector<double>{12.0, 20.0}));
  const Values tables = file.values(g + "value");
  EXPECT_EQ(tables.shape, (std::vector<hsize_t>{2, 50, 3}));
  const auto csv = rows_of(read("deck/observable-radial-distribution.csv"));
  for (std::size_t row = 0; row < 50; ++row) {
    for (std::size_t column = 0; column < 3; ++column) {
      EXPECT_EQ(tables.data[(50 + row) * 3 + column], csv[row][column]) << row;
    }
  }
  const std::string p = "/observables/pressure-tensor/table/";
  const auto series = rows_of(read("deck/observable-pressure-tensor.csv"));
  const Values values = file.values(p + "value");
  ASSERT_EQ(values.shape, (std::vector<hsize_t>{11, series[0].size() - 2}));
  for (std::size_t row = 0; row < series.size(); ++row) {
    EXPECT_EQ(file.values(p + "step").data[row], series[row][0]);
    EXPECT_EQ(file.values(p + "time").data[row], series[row][1]);
    for (std::size_t column = 2; column < series[row].size(); ++column) {
      EXPECT_EQ(values.data[row * (series[row].size() - 2) + column - 2], series[row][column]);
    }
  }
  EXPECT_EQ(file.values("/observables/structure-factor/value").data,
            (std::vector<double>{0.0, 0.0, 1.0}));
}

TEST_F(ObservablesOfARun, ChangeNoBitOfTheRun) {
  const std::string with = "run deck.yaml --quiet --set run.deterministic=true --set ";
  ASSERT_EQ(program(with + "output.directory=with").exit_code, 0);
  write("deck.yaml", small_deck());
  ASSERT_EQ(program(with + "output.directory=without").exit_code, 0);
  EXPECT_EQ(read("with/thermo.csv"), read("without/thermo.csv"));
}

TEST_F(ObservablesOfARun, AreTheSameWithAnyNumberOfThreads) {
  const std::string with = "run deck.yaml --quiet --set run.deterministic=true --set ";
  ASSERT_EQ(program(with + "output.directory=one", "OMP_NUM_THREADS=1").exit_code, 0);
  ASSERT_EQ(program(with + "output.directory=three", "OMP_NUM_THREADS=3").exit_code, 0);
  for (const std::string& file : files) {
    EXPECT_EQ(read("one/" + file + ".csv"), read("three/" + file + ".csv")) << file;
  }
}

TEST_F(ObservablesOfARun, OfAnEarlierRunAreNeitherLostNorLeftBehind) {
  ASSERT_EQ(program("run deck.yaml --quiet").exit_code, 0);
  const std::string before = read("deck/" + files[0] + ".csv");
  for (const auto& entry : fs::directory_iterator(folder() / "deck")) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with("observable-") && name != "deck.yaml") fs::remove(entry.path());
  }
  expect_refused("run deck.yaml --quiet", "is already there; to replace it, say --overwrite");
  EXPECT_EQ(read("deck/" + files[0] + ".csv"), before);
  write("deck.yaml", small_deck());
  ASSERT_EQ(program("run deck.yaml --quiet --overwrite").exit_code, 0);
  for (const std::string& file : files) {
    EXPECT_FALSE(fs::exists(folder() / "deck" / (file + ".csv"))) << file;
    EXPECT_FALSE(fs::exists(folder() / "deck" / (file + ".svg"))) << file;
  }
}

TEST_F(ObservablesOfARun, AResumedRunKeepsThem) {
  ASSERT_EQ(
      program("run deck.yaml --quiet --set run.steps=10 --set output.checkpoint.every=5").exit_code,
      0);
  const std::string resume = " deck.yaml --resume --set output.checkpoint.every=5 --set ";
  const std::string g = "{type: radial-distribution, every: 4, bins: 50, max_distance: 3}";
  const std::string d = "{type: mean-squared-displacement, every: 3, length: 4, origin_every: 1}";
  const std::string v =
      "{type: velocity-autocorrelation, every: 2, from: 7, length: 4, origin_every: 2}";
  const std::string rest =
      ", {type: pressure-tensor, every: 2}, {type: energies-by-type, every: 5, from: 1}, "
      "{type: density-profile, every: 5, axis: x, bins: 20}, "
      "{type: coordination, every: 5, max_distance: 1.5}, "
      "{type: structure-factor, every: 10, k_max: 8, bins: 20, max_vectors: 10}";
  const auto with = [](const std::string& list) { return "'observables=[" + list + "]'"; };
  for (const std::string command : {"run --quiet", "check"}) {
    expect_refused(command + resume + with(g + ", " + d + rest),
                   "velocity-autocorrelation is missing");
    std::string other = g;
    other.replace(other.find("50"), 2, "60");
    expect_refused(
        command + resume + with(other + ", " + d + ", " + v + rest),
        "--set observables[0].bins: differs from deck/checkpoint.h5, got 60, allowed 50");
    other = d;
    other.replace(other.find("every: 3"), 8, "every: 2");
    expect_refused(command + resume + with(g + ", " + other + ", " + v + rest),
                   "--set observables[1].every: differs from deck/checkpoint.h5, got 2, allowed 3");
    other = rest;
    other.replace(other.find("axis: x"), 7, "axis: y");
    expect_refused(command + resume + with(g + ", " + d + ", " + v + other),
                   "--set observables[5].axis: differs from deck/checkpoint.h5, got y, allowed x");
  }
  EXPECT_EQ(program("run deck.yaml --quiet --resume").exit_code, 0);
}

TEST_F(ObservablesOfARun, OneMayBeginWithTheSecondPart) {
  write("deck.yaml", small_deck());
  ASSERT_EQ(
      program("run deck.yaml --quiet --set run.steps=10 --set output.checkpoint.every=5").exit_code,
      0);
  write("deck.yaml", small_deck(observables));
  ASSERT_EQ(program("run deck.yaml --quiet --resume").exit_code, 0);
  const auto report = nlohmann::json::parse(read("deck/report.json")).at("observables");
  EXPECT_EQ(report[0].at("samples"), 3);  // 12, 16, 20
}

TEST_F(ObservablesOfARun, OfAKilledRunAreThereSinceItsCheckpoint) {
  const pid_t child = start({"run", "deck.yaml", "--quiet", "--set", "run.steps=100000000", "--set",
                             "output.checkpoint.every=5"});
  for (int k = 0; k < 1000 && !fs::exists(folder() / "deck/checkpoint.h5"); ++k) usleep(10'000);
  kill(child, SIGKILL);
  EXPECT_EQ(finish(child).exit_code, -SIGKILL);
  ASSERT_TRUE(fs::exists(folder() / "deck/checkpoint.h5"));
  EXPECT_FALSE(fs::exists(folder() / "deck/report.json"));
  for (const std::string& file : files) {
    EXPECT_TRUE(fs::exists(folder() / "deck" / (file + ".csv"))) << file;
    EXPECT_TRUE(fs::exists(folder() / "deck" / (file + ".svg"))) << file;
  }
}

TEST_F(ObservablesOfARun, ThatABoxDoesNotHaveAreRefusedWithTheKey) {
  for (const std::string command : {"check", "run --quiet"}) {
    expect_refused(command + " deck.yaml --set 'system.boundary=[periodic, periodic, open]'",
                   "deck.yaml:9: observables[0].type: g(r) is relative to a uniform density");
    expect_refused(command + " deck.yaml --set 'system.particles.lattice.cells=[4, 3, 4]'",
                   "deck.yaml:9: observables[0].max_distance: more than half of the shortest side");
    expect_refused(command +
                       " deck.yaml --set 'observables=[{type: radial-distribution, every: 1, "
                       "max_distance: 1}, {type: radial-distribution, every: 2, "
                       "max_distance: 1}]'",
                   "--set observables[1].type: duplicate observable, got radial-distribution");
  }
  EXPECT_FALSE(fs::exists(folder() / "deck"));
}

}  // namespace
}  // namespace pencilbox::testing
