#include "app/ranks/rank_domain.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/engine/simulation_problem.hpp"
#include "core/error.hpp"
#include "neighbor/cells/particle_transfer.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

namespace {

Problem problem_of(const Problem& global, const CellGrid& grid) {
  Problem problem = global;
  problem.grid = grid;
  if (global.skin > 0.0) {  // lists take memory by particles
    const double share =
        static_cast<double>(grid.count()) / static_cast<double>(global.grid.count());
    problem.particles =
        static_cast<Index>(std::ceil(share * static_cast<double>(global.particles)));
    problem.particles_of_all_ranks = global.particles;
  }
  problem.box.lower = grid.lower;
  problem.box.periodic = grid.periodic;
  for (std::size_t d = 0; d < 3; ++d) {
    problem.box.edges[d] = grid.side[d] * static_cast<double>(grid.cells[d]);
  }
  return problem;
}

OrderRules rules_of(const SimulationSettings& setup, const Problem& global) {
  OrderRules rules;
  rules.deterministic = setup.deterministic;
  rules.parts = CellParts{global.parts_of_a_cell};
  rules.spacing = spacing_of_coordinates(global);
  if (global.skin == 0.0) return rules;
  rules.lasts = OrderLasts::while_near;
  rules.bounds = list_bounds(global);
  return rules;
}

/// By cell and id, of rows that come cell by cell as a rule.
template <class Row>
void sort_within_cells(LargeVector<Row>& rows) {
  const auto by_cell = [](const Row& a, const Row& b) { return a.cell < b.cell; };
  if (!std::is_sorted(rows.begin(), rows.end(), by_cell)) {
    return std::sort(rows.begin(), rows.end());
  }
  for (auto begin = rows.begin(); begin != rows.end();) {
    const auto end =
        std::find_if(begin, rows.end(), [&](const Row& row) { return row.cell != begin->cell; });
    std::sort(begin, end);
    begin = end;
  }
}

/// Room for fluctuations: rows that nobody uses cost time, and too few a batch of steps.
Index rows_for(Index particles) {
  return particles + particles / 32 +
         2 * static_cast<Index>(std::sqrt(static_cast<double>(particles))) + 16;
}

}  // namespace

template <class Precision>
RankDomain<Precision>::RankDomain(const SimulationSettings& setup,
                                  const std::vector<ParticleType>& types, const Problem& global,
                                  const Decomposition& decomposition, int rank, std::int64_t step)
    : decomposition_(decomposition),
      rank_(rank),
      rules_(rules_of(setup, global)),
      mailbox_(rank, decomposition.ranks(), stream_),
      sums_(rank, decomposition.ranks(), stream_),
      watch_(global.potential),
      box_(global.box),
      all_particles_(global.particles),
      first_step_(step) {
  const BackendEntry& entry = find_backend(setup.backend);
  const Problem problem = problem_of(global, decomposition.domain(rank).grid);
  if (const auto reason = entry.refuse(problem, setup.options)) {
    throw BackendRefusal(entry.info.name + " on rank " + std::to_string(rank) + ": " + *reason);
  }
  interaction_.emplace(setup.potential, problem.grid.float_uncertainty(), stream_);
  backend_ = make_backend<Precision>(entry, problem, setup.options);
  make_integrator_of(setup);
  upload_types(types, particles_, stream_);
  for (std::size_t d = 0; d < 3; ++d) {
    places_[d].upload(decomposition.places(d), stream_);
    cells_of_ranks_[d].upload(decomposition.cells_of_ranks(d), stream_);
  }
  used_.resize(1);
  most_used_.resize(1);
  leap_.resize(1);
  leap_.fill_bytes(0, stream_);
  control_.upload(std::vector<StepControl>(1), stream_);
  heard_.resize(sizeof(std::int32_t));
  profiler_.pause();
  lay_rows();
}

template <class Precision>
void RankDomain<Precision>::make_integrator_of(const StageSettings& stage) {
  integrator_ = make_integrator<Precision>(
      find_integrator(stage.integrator),
      {stage.timestep, box_, stage.parameters, stage.first_step, stage.steps});
  timestep_ = stage.timestep;
  shared_ = integrator_->shared();
  if (shared_ == nullptr) throw BackendRefusal(stage.integrator + ": not on several ranks");
  shared_->count_from(first_step_, stream_);
  zeroes_momentum_ = stage.zero_momentum_every.has_value();
}

template <class Precision>
void RankDomain<Precision>::begin_stage(const StageSettings& stage) {
  integrator_->end_stage(particles_, stream_);
  make_integrator_of(stage);
  zero_momentum_.set_taken_energy(0.0, stream_);
}

template <class Precision>
void RankDomain<Precision>::stretch(const Problem& global) {
  const Problem problem = problem_of(global, decomposition_.domain(rank_).grid);
  box_ = global.box;
  rules_.spacing = spacing_of_coordinates(global);
  if (keeps_list()) rules_.bounds = list_bounds(global);
  interaction_->set_uncertainty(problem.grid.float_uncertainty());
  backend_->box_changed(problem);
}

/// Copies of others' particles follow when these tell where they are.
template <class Precision>
void RankDomain<Precision>::take_coordinates_of(const Problem& global) {
  rules_.spacing = spacing_of_coordinates(global);
  binning_->change_lattice(rules_.spacing, particles_, stream_);
  first_mirror_ = 0;
}

template <class Precision>
void RankDomain<Precision>::own(LargeVector<Row> rows) {
  const auto count = static_cast<Index>(rows.size());
  if (keeps_list()) present_.upload(rows, stream_);
  for_each_in_pieces(count, [&](std::size_t i) {
    if (keeps_list()) rows[i].position = rows[i].reference;
    rows[i].cell = decomposition_.place_of_own(rank_, rows[i].cell);
  });
  wanted_rows_ = std::max(wanted_rows_, count);
  if (particles_.count < count) particles_.count = rows_for(count);
  lay_rows();
  const Index all = particles_.count;
  upload_rows(rows, particles_, stream_);
  particles_.count = all;
  particles_.state.resize(all + mailbox_.slots());  // what was uploaded stays
  particles_.sums.resize(all + mailbox_.slots());
  used_.upload(std::vector<Index>{count}, stream_);
  is_ordered_ = false;
}

/// Rows that nobody has used yet are some cell's and some type's.
template <class Precision>
void RankDomain<Precision>::lay_rows() {
  if (particles_.count == 0) particles_.count = rows_for(0);
  const Index all = particles_.count + mailbox_.slots();
  particles_.state.resize(all);
  particles_.state.position.fill_bytes(0, stream_);
  particles_.state.velocity.fill_bytes(0, stream_);
  particles_.state.cell.fill_bytes(0, stream_);
  particles_.state.type.fill_bytes(0, stream_);
  particles_.state.id.fill_bytes(0, stream_);
  particles_.state.image.fill_bytes(0, stream_);
  particles_.sums.resize(all);
  particles_.sums.force.fill_bytes(0, stream_);
  particles_.sums.energy.fill_bytes(0, stream_);
  particles_.sums.virial.fill_bytes(0, stream_);
  binning_.emplace(decomposition_.domain(rank_).grid, rules_, stream_);
  const Index rows = std::exchange(particles_.count, all);
  binning_->reserve(particles_, stream_);
  particles_.count = rows;
  if (!keeps_list()) return;
  borders_.reserve(mailbox_.rooms(), all, stream_);
  binning_->tell_places(borders_.place_of_rows());
}

template <class Precision>
BinnedParticles<Precision> RankDomain<Precision>::view(std::int32_t unit, PartOfTargets part) {
  return as_this_rank_sees(binning_->view(particles_, mirror_of(unit)), part);
}

template <class Precision>
BinnedParticles<Precision> RankDomain<Precision>::as_this_rank_sees(BinnedParticles<Precision> view,
                                                                    PartOfTargets part) {
  view.stay_near = decomposition_.global().fully_periodic();
  view.all_are_targets = false;
  view.targets = own_box();
  view.rows += mailbox_.slots();
  if (!keeps_list()) return view;
  view.interior = unseen_cells().box;
  view.part = part;
  view.most_in_border = borders_.places();  // who is seen by several is counted as often
  view.count = view.rows;  // rows of a list are written before anybody knows of too many
  view.longest_row = &control_.data()->longest_row;
  return view;
}

template <class Precision>
const Index* RankDomain<Precision>::rows_used() const {
  if (!is_ordered_) return used_.data();
  return binning_->view(particles_).offset + decomposition_.domain(rank_).grid.count();
}

/// Those whose layer around holds none but the rank's own cells.
template <class Precision>
UnseenCells RankDomain<Precision>::unseen_cells() {
  return {without_margins(2), false, without_margins(3), leap_.data()};
}

template <class Precision>
CellBox RankDomain<Precision>::own_box() const {
  return without_margins(1);
}

/// Of this rank's grid, so many layers less where it ends at another rank's.
template <class Precision>
CellBox RankDomain<Precision>::without_margins(Index margins) const {
  const Domain& domain = decomposition_.domain(rank_);
  const auto begin = [&](std::size_t d) { return margins * domain.margin[d]; };
  const auto end = [&](std::size_t d) { return domain.grid.cells[d] - begin(d); };
  return {{begin(0), begin(1), begin(2)}, {end(0), end(1), end(2)}};
}

/// Of this rank's grid, copies' cells included; as the global one counts.
template <class Precision>
CellCoordinates RankDomain<Precision>::first_cell_in_global_grid() const {
  const Domain& domain = decomposition_.domain(rank_);
  const auto& margin = domain.margin;
  return {domain.first[0] - margin[0], domain.first[1] - margin[1], domain.first[2] - margin[2]};
}

template <class Precision>
OwnRows RankDomain<Precision>::own_rows() const {
  return {rows_used(), particles_.state.cell.data(),
          decomposition_.domain(rank_).grid.template view<double>(), own_box()};
}

template <class Precision>
Departures<Precision> RankDomain<Precision>::departures() {
  const RankGrid& ranks = decomposition_.rank_grid();
  Departures<Precision> depart;
  depart.global = decomposition_.global().template view<State>();
  depart.first = first_cell_in_global_grid();
  depart.own = own_box();
  depart.who_sees = {
      {places_[0].data(), places_[1].data(), places_[2].data()},
      {cells_of_ranks_[0].data(), cells_of_ranks_[1].data(), cells_of_ranks_[2].data()},
      {ranks[0], ranks[1], ranks[2]}};
  depart.rank = rank_;
  depart.outgoing = mailbox_.outgoing();
  depart.into_cells = binning_->arrival(particles_, step(), nullptr, 0).into_cells;
  depart.into_cells.unseen = unseen_cells();
  depart.type = particles_.state.type.data();
  depart.velocity = std::as_const(particles_.state.velocity).view();
  depart.several_types = particles_.types > 1;
  return depart;
}

template <class Precision>
OwnDepartures<Precision> RankDomain<Precision>::own_rows_of(const Departures<Precision>& depart) {
  return {depart, rows_used(), most_used_.data(), step()};
}

template <class Precision>
template <HalfSteps halves, class Move>
void RankDomain<Precision>::move_own(const Move& move) {
  const Vec3Buffer<typename Precision::Accumulator>& force = particles_.sums.force;
  for_each(stream_, particles_.count,
           MoveOwn<Precision, Move, halves>{move, force.view(), particles_.state.velocity.view(),
                                            own_rows_of(departures())},
           move_threads(particles_.count));
}

template <class Precision>
void RankDomain<Precision>::show() {
  const ParticleState<Precision>& state = particles_.state;
  move_own<HalfSteps::first>(StandStill<Precision>{state.position.view(), state.velocity.view()});
}

template <class Precision>
template <HalfSteps halves>
void RankDomain<Precision>::move() {
  ++step_;
  profiler_.begin(Region::integrate, stream_);
  const ParticleMove<Precision> move =
      shared_->move(halves, {particles_, {}, step()}, sums_of_all(), stream_);
  std::visit([this](const auto& one) { this->template move_own<halves>(one); }, move);
}

template <class Precision>
void RankDomain<Precision>::first_half() {
  move<HalfSteps::first>();
}

template <class Precision>
void RankDomain<Precision>::both_halves() {
  move<HalfSteps::both>();
}

template <class Precision>
bool RankDomain<Precision>::compute_and_move() {
  if (!backend_->moves_targets()) return false;
  const StepNumber next{nullptr, step_ + 1};
  Arrival<Precision> arrival = binning_->arrival_apart(particles_, next, nullptr, 0);
  arrival.into_cells.unseen = unseen_cells();
  const std::optional<KickAndDrift<Precision>> move =
      integrator_->kick_and_drift({particles_, arrival, next});
  if (!move) return false;
  ++step_;
  backend_->rebuild(view(), stream_);
  backend_->compute_and_move(view(), *interaction_, *move, stream_);
  binning_->moved_apart(particles_);
  const DepartWhoWaits<Precision> depart(own_rows_of(departures()), view());
  for_each(stream_, depart.threads, depart);
  return true;
}

template <class Precision>
void RankDomain<Precision>::take_in(Coming coming) {
  ParticleState<Precision>& state = particles_.state;
  for_each(stream_, mailbox_.slots(),
           TakeIn<Precision>{mailbox_.arrived(), particles_.count,
                             binning_->arrival(particles_, step(), nullptr, 0).into_cells,
                             state.velocity.view(), binning_->kick(), state.id.data(),
                             state.type.data(), particles_.types > 1, coming});
}

template <class Precision>
void RankDomain<Precision>::order() {
  const Index rows = particles_.count;
  profiler_.begin(Region::bin, stream_);
  take_in(Coming::all);
  particles_.count = rows + mailbox_.slots();
  binning_->order_arrived(particles_, profiler_, stream_);
  particles_.count = rows;
  is_ordered_ = true;
}

template <class Precision>
void RankDomain<Precision>::compute(Wanted wanted) {
  profiler_.begin(Region::prepare, stream_);
  if (!keeps_list()) backend_->rebuild(view(), stream_);
  profiler_.begin(Region::force, stream_);
  backend_->compute(view(), *interaction_, wanted, particles_.sums, stream_);
  profiler_.begin(Region::end, stream_);
}

template <class Precision>
void RankDomain<Precision>::sum_kinetic_energy(Velocities which) {
  profiler_.begin(Region::integrate, stream_);
  shared_->sum_own(which, particles_, own_rows(), sums_.own(), stream_);
}

template <class Precision>
void RankDomain<Precision>::second_half() {
  profiler_.begin(Region::integrate, stream_);
  const ParticleMove<Precision> move =
      shared_->move(HalfSteps::second, {particles_, {}, step()}, sums_of_all(), stream_);
  const Vec3Buffer<typename Precision::Accumulator>& force = particles_.sums.force;
  std::visit(
      [&]<class Move>(const Move& one) {
        for_each(stream_, particles_.count,
                 EndOwn<Precision, Move>{one, force.view(), particles_.state.velocity.view(),
                                         own_rows()},
                 move_threads(particles_.count));
      },
      move);
  profiler_.begin(Region::end, stream_);
}

template <class Precision>
void RankDomain<Precision>::sum_momentum() {
  zero_momentum_.sum_own(particles_, own_rows(), sums_.own(), stream_);
}

/// Copies' velocities are nobody's.
template <class Precision>
void RankDomain<Precision>::take_momentum() {
  zero_momentum_.take(particles_, sums_of_all(), stream_);
}

template <class Precision>
void RankDomain<Precision>::restore_integrator(NamedNumbers state) {
  zero_momentum_.take_from(state, zeroes_momentum_, stream_);
  integrator_->restore(state, stream_);
  if (rank_ != first_rank) hand_over_energy();  // which the first rank has
}

template <class Precision>
NamedNumbers RankDomain<Precision>::integrator_state() {
  NamedNumbers state = integrator_->state(stream_);
  if (zeroes_momentum_) zero_momentum_.put_into(state, stream_);
  return state;
}

template <class Precision>
std::vector<ExchangedEnergy::Total> RankDomain<Precision>::hand_over_energy() {
  ExchangedEnergy* const energy = shared_->exchanged();
  if (energy == nullptr) return {};
  return {energy->take(stream_)};
}

template <class Precision>
double RankDomain<Precision>::conserved_energy(const Observation& sums) {
  return integrator_->conserved_energy(sums, stream_) + zero_momentum_.taken_energy(stream_);
}

template <class Precision>
void RankDomain<Precision>::keep() {
  kept_.take(particles_, rows_used(), stream_);
  kept_step_ = step_;
  shared_->keep(stream_);
  most_used_.fill_bytes(0, stream_);
  if (keeps_list()) keep_list();
}

template <class Precision>
bool RankDomain<Precision>::was_short() {
  wanted_letters_ = mailbox_.wanted();
  wanted_rows_ = std::max({wanted_rows_, most_used_.download(stream_)[0], rows_now()});
  if (keeps_list()) note_longest_row(control_.download(stream_)[0]);
  return wanted_rows_ > particles_.count || !mailbox_.has_room_for(wanted_letters_) ||
         wanted_row_ > backend_->row_capacity();
}

template <class Precision>
Index RankDomain<Precision>::rows_now() {
  Index used = 0;
  memory::copy(&used, rows_used(), sizeof used, stream_);
  stream_.synchronize();
  return used;
}

template <class Precision>
void RankDomain<Precision>::grow() {
  mailbox_.make_room(wanted_letters_);
  if (wanted_rows_ > particles_.count) particles_.count = rows_for(wanted_rows_);
  grow_rows();
}

template <class Precision>
void RankDomain<Precision>::begin_again() {
  kept_.give_back(particles_, stream_);
  memory::copy(used_.data(), kept_.rows_used(), sizeof(Index), stream_);
  is_ordered_ = false;
  step_ = kept_step_;
  shared_->take_back(stream_);
  if (keeps_list()) return_to_references();
}

/// By row; nothing where a row is no particle of this rank.
template <class Precision>
std::vector<std::optional<Index>> RankDomain<Precision>::own_cells() {
  std::vector<Index> cells = particles_.state.cell.download(stream_);
  cells.resize(static_cast<std::size_t>(rows_now()));
  std::vector<std::optional<Index>> own;
  for (const Index cell : cells) own.push_back(decomposition_.own_cell_at(rank_, cell));
  return own;
}

template <class Precision>
Letter RankDomain<Precision>::frame_part(const FrameOrder& order) {
  const CellGrid& global = decomposition_.global();
  const Domain& domain = decomposition_.domain(rank_);
  const CellsWithin place{domain.grid.template view<double>(),
                          first_cell_in_global_grid(),
                          global.view<double>(),
                          {global.lower[0], global.lower[1], global.lower[2]}};
  return frame_part_.pack(particles_, own_rows(), place, order, stream_);
}

template <class Precision>
auto RankDomain<Precision>::rows() -> LargeVector<Row> {
  LargeVector<Row> all = download_rows(particles_, stream_);
  if (keeps_list()) is_ordered_ ? add_references(all) : present_.put_into(all, stream_);
  const std::vector<std::optional<Index>> cells = own_cells();
  LargeVector<Row> own;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (!cells[i]) continue;
    own.push_back(all[i]);
    own.back().cell = *cells[i];
  }
  sort_within_cells(own);
  return own;
}

template <class Precision>
BinningHealth RankDomain<Precision>::health() {
  const BinningHealth health = binning_->health(stream_);
  backend_->occupancy_changed(health.largest_cell);
  return health;
}

template <class Precision>
LookedAt RankDomain<Precision>::look() {
  return watch_.count_own(particles_, own_rows(), decomposition_.global(), stream_);
}

template <class Precision>
Observation RankDomain<Precision>::sum_observables() {
  return sum_own_observables(particles_, own_rows(), reduction_, stream_);
}

template <class Precision>
double RankDomain<Precision>::sum_squared_forces() {
  return sum_own_squared_forces(particles_, own_rows(), reduction_, stream_);
}

template <class Precision>
auto RankDomain<Precision>::count() -> Counts {
  Counts counts;
  if (keeps_list()) {
    counts.longest_row = longest_row_;
    counts.row_capacity = backend_->row_capacity();
    counts.times_grown = times_grown_;
  }
  if (!is_ordered_) return counts;
  PairSums<Precision> sums;
  sums.resize(particles_.state.cell.size());
  sums.resize_counts(particles_.state.cell.size());
  backend_->compute(view(), *interaction_, Wanted::counts, sums, stream_);
  const auto candidates = sums.candidates.download(stream_);
  const auto partners = sums.partners.download(stream_);
  const std::vector<std::optional<Index>> cells = own_cells();
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (!cells[i]) continue;
    counts.candidates.push_back(candidates[i]);
    counts.partners.push_back(partners[i]);
  }
  return counts;
}

template class RankDomain<SinglePrecision>;
template class RankDomain<MixedPrecision>;
template class RankDomain<DoublePrecision>;

}  // namespace pencilbox::PENCILBOX_DEVICE
