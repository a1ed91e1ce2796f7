// A box that changes: every back end in every precision goes with it, on cells that stay and on
// cells that are laid anew, and goes on after a resume to the last bit.
#include <cmath>

#include "core/error.hpp"
#include "tests/support/every_backend.hpp"
#include "tests/support/exact_state.hpp"

namespace pencilbox::testing {
namespace {

class ChangingBox : public EveryBackend {
 protected:
  /// Wide enough for 4 cells in each direction, with a skin for 3.
  SimulationSetup liquid(double pressure, double relaxation_time) const {
    SimulationSetup setup = make_lj_setup(thermal_crystal(6, 0.8), 2.5, Truncation::cut);
    setup.start.box.lower = {-3.0, 0.5, 2.0};
    for (Double3& position : setup.start.position) {
      for (std::size_t d = 0; d < 3; ++d) position[d] += setup.start.box.lower[d];
    }
    setup.backend = backend().info.name;
    setup.options = default_options(backend().info);
    setup.precision = precision();
    setup.deterministic = has_a_fixed_order(GetParam());
    setup.integrator = "langevin";
    setup.parameters = {{"temperature", 1.0}, {"friction", 1.0}, {"seed", 1.0}};
    setup.barostat = Barostat{stochastic_cell_rescaling,
                              {{"pressure", pressure},
                               {"relaxation_time", relaxation_time},
                               {"compressibility", 0.1},
                               {"every", 2.0},
                               {"seed", 1.0}}};
    return setup;
  }

  static Frame frame_of(Simulation& simulation) {
    FieldSet fields;
    for (const Field f : {Field::position, Field::velocity, Field::image, Field::force, Field::id,
                          Field::species}) {
      fields.insert(f);
    }
    return simulation.snapshot(fields);
  }

  /// What a simulation that has always been in this box would have.
  void expect_forces_of_a_new_start(Simulation& simulation, SimulationSetup setup) const {
    const Frame now = frame_of(simulation);
    setup.start.box = now.box;
    setup.start.position = now.position;
    setup.start.velocity = now.velocity;
    setup.start.image = now.image;
    setup.barostat.reset();
    const auto anew = backend().device->make(setup);
    const Frame expected = frame_of(*anew);
    double largest = 0.0;
    for (const Double3& force : expected.force) {
      for (const double component : force) largest = std::max(largest, std::abs(component));
    }
    const Bars bars{2e-12, 5e-5, 1e-4};
    EXPECT_LT(largest_difference(now.force, expected.force) / largest, bars.of(precision()));
    const Observation sums = simulation.observe(), right = anew->observe();
    const Bars energy{1e-12, 1e-6, 1e-5};
    EXPECT_NEAR(sums.potential_energy / right.potential_energy, 1.0, energy.of(precision()));
    EXPECT_NEAR(sums.volume / right.volume, 1.0, 1e-14);
  }
};

TEST_P(ChangingBox, HasTheForcesOfABoxThatHasAlwaysBeenSo) {
  const SimulationSetup setup = liquid(3.0, 0.5);
  const auto simulation = backend().device->make(setup);
  simulation->advance(6);
  const double volume = simulation->observe().volume;
  EXPECT_GT(std::abs(volume / setup.start.box.volume() - 1.0), 1e-4);
  expect_forces_of_a_new_start(*simulation, setup);
}

/// Of four cells to three or five, of a list's three to two or four: by a pressure far away. Where
/// blocks are emulated by the one that takes fewer steps.
TEST_P(ChangingBox, LaysCellsAnewWhereTheyDoNotSuit) {
  const bool has_list = backend().info.rebuild == Rebuild::on_displacement;
  for (const double pressure : {60.0, -60.0}) {
    if (emulated() && has_list == (pressure > 0.0)) continue;
    const SimulationSetup setup = liquid(pressure, 2.0);
    const auto simulation = backend().device->make(setup);
    const auto cells = simulation->exact_state().grid.cells;
    for (int k = 0; k < 30 && simulation->exact_state().grid.cells == cells; ++k) {
      simulation->advance(2);
    }
    if (!backend().info.has_vectors) {  // whose cells follow the number of particles, too
      EXPECT_NE(simulation->exact_state().grid.cells, cells) << pressure;
    }
    expect_forces_of_a_new_start(*simulation, setup);
  }
}

class ChangingBoxInOrder : public ChangingBox {};

TEST_P(ChangingBoxInOrder, GoesOnBitForBit) {
  const SimulationSetup setup = liquid(20.0, 2.0);
  const auto whole = backend().device->make(setup);
  whole->advance(5, LastStep::forces_only);
  const ExactState middle = whole->exact_state();
  whole->advance(5);
  const auto parts = backend().device->resume(setup, middle);
  expect_same(parts->exact_state(), middle);
  parts->advance(2, LastStep::forces_only);
  parts->advance(3);
  expect_same(parts->exact_state(), whole->exact_state());
  EXPECT_EQ(parts->observe().conserved_energy, whole->observe().conserved_energy);
}

PENCILBOX_FOR_EVERY_BACKEND(ChangingBox);
PENCILBOX_WHERE(ChangingBoxInOrder, has_a_fixed_order);

/// A graph holds the sides of cells: it must not outlive them.
class ChangingBoxInGraphs : public ChangingBox {};

TEST_P(ChangingBoxInGraphs, HasTheBitsOfLaunches) {
  SimulationSetup setup = liquid(3.0, 4.0);
  setup.barostat->parameters["every"] = 40.0;
  setup.executor = Executor::launched;
  const auto launched = backend().device->make(setup);
  setup.executor = Executor::graph;
  const auto noted = backend().device->make(setup);
  launched->advance(130);
  noted->advance(130);
  expect_same(noted->exact_state(), launched->exact_state());
}

PENCILBOX_WHERE(ChangingBoxInGraphs, [](const BackendCase& one) {
  return one.precision == Precision::mixed && !is_emulated(one) && has_a_fixed_order(one);
});

/// `auto` comes to a choice though every batch is short, and no choice changes the physics.
TEST(ChangingBoxOfAuto, IsChosenFor) {
  for (const DeviceBackend& backend : device_backends()) {
    if (backend.info.name != "auto") continue;
    for (const double every : {1.0, 10.0}) {
      SimulationSetup setup = make_lj_setup(thermal_crystal(5, 0.8), 2.5, Truncation::force_shift);
      setup.backend = "auto";
      setup.precision = Precision::double_;
      setup.timestep = 0.004;
      setup.integrator = "velocity-rescaling";
      setup.parameters = {{"temperature", 1.0}, {"relaxation_time", 0.5}, {"seed", 1.0}};
      setup.barostat = Barostat{stochastic_cell_rescaling,
                                {{"pressure", 3.0},
                                 {"relaxation_time", 8.0},
                                 {"compressibility", 0.1},
                                 {"every", every},
                                 {"seed", 1.0}}};
      const auto simulation = backend.device->make(setup);
      const double before = simulation->observe().conserved_energy;
      for (int k = 0; k < 20 && simulation->backend_stats().is_choosing; ++k) {
        simulation->advance(200);
      }
      EXPECT_FALSE(simulation->backend_stats().is_choosing) << backend.name();
      const Observation sums = simulation->observe();
      EXPECT_NEAR(sums.conserved_energy, before, 2e-3 * 500.0) << backend.name();
      EXPECT_GT(std::abs(sums.volume / setup.start.box.volume() - 1.0), 1e-3);
    }
  }
}

}  // namespace
}  // namespace pencilbox::testing
