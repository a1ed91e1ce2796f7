// The engine between batches: from one way to sum forces to another.
#include <utility>

#include "app/engine/engine.hpp"
#include "app/engine/large_forces.hpp"
#include "app/engine/simulation_problem.hpp"
#include "core/observables.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

/// Whoever sums otherwise may be faster than who was chosen, or slower.
template <class Precision>
void Engine<Precision>::choose_sums() {
  if (!look_at_forces(Wanted::forces) || candidates_.size() == 1) return;
  rehearse();
  choose_again();
}

/// Whether sums are others from here on: they are in quanta while forces are as large as those of
/// a liquid. A minimisation makes them as small as it can. `wanted` is evaluated anew then.
template <class Precision>
bool Engine<Precision>::look_at_forces(Wanted wanted) {
  if (!may_sum_quanta_) return false;
  const bool are_large =
      !minimisation() &&
      are_forces_large(problem_, sum_squared_forces(particles_, reduction_, stream_));
  if (std::exchange(problem_.forces_are_large, are_large) == are_large) return false;
  if (problem_for(candidates_[active_], problem_).in_quanta) {
    change_coordinates();
    evaluate(wanted);
  }
  return true;
}

/// Quanta take coordinates on a lattice. A list stays as it is.
template <class Precision>
void Engine<Precision>::change_coordinates() {
  Problem problem = problem_for(candidates_[active_], problem_);
  problem.grid = grid();
  binning_->change_lattice(spacing_of_coordinates(problem), particles_, stream_);
  graphs_.forget();
  has_run_ = false;  // by these kernels
  if (!candidate().keeps_list()) order_and_rebuild();
}

template class Engine<SinglePrecision>;
template class Engine<MixedPrecision>;
template class Engine<DoublePrecision>;

}  // namespace pencilbox::PENCILBOX_DEVICE
