#include "app/ranks/rank_domain.hpp"

#include <algorithm>

#include "core/error.hpp"
#include "neighbor/cells/particle_transfer.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

namespace {

Problem problem_of(const Problem& global, const CellGrid& grid) {
  Problem problem = global;
  problem.grid = grid;
  problem.box.lower = grid.lower;
  problem.box.periodic = grid.periodic;
  for (std::size_t d = 0; d < 3; ++d) {
    problem.box.edges[d] = grid.side[d] * static_cast<double>(grid.cells[d]);
  }
  return problem;
}

OrderRules rules_of(const SimulationSettings& setup) {
  OrderRules rules;
  rules.deterministic = setup.deterministic;
  return rules;
}

constexpr Index nobody = -1;

}  // namespace

template <class Precision>
RankDomain<Precision>::RankDomain(const SimulationSettings& setup,
                                  const std::vector<ParticleType>& types, const Problem& global,
                                  const Decomposition& decomposition, int rank)
    : decomposition_(decomposition),
      rank_(rank),
      into_global_cells_(decomposition.global(), {}, stream_),
      in_domain_(decomposition.domain(rank).grid, rules_of(setup), stream_) {
  const BackendEntry& entry = find_backend(setup.backend);
  const Problem problem = problem_of(global, decomposition.domain(rank).grid);
  if (const auto reason = entry.refuse(problem, setup.options)) {
    throw BackendRefusal(entry.info.name + " on rank " + std::to_string(rank) + ": " + *reason);
  }
  interaction_.emplace(setup.potential, problem.grid.float_uncertainty(), stream_);
  backend_ = make_backend<Precision>(entry, problem, setup.options);
  integrator_ = make_integrator<Precision>(
      find_integrator(setup.integrator),
      {setup.timestep, global.box, setup.parameters, setup.first_step, setup.steps});
  upload_types(types, own_, stream_);
  upload_types(types, all_, stream_);
}

template <class Precision>
void RankDomain<Precision>::own(std::vector<Row> rows) {
  std::sort(rows.begin(), rows.end());  // whoever came first: the order says nothing of it
  rows_ = std::move(rows);
  upload_rows(rows_, own_, stream_);
  into_global_cells_.reserve(own_, stream_);
}

template <class Precision>
void RankDomain<Precision>::first_half() {
  ++step_;
  if (own_.count == 0) return;
  const StepNumber step{nullptr, step_};
  integrator_->first_half({own_, into_global_cells_.arrival(own_, step, nullptr, 0), step},
                          stream_);
}

template <class Precision>
Mail RankDomain<Precision>::emigrants() {
  Mail mail(static_cast<std::size_t>(decomposition_.ranks()));
  rows_.clear();
  for (const Row& row : rows()) {
    const int owner = decomposition_.owner_of(row.cell);
    if (owner == rank_) {
      rows_.push_back(row);
    } else {
      mail[static_cast<std::size_t>(owner)].append(row);
    }
  }
  return mail;
}

template <class Precision>
void RankDomain<Precision>::immigrate(const Mail& arrived) {
  std::vector<Row> rows = std::move(rows_);
  for (const Letter& letter : arrived) {
    const std::vector<Row> more = letter.rows<Row>();
    rows.insert(rows.end(), more.begin(), more.end());
  }
  own(std::move(rows));
}

template <class Precision>
Mail RankDomain<Precision>::ghosts() const {
  Mail mail(static_cast<std::size_t>(decomposition_.ranks()));
  for (const Row& row : rows_) {
    decomposition_.for_each_view_from_outside(row.cell, [&](int rank, Index there) {
      mail[static_cast<std::size_t>(rank)].append(
          GhostRow<Precision>{row.position, there, row.id, row.type});
    });
  }
  return mail;
}

/// Its own and ghosts, in the order of the domain's cells.
template <class Precision>
void RankDomain<Precision>::order_all(const Mail& ghosts) {
  std::vector<Row> all = rows_;
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i].cell = decomposition_.place_of_own(rank_, all[i].cell);
    all[i].image.x = static_cast<std::int32_t>(i);  // finds its way back by this number
  }
  for (const Letter& letter : ghosts) {
    for (const GhostRow<Precision>& ghost : letter.rows<GhostRow<Precision>>()) {
      Row row{};
      row.position = ghost.position;
      row.cell = ghost.cell;
      row.id = ghost.id;
      row.type = ghost.type;
      row.image.x = nobody;
      all.push_back(row);
    }
  }
  upload_rows(all, all_, stream_);
  in_domain_.run(all_, step_, profiler_, stream_);
  own_number_ = all_.state.image.x.download(stream_);
}

template <class Precision>
void RankDomain<Precision>::evaluate(const Mail& arrived, Wanted wanted) {
  if (own_.count == 0) return;
  order_all(arrived);
  backend_->rebuild(in_domain_.view(all_), stream_);
  backend_->compute(in_domain_.view(all_), *interaction_, wanted, all_.sums, stream_);
  take_sums(wanted);
}

template <class Precision>
void RankDomain<Precision>::take_sums(Wanted wanted) {
  const auto take = [&](const Buffer<Accumulator>& from, Buffer<Accumulator>& to) {
    const std::vector<Accumulator> all = from.download(stream_);
    std::vector<Accumulator> own(rows_.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (own_number_[i] != nobody) own[static_cast<std::size_t>(own_number_[i])] = all[i];
    }
    to.upload(own, stream_);
  };
  take(all_.sums.force.x, own_.sums.force.x);
  take(all_.sums.force.y, own_.sums.force.y);
  take(all_.sums.force.z, own_.sums.force.z);
  if (wanted != Wanted::forces_and_energies) return;
  take(all_.sums.energy, own_.sums.energy);
  take(all_.sums.virial, own_.sums.virial);
}

template <class Precision>
void RankDomain<Precision>::second_half() {
  if (own_.count == 0) return;
  integrator_->second_half({own_, {nullptr, step_}}, stream_);
}

template <class Precision>
BinningHealth RankDomain<Precision>::health() {
  BinningHealth health = into_global_cells_.health(stream_);
  if (own_.count > 0) health.largest_cell = in_domain_.health(stream_).largest_cell;
  backend_->occupancy_changed(health.largest_cell);
  return health;
}

template <class Precision>
auto RankDomain<Precision>::count() -> Counts {
  Counts counts{std::vector<Index>(rows_.size()), std::vector<Index>(rows_.size())};
  if (own_.count == 0) return counts;
  PairSums<Precision> sums;
  sums.resize(all_.count);
  sums.resize_counts(all_.count);
  backend_->compute(in_domain_.view(all_), *interaction_, Wanted::counts, sums, stream_);
  const auto candidates = sums.candidates.download(stream_);
  const auto partners = sums.partners.download(stream_);
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    if (own_number_[i] == nobody) continue;
    counts.candidates[static_cast<std::size_t>(own_number_[i])] = candidates[i];
    counts.partners[static_cast<std::size_t>(own_number_[i])] = partners[i];
  }
  return counts;
}

template class RankDomain<SinglePrecision>;
template class RankDomain<MixedPrecision>;
template class RankDomain<DoublePrecision>;

}  // namespace pencilbox::PENCILBOX_DEVICE
