#include "neighbor/cells/binning.hpp"

#include <bit>
#include <utility>

#include "core/few_threads.hpp"
#include "neighbor/cells/count_in_parts.hpp"
#include "neighbor/cells/mirrors.hpp"
#include "neighbor/cells/missed_pairs.hpp"
#include "neighbor/cells/reorder.hpp"
#include "neighbor/cells/settle.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

namespace {

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
auto Binning<Precision>::offsets_of_cells() {
  return OffsetsOfCells{part_offset_.data(), offset_.data(), grid_.count(), rules_.parts.count};
}

template <class Precision>
void Binning<Precision>::order_arrived(Particles<Precision>& particles, Profiler& profiler,
                                       Stream& stream, const LookAhead<Precision>& ahead) {
  if (rules_.deterministic) order_by_id(particles, ahead, stream);
  scan_and_reorder(particles, ahead, profiler, stream);
  if (rules_.lasts == OrderLasts::while_near) return settle(particles, stream);
  if (rules_.parts.count > 1) for_each(stream, grid_.count() + 1, offsets_of_cells());
  if (particles.types == 1) other_.type.swap(particles.state.type);
  std::swap(particles.state, other_);
  counts_.swap(next_counts_);
}

template <class Precision>
void Binning<Precision>::settle(Particles<Precision>& particles, Stream& stream) {
  const TakeBack<Precision> take_back{view_of(other_), view_of(particles.state), packed_[0].data(),
                                      coordinates(), particles.types > 1};
  if (!is_in_halves()) {
    return for_each(stream, particles.count,
                    SettleOrder<Precision>{take_back, offsets_of_cells(), particles.count});
  }
  using Settle = SettleInHalves<Precision>;
  launch(stream, Settle::launch_shape(grid_.count()),
         Settle{take_back, reference_.data(), offsets_of_cells(),
                grid_.view<State>().side.template to<typename Precision::Pair>(), settled_.data()});
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
