// What is staged around a cell: in one piece or several, in boxes where a cell is its own
// neighbour, where most cells are empty.
#include "tests/support/every_backend.hpp"

namespace pencilbox::testing {
namespace {

/// Those that stage neighbourhoods, on every device that answers, in every precision.
std::vector<BackendCase> every_stager() {
  std::vector<BackendCase> cases;
  for (const BackendCase& c : every_backend_and_precision()) {
    const std::string& name = c.backend.info.name;
    const auto is = [&](const char* stager) { return name == stager; };
    if (is("neighborhood-in-sm") || is("verlet-list") || is("cluster-list")) cases.push_back(c);
  }
  return cases;
}

class Neighborhoods : public EveryBackend {
 protected:
  void expect_right(SimulationSetup setup, const std::string& block) const {
    setup.backend = backend().info.name;
    setup.options = default_options(backend().info);
    setup.options.at("block") = block;
    const auto threads = setup.options.find("threads_per_target");
    if (threads != setup.options.end()) threads->second = "8";
    setup.precision = precision();
    setup.integrator = "velocity-verlet";
    setup.skin = 0.3;
    const auto simulation = backend().device->make(setup);
    FieldSet forces;
    forces.insert(Field::force);
    const Frame frame = simulation->snapshot(forces);
    const Evaluation truth = evaluate_reference(setup);
    const Bars bars{1e-11, 5e-5, 1e-4};
    EXPECT_LE(largest_difference(frame.force, truth.frame.force),
              bars.of(precision()) * std::max(1.0, largest_component(truth.frame.force)));
    const double pairs = simulation->backend_stats().pairs_in_range;
    EXPECT_NEAR(pairs, truth.stats.pairs_in_range, 1e-5 * pairs);
  }
};

TEST_P(Neighborhoods, ComeInSeveralPieces) {
  // Some 60 particles a cell: 1,600 in 27 of them, where there is room for 1,024.
  const SimulationSetup setup = make_lj_setup(
      random_liquid(480, periodic_box(5.7, 5.7, 5.7), 0.5, 3), 2.5, Truncation::force_shift);
  for (const char* block : {"64", "128"}) expect_right(setup, block);
}

TEST_P(Neighborhoods, AreTheCellItself) {
  for (const double side : {2.8, 3.3}) {
    expect_right(make_lj_setup(random_liquid(20, periodic_box(side, side, side), 0.7, 5), 2.5,
                               Truncation::force_shift),
                 "64");
  }
}

TEST_P(Neighborhoods, AreEmptyForTheMostPart) {
  // A cloud in a corner of a large box, beyond whose open face some have gone.
  StartState cloud = random_liquid(100, periodic_box(5, 5, 5), 0.85, 23);
  cloud.box = {{0, 0, 0}, {30, 30, 30}, {false, true, true}};
  for (std::size_t i = 0; i < 9; ++i) cloud.position[i][0] -= 6.0;
  expect_right(make_lj_setup(std::move(cloud), 2.5, Truncation::force_shift), "64");
}

INSTANTIATE_TEST_SUITE_P(All, Neighborhoods, ::testing::ValuesIn(every_stager()), case_name);

}  // namespace
}  // namespace pencilbox::testing
