// Who is judged: a back end on a device in a precision, and how it is asked to simulate.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "app/engine/simulation.hpp"
#include "app/validate/row.hpp"

namespace pencilbox {

struct Subject {
  std::function<std::unique_ptr<Simulation>(SimulationSetup)> make;
  BackendChoice backend;
  Precision precision = Precision::mixed;
  bool full = false;  ///< an hour instead of minutes
  /// Why it is too slow for runs of many steps here; empty: it is not.
  std::string too_slow{};
  bool runs_on_a_cpu = false;  ///< too slow for millions of steps of ten thousand particles
  std::function<void(const std::string&)> tell = [](const std::string&) {};  ///< what goes on
  /// What a long check knows so far, which an interruption is to leave in the files.
  std::function<void(const ValidationRows&)> keep = [](const ValidationRows&) {};

  /// This back end on these particles: one type, constant energy, in its own precision.
  SimulationSetup setup(StartState start, double cutoff, Truncation truncation) const;
};

/// Empty, or why runs of many steps would take hours.
std::string why_too_slow(const BackendInfo& info, const BackendOptions& options,
                         const DeviceProperties& device);

/// A face-centred crystal of 4 `cells`^3 particles with velocities of this temperature.
StartState warm_crystal(int cells, double density, double temperature);

/// A setup that goes on from where a simulation is, on a clock that starts at 0. `direction`: what
/// velocities are multiplied by.
SimulationSetup restarted(SimulationSetup setup, Simulation& simulation, double direction = 1.0);

/// `setup` from where a simulation of `other` is after so many steps. (Before the next one begins
/// that one has ended: on ranks there is one at a time.)
SimulationSetup after(const Subject& subject, std::int64_t steps, SimulationSetup other,
                      SimulationSetup setup, double direction = 1.0);

/// The same particles under a heat bath.
SimulationSetup in_bath(SimulationSetup setup, double temperature, double friction,
                        double seed = 1.0);

/// The rows that are asked for, filled in by `measure`. Where the back end refuses the problem all
/// of them are skipped, with its words; where the physics breaks down all of them fail, with the
/// words of that.
ValidationRows answered(ValidationRows asked, const std::function<void(ValidationRows&)>& measure);

/// The same for what needs runs of many steps.
ValidationRows answered_by_long_runs(const Subject& subject, ValidationRows asked,
                                     const std::function<void(ValidationRows&)>& measure);

}  // namespace pencilbox
