// Runs that were stopped, killed or finished, and go on with --resume: nothing is lost, nothing is
// there twice, and with `deterministic` not a bit differs from a run in one go.
#include <random>
#include <sstream>

#include <nlohmann/json.hpp>

#include "tests/app/program_runner.hpp"
#include "tests/io/output_support.hpp"
#include "tests/support/configurations.hpp"
#include "tests/support/texts.hpp"

namespace pencilbox::testing {
namespace {

namespace fs = std::filesystem;

/// A number that a longer test by hand may raise, e.g. PENCILBOX_KILLS=200.
int from_environment(const char* name, int usual) {
  const char* text = std::getenv(name);
  return text == nullptr ? usual : std::atoi(text);
}

/// Steps of the deck below; rows, frames and checkpoints at 1/20, 1/10 and 1/4 of them, and at the
/// half a checkpoint with neither.
std::string resumable_deck(int steps, const std::string& more = "") {
  const auto part = [steps](int share) { return std::to_string(std::max(1, steps / share)); };
  return "system:\n"
         "  particles:\n"
         "    lattice: {type: fcc, density: 0.8442, cells: [4, 4, 4]}\n"
         "  velocities: {temperature: 1.44, seed: 1}\n"
         "  types: [{name: A, fraction: 0.5}, {name: B, mass: 2, fraction: 0.5}]\n"
         "potential: {cutoff: 2.5}\n"
         "run: {steps: " +
         std::to_string(steps) +
         ", device: host, deterministic: true}\n"
         "observables:\n"
         "  - {type: radial-distribution, every: " +
         part(10) +
         ", bins: 40, max_distance: 3}\n"
         "  - {type: mean-squared-displacement, every: " +
         part(20) +
         ", length: 7, origin_every: 2}\n"
         "  - {type: velocity-autocorrelation, every: " +
         part(20) +
         ", from: 2, length: 6, origin_every: 3}\n"
         "  - {type: pressure-tensor, every: " +
         part(20) + "}\n  - {type: energies-by-type, every: " + part(10) +
         "}\n  - {type: density-profile, every: " + part(10) +
         ", bins: 20}\n  - {type: coordination, every: " + part(10) +
         ", max_distance: 1.5}\n  - {type: structure-factor, every: " + part(10) +
         ", k_max: 6, bins: 10, max_vectors: 5}\n"
         "output:\n"
         "  thermo: {every: " +
         part(20) + "}\n  trajectory: {every: " + part(10) +
         ", fields: [position, velocity, force, image, species, id, potential_energy, speed]}\n"
         "  checkpoint: {every: " +
         part(4) + "}\n" + more;
}

class ResumedRun : public InAFolder {
 protected:
  // Threads that spin for work cost small runs on a busy machine more than they bring.
  ResumedRun() { setenv("OMP_NUM_THREADS", "1", 1); }

  /// Runs the deck quietly with more on the command line and expects it to end well.
  void run(const std::string& arguments) const {
    const ProgramResult result = program("run deck.yaml --quiet " + arguments);
    ASSERT_EQ(result.exit_code, 0) << arguments << ": " << result.err;
  }

  /// All that two runs left, but for their reports and what a header says of the deck.
  void expect_same_outputs(const std::string& a, const std::string& b) const {
    for (const char* name :
         {"/thermo.csv", "/checkpoint.h5", "/checkpoint.previous.h5",
          "/observable-radial-distribution.csv", "/observable-mean-squared-displacement.csv",
          "/observable-velocity-autocorrelation.csv", "/observable-radial-distribution.svg",
          "/observable-pressure-tensor.csv", "/observable-energies-by-type.csv",
          "/observable-density-profile.csv", "/observable-coordination.csv",
          "/observable-structure-factor.csv"}) {
      EXPECT_EQ(read(a + name) == read(b + name), true) << b << name;
    }
    const ReadFile first(folder() / a / "trajectory.h5md");
    const ReadFile second(folder() / b / "trajectory.h5md");
    const std::string all = "/particles/all/";
    for (const std::string field :
         {"position/step", "position/time", "position/value", "velocity/value", "force/value",
          "image/value", "id/value", "potential_energy/value", "speed/value", "box/edges/value"}) {
      const Values x = first.values(all + field), y = second.values(all + field);
      EXPECT_EQ(x.shape, y.shape) << field;
      EXPECT_EQ(x.data, y.data) << field;
    }
    // Of tables the last: one that was stopped has that of its stop besides.
    for (const std::string series : {"pressure-tensor/table/step", "pressure-tensor/table/value",
                                     "energies-by-type/table/time"}) {
      EXPECT_EQ(first.values("/observables/" + series).data,
                second.values("/observables/" + series).data)
          << series;
    }
    for (const std::string type : {"radial-distribution", "coordination", "structure-factor"}) {
      const std::string numbers = "/observables/" + type + "/numbers/";
      EXPECT_EQ(first.values(numbers + "step").data.back(),
                second.values(numbers + "step").data.back());
      EXPECT_EQ(first.values(numbers + "value").data.back(),
                second.values(numbers + "value").data.back());
    }
  }

  ProgramResult refused(const std::string& arguments) const {
    const auto before = listing();
    const ProgramResult result = program("run deck.yaml --quiet --resume " + arguments);
    EXPECT_EQ(result.exit_code, 2) << arguments << ": " << result.err;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
    EXPECT_EQ(listing(), before) << arguments;
    return result;
  }
};

TEST_F(ResumedRun, HalfAndHalfIsTheWholeForEveryBackEnd) {
  const int steps = from_environment("PENCILBOX_RESUME_STEPS", 8);
  write("deck.yaml", resumable_deck(steps));
  int resumed = 0;
  for (const DeviceBackend& backend : device_backends()) {
    if (!backend.info.has_fixed_order) continue;  // the deck is deterministic
    const std::string& name = backend.info.name;
    const std::string folder = backend.device->kind() + "-" + name;
    const std::string with = "--set run.device=" + backend.device->kind() +
                             " --set neighbor.backend=" + name +
                             " --set output.directory=" + folder;
    run(with + "/whole");
    run(with + "/parts --set run.steps=" + std::to_string(steps / 2));
    run(with + "/parts --resume");
    expect_same_outputs(folder + "/whole", folder + "/parts");
    ++resumed;
  }
  EXPECT_GT(resumed, 5);
}

TEST_F(ResumedRun, EveryPrecisionToo) {
  write("deck.yaml", resumable_deck(40));
  for (const std::string precision : {"single", "double"}) {
    const std::string with = "--set run.precision=" + precision + " --set output.directory=";
    run(with + precision + "/whole");
    run(with + precision + "/parts --set run.steps=20");
    run(with + precision + "/parts --resume");
    expect_same_outputs(precision + "/whole", precision + "/parts");
  }
}

/// Before a first step a bath may not know yet what it will note there.
TEST_F(ResumedRun, FromItsStartWithEveryBath) {
  write("deck.yaml", resumable_deck(8));
  for (const std::string bath :
       {"langevin, friction: 1", "velocity-rescaling, relaxation_time: 0.1",
        "nose-hoover, relaxation_time: 0.1"}) {
    const std::string folder = bath.substr(0, bath.find(','));
    const std::string with =
        "--set 'integrator={temperature: 1, type: " + bath + "}' --set output.directory=" + folder;
    run(with + "/whole");
    run(with + "/parts --set run.steps=0");
    run(with + "/parts --resume");
    expect_same_outputs(folder + "/whole", folder + "/parts");
  }
}

/// The skin of a list is cut down to the box of the start; a barostat makes that larger, and then a
/// larger one would fit.
TEST_F(ResumedRun, WithTheSkinThatItBeganWith) {
  write("deck.yaml", R"(
system:
  particles: {lattice: {type: sc, density: 0.8442, cells: [3, 3, 4]}}
  velocities: {temperature: 3, seed: 33}
potential: {cutoff: 3}
neighbor: {backend: verlet-list, skin: 0.3}
integrator: {type: nose-hoover, relaxation_time: 0.3, temperature: 0.8, timestep: 0.003}
barostat: {pressure: 1, relaxation_time: 2, every: 1}
run: {steps: 24, device: host, deterministic: true}
output: {thermo: {every: 2}, checkpoint: {every: 8}}
)");
  for (const std::string skin : {"0.3", "auto"}) {
    const std::string with = "--set neighbor.skin=" + skin + " --set output.directory=" + skin;
    run(with + "/whole");
    run(with + "/parts --set run.steps=10");
    run(with + "/parts --resume");
    EXPECT_EQ(read(skin + "/whole/thermo.csv"), read(skin + "/parts/thermo.csv"));
  }
}

TEST_F(ResumedRun, AStopWhereALongerRunWouldNotLookChangesNoBit) {
  write("deck.yaml", resumable_deck(40));  // rows every 2 steps: 33 is none of them
  run("--set output.directory=whole");
  run("--set output.directory=parts --set run.steps=33");
  run("--set output.directory=parts --resume");
  EXPECT_EQ(read("whole/checkpoint.h5"), read("parts/checkpoint.h5"));
  // The row and the frame of what was the last step stay.
  EXPECT_EQ(lines_of(read("parts/thermo.csv")).size(),
            lines_of(read("whole/thermo.csv")).size() + 1);
}

TEST_F(ResumedRun, AnotherBackEndMayGoOn) {
  write("deck.yaml", resumable_deck(20));
  run("--set output.directory=whole");
  run("--set output.directory=parts --set run.steps=10");
  run("--set output.directory=parts --resume --set neighbor.backend=reference "
      "--set run.deterministic=false");
  const auto last_energy = [&](const std::string& name) {
    std::istringstream row(lines_of(read(name)).back());
    std::string cell;
    for (int i = 0; i < 6; ++i) std::getline(row, cell, ',');
    return std::stod(cell);
  };
  EXPECT_NEAR(last_energy("parts/thermo.csv"), last_energy("whole/thermo.csv"), 1e-5);
}

TEST_F(ResumedRun, KillsAtAnyMomentLoseNothing) {
  const int kills = from_environment("PENCILBOX_KILLS", 4);
  const int steps = from_environment("PENCILBOX_KILL_STEPS", 120);
  write("deck.yaml", resumable_deck(steps));
  std::vector<std::string> often{"--set", "output.thermo.every=2",
                                 "--set", "output.trajectory.every=2",
                                 "--set", "output.checkpoint.every=4"};
  std::string typed;
  for (const std::string& word : often) typed += " " + word;
  run("--set output.directory=whole" + typed);
  std::mt19937 random(17);
  int killed = 0, finished = 0;
  bool begun = false;
  while (killed < kills) {
    std::vector<std::string> arguments{"run", "deck.yaml", "--quiet", "--set",
                                       "output.directory=parts"};
    arguments.insert(arguments.end(), often.begin(), often.end());
    arguments.push_back(begun ? "--resume" : "--overwrite");
    const pid_t child = start(arguments);
    usleep(static_cast<useconds_t>(20'000 + random() % 180'000));
    kill(child, SIGKILL);
    const ProgramResult result = finish(child);
    if (result.exit_code == 0) {
      fs::remove_all(folder() / "parts");
      begun = false;
      ++finished;
      continue;
    }
    ASSERT_EQ(result.exit_code, -SIGKILL) << result.err;
    ++killed;
    begun = fs::exists(folder() / "parts/checkpoint.h5") ||
            fs::exists(folder() / "parts/checkpoint.previous.h5");
  }
  run("--set output.directory=parts" + typed + (begun ? " --resume" : " --overwrite"));
  expect_same_outputs("whole", "parts");
  std::printf("%d kills, %d runs came through before theirs\n", killed, finished);
}

TEST_F(ResumedRun, AHalfRowIsTakenOff) {
  write("deck.yaml", resumable_deck(40));
  run("--set output.directory=whole");
  run("--set output.directory=parts --set run.steps=20");
  std::ofstream(folder() / "parts/thermo.csv", std::ios::app) << "22,0.11,1.37";
  run("--set output.directory=parts --resume");
  EXPECT_EQ(read("parts/thermo.csv"), read("whole/thermo.csv"));
}

TEST_F(ResumedRun, TheOlderGenerationIsUsedWithANoteIfTheNewerIsDamaged) {
  write("deck.yaml", resumable_deck(40));
  run("--set output.directory=whole");
  run("--set output.directory=parts --set run.steps=30");
  fs::resize_file(folder() / "parts/checkpoint.h5", 1000);
  const ProgramResult result =
      program("run deck.yaml --quiet --resume --set output.directory=parts");
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_NE(result.err.find("checkpoint.h5: its end is missing: truncated"), std::string::npos)
      << result.err;
  EXPECT_NE(result.err.find("going on from the older checkpoint.previous.h5, step 20"),
            std::string::npos)
      << result.err;
  expect_same_outputs("whole", "parts");
}

TEST_F(ResumedRun, TheReportGoesOnToo) {
  write("deck.yaml", resumable_deck(40));
  run("--set output.directory=whole");
  run("--set output.directory=parts --set run.steps=20");
  run("--set output.directory=parts --resume");
  const auto whole = nlohmann::json::parse(read("whole/report.json"));
  const auto parts = nlohmann::json::parse(read("parts/report.json"));
  EXPECT_EQ(whole.at("first_step"), 0);
  EXPECT_EQ(parts.at("first_step"), 20);
  EXPECT_EQ(parts.at("last_step"), 40);
  EXPECT_EQ(parts.at("steps"), 20);
  EXPECT_EQ(parts.at("stopped"), nullptr);
  EXPECT_EQ(parts.at("energy_drift"), whole.at("energy_drift"));
}

TEST_F(ResumedRun, FramesMayBeginWithTheSecondPart) {
  write("deck.yaml",
        "system:\n  particles:\n    lattice: {type: fcc, density: 0.8442, cells: [4, 4, 4]}\n"
        "potential: {cutoff: 2.5}\nrun: {steps: 20, device: host}\n"
        "output: {checkpoint: {every: 10}}\n");
  run("--set run.steps=10");
  EXPECT_FALSE(fs::exists(folder() / "deck/trajectory.h5md"));
  run("--resume --set 'output.trajectory={every: 5}'");
  const ReadFile trajectory(folder() / "deck/trajectory.h5md");
  EXPECT_EQ(trajectory.values("/particles/all/position/step").data,
            (std::vector<double>{15.0, 20.0}));
}

TEST_F(ResumedRun, SaysThatNothingIsLeftToDo) {
  write("deck.yaml", resumable_deck(20));
  run("");
  const auto before = listing();
  for (const std::string command : {"run", "check"}) {
    const ProgramResult result = program(command + " deck.yaml --resume");
    EXPECT_EQ(result.exit_code, 0);
    EXPECT_NE(result.out.find("nothing left to do: deck/checkpoint.h5 is of step 20"),
              std::string::npos)
        << result.out;
  }
  EXPECT_EQ(listing(), before);
  EXPECT_NE(refused("--set run.steps=10").err.find("--set run.steps: nothing is left to do"),
            std::string::npos);
}

TEST_F(ResumedRun, CheckSaysWhereItWouldGoOn) {
  write("deck.yaml", resumable_deck(20));
  run("--set run.steps=10");
  const ProgramResult result = program("check deck.yaml --resume");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.out.find("at step 10, from deck/checkpoint.h5; 10 steps to go"),
            std::string::npos)
      << result.out;
}

TEST_F(ResumedRun, WhatIsOfAnotherRunIsRefusedWithBothValues) {
  write("deck.yaml", resumable_deck(20));
  run("--set run.steps=10");
  struct Mismatch {
    std::string change;
    std::vector<std::string> words;
  };
  for (const Mismatch& mismatch : std::vector<Mismatch>{
           {"'system.particles.lattice.cells=[5, 5, 5]'", {"500 particles", "256"}},
           {"system.particles.lattice.density=0.8", {"the box differs", "6.839", "6.71"}},
           {"'system.types=[{name: A}]'", {"the types differ", "A of mass 1", "B of mass 2"}},
           {"run.precision=double", {"run.precision", "double", "mixed"}},
           {"potential.cutoff=3", {"potential.cutoff", "3", "2.5"}},
           {"potential.truncation=shift", {"potential.truncation", "shift", "cut"}},
           {"integrator.timestep=0.001", {"integrator.timestep", "0.001", "0.005"}},
           {"system.velocities.seed=2", {"system.velocities.seed", "got 2", "allowed 1"}}}) {
    const ProgramResult result = refused("--set " + mismatch.change);
    for (const std::string& word : mismatch.words) {
      EXPECT_NE(result.err.find(word), std::string::npos) << word << " in " << result.err;
    }
    EXPECT_EQ(program("check deck.yaml --resume --set " + mismatch.change).err, result.err);
  }
}

/// Of pairs that repel each other less by `slope` for each sigma.
std::string table_of(int slope) {
  std::string text = "r energy force\n";
  for (int r = 1; r < 30; ++r) {
    text += std::to_string(0.1 * r) + " " + std::to_string(slope * (2.9 - 0.1 * r)) + " " +
            std::to_string(slope) + "\n";
  }
  return text;
}

TEST_F(ResumedRun, ATableOfPairsIsTheSameWhereverItLies) {
  const std::string entry = "{types: [A, A], file: pairs.csv}";
  write("deck.yaml", small_deck("neighbor: {backend: reference}\n"));
  const std::string tabulated =
      " --set 'potential={type: tabulated, tables: [" + entry + "]}' --set output.directory=out";
  write("pairs.csv", table_of(2));
  run(tabulated + " --set 'output.checkpoint={every: 10}'");
  run(tabulated + " --resume --set run.steps=30");
  write("pairs.csv", table_of(3));
  const ProgramResult other = refused("--set run.steps=40" + tabulated);
  EXPECT_NE(other.err.find("potential.tables[0].file: differs from out/checkpoint.h5, got "
                           "pairs.csv of sha256:"),
            std::string::npos)
      << other.err;
  // The deck that the run left asks for the numbers that it had.
  expect_refused("run out/deck.yaml --set output.directory=again",
                 (folder() / "pairs.csv").string(),
                 "another table than the deck's hash says, got sha256:");
  write("pairs.csv", table_of(2));
  EXPECT_EQ(program("run out/deck.yaml --quiet --set output.directory=again").exit_code, 0);
  fs::create_directory(folder() / "moved");
  fs::copy(folder() / "deck.yaml", folder() / "moved" / "deck.yaml");
  fs::rename(folder() / "pairs.csv", folder() / "moved" / "pairs.csv");
  const ProgramResult moved =
      program("run moved/deck.yaml --quiet --resume --set run.steps=40" + tabulated);
  EXPECT_EQ(moved.exit_code, 0) << moved.err;
  EXPECT_NE(refused("--set run.steps=50" + tabulated)
                .err.find("potential.tables[0].file: file not found, got "),
            std::string::npos);
}

TEST_F(ResumedRun, FramesGoOnInAsManyFilesAndWithTheFieldsThatTheyHave) {
  write("deck.yaml", resumable_deck(20));
  run("--set run.steps=10");
  const std::string frames = read("deck/trajectory.h5md");
  const ProgramResult split =
      program("run deck.yaml --resume --set output.trajectory.split_every=2");
  EXPECT_EQ(split.exit_code, 2);
  EXPECT_NE(split.err.find("--set output.trajectory.split_every: differs from the frames that are "
                           "there: deck/trajectory.h5md, got 2, allowed 0, as before"),
            std::string::npos)
      << split.err;
  const ProgramResult fields =
      program("run deck.yaml --resume --set 'output.trajectory.fields=[position]'");
  EXPECT_EQ(fields.exit_code, 2);
  EXPECT_NE(fields.err.find("trajectory.h5md: cannot be continued: fields"), std::string::npos)
      << fields.err;
  EXPECT_EQ(read("deck/trajectory.h5md") == frames, true);
  run("--resume");
}

TEST_F(ResumedRun, ATrajectoryOfAnotherRunIsNotContinued) {
  write("deck.yaml", resumable_deck(20));
  run("--set run.steps=10 --set system.velocities.seed=2");
  fs::rename(folder() / "deck/trajectory.h5md", folder() / "foreign.h5md");
  run("--set run.steps=10 --overwrite");
  fs::rename(folder() / "foreign.h5md", folder() / "deck/trajectory.h5md");
  const std::string rows = read("deck/thermo.csv");
  const ProgramResult result = program("run deck.yaml --quiet --resume");
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(read("deck/thermo.csv"), rows);
  EXPECT_NE(result.err.find("system.velocities.seed: differs from the run that wrote "
                            "deck/trajectory.h5md, got 1, allowed 2"),
            std::string::npos)
      << result.err;
}

TEST_F(ResumedRun, RowsThatAreGoneAreTold) {
  write("deck.yaml", resumable_deck(20));
  run("--set run.steps=10");
  const std::vector<std::string> lines = lines_of(read("deck/thermo.csv"));
  ASSERT_GT(lines.size(), 3U);
  write("deck/thermo.csv", lines[0] + "\n" + lines[1] + "\n");
  const ProgramResult result = program("run deck.yaml --quiet --resume");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(
      result.err.find("pencilbox: deck/thermo.csv has no row after that of step 0, though the "
                      "run was at step 10: there will be a gap"),
      std::string::npos)
      << result.err;
}

TEST_F(ResumedRun, AStartFileOfOtherParticlesIsRefused) {
  const auto start = [](const std::string& more, int count) {
    return std::to_string(count) +
           "\nLattice=\"9 0 0 0 9 0 0 0 9\" Properties=species:S:1:pos:R:3\nA 1 1 1\nA 4 4 4\n" +
           more;
  };
  write("start.xyz", start("", 2));
  write("deck.yaml",
        "system: {particles: {file: start.xyz}}\npotential: {cutoff: 2.5}\n"
        "run: {steps: 4, device: host}\noutput: {checkpoint: {every: 2}}\n");
  run("--set run.steps=2");
  write("start.xyz", start("A 7 7 7\n", 3));
  EXPECT_NE(refused("").err.find("got 3 particles, allowed 2"), std::string::npos);
  write("start.xyz", start("", 2));
  run("--resume");
}

TEST_F(ResumedRun, DamagedOrAbsentFilesAreRefusedInOneLine) {
  write("deck.yaml", resumable_deck(20));
  EXPECT_NE(refused("").err.find("there is no checkpoint.h5 in 'deck'"), std::string::npos);
  run("--set run.steps=10");
  fs::remove(folder() / "deck/checkpoint.previous.h5");
  const std::string whole = read("deck/checkpoint.h5");
  const std::vector<std::pair<std::string, std::string>> damages{
      {whole.substr(0, whole.size() / 2), "truncated"},
      {"", "is empty"},
      {"hello", "is no checkpoint of pencilbox"},
      {std::string(whole).replace(3000, 1, whole[3000] == 'x' ? "y" : "x"), "is damaged"}};
  for (const auto& [content, word] : damages) {
    write("deck/checkpoint.h5", content);
    EXPECT_NE(refused("").err.find(word), std::string::npos) << word;
  }
  write("deck/checkpoint.h5", whole);
  const std::string thermo = read("deck/thermo.csv");
  for (const auto& [content, word] : std::vector<std::pair<std::string, std::string>>{
           {"mine\n", "thermo.csv:1: is not the header"},
           {thermo + "nonsense\n", "is not a row"}}) {
    write("deck/thermo.csv", content);
    const ProgramResult result = program("run deck.yaml --quiet --resume");
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_NE(result.err.find(word), std::string::npos) << result.err;
    EXPECT_EQ(read("deck/thermo.csv"), content);
    EXPECT_EQ(read("deck/checkpoint.h5"), whole);
  }
}

TEST_F(ResumedRun, APipeInThePlaceOfAnOutputDoesNotHangIt) {
  write("deck.yaml", resumable_deck(20));
  for (const char* name : {"thermo.csv", "trajectory.h5md", "trajectory.xmf2"}) {
    run("--overwrite --set run.steps=10");
    fs::remove(folder() / "deck" / name);
    ASSERT_EQ(mkfifo((folder() / "deck" / name).c_str(), 0600), 0);
    const ProgramResult result = InAFolder::run(
        "/usr/bin/timeout", "-s KILL 60 '" + program_path() + "' run deck.yaml --quiet --resume");
    EXPECT_TRUE(result.exit_code == 2 || result.exit_code == 4) << name << result.exit_code;
    EXPECT_NE(result.err.find(name), std::string::npos) << result.err;
    EXPECT_NE(result.err.find("is no regular file"), std::string::npos) << result.err;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  }
}

TEST_F(ResumedRun, NeedsAFolderAndNoOverwrite) {
  write("deck.yaml", resumable_deck(20));
  EXPECT_NE(refused("--overwrite").err.find("excludes"), std::string::npos);
  write("file", "precious");
  EXPECT_NE(refused("--set output.directory=file").err.find("is a file, not a directory"),
            std::string::npos);
}

TEST_F(ResumedRun, ACheckpointIsAnOutputInTheWay) {  // 33
  write("deck.yaml", resumable_deck(4));
  run("");
  for (const char* name : {"thermo.csv", "trajectory.h5md", "trajectory.xmf2", "report.json"}) {
    fs::remove(folder() / "deck" / name);
  }
  const ProgramResult result = program("run deck.yaml");
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_NE(result.err.find("checkpoint.h5 is already there; to replace it, say --overwrite; to go "
                            "on from its checkpoint, --resume"),
            std::string::npos)
      << result.err;
}

}  // namespace
}  // namespace pencilbox::testing
