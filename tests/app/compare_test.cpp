// The comparison of back ends: forces are checked before anything is timed, and a back end that
// lies stops it. The lies are told by simulations that a test puts between.
#include "app/compare/compare.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "tests/app/lying_simulation.hpp"
#include "tests/support/configurations.hpp"

namespace pencilbox::testing {
namespace {

class CompareTest : public ::testing::Test {
 protected:
  CompareTest() {
    contest_.setup =
        make_lj_setup(random_liquid(200, periodic_box(7, 7, 7), 0.8, 3), 2.5, Truncation::shift);
    contest_.setup.precision = Precision::mixed;
    contest_.known = devices().front()->backends();
    contest_.uncertainty = 5e-6;
    contest_.warm_up = 1;
    contest_.steps = 1;
    contest_.repeats = 1;
    enter({"par-part-no-loop", "green", "reference"});
  }

  void enter(const std::vector<std::string>& names) {
    contest_.backends.clear();
    for (const std::string& name : names) {
      for (const BackendInfo& info : contest_.known) {
        if (info.name == name) contest_.backends.push_back({name, default_options(info)});
      }
    }
  }

  /// A device on which simulations of one back end lie.
  MakeSimulation device_where(const std::string& backend, const LyingSimulation::Lie& lie) {
    return [this, backend, lie](SimulationSetup setup) -> std::unique_ptr<Simulation> {
      const bool lies = setup.backend == backend;
      auto honest = devices().front()->make(std::move(setup));
      return std::make_unique<LyingSimulation>(
          std::move(honest), lies ? lie : [](Frame&) {}, &most_steps_);
    };
  }

  Comparison compare() {
    return compare_backends(contest_, device_where("", [](Frame&) {}));
  }

  std::string failure(const std::string& backend, const LyingSimulation::Lie& lie) {
    try {
      (void)compare_backends(contest_, device_where(backend, lie));
    } catch (const PhysicsError& error) {
      return error.what();
    }
    return {};
  }

  Contest contest_;
  std::int64_t most_steps_ = 0;
};

TEST_F(CompareTest, TimesAllOfThemAndCountsFromTheYardstick) {
  contest_.steps = 16;  // one of them is sampled for the regions
  contest_.repeats = 3;
  const Comparison comparison = compare();
  EXPECT_EQ(comparison.particles, 200);
  EXPECT_EQ(comparison.truth, "reference");
  ASSERT_EQ(comparison.contenders.size(), 3U);
  for (const Contender& contender : comparison.contenders) {
    EXPECT_FALSE(contender.refusal) << contender.choice.name;
    EXPECT_GT(contender.step.median, 0.0);
    EXPECT_LE(contender.step.least, contender.step.median);
    EXPECT_GE(contender.step.most, contender.step.median);
    EXPECT_GT(contender.regions.force, 0.0);
    EXPECT_GT(contender.device_bytes, 200 * 100);
    EXPECT_TRUE(std::isfinite(contender.deterministic_cost.cost));
    EXPECT_GE(contender.deterministic_cost.noise, 0.0);
    EXPECT_GT(contender.neighbors.particles_per_cell, 0.0);
    EXPECT_GE(contender.neighbors.largest_cell, std::ceil(contender.neighbors.particles_per_cell));
    EXPECT_NEAR(contender.neighbors.partners_per_particle,
                2.0 * contender.stats.pairs_in_range / 200.0, 1e-9);
    EXPECT_GE(static_cast<double>(contender.neighbors.most_partners),
              contender.neighbors.partners_per_particle);
    EXPECT_GE(contender.neighbors.most_candidates, contender.neighbors.most_partners);
    EXPECT_GT(contender.neighbors.share_in_range(), 0.0);
    EXPECT_LE(contender.neighbors.share_in_range(), 1.0);
    EXPECT_LT(contender.largest_error, 5e-5);
    EXPECT_NEAR(contender.stats.pairs_in_range, comparison.contenders[0].stats.pairs_in_range, 1.0);
  }
  EXPECT_EQ(comparison.yardstick_step, comparison.contenders[0].step.median);
  EXPECT_TRUE(std::isfinite(comparison.yardstick_drift));
  EXPECT_EQ(comparison.contenders[2].stats.candidates_per_particle, 199.0) << "all pairs";
}

// Simulations that note who advances when, after the warm-up.
class Witness final : public ForwardingSimulation {
 public:
  Witness(std::unique_ptr<Simulation> honest, std::string name, std::vector<std::string>& order)
      : ForwardingSimulation(std::move(honest)), name_(std::move(name)), order_(order) {}

  void advance(std::int64_t steps, LastStep last) override {
    ForwardingSimulation::advance(steps, last);
    if (is_timed_) order_.push_back(name_);
  }
  void forget_regions() override {
    ForwardingSimulation::forget_regions();
    is_timed_ = true;
  }

 private:
  std::string name_;
  std::vector<std::string>& order_;
  bool is_timed_ = false;
};

MakeSimulation with_witnesses(std::vector<std::string>& order) {
  return [&order](SimulationSetup setup) -> std::unique_ptr<Simulation> {
    std::string name = setup.backend;
    return std::make_unique<Witness>(devices().front()->make(std::move(setup)), std::move(name),
                                     order);
  };
}

TEST_F(CompareTest, MeasuresAllInTurn) {
  contest_.repeats = 2;
  std::vector<std::string> order;
  (void)compare_backends(contest_, with_witnesses(order));
  const std::vector<std::string> round{"par-part-no-loop", "par-part-no-loop", "green", "green",
                                       "reference",        "reference"};
  std::vector<std::string> both = round;
  both.insert(both.end(), round.begin(), round.end());
  EXPECT_EQ(order, both) << "each with and without `deterministic`";
}

TEST_F(CompareTest, MeasuresInGroupsWhereMemoryIsShort) {
  contest_.memory_bytes = 1;
  contest_.repeats = 2;
  enter({"par-part-no-loop", "green"});
  std::vector<std::string> order;
  const Comparison comparison = compare_backends(contest_, with_witnesses(order));
  EXPECT_EQ(order,
            (std::vector<std::string>{"par-part-no-loop", "par-part-no-loop", "par-part-no-loop",
                                      "par-part-no-loop", "green", "green", "green", "green"}));
  EXPECT_GT(comparison.contenders[1].device_bytes, 200 * 100);
}

/// Whoever else uses the machine may make a step seem longer than it is, but not each time.
TEST_F(CompareTest, TakesTheTimeThatIsAskedFor) {
  contest_.least_seconds = 0.05;
  contest_.repeats = 2;
  enter({"par-part-no-loop"});
  double longest = 0.0;
  for (int attempt = 0; attempt < 5 && longest < 0.05; ++attempt) {
    const Comparison comparison = compare();
    const Contender& contender = comparison.contenders[0];
    EXPECT_GT(contender.steps, 1);
    longest = std::max(longest, 8.0 * contender.step.most * static_cast<double>(contender.steps));
  }
  EXPECT_GE(longest, 0.05) << "at most four times as many rounds";
}

/// Timings that were made up.
class ComparisonVerdict : public CompareTest {
 protected:
  ComparisonVerdict() {
    contest_.repeats = 3;
    enter({"par-part-no-loop", "green", "reference"});
    add("par-part-no-loop", {4.0, 3.9, 4.1});
    add("green", {2.0, 1.9, 2.2});
    add("reference", {2.25, 2.24, 2.26});
    comparison_.yardstick_step = 4.0;
    comparison_.yardstick_drift = 0.0;
    comparison_.particles = 200;
  }

  void add(const std::string& name, const Spread& step) {
    Contender contender;
    for (const BackendChoice& choice : contest_.backends) {
      if (choice.name == name) contender.choice = choice;
    }
    contender.step = step;
    contender.steps = 7;
    comparison_.contenders.push_back(contender);
  }

  Result result() const {
    return result_of(comparison_, contest_, devices().front()->properties());
  }

  std::string cell(std::size_t row, const std::string& column) const {
    const ResultTable table = result().tables[0];
    for (std::size_t k = 0; k < table.columns.size(); ++k) {
      if (table.columns[k].name == column) return to_text(table.rows[row].cells[k], 6);
    }
    return "no such column";
  }

  Comparison comparison_;
};

TEST_F(ComparisonVerdict, NamesTheFastestAndWhoCannotBeToldFromIt) {
  EXPECT_EQ(verdict_of(comparison_, contest_),
            "fastest: green, 2.00 times the yardstick; not to be told from reference");
  EXPECT_EQ(result().conclusion, verdict_of(comparison_, contest_));
  const ResultTable table = result().tables[0];
  EXPECT_EQ(table.rows[0].mark, "");
  EXPECT_EQ(table.rows[1].mark, "") << "the fastest itself";
  EXPECT_EQ(table.rows[2].mark, "~") << "the fastest scatters by 0.3, the gap is 0.25";
  EXPECT_EQ(cell(1, "like_fastest"), "1");
  EXPECT_EQ(cell(2, "like_fastest"), "1");
  EXPECT_EQ(cell(0, "like_fastest"), "0");
}

TEST_F(ComparisonVerdict, IsSureWhereTheGapIsWider) {
  comparison_.contenders[1].step = {2.0, 1.99, 2.01};
  EXPECT_EQ(verdict_of(comparison_, contest_), "fastest: green, 2.00 times the yardstick");
}

TEST_F(ComparisonVerdict, OfTheYardstickOfOneTimingAndOfNobody) {
  comparison_.contenders[0].step = {1.0, 1.0, 1.0};
  EXPECT_EQ(verdict_of(comparison_, contest_), "fastest: par-part-no-loop, the yardstick");
  contest_.repeats = 1;
  EXPECT_TRUE(
      verdict_of(comparison_, contest_).ends_with("; one timing each says nothing of noise"));
  comparison_.contenders[0].refusal = "cannot";
  comparison_.yardstick_step = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NE(verdict_of(comparison_, contest_).find("the yardstick par-part-no-loop could not"),
            std::string::npos);
  for (Contender& contender : comparison_.contenders) contender.refusal = "cannot";
  EXPECT_EQ(verdict_of(comparison_, contest_), "fastest: none, no back end could run this");
}

TEST_F(ComparisonVerdict, ACostOfDeterminismWithinNoiseIsNoNumber) {
  comparison_.contenders[0].deterministic_cost = {-0.02, 0.03};
  comparison_.contenders[1].deterministic_cost = {0.25, 0.03};
  EXPECT_EQ(cell(0, "deterministic_cost_percent"), "within noise");
  EXPECT_EQ(cell(1, "deterministic_cost_percent"), "25.0000");
  EXPECT_EQ(cell(1, "deterministic_noise_percent"), "3.00000");
  EXPECT_EQ(cell(2, "deterministic_cost_percent"), "-") << "it cannot do both";
}

TEST_F(CompareTest, ALieStopsItBeforeAnythingIsTimedAndIsNamed) {
  const std::string words = failure("green", [](Frame& frame) { frame.force[41][1] += 3.5; });
  EXPECT_TRUE(words.starts_with("green: step 0: particle 42: ")) << words;
  EXPECT_NE(words.find("reference in double by 3.5,"), std::string::npos) << words;
  EXPECT_NE(words.find("allowed 5e-05"), std::string::npos) << words;
  EXPECT_LE(most_steps_, 2) << "the one before it has only been checked";
}

TEST_F(CompareTest, AForceThatIsNoNumberIsALie) {
  const std::string words = failure("green", [](Frame& frame) {
    frame.force[0] = {0.0, std::numeric_limits<double>::quiet_NaN(), 0.0};
  });
  EXPECT_TRUE(words.starts_with("green: step 0: particle 1: ")) << words;
}

TEST_F(CompareTest, TheKernelOfForcesAloneIsCheckedToo) {
  const std::string words = failure("par-part-no-loop", [](Frame& frame) {
    if (frame.step > 0) frame.force[7][0] -= 3.5;
  });
  EXPECT_TRUE(words.starts_with("par-part-no-loop: step 2: particle 8: ")) << words;
}

TEST_F(CompareTest, RoundingIsNoLie) {
  EXPECT_EQ(failure("green", [](Frame& frame) { frame.force[41][1] += 1e-6; }), "");
}

// Stiff pairs in balance: what a float rounds of each is beyond the bar of the little that is left.
TEST_F(CompareTest, ACrystalAtRestIsMeasuredByWhatRoundingDoesToTheTruth) {
  StartState crystal = thermal_crystal(3, 1.4);
  for (Double3& velocity : crystal.velocity) {
    for (double& component : velocity) component *= 0.1;
  }
  contest_.setup = make_lj_setup(std::move(crystal), 2.5, Truncation::force_shift);
  contest_.setup.timestep = 0.001;
  for (const Precision precision : {Precision::single, Precision::mixed}) {
    contest_.setup.precision = precision;
    EXPECT_EQ(failure("", [](Frame&) {}), "") << name_of(precision);
    EXPECT_NE(failure("green", [](Frame& frame) { frame.force[5][2] += 0.01; }), "");
  }
}

TEST_F(CompareTest, EveryPrecisionHasItsBar) {
  const auto lie_of = [](double share) {
    return [share](Frame& frame) {
      double largest = 1.0;
      for (const Double3& force : frame.force) {
        for (const double component : force) largest = std::max(largest, std::abs(component));
      }
      frame.force[5][2] += share * largest;
    };
  };
  for (const auto& [precision, bar] : {std::pair{Precision::single, 1e-4},
                                       {Precision::mixed, 5e-5},
                                       {Precision::double_, 1e-10}}) {
    contest_.setup.precision = precision;
    EXPECT_EQ(failure("green", lie_of(0.5 * bar)), "") << name_of(precision);
    EXPECT_NE(failure("green", lie_of(1.5 * bar)), "") << name_of(precision);
  }
}

TEST_F(CompareTest, ABackEndThatRefusesIsARow) {
  // A layer in a box that is lower than the cutoff: only reference takes that.
  StartState start = random_liquid(25, periodic_box(7, 7, 7), 0.8, 3);
  start.box = periodic_box(7, 7, 1.2);
  for (std::size_t i = 0; i < start.position.size(); ++i) {
    start.position[i] = {1.4 * static_cast<double>(i % 5), 1.4 * static_cast<double>(i / 5), 0.0};
  }
  contest_.setup = make_lj_setup(std::move(start), 2.5, Truncation::shift);
  const Comparison comparison = compare();
  ASSERT_TRUE(comparison.contenders[0].refusal);
  EXPECT_NE(comparison.contenders[0].refusal->find("cutoff"), std::string::npos);
  EXPECT_FALSE(comparison.contenders[2].refusal);
  EXPECT_TRUE(std::isnan(comparison.yardstick_step));
  const Result result = result_of(comparison, contest_, devices().front()->properties());
  EXPECT_NE(to_text(result.tables[0]).find("par-part-no-loop  no: "), std::string::npos);
}

TEST_F(CompareTest, LeavesOutWhatTakesForEverUnlessItIsNamed) {
  contest_.blocks_are_emulated = true;
  enter({"par-part-no-loop", "x-pencil"});
  const Comparison all = compare();
  ASSERT_TRUE(all.contenders[1].refusal);
  EXPECT_TRUE(all.contenders[1].refusal->starts_with("left out: ")) << *all.contenders[1].refusal;
  contest_.all_of_them = false;
  EXPECT_FALSE(compare().contenders[1].refusal);
}

TEST_F(CompareTest, ALostParticleNamesTheBackEnd) {
  contest_.setup.timestep = 1000.0;
  const std::string words = failure("", [](Frame&) {});
  EXPECT_TRUE(words.starts_with("par-part-no-loop: step ")) << words;
}

// Two particles so near to the cutoff that float may decide either way: a truncated force jumps.
class AtTheCutoff : public CompareTest {
 protected:
  /// What the check says to a pair at this distance whose force was left out.
  bool passes(double distance, Truncation truncation, Precision precision) {
    StartState start;
    start.box = periodic_box(12, 12, 12);
    start.types = {{"A", 1.0}};
    for (int i = 0; i < 2; ++i) {
      start.id.push_back(i + 1);
      start.type.push_back(0);
      start.position.push_back({3.0 + i * distance, 3.0, 3.0});
      start.velocity.push_back({});
      start.image.push_back({});
    }
    contest_.setup = make_lj_setup(std::move(start), 2.5, truncation);
    contest_.setup.precision = precision;
    enter({"par-part-no-loop"});
    return failure("par-part-no-loop",
                   [](Frame& frame) {
                     for (Double3& force : frame.force) force = {};
                   })
        .empty();
  }
};

TEST_F(AtTheCutoff, APairThatFloatCannotDecideMayBeLeftOut) {
  EXPECT_TRUE(passes(2.5 - 1e-7, Truncation::cut, Precision::mixed));
  EXPECT_TRUE(passes(2.5 - 1e-7, Truncation::shift, Precision::single));
}

TEST_F(AtTheCutoff, AnyOtherPairMayNot) {
  EXPECT_FALSE(passes(2.499, Truncation::cut, Precision::mixed));
  EXPECT_FALSE(passes(2.5 - 1e-7, Truncation::cut, Precision::double_));
  EXPECT_FALSE(passes(1.5, Truncation::cut, Precision::single));
}

}  // namespace
}  // namespace pencilbox::testing
