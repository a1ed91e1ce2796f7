#include "app/ranks/rank_team.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <string>
#include <tuple>

#include "app/ranks/dealing_out.hpp"
#include "app/ranks/rank_device.hpp"
#include "core/device/choice.hpp"
#include "core/device/device.hpp"
#include "core/device/peer_memory.hpp"
#include "core/error.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

namespace {

struct PairCounts {
  std::int64_t candidates = 0, partners = 0;
  std::int64_t most_candidates = 0, most_partners = 0;
  std::int64_t longest_row = 0, row_capacity = 0, times_grown = 0;  ///< of a list
};

template <class Counts>
PairCounts sum_of(const Counts& counts) {
  PairCounts sum;
  sum.longest_row = counts.longest_row;
  sum.row_capacity = counts.row_capacity;
  sum.times_grown = counts.times_grown;
  for (const Index number : counts.candidates) {
    sum.candidates += number;
    sum.most_candidates = std::max<std::int64_t>(sum.most_candidates, number);
  }
  for (const Index number : counts.partners) {
    sum.partners += number;
    sum.most_partners = std::max<std::int64_t>(sum.most_partners, number);
  }
  return sum;
}

/// Before anything else is asked of it.
void choose_device_of_its_own(const NodePlace& place, bool shares_devices) {
  const std::optional<int> devices = device_count();
  if (!devices) return;
  if (place.ranks > *devices && !shares_devices) {
    throw BackendRefusal(std::to_string(place.ranks) + " ranks on a machine with " +
                         std::to_string(*devices) +
                         " GPUs, allowed: one rank a GPU, or --share-gpus");
  }
  choose_device(place.rank % *devices);
}

/// Which of two losses to tell of: the same, however particles are dealt out.
bool is_earlier(const BinningHealth& a, const BinningHealth& b) {
  return a.failed &&
         (!b.failed || std::tie(a.failed_step, a.failed_id) < std::tie(b.failed_step, b.failed_id));
}

}  // namespace

template <class Precision>
RankTeam<Precision>::RankTeam(const Commission& commission, Post& post)
    : global_(commission.global),
      decomposition_(commission.global.grid, commission.cuts),
      post_(post),
      particles_(commission.global.particles),
      cells_(commission.global.grid.count()) {
  if (decomposition_.ranks() != post.ranks()) {
    throw std::logic_error("a grid of ranks for another number of them");
  }
  std::string refusal;
  try {
    if (!post.is_first()) {
      choose_device_of_its_own(post.node_place(), commission.shares_devices);
      global_.device = device_properties();
    }
    for (const int rank : post.here()) {
      domains_.push_back(std::make_unique<Domain>(commission.settings, commission.types, global_,
                                                  decomposition_, rank, commission.step));
    }
  } catch (const BackendRefusal& error) {
    refusal = error.what();
  }
  agree<BackendRefusal>(refusal);
  if (is_complete_) choose_exchange(commission.exchange);
  if (!is_complete_) return;
  list_.skin = commission.global.skin;
  ages_ = {static_cast<std::int32_t>(commission.list_age),
           static_cast<std::int32_t>(commission.list_age_before)};
  if (keeps_list()) connect();  // whoever has nobody to show listens, too
  if (is_direct_) connect_sums();
  if (commission.integrator.empty()) return;
  for (auto& domain : domains_) domain->restore_integrator(commission.integrator);
}

template <class Precision>
template <class Refusal>
void RankTeam<Precision>::agree(const std::string& refusal) {
  const Letter mine = Letter::of_text(refusal);
  const Mail all = post_.at_the_first(std::vector<Letter>(post_.here().size(), mine));
  const auto refused =
      std::find_if(all.begin(), all.end(), [](const Letter& letter) { return !letter.empty(); });
  std::string reason = refused == all.end() ? std::string() : refused->text();
  const Letter verdict = post_.from_the_first(Letter::of_text(reason));
  is_complete_ = reason.empty() && verdict.empty();
  if (!reason.empty()) throw Refusal(reason);
}

/// Whether it is so on any rank; all get to know.
template <class Precision>
bool RankTeam<Precision>::is_any(bool here) {
  const auto says_so = [](const Letter& letter) { return !letter.empty(); };
  const auto said = [](bool yes) { return Letter::of_text(yes ? "yes" : ""); };
  const Mail all = post_.at_the_first(std::vector<Letter>(post_.here().size(), said(here)));
  const bool any = std::any_of(all.begin(), all.end(), says_so);
  const Letter verdict = post_.from_the_first(said(any));
  return post_.is_first() ? any : says_so(verdict);
}

/// Empty where every rank of this process reaches the memory of all others. All try at once.
template <class Precision>
std::string RankTeam<Precision>::why_not_direct() {
  const auto ranks = static_cast<std::size_t>(post_.ranks());
  OpenMemory tried(sizeof(std::uint32_t));
  Letter key;
  std::string reason;
  try {
    if (const auto bytes = tried.key()) key.append_all<std::byte>(*bytes);
  } catch (const SystemError& error) {
    reason = error.what();
  }
  if (post_.node_place().ranks < post_.ranks()) reason = "ranks are on several machines";
  std::vector<Mail> posted(post_.here().size(), Mail(ranks, key));
  const std::vector<Mail> keys = post_.exchange(std::move(posted));
  for (std::size_t other = 0; reason.empty() && other < ranks; ++other) {
    if (static_cast<int>(other) == post_.here().front()) continue;
    try {
      if (keys.front()[other].empty()) throw SystemError("its memory is its process's alone");
      const auto& bytes = keys.front()[other].bytes();
      const PeerMemory opened(MemoryKey(bytes.begin(), bytes.end()));
    } catch (const SystemError& error) {
      reason = "rank " + std::to_string(other) + ": " + error.what();
    }
  }
  post_.exchange(std::vector<Mail>(post_.here().size(), Mail(ranks)));  // nobody tries any more
  return reason;
}

template <class Precision>
void RankTeam<Precision>::choose_exchange(Exchange wanted) {
  if (wanted == Exchange::host) return;
  if (!post_.has_other_processes()) {
    is_direct_ = true;
    return;
  }
  const std::string reason = why_not_direct();
  if (wanted == Exchange::direct) {
    constexpr const char* what = "run.exchange: letters cannot go from device to device: ";
    agree<RanksRefusal>(reason.empty() ? reason : what + reason);
    if (!is_complete_) return;
  }
  is_direct_ = !is_any(!reason.empty());
}

template <class Precision>
void RankTeam<Precision>::own(const LargeVector<Row>& all, bool have_list) {
  std::vector<Mail> posted(domains_.size(), Mail(static_cast<std::size_t>(post_.ranks())));
  posted.front() = dealt_out(all, decomposition_);
  const std::vector<Mail> arrived = post_.exchange(std::move(posted));
  for (std::size_t i = 0; i < domains_.size(); ++i) {
    domains_[i]->own(arrived[i][first_rank].template rows<Row>());
  }
  is_ordered_ = false;
  if (keeps_list()) is_list_old_ = is_any(have_list);
}

/// Of ranks whose letters have other room than before, or come for the first time.
template <class Precision>
void RankTeam<Precision>::connect() {
  const auto ranks = static_cast<std::size_t>(post_.ranks());
  const auto posted_by_all = [&](const auto& letter_to) {
    std::vector<Mail> posted(domains_.size(), Mail(ranks));
    for (std::size_t i = 0; i < domains_.size(); ++i) {
      for (std::size_t to = 0; to < ranks; ++to) posted[i][to] = letter_to(*domains_[i], to);
    }
    return post_.exchange(std::move(posted));
  };
  for (auto& domain : domains_) domain->mailbox().disconnect();
  // Whoever gets these knows that their sender no longer writes into its memory.
  const std::vector<Mail> rooms = posted_by_all(
      [](Domain& domain, std::size_t to) { return Letter::of(domain.mailbox().rooms()[to]); });
  for (std::size_t i = 0; i < domains_.size(); ++i) {
    std::vector<LetterSize> coming;
    for (const Letter& letter : rooms[i]) coming.push_back(letter.rows<LetterSize>().at(0));
    domains_[i]->mailbox().expect(coming);
    domains_[i]->lay_rows();
    if (!is_direct_) domains_[i]->mailbox().connect_by_host();
  }
  if (!is_direct_) return;
  const std::vector<Mail> addresses = posted_by_all([](Domain& domain, std::size_t to) {
    return domain.mailbox().address_for(static_cast<int>(to));
  });
  for (std::size_t i = 0; i < domains_.size(); ++i) {
    domains_[i]->mailbox().connect_directly(addresses[i], post_.here());
  }
}

/// These need no other room later.
template <class Precision>
void RankTeam<Precision>::connect_sums() {
  std::vector<Mail> posted;
  for (auto& domain : domains_) {
    posted.emplace_back(static_cast<std::size_t>(post_.ranks()), domain->sums().address());
  }
  const std::vector<Mail> addresses = post_.exchange(std::move(posted));
  for (std::size_t i = 0; i < domains_.size(); ++i) {
    domains_[i]->sums().connect_directly(addresses[i], post_.here());
  }
}

/// Steps whose letters and rows all had room; else once more, from where they began, with more.
template <class Precision>
template <class Action>
void RankTeam<Precision>::until_it_fits(const Action& action) {
  for (auto& domain : domains_) domain->keep();
  const bool was_ordered = is_ordered_;
  kept_list_ = list_;
  kept_ages_ = ages_;
  while (true) {
    action();
    bool is_short = false;
    for (auto& domain : domains_) is_short = domain->was_short() || is_short;
    if (!is_any(is_short)) return;
    for (auto& domain : domains_) domain->grow();
    connect();
    for (auto& domain : domains_) domain->begin_again();
    list_ = kept_list_;
    ages_ = kept_ages_;
    if (!keeps_list()) continue;
    is_ordered_ = false;
    is_list_old_ = is_list_old_ || was_ordered;
  }
}

/// As the first domain here sees it.
template <class Precision>
void RankTeam<Precision>::begin_region(Region region) {
  domains_.front()->profiler().begin(region, domains_.front()->stream());
}

/// `of`: what of a domain has something to send.
template <class Precision>
template <class Of>
void RankTeam<Precision>::carry_through_host(const Of& of) {
  std::vector<Parcel> going, coming;
  for (auto& domain : domains_) of(*domain).bring_out(going, coming);
  post_.carry(going, coming);
  for (auto& domain : domains_) of(*domain).bring_in();
}

/// Ranks of one process may share a device: none waits there before all have sent.
template <class Precision>
void RankTeam<Precision>::exchange_letters() {
  begin_region(Region::exchange);
  for (auto& domain : domains_) domain->mailbox().send();
  if (is_direct_) {
    for (auto& domain : domains_) domain->mailbox().wait();
    return;
  }
  carry_letters_through_host();
}

template <class Precision>
void RankTeam<Precision>::carry_letters_through_host() {
  carry_through_host([](Domain & domain) -> auto& { return domain.mailbox(); });
}

/// Likewise.
template <class Precision>
void RankTeam<Precision>::exchange_sums() {
  begin_region(Region::exchange);
  if (is_direct_) {
    for (auto& domain : domains_) domain->sums().send();
    for (auto& domain : domains_) domain->sums().wait();
    return;
  }
  carry_through_host([](Domain & domain) -> auto& { return domain.sums(); });
}

template <class Precision>
void RankTeam<Precision>::sum_kinetic_energy(Velocities which) {
  for (auto& domain : domains_) domain->sum_kinetic_energy(which);
  exchange_sums();
}

template <class Precision>
void RankTeam<Precision>::tell_kinetic_energy() {
  domains_.front()->profiler().pause();  // not a step
  sum_kinetic_energy(Velocities::present);
  for (auto& domain : domains_) domain->take_kinetic_energy();
}

template <class Precision>
void RankTeam<Precision>::order() {
  exchange_letters();
  for (auto& domain : domains_) domain->order();
}

template <class Precision>
void RankTeam<Precision>::compute(Wanted wanted) {
  for (auto& domain : domains_) domain->compute(wanted);
}

template <class Precision>
void RankTeam<Precision>::evaluate(Wanted wanted) {
  if (is_ordered_) return compute(wanted);
  until_it_fits([&] {
    if (keeps_list()) {
      list_what_is_owned();
    } else {
      for (auto& domain : domains_) domain->show();
      order();
    }
    compute(wanted);
    if (!is_list_old_) ages_.list = 1;
  });
  is_ordered_ = true;
}

template <class Precision>
void RankTeam<Precision>::advance(std::int64_t steps, Wanted of_the_last) {
  if (steps == 0) return;
  Domain& timed = *domains_.front();
  if (timed.integrator().lacks_kinetic_energy()) tell_kinetic_energy();
  timed.profiler().start();
  until_it_fits([&] {
    timed.profiler().pause();
    keeps_list() ? advance_by_units(steps, of_the_last) : advance_by_steps(steps, of_the_last);
  });
  timed.profiler().stop(timed.stream());
  is_ordered_ = true;
}

template <class Precision>
void RankTeam<Precision>::advance_by_steps(std::int64_t steps, Wanted of_the_last) {
  Profiler& profiler = domains_.front()->profiler();
  for (auto& domain : domains_) domain->first_half();
  for (std::int64_t left = steps; left > 0; --left) {
    // The last may evaluate energies too, and is none unless it is the only one.
    const bool is_sample = left == steps || left % Profiler::one_in == 2;
    profiler.sample_if(is_sample);
    order();
    if (left > 1 && compute_and_move()) continue;
    compute(left == 1 ? of_the_last : Wanted::forces);
    if (domains_.front()->integrator().sums_in_steps()) sum_kinetic_energy(Velocities::kicked);
    for (auto& domain : domains_) left == 1 ? domain->second_half() : domain->both_halves();
    begin_region(Region::end);  // of the sample: what follows may be none
  }
}

/// In one pass, where back end and integrator can: all ranks have the same.
template <class Precision>
bool RankTeam<Precision>::compute_and_move() {
  Domain& timed = *domains_.front();
  if (timed.integrator().sums_in_steps() || timed.profiler().sampling()) return false;
  bool has_moved = false;
  for (auto& domain : domains_) has_moved = domain->compute_and_move();
  return has_moved;
}

template <class Precision>
void RankTeam<Precision>::zero_momentum() {
  for (auto& domain : domains_) domain->sum_momentum();
  exchange_sums();
  for (auto& domain : domains_) domain->take_momentum();
  velocities_changed();
}

template <class Precision>
void RankTeam<Precision>::velocities_changed() {
  if (keeps_kinetic_energy()) tell_kinetic_energy();
}

template <class Precision>
void RankTeam<Precision>::stretch(const BoxAndCells& to) {
  const Letter told = post_.from_the_first(Letter::of(to));
  const BoxAndCells mine = post_.is_first() ? to : told.template rows<BoxAndCells>().at(0);
  global_.box = mine.box;
  global_.grid = mine.grid;
  decomposition_ = Decomposition(mine.grid, decomposition_.cuts());
  for (auto& domain : domains_) domain->stretch(global_);
  domains_.front()->profiler().pause();  // what follows is no step
}

template <class Precision>
void RankTeam<Precision>::take_forces_to_be(bool large) {
  global_.forces_are_large = large;
  for (auto& domain : domains_) domain->take_coordinates_of(global_);
  domains_.front()->profiler().pause();  // what follows is no step
  if (!keeps_list()) {
    is_ordered_ = false;
  } else if (is_ordered_) {
    tell_present_positions();
  }
}

template <class Precision>
void RankTeam<Precision>::begin_stage(const StageSettings& stage) {
  const Letter told = post_.from_the_first(letter_of(stage));
  const StageSettings mine = post_.is_first() ? stage : stage_in(told);
  for (auto& domain : domains_) domain->begin_stage(mine);
}

template <class Precision>
void RankTeam<Precision>::part() {
  for (auto& domain : domains_) {
    domain->mailbox().disconnect();
    domain->sums().disconnect();
  }
  const Mail nothing(static_cast<std::size_t>(post_.ranks()));
  post_.exchange(std::vector<Mail>(domains_.size(), nothing));
}

/// What each rank finds, on the first one.
template <class Precision>
template <class Value, class Find>
LargeVector<Value> RankTeam<Precision>::from_all(const Find& find) {
  std::vector<Letter> letters;
  for (auto& domain : domains_) {
    letters.emplace_back().append_all<Value>(find(*domain));
  }
  LargeVector<Value> all;
  for (const Letter& letter : post_.at_the_first(std::move(letters))) {
    const LargeVector<Value> values = letter.rows<Value>();
    all.insert(all.end(), values.begin(), values.end());
  }
  return all;
}

template <class Precision>
auto RankTeam<Precision>::rows() -> LargeVector<Row> {
  LargeVector<Row> all = from_all<Row>([](Domain& domain) { return domain.rows(); });
  // Those of each rank are in order; where cuts go across the last direction alone, all are.
  if (!std::is_sorted(all.begin(), all.end())) std::sort(all.begin(), all.end());
  return all;
}

template <class Precision>
LookedAt RankTeam<Precision>::look() {
  LookedAt all;
  const auto parts =
      from_all<LookedAt>([](Domain& domain) { return std::vector<LookedAt>{domain.look()}; });
  for (const LookedAt& part : parts) all += part;
  return all;
}

template <class Precision>
Mail RankTeam<Precision>::frame_parts(const FrameOrder& order) {
  std::vector<Letter> letters;
  for (auto& domain : domains_) letters.push_back(domain->frame_part(order));
  return post_.at_the_first(std::move(letters));
}

template <class Precision>
std::vector<double> RankTeam<Precision>::busy_seconds() {
  const auto all = from_all<double>([&](Domain& domain) {
    std::vector<double> seconds;
    if (&domain != domains_.front().get()) return seconds;
    const RegionSeconds regions = domain.profiler().seconds();
    seconds.push_back(regions.integrate + regions.bin + regions.reorder + regions.prepare +
                      regions.force);
    return seconds;
  });
  return {all.begin(), all.end()};
}

template <class Precision>
BinningHealth RankTeam<Precision>::health() {
  BinningHealth worst;
  const auto all = from_all<BinningHealth>(
      [](Domain& domain) { return std::vector<BinningHealth>{domain.health()}; });
  for (const BinningHealth& health : all) {
    const Index largest_cell = std::max(worst.largest_cell, health.largest_cell);
    if (is_earlier(health, worst)) worst = health;
    worst.largest_cell = largest_cell;
  }
  largest_cell_ = worst.largest_cell;
  return worst;
}

template <class Precision>
NeighborStats RankTeam<Precision>::count() {
  PairCounts sum;
  const auto all = from_all<PairCounts>(
      [](Domain& domain) { return std::vector<PairCounts>{sum_of(domain.count())}; });
  for (const PairCounts& counts : all) {
    sum.candidates += counts.candidates;
    sum.partners += counts.partners;
    sum.most_candidates = std::max(sum.most_candidates, counts.most_candidates);
    sum.most_partners = std::max(sum.most_partners, counts.most_partners);
    list_.longest_row = std::max(list_.longest_row, counts.longest_row);
    list_.row_capacity = std::max(list_.row_capacity, counts.row_capacity);
    list_.grown = std::max(list_.grown, counts.times_grown);
  }
  NeighborStats stats{};
  const auto of_a_particle = [&](std::int64_t number) {
    return static_cast<double>(number) / static_cast<double>(particles_);
  };
  stats.candidates_per_particle = of_a_particle(sum.candidates);
  stats.partners_per_particle = of_a_particle(sum.partners);
  stats.most_candidates = sum.most_candidates;
  stats.most_partners = sum.most_partners;
  stats.particles_per_cell = static_cast<double>(particles_) / static_cast<double>(cells_);
  stats.largest_cell = largest_cell_;
  return stats;
}

template <class Precision>
Observation RankTeam<Precision>::sum_observables() {
  Observation all;
  const auto parts = from_all<Observation>(
      [](Domain& domain) { return std::vector<Observation>{domain.sum_observables()}; });
  for (const Observation& part : parts) {
    all.kinetic_energy += part.kinetic_energy;
    all.potential_energy += part.potential_energy;
    all.virial += part.virial;
    for (std::size_t d = 0; d < 3; ++d) all.momentum[d] += part.momentum[d];
  }
  all.particles = particles_;
  return all;
}

template <class Precision>
double RankTeam<Precision>::sum_squared_forces() {
  const auto parts = from_all<double>(
      [](Domain& domain) { return std::vector<double>{domain.sum_squared_forces()}; });
  return std::accumulate(parts.begin(), parts.end(), 0.0);
}

template <class Precision>
void RankTeam<Precision>::collect_energy() {
  const auto all =
      from_all<ExchangedEnergy::Total>([](Domain& domain) { return domain.hand_over_energy(); });
  for (const ExchangedEnergy::Total& more : all) domains_.front()->take_over_energy(more);
}

template <class Precision>
void follow(const Commission& commission, Post& post) {
  RankTeam<Precision> team(commission, post);
  if (!team.is_complete()) return;
  while (true) {
    const Order order = post.from_the_first({}).template rows<Order>().at(0);
    const Wanted wanted = order.energies ? Wanted::forces_and_energies : Wanted::forces;
    switch (order.what) {
      case Order::What::own:
        team.own({});
        break;
      case Order::What::evaluate:
        team.evaluate(wanted);
        team.health();
        break;
      case Order::What::advance:
        team.advance(order.steps, wanted);
        team.health();
        break;
      case Order::What::zero_momentum:
        team.zero_momentum();
        break;
      case Order::What::tell_kinetic_energy:
        team.velocities_changed();
        break;
      case Order::What::begin_stage:
        team.begin_stage({});
        break;
      case Order::What::stretch:
        team.stretch({});
        break;
      case Order::What::rows:
        team.rows();
        break;
      case Order::What::frame:
        team.frame_parts(order.frame);
        break;
      case Order::What::collect_energy:
        team.collect_energy();
        break;
      case Order::What::look:
        team.look();
        break;
      case Order::What::count:
        team.count();
        break;
      case Order::What::busy_seconds:
        team.busy_seconds();
        break;
      case Order::What::sum_observables:
        team.sum_observables();
        break;
      case Order::What::sum_squared_forces:
        team.sum_squared_forces();
        break;
      case Order::What::take_forces_to_be:
        team.take_forces_to_be(order.large);
        break;
      case Order::What::end:
        team.part();
        return;
    }
  }
}

template class RankTeam<SinglePrecision>;
template class RankTeam<MixedPrecision>;
template class RankTeam<DoublePrecision>;
template void follow<SinglePrecision>(const Commission&, Post&);
template void follow<MixedPrecision>(const Commission&, Post&);
template void follow<DoublePrecision>(const Commission&, Post&);

}  // namespace pencilbox::PENCILBOX_DEVICE
