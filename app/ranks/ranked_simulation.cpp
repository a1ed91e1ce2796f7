// The steps of all ranks, phase by phase, and what the host may ask of the whole: rows of all ranks
// come together in the order that one rank would have them in.
#include "app/ranks/ranked_simulation.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <stdexcept>

#include "app/engine/complete_observation.hpp"
#include "app/engine/simulation_problem.hpp"
#include "app/ranks/rank_domain.hpp"
#include "core/error.hpp"
#include "core/observables.hpp"
#include "neighbor/cells/exact_transfer.hpp"
#include "neighbor/cells/frame_gatherer.hpp"
#include "neighbor/cells/particle_transfer.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

namespace {

constexpr const char* of_one_stage = "on several ranks a run has one stage";

template <class Precision>
class RankedSimulation final : public Simulation {
 public:
  using Row = ParticleRow<Precision>;

  RankedSimulation(SimulationSetup setup, const Problem& problem, const RankGrid& ranks)
      : RankedSimulation(setup, setup.start.types, setup.start.type, problem, ranks) {
    upload(setup.start, problem.grid, whole_, stream_);
    clear_sums();
    Profiler profiler;
    Binning<Precision>(problem.grid, {}, stream_).run(whole_, 0, profiler, stream_);
    deal_out();
    evaluate(Wanted::forces_and_energies);
    look_after_health();
  }

  RankedSimulation(const SimulationSetup& setup, const Problem& problem, const ExactState& state,
                   const RankGrid& ranks)
      : RankedSimulation(setup, state.types, state.type, problem, ranks) {
    step_ = first_step_ = state.step;
    upload_exact(state, whole_, stream_);
    deal_out();
  }

  void advance(std::int64_t steps, LastStep last) override {
    const auto begin = std::chrono::steady_clock::now();
    for (; steps > 0; --steps) {
      for (auto& domain : domains_) domain->first_half();
      migrate();
      const bool energies = steps == 1 && last == LastStep::with_energies;
      evaluate(energies ? Wanted::forces_and_energies : Wanted::forces);
      for (auto& domain : domains_) domain->second_half();
      ++step_;
    }
    advance_seconds_ =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    look_after_health();
  }

  std::int64_t step() const override { return step_; }
  void begin_stage(const StageSettings&) override { throw InputError(of_one_stage); }
  std::optional<Minimisation> minimisation() override { return {}; }
  bool is_minimised() const override { return false; }

  void evaluate_energies() override {
    if (!has_energies_) evaluate(Wanted::forces_and_energies);
  }

  Observation observe() override {
    if (!has_energies_) throw std::logic_error("the state to observe has no energies");
    gather();
    Observation sums = sum_observables(whole_, reduction_, stream_);
    complete(sums, setup_.potential, type_counts_, problem_.box, true);
    sums.step = step_;
    sums.time = time();
    if (!std::isfinite(sums.total_energy() + sums.virial)) {
      throw PhysicsError("step " + std::to_string(step_) +
                         ": the total energy is not finite (overlapping particles?)");
    }
    sums.conserved_energy = sums.total_energy();
    return sums;
  }

  ExactState exact_state() override {
    gather();
    ExactState state = download_exact(whole_, problem_.grid, stream_);
    state.step = step_;
    state.box = problem_.box;
    state.types = types_;
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

  void sample_observables() override {}
  std::vector<ObservableResult> observable_results() override { return {}; }
  std::vector<ObservableState> observable_states() override { return {}; }
  void restore_observables(const std::vector<ObservableState>& states) override {
    if (!states.empty()) throw InputError("observables: none on several ranks");
  }

  double last_advance_seconds() const override { return advance_seconds_; }
  RegionSeconds regions() const override { return {}; }
  void forget_regions() override {}

  BackendStats backend_stats() override {
    const NeighborStats neighbors = neighbor_stats();
    const LaunchReport report = domains_.front()->launch_report();
    BackendStats stats;
    stats.candidates_per_particle = neighbors.candidates_per_particle;
    stats.pairs_in_range =
        0.5 * neighbors.partners_per_particle * static_cast<double>(whole_.count);
    stats.blocks = report.shape.blocks;
    stats.threads = report.shape.threads;
    stats.shared_bytes = static_cast<std::int64_t>(report.shape.shared_bytes);
    stats.note = report.note();
    return stats;
  }

  NeighborStats neighbor_stats() override {
    NeighborStats stats{};
    for (auto& domain : domains_) {
      const auto counts = domain->count();
      for (const Index number : counts.candidates) {
        stats.candidates_per_particle += static_cast<double>(number);
        stats.most_candidates = std::max<std::int64_t>(stats.most_candidates, number);
      }
      for (const Index number : counts.partners) {
        stats.partners_per_particle += static_cast<double>(number);
        stats.most_partners = std::max<std::int64_t>(stats.most_partners, number);
      }
    }
    const auto count = static_cast<double>(whole_.count);
    stats.candidates_per_particle /= count;
    stats.partners_per_particle /= count;
    stats.particles_per_cell = count / static_cast<double>(problem_.grid.count());
    stats.largest_cell = largest_cell_;
    return stats;
  }

  std::int64_t device_bytes() const override { return allocated_bytes; }

 private:
  RankedSimulation(const SimulationSettings& setup, const std::vector<ParticleType>& types,
                   const std::vector<std::int32_t>& type, const Problem& problem,
                   const RankGrid& ranks)
      : setup_(setup),
        problem_(problem),
        types_(types),
        type_counts_(count_types(types.size(), type)),
        decomposition_(problem.grid, ranks) {
    for (int rank = 0; rank < decomposition_.ranks(); ++rank) {
      domains_.push_back(
          std::make_unique<RankDomain<Precision>>(setup_, types_, problem_, decomposition_, rank));
    }
  }

  double time() const {
    return setup_.first_time + static_cast<double>(step_ - setup_.first_step) * setup_.timestep;
  }

  /// Of all ranks at once: letters are posted, travel, and are read.
  template <class Post, class Read>
  void exchange(const Post& post, const Read& read) {
    std::vector<Mail> posted;
    for (auto& domain : domains_) posted.push_back(post(*domain));
    const std::vector<Mail> arrived = delivered(std::move(posted));
    for (std::size_t rank = 0; rank < domains_.size(); ++rank) read(*domains_[rank], arrived[rank]);
  }

  void migrate() {
    using Domain = RankDomain<Precision>;
    exchange([](Domain& domain) { return domain.emigrants(); },
             [](Domain& domain, const Mail& arrived) { domain.immigrate(arrived); });
  }

  void evaluate(Wanted wanted) {
    using Domain = RankDomain<Precision>;
    exchange([](Domain& domain) { return domain.ghosts(); },
             [&](Domain& domain, const Mail& arrived) { domain.evaluate(arrived, wanted); });
    has_energies_ = wanted == Wanted::forces_and_energies;
  }

  void clear_sums() {
    whole_.sums.force.fill_bytes(0, stream_);
    whole_.sums.energy.fill_bytes(0, stream_);
    whole_.sums.virial.fill_bytes(0, stream_);
  }

  /// To their owners, as they lie in whole_.
  void deal_out() {
    std::vector<std::vector<Row>> dealt(domains_.size());
    for (const Row& row : download_rows(whole_, stream_)) {
      const int owner = decomposition_.owner_of(row.cell);
      dealt[static_cast<std::size_t>(owner)].push_back(row);
    }
    for (std::size_t rank = 0; rank < dealt.size(); ++rank) {
      domains_[rank]->own(std::move(dealt[rank]));
    }
  }

  /// Into whole_, by cell and id: as one rank orders them that is deterministic.
  void gather() {
    std::vector<Row> all;
    for (auto& domain : domains_) {
      const std::vector<Row> rows = domain->rows();
      all.insert(all.end(), rows.begin(), rows.end());
    }
    std::sort(all.begin(), all.end());
    upload_rows(all, whole_, stream_);
  }

  PackedFrame packed(const FieldSet& fields, int float_bytes) {
    gather();
    if (!gatherer_) gatherer_.emplace(whole_, stream_);
    PackedFrame frame = gatherer_->gather(whole_, problem_.grid, fields, float_bytes, stream_);
    frame.arrive();  // whole_ is filled anew by whoever looks next
    frame.step = step_;
    frame.time = time();
    frame.box = problem_.box;
    return frame;
  }

  void look_after_health() {
    largest_cell_ = 0;
    for (auto& domain : domains_) {
      const BinningHealth health = domain->health();
      largest_cell_ = std::max(largest_cell_, health.largest_cell);
      if (!health.failed) continue;
      throw PhysicsError("step " + std::to_string(first_step_ + health.failed_step) +
                         ": particle " + std::to_string(health.failed_id) +
                         " is lost: it moved by more than the box in one step, or its position is "
                         "not finite (overlapping start, or a timestep that is too long?)");
    }
  }

  SimulationSettings setup_;
  Problem problem_;
  std::vector<ParticleType> types_;
  std::vector<std::int64_t> type_counts_;
  Decomposition decomposition_;
  Stream stream_;
  std::vector<std::unique_ptr<RankDomain<Precision>>> domains_;
  Particles<Precision> whole_;
  Reduction reduction_;
  std::optional<FrameGatherer<Precision>> gatherer_;
  std::int64_t step_ = 0, first_step_ = 0;
  bool has_energies_ = false;
  Index largest_cell_ = 0;
  double advance_seconds_ = 0.0;
};

/// Throws InputError with the reason if this cannot be.
void require_ranks(const SimulationSettings& setup, const Problem& problem, const RankGrid& ranks) {
  std::vector<BackendInfo> backends;
  for (const BackendEntry& entry : backend_registry()) backends.push_back(entry.info);
  if (const auto refusal = refusal_on_ranks(setup, problem.grid, ranks, backends)) {
    throw InputError(*refusal);
  }
}

template <class... Rest>
std::unique_ptr<Simulation> make_ranked(const SimulationSetup& setup, const Problem& problem,
                                        const Rest&... rest) {
  switch (setup.precision) {
    case Precision::single:
      return std::make_unique<RankedSimulation<SinglePrecision>>(setup, problem, rest...);
    case Precision::mixed:
      return std::make_unique<RankedSimulation<MixedPrecision>>(setup, problem, rest...);
    case Precision::double_:
      return std::make_unique<RankedSimulation<DoublePrecision>>(setup, problem, rest...);
  }
  throw InputError("run.precision: unknown precision");
}

class Ranks final : public RankDevice {
 public:
  std::string kind() const override { return device_kind; }

  std::unique_ptr<Simulation> make(SimulationSetup setup, const RankGrid& ranks) const override {
    const Problem problem = make_problem(setup, setup.start, device_properties());
    require_resolved(setup.start, problem);
    require_ranks(setup, problem, ranks);
    return make_ranked(setup, problem, ranks);
  }

  std::unique_ptr<Simulation> resume(SimulationSetup setup, const ExactState& state,
                                     const RankGrid& ranks) const override {
    if (!state.reference.empty()) {
      throw InputError("a state with a list of pairs cannot go on on several ranks yet");
    }
    const Problem problem = make_problem(setup, state, device_properties());
    require_ranks(setup, problem, ranks);
    return make_ranked(setup, problem, state, ranks);
  }
};

}  // namespace

const RankDevice& rank_device() {
  static const Ranks ranks;
  return ranks;
}

}  // namespace pencilbox::PENCILBOX_DEVICE
