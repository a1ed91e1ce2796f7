// The second: each particle to its place in the other set of arrays.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "neighbor/binned_particles.hpp"
#include "neighbor/cells/count_in_parts.hpp"
#include "neighbor/cells/state_view.hpp"
#include "neighbor/walks/warp_scan.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

/// Moves each particle to its place in the new order: where its ticket says, or, where `order` is
/// given, from where that says. With it go the counters of the next step to zero.
template <class Precision>
struct Reorder {
  static constexpr const char* name = "binning: reorder";
  using State = typename Precision::State;
  using Pair = typename Precision::Pair;
  StateView<State> from, to;
  static constexpr bool separate_pair_position = !std::is_same_v<State, Pair>;
  Vec3View<Pair> pair_position;  ///< null where nobody reads it
  const Index* ticket;
  const Index* offset;
  const Index* order;
  bool several_types;
  Counters next;
  bool clears;  ///< the counters of the next arrivals; those of a list are cleared when they come
  Index particles;
  CellParts parts;
  Vec3View<const Pair> kick;
  LookAhead<Precision> ahead;
  PairCoordinates<State, Pair> coordinates;
  PackedPosition<Pair>* reference;  ///< of a list; null where an order lasts one step
  Vec3<State> side;                 ///< of a cell [sigma]
  Index* places;                    ///< [N] of those that were there before; null: nobody asks
  RingPosition<Pair>* on_ring;      ///< null where nobody reads it
  Index columns;                    ///< cells along x
  double units_on_ring;             ///< of a length [1/sigma]

  /// What is moved of a particle.
  struct Row {
    Vec3<State> position, velocity, kick;
    Index cell, ticket;
    ParticleId id;
    Vec3<std::int32_t> image;
    std::int32_t type;
  };

  PENCILBOX_DEVICE_FUNCTION void operator()(Index i) const { write(i, read(i), offset); }

  PENCILBOX_DEVICE_FUNCTION Row read(Index i) const {
    const Index old = order != nullptr ? order[i] : i;
    return {from.position[old],
            from.velocity[old],
            known_kick<State>(kick, old),
            from.cell[old],
            order != nullptr ? 0 : ticket[i],
            from.id[old],
            from.image[old],
            several_types ? from.type[old] : 0};
  }

  /// `begin_of`: [parts] the first particle of each.
  template <class Offsets>
  PENCILBOX_DEVICE_FUNCTION void write(Index i, const Row& row, const Offsets& begin_of) const {
    if (clears) next.clear(i, particles);
    if (order != nullptr ? i >= begin_of[next.parts] : row.ticket == nobody) return;
    const Vec3<State> then = ahead(row.position, row.velocity, row.kick);
    const Index now =
        order != nullptr ? i : begin_of[parts.number(side, row.cell, then)] + row.ticket;
    if (places != nullptr) places[order != nullptr ? order[i] : i] = now;
    if (reference != nullptr) {
      const auto type = static_cast<typename PackedPosition<Pair>::Type>(row.type);
      reference[now] = {coordinates(then), type};
    }
    to.position.store(now, row.position);
    const Vec3<Pair> seen = coordinates(row.position);
    if constexpr (separate_pair_position) {
      if (pair_position.x != nullptr) pair_position.store(now, seen);
    }
    to.velocity.store(now, row.velocity);
    to.cell[now] = row.cell;
    to.id[now] = row.id;
    to.image.store(now, row.image);
    if (several_types) to.type[now] = row.type;
    if (on_ring == nullptr) return;
    const Index column = row.cell - row.cell / columns * columns;
    on_ring[now] = RingPosition<Pair>::of(column, row.position, seen, units_on_ring, row.type);
  }
};

/// Where parts are few, each block scans the counts for itself: a launch less.
template <class Precision>
struct ScanAndReorder {
  static constexpr const char* name = "binning: scan and reorder";
  static constexpr int threads = 256;
  static constexpr int max_threads = threads;
  static constexpr Index most_parts = 4096;
  Reorder<Precision> reorder;
  const Index* counts;
  Index* offset;  ///< [parts + 1] for whoever comes after

  static std::size_t bytes(Index parts) {
    return (static_cast<std::size_t>(parts) + 1 + threads / 32) * sizeof(Index);
  }

  PENCILBOX_DEVICE_FUNCTION void operator()(const Block& block) const {
    const Index parts = reorder.next.parts;
    const auto begin_of = block.shared<Index>(parts + 1);
    const auto warp_sums = block.shared<Index>(warps_of(block));
    const std::int64_t i = block.index() * block.threads() + block.thread();
    const bool is_there = i < reorder.particles;
    typename Reorder<Precision>::Row row{};
    if (is_there) row = reorder.read(static_cast<Index>(i));  // arrives while counts are summed up
    for (Index c = block.thread(); c < parts; c += block.threads()) begin_of[c] = counts[c];
    block.barrier();
    block_exclusive_sum(block, begin_of, parts, warp_sums);
    if (block.index() == 0) {
      for (Index c = block.thread(); c <= parts; c += block.threads()) offset[c] = begin_of[c];
    }
    if (is_there) reorder.write(static_cast<Index>(i), row, begin_of);
  }
};

}  // namespace pencilbox::PENCILBOX_DEVICE
