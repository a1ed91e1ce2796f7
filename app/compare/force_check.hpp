// Are a back end's forces right? The question that comes before how fast it is.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "app/engine/simulation.hpp"

namespace pencilbox {

/// Makes the simulation of a setup: a device does, or a test.
using MakeSimulation = std::function<std::unique_ptr<Simulation>(SimulationSetup)>;

/// Most particles whose forces are held against `reference`, which looks at all pairs.
inline constexpr std::int64_t most_against_reference = 20000;

/// By how much a force may differ from the truth, by the largest component of any force, or by 1
/// where all are smaller: bars 2 and 11 of the project's validation page (headroom measured there:
/// 1e-13, 6e-6 and 1e-5). A particle's own force is no measure: it may be the small difference of
/// large ones.
double force_bar(Precision precision);

class ForceCheck {
 public:
  /// `setup`: the problem, its back end does not matter; its start is not kept. `uncertainty`: by
  /// how much a float separation of this grid may be off [sigma].
  ForceCheck(const SimulationSetup& setup, const std::vector<BackendInfo>& known,
             double uncertainty, MakeSimulation make);

  /// The back end whose forces in double count as true.
  const std::string& truth() const { return truth_; }

  /// Holds the present forces of `simulation` against the truth at the very positions that it has
  /// now, and returns the largest error in units of the bar's scale. Throws PhysicsError, naming
  /// back end, particle and error, if it is beyond the bar.
  ///
  /// A partner that lies so near to the cutoff that float cannot tell its side may be counted or
  /// not; where it is, a truncated force jumps. A particle may be off by that for each of them. And
  /// in a crystal at rest large forces cancel to next to none: where the truth itself moves by more
  /// than the bar as positions do by a float's rounding, four times as much is allowed.
  double operator()(const std::string& backend, Simulation& simulation) const;

 private:
  /// What the truth says of a frame's positions.
  Frame evaluate(const Frame& frame) const;
  /// Of particle `i`, without the jumps of partners at the cutoff.
  double error_of(const Frame& frame, const Frame& truth, std::size_t i, double bar) const;
  /// The largest change of a force as every coordinate moves by a float's rounding, up or down.
  double sensitivity_of(const Frame& truth, double bar) const;

  SimulationSetup setup_;
  std::string truth_;
  double jump_ = 0.0;      ///< of the force at the cutoff [epsilon/sigma]
  double reach_ = 0.0;     ///< where partners are uncertain: this far from the cutoff [sigma]
  double rounding_ = 0.0;  ///< of a float coordinate [sigma]
  MakeSimulation make_;
};

}  // namespace pencilbox
