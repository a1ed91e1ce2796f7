// Pairs in tables: every back end that has kernels for them is right, the others refuse in words.
// Truth is a formula, which the tables only approach, summed by a plain loop over pairs and images
// here; and the back end `reference`, with the same tables.
#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include <gmock/gmock.h>

#include "core/error.hpp"
#include "core/interactions/lennard_jones.hpp"
#include "tests/physics/observed.hpp"

namespace pencilbox::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

using Formula = std::function<PairTerm<double>(double)>;

PairTable table_of(const Formula& formula, double first, double cutoff, int rows) {
  PairTable table{first, (cutoff - first) / (rows - 1), cutoff, {}, {}};
  for (int k = 0; k < rows; ++k) {
    const double r = first + k * table.spacing;
    const auto [force_over_r, energy] = formula(r);
    table.energy.push_back(energy);
    table.force.push_back(force_over_r * r);
  }
  return table;
}

/// Its energy and force vanish at the cutoff, as for a run at constant energy.
Formula lennard_jones_formula(double cutoff) {
  LennardJonesModel model{.cutoff = cutoff, .truncation = Truncation::force_shift};
  const LennardJonesConstants<double> constants = lennard_jones_constants<double>(model).front();
  return [constants](double r) {
    PairTerm<double> term = lennard_jones(constants, 1.0 / (r * r));
    shift_force(constants, r * r, term);
    return term;
  };
}

/// P. M. Morse, Phys. Rev. 34, 57 (1929).
Formula morse(double depth, double width, double at) {
  return [=](double r) -> PairTerm<double> {
    const double e = std::exp(-width * (r - at));
    return {2.0 * depth * width * (e * e - e) / r, depth * (e * e - 2.0 * e)};
  };
}

/// R. A. Buckingham, Proc. R. Soc. A 168, 264 (1938).
Formula buckingham(double strength, double decay, double attraction) {
  return [=](double r) -> PairTerm<double> {
    const double core = strength * std::exp(-r * decay), tail = attraction * std::pow(r, -6);
    return {(core * decay - 6.0 * tail / r) / r, core - tail};
  };
}

SimulationSetup setup_of(StartState start, TabulatedModel model) {
  SimulationSetup setup = make_lj_setup(std::move(start), 2.5, Truncation::cut);
  setup.potential = std::move(model);
  return setup;
}

struct Mixture {
  std::array<Formula, 3> formulas;  ///< AA, AB, BB
  std::array<double, 3> cutoffs{2.5, 2.1, 2.3};

  TabulatedModel model(int rows) const {
    TabulatedModel tabulated{2, {}, {0, 1, 1, 2}};
    for (std::size_t k = 0; k < 3; ++k) {
      tabulated.tables.push_back(table_of(formulas[k], 0.7, cutoffs[k], rows));
    }
    return tabulated;
  }
};

Mixture mixture() {
  return {{morse(1.0, 6.0, 1.1), morse(1.5, 5.0, 1.0), buckingham(4000.0, 8.0, 3.0)}};
}

StartState mixed_liquid() { return random_liquid(400, periodic_box(8.5, 7.3, 9.1), 0.85, 5, 2); }

struct Sums {
  std::vector<Double3> force;
  double energy = 0.0, virial = 0.0;
};

/// Over all pairs and the images that are near.
Sums plain_sum(const StartState& start, const Mixture& mixture) {
  Sums sums{std::vector<Double3>(start.position.size(), Double3{}), 0.0, 0.0};
  for (std::size_t i = 0; i < start.position.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const auto pair = static_cast<std::size_t>(start.type[i] + start.type[j]);
      Double3 apart{};
      double squared = 0.0;
      for (std::size_t d = 0; d < 3; ++d) {
        apart[d] = nearest_image(start.position[i][d] - start.position[j][d], start.box.edges[d]);
        squared += apart[d] * apart[d];
      }
      const double r = std::sqrt(squared);
      if (r >= mixture.cutoffs[pair]) continue;
      const auto [force_over_r, energy] = mixture.formulas[pair](r);
      sums.energy += energy;
      sums.virial += force_over_r * squared;
      for (std::size_t d = 0; d < 3; ++d) {
        sums.force[i][d] += force_over_r * apart[d];
        sums.force[j][d] -= force_over_r * apart[d];
      }
    }
  }
  return sums;
}

bool has_kernels(const BackendCase& one) {
  const std::string& name = one.backend.info.name;
  return name == "reference" || name == "par-part-no-loop" || name == "verlet-list";
}

class Tables : public EveryBackend {
 protected:
  void expect_near(const Evaluation& mine, const Sums& truth, double share) const {
    const double bar = std::max(share, Bars{0.0, 5e-5, 1e-4}.of(precision()));
    EXPECT_LE(largest_difference(mine.frame.force, truth.force),
              bar * largest_component(truth.force));
    EXPECT_NEAR(mine.sums.potential_energy / truth.energy, 1.0,
                std::max(share, Bars{0.0, 5e-6, 1e-5}.of(precision())));
    EXPECT_NEAR(mine.sums.virial, truth.virial, bar * std::abs(truth.energy));
  }
};

TEST_P(Tables, OfAMixtureApproachItsFormulas) {
  const StartState start = mixed_liquid();
  const Sums truth = plain_sum(start, mixture());
  // The steepest of the three has u'''' = 16 6^4 D exp(12 (1.1 - r)): in the liquid up to 4e5. So
  // a spacing of 0.001 is worth 3e-6 in a force of 20 and more.
  expect_near(run(setup_of(start, mixture().model(1801))), truth, 1e-6);
}

TEST_P(Tables, AreThoseOfTheReference) {
  for (const Box& box : {periodic_box(8.5, 7.3, 9.1), periodic_box(20.0, 5.2, 5.4)}) {
    for (const int rows : {40, 600}) {
      const StartState start = random_liquid(300, box, 0.85, 7, 2);
      const SimulationSetup setup = setup_of(start, mixture().model(rows));
      const Evaluation truth = evaluate_reference(setup);
      const Evaluation mine = run(setup);
      EXPECT_LE(largest_difference(mine.frame.force, truth.frame.force),
                Bars({1e-12, 5e-5, 1e-4}).of(precision()) * largest_component(truth.frame.force));
      EXPECT_NEAR(mine.sums.potential_energy / truth.sums.potential_energy, 1.0,
                  Bars({1e-12, 5e-6, 1e-5}).of(precision()));
      EXPECT_EQ(mine.stats.pairs_in_range, truth.stats.pairs_in_range);
    }
  }
}

TEST_P(Tables, OfLennardJonesAreAsGoodAsTheFormula) {
  const StartState start = random_liquid(500, periodic_box(8.4, 8.4, 8.4), 0.85, 3);
  TabulatedModel model{1, {table_of(lennard_jones_formula(2.5), 0.7, 2.5, 3601)}, {0}};
  const Evaluation truth = evaluate_reference(make_lj_setup(start, 2.5, Truncation::force_shift));
  const Evaluation mine = run(setup_of(start, model));
  // Rows are 0.0005 apart, u'''' is up to 2e6: 2e-6 in a force of several hundred.
  const double bar = Bars({1e-7, 5e-5, 1e-4}).of(precision());
  EXPECT_LE(largest_difference(mine.frame.force, truth.frame.force),
            bar * largest_component(truth.frame.force));
  EXPECT_NEAR(mine.sums.potential_energy / truth.sums.potential_energy, 1.0,
              Bars({1e-8, 5e-6, 1e-5}).of(precision()));
}

TEST_P(Tables, EndARunWhereAPairIsNearerThanTheFirstRow) {
  StartState start = random_liquid(50, periodic_box(6, 6, 6), 0.85, 3);
  start.position[7] = start.position[8];
  start.position[7][0] += 0.5;
  const TabulatedModel model{1, {table_of(lennard_jones_formula(2.5), 0.7, 2.5, 1801)}, {0}};
  EXPECT_THROW(run(setup_of(start, model)), PhysicsError);
}

INSTANTIATE_TEST_SUITE_P(Tables, Tables, ::testing::ValuesIn(cases_where(has_kernels)), case_name);

class OtherThanTables : public EveryBackend {};

TEST_P(OtherThanTables, SayThatTheyHaveNoKernelsForThem) {
  try {
    run(setup_of(mixed_liquid(), mixture().model(100)));
    FAIL() << "not refused";
  } catch (const BackendRefusal& refusal) {
    EXPECT_THAT(refusal.what(), AllOf(HasSubstr("tabulated"), HasSubstr("par-part-no-loop")));
  }
}

INSTANTIATE_TEST_SUITE_P(Tables, OtherThanTables,
                         ::testing::ValuesIn(cases_where([](const BackendCase& one) {
                           return !has_kernels(one) && one.backend.info.name != "auto" &&
                                  is_in_double(one);
                         })),
                         case_name);

class TablesInTime : public EveryBackend {};

double standard_deviation(const std::vector<double>& numbers) {
  const auto count = static_cast<double>(numbers.size());
  const double mean = std::accumulate(numbers.begin(), numbers.end(), 0.0) / count;
  double squares = 0.0;
  for (const double number : numbers) squares += (number - mean) * (number - mean);
  return std::sqrt(squares / (count - 1.0));
}

/// Also where rows are far apart: what is conserved is the energy of the table, whatever it is.
TEST_P(TablesInTime, ConserveTheirEnergy) {
  for (const int rows : {1801, 91}) {
    TabulatedModel model{1, {table_of(lennard_jones_formula(2.5), 0.7, 2.5, rows)}, {0}};
    SimulationSetup setup = setup_of(thermal_crystal(5, 0.8442), std::move(model));
    setup.backend = backend().info.name;
    setup.options = default_options(backend().info);
    setup.precision = precision();
    setup.timestep = 0.004;
    const auto simulation = backend().device->make(setup);
    const auto particles = static_cast<double>(setup.start.size());
    simulation->advance(500);
    std::vector<double> energies;
    for (int k = 0; k < 40; ++k) {
      simulation->advance(50);
      energies.push_back(simulation->observe().total_energy() / particles);
    }
    // The bar of the formula is 3e-5 a particle, of 4,000 of them: a share that falls as the root
    // of their number.
    EXPECT_LT(standard_deviation(energies), 3e-5 * std::sqrt(4000.0 / particles))
        << rows << " rows";
  }
}

TEST_P(TablesInTime, AreWhatObservablesSee) {
  SimulationSetup setup = setup_of(mixed_liquid(), mixture().model(900));
  setup.backend = backend().info.name;
  setup.options = default_options(backend().info);
  setup.precision = precision();
  setup.observables = {{"pressure-tensor", 1, 0, {{"blocks", 2.0}}},
                       {"energies-by-type", 1, 0, {{"blocks", 2.0}}}};
  const auto simulation = backend().device->make(setup);
  simulation->advance(0);
  simulation->sample_observables();
  const std::vector<ObservableResult> results = simulation->observable_results();
  const Observation sums = simulation->observe();
  const double potential = number(results[1], "potential_energy_A_A") +
                           number(results[1], "potential_energy_A_B") +
                           number(results[1], "potential_energy_B_B");
  EXPECT_NEAR(potential * static_cast<double>(setup.start.size()) / sums.potential_energy, 1.0,
              1e-11);
  EXPECT_NEAR(number(results[0], "pressure"), sums.pressure, 1e-10 * std::abs(sums.pressure));
}

INSTANTIATE_TEST_SUITE_P(Tables, TablesInTime,
                         ::testing::ValuesIn(cases_where([](const BackendCase& one) {
                           return has_kernels(one) && is_in_double(one) &&
                                  one.backend.info.name != "reference";
                         })),
                         case_name);

}  // namespace
}  // namespace pencilbox::testing
