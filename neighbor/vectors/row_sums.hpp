// What back ends with rows for vectors have in common: how rows of clusters are walked for what is
// wanted, and where the sums go.
#pragma once

#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "core/device/device.hpp"
#include "core/device/host/instruction_sets.hpp"
#include "core/device/host/threads.hpp"
#include "core/moving_together.hpp"
#include "neighbor/backend.hpp"
#include "neighbor/pair_sum.hpp"
#include "neighbor/vectors/forces_in_order.hpp"
#include "neighbor/vectors/rows.hpp"
#include "neighbor/vectors/vector_pairs.hpp"

namespace pencilbox::host {

/// What back ends with such rows refuse.
inline std::optional<std::string> refuse_rows(const Problem& problem) {
  if (auto reason = partners_beyond_neighbor_cells(problem)) return reason;
  if (std::holds_alternative<LennardJonesModel>(problem.potential)) return {};
  return "the benchmark's potentials are not written for a CPU's vectors";
}

/// Runs visit(pencil, its number, whether it is next in y to the one before on its track) for every
/// pencil, each by one thread, some after another. `visit` returns whether it did anything.
template <class Visit>
void for_each_pencil(Stream& stream, const Pencils& pencils, const Visit& visit) {
  const Index stretches = 8 * omp_get_max_threads();
  const Index rows = pencils.count() / (stretches * pencils.tracks());
  const Index at_a_time = std::clamp(rows, 1, Pencils::most_side_by_side) * pencils.tracks();
  for_each_stretch(stream, pencils.count(), at_a_time, [pencils, visit](Index begin, Index end) {
    struct Track {
      Pencil last;
      bool is_done = false;
    };
    std::array<Track, Pencils::most_tracks> tracks;
    for (Index k = begin; k < end; ++k) {
      const Pencil pencil = pencils[k];
      Track& track = tracks[static_cast<std::size_t>(pencil.track)];
      const bool is_next = track.is_done && pencil.is_next_to(track.last);
      track = {pencil, visit(pencil, k, is_next)};
    }
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

  explicit RowSums(const Potential& potential) : pairs_(potential) {}

  /// Of a grid.
  static Pencils pencils(const CellCoordinates& cells) {
    if constexpr (std::is_same_v<State, float>) return {cells, Pencil::most_cells_in_floats};
    if constexpr (!VectorPairs<Precision>::sums_keep_more) {
      return {cells, Pencil::most_cells_in_doubles};
    }
    constexpr std::int64_t little = 32 * 1024;
    static const bool is_large = nearest_memory() > little;
    return {cells, is_large ? Pencil::most_cells : Pencil::most_cells_in_little_memory};
  }

  const RowKernels<State>& kernels() const { return kernels_; }
  std::string in_words() const {
    return "vectors of " + instruction_set_ + ", " + std::to_string(targets_of_a_row) +
           " targets a row";
  }

  /// What is wanted of the rows of a pencil.
  void operator()(const BinnedParticles<Precision>& particles, const RowsOfPencil& rows,
                  Wanted wanted, const PairSumsView<Precision>& sums) const {
    if (wanted == Wanted::counts) return count_rows(particles, rows, sums);
    sum_forces(particles, rows, sums.force);
    if (wanted == Wanted::forces_and_energies) store_energies(particles, rows, sums);
  }

  /// The same but forces, which somebody else has summed.
  void observe(const BinnedParticles<Precision>& particles, const RowsOfPencil& rows, Wanted wanted,
               const PairSumsView<Precision>& sums) const {
    if (wanted == Wanted::counts) return count_rows(particles, rows, sums);
    store_energies(particles, rows, sums);
  }

  /// Forces of the rows of a pencil that go into `move` and nowhere else.
  void operator()(const BinnedParticles<Precision>& particles, const RowsOfPencil& rows,
                  const KickAndDrift<Precision>& move) const {
    thread_local ForcesInOrder<Accumulator> forces;
    const Index first_cell = particles.grid.linear(rows.pencil.first);
    const IndexRange targets{particles.offset[first_cell],
                             particles.offset[first_cell + rows.pencil.length]};
    forces.reserve(targets);
    sum_forces(particles, rows, forces);
    const MovingTogether<Precision> together(move);
    const IndexRange moving = moving_of(particles, rows.pencil, targets);
    together(moving.begin, moving.end, forces.view(moving.begin));
  }

  /// Whether forces are computed from what is packed alone: then a position of the state may change
  /// while others are still computed.
  bool reads_packed_alone(const BinnedParticles<Precision>& particles) const {
    return !Pairs::sums_keep_more || pairs_.may_be_in_floats(particles);
  }

 private:
  using Pairs = VectorPairs<Precision>;

  /// Those that are no copies of others'.
  static IndexRange moving_of(const BinnedParticles<Precision>& particles, const Pencil& pencil,
                              const IndexRange& all) {
    if (particles.all_are_targets) return all;
    const auto [x, y, z] = pencil.first;
    const Index begin = std::max(x, particles.targets.begin.x);
    const Index end = std::min(x + pencil.length, particles.targets.end.x);
    return {particles.offset[particles.grid.linear({begin, y, z})],
            particles.offset[particles.grid.linear({begin, y, z}) + end - begin]};
  }

  /// To `sink`, which stores the force of a particle.
  template <class Sink>
  void sum_forces(const BinnedParticles<Precision>& particles, const RowsOfPencil& rows,
                  Sink& sink) const {
    RowScratch& scratch = row_scratch();
    if constexpr (Pairs::sums_keep_more) {
      if (pairs_.may_be_in_floats(particles)) {
        auto& forces = room_for<double>(rows, scratch);
        fixed_point_kernel_(Pairs::placed_in_floats(particles), pairs_.in_floats(),
                            pairs_.fixed_point(particles), rows, forces.data(), scratch);
        return hand_over(forces, rows, sink);
      }
    }
    auto& forces = room_for<State>(rows, scratch);
    kernels_.forces(Pairs::placed(particles), pairs_.in_state(), rows, forces.data(), scratch);
    hand_over(forces, rows, sink);
  }

  template <class Real>
  static std::vector<RowForces<Real>>& room_for(const RowsOfPencil& rows, RowScratch& scratch) {
    auto& forces = scratch.template in<Real>().forces;
    forces.resize(static_cast<std::size_t>(rows.count));
    return forces;
  }

  template <class Real, class Sink>
  static void hand_over(const std::vector<RowForces<Real>>& forces, const RowsOfPencil& rows,
                        Sink& sink) {
    for_each_target(rows, [&](std::size_t row, std::size_t t, Index target) {
      const RowForces<Real>& of_row = forces[row];
      const Vec3<Accumulator> force{static_cast<Accumulator>(of_row.x[t]),
                                    static_cast<Accumulator>(of_row.y[t]),
                                    static_cast<Accumulator>(of_row.z[t])};
      sink.store(target, force);
    });
  }

  /// The other half of a pair's energy is the partner's.
  void store_energies(const BinnedParticles<Precision>& particles, const RowsOfPencil& rows,
                      const PairSumsView<Precision>& sums) const {
    RowScratch& scratch = row_scratch();
    auto& energies = scratch.energies;
    energies.resize(static_cast<std::size_t>(rows.count));
    kernels_.energies(Pairs::placed(particles), pairs_.in_double(), rows, energies.data(), scratch);
    for_each_target(rows, [&](std::size_t row, std::size_t t, Index target) {
      sums.energy[target] = static_cast<Accumulator>(0.5 * energies[row].energy[t]);
      sums.virial[target] = static_cast<Accumulator>(0.5 * energies[row].virial[t]);
    });
  }

  void count_rows(const BinnedParticles<Precision>& particles, const RowsOfPencil& rows,
                  const PairSumsView<Precision>& sums) const {
    RowScratch& scratch = row_scratch();
    scratch.partners.resize(static_cast<std::size_t>(rows.count));
    kernels_.partners(Pairs::placed(particles), pairs_.cutoff(), rows, scratch.partners.data(),
                      scratch);
    for_each_target(rows, [&](std::size_t row, std::size_t t, Index target) {
      sums.candidates[target] = rows.targets[row].length + rows.targets[row].count - 1;
      sums.partners[target] = static_cast<Index>(scratch.partners[row].count[t]);
    });
  }

  /// visit(row, number in the row, particle)
  template <class Visit>
  static void for_each_target(const RowsOfPencil& rows, const Visit& visit) {
    for (std::size_t row = 0; row < static_cast<std::size_t>(rows.count); ++row) {
      const RowTargets& targets = rows.targets[row];
      for (std::size_t t = 0; t < static_cast<std::size_t>(targets.count); ++t) {
        visit(row, t, targets.particle[t]);
      }
    }
  }

  RowKernels<State> kernels_ = row_kernels<State>();
  FixedPointForces fixed_point_kernel_ = fixed_point_forces();
  std::string instruction_set_ = instruction_set();
  VectorPairs<Precision> pairs_;
};

}  // namespace pencilbox::host
