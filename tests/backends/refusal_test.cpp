// A back end says in words what it cannot do, and then does not do it. Whatever it accepts is
// right, with every value of its options.
#include <functional>
#include <optional>

#include <gmock/gmock.h>

#include "core/error.hpp"
#include "tests/support/every_backend.hpp"

namespace pencilbox::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class Refusal : public EveryBackend {};

TEST_P(Refusal, ABoxSideBelowTheCutoffIsRefusedOrRight) {
  const SimulationSetup setup = make_lj_setup(
      random_liquid(30, periodic_box(2.0, 6.0, 6.0), 0.75, 3), 2.5, Truncation::shift);
  const Evaluation truth = evaluate_reference(setup);
  try {
    const Evaluation mine = run(setup);
    EXPECT_LE(largest_difference(mine.frame.force, truth.frame.force),
              Bars({1e-12, 5e-5, 1e-4}).of(precision()) *
                  std::max(1.0, largest_component(truth.frame.force)));
    EXPECT_EQ(mine.stats.pairs_in_range, truth.stats.pairs_in_range);
  } catch (const BackendRefusal& refusal) {
    EXPECT_THAT(refusal.what(), AllOf(HasSubstr("box side along x is 2"), HasSubstr("cutoff 2.5")));
  }
}

/// What run() gives; nothing where a device has not the shared memory for it, which no default may
/// need, and which the emulator and all of CUDA's chips that are built for have.
std::optional<Evaluation> evaluate_or_refuse(const DeviceProperties& device, bool is_default,
                                             const std::function<Evaluation()>& run) {
  constexpr std::int64_t that_every_option_needs = 98304;
  try {
    return run();
  } catch (const BackendRefusal& refusal) {
    EXPECT_FALSE(is_default);
    EXPECT_LT(device.shared_bytes_opt_in, that_every_option_needs) << refusal.what();
    EXPECT_THAT(refusal.what(), HasSubstr("shared memory"));
    return {};
  }
}

TEST_P(Refusal, EveryOptionGivesTheSameForces) {
  const SimulationSetup setup = make_lj_setup(
      random_liquid(300, periodic_box(13, 5.2, 5.3), 0.85, 13), 2.5, Truncation::shift);
  const Evaluation truth = evaluate_reference(setup);
  for (const OptionInfo& option : backend().info.options) {
    std::vector<std::string> values = option.choices;
    if (option.takes_integer()) {
      values.push_back(std::to_string(option.minimum));
      values.push_back(std::to_string(std::clamp<std::int64_t>(3, option.minimum, option.maximum)));
      values.push_back(std::to_string(option.maximum));
    }
    for (const std::string& value : values) {
      SimulationSetup chosen = setup;
      chosen.options = default_options(backend().info);
      chosen.options[option.name] = value;
      const auto mine =
          evaluate_or_refuse(backend().device->properties(), value == option.default_value,
                             [&] { return run(chosen); });
      if (!mine) continue;
      EXPECT_LE(largest_difference(mine->frame.force, truth.frame.force),
                Bars({1e-12, 5e-5, 1e-4}).of(precision()) * largest_component(truth.frame.force))
          << option.name << ": " << value;
    }
  }
}

TEST_P(Refusal, CrowdedCellsAreRefusedOrRight) {
  // More in one cell than a block has threads, or 48 KB places.
  StartState crowd =
      random_liquid(1300, {{0, 0, 0}, {11, 11, 11}, {false, false, false}}, 0.75, 23);
  crowd.box = periodic_box(60, 60, 60);
  for (Double3& p : crowd.position) p[0] += 22.0;
  SimulationSetup setup = make_lj_setup(std::move(crowd), 12.0, Truncation::shift);
  setup.backend = "reference";
  ASSERT_GT(devices().front()->check(setup).largest_cell, 1024);
  const Evaluation truth = evaluate_reference(setup);
  try {
    const Evaluation mine = run(setup);
    EXPECT_LE(largest_difference(mine.frame.force, truth.frame.force),
              Bars({1e-12, 5e-5, 1e-4}).of(precision()) * largest_component(truth.frame.force));
  } catch (const BackendRefusal& refusal) {
    EXPECT_THAT(refusal.what(), HasSubstr("particles"));
  }
}

PENCILBOX_FOR_EVERY_BACKEND(Refusal);

}  // namespace
}  // namespace pencilbox::testing
