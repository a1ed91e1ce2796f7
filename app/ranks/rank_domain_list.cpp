// A rank's part of a step where the back end keeps a list.
#include <algorithm>
#include <utility>

#include "app/ranks/rank_domain.hpp"
#include "core/few_threads.hpp"
#include "core/for_each_of_few.hpp"
#include "neighbor/cells/count_in_parts.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

namespace {

constexpr std::int32_t nothing_heard = -1;

/// Each of its own keeps its row; the others are free, those of copies too.
struct StayWhereTheyAre {
  static constexpr const char* name = "ranks: stay where they are";
  Index* ticket;
  OwnRows own;

  PENCILBOX_DEVICE_FUNCTION void operator()(Index i) const {
    ticket[i] = own(i) ? waits_for_ticket : nobody;
  }
};

/// Who was in a row when the order was made is in another one now.
template <class Precision>
struct ReturnToPresent {
  static constexpr const char* name = "ranks: return to the present";
  using Accumulator = typename Precision::Accumulator;

  const Index* ticket;  ///< with which that order was made
  const Index* place;
  Vec3View<const typename Precision::State> present;
  Vec3View<const Accumulator> present_force;
  Vec3View<typename Precision::State> position;
  Vec3View<Accumulator> force;

  PENCILBOX_DEVICE_FUNCTION void operator()(Index i) const {
    if (ticket[i] == nobody) return;
    position.store(place[i], present[i]);
    force.store(place[i], present_force[i]);
  }
};

/// Each of its own into the cell where it will be, or over to another rank. Copies are left out.
template <class Precision>
struct SettleOwn {
  static constexpr const char* name = "ranks: settle";
  OwnDepartures<Precision> own;

  PENCILBOX_DEVICE_FUNCTION void operator()(Index i) const {
    own(i, [&](const CellCoordinates& home) { own.depart.settle(i, home, own.step); });
  }
};

template <class Precision>
struct ShowOwn {
  static constexpr const char* name = "ranks: show";
  Departures<Precision> depart;
  BordersView borders;

  PENCILBOX_DEVICE_FUNCTION bool concerns(Index i) const { return depart.waits(i); }
  PENCILBOX_DEVICE_FUNCTION void operator()(Index i) const {
    depart.show(i, [&](int to, Index k) { borders.note(to, k, i); });
  }
};

template <class Precision, class Move, HalfSteps halves>
struct WatchOwn {
  static constexpr const char* name = "ranks: move under watch";

  Move move;  ///< its arrival is not asked
  Vec3View<const typename Precision::Accumulator> force;
  Vec3View<typename Precision::State> velocity;
  UnderWatch<Precision> watch;
  OwnRows own;
  Index* most;  ///< particles, ghosts included, so far
  std::int32_t unit;

  PENCILBOX_DEVICE_FUNCTION void operator()(Index i) const {
    if (i == 0 && *own.used > *most) *most = *own.used;
    if (!own(i)) return;
    const MovedParticle<Precision> now = move.template after<halves>(i, force[i]);
    velocity.store(i, now.velocity);
    if (watch.wants_kicks(unit)) {
      watch.note_kick(i, move.basic.half_kick(i, force[i]).twice());
    }
    watch(i, now.position, unit);
  }
};

/// None, where rows of the list turned out to be too short: then it is to be made anew.
struct OpenUnits {
  static constexpr const char* name = "ranks: open units";
  StepControl* control;
  StraysView strays;
  std::int32_t units;
  ListAges ages;
  Index row_capacity;

  PENCILBOX_DEVICE_FUNCTION void operator()(Index) const {
    control->age = ages.list;
    control->age_before = ages.before;
    const bool is_short = control->longest_row > row_capacity;
    control->limit = is_short ? 0 : units;
    control->due = is_short ? 1 : 0;
    strays.forget_all();
  }
};

struct StopBefore {
  static constexpr const char* name = "ranks: stop units";
  StepControl* control;
  std::int32_t unit;

  PENCILBOX_DEVICE_FUNCTION void operator()(Index) const {
    if (unit < control->limit) control->limit = unit;
    control->due = 1;
  }
};

}  // namespace

template <class Precision>
void RankDomain<Precision>::stay_where_they_are() {
  binning_->expect_arrivals(stream_);
  for_each(stream_, particles_.count + mailbox_.slots(), StayWhereTheyAre{tickets(), own_rows()});
}

template <class Precision>
Index* RankDomain<Precision>::tickets() {
  return binning_->arrival(particles_, step(), nullptr, 0).into_cells.ticket;
}

template <class Precision>
void RankDomain<Precision>::look_ahead(const ListAges& ages) {
  ahead_ = binning_->look_ahead(nullptr, ages, timestep_);
}

template <class Precision>
Departures<Precision> RankDomain<Precision>::departures_for_list() {
  Departures<Precision> depart = departures();
  depart.kick = std::as_const(*binning_).kick();
  depart.ahead = ahead_;
  return depart;
}

template <class Precision>
void RankDomain<Precision>::settle() {
  profiler_.begin(Region::bin, stream_);
  binning_->expect_arrivals(stream_);
  for_each(stream_, particles_.count, SettleOwn<Precision>{own_rows_of(departures_for_list())});
}

template <class Precision>
void RankDomain<Precision>::take_emigrants() {
  profiler_.begin(Region::bin, stream_);
  take_in(Coming::emigrants);
}

template <class Precision>
void RankDomain<Precision>::show_own() {
  for_each_of_few(stream_, particles_.count + mailbox_.slots(),
                  ShowOwn<Precision>{departures_for_list(), borders_.view()});
}

/// Rows change places, and what is noted of them follows.
template <class Precision>
void RankDomain<Precision>::order_and_list() {
  const Index rows = particles_.count;
  profiler_.begin(Region::bin, stream_);
  take_in(Coming::ghosts);
  particles_.count = rows + mailbox_.slots();
  binning_->order_arrived(particles_, profiler_, stream_, ahead_);
  for_each(stream_, borders_.places(),
           FollowRows{borders_.view(), borders_.place_of_rows(), mailbox_.last_sent()});
  particles_.count = rows;
  is_ordered_ = true;
  first_mirror_ = 0;
  list();
}

/// Of the places and in the order that there are.
template <class Precision>
void RankDomain<Precision>::list() {
  profiler_.begin(Region::prepare, stream_);
  backend_->rebuild(
      as_this_rank_sees(binning_->view_for_list(particles_, stream_), PartOfTargets::all), stream_);
  profiler_.begin(Region::end, stream_);
}

/// It happens where a run is resumed, and where room was short.
template <class Precision>
void RankDomain<Precision>::return_to_present() {
  for_each(stream_, std::min(present_.count(), particles_.count),
           ReturnToPresent<Precision>{tickets(), borders_.place_of_rows(), present_.position(),
                                      present_.force(), particles_.state.position.view(),
                                      particles_.sums.force.view()});
  binning_->renew_mirror(particles_, stream_);
}

template <class Precision>
void RankDomain<Precision>::begin_units() {
  opened_at_ = step_;
  letters_then_ = mailbox_.exchanges();
  sums_then_ = sums_.exchanges();
}

template <class Precision>
void RankDomain<Precision>::open(std::int32_t units, const ListAges& ages) {
  *heard() = nothing_heard;
  for_each(stream_, 1,
           OpenUnits{control_.data(), binning_->strays(), units, ages, backend_->row_capacity()});
  begin_units();
}

/// One unit is under way and one waits behind it: with more, those behind the last before a list
/// would be launched in vain.
template <class Precision>
bool RankDomain<Precision>::is_time_for(std::int32_t k) {
  const Event& over = unit_is_over_[static_cast<std::size_t>(k % 2)];
  if (k >= 2) over.wait();
  return *static_cast<const volatile std::int32_t*>(heard()) == nothing_heard;
}

template <class Precision>
void RankDomain<Precision>::mark_unit(std::int32_t k) {
  unit_is_over_[static_cast<std::size_t>(k % 2)].record(stream_);
}

/// Numbers of exchanges that have not been are given once more: on all ranks alike, since all have
/// done as many units.
template <class Precision>
auto RankDomain<Precision>::settled() -> Settled {
  const StepControl control = control_.download(stream_)[0];
  note_longest_row(control);
  const auto units = static_cast<std::uint32_t>(control.limit);
  step_ = opened_at_ + control.limit;
  first_mirror_ = mirror_of(control.limit);
  mailbox_.take_back_to(letters_then_ + units);
  sums_.take_back_to(sums_then_ + (shared_->sums_in_steps() ? units : 0));
  return {control.limit, control.due != 0};
}

template <class Precision>
void RankDomain<Precision>::note_longest_row(const StepControl& control) {
  wanted_row_ = control.longest_row;
  longest_row_ = std::max(longest_row_, wanted_row_);
}

/// And some more, since a list that is made in vain costs more.
template <class Precision>
void RankDomain<Precision>::grow_rows() {
  if (wanted_row_ <= backend_->row_capacity()) return;
  backend_->grow_rows(wanted_row_ + wanted_row_ / 8);
  ++times_grown_;
}

/// What those are handed to that move on for unit `unit`.
template <class Precision>
Arrival<Precision> RankDomain<Precision>::watch_for(std::int32_t unit, bool apart) {
  StepControl* const control = control_.data();
  Arrival<Precision> arrival = apart ? binning_->arrival_apart(particles_, step(), control, unit)
                                     : binning_->arrival(particles_, step(), control, unit);
  arrival.under_watch = arrival.under_watch.in(binning_->mirror(mirror_of(unit)));
  return arrival;
}

template <class Precision>
template <HalfSteps halves>
void RankDomain<Precision>::watch(std::int32_t unit) {
  profiler_.begin(Region::integrate, stream_);
  const ParticleMove<Precision> move =
      shared_->move(halves, {particles_, {}, step()}, sums_of_all(), stream_);
  const Vec3Buffer<typename Precision::Accumulator>& force = particles_.sums.force;
  std::visit(
      [&]<class Move>(const Move& one) {
        for_each(stream_, particles_.count,
                 WatchOwn<Precision, Move, halves>{
                     one, force.view(), particles_.state.velocity.view(),
                     watch_for(unit, false).under_watch, own_rows(), most_used_.data(), unit},
                 move_threads(particles_.count));
      },
      move);
}

template <class Precision>
void RankDomain<Precision>::watch_first_half() {
  step_ = opened_at_ + 1;
  watch<HalfSteps::first>(0);
}

template <class Precision>
void RankDomain<Precision>::compute_unit(std::int32_t k) {
  step_ = opened_at_ + k + 1;
  std::optional<KickAndDrift<Precision>> move;
  if (backend_->moves_targets() && !profiler_.sampling()) {
    move = integrator_->kick_and_drift({particles_, watch_for(k + 1, true), step()});
  }
  has_moved_ = move.has_value();
  border_is_ahead_ = has_moved_ && backend_->takes_parts();
  profiler_.begin(Region::force, stream_);
  if (border_is_ahead_) {
    begin_border();
    compute_and_move(k, *move, PartOfTargets::border, border_stream_);
    compute_and_move(k, *move, PartOfTargets::interior, stream_);
  } else if (has_moved_) {
    compute_and_move(k, *move, PartOfTargets::all, stream_);
  } else {
    backend_->compute(view(k), *interaction_, Wanted::forces, particles_.sums, stream_);
  }
  profiler_.begin(Region::end, stream_);
}

template <class Precision>
void RankDomain<Precision>::compute_and_move(std::int32_t unit, const KickAndDrift<Precision>& move,
                                             PartOfTargets part, Stream& stream) {
  backend_->compute_and_move(view(unit, part), *interaction_, move, stream);
}

/// Behind all that is enqueued as yet.
template <class Precision>
void RankDomain<Precision>::begin_border() {
  before_border_.record(stream_);
  before_border_.hold(border_stream_);
}

template <class Precision>
void RankDomain<Precision>::watch_both_halves(std::int32_t k) {
  if (!has_moved_) watch<HalfSteps::both>(k + 1);
}

template <class Precision>
void RankDomain<Precision>::send_positions() {
  if (!std::exchange(border_is_ahead_, false)) begin_border();
  const Outgoing<Precision> outgoing = mailbox_.outgoing(LetterOf::positions);
  for_each_beside(border_stream_, borders_.places(),
                  SendPositions<Precision>{borders_.view(), outgoing.letters,
                                           std::as_const(particles_.state.position).view()});
}

template <class Precision>
void RankDomain<Precision>::exchange_positions(Turn turn) {
  mailbox_.exchange_positions(turn, borders_.view().count, border_stream_);
}

template <class Precision>
void RankDomain<Precision>::meet_border() {
  after_border_.record(border_stream_);
  after_border_.hold(stream_);
}

template <class Precision>
void RankDomain<Precision>::agree_if_due(Turn turn, std::int32_t k) {
  mailbox_.agree_if_due(turn, control_.data(), k, heard());
}

template <class Precision>
bool RankDomain<Precision>::is_due() {
  return control_.download(stream_)[0].due != 0;
}

template <class Precision>
void RankDomain<Precision>::stop_before(std::int32_t k) {
  for_each(stream_, 1, StopBefore{control_.data(), k});
}

template <class Precision>
void RankDomain<Precision>::take_positions(std::int32_t k) {
  for_each_beside(
      border_stream_, mailbox_.slots(),
      TakePositions<Precision>{mailbox_.arrived(), borders_.place_of_rows() + particles_.count,
                               watch_for(k, false).under_watch, k});
}

template <class Precision>
void RankDomain<Precision>::look_for_missed_pairs(std::int32_t k) {
  binning_->look_for_missed_pairs(particles_, control_.data(), k, mirror_of(k), stream_);
}

template <class Precision>
void RankDomain<Precision>::keep_list() {
  control_.upload(std::vector<StepControl>(1), stream_);
  kept_order_ = is_ordered_;
  if (!is_ordered_) return;
  binning_->copy_reference(kept_reference_, particles_.count, stream_);
}

/// The list is made once more, of what it was made of. Who had no order yet is there already.
template <class Precision>
void RankDomain<Precision>::return_to_references() {
  if (!kept_order_) return;
  const Index rows = static_cast<Index>(kept_reference_.x.size());
  present_.take(particles_, rows, stream_);
  copy_rows(particles_.state.position, kept_reference_, rows, stream_);
}

template <class Precision>
void RankDomain<Precision>::add_references(LargeVector<Row>& rows) {
  Vec3Buffer<State> references;
  binning_->copy_reference(references, particles_.count, stream_);
  const LargeVector<Vec3<State>> downloaded = download_vectors(references, stream_);
  const std::size_t count = std::min(rows.size(), downloaded.size());
  for (std::size_t i = 0; i < count; ++i) rows[i].reference = downloaded[i];
}

template class RankDomain<SinglePrecision>;
template class RankDomain<MixedPrecision>;
template class RankDomain<DoublePrecision>;

}  // namespace pencilbox::PENCILBOX_DEVICE
