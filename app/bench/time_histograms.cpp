// Histograms of all distances, four ways. The privatised one is Algorithm 3 of "Efficient 2-Body
// Statistics Computation on GPUs: Parallelization & Beyond" as a student's report tells it: an
// anchor in each thread's registers, the points of the blocks behind it in shared memory tile by
// tile, then those of its own block with a larger index, so that every pair comes once; each block
// counts in a histogram of its own in shared memory and adds that to the common one at the end. The
// fastest is in banked_histogram.hpp.
#include <algorithm>
#include <cmath>

#include "app/bench/banked_histogram.hpp"
#include "app/bench/repeat.hpp"
#include "app/bench/time_all_pairs.hpp"
#include "core/particles.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

namespace {

struct NaiveHistogram {
  static constexpr const char* name = "pair-histogram: naive";
  Points points;
  Count* counts;  ///< [buckets]

  PENCILBOX_DEVICE_FUNCTION void operator()(Index i) const {
    const Vec3<float> anchor = points.position[i];
    for (Index j = i + 1; j < points.count; ++j) {
      atomic_add(counts + points.bucket_of(anchor, points.position[j]), Count{1});
    }
  }
};

template <bool is_private>
struct TiledHistogram {
  static constexpr const char* name =
      is_private ? "pair-histogram: privatised" : "pair-histogram: tiled";
  Points points;
  Count* counts;  ///< [buckets]

  static std::size_t shared_bytes(int threads, Index buckets) {
    return static_cast<std::size_t>(threads) * sizeof(StagedPoint) +
           (is_private ? static_cast<std::size_t>(buckets) * sizeof(Index) : 0);
  }

  PENCILBOX_DEVICE_FUNCTION void operator()(const Block& block) const {
    const auto tile = block.shared<StagedPoint>(block.threads());
    const auto own = block.shared<Index>(is_private ? points.bucket.buckets : 1);
    const auto begin = static_cast<Index>(block.index() * block.threads());
    const Index anchor = begin + block.thread();
    const bool has_anchor = anchor < points.count;
    const Vec3<float> position = points.position[has_anchor ? anchor : begin];
    if constexpr (is_private) {
      for (Index k = block.thread(); k < points.bucket.buckets; k += block.threads()) own[k] = 0;
    }
    for (Index first = begin + block.threads(); first < points.count; first += block.threads()) {
      const Index size = stage(block, tile, first);
      for (Index k = 0; has_anchor && k < size; ++k) add(block, own, position, tile, k);
      block.barrier();  // the tile has been used
    }
    const Index size = stage(block, tile, begin);
    for (Index k = block.thread() + 1; k < size; ++k) add(block, own, position, tile, k);
    if constexpr (is_private) merge(block, own);
  }

  /// Points from `first` on, as many as there are threads; returns how many there were.
  PENCILBOX_DEVICE_FUNCTION Index stage(const Block& block, const SharedArray<StagedPoint>& tile,
                                        Index first) const {
    const Index left = points.count - first;
    const Index size = left < block.threads() ? left : block.threads();
    if (block.thread() < size) {
      tile[block.thread()] = StagedPoint{points.position[first + block.thread()], 0.0F};
    }
    block.barrier();
    return size;
  }

  PENCILBOX_DEVICE_FUNCTION void add(const Block& block, const SharedArray<Index>& own,
                                     const Vec3<float>& anchor,
                                     const SharedArray<StagedPoint>& tile, Index k) const {
    const StagedPoint other = tile[k];
    const Index bucket = points.bucket_of(anchor, other.position);
    if constexpr (is_private) {
      block.atomic_add(own[bucket], Index{1});
    } else {
      atomic_add(counts + bucket, Count{1});
    }
  }

  PENCILBOX_DEVICE_FUNCTION void merge(const Block& block, const SharedArray<Index>& own) const {
    block.barrier();
    for (Index k = block.thread(); k < points.bucket.buckets; k += block.threads()) {
      const Index count = own[k];
      if (count > 0) atomic_add(counts + k, static_cast<Count>(count));
    }
  }
};

class Histograms {
 public:
  explicit Histograms(const HistogramBench& bench) : bench_(bench), counts_(bench.buckets) {
    std::array<std::vector<float>, 3> components;
    for (const Double3& point : bench.points) {
      for (std::size_t d = 0; d < 3; ++d) components[d].push_back(static_cast<float>(point[d]));
    }
    position_.x.upload(components[0], stream_);
    position_.y.upload(components[1], stream_);
    position_.z.upload(components[2], stream_);
  }

  HistogramResult operator()() {
    return {time([&] { count_naively(); }), time([&] { count_in_tiles<false>(); }),
            time([&] { count_in_tiles<true>(); }),
            time([&] { reaches_all() ? count_in_banks<true>() : count_in_banks<false>(); })};
  }

 private:
  Points points() const {
    const Vec3Buffer<float>& position = position_;
    return {static_cast<Index>(bench_.points.size()), position.view(), buckets_of(bench_)};
  }

  void count_naively() {
    counts_.fill_bytes(0, stream_);
    for_each(stream_, points().count, NaiveHistogram{points(), counts_.data()}, bench_.block);
  }

  template <bool is_private>
  void count_in_tiles() {
    using Kernel = TiledHistogram<is_private>;
    counts_.fill_bytes(0, stream_);
    LaunchShape shape;
    shape.blocks = divide_up(points().count, bench_.block);
    shape.threads = bench_.block;
    shape.shared_bytes = Kernel::shared_bytes(bench_.block, is_private ? bench_.buckets : 1);
    if (!is_private) shape.shared_bytes += sizeof(Index);
    launch(stream_, shape, Kernel{points(), counts_.data()});
  }

  /// Whether no two points can be farther apart than the histogram is long.
  bool reaches_all() const {
    double squared = 0.0;
    for (std::size_t d = 0; d < 3; ++d) {
      const auto [least, most] =
          std::minmax_element(bench_.points.begin(), bench_.points.end(),
                              [d](const Double3& a, const Double3& b) { return a[d] < b[d]; });
      squared += ((*most)[d] - (*least)[d]) * ((*most)[d] - (*least)[d]);
    }
    return std::sqrt(squared) <= bench_.longest;
  }

  template <bool is_within>
  void count_in_banks() {
    using Kernel = BankedHistogram<is_within>;
    counts_.fill_bytes(0, stream_);
    const std::int64_t tiles = divide_up(points().count, Kernel::tile);
    LaunchShape shape;
    shape.blocks = TilePair::before(tiles);
    shape.threads = Kernel::max_threads;
    Index copies = 32;
    while (copies > 1 && Kernel::shared_bytes(bench_.buckets, copies) > room_of_a_block_) {
      copies /= 2;
    }
    shape.shared_bytes = Kernel::shared_bytes(bench_.buckets, copies);
    launch(stream_, shape, Kernel{points(), counts_.data(), copies});
  }

  /// The run without looking tells how long one takes: where that is long, one more is enough.
  template <class Work>
  HistogramTiming time(Work work) {
    HistogramTiming timing;
    timing.seconds = spread_of(time_repeats(
        bench_.patience, stream_, [] {}, work));
    const std::vector<Count> counts = counts_.download(stream_);
    timing.counts.assign(counts.begin(), counts.end());
    return timing;
  }

  /// Three blocks share the 228 KB of a multiprocessor, each with one of the device's own.
  static constexpr std::int64_t third_of_shared_memory = 75 * 1024;

  const HistogramBench& bench_;
  std::size_t room_of_a_block_ = static_cast<std::size_t>(
      std::min(third_of_shared_memory, device_properties().shared_bytes_opt_in));
  Stream stream_;
  Vec3Buffer<float> position_;
  Buffer<Count> counts_;
};

}  // namespace

HistogramResult time_histograms(const HistogramBench& bench) { return Histograms(bench)(); }

}  // namespace pencilbox::PENCILBOX_DEVICE
