// Of what sort-and-search and linked-cells have to themselves: groups of several cells, where
// particles are few for their box; and what the first does where they are many for a cache.
#include <algorithm>

#include "tests/support/every_backend.hpp"

namespace pencilbox::testing {
namespace {

class GroupSearch : public EveryBackend {
 protected:
  void compare(const SimulationSetup& setup, const std::string& what) const {
    SCOPED_TRACE(what);
    const Evaluation truth = evaluate_reference(setup);
    for (const bool deterministic : {false, true}) {
      if (deterministic && !backend().info.has_fixed_order) continue;
      SimulationSetup mine = setup;
      mine.deterministic = deterministic;
      expect_same(run(std::move(mine)), truth);
    }
  }

  void expect_same(const Evaluation& mine, const Evaluation& truth) const {
    EXPECT_LE(largest_difference(mine.frame.force, truth.frame.force),
              Bars({1e-12, 5e-5, 1e-4}).of(precision()) *
                  std::max(1.0, largest_component(truth.frame.force)));
    // In a gas energies of both signs nearly cancel: what is asked is asked of a particle's.
    EXPECT_NEAR(
        mine.sums.potential_energy, truth.sums.potential_energy,
        Bars({1e-12, 1e-6, 1e-5}).of(precision()) * static_cast<double>(truth.frame.force.size()));
    EXPECT_NEAR(mine.stats.pairs_in_range, truth.stats.pairs_in_range,
                precision() == Precision::double_ ? 0.0 : 1.0);  // at the cutoff
  }
};

TEST_P(GroupSearch, OneGroupTwoAndMore) {
  // Of 4, 5, 7, 10 and 16 cells, with at most three groups for each of few particles.
  for (const double side : {10.0, 13.0, 18.0, 26.0, 41.0}) {
    for (const int particles : {2, 20, 60}) {
      const Box box = periodic_box(side, 11.0, 0.7 * side + 3.0);
      compare(make_lj_setup(random_liquid(particles, box, 0.9, 7, 2), 2.5, Truncation::shift),
              std::to_string(particles) + " along " + std::to_string(side));
    }
  }
}

TEST_P(GroupSearch, AGasBehindOpenAndPeriodicFaces) {
  for (int mask = 0; mask < 8; ++mask) {
    Box box{{-4.0, 2.0, 1000.0}, {61.0, 50.0, 41.0}, {}};
    for (std::size_t d = 0; d < 3; ++d) box.periodic[d] = ((mask >> d) & 1) != 0;
    compare(make_lj_setup(random_liquid(1000, box, 0.85, 31U + static_cast<unsigned>(mask)), 2.5,
                          Truncation::force_shift),
            "periodic mask " + std::to_string(mask));
  }
}

TEST_P(GroupSearch, ACrowdAcrossTheEdgesOfALargeBox) {
  for (const Box& box : {periodic_box(4000, 4000, 4000), periodic_box(4000, 6, 6)}) {
    StartState state = random_liquid(100, periodic_box(5, 5, 5), 0.9, 61, 2);
    state.box = box;
    for (std::size_t i = 0; i < 50; ++i) state.position[i][0] += 3995.0;
    compare(make_lj_setup(std::move(state), 2.5, Truncation::shift),
            "sides 4000, " + std::to_string(box.edges[1]));
  }
}

TEST_P(GroupSearch, MoreThanFitACache) {
  compare(make_lj_setup(random_liquid(6000, periodic_box(60, 70, 65), 0.9, 3), 2.5,
                        Truncation::force_shift),
          "6,000");
}

TEST_P(GroupSearch, StepsOfMoreThanFitACache) {
  // Of forces alone: sort-and-search takes each pair once, through periodic faces, too.
  SimulationSetup setup =
      make_lj_setup(thermal_crystal(emulated() ? 10 : 86, 0.3), 2.5, Truncation::shift);
  setup.precision = precision();
  const auto kinetic_energy_with = [&](const std::string& name) {
    setup.backend = name;
    for (const BackendInfo& info : backend().device->backends()) {
      if (info.name == name) setup.options = default_options(info);
    }
    const auto simulation = backend().device->make(setup);
    simulation->advance(20);
    return simulation->observe().kinetic_energy;
  };
  const double truth = kinetic_energy_with("par-part-no-loop");
  EXPECT_NEAR(kinetic_energy_with(backend().info.name), truth, 1e-6 * truth);
}

INSTANTIATE_TEST_SUITE_P(All, GroupSearch,
                         ::testing::ValuesIn(cases_where([](const BackendCase& c) {
                           const std::string& name = c.backend.info.name;
                           return name == "sort-and-search" || name == "linked-cells";
                         })),
                         case_name);

}  // namespace
}  // namespace pencilbox::testing
