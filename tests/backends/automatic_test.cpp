// Back end `auto`: that it chooses, says so, chooses again, and that no choice changes the physics.
#include <gmock/gmock.h>

#include "core/error.hpp"
#include "tests/support/every_backend.hpp"

namespace pencilbox::testing {
namespace {

using ::testing::HasSubstr;

class Automatic : public ::testing::TestWithParam<DeviceBackend> {
 protected:
  static SimulationSetup crystal() {
    SimulationSetup setup = make_lj_setup(thermal_crystal(4, 0.8442), 2.5, Truncation::force_shift);
    setup.backend = "auto";
    setup.precision = Precision::double_;
    setup.timestep = 0.004;
    return setup;
  }

  static std::unique_ptr<Simulation> make(SimulationSetup setup) {
    return GetParam().device->make(std::move(setup));
  }

  static Frame state_of(Simulation& simulation) {
    FieldSet fields;
    for (const Field f : {Field::position, Field::velocity, Field::force}) fields.insert(f);
    return simulation.snapshot(fields);
  }
};

std::vector<DeviceBackend> on_every_device() {
  std::vector<DeviceBackend> found;
  for (const DeviceBackend& backend : device_backends()) {
    if (backend.info.name == "auto") found.push_back(backend);
  }
  return found;
}

/// Trials of lists are whole cycles and last some milliseconds: many steps where these are short.
void advance_until_it_chose(Simulation& simulation) {
  constexpr std::int64_t look_every = 400, at_most = 40000;
  const std::int64_t end = simulation.step() + at_most;
  while (!simulation.backend_stats().choice && simulation.step() < end) {
    simulation.advance(look_every);
  }
  ASSERT_TRUE(simulation.backend_stats().choice) << "not in " << at_most << " steps";
}

TEST_P(Automatic, ChoosesInTheFirstStepsAndSaysWhat) {
  const auto simulation = make(crystal());
  EXPECT_FALSE(simulation->backend_stats().choice);
  EXPECT_THAT(simulation->backend_stats().note, HasSubstr("others still to be tried"));
  ASSERT_NO_FATAL_FAILURE(advance_until_it_chose(*simulation));
  const BackendStats stats = simulation->backend_stats();
  EXPECT_NE(stats.choice->chosen.name, "auto");
  EXPECT_THAT(stats.note, HasSubstr(stats.choice->chosen.name));
  // There are two families at least, and of a list that wins the next skins are tried; whether
  // others that lose are is a question of times.
  EXPECT_GE(stats.choice->tried, stats.choice->chosen.skin > 0.0 ? 3 : 2);
  ASSERT_TRUE(stats.choice->runner_up);
  EXPECT_GE(stats.choice->margin, 0.0);
  EXPECT_EQ(stats.choice->choices, 1);
}

/// Where a device has both, by how many particles a cell holds.
TEST_P(Automatic, TriesVectorsAloneWhereCellsAreFull) {
  const auto has_vectors = [](const std::string& name) {
    for (const BackendInfo& info : GetParam().device->backends()) {
      if (info.name == name) return info.has_vectors;
    }
    return false;
  };
  if (!has_vectors("vector-cells")) return;
  const auto full = make(crystal());
  ASSERT_NO_FATAL_FAILURE(advance_until_it_chose(*full));
  const auto choice_of_full = full->backend_stats().choice;
  EXPECT_TRUE(has_vectors(choice_of_full->chosen.name)) << choice_of_full->chosen.name;
  ASSERT_TRUE(choice_of_full->runner_up);
  EXPECT_TRUE(has_vectors(choice_of_full->runner_up->name)) << choice_of_full->runner_up->name;

  SimulationSetup gas = make_lj_setup(thermal_crystal(4, 0.02), 2.5, Truncation::force_shift);
  gas.backend = "auto";
  const auto sparse = make(gas);
  ASSERT_NO_FATAL_FAILURE(advance_until_it_chose(*sparse));
  const auto choice_of_sparse = sparse->backend_stats().choice;
  EXPECT_GT(choice_of_sparse->tried, choice_of_full->tried);
}

TEST_P(Automatic, StepsOfTheTrialsCount) {
  const auto simulation = make(crystal());
  const double before = simulation->observe().total_energy();
  ASSERT_NO_FATAL_FAILURE(advance_until_it_chose(*simulation));
  const std::int64_t chosen_by = simulation->step();
  simulation->advance(7);
  EXPECT_EQ(simulation->step(), chosen_by + 7);
  EXPECT_NEAR(simulation->observe().total_energy(), before, 1e-4 * std::abs(before));

  SimulationSetup there = crystal();
  const Frame frame = state_of(*simulation);
  there.start.position = frame.position;
  const Evaluation truth = evaluate_reference(there);
  EXPECT_LE(largest_difference(frame.force, truth.frame.force),
            1e-12 * std::max(1.0, largest_component(truth.frame.force)));
}

TEST_P(Automatic, ADeterministicRunHasTheBitsOfEveryOther) {
  SimulationSetup setup = crystal();
  setup.deterministic = true;
  const auto one = make(setup);
  ASSERT_NO_FATAL_FAILURE(advance_until_it_chose(*one));
  const BackendStats stats = one->backend_stats();

  SimulationSetup fixed = setup;
  fixed.backend = stats.choice->chosen.name;
  fixed.options = stats.choice->chosen.options;
  const auto two = make(fixed);
  two->advance(one->step());
  const Frame a = state_of(*one), b = state_of(*two);
  EXPECT_EQ(a.position, b.position);
  EXPECT_EQ(a.velocity, b.velocity);
  EXPECT_EQ(a.force, b.force);
}

TEST_P(Automatic, ChoosesAgainWhenCellsHaveFilled) {
  // A dilute cloud that falls into a corner of its box.
  SimulationSetup setup = make_lj_setup(random_liquid(300, periodic_box(40, 40, 40), 1.2, 5), 2.5,
                                        Truncation::force_shift);
  setup.backend = "auto";
  setup.timestep = 0.0002;  // slowly, so that it has chosen before
  for (std::size_t i = 0; i < setup.start.position.size(); ++i) {
    for (std::size_t d = 0; d < 3; ++d) {
      setup.start.velocity[i][d] = -2.0 * (setup.start.position[i][d] - 20.0);
    }
  }
  const auto simulation = make(setup);
  int choices = 0;
  for (int looks = 0; looks < 750 && choices < 2; ++looks) {
    simulation->advance(20);
    const auto choice = simulation->backend_stats().choice;
    ASSERT_TRUE(choice || choices == 0) << "what it chose before holds while it chooses again";
    if (choice) choices = choice->choices;
  }
  EXPECT_GE(choices, 2);
}

TEST_P(Automatic, AChoiceIsKnownWhenTheGridFollowsItsParticles) {
  // A cloud that flies apart: its grid is laid anew, and with it the back end.
  const Box open{{0, 0, 0}, {12, 12, 12}, {false, false, false}};
  SimulationSetup setup =
      make_lj_setup(random_liquid(300, open, 1.2, 5), 2.5, Truncation::force_shift);
  setup.backend = "auto";
  setup.timestep = 0.001;
  for (std::size_t i = 0; i < setup.start.position.size(); ++i) {
    for (std::size_t d = 0; d < 3; ++d) {
      setup.start.velocity[i][d] = 10.0 * (setup.start.position[i][d] - 6.0);
    }
  }
  const auto simulation = make(setup);
  const std::int64_t bytes = simulation->device_bytes();
  ASSERT_NO_FATAL_FAILURE(advance_until_it_chose(*simulation));
  for (int looks = 0; looks < 20; ++looks) {
    EXPECT_TRUE(simulation->backend_stats().choice) << "at step " << simulation->step();
    simulation->advance(5);  // where the grid is looked after
  }
  EXPECT_GT(simulation->device_bytes(), bytes) << "the grid was to grow";
}

TEST_P(Automatic, TakesWhatNoOtherCanRunAndSaysSo) {
  // A side below the cutoff: the truth alone looks so far.
  SimulationSetup setup = make_lj_setup(random_liquid(30, periodic_box(2.0, 6.0, 6.0), 0.75, 3),
                                        2.5, Truncation::shift);
  setup.backend = "auto";
  const auto simulation = make(setup);
  simulation->advance(1);
  const BackendStats stats = simulation->backend_stats();
  ASSERT_TRUE(stats.choice);
  EXPECT_EQ(stats.choice->chosen.name, "reference");
  EXPECT_FALSE(stats.choice->runner_up);
}

TEST_P(Automatic, RefusesInWordsWhatNothingCanRun) {
  SimulationSetup setup;
  setup.start = random_particles(10, periodic_box(8, 8, 8), 1);
  setup.potential = SoftenedGravityModel{1.0, 0.05, {1.0}};
  setup.backend = "auto";
  setup.integrator = "velocity-verlet";
  try {
    make(setup);
    FAIL() << "infinitely many images";
  } catch (const BackendRefusal& refusal) {
    EXPECT_THAT(refusal.what(), HasSubstr("all three have to be open"));
  }
}

INSTANTIATE_TEST_SUITE_P(All, Automatic, ::testing::ValuesIn(on_every_device()),
                         [](const auto& parameters) { return parameters.param.name(); });

}  // namespace
}  // namespace pencilbox::testing
