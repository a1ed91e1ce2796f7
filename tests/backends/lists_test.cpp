// Lists that outlive a step: no pair is ever missed, whatever moves how fast; rows grow; a run goes
// on in mid-cycle to the last bit.
#include <algorithm>
#include <cmath>
#include <utility>

#include <gmock/gmock.h>

#include "core/lattice.hpp"
#include "core/velocities.hpp"
#include "tests/support/every_backend.hpp"
#include "tests/support/exact_state.hpp"
#include "tests/support/way_ahead.hpp"

namespace pencilbox::testing {
namespace {

/// Every back end that keeps a list, on every device that answers, in every precision.
std::vector<BackendCase> every_list_until(ListUntil until) {
  std::vector<BackendCase> lists;
  for (BackendCase c : every_backend_and_precision()) {
    c.list_until = until;
    if (c.backend.info.rebuild == Rebuild::on_displacement) lists.push_back(c);
  }
  return lists;
}

std::vector<BackendCase> every_list() { return every_list_until(ListUntil::displacement); }

/// The look around strays is emulated on the host: two precisions are enough there.
std::vector<BackendCase> every_list_until_a_pair_is_missed() {
  std::vector<BackendCase> lists;
  for (const BackendCase& c : every_list_until(ListUntil::missed_pair)) {
    if (!is_on_host(c) || c.precision != Precision::mixed) lists.push_back(c);
  }
  return lists;
}

/// How many threads share a row, where that is an option.
std::optional<std::string> threads_option(const BackendInfo& info) {
  for (const OptionInfo& option : info.options) {
    if (option.name.starts_with("threads_per_")) return option.name;
  }
  return {};
}

std::vector<BackendCase> every_list_of_threads() {
  std::vector<BackendCase> lists;
  for (const BackendCase& c : every_list()) {
    if (threads_option(c.backend.info)) lists.push_back(c);
  }
  return lists;
}

class Lists : public EveryBackend {
 protected:
  SimulationSetup with_list(SimulationSetup setup, std::optional<double> skin = 0.4) const {
    setup.backend = backend().info.name;
    setup.options = default_options(backend().info);
    setup.integrator = "velocity-verlet";
    setup.precision = precision();
    setup.skin = skin;
    setup.list_until = GetParam().list_until;
    return setup;
  }
  bool lasts_until_a_pair_is_missed() const {
    return GetParam().list_until == ListUntil::missed_pair;
  }

  std::unique_ptr<Simulation> make(const SimulationSetup& setup) const {
    return backend().device->make(setup);
  }

  /// The forces of a simulation as it stands are those of the truth at its positions.
  void expect_right(Simulation& simulation, SimulationSetup setup) const {
    FieldSet fields;
    for (const Field f : {Field::position, Field::force, Field::image}) fields.insert(f);
    const Frame frame = simulation.snapshot(fields);
    setup.start.position = frame.position;
    const Evaluation truth = evaluate_reference(setup);
    const Bars bars{1e-11, 5e-5, 1e-4};
    EXPECT_LE(largest_difference(frame.force, truth.frame.force),
              bars.of(precision()) * std::max(1.0, largest_component(truth.frame.force)))
        << "step " << simulation.step();
  }

  void expect_right_all_along(const SimulationSetup& setup, int looks, int steps) const {
    const auto simulation = make(setup);
    for (int look = 0; look < looks; ++look) {
      simulation->advance(steps);
      expect_right(*simulation, setup);
    }
  }
};

class ListsOfThreads : public Lists {};

SimulationSetup hot_liquid(int types = 1) {
  SimulationSetup setup = make_lj_setup(
      random_liquid(200, periodic_box(7.5, 7, 6.8), 0.88, 17, types), 2.5, Truncation::force_shift);
  draw_velocities(setup.start, 2.0, 5);
  setup.timestep = 0.002;
  return setup;
}

TEST_P(Lists, HoldOverManyRebuilds) {
  const SimulationSetup setup = with_list(hot_liquid());
  const auto simulation = make(setup);
  for (const int steps : {1, 7, 64, 100, 80, 3}) {
    simulation->advance(steps);
    expect_right(*simulation, setup);
  }
  const auto list = simulation->backend_stats().list;
  ASSERT_TRUE(list);
  EXPECT_EQ(list->skin, 0.4);
  EXPECT_GT(list->rebuilds, 3);
  EXPECT_LT(list->rebuilds, 100);
  EXPECT_GE(list->shortest, 1);
  EXPECT_GE(list->mean_interval(), static_cast<double>(list->shortest));
  EXPECT_LE(list->mean_interval(), static_cast<double>(list->longest));
}

/// Whoever flies straight on is as far from the place that its list is made of in the end as it was
/// in the beginning: so a list serves twice the steps that half of a skin takes.
TEST_P(Lists, LookAhead) {
  SimulationSetup setup = make_lj_setup(thermal_crystal(3, 0.8442), 2.5, Truncation::force_shift);
  for (Double3& velocity : setup.start.velocity) velocity = {1.0, 0.5, 0.0};
  setup.timestep = 0.005;
  const SimulationSetup with = with_list(setup);
  const auto simulation = make(with);
  const int steps_of_half_a_skin = static_cast<int>(0.2 / (0.005 * std::hypot(1.0, 0.5)));
  simulation->advance(steps_of_half_a_skin + 1);
  EXPECT_LE(simulation->backend_stats().list->longest, steps_of_half_a_skin + 1) << "of the first";
  simulation->advance(6 * steps_of_half_a_skin);
  EXPECT_GT(simulation->backend_stats().list->longest, 1.7 * steps_of_half_a_skin);
  if (!lasts_until_a_pair_is_missed()) {
    EXPECT_LE(simulation->backend_stats().list->longest, 2 * steps_of_half_a_skin + 1);
  }
  expect_right(*simulation, with);
}

/// A list is made of where its particles will be by their velocities and the last forces on them,
/// whoever has moved them: a step at a time they are moved by other kernels than many at a time.
TEST_P(Lists, LookAheadByForces) {
  SimulationSetup setup = with_list(hot_liquid(2));
  setup.deterministic = true;
  setup.start.types[1].mass = 3.0;
  const auto simulation = make(setup);
  simulation->advance(1, LastStep::forces_only);
  ExactState before, now = simulation->exact_state();
  std::int64_t last_interval = 0;
  for (int lists = 0; lists < 3;) {
    before = std::exchange(now, {});
    simulation->advance(1, LastStep::forces_only);
    now = simulation->exact_state();
    if (now.list_age > 1) continue;
    ++lists;
    last_interval = before.list_age;
  }
  ASSERT_GT(last_interval, 4);
  const Bars bars{1e-12, 1e-6, 2e-6};
  constexpr double a_little = 1e-4;  // for who is as far ahead as a list can bear
  double bent = 0.0;
  for (std::size_t i = 0; i < now.id.size(); ++i) {
    const double dt_per_mass = setup.timestep / setup.start.types[now.type[i]].mass;
    Double3 velocity = now.velocity[i], kick = before.force[i];
    for (std::size_t d = 0; d < 3; ++d) {
      velocity[d] -= 0.5 * dt_per_mass * now.force[i][d];
      kick[d] *= dt_per_mass;
    }
    const double farthest = 0.98 * 0.5 * *setup.skin;
    const auto way_within = [&](double far) {
      return way_ahead(velocity, kick, static_cast<double>(last_interval), setup.timestep, far);
    };
    const Double3 way = way_within(farthest);
    const bool is_cut = way != way_within(2.0 * farthest);
    for (std::size_t d = 0; d < 3; ++d) {
      EXPECT_NEAR(now.reference[i][d] - now.offset[i][d], way[d],
                  is_cut ? a_little : bars.of(precision()))
          << i;
      bent = std::max(bent, std::abs(way[d] - 0.5 * static_cast<double>(last_interval) *
                                                  setup.timestep * velocity[d]));
    }
  }
  EXPECT_GT(bent, 0.02) << "forces were to matter";

  const auto at_once = make(setup);
  at_once->advance(now.step, LastStep::forces_only);
  expect_same(at_once->exact_state(), now);
}

TEST_P(Lists, HoldForMixtures) { expect_right_all_along(with_list(hot_liquid(3)), 4, 30); }

TEST_P(Lists, HoldWithoutASkin) {
  const SimulationSetup setup = with_list(hot_liquid(), 0.0);
  const auto simulation = make(setup);
  simulation->advance(20);
  expect_right(*simulation, setup);
  EXPECT_EQ(simulation->backend_stats().list->rebuilds, 20) << "whatever moves has moved too far";
}

TEST_P(Lists, HoldInABoxOfOneCell) {
  for (const double side : {2.5, 2.6, 3.1, 5.3}) {
    SCOPED_TRACE(side);
    SimulationSetup setup = make_lj_setup(random_liquid(12, periodic_box(side, side, 5.0), 0.7, 5),
                                          2.5, Truncation::force_shift);
    setup.timestep = 0.001;
    draw_velocities(setup.start, 1.0, 3);
    expect_right_all_along(with_list(setup), 3, 40);
  }
}

TEST_P(Lists, HoldInAnOpenBox) {
  SimulationSetup setup =
      make_lj_setup(random_liquid(150, {{0, 0, 0}, {7, 7, 7}, {false, true, false}}, 0.9, 13), 2.5,
                    Truncation::force_shift);
  setup.timestep = 0.002;
  draw_velocities(setup.start, 3.0, 3);
  expect_right_all_along(with_list(setup), 4, 60);
}

TEST_P(Lists, SeeAFastParticleComing) {
  // One that crosses several cells and skins in a step, through others at rest far enough apart.
  SimulationSetup setup = make_lj_setup(random_liquid(60, periodic_box(14, 14, 14), 2.0, 19), 2.5,
                                        Truncation::force_shift);
  setup.start.velocity[7] = {900.0, 350.0, -500.0};
  setup.timestep = 0.005;
  const SimulationSetup with = with_list(setup, 1.0);
  const auto simulation = make(with);
  for (int step = 0; step < 12; ++step) {
    simulation->advance(1);
    expect_right(*simulation, with);
  }
  EXPECT_GE(simulation->backend_stats().list->rebuilds, 10);
}

TEST_P(Lists, SeeAParticleAtAFace) {
  // Two that meet through the face, one of which goes to and fro across it.
  SimulationSetup setup =
      make_lj_setup(random_particles(2, periodic_box(9, 9, 9), 1), 2.5, Truncation::force_shift);
  setup.start.position = {{8.9999, 4.0, 4.0}, {1.1, 4.0, 4.0}};
  setup.start.velocity = {{0.6, 0.0, 0.0}, {0.0, 0.0, 0.0}};
  setup.timestep = 0.005;
  expect_right_all_along(with_list(setup, 0.2), 30, 10);
}

TEST_P(Lists, HoldForAnyNumberOfParticles) {
  for (const int count : {1, 2, 3, 31, 33, 64, 100}) {
    SCOPED_TRACE(count);
    const double side = std::max(4.0, std::cbrt(count / 0.5));
    SimulationSetup setup = make_lj_setup(
        random_liquid(count, periodic_box(side, side, side), 0.85, static_cast<unsigned>(count)),
        2.5, Truncation::force_shift);
    if (count > 1) draw_velocities(setup.start, 1.5, 3);
    setup.timestep = 0.002;
    expect_right_all_along(with_list(setup), 2, 50);
  }
}

TEST_P(Lists, GrowRowsThatAreTooShort) {
  // Dilute in the mean, dense in one place: rows that fit the mean are too short at the start; and
  // later, where a cloud falls together.
  StartState start = random_liquid(300, periodic_box(7.0, 7.0, 7.0), 0.85, 23);
  start.box = periodic_box(40, 40, 40);
  SimulationSetup setup = make_lj_setup(std::move(start), 2.5, Truncation::force_shift);
  setup.timestep = 0.001;
  // One thread a row: rows come in fours, and not in hundreds.
  const auto with_one_thread = [this](const SimulationSetup& problem) {
    SimulationSetup with = with_list(problem);
    const auto threads = with.options.find("threads_per_target");
    if (threads != with.options.end()) threads->second = "1";
    return with;
  };
  expect_right_all_along(with_one_thread(setup), 2, 20);
  const auto dense = make(with_one_thread(setup));
  EXPECT_GT(dense->backend_stats().list->grown, 0);

  SimulationSetup falling = make_lj_setup(random_liquid(300, periodic_box(24, 24, 24), 1.5, 29),
                                          2.5, Truncation::force_shift);
  falling.timestep = 0.001;
  for (std::size_t i = 0; i < falling.start.position.size(); ++i) {
    for (std::size_t d = 0; d < 3; ++d) {
      falling.start.velocity[i][d] = -2.0 * (falling.start.position[i][d] - 12.0);
    }
  }
  const SimulationSetup with = with_one_thread(falling);
  const auto simulation = make(with);
  while (simulation->step() < 480 && simulation->backend_stats().list->grown == 0) {
    simulation->advance(30);
    expect_right(*simulation, with);
  }
  EXPECT_GT(simulation->backend_stats().list->grown, 0) << "in mid-run, at a full row";
  EXPECT_GE(simulation->backend_stats().list->row_capacity,
            simulation->backend_stats().list->longest_row);
}

TEST_P(Lists, TellTheLongestRowOfTheRun) {
  // In a crystal all rows are short and equal; what melts out of it has longer ones.
  SimulationSetup setup = make_lj_setup(thermal_crystal(4, 0.8442), 2.5, Truncation::force_shift);
  setup.timestep = 0.004;
  const auto simulation = make(with_list(setup));
  simulation->advance(1);
  const auto at_start = simulation->backend_stats().list->longest_row;
  simulation->advance(300);
  EXPECT_GT(simulation->backend_stats().list->longest_row, at_start);
}

/// Also where a run is over before a skin is found, and nothing was timed but its ends.
TEST_P(Lists, TellWhereTheTimeWent) {
  SimulationSetup setup = with_list(hot_liquid(1));
  setup.skin.reset();
  for (const int steps : {1, 3, 12}) {
    const auto simulation = make(setup);
    simulation->advance(steps);
    const RegionSeconds regions = simulation->regions();
    EXPECT_GT(regions.force, 0.0) << steps;
    EXPECT_GT(regions.integrate, 0.0) << steps;
  }
}

/// However short batches are: a cycle that came too late, and did nothing, once stood for all.
/// Whoever else uses the device may come in between, but not each time.
TEST_P(Lists, TakeNoTimeToMakeWhereNobodyMoves) {
  Lattice lattice;
  lattice.density = 0.8442;
  lattice.cells = {6, 6, 6};
  double least_share = 1.0;
  for (int attempt = 0; attempt < 5 && least_share >= 0.5; ++attempt) {
    const auto simulation = make(with_list(
        make_lj_setup(make_lattice(lattice, {true, true, true}), 2.5, Truncation::force_shift)));
    for (int batch = 0; batch < 8; ++batch) simulation->advance(16);
    const RegionSeconds regions = simulation->regions();
    least_share =
        std::min(least_share, (regions.bin + regions.reorder + regions.prepare) / regions.force);
  }
  EXPECT_LT(least_share, 0.5);
}

TEST_P(ListsOfThreads, HoldHoweverManyShareARow) {
  SimulationSetup setup = with_list(hot_liquid(2));
  for (const char* several : {"4", "8", "32"}) {
    SCOPED_TRACE(several);
    setup.options.at(*threads_option(backend().info)) = several;
    expect_right_all_along(setup, 2, on_host() ? 12 : 60);
  }
}

TEST_P(Lists, TakeTheStepsOfARunThatRebuildsEveryStep) {
  SimulationSetup setup = make_lj_setup(thermal_crystal(4, 0.8442), 2.5, Truncation::force_shift);
  setup.timestep = 0.004;
  SimulationSetup every_step = with_list(setup);
  every_step.backend = "par-part-no-loop";
  for (const BackendInfo& info : backend().device->backends()) {
    if (info.name == every_step.backend) every_step.options = default_options(info);
  }
  const auto one = make(with_list(setup));
  const auto other = make(every_step);
  FieldSet positions;
  positions.insert(Field::position);
  const int first = emulated() ? 50 : 500, then = emulated() ? 50 : 1500;
  one->advance(first);
  other->advance(first);
  if (precision() == Precision::double_) {
    EXPECT_LE(
        largest_difference(one->snapshot(positions).position, other->snapshot(positions).position),
        1e-9);
  }
  one->advance(then);
  other->advance(then);
  // Rounding makes trajectories others within these 8 tau, in float soon; their energies then
  // differ by what the time step makes of them.
  const Bars bars{1e-6, 5e-4, 1e-3};  // of an atom
  EXPECT_NEAR(one->observe().total_energy(), other->observe().total_energy(),
              bars.of(precision()) * static_cast<double>(setup.start.size()));
}

TEST_P(Lists, GoOnInMidCycleToTheBit) {
  SimulationSetup setup = with_list(hot_liquid(2));
  setup.deterministic = true;
  for (const int first : {13, 48}) {  // early, and of lists that have looked ahead
    SCOPED_TRACE(first);
    const auto whole = make(setup);
    whole->advance(first, LastStep::forces_only);
    const ExactState middle = whole->exact_state();
    EXPECT_EQ(middle.reference.size(), middle.id.size());
    EXPECT_NE(middle.reference, middle.offset) << "a cycle was to be under way";
    whole->advance(40, LastStep::forces_only);

    const auto resumed = backend().device->resume(setup, middle);
    expect_same(resumed->exact_state(), middle);
    resumed->advance(11, LastStep::forces_only);
    resumed->advance(29, LastStep::forces_only);
    expect_same(resumed->exact_state(), whole->exact_state());
  }
}

TEST_P(Lists, FindASkinWhileRunning) {
  if (lasts_until_a_pair_is_missed()) return;  // whoever tries knows nothing of it
  SimulationSetup setup = make_lj_setup(thermal_crystal(4, 0.8442), 2.5, Truncation::force_shift);
  setup.timestep = 0.004;
  const SimulationSetup open = with_list(setup, std::nullopt);
  const auto simulation = make(open);
  std::optional<AutomaticChoice> choice;
  bool is_choosing = true;  // once more, where cells fill as the crystal melts
  for (int k = 0; k < 100 && is_choosing; ++k) {
    simulation->advance(50);
    choice = simulation->backend_stats().choice;
    is_choosing = simulation->backend_stats().is_choosing;
  }
  ASSERT_TRUE(choice);
  ASSERT_FALSE(is_choosing);
  EXPECT_EQ(choice->chosen.name, backend().info.name);
  EXPECT_GT(choice->chosen.skin, 0.0);
  EXPECT_EQ(choice->chosen.skin, simulation->backend_stats().list->skin);
  EXPECT_GT(choice->tried, 2);
  expect_right(*simulation, open);
}

TEST_P(Lists, FindASkinHoweverOftenSomebodyLooks) {
  if (lasts_until_a_pair_is_missed()) return;  // whoever tries knows nothing of it
  for (const int between : {1, 2, 5}) {
    SCOPED_TRACE(between);
    SimulationSetup setup = with_list(hot_liquid(), std::nullopt);
    const auto simulation = make(setup);
    bool is_choosing = true;
    for (int k = 0; k < 3000 && is_choosing; k += between) {
      simulation->advance(between);
      is_choosing = simulation->backend_stats().is_choosing;
    }
    EXPECT_FALSE(is_choosing);
  }
}

/// A few particles are farther away than half the skin for long before a pair is missed.
TEST_P(Lists, LastLongerUntilAPairIsMissed) {
  if (lasts_until_a_pair_is_missed()) return;
  SimulationSetup setup =
      with_list(make_lj_setup(thermal_crystal(5, 0.8442), 2.5, Truncation::force_shift), 0.3);
  setup.deterministic = true;
  setup.timestep = 0.005;
  std::vector<double> intervals;
  for (const ListUntil until : {ListUntil::displacement, ListUntil::missed_pair}) {
    setup.list_until = until;
    const auto simulation = make(setup);
    simulation->advance(emulated() ? 40 : 100);
    intervals.push_back(simulation->backend_stats().list->mean_interval());
    expect_right(*simulation, setup);
  }
  EXPECT_GT(intervals[1], 1.2 * intervals[0]);
}

INSTANTIATE_TEST_SUITE_P(All, Lists, ::testing::ValuesIn(every_list()), case_name);
INSTANTIATE_TEST_SUITE_P(UntilAPairIsMissed, Lists,
                         ::testing::ValuesIn(every_list_until_a_pair_is_missed()), case_name);
INSTANTIATE_TEST_SUITE_P(All, ListsOfThreads, ::testing::ValuesIn(every_list_of_threads()),
                         case_name);

/// The same steps launched and as graphs have the same bits, for every back end.
class Executors : public EveryBackend {};

TEST_P(Executors, GiveTheSameBits) {
  SimulationSetup setup = make_lj_setup(thermal_crystal(3, 0.8442), 2.5, Truncation::force_shift);
  setup.backend = backend().info.name;
  setup.options = default_options(backend().info);
  setup.integrator = "velocity-verlet";
  setup.precision = precision();
  setup.deterministic = true;
  setup.skin = 0.3;
  const int steps = emulated() ? 36 : 101;
  std::vector<ExactState> states;
  for (const Executor executor : {Executor::launched, Executor::graph}) {
    setup.executor = executor;
    const auto simulation = backend().device->make(setup);
    simulation->advance(3, LastStep::forces_only);  // an odd number: the arrays have swapped
    simulation->advance(steps, LastStep::forces_only);
    simulation->advance(steps, LastStep::forces_only);
    states.push_back(simulation->exact_state());
  }
  expect_same(states[0], states[1]);
}

PENCILBOX_WHERE(Executors, has_a_fixed_order);

/// In one kernel from one rebuild to the next, the bits are those of kernels one by one: also where
/// batches end in mid-cycle, at odd numbers, and through many rebuilds.
TEST_P(ListsOfThreads, GiveTheSameBitsInOneKernel) {
  SimulationSetup setup = with_list(hot_liquid(3));
  setup.deterministic = true;
  setup.options[threads_option(backend().info).value()] = "4";
  setup.options["block"] = emulated() ? "64" : "128";
  std::vector<ExactState> states;
  for (const Executor executor : {Executor::launched, Executor::persistent}) {
    setup.executor = executor;
    const auto simulation = make(setup);
    for (const int steps : {1, 2, 3, 40, 7, 91}) simulation->advance(steps, LastStep::forces_only);
    EXPECT_GT(simulation->backend_stats().list->rebuilds, 3);
    states.push_back(simulation->exact_state());
  }
  expect_same(states[0], states[1]);
}

TEST_P(ListsOfThreads, RefuseOneKernelWhereItCannotBe) {
  SimulationSetup setup = with_list(hot_liquid(3));
  setup.executor = Executor::persistent;
  setup.options[threads_option(backend().info).value()] = "4";
  setup.integrator = "langevin";
  setup.parameters = {{"temperature", 1.0}, {"friction", 1.0}, {"seed", 1.0}};
  try {
    make(setup);
    FAIL() << "was not refused";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("run.executor: persistent takes"));
    EXPECT_THAT(error.what(), ::testing::HasSubstr("langevin"));
  }
}

}  // namespace
}  // namespace pencilbox::testing
