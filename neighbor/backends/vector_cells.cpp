// Vector-Cells: particles are sorted into cells anew at each evaluation, and what is near four
// targets is found there and evaluated at once by a CPU's vectors, each pair within a brick of
// cells once. See neighbor/vectors/half_rows.hpp.
//
// Energies and counts, which few steps are asked for, come from rows as of vector-list, but of the
// cutoff alone, and each pencil's used up while it is in the nearest memory: see
// neighbor/vectors/rows.hpp.
#include <vector>

#include "neighbor/vectors/brick_forces.hpp"
#include "neighbor/vectors/row_sums.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

namespace {

/// Rows of one pencil, in memory of a thread.
struct OwnRows {
  std::vector<RowTargets> targets;
  std::vector<KeptEntry> entries;
  Index capacity = 256;

  RowMemory reserve(Index rows) {
    const auto count = static_cast<std::size_t>(rows);
    if (targets.size() < count) targets.resize(count);
    const auto room = static_cast<std::size_t>(RowMemory::entries_for(rows, capacity));
    if (entries.size() < room) entries.resize(room);
    return {entries.data(), capacity};
  }
};

OwnRows& own_rows() {
  thread_local OwnRows rows;
  return rows;
}

template <class Precision>
class VectorCells final : public Backend<Precision> {
  using State = typename Precision::State;

 public:
  using PairArithmetic = State;

  VectorCells(const Problem& problem, const BackendOptions&)
      : cutoff_(cutoff_of(problem.potential)),
        forces_(problem.potential),
        sums_(problem.potential) {}

  static std::optional<std::string> refuse(const Problem& problem, const BackendOptions&) {
    return refuse_rows(problem);
  }

  void rebuild(const BinnedParticles<Precision>&, Stream&) override {}

  void compute(const BinnedParticles<Precision>& particles,
               const Interaction<typename Precision::Pair>&, Wanted wanted,
               PairSums<Precision>& sums, Stream& stream) override {
    if (wanted != Wanted::counts) forces_(particles, sums.force.view(), stream);
    if (wanted == Wanted::forces) return;
    for_each_pencil(stream, RowSums<Precision>::pencils(particles.grid.cells),
                    [this, particles, wanted, to = PairSumsView<Precision>(sums)](
                        const Pencil& pencil, Index, bool) {
                      observe(particles, pencil, wanted, to);
                      return true;
                    });
  }

  LaunchReport launch_report() const override {
    return {{}, [this] { return sums_.in_words(); }};
  }

 private:
  void observe(const BinnedParticles<Precision>& particles, const Pencil& pencil, Wanted wanted,
               const PairSumsView<Precision>& to) const {
    const Index count = rows_needed(particles.offset, particles.grid.linear(pencil.first), pencil);
    if (count == 0) return;
    OwnRows& own = own_rows();
    RowMemory rows = own.reserve(count);
    const auto placed = VectorPairs<Precision>::placed(particles);
    const Index places = NeighborhoodLayout::places_needed(placed, pencil);
    const auto build = [&] {
      return sums_.kernels().build(placed, cutoff_, pencil, places, own.targets.data(), rows,
                                   row_scratch());
    };
    const Index longest = build();
    if (longest > own.capacity) {  // once more, with rows that are long enough
      own.capacity = longest + longest / 4;
      rows = own.reserve(count);
      build();
    }
    sums_.observe(particles, {pencil, own.targets.data(), rows.entries, count, places, false},
                  wanted, to);
  }

  double cutoff_;
  BrickForces<Precision> forces_;
  RowSums<Precision> sums_;
};

}  // namespace

BackendEntry vector_cells() {
  return make_entry<VectorCells>({
      .name = "vector-cells",
      .summary = "four targets a row of sources, for a CPU's vectors; found anew at every step",
      .source = "ours",
      .has_vectors = true,
      .on_ranks = OnRanks::not_to_the_bit,
      .worth_trying = {{}},
  });
}

}  // namespace pencilbox::PENCILBOX_DEVICE
