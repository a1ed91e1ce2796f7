// How sort-and-search looks for the partners of a particle among those that are sorted, and where
// its sums go.
#pragma once

#include "core/device/atomics.hpp"
#include "neighbor/backends/sort_and_search/sort.hpp"
#include "neighbor/walks/both_ends.hpp"

namespace pencilbox::PENCILBOX_DEVICE::groups_of_cells {

/// From the order of the search back to the engine's.
template <class Accumulator>
struct FetchForces {
  static constexpr const char* name = "sort-and-search: fetch forces";
  const PaddedVec3<Accumulator>* of_slot;
  const Index* slot_of;
  Vec3View<Accumulator> force;

  PENCILBOX_DEVICE_FUNCTION void operator()(Index i) const {
    force.store(i, of_slot[slot_of[i]].value);
  }
};

/// Where sums go: to who looks, of all partners.
template <class Precision>
struct IntoSums {
  static constexpr bool of_both_ends = false;
  PairSumsView<Precision> sums;

  template <class Sum>
  PENCILBOX_DEVICE_FUNCTION void operator()(Index, Index particle, const Sum& sum) const {
    sum.store(sums, particle);
  }
};
/// To both ends of a pair, of which the one looks whose slot comes first; put aside in the order of
/// the search, where the other end is near.
template <class Precision>
struct Aside {
  static constexpr bool of_both_ends = true;
  using Accumulator = typename Precision::Accumulator;
  PaddedVec3<Accumulator>* of_slot;

  template <class Sum>
  PENCILBOX_DEVICE_FUNCTION void operator()(Index slot, Index, const Sum& sum) const {
    atomic_add(of_slot + slot, sum.force);
  }
};

template <class Precision, Wanted wanted, class Interaction, class Sink>
struct SearchKernel {
  static constexpr const char* name = "sort-and-search";
  using Pair = typename Precision::Pair;
  using Sorted = GroupedParticle<Pair>;
  using Sum = TargetSum<Precision, wanted>;
  static constexpr bool of_both_ends = Sink::of_both_ends;
  using Runs = Notes<IndexRange, of_both_ends ? rows_of_groups_behind : rows_of_groups>;

  static constexpr std::size_t bytes_of_a_thread =
      Runs::bytes_of_a_thread + NearSlots::bytes_of_a_thread;
  static constexpr int max_threads = most_threads_of_search;
  /// A thread waits for memory most of the time, so there should be many.
  static constexpr int min_blocks = sizeof(Pair) == sizeof(float) ? 6 : 1;

  /// Of all runs, as one row.
  struct Candidates {
    Runs& runs;
    Index target;
    Index next = 0, end = 0;

    PENCILBOX_DEVICE_FUNCTION explicit operator bool() const { return next < end || runs.any(); }
    PENCILBOX_DEVICE_FUNCTION Place<Pair> take(const Sorted* sorted, Index& slot) {
      if (next == end) {
        const IndexRange run = runs.take();
        next = run.begin;
        end = run.end;
      }
      slot = next++;
      return read_ahead(&sorted[slot].place);
    }
    PENCILBOX_DEVICE_FUNCTION bool is_other(Index slot) const {
      return of_both_ends || slot != target;
    }
  };

  GroupSearch<Precision> near;
  const Index* offset;  ///< [groups + 1]
  Interaction interaction;
  Sink sink;

  PENCILBOX_DEVICE_FUNCTION void operator()(const Block& block) const {
    Runs runs(block);
    NearSlots found(block);
    const std::int64_t slot = block.index() * block.threads() + block.thread();
    if (slot < near.particles.count) search(static_cast<Index>(slot), runs, found);
  }

  PENCILBOX_DEVICE_FUNCTION void search(Index slot, Runs& runs, NearSlots& found) const {
    const Place<Pair> place = read_ahead(&near.grouped[slot].place);
    const bool has_images = note_runs({place, near.offset_of(slot)}, slot, runs);
    Sum sum;
    Candidates candidates{runs, slot};
    // Its offset is read again for each partner: most of the time nobody wants the registers.
    const auto add_partner = [&](Index source) { add(sum, {place, near.offset_of(slot)}, source); };
    Index looked_at = near.pass(candidates, place, found, add_partner);
    if (has_images) looked_at += pass_images({place, near.offset_of(slot)}, sum);
    if constexpr (wanted == Wanted::counts) sum.candidates = looked_at - 1;  // itself
    sink(slot, place.link, sum);
  }

  /// Returns whether there are images, too.
  PENCILBOX_DEVICE_FUNCTION bool note_runs(const Sorted& target, Index slot, Runs& runs) const {
    const RowsInReach<Pair> rows = near.rows_around(target);
    const auto note = [&](const IndexRange& row) {
      const IndexRange run{of_both_ends ? larger(offset[row.begin], slot + 1) : offset[row.begin],
                           offset[row.end]};
      if (run.begin < run.end) runs.add(run);
    };
    if constexpr (of_both_ends) {
      rows.for_each_behind(note);
    } else {
      rows.for_each(note);
    }
    return rows.have_images();
  }

  PENCILBOX_DEVICE_FUNCTION Index pass_images(const Sorted& target, Sum& sum) const {
    Index looked_at = 0;
    near.around(target).for_each_image(near.groups, [&](Index group, const Vec3<Index>& image) {
      if (of_both_ends && !is_behind(image)) return;
      const Sorted seen = near.seen_from(image, target);
      for (Index source = offset[group]; source < offset[group + 1]; ++source) {
        ++looked_at;
        if (near.may_be_partner(seen.place, near.grouped[source].place)) add(sum, seen, source);
      }
    });
    return looked_at;
  }

  /// Of two images that are each other's, one.
  PENCILBOX_DEVICE_FUNCTION static bool is_behind(const Vec3<Index>& image) {
    if (image.z != 0) return image.z > 0;
    if (image.y != 0) return image.y > 0;
    return image.x > 0;
  }

  PENCILBOX_DEVICE_FUNCTION void add(Sum& sum, const Sorted& target, Index slot) const {
    const Sorted source = near.read(slot);
    const CellShift<Pair> shift = near.shift(target, source);
    const auto exact = [&] {
      return exact_separation(near.particles, target.place.link, source.place.link, shift);
    };
    if constexpr (of_both_ends) {
      Sum of_source;
      add_to_both(interaction, target.offset.in_cell, source.offset.in_cell, shift, exact,
                  target.offset.type, source.offset.type, true, sum, of_source);
      sink(slot, source.place.link, of_source);
    } else {
      sum.add(interaction, target.offset.in_cell, source.offset.in_cell, shift, exact,
              target.offset.type, source.offset.type);
    }
  }
};

}  // namespace pencilbox::PENCILBOX_DEVICE::groups_of_cells
