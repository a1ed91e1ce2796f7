// How often pairs of particles are at a distance, by pair of types. Two kernels count the same: on
// a GPU each block counts in shared memory, in a histogram of its own that it adds to the common
// one at the end; where such a histogram does not fit, and on a CPU, every pair is counted in
// device memory.
//
// Of the sources around a cell one in ten is near enough to a target. So in blocks those that are
// wait until there is one for each lane of a warp.
#pragma once

#include <limits>

#include "core/device/math.hpp"
#include "neighbor/walks/warp_scan.hpp"
#include "observables/cell_pairs.hpp"
#include "observables/counts.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

/// Where a pair is counted: [pairs of types][bins].
struct PairBins {
  Index types;
  Index number;         ///< of bins
  double most_squared;  ///< of a distance [sigma^2]
  double per_length;    ///< [1/sigma]

  static PairBins of(Index types, Index bins, double distance) {
    return {types, bins, distance * distance, static_cast<double>(bins) / distance};
  }
  PENCILBOX_DEVICE_FUNCTION Index place(Index bin, std::int32_t a, std::int32_t b) const {
    return (types > 1 ? number_of_pair(a, b, types) : 0) * number + bin;
  }
  /// Of what is near enough. (Rounding may have put it on the outermost edge.)
  PENCILBOX_DEVICE_FUNCTION Index bin_of(double distance_squared) const {
    const auto bin = static_cast<Index>(square_root(distance_squared) * per_length);
    return bin < number ? bin : number - 1;
  }
  Index size() const { return types * (types + 1) / 2 * number; }
};

/// One thread a particle.
template <class State>
struct CountPairs {
  static constexpr const char* name = "pair histogram";
  CellPairs<State> pairs;
  const std::int32_t* type;  ///< [N]
  PairBins bins;
  CountsView counts;

  PENCILBOX_DEVICE_FUNCTION void operator()(Index target) const {
    Count* own = counts.of_target(target);
    pairs.each_pair_once(target, [&](Index source, const Vec3<double>&, double squared) {
      if (!(squared < bins.most_squared)) return;
      atomic_add(own + bins.place(bins.bin_of(squared), type[target], type[source]), Count{1});
    });
  }
};

/// A pair that may be near enough.
template <class State>
struct WaitingPair {
  State rough_squared;
  Index target, source;
  Index away;  ///< the number of the cell among all that are in reach
};

/// What a block counts; each warp of it takes a cell at a time. The bin is that of the distance in
/// double, which is asked for where the rough one is near an edge.
template <class State>
struct CountPairsInBlocks {
  static constexpr const char* name = "pair histogram in blocks";
  static constexpr int max_threads = 256;  ///< so that a thread has the registers that it takes
  static constexpr Index at_once = 4;      ///< sources that a lane meets
  static constexpr Index room_of_a_lane = at_once + 1;  ///< pairs that wait
  CellPairs<State> pairs;
  const std::int32_t* type;
  PairBins bins;
  State per_length;  ///< of the bins
  State error;       ///< of a rough distance, in bins
  Index cells;
  std::int64_t cells_of_a_block;
  CountsView counts;

  static std::size_t bytes(std::int64_t bins, int threads) {
    return static_cast<std::size_t>(bins) * sizeof(Index) +
           room_of_a_lane * static_cast<std::size_t>(threads) * sizeof(WaitingPair<State>) +
           alignof(WaitingPair<State>);
  }

  PENCILBOX_DEVICE_FUNCTION void operator()(const Block& block) const {
    const auto size = static_cast<Index>(counts.size);
    Histogram own{block.shared<WaitingPair<State>>(room_of_a_lane * block.threads()),
                  block.shared<Index>(size), room_of_a_lane * (block.thread() - block.lane())};
    for (Index k = block.thread(); k < size; k += block.threads()) own.counts[k] = 0;
    block.barrier();
    const std::int64_t begin = block.index() * cells_of_a_block;
    const std::int64_t last = begin + cells_of_a_block;
    const auto end = static_cast<Index>(last < cells ? last : cells);
    for (auto c = static_cast<Index>(begin) + block.warp(); c < end; c += warps_of(block)) {
      look_around(block, c, own);
    }
    block.warp_barrier();
    count_last(block, own, own.waiting);
    block.barrier();
    Count* common = counts.copy(block.index());
    for (Index k = block.thread(); k < size; k += block.threads()) {
      const Index count = own.counts[k];
      if (count > 0) atomic_add(common + k, static_cast<Count>(count));
    }
  }

 private:
  struct Histogram {
    SharedArray<WaitingPair<State>> pairs;  ///< [room_of_a_lane for each thread]
    SharedArray<Index> counts;              ///< [pairs of types][bins]
    Index first;                            ///< of this warp's pairs
    Index waiting = 0;                      ///< of them
  };

  /// Particles of a cell, a lane each, meet those around it. All lanes of the warp do the same.
  PENCILBOX_DEVICE_FUNCTION void look_around(const Block& block, Index cell, Histogram& own) const {
    const IndexRange targets{pairs.offset[cell], pairs.offset[cell + 1]};
    const CellCoordinates home = pairs.grid.coordinates(cell);
    for (Index first = targets.begin; first < targets.end; first += block.warp_size()) {
      const Index target = smaller(first + block.lane(), targets.end - 1);
      const bool is_there = first + block.lane() < targets.end;
      pairs.half_around(home, [&](const CellCoordinates& away, const IndexRange& sources) {
        if (pairs.is_home(away)) {
          meet<true>(block, target, is_there, sources, away, own);
        } else {
          meet<false>(block, target, is_there, sources, away, own);
        }
      });
    }
  }

  /// The warp walks these sources; where `in_home`, this lane meets those behind its target. Mostly
  /// none of a few is near any of the targets.
  template <bool in_home>
  PENCILBOX_DEVICE_FUNCTION void meet(const Block& block, Index target, bool is_there,
                                      const IndexRange& sources, const CellCoordinates& away,
                                      Histogram& own) const {
    const Vec3<State> from = is_there ? pairs.seen_from(target, away) : nowhere();
    const Index number = number_of(away);
    for (Index first = sources.begin; first < sources.end; first += at_once) {
      Vec3<State> at[at_once];
      for (Index k = 0; k < at_once; ++k) {
        at[k] = pairs.position[smaller(first + k, sources.end - 1)];
      }
      State squared[at_once];
      bool is_near[at_once];
      bool is_any_near = false;
      for (Index k = 0; k < at_once; ++k) {
        const Vec3<State> rough = at[k] - from;
        squared[k] = dot(rough, rough);
        is_near[k] = squared[k] < pairs.near_squared() && first + k < sources.end;
        if constexpr (in_home) is_near[k] = is_near[k] && first + k > target;
        is_any_near = is_any_near || is_near[k];
      }
      if (block.ballot(is_any_near) == 0) continue;
      for (Index k = 0; k < at_once; ++k) {
        queue(block, is_near[k], {squared[k], target, first + k, number}, own);
      }
      count_whole_warps(block, own);
    }
  }

  /// Far from every particle, and its square is a number.
  PENCILBOX_DEVICE_FUNCTION static Vec3<State> nowhere() {
    return {State(1e15), State(1e15), State(1e15)};
  }

  /// Those of the lanes where it is near wait.
  PENCILBOX_DEVICE_FUNCTION void queue(const Block& block, bool is_near,
                                       const WaitingPair<State>& pair, Histogram& own) const {
    const Block::Votes votes = block.ballot(is_near);
    if (is_near) {
      own.pairs[own.first + own.waiting + count_bits(lanes_below(block, votes))] = pair;
    }
    own.waiting += count_bits(votes);
  }

  /// As soon as there is one for each lane.
  PENCILBOX_DEVICE_FUNCTION void count_whole_warps(const Block& block, Histogram& own) const {
    while (own.waiting >= block.warp_size()) {
      block.warp_barrier();
      count_last(block, own, block.warp_size());
      block.warp_barrier();
    }
  }

  /// So many of those that came last, a lane each.
  PENCILBOX_DEVICE_FUNCTION void count_last(const Block& block, Histogram& own,
                                            Index number) const {
    own.waiting -= number;
    if (block.lane() >= number) return;
    const WaitingPair<State> pair = own.pairs[own.first + own.waiting + block.lane()];
    // 0 has no bin here; it is asked for exactly.
    const State rough =
        pair.rough_squared * reciprocal_square_root(pair.rough_squared) * per_length;
    auto bin = static_cast<Index>(rough);
    const State above_edge = rough - static_cast<State>(bin);
    if (!(above_edge > error && above_edge < State(1) - error)) {
      const Vec3<double> apart = pairs.separation(pair.target, pair.source, cells_away(pair.away));
      const double squared = dot(apart, apart);
      if (!(squared < bins.most_squared)) return;
      bin = bins.bin_of(squared);
    }
    const std::int32_t a = bins.types > 1 ? type[pair.target] : 0;
    const std::int32_t b = bins.types > 1 ? type[pair.source] : 0;
    block.atomic_add(own.counts[bins.place(bin, a, b)], Index{1});
  }

  PENCILBOX_DEVICE_FUNCTION Index number_of(const CellCoordinates& away) const {
    const CellCoordinates& reach = pairs.reach;
    return (away.z * (2 * reach.y + 1) + away.y + reach.y) * (2 * reach.x + 1) + away.x + reach.x;
  }
  PENCILBOX_DEVICE_FUNCTION CellCoordinates cells_away(Index number) const {
    const CellCoordinates& reach = pairs.reach;
    const Index row = number / (2 * reach.x + 1);
    return {number % (2 * reach.x + 1) - reach.x, row % (2 * reach.y + 1) - reach.y,
            row / (2 * reach.y + 1)};
  }
};

/// Most particles in a cell.
struct FullestCell {
  static constexpr const char* name = "pair histogram: fullest cell";
  const Index* offset;
  Index* most;

  PENCILBOX_DEVICE_FUNCTION void operator()(Index cell) const {
    const Index count = offset[cell + 1] - offset[cell];
    if (count > *most) atomic_max(most, count);  // few are: all on one word would take their time
  }
};

class PairHistogram {
 public:
  static constexpr std::size_t most_shared_bytes = 48 * 1024;  ///< that every GPU has

  PairHistogram(Index types, Index bins, double distance)
      : bins_(PairBins::of(types, bins, distance)), distance_(distance), counts_(bins_.size()) {}

  Counts& counts() { return counts_; }
  const Counts& counts() const { return counts_; }

  /// Counts the present pairs in, the faster way.
  template <class Precision>
  void add(const ObservedState<Precision>& state, Stream& stream) {
    constexpr int threads = 128;
    if (emulates_blocks || !add_in_blocks(state, threads, stream)) {
      add_in_device_memory(state, stream);
    }
  }

  template <class Precision>
  void add_in_device_memory(const ObservedState<Precision>& state, Stream& stream) {
    for_each(stream, state.particles.count,
             CountPairs<typename Precision::State>{pairs_within(distance_, state),
                                                   state.particles.state.type.data(), bins_,
                                                   counts_.view(stream)});
  }

  /// False: it would not fit, and nothing was counted.
  template <class Precision>
  bool add_in_blocks(const ObservedState<Precision>& state, int threads, Stream& stream) {
    using State = typename Precision::State;
    using Kernel = CountPairsInBlocks<State>;
    const std::int64_t size = bins_.size();
    if (static_cast<std::size_t>(size) * sizeof(Index) > most_shared_bytes) return false;
    const CellPairs<State> pairs = pairs_within(distance_, state);
    const std::int64_t cells = cells_of_a_block(
        state, pairs, threads * std::min(divide_up(size, numbers_a_round), most_rounds), stream);
    if (cells < 1) return false;
    const LaunchShape shape{divide_up(state.grid.count(), cells), threads,
                            Kernel::bytes(size, threads)};
    constexpr double roundings = 4.0;
    const double error = bins_.per_length * static_cast<double>(pairs.error) +
                         roundings * double{std::numeric_limits<State>::epsilon()} * bins_.number;
    launch(stream, shape,
           Kernel{pairs, state.particles.state.type.data(), bins_,
                  static_cast<State>(bins_.per_length), static_cast<State>(error),
                  static_cast<Index>(state.grid.count()), cells, counts_.view(stream)});
    return true;
  }

 private:
  static constexpr std::int64_t numbers_a_round = 128, most_rounds = 16;

  /// So that adding up costs little beside counting, there are as many targets in a block as
  /// `wanted`, and no number of one overflows.
  template <class Precision, class State>
  std::int64_t cells_of_a_block(const ObservedState<Precision>& state,
                                const CellPairs<State>& pairs, std::int64_t wanted,
                                Stream& stream) {
    constexpr std::int64_t most_of_a_block = (std::int64_t{1} << 31) - 1;
    constexpr std::int64_t a_warp_each = 4;
    const std::int64_t mean = divide_up(state.particles.count, state.grid.count());
    const std::int64_t fullest = std::max<Index>(1, fullest_cell(state, stream));
    const std::int64_t pairs_of_a_cell = fullest * fullest * pairs.cells_of_a_target();
    std::int64_t cells = divide_up(wanted, mean);
    if (cells > a_warp_each) cells = round_up(cells, a_warp_each);
    return std::min(cells, most_of_a_block / pairs_of_a_cell);
  }

  template <class Precision>
  Index fullest_cell(const ObservedState<Precision>& state, Stream& stream) {
    fullest_.resize(1);
    fullest_.fill_bytes(0, stream);
    for_each(stream, state.grid.count(), FullestCell{state.offset, fullest_.data()});
    return fullest_.download(stream).front();
  }

  PairBins bins_;
  double distance_;
  Counts counts_;
  Buffer<Index> fullest_;
};

}  // namespace pencilbox::PENCILBOX_DEVICE
