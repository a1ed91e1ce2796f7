// The engine between batches: from a box to one of another size.
#include <algorithm>

#include "app/engine/engine.hpp"
#include "app/engine/simulation_problem.hpp"
#include "core/error.hpp"
#include "core/observables.hpp"
#include "neighbor/cells/change_grid.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

namespace {

CellGrid stretched(const CellGrid& grid, const Box& box) {
  CellGrid other = grid;
  for (std::size_t d = 0; d < 3; ++d) {
    other.lower[d] = box.lower[d];
    other.side[d] = box.edges[d] / static_cast<double>(grid.cells[d]);
  }
  return other;
}

}  // namespace

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
  PressureSums sums = sum_pressure(particles_, reduction_, stream_);
  const auto* model = std::get_if<LennardJonesModel>(&problem_.potential);
  if (model != nullptr && model->tail_correction) {
    sums.virial += tail_correction(*model, type_counts_, problem_.box.volume()).virial;
  }
  return {sums.kinetic_energy, sums.virial};
}

/// On the same cells, as long as these suit; else on a grid that is laid anew.
template <class Precision>
void Engine<Precision>::stretch_to(const Box& box) {
  const CellGrid before = grid();
  const CellGrid same_cells = stretched(before, box);
  stretch(particles_, before, same_cells, stream_);
  problem_.box = box;
  problem_.grid = make_periodic_grid(box, cutoff_of(problem_.potential),
                                     static_cast<std::size_t>(particles_.count),
                                     resolution_of(problem_.potential, Precision::value));
  Problem problem = problem_for(candidates_[active_], problem_);
  if (suits(candidates_[active_], same_cells)) {
    problem.grid = same_cells;
    require_candidate_runs(active_, problem);
    binning_->stretch(same_cells, most_displacement(problem));
    interaction_->set_uncertainty(same_cells.float_uncertainty());
    backend_->box_changed(problem);
    graphs_.forget();
  } else {
    require_candidate_runs(active_, problem);
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

/// That this candidate would have, of cells that are wider than need be by this factor.
template <class Precision>
CellGrid Engine<Precision>::grid_with_room(const Candidate& candidate, double room) const {
  const CellGrid grid = make_periodic_grid(problem_.box, room * cutoff_of(problem_.potential),
                                           static_cast<std::size_t>(particles_.count),
                                           resolution_of(problem_.potential, Precision::value));
  return wider_grid(grid, room * least_cell_width(candidate, problem_));
}

/// Whether cells hold all partners, are as wide as they are worth, and could not be more. The
/// latter two with some room, so that a box which comes and goes has not a new grid each time.
template <class Precision>
bool Engine<Precision>::suits(const Candidate& candidate, const CellGrid& grid) const {
  constexpr double room = 1.02;
  const double reach = cutoff_of(problem_.potential) + candidate.skin;
  const double least = std::max(reach, least_cell_width(candidate, problem_) / room);
  const CellGrid finer = grid_with_room(candidate, room);
  for (std::size_t d = 0; d < 3; ++d) {
    if (grid.cells[d] > 1 && grid.side[d] < least) return false;
    if (finer.cells[d] > grid.cells[d]) return false;
  }
  return true;
}

/// Throws PhysicsError where the box has become too small, or its cells too coarse.
template <class Precision>
void Engine<Precision>::require_candidate_runs(std::size_t number, const Problem& problem) const {
  const Candidate& one = candidates_[number];
  const std::string at_step = "step " + std::to_string(step_) + ": " + one.entry->info.name +
                              " cannot go on in the box that the barostat has made: ";
  if (const auto reason = one.entry->refuse(problem, one.options)) {
    throw PhysicsError(at_step + *reason);
  }
  const double reach = cutoff_of(problem.potential) + one.skin;
  if (one.keeps_list() &&
      skin_that_fits(problem.box, cutoff_of(problem.potential), one.skin) < one.skin) {
    throw PhysicsError(at_step + "a side is below " + std::to_string(reach) +
                       ", the cutoff and the skin of the list (a smaller neighbor.skin fits)");
  }
}

template class Engine<SinglePrecision>;
template class Engine<MixedPrecision>;
template class Engine<DoublePrecision>;

}  // namespace pencilbox::PENCILBOX_DEVICE
