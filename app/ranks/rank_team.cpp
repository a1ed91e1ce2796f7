#include "app/ranks/rank_team.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <tuple>

#include "core/device/choice.hpp"
#include "core/device/device.hpp"
#include "core/error.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

namespace {

struct PairCounts {
  std::int64_t candidates = 0, partners = 0;
  std::int64_t most_candidates = 0, most_partners = 0;
};

template <class Counts>
PairCounts sum_of(const Counts& counts) {
  PairCounts sum;
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
    : grid_(commission.ranks),
      decomposition_(commission.global.grid, commission.ranks),
      post_(post),
      particles_(commission.global.particles),
      cells_(commission.global.grid.count()) {
  if (decomposition_.ranks() != post.ranks()) {
    throw std::logic_error("a grid of ranks for another number of them");
  }
  std::string refusal;
  try {
    Problem global = commission.global;
    if (!post.is_first()) {
      choose_device_of_its_own(post.node_place(), commission.shares_devices);
      global.device = device_properties();
    }
    for (const int rank : post.here()) {
      domains_.push_back(std::make_unique<Domain>(commission.settings, commission.types, global,
                                                  decomposition_, rank));
    }
  } catch (const BackendRefusal& error) {
    refusal = error.what();
  }
  agree(refusal);
}

template <class Precision>
void RankTeam<Precision>::agree(const std::string& refusal) {
  const Letter mine = Letter::of_text(refusal);
  const Mail all = post_.at_the_first(std::vector<Letter>(post_.here().size(), mine));
  const auto refused =
      std::find_if(all.begin(), all.end(), [](const Letter& letter) { return !letter.empty(); });
  std::string reason = refused == all.end() ? std::string() : refused->text();
  const Letter verdict = post_.from_the_first(Letter::of_text(reason));
  is_complete_ = reason.empty() && verdict.empty();
  if (!reason.empty()) throw BackendRefusal(reason);
}

/// Of all ranks at once: letters are posted, travel, and are read.
template <class Precision>
template <class Write, class Read>
void RankTeam<Precision>::exchange(const Write& write, const Read& read) {
  std::vector<Mail> posted;
  for (auto& domain : domains_) posted.push_back(write(*domain));
  const std::vector<Mail> arrived = post_.exchange(std::move(posted));
  for (std::size_t i = 0; i < domains_.size(); ++i) read(*domains_[i], arrived[i]);
}

template <class Precision>
void RankTeam<Precision>::own(const std::vector<Row>& all) {
  const auto ranks = static_cast<std::size_t>(post_.ranks());
  std::vector<Mail> posted(domains_.size(), Mail(ranks));
  for (const Row& row : all) {
    posted.front()[static_cast<std::size_t>(decomposition_.owner_of(row.cell))].append(row);
  }
  const std::vector<Mail> arrived = post_.exchange(std::move(posted));
  for (std::size_t i = 0; i < domains_.size(); ++i) {
    domains_[i]->own(arrived[i][first_rank].template rows<Row>());
  }
}

template <class Precision>
void RankTeam<Precision>::evaluate(Wanted wanted) {
  exchange([](Domain& domain) { return domain.ghosts(); },
           [&](Domain& domain, const Mail& arrived) { domain.evaluate(arrived, wanted); });
}

template <class Precision>
void RankTeam<Precision>::advance(std::int64_t steps, Wanted of_the_last) {
  for (; steps > 0; --steps) {
    for (auto& domain : domains_) domain->first_half();
    exchange([](Domain& domain) { return domain.emigrants(); },
             [](Domain& domain, const Mail& arrived) { domain.immigrate(arrived); });
    evaluate(steps == 1 ? of_the_last : Wanted::forces);
    for (auto& domain : domains_) domain->second_half();
  }
}

/// What each rank finds, on the first one.
template <class Precision>
template <class Value, class Find>
std::vector<Value> RankTeam<Precision>::from_all(const Find& find) {
  std::vector<Letter> letters;
  for (auto& domain : domains_) {
    Letter letter;
    for (const Value& value : find(*domain)) letter.append(value);
    letters.push_back(std::move(letter));
  }
  std::vector<Value> all;
  for (const Letter& letter : post_.at_the_first(std::move(letters))) {
    const std::vector<Value> values = letter.rows<Value>();
    all.insert(all.end(), values.begin(), values.end());
  }
  return all;
}

template <class Precision>
auto RankTeam<Precision>::rows() -> std::vector<Row> {
  std::vector<Row> all = from_all<Row>([](Domain& domain) { return domain.rows(); });
  std::sort(all.begin(), all.end());
  return all;
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
      case Order::What::rows:
        team.rows();
        break;
      case Order::What::count:
        team.count();
        break;
      case Order::What::end:
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
