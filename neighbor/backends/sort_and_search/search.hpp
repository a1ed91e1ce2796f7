// How sort-and-search looks for the partners of a particle among those that are sorted, and where
// its sums go.
#pragma once

#include "core/device/read_ahead.hpp"
#include "neighbor/backends/sort_and_search/sort.hpp"
#include "neighbor/pair_sum.hpp"

namespace pencilbox::PENCILBOX_DEVICE::groups_of_cells {

/// A force in the order of the search, and back in the engine's.
template <class Accumulator>
struct alignas(16) ForceOfSlot {
  Vec3<Accumulator> force;
};

template <class Accumulator>
struct FetchForces {
  static constexpr const char* name = "sort-and-search: fetch forces";
  const ForceOfSlot<Accumulator>* of_slot;
  const Index* slot_of;
  Vec3View<Accumulator> force;

  PENCILBOX_DEVICE_FUNCTION void operator()(Index i) const {
    force.store(i, of_slot[slot_of[i]].force);
  }
};

/// Where sums go.
template <class Precision>
struct IntoSums {
  PairSumsView<Precision> sums;
  template <class Sum>
  PENCILBOX_DEVICE_FUNCTION void operator()(Index, Index particle, const Sum& sum) const {
    sum.store(sums, particle);
  }
};
template <class Precision>
struct Aside {
  ForceOfSlot<typename Precision::Accumulator>* of_slot;
  template <class Sum>
  PENCILBOX_DEVICE_FUNCTION void operator()(Index slot, Index, const Sum& sum) const {
    of_slot[slot] = {sum.force};
  }
};

inline constexpr int most_threads = 256;  ///< of a block

/// Where a thread has to look, [rows of groups][threads of the block] in shared memory.
class Runs {
 public:
  static constexpr Index most = rows_of_groups;

  PENCILBOX_DEVICE_FUNCTION explicit Runs(const Block& block)
      : stride_(block.threads()),
        at_(block.thread()),
        runs_(block.shared<IndexRange>(most * stride_)) {}

  PENCILBOX_DEVICE_FUNCTION Index count() const { return count_; }
  PENCILBOX_DEVICE_FUNCTION void add(const IndexRange& run) {
    runs_[count_++ * stride_ + at_] = run;
  }
  PENCILBOX_DEVICE_FUNCTION IndexRange operator[](Index i) const {
    return runs_[i * stride_ + at_];
  }

 private:
  Index stride_, at_, count_ = 0;
  SharedArray<IndexRange> runs_;
};

/// The slots that were added last, the latest first: in registers.
class LatestSlots {
 public:
  static constexpr Index most = 4;

  PENCILBOX_DEVICE_FUNCTION Index count() const { return count_; }
  PENCILBOX_DEVICE_FUNCTION bool are_full() const { return count_ == most; }
  PENCILBOX_DEVICE_FUNCTION void add_if(bool counts, Index slot) {
    fourth_ = counts ? third_ : fourth_;
    third_ = counts ? second_ : third_;
    second_ = counts ? first_ : second_;
    first_ = counts ? slot : first_;
    count_ += counts ? 1 : 0;
  }
  PENCILBOX_DEVICE_FUNCTION Index take() {
    const Index slot = first_;
    first_ = second_;
    second_ = third_;
    third_ = fourth_;
    --count_;
    return slot;
  }

 private:
  Index first_ = 0, second_ = 0, third_ = 0, fourth_ = 0, count_ = 0;
};

template <class Precision, Wanted wanted, class Interaction, class Sink>
struct SearchKernel {
  static constexpr const char* name = "sort-and-search";
  using Pair = typename Precision::Pair;
  using Sorted = SortedParticle<Pair>;
  using Sum = TargetSum<Precision, wanted>;

  static constexpr std::size_t bytes_of_a_thread = Runs::most * sizeof(IndexRange);
  static constexpr int max_threads = most_threads;
  /// A thread waits for memory most of the time, so there should be many.
  static constexpr int min_blocks = sizeof(Pair) == sizeof(float) ? 5 : 1;

  BinnedParticles<Precision> particles;
  CellGroups<Pair> groups;
  const Index* offset;   ///< [groups + 1]
  const Sorted* sorted;  ///< [N]
  Interaction interaction;
  Pair reach_of_groups;  ///< squared, and a little more [sigma^2]
  Pair reach_of_places;  ///< the same, and what places may be off by
  Sink sink;

  PENCILBOX_DEVICE_FUNCTION void operator()(const Block& block) const {
    Runs runs(block);
    const std::int64_t slot = block.index() * block.threads() + block.thread();
    if (slot < particles.count) search(static_cast<Index>(slot), runs);
  }

  PENCILBOX_DEVICE_FUNCTION void search(Index slot, Runs& runs) const {
    const Sorted target{read_ahead(&sorted[slot].place), read_ahead(&sorted[slot].offset)};
    const bool has_images = note_runs(around(target), runs);
    Sum sum;
    Index looked_at = pass(slot, target, runs, sum);
    if (has_images) looked_at += pass_images(target, sum);
    if constexpr (wanted == Wanted::counts) sum.candidates = looked_at;
    sink(slot, target.place.particle, sum);
  }

  PENCILBOX_DEVICE_FUNCTION GroupsAround<Pair> around(const Sorted& target) const {
    const CellCoordinates cell = groups.cell_around(target.place.in_grid - target.offset.in_cell);
    return {groups, cell, target.offset.in_cell, reach_of_groups};
  }

  /// Of three rows all are read before the first is looked at. Returns whether there are images,
  /// too.
  PENCILBOX_DEVICE_FUNCTION bool note_runs(const GroupsAround<Pair>& around, Runs& runs) const {
    around.for_each_layer(groups, [&](const auto&... rows) {
      const IndexRange found[] = {{offset[rows.begin], offset[rows.end]}...};
      for (const IndexRange& run : found) {
        if (run.begin < run.end) runs.add(run);
      }
    });
    return around.have_images();
  }

  /// Candidates of all runs, as one row; returns how many. Who may be a partner is noted first:
  /// lanes that have found one do not keep all others waiting.
  PENCILBOX_DEVICE_FUNCTION Index pass(Index slot, const Sorted& target, const Runs& runs,
                                       Sum& sum) const {
    Index looked_at = -1;  // at itself
    Index source = 0, end = 0, next = 0;
    while (source < end || next < runs.count()) {
      LatestSlots near;
      while (!near.are_full() && (source < end || next < runs.count())) {
        if (source == end) {
          const IndexRange run = runs[next++];
          source = run.begin;
          end = run.end;
        }
        const bool is_near = may_be_partner(target.place, read_ahead(&sorted[source].place));
        near.add_if(is_near && source != slot, source);
        ++source;
        ++looked_at;
      }
      while (near.count() > 0) add(sum, target, near.take());
    }
    return looked_at;
  }

  PENCILBOX_DEVICE_FUNCTION Index pass_images(const Sorted& target, Sum& sum) const {
    Index looked_at = 0;
    around(target).for_each_image(groups, [&](Index group, const Vec3<Index>& image) {
      Sorted seen_from = target;
      seen_from.place.in_grid = target.place.in_grid - groups.boxes(image);
      for (Index source = offset[group]; source < offset[group + 1]; ++source) {
        ++looked_at;
        if (may_be_partner(seen_from.place, sorted[source].place)) add(sum, seen_from, source);
      }
    });
    return looked_at;
  }

  PENCILBOX_DEVICE_FUNCTION bool may_be_partner(const Place<Pair>& target,
                                                const Place<Pair>& source) const {
    const Vec3<Pair> plain = target.in_grid - source.in_grid;
    return dot(plain, plain) <= reach_of_places;
  }

  /// What cells are apart is what places are and offsets are not.
  PENCILBOX_DEVICE_FUNCTION void add(Sum& sum, const Sorted& target, Index slot) const {
    const Sorted source{read_ahead(&sorted[slot].place), read_ahead(&sorted[slot].offset)};
    const Vec3<Pair> apart = source.place.in_grid - target.place.in_grid;
    const CellShift<Pair> shift =
        groups.whole_cells(apart - (source.offset.in_cell - target.offset.in_cell));
    const auto exact = [&] {
      return exact_separation(particles, target.place.particle, source.place.particle, shift);
    };
    sum.add(interaction, target.offset.in_cell, source.offset.in_cell, shift, exact,
            target.offset.type, source.offset.type);
  }
};

}  // namespace pencilbox::PENCILBOX_DEVICE::groups_of_cells
