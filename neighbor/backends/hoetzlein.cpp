// Hoetzlein: a counter for every cell of a full grid. Every step each particle adds one to the
// counter of its cell by an atomic, which gives it its place in the cell; a prefix sum gives the
// first place of each cell; each particle then moves to the sum of both. One thread per particle
// walks 27 cells. FENNS (Gross, Koester, Krueger 2019), section 2, and Hoetzlein (2013) there.
//
// The engine's own cells are not used: particles are counted and moved at every step, which is what
// the papers compare.
//
// Memory. FENNS, section 4.3, counts 8 n + 8 m^3 bytes (n particles, m cells a side): the cell of a
// particle and its place in it, the counters and their prefix sum, which is not done in place here.
// Ours takes these, the reordered positions, and 4 n for the way back to the engine's order.
//
// Which particle comes first at a counter is chance. With problem.deterministic the order within a
// cell is the engine's instead: particles are sorted by (cell, index), by a stable radix sort of
// the cells. Counters and prefix sum do not depend on who comes first and stay.
#include "neighbor/backend.hpp"
#include "neighbor/walks/cell_sort.hpp"
#include "neighbor/walks/own_grid.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

namespace {

template <class Precision>
struct CountInCells {
  static constexpr const char* name = "hoetzlein: count in cells";
  OwnPlaces<Precision> places;
  Index* cell;    ///< [N]
  Index* rank;    ///< [N] place in the cell
  Index* counts;  ///< [cells]

  PENCILBOX_DEVICE_FUNCTION void operator()(Index i) const {
    cell[i] = places(i).cell;
    rank[i] = atomic_add(counts + cell[i], Index{1});
  }
};

/// Moves a particle to its slot.
template <class Precision>
struct ReorderByRank {
  static constexpr const char* name = "hoetzlein: reorder";
  OwnPlaces<Precision> places;
  ReorderedCopy<Precision> copy;
  const Index* cell;
  const Index* rank;
  const Index* offset;

  PENCILBOX_DEVICE_FUNCTION void operator()(Index i) const {
    const Index slot = offset[cell[i]] + rank[i];
    copy.order[slot] = i;
    copy.fill(slot, i, places);
  }
};

/// Fills the slots of an order that is there already.
template <class Precision>
struct ReorderSorted {
  static constexpr const char* name = "hoetzlein: reorder what is sorted";
  OwnPlaces<Precision> places;
  ReorderedCopy<Precision> copy;

  PENCILBOX_DEVICE_FUNCTION void operator()(Index slot) const {
    copy.fill(slot, copy.order[slot], places);
  }
};

template <class Precision, Wanted wanted, class Interaction>
struct HoetzleinKernel {
  static constexpr const char* name = "hoetzlein";
  OwnGridWalk<Precision, wanted, Interaction> walk;
  const Index* cell;  ///< [N] in the engine's order
  PairSumsView<Precision> sums;

  PENCILBOX_DEVICE_FUNCTION void operator()(Index slot) const {
    const Index particle = walk.copy.order[slot];
    walk(slot, walk.grid.coordinates(cell[particle])).store(sums, particle);
  }
};

template <class Precision>
class Hoetzlein final : public Backend<Precision> {
 public:
  Hoetzlein(const Problem& problem, const BackendOptions& options)
      : runs_(source_runs_of(options)),
        threads_(block_of(options)),
        own_(problem, options),
        cell_(problem.particles),
        rank_(problem.particles),
        counts_(own_.cells() + 1),
        offset_(own_.cells() + 1) {
    if (problem.deterministic) sort_.emplace(problem.particles, own_.cells());
  }

  static std::optional<std::string> refuse(const Problem& problem, const BackendOptions& options) {
    return refuse_cells_or_block(problem, options);
  }

  void box_changed(const Problem& problem) override { own_.box_changed(problem); }

  void rebuild(const BinnedParticles<Precision>& particles, Stream& stream) override {
    const OwnPlaces<Precision> places = own_.places(particles);
    counts_.fill_bytes(0, stream);
    for_each(stream, particles.count,
             CountInCells<Precision>{places, cell_.data(), rank_.data(), counts_.data()});
    scan_(counts_.data(), offset_.data(), own_.cells() + 1, stream);
    if (sort_) {
      (*sort_)(places, own_.order(), stream);
      for_each(stream, particles.count, ReorderSorted<Precision>{places, own_.copy()});
    } else {
      for_each(stream, particles.count,
               ReorderByRank<Precision>{places, own_.copy(), cell_.data(), rank_.data(),
                                        offset_.data()});
    }
  }

  void compute(const BinnedParticles<Precision>& particles,
               const Interaction<typename Precision::Pair>& interaction, Wanted wanted,
               PairSums<Precision>& sums, Stream& stream) override {
    const OwnCells slots{offset_.data(), offset_.data() + 1};
    dispatch<Precision>(interaction, wanted, [&](const auto& functor, auto chosen) {
      using Functor = std::decay_t<decltype(functor)>;
      using Kernel = HoetzleinKernel<Precision, chosen(), Functor>;
      const auto walk = own_.template walk<chosen()>(particles, slots, functor, runs_);
      for_each(stream, particles.count, Kernel{walk, cell_.data(), PairSumsView<Precision>(sums)},
               threads_);
    });
    report_ = {{divide_up(particles.count, threads_), threads_},
               [this] { return own_.describe(); }};
  }

  LaunchReport launch_report() const override { return report_; }

 private:
  SourceRuns runs_;
  int threads_;
  OwnGrid<Precision> own_;
  Buffer<Index> cell_, rank_;
  Buffer<Index> counts_, offset_;
  ExclusiveScan scan_;
  std::optional<CellSort> sort_;  ///< where the order must not be chance
  LaunchReport report_;
};

}  // namespace

BackendEntry hoetzlein() {
  return make_entry<Hoetzlein>({
      .name = "hoetzlein",
      .summary = "counting sort by atomics at every step, one thread per particle, 27 cells",
      .source = "Hoetzlein 2013, as in FENNS, sections 2 and 4",
      .options = {own_cell_option(), source_runs_option(), block_option("128")},
  });
}

}  // namespace pencilbox::PENCILBOX_DEVICE
