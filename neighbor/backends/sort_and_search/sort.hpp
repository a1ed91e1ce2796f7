// How sort-and-search brings particles into the order of their groups: by counters, or, where the
// order must not be chance, by CellSort.
#pragma once

#include "neighbor/walks/group_search.hpp"
#include "neighbor/walks/index_range.hpp"

namespace pencilbox::PENCILBOX_DEVICE::groups_of_cells {

template <class Precision>
struct CountAndRank {
  static constexpr const char* name = "sort-and-search: count";
  Ungrouped<Precision> from;
  Index* rank;    ///< [N] place in the group
  Index* counts;  ///< [groups]

  PENCILBOX_DEVICE_FUNCTION void operator()(Index i) const {
    rank[i] = atomic_add(counts + from.key_of(i), Index{1});
  }
};

template <class Precision>
struct PutDown {
  static constexpr const char* name = "sort-and-search: put down";
  Ungrouped<Precision> from;
  const Index* offset;  ///< [groups]
  Index groups;
  Index* counts;                                      ///< [groups] cleared for the next time
  Index* slot;                                        ///< [N] at first the rank in the group
  GroupedParticle<typename Precision::Pair>* sorted;  ///< [N]
  IndexRange window;                                  ///< of slots: all others are another launch's

  PENCILBOX_DEVICE_FUNCTION void operator()(Index i) const {
    if (window.begin == 0) {
      slot[i] += offset[from.key_of(i)];
      for (std::int64_t k = i; k < groups; k += from.particles.count) counts[k] = 0;
    }
    if (window.has(slot[i])) sorted[slot[i]] = from(i, i);
  }
};

/// Fills the slots of an order that is there already.
template <class Precision>
struct PickUp {
  static constexpr const char* name = "sort-and-search: pick up what is sorted";
  Ungrouped<Precision> from;
  const Index* order;                                 ///< [N] the particle of a slot
  Index* slot_of;                                     ///< [N]
  GroupedParticle<typename Precision::Pair>* sorted;  ///< [N]

  PENCILBOX_DEVICE_FUNCTION void operator()(Index slot) const {
    const Index particle = order[slot];
    slot_of[particle] = slot;
    sorted[slot] = from(particle, particle);
  }
};

}  // namespace pencilbox::PENCILBOX_DEVICE::groups_of_cells
