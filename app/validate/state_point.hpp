// A state point by simulation: mean energy and pressure at a density and a temperature, with their
// errors.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/validate/cut_ensemble.hpp"
#include "app/validate/subject.hpp"

namespace pencilbox {

struct StatePoint {
  double temperature, density;
  int cells;  ///< 4 cells^3 particles
  double cutoff;
  bool tail_correction;  ///< of what a plain cutoff leaves out
  Truncation truncation = Truncation::cut;
  bool by_monte_carlo = false;  ///< the reference: see cut_ensemble.hpp
  double timestep = 0.004;
  double friction = 1.0;               ///< of the heat bath [1/tau]
  std::int64_t equilibration = 10000;  ///< steps at the temperature before the first sample
  /// Its temperature, where that of the reference was measured by velocities at whole steps. These
  /// are slower than they ought to be at the temperature that the positions have.
  std::optional<double> bath{};
};

/// A hot crystal of one type that such a run may begin with.
SimulationSetup hot_crystal(const Subject& subject, const StatePoint& point);

class StatePointRun {
 public:
  /// Melts a crystal, takes it to the temperature and lets it come to equilibrium. `observables`
  /// are due at multiples of twenty steps.
  StatePointRun(const Subject& subject, const StatePoint& point,
                std::vector<ObservableChoice> observables = {})
      : StatePointRun(subject, hot_crystal(subject, point), point, std::move(observables)) {}

  /// The same from another crystal, a mixture for instance.
  StatePointRun(const Subject& subject, SimulationSetup crystal, const StatePoint& point,
                std::vector<ObservableChoice> observables = {});

  /// Goes on; every twenty steps are a sample.
  void produce(std::int64_t steps);

  /// Ends the run: `setup` with the particles where it has left them, for other equations of
  /// motion.
  SimulationSetup end(SimulationSetup setup) {
    const auto ending = std::move(simulation_);
    return restarted(std::move(setup), *ending);
  }

  /// What the observables have found.
  std::vector<ObservableResult> observed() { return simulation_->observable_results(); }

  /// Per particle.
  Estimate energy() const { return mean_of(energies_); }

  /// The kinetic part with the temperature of the state point, as Monte Carlo has it: that of the
  /// velocities at whole steps is off by the square of the time step.
  Estimate pressure() const { return mean_of(pressures_); }

 private:
  Estimate mean_of(const std::vector<double>& series) const {
    return ensemble_ ? reweighted_average(series, log_weights_) : block_average(series);
  }

  StatePoint point_;
  double volume_ = 0.0;
  std::optional<CutEnsemble> ensemble_;
  std::unique_ptr<Simulation> simulation_;
  std::vector<double> energies_, pressures_, log_weights_;
};

/// g(r) in bins of 0.01, taken every 200 steps.
ObservableChoice radial_distribution(double max_distance);

/// The highest peak of one of its columns.
Peak peak_of(const ObservableResult& g, const std::string& column);

/// Runs a state point for so many steps, or four times as many if in doubt, and judges by it.
void judge_state_point(StatePointRun& run, std::int64_t steps, ValidationRow& energy,
                       ValidationRow& pressure);

}  // namespace pencilbox
