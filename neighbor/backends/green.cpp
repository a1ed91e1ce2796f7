// Green: the particle simulation of the CUDA SDK. Every step particles get a key, the cell they lie
// in; a radix sort of the pairs (cell, particle) orders them, a gather reorders them, and where two
// neighbouring keys differ a cell starts and another ends (cellStart, cellEnd). Then one thread per
// particle walks 27 cells. FENNS (Gross, Koester, Krueger 2019), section 2, and Green (2012) there.
//
// The engine's own cells are not used: the pairs are sorted at every step, which is what the papers
// compare.
//
// Memory. FENNS, section 4.3, counts 8 n + 4 m^3 bytes and the sort's own (n particles, m cells a
// side): the pairs and one array of cells. Ours takes 8 n for the pairs, 8 m^3 for the two arrays
// of the published program, 8 n and a workspace for the sort, and the reordered positions.
#include "neighbor/backend.hpp"
#include "neighbor/walks/cell_sort.hpp"
#include "neighbor/walks/own_grid.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

namespace {

/// Gathers the particles in sorted order and notes where cells start and end.
template <class Precision>
struct ReorderAndFindCells {
  static constexpr const char* name = "green: reorder and find cells";
  OwnPlaces<Precision> places;
  ReorderedCopy<Precision> copy;
  const std::uint32_t* cells;  ///< [N] sorted
  Index* start;                ///< [cells] all `empty` before
  Index* end;                  ///< [cells]

  PENCILBOX_DEVICE_FUNCTION void operator()(Index slot) const {
    const std::uint32_t cell = cells[slot];
    const bool first = slot == 0 || cells[slot - 1] != cell;
    const bool last = slot + 1 == places.particles.count || cells[slot + 1] != cell;
    if (first) start[cell] = slot;
    if (last) end[cell] = slot + 1;
    copy.fill(slot, copy.order[slot], places);
  }
};

template <class Precision, Wanted wanted, class Interaction>
struct GreenKernel {
  static constexpr const char* name = "green";
  OwnGridWalk<Precision, wanted, Interaction> walk;
  const std::uint32_t* cells;  ///< [N] of a slot
  PairSumsView<Precision> sums;

  PENCILBOX_DEVICE_FUNCTION void operator()(Index slot) const {
    const CellCoordinates home = walk.grid.coordinates(static_cast<Index>(cells[slot]));
    walk(slot, home).store(sums, walk.copy.order[slot]);
  }
};

template <class Precision>
class Green final : public Backend<Precision> {
 public:
  Green(const Problem& problem, const BackendOptions& options)
      : threads_(block_of(options)),
        own_(problem, options),
        sort_(problem.particles, own_.cells()),
        start_(own_.cells()),
        end_(own_.cells()) {}

  static std::optional<std::string> refuse(const Problem& problem, const BackendOptions& options) {
    return refuse_cells_or_block(problem, options);
  }

  void box_changed(const Problem& problem) override { own_.box_changed(problem); }

  void rebuild(const BinnedParticles<Precision>& particles, Stream& stream) override {
    const OwnPlaces<Precision> places = own_.places(particles);
    sort_(places, own_.order(), stream);
    start_.fill_bytes(0xff, stream);  // OwnCells::empty
    for_each(stream, particles.count,
             ReorderAndFindCells<Precision>{places, own_.copy(), sort_.cells(), start_.data(),
                                            end_.data()});
  }

  void compute(const BinnedParticles<Precision>& particles,
               const Interaction<typename Precision::Pair>& interaction, Wanted wanted,
               PairSums<Precision>& sums, Stream& stream) override {
    const OwnCells slots{start_.data(), end_.data()};
    dispatch<Precision>(interaction, wanted, [&](const auto& functor, auto chosen) {
      using Functor = std::decay_t<decltype(functor)>;
      using Kernel = GreenKernel<Precision, chosen(), Functor>;
      const auto walk = own_.template walk<chosen()>(particles, slots, functor, SourceRuns::cells);
      for_each(stream, particles.count, Kernel{walk, sort_.cells(), PairSumsView<Precision>(sums)},
               threads_);
    });
    report_ = {{divide_up(particles.count, threads_), threads_},
               [this] { return own_.describe(); }};
  }

  LaunchReport launch_report() const override { return report_; }

 private:
  int threads_;
  OwnGrid<Precision> own_;
  CellSort sort_;
  Buffer<Index> start_, end_;  ///< cellStart and cellEnd
  LaunchReport report_;
};

}  // namespace

BackendEntry green() {
  return make_entry<Green>({
      .name = "green",
      .summary = "radix sort by cell at every step, one thread per particle, 27 cells",
      .source = "Green 2012, as in FENNS, sections 2 and 4",
      .options = {own_cell_option(), block_option("128")},
  });
}

}  // namespace pencilbox::PENCILBOX_DEVICE
