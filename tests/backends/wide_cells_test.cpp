// Cells of back ends for vectors hold some twenty particles, however far the cutoff is below that.
#include "tests/support/every_backend.hpp"

namespace pencilbox::testing {
namespace {

class WideCells : public EveryBackend {
 protected:
  SimulationSetup with_this(SimulationSetup setup) const {
    setup.precision = precision();
    setup.backend = backend().info.name;
    setup.options = default_options(backend().info);
    setup.integrator = "velocity-verlet";
    setup.skin = 0.5;
    return setup;
  }

  void expect_right(const SimulationSetup& setup, const char* what) const {
    const Evaluation truth = evaluate_reference(setup);
    const Evaluation mine = run(setup);
    EXPECT_LE(largest_difference(mine.frame.force, truth.frame.force),
              Bars({1e-12, 2e-5, 4e-5}).of(precision()) * largest_component(truth.frame.force))
        << what;
  }
};

SimulationSetup gas() {
  return make_lj_setup(random_liquid(700, periodic_box(41.0, 27.5, 24.0), 0.9, 5), 2.5,
                       Truncation::shift);
}

TEST_P(WideCells, AreRightInAGas) {
  const SimulationSetup setup = with_this(gas());
  const ProblemReport report = backend().device->check(setup);
  EXPECT_GT(report.particles_per_cell, 15.0);
  EXPECT_GT(report.cell_side[0], 7.0);
  expect_right(setup, "gas");
}

TEST_P(WideCells, AreRightWhereOnlyContactsInteract) {
  const SimulationSetup setup = with_this(make_lj_setup(
      random_liquid(600, periodic_box(8.1, 9.3, 10.2), 0.82, 7, 2), 1.12, Truncation::shift));
  EXPECT_GT(backend().device->check(setup).particles_per_cell, 15.0);
  expect_right(setup, "contacts");
}

/// What a back end with narrow cells left goes on in wide ones.
TEST_P(WideCells, AreLaidForTheStateOfAnother) {
  const SimulationSetup wide = with_this(gas());
  SimulationSetup narrow = wide;
  narrow.backend = "par-part-loop";
  narrow.options = {};
  for (const DeviceBackend& other : device_backends()) {
    if (other.info.name == narrow.backend) narrow.options = default_options(other.info);
  }
  narrow.skin.reset();
  const auto first = backend().device->make(narrow);
  first->advance(3);
  const auto second = backend().device->resume(wide, first->exact_state());
  const auto fresh = backend().device->make(wide);
  EXPECT_NE(first->exact_state().grid.cells, fresh->exact_state().grid.cells);
  EXPECT_EQ(second->exact_state().grid.cells, fresh->exact_state().grid.cells);
  second->advance(3);
  first->advance(3);
  EXPECT_NEAR(second->observe().total_energy(), first->observe().total_energy(),
              1e-5 * std::abs(first->observe().total_energy()));
}

PENCILBOX_WHERE(WideCells, [](const BackendCase& one) { return one.backend.info.has_vectors; });

}  // namespace
}  // namespace pencilbox::testing
