// report.json says what the run said; the summary adds up.
#include <cmath>
#include <limits>
#include <regex>
#include <sstream>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/error.hpp"
#include "io/output/observable_files.hpp"
#include "io/output/report.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/texts.hpp"

namespace pencilbox::testing {
namespace {

using nlohmann::json;

RunReport sample_report() {
  RunReport report;
  report.particles = 32000;
  report.steps = 1000;
  report.seconds = 4.0;
  report.start_seconds = 0.75;
  report.device_bytes = 3200000;
  report.backend = "x-pencil";
  report.options = {{"width", "8"}, {"rebuild", "every-step"}};
  report.device.kind = "cuda";
  report.device.name = "Some GPU";
  report.device.driver = "12.4";
  report.device.compiler = "nvcc 12.4.99";
  report.precision = Precision::double_;
  report.deterministic = true;
  report.integrator = "velocity-verlet";
  report.regions = {0.5, 0.25, 0.125, 0.0, 2.0, 0.0625, 0.03125};
  report.backend_stats = {123.5, 1.0 / 3.0, 10, 128, 4096, 1 << 20, "pencils of 8 cells"};
  report.energy_drift = -1.5e-8;
  report.versions = library_versions();
  report.versions["pencilbox"] = "0.1.0";
  report.deck = "title: \"two\"\nlines: \xc3\xa4\n";
  return report;
}

json written(const RunReport& report) {
  const TemporaryFolder folder;
  write_report(folder / "report.json", report);
  EXPECT_FALSE(std::filesystem::exists(folder / "report.json.tmp"));
  return json::parse(read_text(folder / "report.json"));
}

TEST(Report, IsReadBackExactly) {
  const json read = written(sample_report());
  EXPECT_EQ(read.at("figure_of_merit").at("steps_per_s"), 250.0);
  EXPECT_EQ(read.at("figure_of_merit").at("matom_steps_per_s"), 8.0);
  EXPECT_EQ(read.at("particles"), 32000);
  EXPECT_EQ(read.at("steps"), 1000);
  EXPECT_EQ(read.at("seconds"), 4.0);
  EXPECT_EQ(read.at("start_seconds"), 0.75);
  EXPECT_EQ(read.at("device_bytes"), 3200000);
  EXPECT_EQ(read.at("backend"), "x-pencil");
  EXPECT_EQ(read.at("options"), json({{"width", "8"}, {"rebuild", "every-step"}}));
  EXPECT_EQ(read.at("device"), json({{"kind", "cuda"},
                                     {"name", "Some GPU"},
                                     {"driver", "12.4"},
                                     {"compiler", "nvcc 12.4.99"}}));
  EXPECT_EQ(read.at("precision"), "double");
  EXPECT_EQ(read.at("deterministic"), true);
  EXPECT_EQ(read.at("integrator"), "velocity-verlet");
  EXPECT_EQ(read.at("regions"), json({{"integrate", 0.5},
                                      {"bin", 0.25},
                                      {"reorder", 0.125},
                                      {"prepare", 0.0},
                                      {"force", 2.0},
                                      {"observe", 0.0625},
                                      {"write", 0.03125}}));
  EXPECT_EQ(read.at("backend_stats").at("pairs_in_range"), 1.0 / 3.0);
  EXPECT_EQ(read.at("backend_stats").at("candidates_per_particle"), 123.5);
  EXPECT_EQ(read.at("backend_stats").at("blocks"), 10);
  EXPECT_EQ(read.at("backend_stats").at("threads"), 128);
  EXPECT_EQ(read.at("backend_stats").at("shared_bytes"), 4096);
  EXPECT_EQ(read.at("backend_stats").at("device_bytes"), 1048576);
  EXPECT_EQ(read.at("backend_stats").at("note"), "pencils of 8 cells");
  EXPECT_TRUE(read.at("backend_stats").at("resources").is_null()) << "the host has none";
  EXPECT_EQ(read.at("energy_drift"), -1.5e-8);
  EXPECT_EQ(read.at("versions").at("pencilbox"), "0.1.0");
  for (const char* library : {"compiler", "hdf5", "fmt", "nlohmann_json"}) {
    EXPECT_FALSE(read.at("versions").at(library).get<std::string>().empty()) << library;
  }
  EXPECT_EQ(read.at("deck"), "title: \"two\"\nlines: \xc3\xa4\n");
}

TEST(Report, TellsOfStagesAndLeavesOutWhatWasNotDone) {
  RunReport report = sample_report();
  report.steps = 1000;
  report.stages = {{"minimise", "fire", 0.005, 0, 900, 1.5, Minimisation{0.1, 0.09, 400}},
                   {"produce", "velocity-verlet", 0.004, 900, 1000, 2.5, {}}};
  const json read = written(report);
  EXPECT_EQ(read.at("figure_of_merit").at("steps_per_s"), 125.0) << "500 of 1000 in 4 s";
  EXPECT_EQ(read.at("stages").at(0), json({{"name", "minimise"},
                                           {"integrator", "fire"},
                                           {"barostat", nullptr},
                                           {"timestep", 0.005},
                                           {"first_step", 0},
                                           {"last_step", 900},
                                           {"seconds", 1.5},
                                           {"on_first_rank_alone", false},
                                           {"minimisation",
                                            {{"converged", true},
                                             {"stopped_by", "force_tolerance"},
                                             {"steps", 400},
                                             {"largest_force", 0.09},
                                             {"force_tolerance", 0.1}}}}));
  EXPECT_TRUE(read.at("stages").at(1).at("minimisation").is_null());
  EXPECT_EQ(in_words(report.stages[0]),
            "stage minimise: steps 0 to 900 in 1.5 s; minimised in 400 steps: the largest force is "
            "0.09 epsilon/sigma, within the tolerance of 0.1");
  report.stages[0].minimisation = Minimisation{0.1, 7.5, {}};
  const json stopped = written(report).at("stages").at(0).at("minimisation");
  EXPECT_EQ(stopped.at("converged"), false);
  EXPECT_EQ(stopped.at("stopped_by"), "steps");
  EXPECT_EQ(stopped.at("steps"), 900);
}

TEST(Report, NamesTheKernelWhereTheDeviceDoes) {
  RunReport report = sample_report();
  report.backend_stats.resources = {"x-pencil", 56, 24, 0.375};
  const json expected{
      {"kernel", "x-pencil"}, {"registers", 56}, {"local_bytes", 24}, {"occupancy", 0.375}};
  EXPECT_EQ(written(report).at("backend_stats").at("resources"), expected);
}

TEST(Report, WhatIsNotFiniteIsNull) {
  RunReport report = sample_report();
  report.steps = 0;
  report.energy_drift = std::numeric_limits<double>::quiet_NaN();
  report.regions.force = std::numeric_limits<double>::infinity();
  const json read = written(report);
  EXPECT_TRUE(read.at("figure_of_merit").at("steps_per_s").is_null());
  EXPECT_TRUE(read.at("figure_of_merit").at("matom_steps_per_s").is_null());
  EXPECT_TRUE(read.at("energy_drift").is_null());
  EXPECT_TRUE(read.at("regions").at("force").is_null());
  EXPECT_EQ(read.at("regions").at("bin"), 0.25);
}

TEST(Report, SaysWhereItsNumbersComeFrom) {
  RunReport report = sample_report();
  report.provenance = {
      "cuda: Some GPU", "PCI 0000:17:00.0", "12.4",       "nvcc 12.4.99",        "0.1.0",
      "75446eeabcde",   "sha256:0",         "0f8f22c1-1", "2026-03-01T12:00:00Z"};
  const json origin = written(report).at("provenance");
  EXPECT_EQ(origin.at("device_identifier"), "PCI 0000:17:00.0");
  EXPECT_EQ(origin.at("compiler"), "nvcc 12.4.99");
  EXPECT_EQ(origin.at("commit"), "75446eeabcde");
  EXPECT_EQ(origin.at("deck_hash"), "sha256:0");
  EXPECT_EQ(origin.at("run_identifier"), "0f8f22c1-1");
  EXPECT_EQ(origin.at("date"), "2026-03-01T12:00:00Z");
  report.provenance.commit.clear();
  EXPECT_TRUE(written(report).at("provenance").at("commit").is_null()) << "built without git";
}

ObservableResult sample_observable() {
  ObservableResult result;
  result.name = "mean-squared-displacement";
  result.every = 10;
  result.samples = 301;
  result.seconds = 0.5;
  result.title = "Mean squared displacement";
  result.columns = {{"time", {0.0, 0.1}},
                    {"msd", {0.0, 1.0 / 3.0}, "all"},
                    {"origins", {2.0, std::numeric_limits<double>::quiet_NaN()}}};
  result.numbers = {{"diffusion_coefficient", 0.034, "sigma^2/tau"},
                    {"diffusion_coefficient_B", std::numeric_limits<double>::quiet_NaN()}};
  return result;
}

TEST(Report, SaysWhatObservablesFoundAndCost) {
  RunReport report = sample_report();
  report.observables = {sample_observable()};
  const json read = written(report).at("observables");
  ASSERT_EQ(read.size(), 1U);
  EXPECT_EQ(read[0].at("type"), "mean-squared-displacement");
  EXPECT_EQ(read[0].at("every"), 10);
  EXPECT_EQ(read[0].at("samples"), 301);
  EXPECT_EQ(read[0].at("seconds"), 0.5);
  EXPECT_EQ(read[0].at("share"), 0.125);
  EXPECT_EQ(read[0].at("numbers").at("diffusion_coefficient"), 0.034);
  EXPECT_TRUE(read[0].at("numbers").at("diffusion_coefficient_B").is_null());

  std::ostringstream screen;
  print_summary(screen, report);
  const std::string text = screen.str();
  EXPECT_NE(text.find("\n  mean-squared-displacement       0.5000 s   12.5 %\n"), std::string::npos)
      << text;
  EXPECT_NE(text.find("mean-squared-displacement: 301 samples\n"
                      "  diffusion_coefficient 0.034 sigma^2/tau\n"
                      "  diffusion_coefficient_B is not known: too few samples\n"),
            std::string::npos)
      << text;
}

TEST(ObservableFiles, AreATableAndAPicture) {
  EXPECT_EQ(to_csv(sample_observable()),
            "time,msd,origins\n0,0,2\n0.10000000000000001,0.33333333333333331,nan\n");
  const TemporaryFolder folder;
  write_observable(folder.path(), sample_observable());
  EXPECT_EQ(read_text(folder / "observable-mean-squared-displacement.csv"),
            to_csv(sample_observable()));
  const std::string svg = read_text(folder / "observable-mean-squared-displacement.svg");
  EXPECT_NE(svg.find("Mean squared displacement, 301 samples"), std::string::npos);
  EXPECT_NE(svg.find("<polyline"), std::string::npos);
  EXPECT_EQ(svg.find("<circle"), std::string::npos) << "a mark at each of many points";
}

TEST(Provenance, OfNowAndOfAText) {
  EXPECT_EQ(hash_of("abc"),
            "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");  // FIPS 180
  EXPECT_NE(new_run_identifier(), new_run_identifier());
  EXPECT_TRUE(std::regex_match(new_run_identifier(), std::regex("[0-9a-f]{8}(-[0-9a-f]{4}){3}-"
                                                                "[0-9a-f]{12}")));
  EXPECT_TRUE(std::regex_match(date_now(), std::regex("20\\d\\d-\\d\\d-\\d\\dT\\d\\d:\\d\\d:"
                                                      "\\d\\dZ")));
}

constexpr NeighborStats crowded{12.5, 19, 200.0, 260, 50.0, 71};

TEST(Report, CountsNeighbors) {
  RunReport report = sample_report();
  report.neighbors = crowded;
  EXPECT_EQ(written(report).at("neighbors"), json({{"particles_per_cell", 12.5},
                                                   {"largest_cell", 19},
                                                   {"candidates_per_particle", 200.0},
                                                   {"most_candidates", 260},
                                                   {"partners_per_particle", 50.0},
                                                   {"most_partners", 71},
                                                   {"share_in_range", 0.25}}));
}

TEST(Report, OfRanksSaysWhatTheyExchangedAndHowEvenlyTheyWorked) {
  RunReport report = sample_report();
  EXPECT_TRUE(written(report).at("load").is_null());
  EXPECT_FALSE(written(report).at("regions").contains("exchange"));
  report.ranks = {2, 1, 1};
  report.exchange = "by pigeons";
  report.regions.exchange = 0.25;
  report.load = {1.5, 2};
  EXPECT_EQ(written(report).at("regions").at("exchange"), 0.25);
  EXPECT_EQ(written(report).at("load"),
            json({{"busiest_over_mean", 1.5}, {"times_dealt_anew", 2}}));
  std::ostringstream out;
  print_summary(out, report);
  for (const std::string part :
       {"  exchange         0.2500 s    6.2 %", "  other            0.7812 s",
        "ranks: the busiest worked 1.50 times as long as the mean, cells "
        "dealt out anew 2 times\n"}) {
    EXPECT_NE(out.str().find(part), std::string::npos) << part << " is not in\n" << out.str();
  }
}

TEST(Report, SurvivesANameThatIsNotUtf8) {
  RunReport report = sample_report();
  report.device.name = "caf\xe9";
  EXPECT_EQ(written(report).at("device").at("name"), "caf\xef\xbf\xbd");
}

TEST(Report, ThatCannotBeWrittenLeavesTheOldOne) {
  const TemporaryFolder folder;
  write_report(folder / "report.json", sample_report());
  std::filesystem::create_directory(folder / "report.json.tmp");  // in the way
  RunReport other = sample_report();
  other.steps = 7;
  EXPECT_THROW(write_report(folder / "report.json", other), SystemError);
  EXPECT_EQ(json::parse(read_text(folder / "report.json")).at("steps"), 1000);
}

TEST(Summary, ShowsWhereTheTimeWent) {
  std::ostringstream out;
  print_summary(out, sample_report());
  const std::string text = out.str();
  for (const std::string part :
       {"32000 particles, 1000 steps in 4 s with x-pencil on cuda (Some GPU), precision double",
        "figure of merit: 8 Matom-steps/s (250 steps/s)",
        "start: 0.75 s; memory on the device: 3.2 MB, 100 bytes a particle",
        "  force            2.0000 s   50.0 %", "  bin              0.2500 s    6.2 %",
        "  other            1.0312 s   25.8 %", "energy drift: -1.5e-08"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << " is not in\n" << text;
  }
}

TEST(Summary, ExplainsTheSpeedByNeighbors) {
  std::ostringstream out;
  RunReport report = sample_report();
  report.neighbors = crowded;
  print_summary(out, report);
  EXPECT_NE(out.str().find("neighbours: 12.5 particles in a cell (at most 19)\n"
                           "of a particle: 200.0 candidates (at most 260), 50.0 partners (at most "
                           "71), 25 % in range\n"),
            std::string::npos)
      << out.str();
}

TEST(Summary, OfARunOfNoStepsClaimsNothing) {
  std::ostringstream out;
  RunReport report;
  report.particles = 4;
  print_summary(out, report);
  EXPECT_EQ(out.str().find("figure of merit"), std::string::npos);
  EXPECT_EQ(out.str().find("nan"), std::string::npos) << out.str();
  EXPECT_EQ(out.str().find('%'), std::string::npos) << out.str();
}

}  // namespace
}  // namespace pencilbox::testing
