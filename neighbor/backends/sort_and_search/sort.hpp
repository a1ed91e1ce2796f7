// How sort-and-search brings particles into the order of their groups: by counters in several
// launches or in one, or, where the order must not be chance, by CellSort.
#pragma once

#include "neighbor/binned_particles.hpp"
#include "neighbor/walks/cell_groups.hpp"
#include "neighbor/walks/index_range.hpp"
#include "neighbor/walks/warp_scan.hpp"

namespace pencilbox::PENCILBOX_DEVICE::groups_of_cells {

/// What a search reads of a particle, in two pieces of 16 bytes in float. Where it is tells who may
/// be a partner, to as many digits as the box leaves; how far apart two partners are is taken from
/// where they are in their cells.
template <class Pair>
struct alignas(16) Place {
  Vec3<Pair> in_grid;  ///< from its lower corner [sigma]
  Index particle;      ///< the engine's index
};
template <class Pair>
struct alignas(16) Offset {
  Vec3<Pair> in_cell;  ///< from its centre [sigma]
  std::int32_t type;
};
template <class Pair>
struct SortedParticle {
  Place<Pair> place;
  Offset<Pair> offset;
};

/// The particles as the engine gives them.
template <class Precision>
struct Unsorted {
  using Pair = typename Precision::Pair;
  BinnedParticles<Precision> particles;
  CellGroups<Pair> groups;
  bool has_types;

  PENCILBOX_DEVICE_FUNCTION CellCoordinates cell(Index i) const {
    return groups.cell(particles.cell[i]);
  }
  /// The number of its group, by which particles are sorted.
  PENCILBOX_DEVICE_FUNCTION Index key_of(Index i) const {
    return groups.linear(groups.group_of(cell(i)));
  }
  PENCILBOX_DEVICE_FUNCTION SortedParticle<Pair> operator()(Index i) const {
    const Vec3<Pair> offset = particles.position[i];
    return {{groups.centre(cell(i)) + offset, i}, {offset, has_types ? particles.type[i] : 0}};
  }
};

template <class Precision>
struct CountAndRank {
  static constexpr const char* name = "sort-and-search: count";
  Unsorted<Precision> from;
  Index* rank;    ///< [N] place in the group
  Index* counts;  ///< [groups]

  PENCILBOX_DEVICE_FUNCTION void operator()(Index i) const {
    rank[i] = atomic_add(counts + from.key_of(i), Index{1});
  }
};

template <class Precision>
struct PutDown {
  static constexpr const char* name = "sort-and-search: put down";
  Unsorted<Precision> from;
  const Index* offset;  ///< [groups]
  Index groups;
  Index* counts;                                     ///< [groups] cleared for the next time
  Index* slot;                                       ///< [N] at first the rank in the group
  SortedParticle<typename Precision::Pair>* sorted;  ///< [N]
  IndexRange window;                                 ///< of slots: all others are another launch's

  PENCILBOX_DEVICE_FUNCTION void operator()(Index i) const {
    if (window.begin == 0) {
      slot[i] += offset[from.key_of(i)];
      for (std::int64_t k = i; k < groups; k += from.particles.count) counts[k] = 0;
    }
    if (window.has(slot[i])) sorted[slot[i]] = from(i);
  }
};

/// Counts, sums up and puts down in one launch, whose blocks all run at once and meet in between:
/// where particles are few, launches are what takes time.
template <class Precision>
struct SortAtOnce {
  static constexpr const char* name = "sort-and-search: sort at once";
  static constexpr int max_threads = 1024;
  static constexpr Index most_groups = 6144;  ///< of a block

  CountAndRank<Precision> count;
  PutDown<Precision> put_down;
  Index* offset;    ///< [groups + 1]
  Index* of_block;  ///< [blocks] particles in its groups

  static std::size_t shared_bytes(int threads) {
    return static_cast<std::size_t>(most_groups + 1 + threads) * sizeof(Index);
  }

  PENCILBOX_DEVICE_FUNCTION void operator()(const Block& block) const {
    const Index particles = count.from.particles.count;
    const auto first = static_cast<Index>(block.index() * block.threads() + block.thread());
    const auto stride = static_cast<Index>(block.blocks() * block.threads());
    for (Index i = first; i < particles; i += stride) count(i);
    meet(block);
    sum_up(block);
    meet(block);
    for (Index i = first; i < particles; i += stride) put_down(i);
  }

  /// A block by itself meets nobody else.
  PENCILBOX_DEVICE_FUNCTION static void meet(const Block& block) {
    if (block.blocks() == 1) {
      block.barrier();
    } else {
      block.grid_barrier();
    }
  }

  PENCILBOX_DEVICE_FUNCTION void sum_up(const Block& block) const {
    const auto in_groups = block.shared<Index>(most_groups + 1);
    const auto warp_sums = block.shared<Index>(block.threads());
    const Index groups = put_down.groups;
    const auto share = static_cast<Index>((groups + block.blocks() - 1) / block.blocks());
    const auto begin = smaller(static_cast<Index>(block.index()) * share, groups);
    const Index its_groups = smaller(share, groups - begin);
    for (Index k = block.thread(); k < its_groups; k += block.threads()) {
      in_groups[k] = count.counts[begin + k];
    }
    block.barrier();
    block_exclusive_sum(block, in_groups, its_groups, warp_sums);
    if (block.thread() == 0) of_block[block.index()] = in_groups[its_groups];
    meet(block);
    Index before = 0;
    for (Index other = 0; other < block.index(); ++other) before += of_block[other];
    for (Index k = block.thread(); k < its_groups; k += block.threads()) {
      offset[begin + k] = before + in_groups[k];
    }
    if (begin < groups && begin + its_groups == groups && block.thread() == 0) {
      offset[groups] = before + in_groups[its_groups];
    }
  }
};

/// Fills the slots of an order that is there already.
template <class Precision>
struct PickUp {
  static constexpr const char* name = "sort-and-search: pick up what is sorted";
  Unsorted<Precision> from;
  const Index* order;                                ///< [N] the particle of a slot
  Index* slot_of;                                    ///< [N]
  SortedParticle<typename Precision::Pair>* sorted;  ///< [N]

  PENCILBOX_DEVICE_FUNCTION void operator()(Index slot) const {
    const Index particle = order[slot];
    slot_of[particle] = slot;
    sorted[slot] = from(particle);
  }
};

}  // namespace pencilbox::PENCILBOX_DEVICE::groups_of_cells
