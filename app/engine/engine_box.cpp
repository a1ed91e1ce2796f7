// The engine between batches: from a box to one of another size.
#include "app/engine/engine.hpp"
#include "app/engine/simulation_problem.hpp"
#include "neighbor/cells/change_grid.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

/// After a step with energies. All that is new follows from the state of then: so a run that is
/// resumed does the same.
template <class Precision>
void Engine<Precision>::change_box() {
  profiler_.pause();
  begin_.record(stream_);
  stretch_to(barostat_->next(problem_.box, pressure_sums(), step_));
  integrator_->velocities_changed(particles_, stream_);
  evaluate(Wanted::forces_and_energies);
  barostat_->book(problem_.box, pressure_sums());
  end_.record(stream_);
  end_.wait();
  advance_seconds_ += end_.seconds_since(begin_);
}

template <class Precision>
CellRescaling::Sums Engine<Precision>::pressure_sums() {
  return PENCILBOX_DEVICE::pressure_sums(particles_, problem_, type_counts_, reduction_, stream_);
}

/// On the same cells, as long as these suit; else on a grid that is laid anew.
template <class Precision>
void Engine<Precision>::stretch_to(const Box& box) {
  const CellGrid before = grid();
  const CellGrid same_cells = stretched(before, box);
  stretch(particles_, before, same_cells, stream_);
  problem_ = in_box(box, problem_);
  Problem problem = problem_for(candidates_[active_], problem_);
  if (suits(candidates_[active_], same_cells, problem_)) {
    problem.grid = same_cells;
    require_candidate_runs(candidates_[active_], problem, step_);
    binning_->stretch(same_cells, list_bounds(problem), spacing_of_coordinates(problem));
    interaction_->set_uncertainty(same_cells.float_uncertainty());
    backend_->box_changed(problem);
    graphs_.forget();
  } else {
    require_candidate_runs(candidates_[active_], problem, step_);
    const ListStats list = list_;
    change_grid(particles_, same_cells, problem.grid, stream_);
    lay(active_, problem.grid);
    list_ = list;
  }
  Event begin, end;
  begin.record(stream_);
  order_and_rebuild();
  end.record(stream_);
  end.wait();
  if (candidate().keeps_list()) rebuild_seconds_ = end.seconds_since(begin);
  if (grid().cells != before.cells) look_after_health(step_);
}

template class Engine<SinglePrecision>;
template class Engine<MixedPrecision>;
template class Engine<DoublePrecision>;

}  // namespace pencilbox::PENCILBOX_DEVICE
