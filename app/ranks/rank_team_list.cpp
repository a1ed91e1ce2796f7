// Steps of ranks that keep a list. All of them make it anew before the same step: whoever has moved
// too far says so with its positions, and what was enqueued behind that does nothing.
#include <algorithm>
#include <deque>

#include "app/ranks/rank_team.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

namespace {

/// That one list may last.
constexpr std::int64_t most_units = 1 << 20;

}  // namespace

template <class Precision>
void RankTeam<Precision>::order_and_list() {
  for (auto& domain : domains_) domain->show_own();
  exchange_letters();
  for (auto& domain : domains_) domain->order_and_list();
  ages_.list = 0;
}

/// Of what has no order yet. A list that was there before is as old as it was.
template <class Precision>
void RankTeam<Precision>::list_what_is_owned() {
  const std::int32_t age = ages_.list;
  for (auto& domain : domains_) domain->look_ahead({});
  for (auto& domain : domains_) domain->stay_where_they_are();
  order_and_list();
  is_ordered_ = true;
  if (is_list_old_) {
    ages_.list = age;
    for (auto& domain : domains_) domain->return_to_present();
  } else {
    ages_.before = 0;
  }
  tell_present_positions();
}

/// A list was made of places: own particles are where they are, copies are not.
template <class Precision>
void RankTeam<Precision>::tell_present_positions() {
  open(0);
  exchange_positions(0);
}

template <class Precision>
void RankTeam<Precision>::open(std::int32_t units) {
  for (auto& domain : domains_) domain->open(units, ages_);
}

template <class Precision>
void RankTeam<Precision>::count_interval() {
  const std::int64_t interval = ages_.list;
  ++list_.rebuilds;
  list_.steps += interval;
  list_.longest = std::max(list_.longest, interval);
  list_.shortest = list_.shortest == 0 ? interval : std::min(list_.shortest, interval);
}

/// One that was of no use, since some rank's rows were too short, is made once more, in the order
/// and of the places of the first.
template <class Precision>
void RankTeam<Precision>::list_anew() {
  for (auto& domain : domains_) domain->grow_rows();
  if (ages_.list == 0) {
    for (auto& domain : domains_) domain->list();
  } else {
    list_what_has_moved();
  }
  tell_present_positions();
}

template <class Precision>
void RankTeam<Precision>::list_what_has_moved() {
  count_interval();
  for (auto& domain : domains_) domain->look_ahead(ages_);
  ages_.before = ages_.list;
  for (auto& domain : domains_) domain->settle();
  exchange_letters();
  for (auto& domain : domains_) domain->take_emigrants();
  order_and_list();
}

/// Where everybody is now, for unit `unit`. Whether the host knows already that it is not to be.
template <class Precision>
bool RankTeam<Precision>::exchange_positions(std::int32_t unit) {
  begin_region(Region::exchange);
  for (auto& domain : domains_) domain->send_positions();
  if (is_direct_) {
    take_turns([](Domain& domain, Turn turn) { domain.exchange_positions(turn); });
  } else {
    for (auto& domain : domains_) domain->exchange_positions(Turn::tell);
    for (auto& domain : domains_) domain->meet_border();
    carry_letters_through_host();
    for (auto& domain : domains_) domain->begin_border();
  }
  for (auto& domain : domains_) domain->take_positions(unit);
  for (auto& domain : domains_) domain->meet_border();
  for (auto& domain : domains_) domain->look_for_missed_pairs(unit);
  const bool is_due = is_list_due(unit);
  begin_region(Region::end);  // of the sample: what follows may be none
  return is_due;
}

template <class Precision>
template <class Say>
void RankTeam<Precision>::take_turns(const Say& say) {
  if (domains_.size() == 1) return say(*domains_.front(), Turn::both);
  for (auto& domain : domains_) say(*domain, Turn::tell);
  for (auto& domain : domains_) say(*domain, Turn::hear);
}

/// Where the device tells, the host does not know.
template <class Precision>
bool RankTeam<Precision>::is_list_due(std::int32_t unit) {
  if (is_direct_) {
    take_turns([unit](Domain& domain, Turn turn) { domain.agree_if_due(turn, unit); });
    return false;
  }
  bool is_due = false;
  for (auto& domain : domains_) is_due = domain->is_due() || is_due;
  is_due = is_any(is_due);
  if (is_due) {
    for (auto& domain : domains_) domain->stop_before(unit);
  }
  return is_due;
}

/// So many, or those until a list is due.
template <class Precision>
void RankTeam<Precision>::run_units(std::int32_t units) {
  open(units);
  if (ages_.list == 0 && is_list_due(0)) return;
  for (std::int32_t k = 0; k < units && domains_.front()->is_time_for(k); ++k) {
    std::deque<GatedStream<Stream>> gated;
    for (auto& domain : domains_) {
      // Where the host carries letters it knows when to stop, and copies pass no gate.
      if (!is_direct_) continue;
      gated.emplace_back(domain->stream(), domain->gate_of(k));
      gated.emplace_back(domain->border_stream(), domain->gate_of(k));
    }
    for (auto& domain : domains_) domain->compute_unit(k);
    if (domains_.front()->integrator().sums_in_steps()) sum_kinetic_energy(Velocities::kicked);
    for (auto& domain : domains_) domain->watch_both_halves(k);
    if (exchange_positions(k + 1)) return;
    domains_.front()->mark_unit(k);
  }
}

template <class Precision>
void RankTeam<Precision>::advance_by_units(std::int64_t steps, Wanted of_the_last) {
  Profiler& profiler = domains_.front()->profiler();
  if (!is_ordered_) list_what_is_owned();
  open(0);
  for (auto& domain : domains_) domain->watch_first_half();
  exchange_positions(0);
  for (auto& domain : domains_) domain->begin_units();
  std::int64_t left = steps - 1;
  while (true) {
    typename Domain::Settled settled;
    for (auto& domain : domains_) settled = domain->settled();
    left -= settled.units;
    ages_.list += settled.units;
    profiler.sample_if(settled.is_due && profiler.is_next_a_sample());
    if (settled.is_due) list_anew();
    if (left == 0) break;
    run_units(static_cast<std::int32_t>(std::min(left, most_units)));
  }
  profiler.sample_if(profiler.lacks_samples());
  compute(of_the_last);
  ++ages_.list;
  if (domains_.front()->integrator().sums_in_steps()) sum_kinetic_energy(Velocities::kicked);
  for (auto& domain : domains_) domain->second_half();
}

template class RankTeam<SinglePrecision>;
template class RankTeam<MixedPrecision>;
template class RankTeam<DoublePrecision>;

}  // namespace pencilbox::PENCILBOX_DEVICE
