#include "neighbor/cells/binning.hpp"

#include <bit>
#include <utility>

#include "core/few_threads.hpp"
#include "neighbor/cells/missed_pairs.hpp"
#include "neighbor/cells/order_in_halves.hpp"
#include "neighbor/walks/warp_scan.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

namespace {

/// Pointers of a ParticleState.
template <class State>
struct StateView {
  Vec3View<State> position, velocity;
  Index* cell;
  ParticleId* id;
  std::int32_t* type;
  Vec3View<std::int32_t> image;
};

template <class Precision>
StateView<typename Precision::State> view_of(ParticleState<Precision>& s) {
  return {s.position.view(), s.velocity.view(), s.cell.data(),
          s.id.data(),       s.type.data(),     s.image.view()};
}

/// What arrivals count.
struct Counters {
  Index* counts;  ///< [parts]
  Index parts;

  /// Back to zero for the next arrivals: `threads` of them do it, this is number i.
  PENCILBOX_DEVICE_FUNCTION void clear(Index i, Index threads) const {
    for (std::int64_t c = i; c < parts; c += threads) counts[c] = 0;
  }
};

struct ClearCounts {
  static constexpr const char* name = "binning: clear counts";
  Index* counts;

  PENCILBOX_DEVICE_FUNCTION void operator()(Index part) const { counts[part] = 0; }
};

/// None, where an order lasts one step only.
template <class State, class Pair>
PENCILBOX_DEVICE_FUNCTION Vec3<State> known_kick(const Vec3View<const Pair>& kick, Index i) {
  return kick.x == nullptr ? Vec3<State>{} : kick[i].template to<State>();
}

template <class Precision>
struct ArriveWhereTheyAre {
  static constexpr const char* name = "binning: assign cells";
  using State = typename Precision::State;
  IntoCells<State> into_cells;
  Vec3View<const State> velocity;
  Vec3View<const typename Precision::Pair> kick;
  LookAhead<Precision> ahead;
  StepNumber step;

  PENCILBOX_DEVICE_FUNCTION void operator()(Index i) const {
    into_cells.assign_cell(i, into_cells.position[i], velocity[i], known_kick<State>(kick, i),
                           ahead, step);
  }
};

/// The part of its cell that a particle is in, or will be.
template <class Precision>
struct PartOf {
  using State = typename Precision::State;
  CellParts parts;
  Vec3<State> side;
  const Index* cell;
  Vec3View<const State> position, velocity;
  Vec3View<const typename Precision::Pair> kick;
  LookAhead<Precision> ahead;

  PENCILBOX_DEVICE_FUNCTION Index operator()(Index i) const {
    return parts.number(side, cell[i], ahead(position[i], velocity[i], known_kick<State>(kick, i)));
  }
};

template <class Precision>
struct CountInParts {
  static constexpr const char* name = "binning: count";
  PartOf<Precision> part_of;
  Index* counts;
  Index* ticket;

  PENCILBOX_DEVICE_FUNCTION void operator()(Index i) const {
    take_ticket(counts + part_of(i), ticket + i);
  }
};

template <class Precision>
struct MakeKeys {
  static constexpr const char* name = "binning: make keys";
  PartOf<Precision> part_of;
  const ParticleId* id;
  const Index* ticket;
  std::uint64_t* keys;
  Index* order;
  Index parts;
  int id_bits;

  /// Nobody's come last.
  PENCILBOX_DEVICE_FUNCTION void operator()(Index i) const {
    const Index part = ticket[i] == nobody ? parts : part_of(i);
    keys[i] = static_cast<std::uint64_t>(part) << id_bits | static_cast<std::uint64_t>(id[i]);
    order[i] = i;
  }
};

/// From the first particle of each part to that of each cell.
struct OffsetsOfCells {
  static constexpr const char* name = "binning: offsets of cells";
  const Index* part_offset;  ///< null: parts are whole cells
  Index* offset;             ///< [cells + 1]
  Index cells, parts_of_a_cell;

  PENCILBOX_DEVICE_FUNCTION Index first_of(Index cell) const {
    return part_offset[cell * parts_of_a_cell];
  }
  PENCILBOX_DEVICE_FUNCTION void operator()(Index cell) const { offset[cell] = first_of(cell); }
  /// `threads` of them do all, this is number i.
  PENCILBOX_DEVICE_FUNCTION void find(Index i, Index threads) const {
    if (part_offset == nullptr) return;
    for (std::int64_t cell = i; cell <= cells; cell += threads) {
      (*this)(static_cast<Index>(cell));
    }
  }
};

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

/// Takes the new order back to the arrays that everybody knows.
template <class Precision>
struct SettleOrder {
  static constexpr const char* name = "binning: settle";
  using State = typename Precision::State;
  using Pair = typename Precision::Pair;
  StateView<State> from, to;
  PackedPosition<Pair>* packed;
  PairCoordinates<State, Pair> coordinates;
  bool several_types;
  OffsetsOfCells offsets;  ///< are found in passing
  Index particles;

  PENCILBOX_DEVICE_FUNCTION void operator()(Index i) const {
    offsets.find(i, particles);
    const Vec3<State> position = from.position[i];
    const std::int32_t type = several_types ? from.type[i] : 0;
    to.position.store(i, position);
    packed[i] = {coordinates(position), static_cast<typename PackedPosition<Pair>::Type>(type)};
    to.velocity.store(i, from.velocity[i]);
    to.cell[i] = from.cell[i];
    to.id[i] = from.id[i];
    to.image.store(i, from.image[i]);
    if (several_types) to.type[i] = type;
  }
};

/// The same, and those of a cell in an order of halves: a team a cell, 32 of its particles at a
/// time.
template <class Precision>
struct SettleInHalves {
  static constexpr const char* name = "binning: settle in halves";
  static constexpr int max_threads = 128;
  static constexpr int min_blocks = 8;
  using State = typename Precision::State;
  using Pair = typename Precision::Pair;
  StateView<State> from, to;
  PackedPosition<Pair>* reference;  ///< [N] changes its order, too
  PackedPosition<Pair>* packed;
  PairCoordinates<State, Pair> coordinates;
  bool several_types;
  OffsetsOfCells offsets;  ///< are found in passing
  Vec3<Pair> side;         ///< of a cell [sigma]
  Index* place;            ///< [N] where what was in a row is now; null: nobody asks

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
    const Vec3<State> position = from.position[source], velocity = from.velocity[source];
    const Vec3<std::int32_t> image = from.image[source];
    const ParticleId id = from.id[source];
    const Index cell = from.cell[source];
    reference[i] = its_place;
    to.position.store(i, position);
    packed[i] = {coordinates(position), its_place.type};
    to.velocity.store(i, velocity);
    to.cell[i] = cell;
    to.id[i] = id;
    to.image.store(i, image);
    if (several_types) to.type[i] = static_cast<std::int32_t>(its_place.type);
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

template <class Precision>
struct PackPositions {
  static constexpr const char* name = "binning: pack positions";
  using Pair = typename Precision::Pair;
  using State = typename Precision::State;
  Vec3View<const State> position;
  const std::int32_t* type;
  PackedPosition<Pair>* packed;
  PairCoordinates<State, Pair> coordinates;
  bool several_types;

  PENCILBOX_DEVICE_FUNCTION void operator()(Index i) const {
    packed[i] = {coordinates(position[i]),
                 static_cast<typename PackedPosition<Pair>::Type>(several_types ? type[i] : 0)};
  }
};

/// On another lattice, as a list would be made of them that is resumed.
template <class Precision>
struct RoundReferences {
  static constexpr const char* name = "binning: round references";
  using Pair = typename Precision::Pair;
  PackedPosition<Pair>* reference;
  PairCoordinates<typename Precision::State, Pair> coordinates;

  PENCILBOX_DEVICE_FUNCTION void operator()(Index i) const {
    Vec3<Pair>& place = reference[i].position;
    place = coordinates(place.template to<typename Precision::State>());
  }
};

/// From where a list's places are gathered to arrays of coordinates.
template <class Precision>
struct SpreadReferences {
  static constexpr const char* name = "binning: spread references";
  using State = typename Precision::State;
  const PackedPosition<typename Precision::Pair>* reference;
  Vec3View<State> to;

  PENCILBOX_DEVICE_FUNCTION void operator()(Index i) const {
    to.store(i, reference[i].position.template to<State>());
  }
};

template <class Pair>
struct CopyMirror {
  static constexpr const char* name = "binning: turn the mirror";
  const PackedPosition<Pair>* from;
  PackedPosition<Pair>* to;

  PENCILBOX_DEVICE_FUNCTION void operator()(Index i) const { to[i] = from[i]; }
};

template <class Pair>
struct PadMirror {
  static constexpr const char* name = "binning: pad the mirror";
  PackedPosition<Pair>* behind_the_last;

  PENCILBOX_DEVICE_FUNCTION void operator()(Index) const {
    *behind_the_last = PackedPosition<Pair>::padding();
  }
};

struct LargestCell {
  static constexpr const char* name = "binning: largest cell";
  const Index* offset;
  Index* largest;

  PENCILBOX_DEVICE_FUNCTION void operator()(Index cell) const {
    atomic_max(largest, offset[cell + 1] - offset[cell]);
  }
};

constexpr int id_bits = 31;

/// One particle in so many may stray, and some where there are few: more than these cost as much as
/// the steps that a list lasts longer. But on several ranks others would be too many than on one.
constexpr Index particles_a_stray = 64;
constexpr Index few_strays = 256;
/// That look around strays: as many as are on a GPU at once.
constexpr LaunchShape looking_blocks{emulates_blocks ? 1 : 1056, emulates_blocks ? 32 : 128};

}  // namespace

template <class Precision>
Binning<Precision>::Binning(const CellGrid& grid, const OrderRules& rules, Stream& stream)
    : grid_(grid), rules_(rules) {
  counts_.resize(parts() + 1);
  next_counts_.resize(parts() + 1);
  offset_.resize(grid.count() + 1);
  if (rules.parts.count > 1) part_offset_.resize(parts() + 1);
  largest_.resize(1);
  failure_.resize(1);
  counts_.fill_bytes(0, stream);
  next_counts_.fill_bytes(0, stream);
  offset_.fill_bytes(0, stream);
  failure_.fill_bytes(0xff, stream);
}

template <class Precision>
void Binning<Precision>::reserve(const Particles<Precision>& particles, Stream& stream) {
  const Index count = particles.count;
  reserve_rows(count, stream);
  ticket_.resize(count);
  if (rules_.deterministic) {
    order_.resize(count);
    keys_.resize(count);
  }
  if (rules_.lasts == OrderLasts::while_near) {
    const bool grows = count > kick_.x.size();
    kick_.resize(count);
    if (grows) kick_.fill_bytes(0, stream);  // ranks copy rows that are nobody's, too
    for (auto* packed : {&packed_[0], &packed_[1], &reference_}) {
      reserve_packed(count, *packed, stream);
    }
    if (places_ != nullptr) tell_places(places_);
    reserve_strays(count, stream);
  } else if constexpr (Reorder<Precision>::separate_pair_position) {
    if (!is_on_ring()) {
      const bool grows = count > pair_position_.x.size();
      pair_position_.resize(count);
      if (grows) pair_position_.fill_bytes(0, stream);
    }
  }
  reserve_ring(count, stream);
}

template <class Precision>
void Binning<Precision>::reserve_strays(Index count, Stream& stream) {
  if (!allows_strays()) return;
  const bool is_new = stray_count_.size() == 0;
  stray_count_.resize(2);
  if (is_new) stray_count_.fill_bytes(0, stream);
  const Index most = rules_.deterministic ? count : count / particles_a_stray + few_strays;
  stray_.resize(2 * std::int64_t{most});
}

template <class Precision>
StraysView Binning<Precision>::strays() {
  if (!allows_strays()) return {};
  return {stray_count_.data(), stray_.data(), static_cast<Index>(stray_.size() / 2)};
}

template <class Precision>
void Binning<Precision>::look_for_missed_pairs(const Particles<Precision>& particles,
                                               StepControl* control, std::int32_t unit,
                                               std::int32_t mirror, Stream& stream) {
  if (!allows_strays()) return;
  const AroundStrays<Precision> around{strays(),
                                       unit,
                                       grid_.view<State>(),
                                       offset_.data(),
                                       particles.state.cell.data(),
                                       packed_[static_cast<std::size_t>(mirror) % 2].data(),
                                       reference_.data(),
                                       static_cast<State>(rules_.bounds.cutoff),
                                       static_cast<State>(rules_.bounds.listed),
                                       control};
  if constexpr (emulates_blocks) {
    if (!works_in_blocks_) {
      for_each_of(
          stream, [around] { return around.strays.number(around.unit); },
          FindMissedPairsOfOne<Precision>{around});
      return for_each(stream, 1, ForgetStrays{around.strays, unit + 1});
    }
  }
  launch(stream, looking_blocks, FindMissedPairs<Precision>{around});
}

template <class Precision>
void Binning<Precision>::reserve_ring(Index count, Stream& stream) {
  if (!is_on_ring()) return;
  const Index places = count + RingPosition<typename Precision::Pair>::behind_the_last;
  const bool grows = places > on_ring_.size();
  on_ring_.resize(places);
  if (grows) on_ring_.fill_bytes(0, stream);
}

/// Rows behind the last particle of an order in which some were left out keep what stood there:
/// some place, cell, name and type at least.
template <class Precision>
void Binning<Precision>::reserve_rows(Index count, Stream& stream) {
  const bool grows = count > other_.cell.size();
  other_.resize(count);
  if (!grows) return;
  other_.position.fill_bytes(0, stream);
  other_.velocity.fill_bytes(0, stream);
  other_.image.fill_bytes(0, stream);
  other_.cell.fill_bytes(0, stream);
  other_.id.fill_bytes(0, stream);
  other_.type.fill_bytes(0, stream);
}

/// Rows that nobody has written are some type's: where letters between ranks were too short, forces
/// are computed of such, in vain.
template <class Precision>
void Binning<Precision>::reserve_packed(Index count,
                                        Buffer<PackedPosition<typename Precision::Pair>>& packed,
                                        Stream& stream) {
  if (packed.size() == count + 1) return;
  packed.resize(count + 1);
  packed.fill_bytes(0, stream);
  for_each(stream, 1, PadMirror<typename Precision::Pair>{packed.data() + count});
}

/// Of particles as they lie now.
template <class Precision>
auto Binning<Precision>::part_of(const Particles<Precision>& particles,
                                 const LookAhead<Precision>& ahead) const {
  const auto& state = particles.state;
  return PartOf<Precision>{rules_.parts,
                           grid_.view<State>().side,
                           state.cell.data(),
                           state.position.view(),
                           state.velocity.view(),
                           kick(),
                           ahead};
}

template <class Precision>
void Binning<Precision>::order_by_id(Particles<Precision>& particles,
                                     const LookAhead<Precision>& ahead, Stream& stream) {
  for_each(stream, particles.count,
           MakeKeys<Precision>{part_of(particles, ahead), particles.state.id.data(), ticket_.data(),
                               keys_.data(), order_.data(), parts(), id_bits});
  const int part_bits = std::bit_width(static_cast<unsigned>(parts()));
  // The sort passes no gate: what it does to keys that are no longer used does no harm.
  const GatedStream<Stream> open(stream, {});
  sort_(keys_, order_, id_bits + part_bits, stream);
}

template <class Precision>
void Binning<Precision>::count_anew(Stream& stream) {
  for_each_in_few_threads(stream, parts() + 1, ClearCounts{counts_.data()});
}

template <class Precision>
void Binning<Precision>::run(Particles<Precision>& particles, StepNumber step, Profiler& profiler,
                             Stream& stream, const LookAhead<Precision>& ahead) {
  reserve(particles, stream);
  profiler.begin(Region::bin, stream);
  count_anew(stream);
  const Vec3Buffer<State>& velocity = particles.state.velocity;
  for_each(
      stream, particles.count,
      ArriveWhereTheyAre<Precision>{arrival(particles, step, nullptr, 0).into_cells,
                                    velocity.view(), std::as_const(*this).kick(), ahead, step});
  order_arrived(particles, profiler, stream, ahead);
}

/// A little less than an order can bear: so a particle is near its place to begin with, however it
/// is rounded.
template <class Precision>
auto Binning<Precision>::look_ahead(const StepControl* control, const ListAges& ages,
                                    double timestep) const -> LookAhead<Precision> {
  constexpr double share = 0.98;
  if (rules_.lasts == OrderLasts::one_step) return {};
  return {true,
          control,
          ages.list,
          ages.before,
          static_cast<State>(0.5 * timestep),
          static_cast<State>(share * rules_.bounds.most_displacement),
          coordinates()};
}

template <class Precision>
Arrival<Precision> Binning<Precision>::arrival(Particles<Precision>& particles, StepNumber step,
                                               StepControl* control, std::int32_t unit) {
  ParticleState<Precision>& state = particles.state;
  Arrival<Precision> arrival;
  arrival.into_cells = {grid_.view<State>(), state.position.view(), state.image.view(),
                        state.cell.data(),   state.id.data(),       rules_.parts,
                        counts_.data(),      ticket_.data(),        failure_.data()};
  arrival.step = step;
  arrival.unit = unit;
  if (rules_.lasts == OrderLasts::one_step) return arrival;
  const auto squared = [](double length) { return static_cast<State>(length * length); };
  arrival.then = Arrival<Precision>::Then::under_watch;
  arrival.under_watch = {state.position.view(),
                         reference_.data(),
                         kick_.view(),
                         packed_[static_cast<std::size_t>(unit) % 2].data(),
                         coordinates(),
                         squared(rules_.bounds.most_displacement),
                         squared(rules_.bounds.farthest),
                         strays(),
                         control};
  return arrival;
}

/// Those under watch have two mirrors anyway, and nothing else of them is read by others.
template <class Precision>
Arrival<Precision> Binning<Precision>::arrival_apart(Particles<Precision>& particles,
                                                     StepNumber step, StepControl* control,
                                                     std::int32_t unit) {
  Arrival<Precision> apart = arrival(particles, step, control, unit);
  apart.into_cells.position = other_.position.view();
  return apart;
}

template <class Precision>
void Binning<Precision>::moved_apart(Particles<Precision>& particles) {
  if (rules_.lasts == OrderLasts::one_step) particles.state.position.swap(other_.position);
}

template <class Precision>
void Binning<Precision>::order_arrived(Particles<Precision>& particles, Profiler& profiler,
                                       Stream& stream, const LookAhead<Precision>& ahead) {
  if (rules_.deterministic) order_by_id(particles, ahead, stream);
  scan_and_reorder(particles, ahead, profiler, stream);
  const OffsetsOfCells offsets{part_offset_.data(), offset_.data(), grid_.count(),
                               rules_.parts.count};
  if (rules_.lasts == OrderLasts::while_near) {
    if (is_in_halves()) return settle_in_halves(particles, stream);
    for_each(stream, particles.count,
             SettleOrder<Precision>{view_of(other_), view_of(particles.state), packed_[0].data(),
                                    coordinates(), particles.types > 1, offsets, particles.count});
    return;
  }
  if (rules_.parts.count > 1) for_each(stream, grid_.count() + 1, offsets);
  if (particles.types == 1) other_.type.swap(particles.state.type);
  std::swap(particles.state, other_);
  counts_.swap(next_counts_);
}

template <class Precision>
void Binning<Precision>::settle_in_halves(Particles<Precision>& particles, Stream& stream) {
  using Settle = SettleInHalves<Precision>;
  const Index cells = grid_.count();
  launch(stream, Settle::launch_shape(cells),
         Settle{view_of(other_),
                view_of(particles.state),
                reference_.data(),
                packed_[0].data(),
                coordinates(),
                particles.types > 1,
                {part_offset_.data(), offset_.data(), cells, rules_.parts.count},
                grid_.view<State>().side.template to<typename Precision::Pair>(),
                settled_.data()});
  if (places_ == nullptr) return;
  for_each(stream, particles.count, FollowSettled{ticket_.data(), settled_.data(), places_});
}

template <class Precision>
void Binning<Precision>::scan_and_reorder(Particles<Precision>& particles,
                                          const LookAhead<Precision>& ahead, Profiler& profiler,
                                          Stream& stream) {
  const Counters next{next_counts_.data(), parts()};
  Index* const offset = rules_.parts.count == 1 ? offset_.data() : part_offset_.data();
  const Reorder<Precision> reorder{view_of(particles.state),
                                   view_of(other_),
                                   pair_position_.view(),
                                   ticket_.data(),
                                   offset,
                                   rules_.deterministic ? order_.data() : nullptr,
                                   particles.types > 1,
                                   next,
                                   rules_.lasts == OrderLasts::one_step,
                                   particles.count,
                                   rules_.parts,
                                   std::as_const(*this).kick(),
                                   ahead,
                                   coordinates(),
                                   reference_.data(),
                                   grid_.view<State>().side,
                                   places_,
                                   on_ring_.data(),
                                   grid_.cells[0],
                                   RingPosition<typename Precision::Pair>::units(grid_.side[0])};
  const bool scans_itself = works_in_blocks_ && parts() <= ScanAndReorder<Precision>::most_parts;
  if (!scans_itself) {
    // The library's scan passes no gate; scanned once more, the same counts give the same offsets.
    const GatedStream<Stream> open(stream, {});
    scan_(counts_.data(), offset, parts() + 1, stream);
  }
  profiler.begin(Region::reorder, stream);
  if (!scans_itself) return for_each(stream, particles.count, reorder);
  using Kernel = ScanAndReorder<Precision>;
  const LaunchShape shape{divide_up(particles.count, Kernel::threads), Kernel::threads,
                          Kernel::bytes(parts())};
  launch(stream, shape, Kernel{reorder, counts_.data(), offset});
}

template <class Precision>
void Binning<Precision>::restore_order(Particles<Precision>& particles, Stream& stream) {
  reserve(particles, stream);
  Profiler not_profiled;
  not_profiled.pause();
  count_anew(stream);
  const LookAhead<Precision> here = look_ahead(nullptr, {}, 0.0);
  for_each(stream, particles.count,
           CountInParts<Precision>{part_of(particles, here), counts_.data(), ticket_.data()});
  order_arrived(particles, not_profiled, stream, here);
}

template <class Precision>
void Binning<Precision>::renew_mirror(const Particles<Precision>& particles, Stream& stream) {
  for_each(stream, particles.count,
           PackPositions<Precision>{particles.state.position.view(), particles.state.type.data(),
                                    packed_[0].data(), coordinates(), particles.types > 1});
}

template <class Precision>
void Binning<Precision>::change_lattice(double spacing, const Particles<Precision>& particles,
                                        Stream& stream) {
  rules_.spacing = spacing;
  if (rules_.lasts == OrderLasts::one_step) return;
  renew_mirror(particles, stream);
  for_each(stream, particles.count, RoundReferences<Precision>{reference_.data(), coordinates()});
}

template <class Precision>
void Binning<Precision>::turn_mirror(Index particles, Stream& stream) {
  using Pair = typename Precision::Pair;
  for_each_in_few_threads(stream, particles,
                          CopyMirror<Pair>{packed_[1].data(), packed_[0].data()});
}

template <class Precision>
BinnedParticles<Precision> Binning<Precision>::view(const Particles<Precision>& particles,
                                                    std::int32_t unit) const {
  using Pair = typename Precision::Pair;
  BinnedParticles<Precision> binned;
  binned.count = particles.count;
  binned.rows = particles.count;
  binned.offset = offset_.data();
  if (rules_.parts.count > 1) binned.part_offset = part_offset_.data();
  binned.cell = particles.state.cell.data();
  binned.state_position = particles.state.position.view();
  binned.grid = grid_.view<Pair>();
  binned.lattice = rules_.spacing;
  if (binned.on_lattice()) binned.grid.side = coordinates()(grid_.view<State>().side);
  if constexpr (Reorder<Precision>::separate_pair_position) {
    binned.position = pair_position_.view();
  } else {
    binned.position = particles.state.position.view();
  }
  binned.packed = packed_[static_cast<std::size_t>(unit) % 2].data();
  binned.on_ring = on_ring_.data();
  binned.type = particles.state.type.data();
  binned.stay_near = grid_.fully_periodic();
  return binned;
}

template <class Precision>
BinnedParticles<Precision> Binning<Precision>::view_for_list(const Particles<Precision>& particles,
                                                             Stream& stream) {
  BinnedParticles<Precision> binned = view(particles);
  if (rules_.lasts == OrderLasts::one_step) return binned;
  binned.packed = reference_.data();
  binned.state_position = {};
  if (!emulates_blocks) return binned;
  spread_reference(other_.position, static_cast<Index>(other_.cell.size()), stream);
  binned.state_position = std::as_const(other_.position).view();
  return binned;
}

template <class Precision>
void Binning<Precision>::copy_reference(Vec3Buffer<State>& to, Index rows, Stream& stream) const {
  to.resize(rows);
  spread_reference(to, rows, stream);
}

template <class Precision>
void Binning<Precision>::spread_reference(Vec3Buffer<State>& to, Index rows, Stream& stream) const {
  for_each(stream, rows, SpreadReferences<Precision>{reference_.data(), to.view()});
}

template <class Precision>
BinningHealth Binning<Precision>::health(Stream& stream) {
  largest_.fill_bytes(0, stream);
  for_each(stream, grid_.count(), LargestCell{offset_.data(), largest_.data()});
  const std::uint64_t failure = failure_.download(stream)[0];
  BinningHealth health;
  health.largest_cell = largest_.download(stream)[0];
  health.failed = failure != ~std::uint64_t{0};
  health.failed_step = static_cast<std::int64_t>(failure >> 32U);
  health.failed_id = static_cast<ParticleId>(failure & 0xffffffffU);
  return health;
}

template class Binning<SinglePrecision>;
template class Binning<MixedPrecision>;
template class Binning<DoublePrecision>;

}  // namespace pencilbox::PENCILBOX_DEVICE
