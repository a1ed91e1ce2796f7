#include "app/engine/simulation_problem.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <type_traits>

#include "core/cell_parts.hpp"
#include "core/error.hpp"
#include "core/in_pieces.hpp"
#include "neighbor/cells/unresolved.hpp"
#include "neighbor/walks/ring_position.hpp"

namespace pencilbox {
namespace {

Problem on_grid(const SimulationSettings& setup, const Box& box, const CellGrid& grid,
                const DeviceProperties& device) {
  Problem problem;
  problem.box = box;
  problem.grid = grid;
  problem.potential = setup.potential;
  problem.precision = setup.precision;
  problem.deterministic = setup.deterministic;
  problem.list_until = setup.list_until;
  if (setup.executor == Executor::persistent) problem.list_until = ListUntil::displacement;
  problem.device = device;
  return problem;
}

std::vector<Double3> positions_of(const ExactState& state, const CellGrid& grid) {
  std::vector<Double3> positions;
  positions.reserve(state.id.size());
  for (std::size_t i = 0; i < state.id.size(); ++i) {
    GridPlace place{state.cell[i], state.offset[i], {}};
    positions.push_back(position_of(grid, place));
  }
  return positions;
}

/// In a small system looking costs as much as what it saves. On a GPU blocks that stay on the
/// device for a whole cycle, as those of a small system do, would have to meet twice in each step.
/// See docs/decisions/0045-until-a-pair-is-missed.md.
bool may_stray(const Problem& problem) {
  constexpr Index few = 500'000, few_on_a_cpu = 100'000;
  const bool pays = problem.particles >= (problem.device.emulates_blocks ? few_on_a_cpu : few);
  return problem.list_until == ListUntil::missed_pair ||
         (problem.list_until == ListUntil::best && pays);
}

constexpr const char* start_of_run = "step 0: ";
constexpr const char* too_large_for_a_float =
    "beyond 3.4e38, more than a float can hold (run.precision: double can)";

double largest_component(const Double3& vector) {
  return std::max({std::abs(vector[0]), std::abs(vector[1]), std::abs(vector[2])});
}

[[noreturn]] void refuse_number(const StartState& start, std::size_t row, const char* quantity,
                                const Double3& value, const std::string& reason) {
  throw PhysicsError(start_of_run + std::string("particle ") + std::to_string(start.id[row]) +
                     " has the " + quantity + " " + text_of(value) + ", " + reason);
}

/// Each number by itself, wherever the cells are.
void require_numbers_that_fit(const StartState& start, const Problem& problem) {
  constexpr double largest_float = std::numeric_limits<float>::max();
  const bool in_floats = problem.precision != Precision::double_;
  const double largest = resolution_of(problem.potential, problem.precision).largest_coordinate();
  for_each_in_pieces(start.size(), [&](std::size_t i) {
    const double coordinate = largest_component(start.position[i]);
    if (in_floats && coordinate > largest_float) {
      refuse_number(start, i, "position", start.position[i], too_large_for_a_float);
    }
    if (in_floats && largest_component(start.velocity[i]) > largest_float) {
      refuse_number(start, i, "velocity", start.velocity[i], too_large_for_a_float);
    }
    if (coordinate > largest) {
      refuse_number(start, i, "position", start.position[i],
                    "so far from the origin that even in double precision its digits are lost");
    }
  });
}

template <class Precision>
std::int64_t bytes_in(const Problem& problem) {
  const std::int64_t state = 6 * sizeof(typename Precision::State) + 6 * sizeof(std::int32_t);
  const std::int64_t sums = 5 * sizeof(typename Precision::Accumulator);
  const std::int64_t order =
      2 * sizeof(Index) + (problem.deterministic ? 2 * sizeof(std::uint64_t) : 0);
  const bool separate = !std::is_same_v<typename Precision::State, typename Precision::Pair>;
  const bool list = problem.skin > 0.0;
  const bool on_ring = problem.parts_of_a_cell == CellParts::of_slices && problem.box.periodic[0];
  const std::int64_t pairs =
      separate && !list && !on_ring ? 3 * sizeof(typename Precision::Pair) : 0;
  constexpr std::int64_t mirrors_places_and_kicks = 2 * 4 + 4 + 3;
  const std::int64_t watched =
      list ? mirrors_places_and_kicks * sizeof(typename Precision::Pair) : 0;
  const std::int64_t ring = on_ring ? sizeof(RingPosition<typename Precision::Pair>) : 0;
  const std::int64_t parts = problem.parts_of_a_cell;
  const std::int64_t per_cell = (parts == 1 ? 3 : 3 * parts + 1) * std::int64_t{sizeof(Index)};
  return std::int64_t{problem.particles} * (2 * state + sums + order + pairs + watched + ring) +
         std::int64_t{problem.grid.count()} * per_cell;
}

}  // namespace

Problem make_problem(const SimulationSettings& setup, const StartState& start,
                     const DeviceProperties& device) {
  const CellGrid grid = make_cell_grid(start.box, cutoff_of(setup.potential), start.position,
                                       resolution_of(setup.potential, setup.precision));
  Problem problem = on_grid(setup, start.box, grid, device);
  problem.particles = static_cast<Index>(start.size());
  problem.largest_cell = largest_cell(grid, start.position);
  return problem;
}

void require_resolved(const StartState& start, const Problem& problem) {
  require_numbers_that_fit(start, problem);
  if (start.box.fully_periodic()) return;  // nobody is outside of the cells
  const std::vector<GridPlace> places = places_of(problem.grid, start.position);
  const auto found = first_unresolved(problem.grid, cutoff_of(problem.potential), places,
                                      resolution_of(problem.potential, problem.precision));
  if (!found) return;
  throw PhysicsError(start_of_run +
                     in_words(*found, problem.grid, places, start.id, problem.precision));
}

Problem make_problem(const SimulationSettings& setup, const ExactState& state,
                     const DeviceProperties& device) {
  CellGrid grid = grid_of(state);
  std::vector<Double3> positions;
  if (!state.reference.empty()) {
    positions = positions_of(state, grid);
    grid = make_cell_grid(state.box, cutoff_of(setup.potential), positions,
                          resolution_of(setup.potential, setup.precision));
  }
  Problem problem = on_grid(setup, state.box, grid, device);
  problem.particles = static_cast<Index>(state.size());
  problem.largest_cell =
      state.reference.empty()
          ? largest_cell(grid, state.size(), [&](std::size_t i) { return state.cell[i]; })
          : largest_cell(grid, positions);
  return problem;
}

CellGrid grid_of(const ExactState& state) {
  return {state.grid.lower, state.grid.side, state.grid.cells, state.box.periodic};
}

ListBounds list_bounds(const Problem& problem) {
  const double uncertainty = problem.grid.float_uncertainty();
  ListBounds bounds;
  bounds.cutoff = cutoff_of(problem.potential) + 2.0 * uncertainty;
  bounds.listed = cutoff_of(problem.potential) + problem.skin - 2.0 * uncertainty;
  bounds.most_displacement = std::max(0.0, 0.5 * problem.skin - 2.0 * uncertainty);
  if (!may_stray(problem)) return bounds;
  const auto& side = problem.grid.side;
  const double into_next_cell = std::min({side[0], side[1], side[2]}) - bounds.cutoff;
  bounds.farthest = std::min(problem.skin, into_next_cell) - 2.0 * uncertainty;
  return bounds;
}

/// Who is farther than a cutoff beyond an open face has no partner in another cell on the way
/// there.
double spacing_of_coordinates(const Problem& problem) {
  const auto& [x, y, z] = problem.box.periodic;
  const double beyond_faces = x && y && z ? 0.0 : cutoff_of(problem.potential);
  if (problem.skin == 0.0) return coordinate_spacing(problem, beyond_faces);
  const ListBounds bounds = list_bounds(problem);
  return coordinate_spacing(problem,
                            std::max({bounds.most_displacement, bounds.farthest, beyond_faces}));
}

double stray_of_list(const Problem& problem) {
  return (may_stray(problem) ? 1.0 : 0.5) * problem.skin;
}

std::int64_t bytes_on_device(const Problem& problem) {
  switch (problem.precision) {
    case Precision::single:
      return bytes_in<SinglePrecision>(problem);
    case Precision::mixed:
      return bytes_in<MixedPrecision>(problem);
    default:
      return bytes_in<DoublePrecision>(problem);
  }
}

std::vector<std::int64_t> count_types(std::size_t types, const std::vector<std::int32_t>& type) {
  using Counts = std::vector<std::int64_t>;
  const auto count = [&](std::int64_t begin, std::int64_t end) {
    Counts counts(types, 0);
    for (std::int64_t i = begin; i < end; ++i) {
      ++counts[static_cast<std::size_t>(type[static_cast<std::size_t>(i)])];
    }
    return counts;
  };
  Counts all(types, 0);
  for (const Counts& some : of_each_piece<Counts>(static_cast<std::int64_t>(type.size()), count)) {
    for (std::size_t t = 0; t < types; ++t) all[t] += some[t];
  }
  return all;
}

}  // namespace pencilbox
