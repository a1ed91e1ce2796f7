// Softened gravity, which acts at any distance: every back end is right or refuses in words.
#include <cmath>

#include <gmock/gmock.h>

#include "core/error.hpp"
#include "core/plummer_sphere.hpp"
#include "tests/support/every_backend.hpp"

namespace pencilbox::testing {
namespace {

using ::testing::HasSubstr;

/// `types` masses, 1 to `types` times 1/N.
SimulationSetup cluster(std::int64_t count, int types = 1) {
  SimulationSetup setup;
  const PlummerSphere sphere{count, 1.0, 11};
  setup.start = make_plummer_sphere(sphere);
  SoftenedGravityModel model{1.5, 0.05, {}};
  setup.start.types.clear();
  for (int t = 0; t < types; ++t) {
    const double mass = (t + 1.0) / static_cast<double>(count);
    setup.start.types.push_back({std::string(1, static_cast<char>('A' + t)), mass});
    model.masses.push_back(mass);
  }
  for (std::size_t i = 0; i < setup.start.type.size(); ++i) {
    setup.start.type[i] = static_cast<std::int32_t>(i * 7 % static_cast<std::size_t>(types));
  }
  setup.potential = model;
  setup.integrator = "velocity-verlet";
  return setup;
}

class Gravity : public EveryBackend {
 protected:
  /// Whether it refuses clusters, which it then has to say.
  bool refuses() const {
    try {
      run(cluster(2));
      return false;
    } catch (const BackendRefusal& refusal) {
      EXPECT_THAT(refusal.what(), HasSubstr("acts at any distance"));
      return true;
    }
  }

  void compare(const SimulationSetup& setup) const {
    // The bars of AgainstReference.
    constexpr Bars force_bars{1e-12, 5e-5, 1e-4};
    constexpr Bars sum_bars{1e-12, 5e-6, 1e-5};
    const Evaluation truth = evaluate_reference(setup);
    const Evaluation mine = run(setup);
    EXPECT_LE(largest_difference(mine.frame.force, truth.frame.force),
              force_bars.of(precision()) * largest_component(truth.frame.force));
    EXPECT_NEAR(mine.sums.potential_energy, truth.sums.potential_energy,
                sum_bars.of(precision()) * std::abs(truth.sums.potential_energy));
    EXPECT_NEAR(mine.sums.virial, truth.sums.virial,
                10.0 * sum_bars.of(precision()) * std::abs(truth.sums.virial));
    EXPECT_EQ(mine.stats.pairs_in_range, truth.stats.pairs_in_range);
    const auto n = static_cast<double>(setup.start.size());
    EXPECT_EQ(mine.stats.pairs_in_range, 0.5 * n * (n - 1.0));
    EXPECT_EQ(mine.stats.candidates_per_particle, n - 1.0);
    EXPECT_TRUE(std::isnan(mine.sums.pressure));
  }
};

TEST_P(Gravity, IsThatOfTheReference) {
  if (refuses()) return;
  for (const std::int64_t count : {1, 2, 3, 31, 32, 33, 255, 256, 257, 700}) {
    SCOPED_TRACE(std::to_string(count) + " bodies");
    compare(cluster(count));
  }
  for (const int types : {2, 3}) {
    SCOPED_TRACE(std::to_string(types) + " types");
    compare(cluster(300, types));
  }
}

TEST_P(Gravity, IsTheSameWithEveryOption) {
  if (refuses()) return;
  for (const OptionInfo& option : backend().info.options) {
    for (const std::string& value : option.choices) {
      SCOPED_TRACE(option.name + ": " + value);
      SimulationSetup setup = cluster(100, 2);
      setup.options = default_options(backend().info);
      setup.options[option.name] = value;
      compare(setup);
    }
  }
}

TEST_P(Gravity, InAPeriodicDirectionIsRefusedInWords) {
  SimulationSetup setup = cluster(10);
  setup.start.box.periodic[1] = true;
  try {
    run(setup);
    FAIL() << "infinitely many images were summed";
  } catch (const BackendRefusal& refusal) {
    EXPECT_THAT(refusal.what(), HasSubstr("acts at any distance"));
  }
}

PENCILBOX_FOR_EVERY_BACKEND(Gravity);

}  // namespace
}  // namespace pencilbox::testing
