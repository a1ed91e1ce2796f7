// Cells of back ends for vectors hold some twenty particles, however far the cutoff is below that;
// those of clusters somewhat more than a reach has, where a device has enough to do; of others in a
// gas more than those of the cutoff have.
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

class CellsOfClusters : public WideCells {
 protected:
  static constexpr double reach = 3.0;

  /// Enough cells for this device, along x, with so many particles in those of a reach.
  SimulationSetup long_box(double particles_in_reach) const {
    const double most = 1.5 * reach;
    const double length =
        most * (40.0 * backend().device->properties().multiprocessors / 9.0 + 1.0);
    const double volume = length * 3.1 * most * 3.1 * most;
    const auto count = static_cast<int>(particles_in_reach * volume / (reach * reach * reach));
    return with_this(
        make_lj_setup(random_liquid(count, periodic_box(length, 3.1 * most, 3.1 * most), 0.9, 11),
                      2.5, Truncation::force_shift));
  }
  double width(const SimulationSetup& setup) const {
    return backend().device->check(setup).cell_side[0];
  }
  /// Of which there may be too many for a reference that looks at all pairs.
  bool is_small() const { return backend().device->properties().multiprocessors <= 8; }
};

TEST_P(CellsOfClusters, AreWiderInAGas) {
  const SimulationSetup setup = long_box(3.0);
  EXPECT_GT(width(setup), 1.45 * reach);
  if (is_small()) expect_right(setup, "gas");
}

TEST_P(CellsOfClusters, HoldAWarpOfALiquid) {
  const SimulationSetup setup = long_box(17.5);
  EXPECT_GT(width(setup), 1.1 * reach);
  EXPECT_LT(width(setup), 1.2 * reach);
  if (is_small()) expect_right(setup, "liquid");
}

TEST_P(CellsOfClusters, AreWiderInAThinGasWhereAFewMeet) {
  SimulationSetup setup = long_box(0.2);
  for (int i = 0; i < 8; ++i) {
    setup.start.position[static_cast<std::size_t>(i)] = {0.2 + i % 2, 0.2 + i / 2 % 2, 0.2 + i / 4};
  }
  EXPECT_GT(width(setup), 1.45 * reach);
  if (is_small()) expect_right(setup, "thin gas");
}

TEST_P(CellsOfClusters, AreThoseOfAReachWhereSomeAreCrowded) {
  SimulationSetup setup = long_box(3.0);
  for (int i = 0; i < 40; ++i) {  // in one corner, apart from each other
    setup.start.position[static_cast<std::size_t>(i)] = {0.6 * (i % 4), 0.6 * (i / 4 % 4),
                                                         0.6 * (i / 16 % 4)};
  }
  EXPECT_LT(width(setup), 1.1 * reach);
}

/// Three along y, if they are wide, and one along z.
TEST_P(CellsOfClusters, AreThoseOfAReachWhereTheyAreFew) {
  const int multiprocessors = backend().device->properties().multiprocessors;
  if (multiprocessors < 2) GTEST_SKIP() << "one core has enough of any box";
  const int along_x = std::max(3, (5 * multiprocessors - 1) / 3);
  const Box box = periodic_box(4.0 * along_x + 0.1, 12.1, 5.9);
  const SimulationSetup setup = with_this(
      make_lj_setup(random_liquid(70 * along_x / 3, box, 0.9, 11), 2.5, Truncation::force_shift));
  EXPECT_NEAR(width(setup), box.edges[0] / std::floor(box.edges[0] / reach), 1e-9);
}

/// A warp has 32 lanes; five cells a side would have 47 particles each, six 27.
TEST_P(CellsOfClusters, HoldNoMoreThanAWarpInASmallBox) {
  const SimulationSetup setup = with_this(make_lj_setup(
      random_liquid(5932, periodic_box(19.5, 19.5, 19.5), 0.85, 11), 2.5, Truncation::force_shift));
  EXPECT_NEAR(width(setup), 3.25, 1e-9);
  expect_right(setup, "small liquid");
}

TEST_P(CellsOfClusters, DoNotFillAThinBoxByThemselves) {
  SimulationSetup setup = long_box(3.0);
  for (std::size_t d = 1; d < 3; ++d) {
    const double thinner = 2.4 * reach / setup.start.box.edges[d];
    setup.start.box.edges[d] *= thinner;
    setup.start.box.edges[0] /= thinner;
    for (Double3& place : setup.start.position) {
      place[d] *= thinner;
      place[0] /= thinner;
    }
  }
  const ProblemReport report = backend().device->check(setup);
  EXPECT_GT(report.cell_side[0], 1.15 * reach);
  EXPECT_EQ(report.cells[1], 2);
  EXPECT_EQ(report.cells[2], 2);
}

TEST_P(CellsOfClusters, AreThoseOfAReachWhereBitsMustNotDependOnTheStart) {
  SimulationSetup setup = long_box(3.0);
  setup.deterministic = true;
  EXPECT_LT(width(setup), 1.1 * reach);
}

/// A GPU has so many multiprocessors that random places of as many particles take minutes.
PENCILBOX_WHERE(CellsOfClusters, [](const BackendCase& one) {
  return one.backend.info.has_clusters && one.backend.device->kind() == "host";
});

class CellsOfGases : public WideCells {
 protected:
  static constexpr double cutoff = 2.5;

  /// With one particle in 40 cubes of sigma, and enough cells for this device.
  SimulationSetup gas_for_this() const {
    const double longer =
        std::max(1.0, 5.0 * backend().device->properties().multiprocessors / 60.0);
    const Box box = periodic_box(41.0 * longer, 27.5, 24.0);
    SimulationSetup setup =
        with_this(make_lj_setup(random_liquid(static_cast<int>(680 * longer), box, 0.9, 5), cutoff,
                                Truncation::force_shift));
    setup.skin.reset();
    return setup;
  }
  double side(const SimulationSetup& setup) const {
    return backend().device->check(setup).cell_side[1];
  }
};

TEST_P(CellsOfGases, AreWider) {
  const SimulationSetup setup = gas_for_this();
  EXPECT_GT(side(setup), 2.0 * cutoff);
  expect_right(setup, "gas");
}

TEST_P(CellsOfGases, AreThoseOfTheCutoffWhereSomeAreCrowded) {
  SimulationSetup setup = gas_for_this();
  for (int i = 0; i < 40; ++i) {  // in one corner, apart from each other
    setup.start.position[static_cast<std::size_t>(i)] = {0.6 * (i % 4), 0.6 * (i / 4 % 4),
                                                         0.6 * (i / 16 % 4)};
  }
  EXPECT_LT(side(setup), 1.1 * cutoff);
}

TEST_P(CellsOfGases, AreThoseOfTheCutoffWhereBitsMustNotDependOnTheStart) {
  if (!backend().info.has_fixed_order) GTEST_SKIP() << "refuses runs that are deterministic";
  SimulationSetup setup = gas_for_this();
  setup.deterministic = true;
  EXPECT_LT(side(setup), 1.1 * cutoff);
}

/// One of a liquid has as many as are wanted.
TEST_P(CellsOfGases, AreThoseOfTheCutoffInALiquid) {
  SimulationSetup setup =
      with_this(make_lj_setup(random_liquid(4600, periodic_box(18.0, 18.0, 18.0), 0.85, 11), cutoff,
                              Truncation::force_shift));
  setup.skin.reset();
  EXPECT_LT(side(setup), 1.1 * cutoff);
}

PENCILBOX_WHERE(CellsOfGases, [](const BackendCase& one) { return one.backend.info.crowd > 0.0; });

}  // namespace
}  // namespace pencilbox::testing
