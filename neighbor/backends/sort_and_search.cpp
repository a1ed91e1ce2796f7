// Sort-and-Search: for particles that come in no order, of which nothing is wanted but who is near.
// As Hoetzlein's a counting sort by atomics at every step, and a thread per particle; but
//   - it sorts by groups of cells, with a few particles each, however short the cutoff: there are
//     few counters, and most particles look into one or two groups, not 27;
//   - what a search reads of a particle is put down in one piece, as long as what memory moves at
//     once;
//   - a thread first notes where it has to look, all of it, and then passes its candidates one by
//     one, whichever row they are in: lanes do not wait for each other at the end of each row;
//   - where forces are more than fit a cache, they are left in the order of the search and fetched
//     from there: who reads in no order waits less than who writes.
//
// Its own files: sort_and_search/sort.hpp and search.hpp; the groups:
// neighbor/walks/cell_groups.hpp.
//
// Which particle comes first at a counter is chance. With problem.deterministic the order within a
// group is the engine's instead, as in Hoetzlein's.
#include <algorithm>
#include <limits>

#include "neighbor/backend.hpp"
#include "neighbor/backends/sort_and_search/search.hpp"
#include "neighbor/walks/cell_sort.hpp"
#include "neighbor/walks/reach.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

namespace {

using namespace groups_of_cells;

/// Cells of a group in each direction: the fewest with which there are at most three groups for
/// each particle. More groups are more to count, fewer have more candidates (measured on an H200).
Index width_of_groups(const Problem& problem) {
  constexpr double groups_per_particle = 3.0;
  constexpr double countable = std::numeric_limits<Index>::max() - 1;
  const double most = std::clamp(groups_per_particle * problem.particles, 1.0, countable);
  const auto groups = [&](Index width) {
    double count = 1.0;
    for (const Index cells : problem.grid.cells) {
      count *= static_cast<double>(divide_up(cells, width));
    }
    return count;
  };
  Index width = 1;
  while (groups(width) > most) ++width;
  return width;
}

template <class Precision>
class SortAndSearch final : public Backend<Precision> {
  using Pair = typename Precision::Pair;
  using Accumulator = typename Precision::Accumulator;

 public:
  SortAndSearch(const Problem& problem, const BackendOptions& options)
      : threads_(block_of(options)),
        width_(width_of_groups(problem)),
        cutoff_(cutoff_of(problem.potential)),
        has_types_(types_of(problem.potential) > 1),
        groups_(CellGroups<Pair>(problem.grid.view<Pair>(), width_).count()),
        slot_(problem.particles),
        counts_(groups_ + 1),
        offset_(groups_ + 1),
        sorted_(problem.particles) {
    if (problem.particles > most_in_cache) of_slot_.resize(problem.particles);
    if (!problem.deterministic) {
      choose_blocks(problem.device);
      return;
    }
    order_.resize(problem.particles);
    sort_.emplace(problem.particles, groups_);
  }

  static std::optional<std::string> refuse(const Problem& problem, const BackendOptions& options) {
    if (auto reason = cells_for_a_cutoff(problem, "leaves out what is beyond one")) return reason;
    if (auto reason = row_too_long(problem)) return reason;
    return refuse_cells_or_block(problem, options);
  }

  void rebuild(const BinnedParticles<Precision>& particles, Stream& stream) override {
    const Unsorted<Precision> from{particles, {particles.grid, width_}, has_types_};
    if (!counts_are_clear_) counts_.fill_bytes(0, stream);
    const CountAndRank<Precision> count{from, slot_.data(), counts_.data()};
    const PutDown<Precision> put_down{
        from,           offset_.data(),      groups_, counts_.data(), slot_.data(),
        sorted_.data(), {0, particles.count}};
    counts_are_clear_ = !sort_;
    if (at_once_.blocks > 0) {
      const SortAtOnce<Precision> sort{count, put_down, offset_.data(), of_block_.data()};
      return at_once_.blocks > 1 ? launch_at_once(stream, at_once_, sort)
                                 : launch(stream, at_once_, sort);
    }
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
    return {shape_, [this] {
              return "one thread a target; " + std::to_string(groups_) + " groups of at most " +
                     std::to_string(width_) + "^3 cells";
            }};
  }

 private:
  /// Forces of more particles than that are put aside first, and so many are put down at a time
  /// (measured on an H200).
  static constexpr Index most_in_cache = 1'100'000;

  /// One for each multiprocessor, with at most two particles for each of its threads; none if that
  /// is too few.
  void choose_blocks(const DeviceProperties& device) {
    using Kernel = SortAtOnce<Precision>;
    const auto particles = static_cast<std::int64_t>(sorted_.size());
    LaunchShape shape{divide_up(particles, Kernel::max_threads), Kernel::max_threads,
                      Kernel::shared_bytes(Kernel::max_threads)};
    if (shape.blocks > 2 * device.multiprocessors) return;
    shape.blocks = std::min<std::int64_t>(shape.blocks, device.multiprocessors);
    if (groups_ > shape.blocks * Kernel::most_groups || !fit_at_once<Kernel>(shape)) return;
    at_once_ = shape;
    of_block_.resize(shape.blocks);
  }

  /// Where a cache does not hold them all, as many at a time as it does: what is written to one
  /// line then leaves it together.
  void put_down_in_turn(PutDown<Precision> put_down, Stream& stream) {
    const Index particles = put_down.from.particles.count;
    const auto turns = static_cast<Index>(divide_up(particles, most_in_cache));
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
    const CellGroups<Pair> groups(particles.grid, width_);
    shape_ = {divide_up(std::int64_t{particles.count}, threads_), threads_,
              threads_ * Kernel::bytes_of_a_thread};
    launch(stream, shape_,
           Kernel{particles, groups, offset_.data(), sorted_.data(), functor,
                  reach_squared_of<Pair>(cutoff_), reach_of_places(particles.grid), sink});
  }

  /// The reason, in words, why places do not tell how many cells two particles are apart.
  static std::optional<std::string> row_too_long(const Problem& problem) {
    constexpr Index most = sizeof(Pair) == sizeof(float) ? Index{1} << 18 : Index{1} << 30;
    const auto& cells = problem.grid.cells;
    const Index longest = *std::max_element(cells.begin(), cells.end());
    if (longest <= most) return {};
    return "in this precision it tells " + std::to_string(most) +
           " cells of a row apart; here a row has " + std::to_string(longest);
  }

  /// Places are as fine as the box leaves them; outside of it as offsets are, whose rounding is far
  /// below a thousandth of the cutoff (neighbor/cells/resolution.hpp).
  Pair reach_of_places(const GridView<Pair>& grid) const {
    const Vec3<double>& side = grid.exact_side;
    const double longest =
        std::max({grid.cells.x * side.x, grid.cells.y * side.y, grid.cells.z * side.z});
    return reach_squared_of<Pair>(1.001 * cutoff_ +
                                  16.0 * std::numeric_limits<Pair>::epsilon() * longest);
  }

  int threads_;
  Index width_;
  double cutoff_;
  bool has_types_;
  Index groups_;
  Buffer<Index> slot_, counts_, offset_;
  Buffer<SortedParticle<Pair>> sorted_;
  Buffer<ForceOfSlot<Accumulator>> of_slot_;  ///< where they are many
  bool counts_are_clear_ = false;
  LaunchShape at_once_{0, 0, 0};  ///< of a sort in one launch; no blocks: in several
  Buffer<Index> of_block_;
  ExclusiveScan scan_;
  LaunchShape shape_;

  std::optional<CellSort> sort_;  ///< where the order must not be chance
  Buffer<Index> order_;           ///< then
};

}  // namespace

BackendEntry sort_and_search() {
  OptionInfo block = block_option("128");
  block.choices = {"32", "64", "128", "256"};  // most_threads
  return make_entry<SortAndSearch>({
      .name = "sort-and-search",
      .summary = "counting sort into groups of cells with a few particles at every step, one "
                 "thread per particle",
      .source = "ours, after Hoetzlein 2013",
      .options = {std::move(block)},
      .needs_blocks = true,
  });
}

}  // namespace pencilbox::PENCILBOX_DEVICE
