// The host's back ends for a CPU's vectors, with every instruction set that this machine has, and
// any number of threads. What they share with all back ends is tested over the registry.
#include <gtest/gtest.h>
#include <omp.h>

#include "core/device/host/instruction_sets.hpp"
#include "core/error.hpp"
#include "tests/support/every_backend.hpp"
#include "tests/support/pairs_that_cancel.hpp"

namespace pencilbox::testing {
namespace {

constexpr Bars force_bars{1e-12, 5e-5, 1e-4};
constexpr Bars sum_bars{1e-12, 5e-6, 1e-5};

std::vector<BackendCase> vector_backends() {
  std::vector<BackendCase> cases = backend_in_every_precision("vector-list");
  for (const BackendCase& c : backend_in_every_precision("vector-cells")) cases.push_back(c);
  return cases;
}

class Vectors : public EveryBackend {
 protected:
  ~Vectors() override {
    host::choose_instruction_set("");
    omp_set_num_threads(threads_before_);
  }

  /// A list's skin is fixed, so that two runs sum in the same order.
  SimulationSetup with_backend(SimulationSetup setup) const {
    setup.backend = backend().info.name;
    setup.options = default_options(backend().info);
    setup.integrator = "velocity-verlet";
    setup.precision = precision();
    setup.deterministic = true;
    setup.skin = 0.4;
    return setup;
  }

  void expect_right(const SimulationSetup& setup) const {
    const Evaluation truth = evaluate_reference(setup);
    const Evaluation mine = run(setup);
    const double scale = std::max(1.0, largest_component(truth.frame.force));
    EXPECT_LE(largest_difference(mine.frame.force, truth.frame.force),
              force_bars.of(precision()) * scale);
    double energies = 1.0;
    for (const double energy : truth.frame.potential_energy) energies += std::abs(energy);
    EXPECT_NEAR(mine.sums.potential_energy, truth.sums.potential_energy,
                sum_bars.of(precision()) * energies);
    EXPECT_NEAR(mine.stats.pairs_in_range, truth.stats.pairs_in_range,
                precision() == Precision::double_ ? 0.0 : 1.0);
    EXPECT_NE(mine.stats.note.find(host::instruction_set()), std::string::npos) << mine.stats.note;
  }

  /// After some steps.
  Frame frame_of(const SimulationSetup& setup, int steps) const {
    const auto simulation = backend().device->make(setup);
    simulation->advance(steps);
    FieldSet fields;
    for (const Field field : {Field::position, Field::velocity, Field::force}) fields.insert(field);
    return simulation->snapshot(fields);
  }

 private:
  int threads_before_ = omp_get_max_threads();
};

SimulationSetup liquid(int count, int types, Truncation truncation) {
  const double side = std::cbrt(count / 0.8);
  return make_lj_setup(random_liquid(count, periodic_box(side, 1.1 * side, side), 0.8, 3, types),
                       2.5, truncation);
}

SimulationSetup cluster_in_the_open() {
  Box box = periodic_box(9.0, 9.0, 9.0);
  box.periodic = {false, true, false};
  StartState start = random_liquid(150, box, 0.85, 5, 2);
  start.position.back()[0] = 4e4;  // far from all others
  return make_lj_setup(start, 2.5, Truncation::shift);
}

TEST_P(Vectors, AreRightInEveryInstructionSet) {
  ASSERT_GE(host::instruction_sets().size(), 1U);
  for (const std::string& set : host::instruction_sets()) {
    SCOPED_TRACE(set);
    host::choose_instruction_set(set);
    ASSERT_EQ(host::instruction_set(), set);
    for (const int types : {1, 2}) {
      for (const Truncation truncation : {Truncation::cut, Truncation::force_shift}) {
        expect_right(liquid(311, types, truncation));
      }
    }
    expect_right(liquid(27, 1, Truncation::shift));  // a cell or two
    expect_right(cluster_in_the_open());
  }
}

/// As dense as a liquid under high pressure, with pairs down to `distance`.
SimulationSetup crowd(double distance, int types, Truncation truncation) {
  return make_lj_setup(random_liquid(400, periodic_box(8.3, 9.1, 8.7), distance, 31, types), 2.5,
                       truncation);
}

/// In double, and where sums are in double.
TEST_P(Vectors, ForcesOfPairsCancelToTheLastBit) {
  if (precision() == Precision::single) GTEST_SKIP() << "sums are in floats";
  for (const double distance : {0.93, 0.7}) {  // of which the second has pairs that are too near
    for (const int types : {1, 2}) {
      for (const Truncation truncation : {Truncation::cut, Truncation::force_shift}) {
        SCOPED_TRACE(std::to_string(distance) + ", " + std::to_string(types) + " types");
        expect_to_cancel(run(crowd(distance, types, truncation)).frame.force);
      }
    }
  }
}

/// Where the largest force is a million times the others', they are as exact as without it.
TEST_P(Vectors, PairsThatAreTooNearAreExact) {
  for (const int types : {1, 2}) {
    for (const Truncation truncation : {Truncation::cut, Truncation::force_shift}) {
      SimulationSetup setup = crowd(0.9, types, truncation);
      setup.start.position[1] = setup.start.position[0];
      setup.start.position[1][2] += 0.45;
      const Evaluation truth = evaluate_reference(setup);
      const Evaluation mine = run(setup);
      expect_exact_beside_a_near_pair(mine, truth, 1e5, force_bars.of(precision()));
    }
  }
}

/// Forces in a gas are too small for the quanta of a liquid.
TEST_P(Vectors, MixedIsExactInAGas) {
  if (precision() != Precision::mixed) GTEST_SKIP() << "floats are floats, double is double";
  const SimulationSetup setup = make_lj_setup(random_liquid(300, periodic_box(30, 31, 32), 2.0, 7),
                                              2.5, Truncation::force_shift);
  const Evaluation truth = evaluate_reference(setup);
  const double scale = largest_component(truth.frame.force);
  EXPECT_LE(largest_difference(run(setup).frame.force, truth.frame.force), 1e-12 * scale);
}

/// Several pencils along x, in two turns, and along y more than have one middle.
TEST_P(Vectors, AreRightInLongBoxes) {
  for (const Box& box : {periodic_box(71, 13, 8.8), periodic_box(9.1, 47, 8.9)}) {
    const auto volume = box.edges[0] * box.edges[1] * box.edges[2];
    const StartState start = random_liquid(static_cast<int>(0.5 * volume), box, 0.8, 11, 1);
    for (const int threads : {1, 2}) {
      SCOPED_TRACE(std::to_string(box.edges[0]) + ", threads " + std::to_string(threads));
      omp_set_num_threads(threads);
      expect_right(make_lj_setup(start, 2.5, Truncation::shift));
    }
  }
}

/// More than an entry of 16 bits can tell apart, and more than are laid out at a time.
TEST_P(Vectors, AreRightInACrowdOfThousands) {
  constexpr int many = 4500;
  constexpr double sigma = 0.12;
  Box crowded = periodic_box(2.3, 2.2, 2.4);
  crowded.periodic = {false, false, false};
  StartState start = random_liquid(many, crowded, 0.9 * sigma, 17, 1);
  start.box = periodic_box(9.0, 9.5, 8.9);
  SimulationSetup setup = make_lj_setup(start, 2.5, Truncation::shift);
  for (PairCoefficients& pair : std::get<LennardJonesModel>(setup.potential).pairs) {
    pair.sigma = sigma;
  }
  expect_right(setup);
}

TEST_P(Vectors, WithoutEpsilonNothingHappens) {
  SimulationSetup setup = liquid(311, 1, Truncation::cut);
  auto& model = std::get<LennardJonesModel>(setup.potential);
  for (PairCoefficients& pair : model.pairs) pair.epsilon = 0.0;
  EXPECT_EQ(largest_component(run(setup).frame.force), 0.0);
}

/// Full rows that grow, the last of a row, and steps.
TEST_P(Vectors, TakeTheSameStepsInEveryInstructionSet) {
  const SimulationSetup setup = with_backend(liquid(500, 2, Truncation::force_shift));
  host::choose_instruction_set("");
  const Frame best = frame_of(setup, 20);
  for (const std::string& set : host::instruction_sets()) {
    SCOPED_TRACE(set);
    host::choose_instruction_set(set);
    const Bars bars{1e-9, 1e-5, 1e-2};  // twenty steps of a dense random start
    const Frame frame = frame_of(setup, 20);
    EXPECT_LE(largest_difference(frame.position, best.position), bars.of(precision()));
  }
}

TEST_P(Vectors, GiveTheSameBitsForAnyNumberOfThreads) {
  const SimulationSetup setup = with_backend(liquid(4000, 1, Truncation::shift));
  omp_set_num_threads(1);
  const Frame alone = frame_of(setup, 12);
  for (const int threads : {2, 3, 7}) {
    SCOPED_TRACE(threads);
    omp_set_num_threads(threads);
    const Frame together = frame_of(setup, 12);
    EXPECT_EQ(together.position, alone.position);
    EXPECT_EQ(together.velocity, alone.velocity);
    EXPECT_EQ(together.force, alone.force);
  }
}

INSTANTIATE_TEST_SUITE_P(All, Vectors, ::testing::ValuesIn(vector_backends()), case_name);

TEST(InstructionSets, AreRefusedByNamesThatThereAreNot) {
  try {
    host::choose_instruction_set("MMX");
    FAIL() << "MMX";
  } catch (const InputError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("got 'MMX', this machine can: "), std::string::npos) << text;
    EXPECT_NE(text.find(host::instruction_sets().front()), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace pencilbox::testing
