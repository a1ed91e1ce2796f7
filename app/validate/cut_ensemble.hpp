// The ensemble of a plain cutoff, from molecular dynamics.
#pragma once

#include "app/engine/simulation.hpp"

namespace pencilbox {

/// Forces know nothing of the step that the energy makes at a plain cutoff: dynamics has the
/// ensemble of the shifted potential, and Monte Carlo that of the cut one, in which each pair
/// within the cutoff counts u(r_c) more. In a liquid cut at 3 that is 0.007 of the pressure.
class CutEnsemble {
 public:
  /// Of one type, with a plain cutoff.
  CutEnsemble(const SimulationSetup& setup, double temperature);

  /// How much more likely that ensemble makes the present state, up to a constant. Evaluates once
  /// more.
  double log_weight(Simulation& simulation) const;

 private:
  double of_a_partner_;  ///< that each particle has more in the mean
};

}  // namespace pencilbox
