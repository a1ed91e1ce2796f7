// Steps of ranks that keep a list. All of them make it anew before the same step: whoever has moved
// too far says so with its positions, and what was enqueued behind that does nothing.
#include <algorithm>
#include <deque>

#include "app/ranks/rank_team.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

namespace {

/// Of the profile: with the list that they begin with.
constexpr std::int64_t lists_a_sample = 8;

}  // namespace

template <class Precision>
void RankTeam<Precision>::order_and_list() {
  for (auto& domain : domains_) domain->show_own();
  exchange_letters();
  for (auto& domain : domains_) domain->order_and_list();
  list_age_ = 0;
}

/// Of what has no order yet. A list that was there before is as old as it was.
template <class Precision>
void RankTeam<Precision>::list_what_is_owned() {
  const std::int64_t age = list_age_;
  for (auto& domain : domains_) domain->stay_where_they_are();
  order_and_list();
  is_ordered_ = true;
  if (!is_list_old_) return;
  list_age_ = age;
  for (auto& domain : domains_) domain->return_to_present();
  for (auto& domain : domains_) domain->open(0);
  exchange_positions(0);
}

template <class Precision>
void RankTeam<Precision>::list_anew() {
  ++list_.rebuilds;
  list_.steps += list_age_;
  list_.longest = std::max(list_.longest, list_age_);
  list_.shortest = list_.shortest == 0 ? list_age_ : std::min(list_.shortest, list_age_);
  const auto interval = static_cast<std::int32_t>(list_age_);
  const bool is_short = interval < expected_interval_ - expected_interval_ / 8 - 1;
  if (interval > expected_interval_ || is_short) expected_interval_ = interval;
  for (auto& domain : domains_) domain->settle();
  exchange_letters();
  for (auto& domain : domains_) domain->take_emigrants();
  order_and_list();
}

/// Those beyond the next list are launched in vain, and for those that lack the host is waited for.
template <class Precision>
std::int32_t RankTeam<Precision>::units_at_once(std::int64_t left) const {
  constexpr std::int64_t at_first = 16, most = 128;
  const std::int64_t by_interval =
      expected_interval_ == 0 ? at_first : std::min<std::int64_t>(most, expected_interval_ + 1);
  return static_cast<std::int32_t>(std::min(left, by_interval));
}

/// Where everybody is now, for unit `unit`. Whether the host knows already that it is not to be.
template <class Precision>
bool RankTeam<Precision>::exchange_positions(std::int32_t unit) {
  begin_region(Region::exchange);
  for (auto& domain : domains_) domain->send_positions();
  bool is_due = false;
  if (is_direct_) {
    for (auto& domain : domains_) domain->wait_for_positions(unit);
  } else {
    carry_letters_through_host();
    for (auto& domain : domains_) is_due = domain->is_due() || is_due;
    is_due = is_any(is_due);
    if (is_due) {
      for (auto& domain : domains_) domain->stop_before(unit);
    }
  }
  for (auto& domain : domains_) domain->take_positions(unit);
  begin_region(Region::end);  // of the sample: what follows may be none
  return is_due;
}

template <class Precision>
void RankTeam<Precision>::run_units(std::int32_t units) {
  for (auto& domain : domains_) domain->open(units);
  for (std::int32_t k = 0; k < units; ++k) {
    std::deque<GatedStream<Stream>> gated;
    for (auto& domain : domains_) {
      // Where the host carries letters it knows when to stop, and copies pass no gate.
      if (is_direct_) gated.emplace_back(domain->stream(), domain->gate_of(k));
    }
    for (auto& domain : domains_) domain->compute_unit(k);
    if (domains_.front()->integrator().sums_in_steps()) sum_kinetic_energy(Velocities::kicked);
    for (auto& domain : domains_) domain->watch_both_halves(k);
    if (exchange_positions(k + 1)) return;
  }
}

template <class Precision>
bool RankTeam<Precision>::is_sample_of_lists() const {
  return list_.rebuilds % lists_a_sample == 1;
}

template <class Precision>
void RankTeam<Precision>::advance_by_units(std::int64_t steps, Wanted of_the_last) {
  Profiler& profiler = domains_.front()->profiler();
  if (!is_ordered_) list_what_is_owned();
  for (auto& domain : domains_) {
    domain->open(0);
    domain->watch_first_half();
  }
  exchange_positions(0);
  for (auto& domain : domains_) domain->begin_units();
  std::int64_t left = steps - 1;
  while (true) {
    typename Domain::Settled settled;
    for (auto& domain : domains_) settled = domain->settled();
    left -= settled.units;
    list_age_ += settled.units;
    is_sample_of_lists() ? profiler.sample() : profiler.pause();
    if (settled.is_due) list_anew();
    if (left == 0) break;
    run_units(units_at_once(left));
  }
  profiler.sample();
  compute(of_the_last);
  ++list_age_;
  if (domains_.front()->integrator().sums_in_steps()) sum_kinetic_energy(Velocities::kicked);
  for (auto& domain : domains_) domain->second_half();
}

template class RankTeam<SinglePrecision>;
template class RankTeam<MixedPrecision>;
template class RankTeam<DoublePrecision>;

}  // namespace pencilbox::PENCILBOX_DEVICE
