// The comparison of back ends on one problem: same start, forces checked, then timed. It sees
// simulations only, and who makes them is the caller's choice; compare_command.cpp has them made by
// a device.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/bench/measurement.hpp"
#include "app/compare/force_check.hpp"
#include "app/engine/simulation.hpp"
#include "io/output/result.hpp"

namespace pencilbox {

struct Contest {
  SimulationSetup setup;  ///< start and problem; its back end does not matter
  std::vector<BackendInfo> known;
  std::vector<BackendChoice> backends;  ///< in the order of the table
  bool all_of_them = true;              ///< nobody named them: leave out what would take for ever
  bool blocks_are_emulated = false;
  double uncertainty = 0.0;    ///< of a float separation in this grid [sigma]
  std::int64_t warm_up = 200;  ///< steps before the first that is timed
  std::int64_t steps = 200;    ///< in one timing
  int repeats = 5;
  std::function<void(const std::string&)> tell = [](const std::string&) {};  ///< what goes on
};

/// One back end's part. Seconds are those of one step.
struct Contender {
  BackendChoice choice;
  std::optional<std::string> refusal;  ///< why it was not timed; then the rest is empty
  double largest_error = 0.0;          ///< of a force, by the largest force
  Spread step;
  RegionSeconds regions;
  BackendStats stats;
  std::int64_t device_bytes = 0;    ///< of everything
  double deterministic_cost = 0.0;  ///< time with `deterministic` by time without it, less 1; NaN
};

struct Comparison {
  std::int64_t particles = 0;
  std::string truth;             ///< the back end whose forces counted as true
  double yardstick_step = 0.0;   ///< seconds of a step; NaN if it cannot run this
  double yardstick_drift = 0.0;  ///< the yardstick timed once more at the end, by the first, less 1
  std::vector<Contender> contenders;
};

/// Checks all of them, then times one after the other, each with the device to itself. Throws
/// PhysicsError, naming back end, particle and error, before anything is timed, if forces are not
/// those of the truth: at the start, where energies are evaluated too, and two steps later, where
/// the kernel of forces alone has been at work, which is the one that is timed.
Comparison compare_backends(const Contest& contest, const MakeSimulation& make);

/// The comparison for people and programs.
Result result_of(const Comparison& comparison, const Contest& contest,
                 const DeviceProperties& device);

/// The name of its tables, plots and files.
inline constexpr const char* compare_name = "compare";

}  // namespace pencilbox
