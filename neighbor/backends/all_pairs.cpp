// All-Pairs, tiled: one thread per target. The sources pass through shared memory tile by tile, as
// many of them as a block has threads, with a barrier before a tile is used and one after. No list,
// no search: cost N^2, for what acts at any distance. Nyland, Harris, Prins, Fast N-body simulation
// with CUDA, GPU Gems 3, chapter 31, sections 31.3 and 31.4; the N-body article tells the same.
//
// Where there are no cells to speak of (one, and no periodic direction) a separation is a plain
// difference. Else positions are relative to cells, so the cell of a source is staged beside it: a
// partner within the cutoff is at most one cell away, by whatever image, and the difference of the
// cells says which image that is. Sources in cells farther away are left out before their distance
// is taken; they count as candidates all the same.
//
// Several threads may share a target's sources and add their sums by shuffles: the cure that both
// texts name for small N, where one thread a target leaves most of a GPU idle (section 31.4.1).
#include <cmath>

#include "neighbor/backend.hpp"
#include "neighbor/pair_sum.hpp"
#include "neighbor/walks/staged_sources.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

namespace {

enum class Geometry {
  one_open_cell,  ///< no images, no shifts
  cells,
};

template <class Pair>
struct alignas(16) StagedSourceInACell {
  Vec3<Pair> position;
  std::int32_t type;
  CellCoordinates cell;
};

/// The steps between a target's and a source's cell in one direction, among -1, 0 and 1: all that
/// lead to the source's cell by some image. One in most grids; several where a periodic direction
/// has one or two cells; none where the cells are farther apart.
struct CellSteps {
  Index first;   ///< beyond 1 if there is none
  Index stride;  ///< to the next image

  PENCILBOX_DEVICE_FUNCTION CellSteps(Index from, Index to, Index cells, bool periodic)
      : first(to - from), stride(cells) {
    constexpr Index none = 2;
    if (!periodic) {
      stride = none + 1;
      if (first < -1) first = none;
    } else if (first < -1) {
      first += cells;
    } else if (first >= cells - 1) {
      first -= cells;  // one cell: 0 becomes -1, the first of three images
    }
  }

  PENCILBOX_DEVICE_FUNCTION bool lead_nowhere() const { return first > 1; }
};

template <class Precision, Wanted wanted, class Interaction, Geometry geometry>
struct AllPairsKernel {
  static constexpr const char* name = "all-pairs";
  static constexpr int max_threads = 512;  // with 1,024 a thread would have too few registers
  using Pair = typename Precision::Pair;
  using Source = std::conditional_t<geometry == Geometry::cells, StagedSourceInACell<Pair>,
                                    StagedSource<Pair>>;
  using Sum = TargetSum<Precision, wanted>;

  BinnedParticles<Precision> particles;
  Interaction interaction;
  PairSumsView<Precision> sums;
  int lanes;  ///< threads of a target: a power of two, at most a warp

  /// One target in a thread's registers; `particle` is -1 where the thread has none.
  struct Target {
    Index particle = -1;
    std::int32_t type = 0;
    Vec3<Pair> position;
    CellCoordinates cell;
  };

  PENCILBOX_DEVICE_FUNCTION void operator()(const Block& block) const {
    const auto staged = block.shared<Source>(block.threads());
    const Index targets = block.threads() / lanes;
    const auto first_target = static_cast<Index>(block.index() * targets);
    const int lane = block.thread() % lanes;
    const Target target = load_target(first_target, block.thread() / lanes);
    const Index tiles = (particles.count - 1) / block.threads() + 1;
    Sum sum;
    for (Index tile = 0; tile < tiles; ++tile) {
      const Index begin = tile * block.threads();
      const Index left = particles.count - begin;
      const Index size = left < block.threads() ? left : block.threads();
      if (block.thread() < size) staged[block.thread()] = load_source(begin + block.thread());
      block.barrier();
      if (target.particle >= 0) {
        // Where the rest is short, only tiles with targets of this block look out for themselves.
        const bool holds_targets = begin - first_target < targets && first_target - begin < size;
        if (geometry == Geometry::cells || holds_targets) {
          add_tile<true>(staged, begin, size, lane, target, sum);
        } else {
          add_tile<false>(staged, begin, size, lane, target, sum);
        }
      }
      block.barrier();  // the tile has been used
    }
    sum.add_lanes(block, lanes);
    if (target.particle >= 0 && lane == 0) sum.store(sums, target.particle);
  }

  /// The target with this number in the block.
  PENCILBOX_DEVICE_FUNCTION Target load_target(Index first, Index number) const {
    Target target;
    if (number >= particles.count - first) return target;
    target.particle = first + number;
    target.position = particles.position[target.particle];
    if constexpr (Interaction::needs_types) target.type = particles.type[target.particle];
    if constexpr (geometry == Geometry::cells) {
      target.cell = particles.grid.coordinates(particles.cell[target.particle]);
    }
    return target;
  }

  PENCILBOX_DEVICE_FUNCTION Source load_source(Index particle) const {
    Source source{};
    source.position = particles.position[particle];
    if constexpr (Interaction::needs_types) source.type = particles.type[particle];
    if constexpr (geometry == Geometry::cells) {
      source.cell = particles.grid.coordinates(particles.cell[particle]);
    }
    return source;
  }

  /// Of the `size` sources from `begin` on, those with number `lane`, `lane` + `lanes`, ...
  template <bool may_hold_target>
  PENCILBOX_DEVICE_FUNCTION void add_tile(const SharedArray<Source>& staged, Index begin,
                                          Index size, int lane, const Target& target,
                                          Sum& sum) const {
    for (Index k = lane; k < size; k += lanes) {
      const Source source = staged[k];
      const Index particle = begin + k;
      const bool itself = may_hold_target && particle == target.particle;
      if constexpr (geometry == Geometry::cells) {
        add_images(source, particle, itself, target, sum);
      } else {
        if (!itself) add_image(source, particle, CellShift<Pair>{}, target, sum);
      }
    }
  }

  PENCILBOX_DEVICE_FUNCTION void add_images(const Source& source, Index particle, bool itself,
                                            const Target& target, Sum& sum) const {
    const GridView<Pair>& grid = particles.grid;
    // In x last: cells follow each other in x, so a warp's targets agree on the other two.
    const CellSteps z(target.cell.z, source.cell.z, grid.cells.z, grid.periodic.z);
    if (z.lead_nowhere()) return leave_out(sum);
    const CellSteps y(target.cell.y, source.cell.y, grid.cells.y, grid.periodic.y);
    if (y.lead_nowhere()) return leave_out(sum);
    const CellSteps x(target.cell.x, source.cell.x, grid.cells.x, grid.periodic.x);
    if (x.lead_nowhere()) return leave_out(sum);
    for (Index dz = z.first; dz <= 1; dz += z.stride) {
      for (Index dy = y.first; dy <= 1; dy += y.stride) {
        for (Index dx = x.first; dx <= 1; dx += x.stride) {
          if (itself && dx == 0 && dy == 0 && dz == 0) continue;
          add_image(source, particle, grid.shift(dx, dy, dz), target, sum);
        }
      }
    }
  }

  PENCILBOX_DEVICE_FUNCTION static void leave_out(Sum& sum) {
    if constexpr (wanted == Wanted::counts) ++sum.candidates;
  }

  PENCILBOX_DEVICE_FUNCTION void add_image(const Source& source, Index particle,
                                           const CellShift<Pair>& shift, const Target& target,
                                           Sum& sum) const {
    const auto exact = [&] {
      return exact_separation(particles, target.particle, particle, shift);
    };
    sum.add(interaction, target.position, source.position, shift, exact, target.type, source.type);
  }
};

template <class Precision>
class AllPairs final : public Backend<Precision> {
 public:
  AllPairs(const Problem&, const BackendOptions& options)
      : threads_(block_of(options)), lanes_(threads_per_target_of(options)) {}

  static std::optional<std::string> refuse(const Problem& problem, const BackendOptions& options) {
    if (const auto reason = cells_for_a_cutoff(problem, "looks at all pairs")) return reason;
    if (const auto reason = infinitely_many_images(problem)) return reason;
    if (const auto reason = side_below_cutoff(problem)) return reason;
    return block_below_warp(problem, options);
  }

  void rebuild(const BinnedParticles<Precision>&, Stream&) override {}

  void compute(const BinnedParticles<Precision>& particles,
               const Interaction<typename Precision::Pair>& interaction, Wanted wanted,
               PairSums<Precision>& sums, Stream& stream) override {
    const Vec3<bool>& periodic = particles.grid.periodic;
    const bool plain = particles.cells() == 1 && !periodic.x && !periodic.y && !periodic.z;
    dispatch_any(interaction, wanted, [&](const auto& functor, auto chosen) {
      if (plain) {
        launch_kernel<chosen(), Geometry::one_open_cell>(particles, functor, sums, stream);
      } else {
        launch_kernel<chosen(), Geometry::cells>(particles, functor, sums, stream);
      }
    });
  }

  LaunchReport launch_report() const override { return report_; }

 private:
  template <Wanted wanted, Geometry geometry, class Functor>
  void launch_kernel(const BinnedParticles<Precision>& particles, const Functor& functor,
                     PairSums<Precision>& sums, Stream& stream) {
    using Kernel = AllPairsKernel<Precision, wanted, Functor, geometry>;
    LaunchShape shape;
    shape.blocks = divide_up(std::int64_t{particles.count} * lanes_, threads_);
    shape.threads = threads_;
    shape.shared_bytes = static_cast<std::size_t>(threads_) * sizeof(typename Kernel::Source);
    launch(stream, shape, Kernel{particles, functor, PairSumsView<Precision>(sums), lanes_});
    report_ = {shape, [this] {
                 return "tiles of " + std::to_string(threads_) + " sources, " +
                        threads_per_target_in_words(lanes_) +
                        (geometry == Geometry::cells ? ", images by cells" : ", no images");
               }};
  }

  int threads_;
  int lanes_;
  LaunchReport report_;
};

}  // namespace

BackendEntry all_pairs() {
  return make_entry<AllPairs>({
      .name = "all-pairs",
      .summary = "all pairs, the sources pass through shared memory in tiles, N^2",
      .source = "GPU Gems 3, chapter 31",
      .options = {block_option("256", "threads of a block, and sources of a tile"),
                  threads_per_target_option("threads that share the sources of a target")},
      .needs_blocks = true,
      .all_pairs = true,
      .worth_trying = {{{"threads_per_target", "8"}}, {{"threads_per_target", "1"}}},
  });
}

}  // namespace pencilbox::PENCILBOX_DEVICE
