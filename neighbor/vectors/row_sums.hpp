// What back ends with rows for vectors have in common: how rows of clusters are walked for what is
// wanted, and where the sums go.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/device/device.hpp"
#include "core/device/host/instruction_sets.hpp"
#include "neighbor/backend.hpp"
#include "neighbor/pair_sum.hpp"
#include "neighbor/vectors/rows.hpp"

namespace pencilbox::host {

/// What back ends with such rows refuse.
inline std::optional<std::string> refuse_rows(const Problem& problem) {
  if (auto reason = partners_beyond_neighbor_cells(problem)) return reason;
  if (std::holds_alternative<LennardJonesModel>(problem.potential)) return {};
  return "the benchmark's potentials are not written for a CPU's vectors";
}

/// Runs visit(pencil) for every pencil of the grid, each by one thread.
template <class Visit>
void for_each_pencil(Stream& stream, const CellCoordinates& cells, const Visit& visit) {
  constexpr Index at_a_time = 2;
  const Pencils pencils(cells);
  for_each_stretch(stream, pencils.count(), at_a_time, [pencils, visit](Index begin, Index end) {
    for (Index k = begin; k < end; ++k) visit(pencils[k]);
  });
}

/// A thread's own; it keeps its memory.
inline RowScratch& row_scratch() {
  thread_local RowScratch scratch;
  return scratch;
}

/// Evaluates rows, whoever made them, and stores the sums of their targets.
template <class Precision>
class RowSums {
 public:
  using State = typename Precision::State;
  using Accumulator = typename Precision::Accumulator;

  explicit RowSums(const Potential& potential)
      : model_(std::get<LennardJonesModel>(potential)),
        table_(lennard_jones_constants<State>(model_)),
        energy_table_(lennard_jones_constants<double>(model_)) {}

  const RowKernels<State>& kernels() const { return kernels_; }
  std::string in_words() const {
    return "vectors of " + instruction_set_ + ", " + std::to_string(targets_of_a_row) +
           " targets a row";
  }

  static PlacedParticles<State> placed(const BinnedParticles<Precision>& particles) {
    GridView<double> grid;
    grid.cells = particles.grid.cells;
    grid.side = grid.exact_side = particles.grid.exact_side;
    grid.periodic = particles.grid.periodic;
    return {particles.state_position, particles.type, particles.offset, grid};
  }

  /// What is wanted of the `count` rows of a pencil.
  void operator()(const BinnedParticles<Precision>& particles, const Pencil& pencil,
                  const RowTargets* targets, const RowMemory& rows, Index count, Wanted wanted,
                  const PairSumsView<Precision>& sums) const {
    const PlacedParticles<State> from = placed(particles);
    if (wanted == Wanted::counts) return count_rows(from, pencil, targets, rows, count, sums);
    store_forces(from, pencil, targets, rows, count, sums);
    if (wanted != Wanted::forces_and_energies) return;
    store_energies(from, pencil, targets, rows, count, sums);
  }

 private:
  template <class Real>
  VectorInteraction<Real> interaction(const std::vector<LennardJonesConstants<Real>>& table) const {
    const auto form = model_.truncation == Truncation::force_shift ? LennardJonesForm::force_shifted
                                                                   : LennardJonesForm::shifted;
    return {table.data(), model_.types, form};
  }

  void store_forces(const PlacedParticles<State>& particles, const Pencil& pencil,
                    const RowTargets* targets, const RowMemory& rows, Index count,
                    const PairSumsView<Precision>& sums) const {
    RowScratch& scratch = row_scratch();
    auto& forces = scratch.template in<State>().forces;
    forces.resize(static_cast<std::size_t>(count));
    kernels_.forces(particles, interaction(table_), pencil, targets, rows, count, forces.data(),
                    scratch);
    for_each_target(targets, count, [&](std::size_t row, std::size_t t, Index target) {
      const RowForces<State>& of_row = forces[row];
      sums.force.store(
          target, {static_cast<Accumulator>(of_row.x[t]), static_cast<Accumulator>(of_row.y[t]),
                   static_cast<Accumulator>(of_row.z[t])});
    });
  }

  /// The other half of a pair's energy is the partner's.
  void store_energies(const PlacedParticles<State>& particles, const Pencil& pencil,
                      const RowTargets* targets, const RowMemory& rows, Index count,
                      const PairSumsView<Precision>& sums) const {
    RowScratch& scratch = row_scratch();
    auto& energies = scratch.energies;
    energies.resize(static_cast<std::size_t>(count));
    kernels_.energies(particles, interaction(energy_table_), pencil, targets, rows, count,
                      energies.data(), scratch);
    for_each_target(targets, count, [&](std::size_t row, std::size_t t, Index target) {
      sums.energy[target] = static_cast<Accumulator>(0.5 * energies[row].energy[t]);
      sums.virial[target] = static_cast<Accumulator>(0.5 * energies[row].virial[t]);
    });
  }

  void count_rows(const PlacedParticles<State>& particles, const Pencil& pencil,
                  const RowTargets* targets, const RowMemory& rows, Index count,
                  const PairSumsView<Precision>& sums) const {
    RowScratch& scratch = row_scratch();
    scratch.partners.resize(static_cast<std::size_t>(count));
    kernels_.partners(particles, model_.largest_cutoff(), pencil, targets, rows, count,
                      scratch.partners.data(), scratch);
    for_each_target(targets, count, [&](std::size_t row, std::size_t t, Index target) {
      sums.candidates[target] = targets[row].length + targets[row].count - 1;
      sums.partners[target] = static_cast<Index>(scratch.partners[row].count[t]);
    });
  }

  /// visit(row, lane, particle)
  template <class Visit>
  static void for_each_target(const RowTargets* targets, Index rows, const Visit& visit) {
    for (std::size_t row = 0; row < static_cast<std::size_t>(rows); ++row) {
      for (std::size_t t = 0; t < static_cast<std::size_t>(targets[row].count); ++t) {
        visit(row, t, targets[row].particle[t]);
      }
    }
  }

  RowKernels<State> kernels_ = row_kernels<State>();
  std::string instruction_set_ = instruction_set();
  LennardJonesModel model_;
  std::vector<LennardJonesConstants<State>> table_;
  std::vector<LennardJonesConstants<double>> energy_table_;
};

}  // namespace pencilbox::host
