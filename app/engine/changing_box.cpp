#include "app/engine/changing_box.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <variant>

#include "app/engine/cell_width.hpp"
#include "core/error.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

namespace {

constexpr const char* barostat_energy = "energy_of_the_barostat";

/// That this candidate would have, of cells that are wider than need be by this factor.
CellGrid grid_with_room(const Candidate& candidate, const Problem& bare, double room) {
  const CellGrid grid = make_periodic_grid(bare.box, room * cutoff_of(bare.potential),
                                           static_cast<std::size_t>(bare.particles),
                                           resolution_of(bare.potential, bare.precision));
  return wider_grid(grid, room * least_cell_width(candidate, bare));
}

}  // namespace

std::optional<CellRescaling> barostat_of(const StageSettings& stage, const Problem& problem) {
  if (!stage.barostat) return {};
  const IntegratorSettings thermostat{stage.timestep, problem.box, stage.parameters,
                                      stage.first_step, stage.steps};
  if (!thermostat.parameters.contains("temperature") || !problem.box.fully_periodic() ||
      std::isinf(cutoff_of(problem.potential))) {
    throw InputError(
        "a barostat needs a heat bath, a fully periodic box and a potential with a cutoff");
  }
  return CellRescaling(*stage.barostat, thermostat);
}

void put_into(NamedNumbers& state, const std::optional<CellRescaling>& barostat) {
  if (barostat) state[barostat_energy] = {barostat->energy()};
}

void take_from(NamedNumbers& state, std::optional<CellRescaling>& barostat) {
  const auto counted = state.find(barostat_energy);
  if (counted == state.end()) return;
  if (!barostat || counted->second.size() != 1) {
    throw InputError("integrator: the state is of a run with another barostat");
  }
  barostat->set_energy(counted->second.front());
  state.erase(counted);
}

template <class Precision>
CellRescaling::Sums pressure_sums(const Particles<Precision>& particles, const Problem& problem,
                                  const std::vector<std::int64_t>& type_counts,
                                  Reduction& reduction, Stream& stream) {
  PressureSums sums = sum_pressure(particles, reduction, stream);
  const auto* model = std::get_if<LennardJonesModel>(&problem.potential);
  if (model != nullptr && model->tail_correction) {
    sums.virial += tail_correction(*model, type_counts, problem.box.volume()).virial;
  }
  return {sums.kinetic_energy, sums.virial};
}

CellGrid stretched(const CellGrid& grid, const Box& box) {
  CellGrid other = grid;
  for (std::size_t d = 0; d < 3; ++d) {
    other.lower[d] = box.lower[d];
    other.side[d] = box.edges[d] / static_cast<double>(grid.cells[d]);
  }
  return other;
}

Problem in_box(const Box& box, const Problem& bare) {
  Problem problem = bare;
  problem.box = box;
  problem.grid =
      make_periodic_grid(box, cutoff_of(bare.potential), static_cast<std::size_t>(bare.particles),
                         resolution_of(bare.potential, bare.precision));
  return problem;
}

/// The latter two with some room, so that a box which comes and goes has not a new grid each time.
bool suits(const Candidate& candidate, const CellGrid& grid, const Problem& bare) {
  constexpr double room = 1.02;
  const double reach = cutoff_of(bare.potential) + candidate.skin;
  const double least = std::max(reach, least_cell_width(candidate, bare) / room);
  const CellGrid finer = grid_with_room(candidate, bare, room);
  for (std::size_t d = 0; d < 3; ++d) {
    if (grid.cells[d] > 1 && grid.side[d] < least) return false;
    if (finer.cells[d] > grid.cells[d]) return false;
  }
  return true;
}

void require_candidate_runs(const Candidate& candidate, const Problem& problem, std::int64_t step) {
  const std::string at_step = "step " + std::to_string(step) + ": " + candidate.entry->info.name +
                              " cannot go on in the box that the barostat has made: ";
  if (const auto reason = candidate.entry->refuse(problem, candidate.options)) {
    throw PhysicsError(at_step + *reason);
  }
  const double reach = cutoff_of(problem.potential) + candidate.skin;
  if (candidate.keeps_list() &&
      skin_that_fits(problem.box, cutoff_of(problem.potential), candidate.skin) < candidate.skin) {
    throw PhysicsError(at_step + "a side is below " + std::to_string(reach) +
                       ", the cutoff and the skin of the list (a smaller neighbor.skin fits)");
  }
}

template CellRescaling::Sums pressure_sums(const Particles<SinglePrecision>&, const Problem&,
                                           const std::vector<std::int64_t>&, Reduction&, Stream&);
template CellRescaling::Sums pressure_sums(const Particles<MixedPrecision>&, const Problem&,
                                           const std::vector<std::int64_t>&, Reduction&, Stream&);
template CellRescaling::Sums pressure_sums(const Particles<DoublePrecision>&, const Problem&,
                                           const std::vector<std::int64_t>&, Reduction&, Stream&);

}  // namespace pencilbox::PENCILBOX_DEVICE
