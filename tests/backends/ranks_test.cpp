// Several ranks do what one does: those of these tests live in one process and take turns.
#include <algorithm>
#include <cmath>
#include <cstring>

#include <gmock/gmock.h>

#include "app/ranks/rank_device.hpp"
#include "core/error.hpp"
#include "core/lattice.hpp"
#include "core/ramp_parameter.hpp"
#include "core/velocities.hpp"
#include "tests/support/every_backend.hpp"
#include "tests/support/exact_state.hpp"
#include "tests/support/forces_in_time.hpp"
#include "tests/support/heat_bath.hpp"

namespace pencilbox::testing {
namespace {

using ::testing::HasSubstr;

std::shared_ptr<Post> in_this_process(const RankGrid& ranks) {
  return std::make_shared<PostWithinProcess>(ranks[0] * ranks[1] * ranks[2]);
}

std::string in_words(const RankGrid& ranks) {
  return std::to_string(ranks[0]) + " x " + std::to_string(ranks[1]) + " x " +
         std::to_string(ranks[2]);
}

class OnSeveralRanks : public EveryBackend {
 protected:
  /// Two types, 4 x 3 x 3 cells, fast enough to cross faces within a few steps.
  SimulationSetup liquid() const {
    SimulationSetup setup = make_lj_setup(random_liquid(480, periodic_box(11, 9, 7.7), 0.9, 17, 2),
                                          2.5, Truncation::force_shift);
    for (std::size_t i = 0; i < setup.start.velocity.size(); ++i) {
      const double direction = i % 2 == 0 ? 1.0 : -1.0;
      setup.start.velocity[i] = {2.0 * direction, -1.5 * direction, 1.0 * direction};
    }
    return as_the_case_has_it(std::move(setup));
  }
  /// 8 x 3 x 3 cells: each of two ranks has some that nobody else sees.
  SimulationSetup long_liquid() const {
    SimulationSetup setup = make_lj_setup(random_liquid(960, periodic_box(22, 9, 7.7), 0.9, 19, 2),
                                          2.5, Truncation::force_shift);
    for (std::size_t i = 0; i < setup.start.velocity.size(); ++i) {
      const double direction = i % 2 == 0 ? 1.0 : -1.0;
      setup.start.velocity[i] = {3.0 * direction, 1.0 * direction, -2.0 * direction};
    }
    return as_the_case_has_it(std::move(setup));
  }
  /// One is alone in its part of a long box and goes four cells a step, also from cells whose
  /// neighbors only one of two ranks sees to those that both see.
  SimulationSetup with_one_that_leaps() const {
    StartState cloud = random_liquid(150, periodic_box(48, 8, 8), 0.95, 5);
    cloud.box = periodic_box(48, 16, 8);
    cloud.position[11] = {12.0, 12.0, 4.0};
    SimulationSetup setup =
        as_the_case_has_it(make_lj_setup(std::move(cloud), 2.5, Truncation::force_shift));
    setup.start.velocity[11] = {5065.0, 0.0, 0.0};
    return setup;
  }
  SimulationSetup as_the_case_has_it(SimulationSetup setup) const {
    setup.backend = backend().info.name;
    setup.options = default_options(backend().info);
    setup.precision = precision();
    setup.deterministic = backend().info.on_ranks == OnRanks::to_the_bit;
    setup.timestep = 0.002;
    setup.skin = 0.05;  // of a list: so many cells, and a new one every few steps
    return setup;
  }
  bool keeps_list() const { return backend().info.rebuild == Rebuild::on_displacement; }
  std::unique_ptr<Simulation> on_one(SimulationSetup setup) const {
    return backend().device->make(std::move(setup));
  }
  std::unique_ptr<Simulation> on(const RankGrid& ranks, SimulationSetup setup,
                                 Exchange exchange = Exchange::direct) const {
    return rank_device_of(backend().device->kind())
        .make(std::move(setup), {ranks, false, exchange}, in_this_process(ranks));
  }
  /// To the bit: the state, its sums, and who is whose partner.
  static void expect_equal(Simulation& several, Simulation& one) {
    expect_same(several.exact_state(), one.exact_state());
    const Observation of_one = one.observe(), of_several = several.observe();
    EXPECT_EQ(of_several.kinetic_energy, of_one.kinetic_energy);
    EXPECT_EQ(of_several.potential_energy, of_one.potential_energy);
    if (!std::isnan(of_one.pressure)) {
      EXPECT_EQ(of_several.pressure, of_one.pressure);
    } else {  // with open faces
      EXPECT_TRUE(std::isnan(of_several.pressure));
    }
    EXPECT_EQ(of_several.temperature, of_one.temperature);
    EXPECT_EQ(of_several.conserved_energy, of_one.conserved_energy);
    EXPECT_EQ(several.neighbor_stats().partners_per_particle,
              one.neighbor_stats().partners_per_particle);
  }
  void expect_same_steps(const SimulationSetup& setup, const std::vector<RankGrid>& grids,
                         std::int64_t steps, Exchange exchange = Exchange::direct) const {
    const auto one = on_one(setup);
    one->advance(steps);
    for (const RankGrid& ranks : grids) {
      SCOPED_TRACE(in_words(ranks));
      const auto several = on(ranks, setup, exchange);
      several->advance(steps);
      expect_equal(*several, *one);
    }
  }
};

class ToTheBit : public OnSeveralRanks {};

/// Grids matter to letters, which know of no back end: where blocks are emulated two are enough,
/// and one step on the one with a rank for each cell.
TEST_P(ToTheBit, WhateverTheirGrid) {
  if (emulated()) {
    expect_same_steps(liquid(), {{1, 3, 1}, {2, 2, 2}}, 4);
    expect_same_steps(liquid(), {{4, 3, 3}}, 1);
  } else {
    expect_same_steps(liquid(), {{1, 1, 1}, {2, 1, 1}, {1, 3, 1}, {2, 2, 2}, {4, 3, 3}}, 40);
  }
}

/// Ranks of few cells and of many: almost all particles are those of one in four, were cells dealt
/// out evenly.
TEST_P(ToTheBit, WhereWorkIsInOneCorner) {
  if (emulated()) return;  // who makes blocks knows nothing of cuts
  SimulationSetup setup = liquid();
  setup.start.box = periodic_box(22, 18, 7.7);
  expect_same_steps(setup, {{2, 2, 1}, {4, 1, 1}}, 20);
}

/// Particles of a crystal lie on faces of cells, where a rounding tells on which side.
TEST_P(ToTheBit, FromACrystal) {
  Lattice lattice;
  lattice.density = 0.8442;
  lattice.cells = {5, 7, 6};
  SimulationSetup setup = as_the_case_has_it(
      make_lj_setup(make_lattice(lattice, {true, true, true}), 2.2, Truncation::force_shift));
  draw_velocities(setup.start, 1.2, 5);
  expect_same_steps(setup, {{2, 1, 1}, {1, 3, 1}}, emulated() ? 1 : 20);
}

/// One that lasts for many steps and is made while a batch is under way, or at its end.
TEST_P(ToTheBit, WhileAListLasts) {
  if (!keeps_list()) return;
  SimulationSetup setup = liquid();
  setup.skin = 0.4;
  for (const std::int64_t steps : emulated() ? std::vector{6} : std::vector{1, 37, 38, 90}) {
    expect_same_steps(setup, {{3, 1, 2}}, steps);
  }
  if (!emulated()) expect_same_steps(setup, {{1, 3, 1}}, 90, Exchange::host);
}

/// Copies stray as those do that they are of: whichever rank sees a pair that is missed, all make a
/// new list.
TEST_P(ToTheBit, UntilAPairIsMissed) {
  if (!keeps_list()) return;
  SimulationSetup setup = liquid();
  setup.list_until = ListUntil::missed_pair;
  setup.skin = 0.1;
  if (emulated()) {
    expect_same_steps(setup, {{2, 1, 2}}, 12);
  } else {
    expect_same_steps(setup, {{3, 1, 2}, {4, 3, 2}}, 60);
    expect_same_steps(setup, {{1, 3, 1}}, 30, Exchange::host);
  }
  setup = long_liquid();
  setup.list_until = ListUntil::missed_pair;
  setup.skin = 0.2;
  expect_same_steps(setup, {{2, 1, 1}}, emulated() ? 8 : 40);
}

/// Which is computed while positions of the border travel, and has to be where a list is due.
TEST_P(ToTheBit, WhereRanksHaveAnInterior) {
  if (!keeps_list()) return;
  SimulationSetup setup = long_liquid();
  setup.skin = 0.2;
  expect_same_steps(setup, {{2, 1, 1}}, emulated() ? 8 : 60);
  if (!emulated()) expect_same_steps(setup, {{2, 1, 1}}, 30, Exchange::host);
}

/// A cloud that is pressed together: the list that lacks room is made once more, by all ranks.
TEST_P(ToTheBit, WhereRowsOfAListHaveToGrowOnTheWay) {
  if (!keeps_list()) return;
  StartState cloud = random_liquid(240, periodic_box(9, 6, 6), 0.9, 23);
  cloud.box = periodic_box(18, 9, 8);
  SimulationSetup setup =
      as_the_case_has_it(make_lj_setup(std::move(cloud), 2.5, Truncation::force_shift));
  // Several threads would share a row of whole chunks, with room for all.
  for (const OptionInfo& option : backend().info.options) {
    if (option.name == "threads_per_target") setup.options[option.name] = "1";
  }
  for (std::size_t i = 0; i < setup.start.velocity.size(); ++i) {
    setup.start.velocity[i] = {8.0 * (4.5 - setup.start.position[i][0]), 0.0, 0.0};
  }
  const auto one = on_one(setup);
  one->advance(31);
  for (const Exchange exchange : {Exchange::direct, Exchange::host}) {
    const auto several = on({3, 1, 1}, setup, exchange);
    several->advance(1);
    const std::int64_t at_first = several->backend_stats().list->grown;
    several->advance(30);
    EXPECT_GT(several->backend_stats().list->grown, at_first);
    expect_equal(*several, *one);
  }
}

/// What comes behind a step that is timed is not counted to that step's last part. Three tries:
/// where other programs have the device meanwhile, a part may seem long.
TEST_P(ToTheBit, TellWhereTheTimeWent) {
  if (emulated()) return;
  SimulationSetup setup = liquid();
  setup.skin = 0.4;
  double forces = 0.0, integrate = 1.0, exchange = 1.0;  // least shares of a step
  for (int tries = 0; tries < 3; ++tries) {
    const auto several = on({2, 1, 1}, setup);
    several->advance(200);
    const RegionSeconds regions = several->regions();
    const double total = regions.integrate + regions.exchange + regions.bin + regions.reorder +
                         regions.prepare + regions.force;
    forces = regions.force;
    integrate = std::min(integrate, regions.integrate / total);
    exchange = std::min(exchange, regions.exchange / total);
    if (integrate < 0.6 && exchange < 0.8) break;
  }
  EXPECT_GT(forces, 0.0);
  EXPECT_LT(integrate, 0.6);
  EXPECT_LT(exchange, 0.8);
}

TEST_P(ToTheBit, WithOpenFaces) {
  for (const Bool3& periodic : {Bool3{false, false, false}, Bool3{true, false, true}}) {
    SimulationSetup setup = liquid();
    setup.start.box.periodic = periodic;
    if (emulated()) {
      expect_same_steps(setup, {{2, 2, 1}}, 4);
    } else {
      expect_same_steps(setup, {{2, 1, 1}, {1, 3, 1}, {2, 2, 2}}, 40);
      expect_same_steps(setup, {{2, 1, 2}}, 10, Exchange::host);
    }
  }
}

/// A cloud that flies apart: at the steps whose energies are wanted cells are laid anew, as on one
/// rank, and on another number of ranks it goes on as if nothing had been.
TEST_P(ToTheBit, WhereCellsAreLaidAnew) {
  if (emulated() && keeps_list()) return;  // cells know of no list
  SimulationSetup setup = liquid();
  setup.start.box.periodic = {false, true, false};
  for (std::size_t i = 0; i < setup.start.velocity.size(); ++i) {
    const auto& [x, y, z] = setup.start.position[i];
    setup.start.velocity[i] = {60.0 * (x - 5.5), 0.0, 20.0 * (z - 3.8)};
  }
  const auto one = on_one(setup), several = on({2, 1, 2}, setup);
  const auto cells = one->exact_state().grid.cells;
  for (Simulation* simulation : {one.get(), several.get()}) {
    for (const std::int64_t steps : {6, 4, 2}) simulation->advance(steps);
  }
  EXPECT_NE(one->exact_state().grid.cells, cells);
  expect_equal(*several, *one);
  const auto others =
      rank_device_of(backend().device->kind())
          .resume(setup, several->exact_state(), {RankGrid{3, 1, 1}}, in_this_process({3, 1, 1}));
  for (Simulation* simulation : {one.get(), others.get()}) simulation->advance(4);
  expect_equal(*others, *one);
}

/// Of parts, which have nothing but the fields that were asked for.
TEST_P(ToTheBit, LeaveTheFramesOfOne) {
  const SimulationSetup setup = liquid();
  const auto one = on_one(setup), several = on({2, 1, 2}, setup);
  for (Simulation* simulation : {one.get(), several.get()}) {
    simulation->advance(emulated() ? 3 : 20, LastStep::with_energies);
  }
  for (std::size_t f = 0; f < field_names.size(); ++f) {
    FieldSet fields;
    fields.insert(static_cast<Field>(f));
    fields.insert(Field::velocity);
    const PackedFrame of_one = one->packed_snapshot(fields);
    const PackedFrame of_several = several->packed_snapshot(fields);
    of_one.arrive();
    of_several.arrive();
    ASSERT_EQ(of_several.particles, of_one.particles);
    ASSERT_EQ(of_several.float_bytes, of_one.float_bytes);
    for (const Field field : {static_cast<Field>(f), Field::velocity}) {
      const FieldShape shape = shape_of(field);
      const int number = shape.is_float ? of_one.float_bytes : 4;
      const auto bytes = static_cast<std::size_t>(of_one.particles * shape.components * number);
      EXPECT_EQ(std::memcmp(of_several.rows_of(field), of_one.rows_of(field), bytes), 0)
          << field_names[static_cast<std::size_t>(field)];
    }
  }
}

TEST_P(ToTheBit, ThroughMemoryOfTheHost) {
  expect_same_steps(liquid(), {{2, 1, 1}, {2, 3, 2}}, 4, Exchange::host);
}

/// Everybody flies the same way: some letters and ranks get more than they had room for.
TEST_P(ToTheBit, WhereRoomHasToGrowOnTheWay) {
  StartState cloud = random_liquid(150, periodic_box(6, 6, 6), 0.9, 7);
  cloud.box = periodic_box(18, 9, 8);
  SimulationSetup setup =
      as_the_case_has_it(make_lj_setup(std::move(cloud), 2.5, Truncation::force_shift));
  for (auto& velocity : setup.start.velocity) velocity = {200.0, 30.0, 0.0};
  if (emulated()) {
    expect_same_steps(setup, {{3, 1, 1}}, 12);
  } else {
    expect_same_steps(setup, {{3, 1, 1}, {7, 2, 1}}, 60);
  }
}

TEST_P(ToTheBit, InBatchesOfOtherLengths) {
  const SimulationSetup setup = liquid();
  const auto one = on_one(setup);
  const auto several = on({2, 2, 1}, setup);
  for (const std::int64_t steps : {1, 3, 2}) {
    one->advance(steps, LastStep::forces_only);
    several->advance(steps, LastStep::forces_only);
  }
  one->advance(1);
  several->advance(1);
  expect_equal(*several, *one);
}

/// Whatever `auto` may try of them: others share a target's sources among threads in other ways.
TEST_P(ToTheBit, WithEachOfItsOptions) {
  for (const BackendOptions& options : backend().info.worth_trying) {
    SimulationSetup setup = liquid();
    for (const auto& [name, value] : options) setup.options[name] = value;
    expect_same_steps(setup, {{2, 3, 1}}, 2);
  }
}

TEST_P(ToTheBit, WhereSomeRanksHaveNobody) {
  StartState cloud = random_liquid(40, periodic_box(4, 4, 4), 0.9, 3);
  cloud.box = periodic_box(16, 11, 9);
  const SimulationSetup setup =
      as_the_case_has_it(make_lj_setup(std::move(cloud), 2.5, Truncation::force_shift));
  expect_same_steps(setup, {{3, 2, 2}}, 5);
}

TEST_P(ToTheBit, OfAParticleThatCrossesTwoRanksInAStep) {
  SimulationSetup setup = as_the_case_has_it(make_lj_setup(
      random_liquid(200, periodic_box(16, 8, 8), 0.95, 5), 2.5, Truncation::force_shift));
  setup.start.velocity[11] = {3500.0, -1400.0, 0.0};  // 7 sigma a step: two or three cells
  expect_same_steps(setup, {{6, 1, 1}}, 1);
}

TEST_P(ToTheBit, OfAParticleThatLeapsOutOfTheInterior) {
  expect_same_steps(with_one_that_leaps(), {{2, 1, 1}}, 20);
}

TEST_P(ToTheBit, GoingOnFromACheckpointOnAnotherNumber) {
  const SimulationSetup setup = liquid();
  const auto whole = on_one(setup);
  whole->advance(8);
  const auto first = on({2, 1, 1}, setup);
  first->advance(4);
  const ExactState between = first->exact_state();
  const auto second = rank_device_of(backend().device->kind())
                          .resume(setup, between, {RankGrid{1, 2, 3}}, in_this_process({1, 2, 3}));
  second->advance(4);
  expect_same(second->exact_state(), whole->exact_state());
  const auto alone = backend().device->resume(setup, between);
  alone->advance(4);
  expect_same(alone->exact_state(), whole->exact_state());
}

/// With a ramp, from a hot start: the bath has much to take.
SimulationSetup in_bath(SimulationSetup setup, const std::string& thermostat) {
  setup.integrator = thermostat;
  setup.parameters = bath_parameters(thermostat, 1.5, 2.0, 0.05);
  setup.parameters[ramp_end("temperature")] = 0.7;
  setup.steps = 30;
  return setup;
}
using Names = std::vector<std::string>;
const Names heat_baths{"langevin", "velocity-rescaling", "nose-hoover"};

/// No bath knows of back ends either: one that rebins and one with a list run in all of them.
Names baths_for(const BackendInfo& backend) {
  const bool in_all = backend.name == "par-part-no-loop" || backend.name == "verlet-list";
  return in_all ? heat_baths : Names{"nose-hoover"};
}

TEST_P(ToTheBit, InEveryHeatBath) {
  for (const std::string& thermostat : baths_for(backend().info)) {
    SCOPED_TRACE(thermostat);
    const SimulationSetup setup = in_bath(liquid(), thermostat);
    if (emulated()) {
      expect_same_steps(setup, {{2, 2, 2}}, 4);
      continue;
    }
    expect_same_steps(setup, {{1, 3, 1}, {2, 2, 2}}, 16);
    expect_same_steps(setup, {{2, 1, 1}}, 4, Exchange::host);
  }
}

TEST_P(ToTheBit, InAHeatBathWhereRoomHasToGrow) {
  StartState cloud = random_liquid(150, periodic_box(6, 6, 6), 0.9, 7);
  cloud.box = periodic_box(18, 9, 8);
  for (const std::string& thermostat : baths_for(backend().info)) {
    SCOPED_TRACE(thermostat);
    SimulationSetup setup = as_the_case_has_it(make_lj_setup(cloud, 2.5, Truncation::force_shift));
    setup.integrator = thermostat;
    setup.parameters = bath_parameters(thermostat, 15000.0, 0.1, 2.0);
    for (auto& velocity : setup.start.velocity) velocity = {200.0, 30.0, 0.0};
    expect_same_steps(setup, {{7, 2, 1}}, emulated() ? 3 : 20);
  }
}

TEST_P(ToTheBit, WithoutMotionOfTheWhole) {
  Names integrators = baths_for(backend().info);
  integrators.emplace_back("velocity-verlet");
  if (emulated()) integrators = {"langevin"};
  for (const std::string& integrator : integrators) {
    SCOPED_TRACE(integrator);
    SimulationSetup setup = liquid();
    if (integrator != setup.integrator) setup = in_bath(std::move(setup), integrator);
    for (auto& velocity : setup.start.velocity) velocity[1] += 0.7;
    setup.zero_momentum_every = 3;
    expect_same_steps(setup, {{1, 3, 2}}, emulated() ? 4 : 10);
    if (!emulated()) expect_same_steps(setup, {{2, 1, 1}}, 4, Exchange::host);
  }
}

/// From one rule of motion to another: a bath that cools, constant energy, another bath.
void advance_in_stages(Simulation& simulation, const SimulationSetup& setup) {
  simulation.advance(4);
  StageSettings stage = setup;
  stage.first_step = 4;
  stage.first_time = 4 * setup.timestep;
  stage.integrator = "velocity-verlet";
  stage.parameters = {};
  stage.timestep = 0.001;
  stage.zero_momentum_every = 0;
  simulation.begin_stage(stage);
  simulation.advance(3, LastStep::forces_only);
  stage.first_step = 7;
  stage.first_time += 0.003;
  stage.integrator = "nose-hoover";
  stage.parameters = bath_parameters(stage.integrator, 1.2, 0.0, 0.1);
  stage.zero_momentum_every = {};
  simulation.begin_stage(stage);
  simulation.advance(3);
}

TEST_P(ToTheBit, InSeveralStages) {
  const SimulationSetup setup = in_bath(liquid(), "langevin");
  const auto one = on_one(setup);
  advance_in_stages(*one, setup);
  for (const Exchange exchange : {Exchange::direct, Exchange::host}) {
    if (emulated() && exchange == Exchange::host) continue;
    const auto several = on({2, 3, 1}, setup, exchange);
    advance_in_stages(*several, setup);
    expect_equal(*several, *one);
    EXPECT_EQ(several->observe().time, one->observe().time);
  }
}

/// Each that there is, with what a small liquid allows.
std::vector<ObservableChoice> every_observable(const DeviceApi& device) {
  const ObservableParameters given{{"max_distance", 2.0}, {"length", 3.0}, {"origin_every", 1.0},
                                   {"bins", 20.0},        {"k_max", 5.0},  {"max_vectors", 5.0}};
  std::vector<ObservableChoice> choices;
  for (const ObservableInfo& info : device.observables()) {
    ObservableChoice choice{info.name, 2, 0, {}};
    for (const ParameterInfo& parameter : info.parameters) {
      const auto found = given.find(parameter.name);
      choice.parameters[parameter.name] =
          found == given.end() ? std::stod(parameter.default_value) : found->second;
    }
    for (const WordInfo& word : info.words) choice.parameters[word.name] = 0.0;
    choices.push_back(choice);
  }
  return choices;
}

void advance_and_sample(Simulation& simulation, int samples) {
  for (int k = 0; k < samples; ++k) {
    simulation.advance(2);
    simulation.sample_observables();
  }
}

void expect_same_observables(Simulation& several, Simulation& one) {
  const auto of_several = several.observable_states(), of_one = one.observable_states();
  ASSERT_EQ(of_several.size(), of_one.size());
  for (std::size_t k = 0; k < of_one.size(); ++k) {
    EXPECT_FALSE(of_one[k].numbers.empty());
    EXPECT_EQ(of_several[k].numbers, of_one[k].numbers) << of_one[k].choice.name;
  }
}

TEST_P(ToTheBit, OfEveryObservable) {
  SimulationSetup setup = liquid();
  setup.observables = every_observable(*backend().device);
  const auto one = on_one(setup);
  advance_and_sample(*one, 4);
  const auto several = on({2, 3, 1}, setup);
  advance_and_sample(*several, 4);
  expect_same_observables(*several, *one);
  expect_equal(*several, *one);
  EXPECT_EQ(several->observable_results().front().samples, 4);

  const auto first = on({2, 1, 1}, setup);
  advance_and_sample(*first, 2);
  const auto second =
      rank_device_of(backend().device->kind())
          .resume(setup, first->exact_state(), {RankGrid{1, 1, 3}}, in_this_process({1, 1, 3}));
  second->restore_observables(first->observable_states());
  advance_and_sample(*second, 2);
  expect_same_observables(*second, *one);
}

TEST_P(ToTheBit, AHeatBathGoesOnFromACheckpointOnAnotherNumber) {
  for (const std::string& thermostat : emulated() ? Names{"nose-hoover"} : heat_baths) {
    SCOPED_TRACE(thermostat);
    SimulationSetup setup = in_bath(liquid(), thermostat);
    setup.zero_momentum_every = 5;
    const auto whole = on_one(setup);
    whole->advance(8);
    const auto first = on({2, 1, 1}, setup);
    first->advance(4);
    const ExactState between = first->exact_state();
    const auto second =
        rank_device_of(backend().device->kind())
            .resume(setup, between, {RankGrid{1, 2, 3}}, in_this_process({1, 2, 3}));
    second->advance(2);
    second->advance(2);
    expect_equal(*second, *whole);
    const auto alone = backend().device->resume(setup, between);
    alone->advance(4);
    expect_equal(*alone, *whole);
  }
}

SimulationSetup under_pressure(SimulationSetup setup, const std::string& thermostat,
                               double pressure) {
  setup = in_bath(std::move(setup), thermostat);
  setup.zero_momentum_every = 6;
  setup.barostat = Barostat{stochastic_cell_rescaling,
                            {{"pressure", pressure},
                             {"relaxation_time", 0.02},
                             {"compressibility", 0.01},
                             {"every", 2.0},
                             {"seed", 3.0}}};
  return setup;
}
/// So that the box shrinks at once by a few per cent, and cells become fewer.
constexpr double squeezed = 40.0, held = 12.0;

TEST_P(ToTheBit, UnderABarostat) {
  for (const std::string& thermostat : emulated() ? Names{"nose-hoover"} : heat_baths) {
    SCOPED_TRACE(thermostat);
    const SimulationSetup setup = under_pressure(liquid(), thermostat, held);
    expect_same_steps(setup, {{2, 2, 1}}, emulated() ? 4 : 14);
    if (emulated()) continue;
    expect_same_steps(setup, {{1, 3, 1}}, 5, Exchange::host);
  }
}

/// Also where the ranks of now cannot share them.
TEST_P(ToTheBit, WhereABarostatMakesOtherCells) {
  const SimulationSetup setup = under_pressure(liquid(), "nose-hoover", squeezed);
  const auto one = on_one(setup);
  const auto cells = one->exact_state().grid.cells;
  one->advance(9);
  EXPECT_NE(one->exact_state().grid.cells, cells);
  for (const RankGrid& ranks : {RankGrid{2, 1, 1}, RankGrid{1, 1, 3}}) {
    if (emulated() && ranks[2] == 1) continue;
    const auto several = on(ranks, setup);
    several->advance(9);
    expect_equal(*several, *one);
  }
}

TEST_P(ToTheBit, ABarostatGoesOnFromACheckpointOnAnotherNumber) {
  if (emulated()) return;  // as above
  SimulationSetup setup = under_pressure(liquid(), "langevin", squeezed);
  setup.observables = every_observable(*backend().device);
  std::erase_if(setup.observables, [](const ObservableChoice& choice) {
    return choice.name != "pressure-tensor" && choice.name != "radial-distribution";
  });
  for (ObservableChoice& choice : setup.observables) choice.every = 3;
  const auto whole = on_one(setup);
  whole->advance(9);
  const auto first = on({2, 1, 1}, setup);
  first->advance(5);
  const ExactState between = first->exact_state();
  const auto second = rank_device_of(backend().device->kind())
                          .resume(setup, between, {RankGrid{1, 3, 1}}, in_this_process({1, 3, 1}));
  second->advance(4);
  expect_equal(*second, *whole);
  second->sample_observables();
  whole->sample_observables();
  expect_same_observables(*second, *whole);
}

/// The first rank alone does it, between stages of all.
void advance_with_minimisation(Simulation& simulation, const SimulationSetup& setup) {
  simulation.advance(4);
  StageSettings stage = setup;
  const auto begin = [&](const std::string& integrator, IntegratorParameters parameters) {
    stage.integrator = integrator;
    stage.parameters = std::move(parameters);
    stage.first_step = simulation.step();
    simulation.begin_stage(stage);
    simulation.sample_observables();
  };
  begin("fire", {{"force_tolerance", 0.01}, {"max_displacement", 0.1}});
  simulation.advance(4);
  simulation.sample_observables();
  EXPECT_TRUE(simulation.minimisation());
  begin("langevin", bath_parameters("langevin", 1.2, 2.0, 0.0));
  EXPECT_FALSE(simulation.minimisation());
  simulation.advance(4);
  simulation.sample_observables();
}

TEST_P(ToTheBit, WithAMinimisation) {
  SimulationSetup setup = liquid();
  setup.observables = every_observable(*backend().device);
  const auto one = on_one(setup);
  advance_with_minimisation(*one, setup);
  const auto several = on({2, 1, 1}, setup);
  advance_with_minimisation(*several, setup);
  expect_equal(*several, *one);
  expect_same_observables(*several, *one);
}

TEST_P(ToTheBit, AMinimisationGoesOnFromACheckpoint) {
  if (emulated()) return;  // whose steps are one rank's
  SimulationSetup setup = liquid();
  setup.integrator = "fire";
  setup.parameters = {{"force_tolerance", 40.0}, {"max_displacement", 0.1}};
  const auto one = on_one(setup);
  one->advance(300);
  const auto first = on({2, 1, 1}, setup);
  EXPECT_TRUE(first->is_on_first_rank_alone());
  EXPECT_EQ(first->ranks(), (RankGrid{2, 1, 1}));
  first->advance(5);
  const auto second =
      rank_device_of(backend().device->kind())
          .resume(setup, first->exact_state(), {RankGrid{1, 3, 1}}, in_this_process({1, 3, 1}));
  second->advance(295);
  expect_same(second->exact_state(), one->exact_state());
  EXPECT_EQ(second->minimisation()->rests_since, one->minimisation()->rests_since);
  EXPECT_EQ(second->is_minimised(), one->is_minimised());
  EXPECT_TRUE(second->is_minimised());
  EXPECT_THAT(second->backend_stats().note, HasSubstr("on the first rank alone"));
}

/// What travels is tested in every precision with back ends that are fast everywhere; emulated
/// blocks are the same templates in all of them.
PENCILBOX_WHERE(ToTheBit, [](const BackendCase& one) {
  return one.backend.info.on_ranks == OnRanks::to_the_bit &&
         (!is_emulated(one) || one.precision == Precision::mixed);
});

class NotToTheBit : public OnSeveralRanks {
 protected:
  void expect_steps_of_one(const SimulationSetup& setup, Simulation& several, int steps) const {
    FieldSet fields;
    fields.insert(Field::position);
    const auto one = on_one(setup);
    for (Simulation* simulation : {one.get(), &several}) simulation->advance(steps);
    EXPECT_LE(largest_difference(several.snapshot(fields).position, one->snapshot(fields).position),
              Bars({1e-11, 2e-5, 2e-4}).of(precision()));
  }
};

TEST_P(NotToTheBit, TheirForcesAreRight) {
  const SimulationSetup setup = liquid();
  const Evaluation truth = evaluate_reference(setup);
  const auto several = on({2, 2, 1}, setup);
  FieldSet fields;
  fields.insert(Field::force);
  EXPECT_LE(largest_difference(several->snapshot(fields).force, truth.frame.force),
            Bars({1e-11, 1e-5, 1e-4}).of(precision()) * largest_component(truth.frame.force));
  EXPECT_NEAR(several->observe().potential_energy / truth.sums.potential_energy, 1.0,
              Bars({1e-12, 1e-6, 1e-5}).of(precision()));
}

/// Sums of what each rank has, where particles do not come together for them.
TEST_P(NotToTheBit, TheirSumsAreRight) {
  const SimulationSetup setup = liquid();
  const auto one = on_one(setup), several = on({1, 2, 2}, setup);
  for (Simulation* simulation : {one.get(), several.get()}) simulation->advance(7);
  const Observation of_one = one->observe(), of_several = several->observe();
  const double bar = Bars({1e-10, 1e-5, 1e-4}).of(precision());
  EXPECT_EQ(of_several.particles, of_one.particles);
  EXPECT_NEAR(of_several.kinetic_energy / of_one.kinetic_energy, 1.0, bar);
  EXPECT_NEAR(of_several.potential_energy / of_one.potential_energy, 1.0, bar);
  EXPECT_NEAR(of_several.virial / of_one.virial, 1.0, bar);
  EXPECT_NEAR(of_several.pressure / of_one.pressure, 1.0, bar);
  for (std::size_t d = 0; d < 3; ++d) {
    EXPECT_NEAR(of_several.momentum[d], of_one.momentum[d], 1e3 * bar);
  }
}

/// Through new lists and what moves in one kernel with forces, or by a bath.
TEST_P(NotToTheBit, TheirStepsAreRight) {
  FieldSet fields;
  fields.insert(Field::position);
  for (const bool bath : {false, true}) {
    const SimulationSetup setup = bath ? in_bath(liquid(), "langevin") : liquid();
    const auto one = on_one(setup);
    one->advance(30);
    const auto truth = one->snapshot(fields).position;
    for (const Exchange exchange : {Exchange::direct, Exchange::host}) {
      if (emulated() && exchange == Exchange::host) continue;
      const auto several = on({2, 2, 1}, setup, exchange);
      several->advance(30);
      EXPECT_LE(largest_difference(several->snapshot(fields).position, truth),
                Bars({1e-11, 2e-5, 2e-4}).of(precision()));
      if (!keeps_list()) continue;
      const auto& list = several->backend_stats().list;
      ASSERT_TRUE(list);
      EXPECT_GE(list->rebuilds, 3);
    }
  }
}

TEST_P(NotToTheBit, TheirStepsAreRightWithOpenFaces) {
  SimulationSetup setup = liquid();
  setup.start.box.periodic = {false, true, false};
  const bool cuts_them = !backend().info.has_vectors && backend().info.name != "trimmed-rows";
  if (!cuts_them) {
    EXPECT_THROW(on({2, 2, 1}, setup), InputError);
  }
  expect_steps_of_one(setup, *on({cuts_them ? 2 : 1, 2, 1}, setup), 20);
}

/// Which is computed while letters of the border travel.
TEST_P(NotToTheBit, TheirStepsAreRightWhereTheyHaveAnInterior) {
  SimulationSetup setup = long_liquid();
  setup.skin = 0.1;
  const auto several = on({2, 1, 1}, setup);
  expect_steps_of_one(setup, *several, 30);
  if (keeps_list()) {
    EXPECT_GE(several->backend_stats().list->rebuilds, 3);
  }
}

/// Likewise, where cells are sorted anew in every step: who has come near the border must not be
/// overlooked.
TEST_P(NotToTheBit, TheirStepsAreRightWhereTheInteriorIsDeep) {
  for (const std::size_t along : {0U, 2U}) {
    SCOPED_TRACE(along);
    Double3 edges{8.1, 8.0, 7.7};
    edges[along] = 44.0;
    SimulationSetup setup =
        make_lj_setup(random_liquid(1900, periodic_box(edges[0], edges[1], edges[2]), 0.9, 23, 2),
                      2.5, Truncation::force_shift);
    for (std::size_t i = 0; i < setup.start.velocity.size(); ++i) {
      setup.start.velocity[i][along] = i % 2 == 0 ? 9.0 : -9.0;
    }
    setup = as_the_case_has_it(std::move(setup));
    RankGrid ranks{1, 1, 1};
    ranks[along] = 2;
    expect_steps_of_one(setup, *on(ranks, setup), emulated() ? 8 : 25);
  }
}

TEST_P(NotToTheBit, OfAParticleThatLeapsOutOfTheInterior) {
  const SimulationSetup setup = with_one_that_leaps();
  expect_steps_of_one(setup, *on({2, 1, 1}, setup), 20);
}

TEST_P(NotToTheBit, ADeterministicRunRefusesThem) {
  SimulationSetup setup = liquid();
  setup.deterministic = true;
  try {
    on({2, 1, 1}, setup);
    FAIL() << "not refused";
  } catch (const InputError& refusal) {
    EXPECT_THAT(refusal.what(), HasSubstr("run.deterministic"));
  }
}

PENCILBOX_WHERE(NotToTheBit, [](const BackendCase& one) {
  return one.backend.info.on_ranks == OnRanks::not_to_the_bit;
});

class Refused : public OnSeveralRanks {
 protected:
  void expect_refusal(const SimulationSetup& setup, const RankGrid& ranks,
                      const std::string& words) const {
    try {
      on(ranks, setup);
      ADD_FAILURE() << "not refused: " << words;
    } catch (const InputError& refusal) {
      EXPECT_THAT(refusal.what(), HasSubstr(words));
    }
  }
};

TEST_P(Refused, InWords) {
  if (backend().info.name == "auto") return;  // takes what can: below
  if (backend().info.on_ranks == OnRanks::no) {
    expect_refusal(liquid(), {2, 1, 1}, backend().info.name + ": not on several ranks");
    return;
  }
  const SimulationSetup setup = liquid();
  const std::string cells = backend().info.has_vectors ? "3 cells" : "4 cells";  // wider ones
  expect_refusal(setup, {5, 1, 1}, "5 in a direction of " + cells);
  expect_refusal(setup, {0, 1, 1}, "0 in a direction of " + cells);
  SimulationSetup changed = setup;
  changed.integrator = "fire";  // whose next stage is to be on all of them
  changed.parameters = {{"force_tolerance", 0.01}, {"max_displacement", 0.1}};
  expect_refusal(changed, {5, 1, 1}, "5 in a direction of " + cells);
}

PENCILBOX_FOR_EVERY_BACKEND_IN_DOUBLE(Refused);

class QuantaOnRanks : public OnSeveralRanks {
 protected:
  SimulationSetup crystal() const {
    SimulationSetup setup =
        as_the_case_has_it(make_lj_setup(thermal_crystal(6, 0.8442), 2.5, Truncation::force_shift));
    setup.timestep = 0.005;
    return setup;
  }
};

/// In the first steps of a crystal forces are too small for them; and whoever goes on knows.
TEST_P(QuantaOnRanks, BeginWhereForcesAreLarge) {
  const SimulationSetup setup = crystal();
  const auto one = on_one(setup);
  one->advance(28);
  FieldSet fields;
  fields.insert(Field::position);
  const auto truth = one->snapshot(fields).position;
  for (const Exchange exchange : {Exchange::direct, Exchange::host}) {
    const auto several = on({2, 2, 1}, setup, exchange);
    expect_right_forces(*several, setup);
    several->advance(2);
    expect_right_forces(*several, setup);
    several->advance(4, LastStep::forces_only);
    const ExactState between = several->exact_state();
    EXPECT_FALSE(has_large_forces(between));
    several->advance(11);
    expect_right_forces(*several, setup);
    EXPECT_TRUE(has_large_forces(several->exact_state()));
    several->advance(11);
    expect_right_forces(*several, setup);
    const auto resumed = rank_device_of(backend().device->kind())
                             .resume(setup, between, {RankGrid{1, 2, 1}, false, exchange},
                                     in_this_process({1, 2, 1}));
    resumed->advance(22);
    EXPECT_TRUE(has_large_forces(resumed->exact_state()));
    for (Simulation* simulation : {several.get(), resumed.get()}) {
      EXPECT_LE(largest_difference(simulation->snapshot(fields).position, truth), 2e-6);
    }
  }
}

PENCILBOX_WHERE(QuantaOnRanks, [](const BackendCase& one) {
  return one.backend.info.sums_quanta && one.precision == Precision::mixed;
});

class AutoOnRanks : public OnSeveralRanks {};

/// By steps of the run: whatever it changes between, trajectory, stages and observables go on.
TEST_P(AutoOnRanks, TriesAndDecides) {
  SimulationSetup setup = liquid();
  setup.skin = {};
  setup.start.box = periodic_box(12, 12, 12);  // room for wider cells
  setup.observables = every_observable(*backend().device);
  const auto one = on_one(setup);
  const auto several = on({2, 1, 1}, setup);
  for (const std::int64_t steps : {4, 50, 200, 46, 300}) {
    one->advance(steps);
    several->advance(steps);
    several->sample_observables();
  }
  EXPECT_EQ(several->step(), 600);
  const BackendStats stats = several->backend_stats();
  EXPECT_FALSE(stats.is_choosing);
  ASSERT_TRUE(stats.choice);
  EXPECT_GE(stats.choice->tried, 2);
  EXPECT_GT(stats.choice->chosen.skin, 0.0);  // a list
  EXPECT_THAT(stats.note, HasSubstr(stats.choice->chosen.name));
  EXPECT_NEAR(several->observe().total_energy() / one->observe().total_energy(), 1.0, 1e-3);
  EXPECT_EQ(several->observable_results().front().samples, 5);
}

TEST_P(AutoOnRanks, HasTheBitsOfOneRankWhereThatIsAsked) {
  SimulationSetup setup = liquid();
  setup.deterministic = true;
  setup.skin = {};
  expect_same_steps(setup, {{2, 1, 1}}, emulated() ? 2 : 20);
}

TEST_P(AutoOnRanks, GoesOnFromAnyState) {
  SimulationSetup setup = liquid();
  setup.start.box = periodic_box(12, 12, 12);
  setup.skin = {};
  const auto first = on({2, 1, 1}, setup);
  first->advance(30);
  const double energy = first->observe().total_energy();
  for (const char* name : {"auto", "verlet-list", "par-part-no-loop"}) {
    SCOPED_TRACE(name);
    setup.backend = name;
    setup.options.clear();
    for (const BackendInfo& info : backend().device->backends()) {
      if (info.name == name) setup.options = default_options(info);
    }
    const auto second =
        rank_device_of(backend().device->kind())
            .resume(setup, first->exact_state(), {RankGrid{1, 2, 1}}, in_this_process({1, 2, 1}));
    second->advance(20);
    EXPECT_NEAR(second->observe().total_energy() / energy, 1.0, 1e-3);
  }
}

PENCILBOX_WHERE(AutoOnRanks, [](const BackendCase& one) {
  return one.backend.info.name == "auto" && one.precision == Precision::mixed;
});

}  // namespace
}  // namespace pencilbox::testing
