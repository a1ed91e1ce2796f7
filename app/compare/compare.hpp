// The comparison of back ends on one problem: same start, forces checked, then timed. It sees
// simulations only, and who makes them is the caller's choice; compare_command.cpp has them made by
// a device.
#pragma once

#include <cmath>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/bench/measurement.hpp"
#include "app/compare/force_check.hpp"
#include "app/compare/not_known.hpp"
#include "app/engine/simulation.hpp"
#include "io/output/result.hpp"

namespace pencilbox {

struct Contest {
  SimulationSetup setup;  ///< start and problem; its back end does not matter
  std::vector<BackendInfo> known;
  std::vector<BackendChoice> backends;  ///< in the order of the table
  bool all_of_them = true;              ///< nobody named them: leave out what would take for ever
  bool blocks_are_emulated = false;
  double uncertainty = 0.0;       ///< of a float separation in this grid [sigma]
  std::int64_t warm_up = 200;     ///< steps before the first that is timed
  std::int64_t steps = 200;       ///< in one timing, at least
  int repeats = 5;                ///< rounds, at least
  double least_seconds = 0.0;     ///< of each, all its timings together
  std::int64_t memory_bytes = 0;  ///< of the device, for all that are timed in turn; 0: no limit
  std::function<void(const std::string&)> tell = [](const std::string&) {};  ///< what goes on
};

/// What `deterministic` costs, and how far the timings of with and without it scatter: both by the
/// time without it. Within that nothing is known of a cost. NaN where it cannot do both.
struct DeterministicCost {
  double cost = not_known;
  double noise = not_known;

  bool is_within_noise() const { return std::abs(cost) <= noise; }
};

/// One back end's part. Seconds are those of one step.
struct Contender {
  BackendChoice choice;
  std::optional<std::string> refusal;  ///< why it was not timed; then the rest is empty
  double largest_error = 0.0;          ///< of a force, by the largest force
  std::int64_t steps = 0;              ///< in one timing
  Spread step;
  RegionSeconds regions;
  BackendStats stats;
  NeighborStats neighbors;
  std::int64_t device_bytes = 0;  ///< of everything
  DeterministicCost deterministic_cost;
};

struct Comparison {
  std::int64_t particles = 0;
  std::string truth;             ///< the back end whose forces counted as true
  double yardstick_step = 0.0;   ///< seconds of a step; NaN if it cannot run this
  double yardstick_drift = 0.0;  ///< of its last round, by the first, less 1; NaN with one round
  std::vector<Contender> contenders;
};

/// Checks all of them, then times them in turn, round after round. Throws
/// PhysicsError, naming back end, particle and error, before anything is timed, if forces are not
/// those of the truth: at the start, where energies are evaluated too, and two steps later, where
/// the kernel of forces alone has been at work, which is the one that is timed.
Comparison compare_backends(const Contest& contest, const MakeSimulation& make);

/// The number of the contender with the smallest median; nothing if none could run.
std::optional<std::size_t> fastest_of(const Comparison& comparison);

/// The timings of one of the two scatter by more than lies between them.
bool cannot_be_told_from(const Contender& slower, const Contender& faster);

/// "fastest: x-pencil, 2.13 times the yardstick; not to be told from green": the answer in a line.
std::string verdict_of(const Comparison& comparison, const Contest& contest);

/// The comparison for people and programs.
Result result_of(const Comparison& comparison, const Contest& contest,
                 const DeviceProperties& device);

/// The name of its tables, plots and files.
inline constexpr const char* compare_name = "compare";

}  // namespace pencilbox
