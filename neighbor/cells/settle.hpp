// The third, of an order that lasts: back to the arrays that everybody knows, so that a graph finds
// them there; where blocks work, those of a cell in an order of halves.
#pragma once

#include <cstdint>

#include "core/device/read_ahead.hpp"
#include "core/pair_coordinates.hpp"
#include "neighbor/binned_particles.hpp"
#include "neighbor/cells/count_in_parts.hpp"
#include "neighbor/cells/order_in_halves.hpp"
#include "neighbor/cells/state_view.hpp"
#include "neighbor/walks/team.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

/// Back to the arrays that everybody knows.
template <class Precision>
struct TakeBack {
  using State = typename Precision::State;
  using Pair = typename Precision::Pair;
  StateView<State> from, to;
  PackedPosition<Pair>* packed;
  PairCoordinates<State, Pair> coordinates;
  bool several_types;

  /// Row `source` of the new order, which is of this type, to row i: all is read before any is
  /// written.
  PENCILBOX_DEVICE_FUNCTION void operator()(Index source, Index i, std::int32_t type) const {
    const Vec3<State> position = from.position[source], velocity = from.velocity[source];
    const Vec3<std::int32_t> image = from.image[source];
    const ParticleId id = from.id[source];
    const Index cell = from.cell[source];
    to.position.store(i, position);
    packed[i] = {coordinates(position), static_cast<typename PackedPosition<Pair>::Type>(type)};
    to.velocity.store(i, velocity);
    to.cell[i] = cell;
    to.id[i] = id;
    to.image.store(i, image);
    if (several_types) to.type[i] = type;
  }
};

/// In the order that particles were put in.
template <class Precision>
struct SettleOrder {
  static constexpr const char* name = "binning: settle";
  TakeBack<Precision> take_back;
  OffsetsOfCells offsets;  ///< are found in passing
  Index particles;

  PENCILBOX_DEVICE_FUNCTION void operator()(Index i) const {
    offsets.find(i, particles);
    take_back(i, i, take_back.several_types ? take_back.from.type[i] : 0);
  }
};

/// Those of a cell in an order of halves: a team a cell, 32 of its particles at a time.
template <class Precision>
struct SettleInHalves {
  static constexpr const char* name = "binning: settle in halves";
  static constexpr int max_threads = 128;
  static constexpr int min_blocks = 8;
  using Pair = typename Precision::Pair;
  TakeBack<Precision> take_back;
  PackedPosition<Pair>* reference;  ///< [N] changes its order, too
  OffsetsOfCells offsets;           ///< are found in passing
  Vec3<Pair> side;                  ///< of a cell [sigma]
  Index* place;                     ///< [N] where what was in a row is now; null: nobody asks

  /// A team for each cell, and one for where the last ends.
  static LaunchShape launch_shape(Index cells) {
    return {divide_up(cells + 1, max_threads / Team::lanes), max_threads, 0};
  }

  PENCILBOX_DEVICE_FUNCTION void operator()(const Block& block) const {
    const auto cell = static_cast<Index>(block.index() * Team::count(block) + Team::number(block));
    if (cell <= offsets.cells && Team::lane(block) == 0) offsets(cell);
    IndexRange particles{};
    if (cell < offsets.cells) particles = {offsets.first_of(cell), offsets.first_of(cell + 1)};
    // As often as any team of the warp has some left.
    for (Index first = particles.begin; block.ballot(first < particles.end) != 0;
         first += Team::lanes) {
      settle(block, first, particles.end);
    }
  }

 private:
  PENCILBOX_DEVICE_FUNCTION void settle(const Block& block, Index first, Index end) const {
    const Index i = first + Team::lane(block);
    const bool is_there = i < end;
    PackedPosition<Pair> its_place{};
    if (is_there) its_place = read_ahead(reference + i);
    const OrderInHalves<Pair> order(block, side, its_place.position, is_there);
    const Index source = first + order.source();
    if (is_there) its_place = read_ahead(reference + source);
    block.warp_barrier();  // all have been read before any is written
    if (!is_there) return;
    take_back(source, i, static_cast<std::int32_t>(its_place.type));
    reference[i] = its_place;
    if (place != nullptr) place[source] = i;
  }
};

/// Who asks where rows are now hears where they have settled.
struct FollowSettled {
  static constexpr const char* name = "binning: follow those that settled";
  const Index* ticket;
  const Index* place;
  Index* places;

  PENCILBOX_DEVICE_FUNCTION void operator()(Index i) const {
    if (ticket[i] != nobody) places[i] = place[places[i]];
  }
};

}  // namespace pencilbox::PENCILBOX_DEVICE
