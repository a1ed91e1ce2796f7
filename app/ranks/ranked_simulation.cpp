// What the first rank is to the program: it has the others keep step, and what is asked of the
// whole is asked of all rows together, in the order that one rank would have them in.
#include "app/ranks/ranked_simulation.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "app/engine/candidates.hpp"
#include "app/engine/changing_box.hpp"
#include "app/engine/complete_observation.hpp"
#include "app/engine/large_forces.hpp"
#include "app/engine/observers.hpp"
#include "app/engine/simulation_problem.hpp"
#include "app/engine/start_of.hpp"
#include "app/ranks/rank_device.hpp"
#include "app/ranks/rank_team.hpp"
#include "core/error.hpp"
#include "core/observables.hpp"
#include "neighbor/cells/change_grid.hpp"
#include "neighbor/cells/exact_transfer.hpp"
#include "neighbor/cells/frame_gatherer.hpp"
#include "neighbor/cells/particle_transfer.hpp"
#include "neighbor/cells/resolution_watch.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

namespace {

/// Tells the other processes what there is to do.
void commission_others(const Commission& commission, Post& post) {
  post.meet();
  post.from_the_first(letter_of(device_kind, commission));
}

template <class Precision>
class RankedSimulation final : public Simulation {
 public:
  using Row = ParticleRow<Precision>;

  RankedSimulation(const Commission& commission, std::shared_ptr<Post> post,
                   const StartState& start)
      : RankedSimulation(commission, std::move(post), start.type) {
    observers_.emplace(setup_.observables, observed_system(start, setup_));
    begin_with(start);
    look();
    if (setup_.zero_momentum_every) zero_momentum();
  }

  RankedSimulation(const Commission& commission, std::shared_ptr<Post> post,
                   const ExactState& state)
      : RankedSimulation(commission, std::move(post), state.type) {
    observers_.emplace(setup_.observables, observed_system(state, setup_));
    step_ = first_step_ = state.step;
    NamedNumbers carried = state.integrator;
    take_from(carried, barostat_);
    upload_exact(state, whole_, stream_);
    if (is_of_this_grid(state)) {
      deal_out(state.reference);
    } else {
      change_grid(whole_, grid_of(state), problem_.grid, stream_);
      deal_out();
      evaluate(Wanted::forces);
    }
  }

  ~RankedSimulation() override { dismiss(); }
  RankedSimulation(const RankedSimulation&) = delete;
  RankedSimulation& operator=(const RankedSimulation&) = delete;

  void advance(std::int64_t steps, LastStep last) override {
    const auto begin = std::chrono::steady_clock::now();
    while (steps > 0) {
      if (looks_at_forces_at(step_, setup_)) look_at_forces(Wanted::forces);
      const std::int64_t some = steps_at_once(steps);
      const bool changes_box = setup_.changes_box_at(step_ + some);
      steps -= some;
      advance_batch(some, changes_box || (steps == 0 && last == LastStep::with_energies));
      if (setup_.zeroes_momentum_at(step_)) zero_momentum();
      if (changes_box) change_box();
    }
    look();
    if (last == LastStep::with_energies) lay_new_grid_if_spread();
    advance_seconds_ =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  }

  std::int64_t step() const override { return step_; }
  void begin_stage(const StageSettings& stage) override {
    static_cast<StageSettings&>(setup_) = stage;
    together({Order::What::begin_stage}, [&] {
      team_->begin_stage(stage);
      return true;
    });
    barostat_ = barostat_of(stage, problem_);
    observers_->begin_stage(problem_.box, step_);
    if (setup_.zero_momentum_every) zero_momentum();
  }
  std::optional<Minimisation> minimisation() override { return {}; }
  bool is_minimised() const override { return false; }

  void evaluate_energies() override {
    if (!has_energies_) evaluate(Wanted::forces_and_energies);
  }

  Observation observe() override {
    if (!has_energies_) throw std::logic_error("the state to observe has no energies");
    Observation sums = sums_of_all();
    complete(sums, setup_.potential, type_counts_, problem_.box, team_->conserves_momentum());
    sums.step = step_;
    sums.time = time();
    if (!std::isfinite(sums.total_energy() + sums.virial)) {
      throw PhysicsError("step " + std::to_string(step_) +
                         ": the total energy is not finite (overlapping particles?)");
    }
    collect_energy();
    sums.conserved_energy = team_->conserved_energy(sums) + (barostat_ ? barostat_->energy() : 0.0);
    return sums;
  }

  ExactState exact_state() override {
    gather();
    ExactState state = download_exact(whole_, problem_.grid, stream_);
    state.step = step_;
    state.box = problem_.box;
    state.types = types_;
    state.integrator = integrator_state();
    put_into(state.integrator, barostat_);
    put_forces_into(state.integrator, problem_);
    if (team_->keeps_list()) {
      state.skin = problem_.skin;
      state.reference = download_reference(reference_, whole_, stream_);
      state.list_age = team_->list_ages().list;
      state.list_age_before = team_->list_ages().before;
    }
    if (const auto row = state.first_broken_row()) {
      throw PhysicsError("step " + std::to_string(step_) + ": particle " +
                         std::to_string(state.id[*row]) +
                         " has a velocity or force that is not finite (overlapping particles?)");
    }
    return state;
  }

  Frame snapshot(const FieldSet& fields) override { return unpack(packed(fields, sizeof(double))); }
  PackedFrame packed_snapshot(const FieldSet& fields) override {
    constexpr bool doubles = std::is_same_v<Precision, DoublePrecision>;
    return packed(fields, doubles ? sizeof(double) : sizeof(float));
  }

  /// Here, of everybody's particles, which lie as on one rank that is deterministic.
  void sample_observables() override {
    if (!observers_->any_due(step_)) return;
    const auto begin = std::chrono::steady_clock::now();
    gather();
    find_cells();
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    observers_->sample(
        problem_.box,
        {whole_, problem_.grid, cell_offsets_.data(), stray_of_list(problem_), step_, time()},
        stream_, seconds.count());
  }
  std::vector<ObservableResult> observable_results() override {
    return observers_->results(stream_);
  }
  std::vector<ObservableState> observable_states() override { return observers_->states(stream_); }
  void restore_observables(const std::vector<ObservableState>& states) override {
    observers_->restore(states, stream_);
  }

  RankGrid ranks() const override { return team_->grid(); }
  std::string exchange() const override {
    return team_->exchanges_directly() ? "from device to device" : "through memory of the host";
  }

  double last_advance_seconds() const override { return advance_seconds_; }
  RegionSeconds regions() const override {
    RegionSeconds all = past_regions_;
    all += team_->regions();
    return all;
  }
  void forget_regions() override {
    past_regions_ = {};
    team_->forget_regions();
  }

  BackendStats backend_stats() override {
    const NeighborStats neighbors = neighbor_stats();
    const LaunchReport report = team_->launch_report();
    BackendStats stats;
    stats.candidates_per_particle = neighbors.candidates_per_particle;
    stats.pairs_in_range =
        0.5 * neighbors.partners_per_particle * static_cast<double>(whole_.count);
    stats.blocks = report.shape.blocks;
    stats.threads = report.shape.threads;
    stats.shared_bytes = static_cast<std::int64_t>(report.shape.shared_bytes);
    stats.note = report.note();
    if (team_->keeps_list()) stats.list = team_->list_stats();
    return stats;
  }

  std::vector<double> busy_seconds() override {
    return together({Order::What::busy_seconds}, [&] { return team_->busy_seconds(); });
  }

  NeighborStats neighbor_stats() override {
    return together({Order::What::count}, [&] { return team_->count(); });
  }

  std::int64_t device_bytes() const override { return allocated_bytes; }

 private:
  RankedSimulation(const Commission& commission, std::shared_ptr<Post> post,
                   const std::vector<std::int32_t>& type)
      : commission_(commission),
        setup_(commission.settings),
        problem_(commission.global),
        types_(commission.types),
        type_counts_(count_types(types_.size(), type)),
        post_(std::move(post)),
        watch_(commission.settings.potential),
        barostat_(barostat_of(setup_, problem_)) {
    team_.emplace(commission, *post_);
  }

  double time() const {
    return setup_.first_time + static_cast<double>(step_ - setup_.first_step) * setup_.timestep;
  }

  /// What all processes do: the others are told first. Where it fails here, they are left in the
  /// middle of it, and the post with it.
  template <class Action>
  auto together(const Order& order, const Action& action) {
    is_gathered_ = is_gathered_ && leaves_particles(order.what);
    try {
      post_->from_the_first(Letter::of(order));
      return action();
    } catch (...) {
      post_->give_up();
      throw;
    }
  }

  static bool leaves_particles(Order::What what) {
    return what == Order::What::rows || what == Order::What::frame || what == Order::What::look ||
           what == Order::What::collect_energy || what == Order::What::count ||
           what == Order::What::busy_seconds || what == Order::What::sum_observables ||
           what == Order::What::sum_squared_forces;
  }

  void dismiss() noexcept {
    if (post_->is_given_up() || !team_) return;
    try {
      post_->from_the_first(Letter::of(Order{}));
      team_->part();
    } catch (const std::exception&) {
      // Whoever is left notices that this process ends.
    }
  }

  void evaluate(Wanted wanted) {
    const bool energies = wanted == Wanted::forces_and_energies;
    look_after(together({Order::What::evaluate, 0, energies}, [&] {
      team_->evaluate(wanted);
      return team_->health();
    }));
    has_energies_ = energies;
  }

  /// Until something is to be done between two steps.
  std::int64_t steps_at_once(std::int64_t steps) const {
    const auto to_next = [this](std::int64_t every) { return every - step_ % every; };
    const std::int64_t every = setup_.zero_momentum_every.value_or(0);
    if (every > 0) steps = std::min(steps, to_next(every));
    if (setup_.barostat) steps = std::min(steps, to_next(setup_.barostat->every()));
    if (problem_.in_quanta) steps = std::min(steps, steps_to_look_at_forces(step_));
    return steps;
  }

  void advance_batch(std::int64_t steps, bool energies) {
    const BinningHealth health = together({Order::What::advance, steps, energies}, [&] {
      team_->advance(steps, energies ? Wanted::forces_and_energies : Wanted::forces);
      return team_->health();
    });
    step_ += steps;
    has_energies_ = energies;
    look_after(health);
  }

  /// As one rank does: where sums are others from here on, `wanted` is evaluated anew.
  void look_at_forces(Wanted wanted) {
    if (!problem_.in_quanta) return;
    const double sum_of_squares =
        together({Order::What::sum_squared_forces}, [&] { return team_->sum_squared_forces(); });
    const bool are_large = are_forces_large(problem_, sum_of_squares);
    if (std::exchange(problem_.forces_are_large, are_large) == are_large) return;
    together({.what = Order::What::take_forces_to_be, .large = are_large}, [&] {
      team_->take_forces_to_be(are_large);
      return true;
    });
    evaluate(wanted);
  }

  void zero_momentum() {
    together({Order::What::zero_momentum}, [&] {
      team_->zero_momentum();
      return true;
    });
  }

  NamedNumbers integrator_state() {
    collect_energy();
    return team_->integrator_state();
  }

  void collect_energy() {
    together({Order::What::collect_energy}, [&] {
      team_->collect_energy();
      return true;
    });
  }

  CellRescaling::Sums pressure_sums_of_all() {
    gather();
    return pressure_sums(whole_, problem_, type_counts_, reduction_, stream_);
  }

  /// As one rank does it (engine_box.cpp), and here: of all particles, which are dealt out then.
  void change_box() {
    stretch_to(barostat_->next(problem_.box, pressure_sums_of_all(), step_));
    if (team_->keeps_kinetic_energy()) {
      together({Order::What::tell_kinetic_energy}, [&] {
        team_->velocities_changed();
        return true;
      });
    }
    evaluate(Wanted::forces_and_energies);
    barostat_->book(problem_.box, pressure_sums_of_all());
  }

  void stretch_to(const Box& box) {
    const Candidate candidate = as_candidate();
    const CellGrid same_cells = stretched(problem_.grid, box);
    const Problem bare = in_box(box, of_the_bare_cutoff());
    Problem problem = problem_for(candidate, bare);
    const bool cells_stay = suits(candidate, same_cells, bare);
    if (cells_stay) problem.grid = same_cells;
    require_candidate_runs(candidate, problem, step_);
    stretch(whole_, problem_.grid, same_cells, stream_);
    if (!cells_stay) change_grid(whole_, same_cells, problem.grid, stream_);
    problem_ = problem;
    cells_stay ? stretch_team() : make_team_anew("in the box that the barostat has made: ");
    // Ranks keep a list of particles that are in the cells where they are.
    if (team_->keeps_list()) bin_whole();
    deal_out();
  }

  /// What the settings have named.
  Candidate as_candidate() const {
    return {&find_backend(setup_.backend), setup_.options, problem_.skin};
  }

  Problem of_the_bare_cutoff() const {
    Problem bare = problem_;
    bare.skin = 0.0;
    bare.parts_of_a_cell = Problem{}.parts_of_a_cell;
    return bare;
  }

  void stretch_team() {
    together({Order::What::stretch}, [&] {
      team_->stretch({problem_.box, problem_.grid});
      return true;
    });
  }

  /// In the order of one rank, which is dealt out.
  void begin_with(const StartState& start) {
    upload(start, problem_.grid, whole_, stream_);
    clear_sums();
    bin_whole();
    deal_out();
    evaluate(Wanted::forces_and_energies);
    look_at_forces(Wanted::forces_and_energies);
  }

  void look() {
    const LookedAt seen = together({Order::What::look}, [&] { return team_->look(); });
    watch_.judge(seen, problem_.grid, step_, [this] {
      gather();
      return download_exact(whole_, problem_.grid, stream_);
    });
  }

  /// As one rank does, which keeps its grid where a new one would not help or cannot be; and where
  /// it has too few cells for so many ranks.
  void lay_new_grid_if_spread() {
    if (!watch_.wants_new_grid(problem_.particles)) return;
    const StartState start = start_of(*this, types_);
    const Problem bare = make_problem(setup_, start, problem_.device);
    if (!watch_.is_helped_by(bare.grid, start.position) || refusal_of(setup_, bare)) return;
    const Problem problem = problem_for(as_candidate(), bare);
    if (!rank_grid_with_fewest_copies(problem.grid.cells, post_->ranks())) return;
    problem_ = problem;
    make_team_anew("in the cells that were laid anew: ");
    begin_with(start);
    look();
  }

  /// On other cells each rank has others.
  void make_team_anew(const std::string& where) {
    commission_.settings = setup_;
    commission_.global = problem_;
    commission_.cuts = even_cuts(problem_.grid.cells, ranks_that_share(problem_.grid, where));
    commission_.integrator = integrator_state();
    commission_.step = first_step_ = step_;
    commission_.list_age = commission_.list_age_before = 0;
    past_regions_ += team_->regions();
    const ListStats list = team_->list_stats();
    dismiss();
    team_.reset();
    is_gathered_ = false;
    commission_others(commission_, *post_);
    try {
      team_.emplace(commission_, *post_);
    } catch (const BackendRefusal& refusal) {  // all have agreed on it
      throw PhysicsError(at_step() + where + refusal.what());
    } catch (...) {
      post_->give_up();
      throw;
    }
    team_->go_on_from(list);
  }

  /// As they do now, if they can.
  RankGrid ranks_that_share(const CellGrid& grid, const std::string& where) const {
    const RankGrid& now = team_->grid();
    if (now[0] <= grid.cells[0] && now[1] <= grid.cells[1] && now[2] <= grid.cells[2]) return now;
    try {
      return rank_grid_for(grid, {}, post_->ranks());
    } catch (const RanksRefusal& refusal) {
      throw PhysicsError(at_step() + where + refusal.what());
    }
  }

  std::string at_step() const { return "step " + std::to_string(step_) + ": "; }

  void bin_whole() {
    Profiler profiler;
    Binning<Precision>(problem_.grid, {}, stream_).run(whole_, 0, profiler, stream_);
  }

  void clear_sums() {
    whole_.sums.force.fill_bytes(0, stream_);
    whole_.sums.energy.fill_bytes(0, stream_);
    whole_.sums.virial.fill_bytes(0, stream_);
  }

  /// Otherwise another kind of back end goes on with it, or a list with another skin.
  bool is_of_this_grid(const ExactState& state) const {
    return grid_of(state) == problem_.grid && state.skin == problem_.skin;
  }

  /// To their owners, as they lie in whole_. `reference`: where each was when the list was made;
  /// empty: where it is.
  void deal_out(const std::vector<Double3>& reference = {}) {
    LargeVector<Row> rows = download_rows(whole_, stream_);
    for (std::size_t i = 0; i < reference.size(); ++i) {
      const auto& [x, y, z] = reference[i];
      rows[i].reference = Vec3<double>{x, y, z}.template to<typename Precision::State>();
    }
    together({Order::What::own}, [&] {
      team_->own(rows, !reference.empty());
      return true;
    });
  }

  /// Where bits matter, of all rows together, in the order of one rank; so also where they are
  /// here.
  Observation sums_of_all() {
    if (!setup_.deterministic && !is_gathered_) {
      return together({Order::What::sum_observables}, [&] { return team_->sum_observables(); });
    }
    gather();
    return sum_observables(whole_, reduction_, stream_);
  }

  /// Once for whatever looks at one state.
  void gather() {
    if (is_gathered_) return;
    const LargeVector<Row> rows = together({Order::What::rows}, [&] { return team_->rows(); });
    upload_rows(rows, whole_, stream_);
    if (team_->keeps_list()) upload_member(rows, &Row::reference, reference_, stream_);
    is_gathered_ = true;
  }

  /// Where each begins among the gathered particles.
  void find_cells() {
    std::vector<Index> offsets(static_cast<std::size_t>(problem_.grid.count()) + 1, 0);
    for (const Index cell : whole_.state.cell.download(stream_)) {
      ++offsets[static_cast<std::size_t>(cell) + 1];
    }
    std::partial_sum(offsets.begin(), offsets.end(), offsets.begin());
    cell_offsets_.upload(offsets, stream_);
  }

  /// Where all particles are here, of these.
  PackedFrame packed(const FieldSet& fields, int float_bytes) {
    const bool comes_in_parts = !is_gathered_ && team_->is_ordered();
    PackedFrame frame =
        comes_in_parts ? of_parts({fields, float_bytes}) : of_whole({fields, float_bytes});
    frame.step = step_;
    frame.time = time();
    frame.box = problem_.box;
    return frame;
  }

  PackedFrame of_parts(const FrameOrder& wanted) {
    const Mail parts = together({.what = Order::What::frame, .frame = wanted},
                                [&] { return team_->frame_parts(wanted); });
    return frame_of_parts_.assemble(parts, problem_.particles, wanted);
  }

  PackedFrame of_whole(const FrameOrder& wanted) {
    gather();
    if (!gatherer_) gatherer_.emplace(whole_, stream_);
    PackedFrame frame =
        gatherer_->gather(whole_, problem_.grid, wanted.fields, wanted.float_bytes, stream_);
    frame.arrive();  // whole_ is filled anew by whoever looks next
    return frame;
  }

  void look_after(const BinningHealth& health) const {
    if (!health.failed) return;
    throw PhysicsError("step " + std::to_string(first_step_ + health.failed_step) + ": particle " +
                       std::to_string(health.failed_id) +
                       " is lost: it moved by more than the box in one step, or its position is "
                       "not finite (overlapping start, or a timestep that is too long?)");
  }

  Commission commission_;  ///< of the present team
  SimulationSettings setup_;
  Problem problem_;
  std::vector<ParticleType> types_;
  std::vector<std::int64_t> type_counts_;
  Stream stream_;
  std::shared_ptr<Post> post_;
  ResolutionWatch<Precision> watch_;
  std::optional<CellRescaling> barostat_;
  std::optional<RankTeam<Precision>> team_;  ///< none for a moment, where another is made
  RegionSeconds past_regions_;               ///< of teams before
  Particles<Precision> whole_;
  Vec3Buffer<typename Precision::State> reference_;  ///< of those, where a list is kept
  Reduction reduction_;
  std::optional<Observers<Precision>> observers_;
  Buffer<Index> cell_offsets_;
  std::optional<FrameGatherer<Precision>> gatherer_;
  FrameOfParts frame_of_parts_;
  std::int64_t step_ = 0, first_step_ = 0;
  bool has_energies_ = false;
  bool is_gathered_ = false;
  double advance_seconds_ = 0.0;
};

template <class State>
std::unique_ptr<Simulation> make_in_precision(const Commission& commission,
                                              const std::shared_ptr<Post>& post,
                                              const State& state) {
  switch (commission.settings.precision) {
    case Precision::single:
      return std::make_unique<RankedSimulation<SinglePrecision>>(commission, post, state);
    case Precision::mixed:
      return std::make_unique<RankedSimulation<MixedPrecision>>(commission, post, state);
    case Precision::double_:
      return std::make_unique<RankedSimulation<DoublePrecision>>(commission, post, state);
  }
  throw InputError("run.precision: unknown precision");
}

/// With the other processes.
template <class State>
std::unique_ptr<Simulation> with_the_others(const Commission& commission, const State& state,
                                            const std::shared_ptr<Post>& post) {
  commission_others(commission, *post);
  try {
    return make_in_precision(commission, post, state);
  } catch (const BackendRefusal&) {
    throw;  // all have agreed on it
  } catch (const RanksRefusal&) {
    throw;  // on this, too
  } catch (const PhysicsError&) {
    throw;  // of a simulation that was there, and has dismissed the others
  } catch (...) {
    post->give_up();
    throw;
  }
}

}  // namespace

std::unique_ptr<Simulation> make_ranked(const Commission& commission, const StartState& start,
                                        const std::shared_ptr<Post>& post) {
  return with_the_others(commission, start, post);
}

std::unique_ptr<Simulation> make_ranked(const Commission& commission, const ExactState& state,
                                        const std::shared_ptr<Post>& post) {
  return with_the_others(commission, state, post);
}

}  // namespace pencilbox::PENCILBOX_DEVICE
