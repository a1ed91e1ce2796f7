// Auto: which back end is fastest is hard to predict and needs profiling (Few particles per cell,
// section 9), so this one profiles: the first steps of a run are evaluated by every other back end
// that can run the problem, in turn, between events on the device, and the fastest goes on. Every
// trial is a step of the run: no work is thrown away. When cells have filled or emptied since, it
// tries again.
//
// Candidates are what back ends say is worth trying (BackendInfo::worth_trying): they and the
// values of their options. The order of trials: neighbor/trial_schedule.hpp.
//
// With problem.deterministic a choice by time must not change a bit: candidates are then only those
// whose sums of the first state have the bits of the first candidate's, which is looked up once.
#include <algorithm>
#include <cstdlib>
#include <deque>
#include <vector>

#include "neighbor/backend.hpp"
#include "neighbor/trial_schedule.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

namespace {

constexpr const char* own_name = "auto";

/// Above this, N^2 is not worth a trial.
constexpr Index most_for_all_pairs = 2048;

struct Candidate {
  const BackendEntry* entry;
  BackendOptions options;

  BackendChoice choice() const { return {entry->info.name, options}; }
};

BackendOptions over_defaults(const BackendInfo& info, const BackendOptions& chosen) {
  BackendOptions options = default_options(info);
  for (const auto& [name, value] : chosen) options.at(name) = value;
  return options;
}

bool is_emulated(const BackendInfo& info, const Problem& problem) {
  return info.needs_blocks && problem.device.emulates_blocks;
}

/// What this back end adds to the candidates.
void add_worth_trying(const BackendEntry& entry, const Problem& problem,
                      std::vector<Candidate>& candidates) {
  if (is_emulated(entry.info, problem)) return;
  if (entry.info.all_pairs && problem.particles > most_for_all_pairs) return;
  for (const BackendOptions& chosen : entry.info.worth_trying) {
    BackendOptions options = over_defaults(entry.info, chosen);
    if (!entry.refuse(problem, options)) candidates.push_back({&entry, std::move(options)});
    if (problem.device.emulates_blocks) return;
  }
}

/// What can run the problem, worth trying or not: first what is not emulated.
std::vector<Candidate> last_resort(const Problem& problem) {
  for (const bool emulated : {false, true}) {
    for (const BackendEntry& entry : backend_registry()) {
      const BackendOptions options = default_options(entry.info);
      if (entry.info.name == own_name || is_emulated(entry.info, problem) != emulated) continue;
      if (!entry.refuse(problem, options)) return {{&entry, options}};
    }
  }
  return {};
}

std::vector<Candidate> candidates_for(const Problem& problem) {
  std::vector<Candidate> candidates;
  for (const BackendEntry& entry : backend_registry()) {
    if (entry.info.name != own_name) add_worth_trying(entry, problem, candidates);
  }
  return candidates.empty() ? last_resort(problem) : candidates;
}

std::vector<std::size_t> families_of(const std::vector<Candidate>& candidates) {
  std::vector<std::size_t> families;
  for (std::size_t k = 0; k < candidates.size(); ++k) {
    const bool is_new = k == 0 || candidates[k].entry != candidates[k - 1].entry;
    families.push_back(k == 0 ? 0 : families.back() + (is_new ? 1 : 0));
  }
  return families;
}

template <class Precision>
class Automatic final : public Backend<Precision> {
  using Accumulator = typename Precision::Accumulator;
  using PairInteraction = Interaction<typename Precision::Pair>;

 public:
  Automatic(const Problem& problem, const BackendOptions&)
      : problem_(problem),
        candidates_(candidates_for(problem)),
        backends_(candidates_.size()),
        largest_cell_(problem.largest_cell),
        schedule_(families_of(candidates_)),
        largest_at_choice_(problem.largest_cell) {}

  static std::optional<std::string> refuse(const Problem& problem, const BackendOptions&) {
    if (std::holds_alternative<CandidatePotentialModel>(problem.potential)) {
      return "the benchmark's potentials compare back ends by name, and this one is all of them";
    }
    if (!candidates_for(problem).empty()) return {};
    const BackendEntry& first = backend_registry().front();
    return "no back end can run this, for instance not " + first.info.name + ": " +
           first.refuse(problem, default_options(first.info)).value_or("");
  }

  void prepare(const BinnedParticles<Precision>& particles, Stream& stream) override {
    const std::vector<std::size_t>& round = schedule_.round();
    // The first evaluation is the start's, once: a step's is another kernel.
    measuring_ = seen_start_ && !schedule_.decided();
    active_ = measuring_ ? round[trials_.size()] : schedule_.best();
    Backend<Precision>& backend = active();  // if it is made here, that is no part of its trial
    if (measuring_) trials_.emplace_back().begin.record(stream);
    backend.prepare(particles, stream);
  }

  void compute(const BinnedParticles<Precision>& particles, const PairInteraction& interaction,
               Wanted wanted, PairSums<Precision>& sums, Stream& stream) override {
    if (!seen_start_ && problem_.deterministic) {
      keep_equal_bits(particles, interaction, stream);
      active_ = 0;
      active().prepare(particles, stream);
    } else if (!seen_start_) {
      rehearse(particles, interaction, sums, stream);
    }
    active().compute(particles, interaction, wanted, sums, stream);
    if (measuring_) end_trial(wanted, stream);
    seen_start_ = true;
  }

  void occupancy_changed(Index largest_cell) override {
    largest_cell_ = largest_cell;
    for (const auto& backend : backends_) {
      if (backend) backend->occupancy_changed(largest_cell);
    }
    const Index change = std::abs(largest_cell - largest_at_choice_);
    if (schedule_.decided() && change > std::max<Index>(3, largest_at_choice_ / 4)) choose_again();
  }

  LaunchReport launch_report() const override {
    LaunchReport report;
    if (backends_[active_]) report = backends_[active_]->launch_report();
    report.note = in_words(candidates_[active_].choice()) + (report.note.empty() ? "" : ", ") +
                  report.note + (schedule_.decided() ? "" : "; others still to be tried");
    return report;
  }

  std::optional<AutomaticChoice> choice() const override {
    return schedule_.decided() ? present_choice() : choice_before_;
  }

 private:
  AutomaticChoice present_choice() const {
    AutomaticChoice choice;
    choice.chosen = candidates_[schedule_.best()].choice();
    choice.tried = static_cast<int>(schedule_.tried());
    choice.choices = choices_;
    if (const auto second = schedule_.runner_up()) {
      choice.runner_up = candidates_[*second].choice();
      choice.margin = schedule_.seconds(*second) / schedule_.seconds(schedule_.best()) - 1.0;
    }
    return choice;
  }

  struct Trial {
    Event begin, end;
  };

  Backend<Precision>& active() { return made(active_); }

  /// Made when it is first tried: a back end may take much memory of its own.
  Backend<Precision>& made(std::size_t candidate) {
    std::unique_ptr<Backend<Precision>>& backend = backends_[candidate];
    if (!backend) {
      const Candidate& wanted = candidates_[candidate];
      backend = make_backend<Precision>(*wanted.entry, problem_, wanted.options);
      backend->occupancy_changed(largest_cell_);
    }
    return *backend;
  }

  /// A round compares like with like: evaluations of the kind that the first step asked for.
  void end_trial(Wanted wanted, Stream& stream) {
    trials_.back().end.record(stream);
    measuring_ = false;
    if (!measured_kind_) measured_kind_ = wanted;
    if (wanted != *measured_kind_) return trials_.pop_back();
    if (trials_.size() == schedule_.round().size()) finish_round();
  }

  /// Waits for the device, once a round: a run that went on in the meantime would go on slowly.
  void finish_round() {
    std::vector<double> seconds;
    for (const Trial& trial : trials_) seconds.push_back(trial.end.seconds_since(trial.begin));
    trials_.clear();
    schedule_.finish_round(seconds);
    free_all_but(schedule_.round());
    if (!schedule_.decided()) return;
    largest_at_choice_ = largest_cell_;
    ++choices_;
  }

  void choose_again() {
    choice_before_ = present_choice();
    schedule_ = TrialSchedule(families_of(candidates_));
    measured_kind_.reset();
  }

  void free_all_but(const std::vector<std::size_t>& needed) {
    for (std::size_t k = 0; k < backends_.size(); ++k) {
      const bool is_needed = std::find(needed.begin(), needed.end(), k) != needed.end();
      if (!is_needed && k != schedule_.best() && k != active_) backends_[k].reset();
    }
  }

  /// Loads the kernels of all candidates: loading is no part of a step, and takes longer than one.
  void rehearse(const BinnedParticles<Precision>& particles, const PairInteraction& interaction,
                PairSums<Precision>& sums, Stream& stream) const {
    const Rehearsal rehearsal;
    for (const Candidate& candidate : candidates_) {
      const auto backend = make_backend<Precision>(*candidate.entry, problem_, candidate.options);
      backend->prepare(particles, stream);
      backend->compute(particles, interaction, Wanted::forces, sums, stream);
    }
  }

  struct Bits {
    std::vector<Accumulator> x, y, z, energy, virial;
    bool operator==(const Bits&) const = default;
  };

  Bits bits_of(std::size_t candidate, const BinnedParticles<Precision>& particles,
               const PairInteraction& interaction, Wanted wanted, Stream& stream) {
    PairSums<Precision> sums;
    sums.resize(particles.count);
    Backend<Precision>& backend = made(candidate);
    backend.prepare(particles, stream);
    backend.compute(particles, interaction, wanted, sums, stream);
    Bits bits{sums.force.x.download(stream),
              sums.force.y.download(stream),
              sums.force.z.download(stream),
              {},
              {}};
    if (wanted == Wanted::forces_and_energies) {
      bits.energy = sums.energy.download(stream);
      bits.virial = sums.virial.download(stream);
    }
    return bits;
  }

  void keep_equal_bits(const BinnedParticles<Precision>& particles,
                       const PairInteraction& interaction, Stream& stream) {
    constexpr Wanted kinds[] = {Wanted::forces, Wanted::forces_and_energies};
    std::vector<Candidate> equal{candidates_.front()};
    std::vector<Bits> right;
    for (const Wanted wanted : kinds) {
      right.push_back(bits_of(0, particles, interaction, wanted, stream));
    }
    for (std::size_t k = 1; k < candidates_.size(); ++k) {
      const bool is_equal = bits_of(k, particles, interaction, kinds[0], stream) == right[0] &&
                            bits_of(k, particles, interaction, kinds[1], stream) == right[1];
      if (is_equal) equal.push_back(candidates_[k]);
      backends_[k].reset();
    }
    candidates_ = std::move(equal);
    backends_.resize(candidates_.size());
    schedule_ = TrialSchedule(families_of(candidates_));
  }

  Problem problem_;
  std::vector<Candidate> candidates_;
  std::vector<std::unique_ptr<Backend<Precision>>> backends_;  ///< of the candidates, or null
  Index largest_cell_;
  TrialSchedule schedule_;
  std::deque<Trial> trials_;  ///< of this round
  std::size_t active_ = 0;
  bool seen_start_ = false;
  bool measuring_ = false;
  std::optional<Wanted> measured_kind_;
  Index largest_at_choice_;
  int choices_ = 0;
  std::optional<AutomaticChoice> choice_before_;  ///< while it chooses again
};

}  // namespace

BackendEntry automatic() {
  return make_entry<Automatic>({
      .name = own_name,
      .summary = "the fastest of the others, found by trying them in the first steps",
      .source = "Few particles per cell, section 9",
  });
}

}  // namespace pencilbox::PENCILBOX_DEVICE
