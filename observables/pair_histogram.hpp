// How often pairs of particles are at a distance, by pair of types. Two kernels count the same: on
// a GPU each block counts in shared memory, in a histogram of its own that it adds to the common
// one at the end; where such a histogram does not fit, and on a CPU, every pair is counted in
// device memory.
#pragma once

#include "core/device/math.hpp"
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
  PENCILBOX_DEVICE_FUNCTION Index place(double distance_squared, std::int32_t a,
                                        std::int32_t b) const {
    const auto bin = static_cast<Index>(square_root(distance_squared) * per_length);
    const Index pair = types > 1 ? number_of_pair(a, b, types) : 0;
    // Rounding may have put it on the outermost edge.
    return pair * number + (bin < number ? bin : number - 1);
  }
  Index size() const { return types * (types + 1) / 2 * number; }
};

/// What both kernels look at.
template <class State>
struct BinnedPairs {
  CellPairs<State> pairs;
  const std::int32_t* type;  ///< [N]
  PairBins bins;

  /// Calls count(place) for each pair of the target that is near enough.
  template <class Action>
  PENCILBOX_DEVICE_FUNCTION void each(Index target, const Action& count) const {
    const std::int32_t own = type[target];
    pairs.each_pair_once(target, [&](Index source, const Vec3<double>&, double squared) {
      if (squared < bins.most_squared) count(bins.place(squared, own, type[source]));
    });
  }
};

/// One thread a particle.
template <class State>
struct CountPairs {
  static constexpr const char* name = "pair histogram";
  BinnedPairs<State> pairs;
  CountsView counts;

  PENCILBOX_DEVICE_FUNCTION void operator()(Index target) const {
    Count* own = counts.of_target(target);
    pairs.each(target, [&](Index place) { atomic_add(own + place, Count{1}); });
  }
};

/// The same; each block has `targets` particles that lie one behind the other.
template <class State>
struct CountPairsInBlocks {
  static constexpr const char* name = "pair histogram in blocks";
  static constexpr int max_threads = 256;  ///< so that a thread has the registers that it takes
  BinnedPairs<State> pairs;
  Index particles;
  std::int64_t targets;
  CountsView counts;

  PENCILBOX_DEVICE_FUNCTION void operator()(const Block& block) const {
    const Index size = static_cast<Index>(counts.size);
    const auto own = block.shared<Index>(size);
    for (Index k = block.thread(); k < size; k += block.threads()) own[k] = 0;
    block.barrier();
    const std::int64_t begin = block.index() * targets;
    const std::int64_t end = begin + targets < particles ? begin + targets : particles;
    for (std::int64_t target = begin + block.thread(); target < end; target += block.threads()) {
      pairs.each(static_cast<Index>(target),
                 [&](Index place) { block.atomic_add(own[place], Index{1}); });
    }
    block.barrier();
    Count* common = counts.copy(block.index());
    for (Index k = block.thread(); k < size; k += block.threads()) {
      const Index count = own[k];
      if (count > 0) atomic_add(common + k, static_cast<Count>(count));
    }
  }
};

/// Most particles in a cell.
struct FullestCell {
  static constexpr const char* name = "pair histogram: fullest cell";
  const Index* offset;
  Index* most;

  PENCILBOX_DEVICE_FUNCTION void operator()(Index cell) const {
    atomic_max(most, offset[cell + 1] - offset[cell]);
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
             CountPairs<typename Precision::State>{pairs_of(state), counts_.view(stream)});
  }

  /// False: it would not fit, and nothing was counted.
  template <class Precision>
  bool add_in_blocks(const ObservedState<Precision>& state, int threads, Stream& stream) {
    const BinnedPairs<typename Precision::State> pairs = pairs_of(state);
    const std::int64_t size = bins_.size();
    LaunchShape shape{.threads = threads,
                      .shared_bytes = static_cast<std::size_t>(size) * sizeof(Index)};
    if (shape.shared_bytes > most_shared_bytes) return false;
    // So that adding up costs little beside counting, there are many blocks, and no number of one
    // overflows.
    constexpr std::int64_t numbers_a_round = 128, most_rounds = 16;
    constexpr std::int64_t most_of_a_block = (std::int64_t{1} << 31) - 1;
    const std::int64_t wanted = threads * std::min(divide_up(size, numbers_a_round), most_rounds);
    const std::int64_t pairs_of_a_target =
        std::max<std::int64_t>(1, fullest_cell(state, stream) * pairs.pairs.cells_of_a_target());
    const std::int64_t targets = std::min(wanted, most_of_a_block / pairs_of_a_target);
    if (targets < 1) return false;
    shape.blocks = divide_up(state.particles.count, targets);
    launch(stream, shape,
           CountPairsInBlocks<typename Precision::State>{pairs, state.particles.count, targets,
                                                         counts_.view(stream)});
    return true;
  }

 private:
  template <class Precision>
  BinnedPairs<typename Precision::State> pairs_of(const ObservedState<Precision>& state) const {
    return {pairs_within(distance_, state), state.particles.state.type.data(), bins_};
  }

  template <class Precision>
  std::int64_t fullest_cell(const ObservedState<Precision>& state, Stream& stream) {
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
