// Sort-and-Search: for particles that come in no order, of which nothing is wanted but who is near.
// As Hoetzlein's a counting sort by atomics at every step, and a thread per particle; but
//   - it sorts by groups of cells, with a few particles each, however short the cutoff: there are
//     few counters, and most particles look into one or two groups, not 27;
//   - what a search reads of a particle is put down in one piece, as long as what memory moves at
//     once;
//   - a thread first notes where it has to look, all of it, and then passes its candidates one by
//     one, whichever row they are in: lanes do not wait for each other at the end of each row;
//   - where forces are more than fit a cache, they are left in the order of the search and fetched
//     from there: who reads in no order waits less than who writes. Then partners are near in
//     memory, too, and each pair is looked at once, for both of its ends.
//
// Its own files: sort_and_search/sort.hpp and search.hpp; what it shares with linked-cells:
// neighbor/walks/group_search.hpp.
//
// Which particle comes first at a counter is chance. With problem.deterministic the order within a
// group is the engine's instead, as in Hoetzlein's, and each particle adds up its own force.
#include "neighbor/backend.hpp"
#include "neighbor/backends/sort_and_search/search.hpp"
#include "neighbor/walks/cell_sort.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

namespace {

using namespace groups_of_cells;

template <class Precision>
class SortAndSearch final : public Backend<Precision> {
  using Pair = typename Precision::Pair;
  using Accumulator = typename Precision::Accumulator;

 public:
  SortAndSearch(const Problem& problem, const BackendOptions& options)
      : threads_(block_of(options)),
        shape_of_groups_(shape_of_groups(problem, 1.375)),  // measured on an H200
        cutoff_(cutoff_of(problem.potential)),
        has_types_(types_of(problem.potential) > 1),
        most_in_cache_(most_in_cache(problem)),
        groups_(CellGroups<Pair>(problem.grid.view<Pair>(), shape_of_groups_).count()),
        slot_(problem.particles),
        counts_(groups_ + 1),
        offset_(groups_ + 1),
        sorted_(problem.particles) {
    if (problem.deterministic) {
      order_.resize(problem.particles);
      sort_.emplace(problem.particles, groups_);
    } else if (problem.particles > most_in_cache_) {
      of_slot_.resize(problem.particles);
    }
  }

  static std::optional<std::string> refuse(const Problem& problem, const BackendOptions& options) {
    if (auto reason = cells_for_a_cutoff(problem, "leaves out what is beyond one")) return reason;
    if (auto reason = row_too_long<Pair>(problem)) return reason;
    return refuse_cells_or_block(problem, options);
  }

  void rebuild(const BinnedParticles<Precision>& particles, Stream& stream) override {
    const Ungrouped<Precision> from{particles, {particles.grid, shape_of_groups_}, has_types_};
    if (!counts_are_clear_) counts_.fill_bytes(0, stream);
    const CountAndRank<Precision> count{from, slot_.data(), counts_.data()};
    const PutDown<Precision> put_down{
        from,           offset_.data(),      groups_, counts_.data(), slot_.data(),
        sorted_.data(), {0, particles.count}};
    counts_are_clear_ = !sort_;
    for_each(stream, particles.count, count);
    scan_(counts_.data(), offset_.data(), groups_ + 1, stream);
    if (!sort_) return put_down_in_turn(put_down, stream);
    (*sort_)(from, order_, stream);
    for_each(stream, particles.count,
             PickUp<Precision>{from, order_.data(), slot_.data(), sorted_.data()});
  }

  void compute(const BinnedParticles<Precision>& particles, const Interaction<Pair>& interaction,
               Wanted wanted, PairSums<Precision>& sums, Stream& stream) override {
    dispatch_short_ranged(interaction, wanted, [&](const auto& functor, auto chosen) {
      if constexpr (chosen() == Wanted::forces) {
        if (of_slot_.size() > 0) {
          of_slot_.fill_bytes(0, stream);
          search<chosen()>(particles, functor, Aside<Precision>{of_slot_.data()}, stream);
          const FetchForces<Accumulator> fetch{of_slot_.data(), slot_.data(), sums.force.view()};
          return for_each(stream, particles.count, fetch);
        }
      }
      search<chosen()>(particles, functor, IntoSums<Precision>{PairSumsView<Precision>(sums)},
                       stream);
    });
  }

  LaunchReport launch_report() const override {
    return {shape_, [this] { return words(groups_, shape_of_groups_); }};
  }

 private:
  /// Forces of more particles than that are put aside first, and so many are put down at a time:
  /// measured on an H200. An emulated device is as small as what it is tested with.
  static Index most_in_cache(const Problem& problem) {
    return problem.device.emulates_blocks ? 2'000 : 1'400'000;
  }

  /// Where a cache does not hold them all, as many at a time as it does: what is written to one
  /// line then leaves it together.
  void put_down_in_turn(PutDown<Precision> put_down, Stream& stream) {
    const Index particles = put_down.from.particles.count;
    const auto turns = static_cast<Index>(divide_up(particles, most_in_cache_));
    const auto each = static_cast<Index>(divide_up(particles, std::max<Index>(turns, 1)));
    for (Index turn = 0; turn < turns; ++turn) {
      put_down.window = {turn * each, smaller(particles - turn * each, each) + turn * each};
      for_each(stream, particles, put_down);
    }
  }

  template <Wanted wanted, class Functor, class Sink>
  void search(const BinnedParticles<Precision>& particles, const Functor& functor, const Sink& sink,
              Stream& stream) {
    using Kernel = SearchKernel<Precision, wanted, Functor, Sink>;
    shape_ = {divide_up(std::int64_t{particles.count}, threads_), threads_,
              threads_ * Kernel::bytes_of_a_thread};
    const GroupSearch<Precision> near(particles, shape_of_groups_, sorted_.data(), cutoff_);
    launch(stream, shape_, Kernel{near, offset_.data(), functor, sink});
  }

  int threads_;
  GroupShape shape_of_groups_;
  double cutoff_;
  bool has_types_;
  Index most_in_cache_;
  Index groups_;
  Buffer<Index> slot_, counts_, offset_;
  Buffer<GroupedParticle<Pair>> sorted_;
  Buffer<PaddedVec3<Accumulator>> of_slot_;  ///< where they are many
  bool counts_are_clear_ = false;
  ExclusiveScan scan_;
  LaunchShape shape_;

  std::optional<CellSort> sort_;  ///< where the order must not be chance
  Buffer<Index> order_;           ///< then
};

}  // namespace

BackendEntry sort_and_search() {
  return make_entry<SortAndSearch>({
      .name = "sort-and-search",
      .summary = "counting sort into groups of cells with a few particles at every step, one "
                 "thread per particle",
      .source = "ours, after Hoetzlein 2013",
      .options = {search_block_option()},
      .needs_blocks = true,
  });
}

}  // namespace pencilbox::PENCILBOX_DEVICE
