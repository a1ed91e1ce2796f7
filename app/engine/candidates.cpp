#include "app/engine/candidates.hpp"

#include <algorithm>
#include <array>
#include <variant>

#include "app/engine/cell_width.hpp"
#include "core/cell_parts.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

namespace {

/// Above this, N^2 is not worth a trial.
constexpr Index most_for_all_pairs = 2048;

/// Skins that are tried where the deck leaves it open, in units of the largest sigma: the first is
/// what to begin with, and what a deterministic run takes, whose bits no clock may choose.
constexpr std::array<double, 5> skins_to_try{0.4, 0.6, 0.3, 0.8, 1.0};

bool is_emulated(const BackendInfo& info, const BackendOptions& options, const Problem& problem) {
  return problem.device.emulates_blocks && needs_blocks(info, options);
}

/// From so many particles a cell on, and from so many in all, whoever has vectors on a CPU is
/// faster than whoever has none, by several times: those are not worth the time of a trial
/// (docs/results/2026-11-22-cpu.md, docs/results/2026-11-25-cpu-gases.md).
constexpr Index crowd_for_vectors = 4;
constexpr Index many_for_vectors = 1000;

bool has_vectors_to_be_tried(const Problem& problem) {
  const std::int64_t crowd = std::int64_t{crowd_for_vectors} * problem.grid.count();
  if (problem.particles < std::min<std::int64_t>(crowd, many_for_vectors)) return false;
  const auto& entries = backend_registry();
  return std::any_of(entries.begin(), entries.end(), [&](const BackendEntry& entry) {
    return entry.info.has_vectors && !entry.refuse(problem, default_options(entry.info));
  });
}

double largest_sigma(const Problem& problem) {
  double largest = 0.0;
  if (const auto* model = std::get_if<LennardJonesModel>(&problem.potential)) {
    for (const PairCoefficients& pair : model->pairs) largest = std::max(largest, pair.sigma);
  }
  return largest > 0.0 ? largest : 1.0;
}

/// The candidates that a back end with these options makes: one, or one for each skin.
void add_with_skins(const BackendEntry& entry, const BackendOptions& options,
                    const SimulationSettings& setup, const Problem& problem,
                    std::vector<Candidate>& candidates) {
  if (entry.info.rebuild == Rebuild::every_step) {
    candidates.push_back({&entry, options, 0.0});
    return;
  }
  const double cutoff = cutoff_of(problem.potential);
  const auto add = [&](double skin) {
    const Candidate candidate{&entry, options, skin_that_fits(problem.box, cutoff, skin)};
    const bool is_known = std::any_of(candidates.begin(), candidates.end(), [&](const auto& other) {
      return other.entry == &entry && other.options == options && other.skin == candidate.skin;
    });
    const bool can_run = !entry.refuse(problem_for(candidate, problem), options);
    if (!is_known && can_run) candidates.push_back(candidate);
  };
  if (setup.skin) return add(*setup.skin);
  const std::size_t count = setup.deterministic ? 1 : skins_to_try.size();
  for (std::size_t k = 0; k < count; ++k) add(skins_to_try[k] * largest_sigma(problem));
}

Index parts_of_a_cell(ParticleOrder order) {
  switch (order) {
    case ParticleOrder::cells:
      return 1;
    case ParticleOrder::curves_in_cells:
      return CellParts::of_a_curve;
    case ParticleOrder::slices_in_cells:
      return CellParts::of_slices;
  }
  return 1;
}

/// Nobody asks for doubles, by the option of back ends that can.
bool may_sum_quanta(const Candidate& candidate) {
  return candidate.entry->info.sums_quanta && candidate.options.at("sums") != "double";
}

BackendOptions over_defaults(const BackendInfo& info, const BackendOptions& chosen) {
  BackendOptions options = default_options(info);
  for (const auto& [name, value] : chosen) options.at(name) = value;
  return options;
}

/// What this back end adds to those of `auto`.
void add_worth_trying(const BackendEntry& entry, const SimulationSettings& setup,
                      const Problem& problem, std::vector<Candidate>& candidates) {
  if (entry.info.all_pairs && problem.particles > most_for_all_pairs) return;
  for (const BackendOptions& chosen : entry.info.worth_trying) {
    const BackendOptions options = over_defaults(entry.info, chosen);
    if (is_emulated(entry.info, options, problem)) continue;
    if (entry.refuse(problem, options)) continue;
    add_with_skins(entry, options, setup, problem, candidates);
    if (problem.device.emulates_blocks) return;
  }
}

/// What can run the problem, worth trying or not: first what is not emulated.
std::vector<Candidate> last_resort(const SimulationSettings& setup, const Problem& problem) {
  std::vector<Candidate> candidates;
  for (const bool emulated : {false, true}) {
    for (const BackendEntry& entry : backend_registry()) {
      const BackendOptions options = default_options(entry.info);
      if (entry.info.name == any_backend) continue;
      if (is_emulated(entry.info, options, problem) != emulated) continue;
      if (entry.refuse(problem, options)) continue;
      add_with_skins(entry, options, setup, problem, candidates);
      if (candidates.empty()) continue;
      candidates.resize(1);
      return candidates;
    }
  }
  return candidates;
}

std::vector<Candidate> all_candidates(const SimulationSettings& setup, const Problem& problem) {
  std::vector<Candidate> candidates;
  if (setup.backend != any_backend) {
    add_with_skins(find_backend(setup.backend), setup.options, setup, problem, candidates);
    return candidates;
  }
  const bool vectors_alone = !setup.deterministic && has_vectors_to_be_tried(problem);
  for (const BackendEntry& entry : backend_registry()) {
    if (entry.info.name == any_backend || (vectors_alone && !entry.info.has_vectors)) continue;
    add_worth_trying(entry, setup, problem, candidates);
  }
  return candidates.empty() ? last_resort(setup, problem) : candidates;
}

}  // namespace

BackendChoice Candidate::choice() const { return {entry->info.name, options, skin}; }

std::optional<std::string> refusal_of(const SimulationSettings& setup, const Problem& problem) {
  const BackendEntry& entry = find_backend(setup.backend);
  if (const auto reason = entry.refuse(problem, setup.options)) return reason;
  if (!all_candidates(setup, problem).empty()) return {};
  if (setup.backend != any_backend) {
    const double cutoff = cutoff_of(problem.potential);
    const double skin = setup.skin.value_or(skins_to_try[0] * largest_sigma(problem));
    const Candidate candidate{&entry, setup.options, skin_that_fits(problem.box, cutoff, skin)};
    return entry.refuse(problem_for(candidate, problem), setup.options);
  }
  const BackendEntry& first = backend_registry().front();
  return "no back end can run this, for instance not " + first.info.name + ": " +
         first.refuse(problem, default_options(first.info)).value_or("");
}

std::vector<Candidate> candidates_for(const SimulationSettings& setup, const Problem& problem) {
  if (const auto reason = refusal_of(setup, problem)) throw BackendRefusal(*reason);
  return all_candidates(setup, problem);
}

std::vector<TrialCandidate> trial_candidates(const std::vector<Candidate>& candidates) {
  std::vector<TrialCandidate> trials;
  for (std::size_t k = 0; k < candidates.size(); ++k) {
    TrialCandidate trial{0, 0, candidates[k].skin};
    if (k > 0) {
      const bool same_entry = candidates[k].entry == candidates[k - 1].entry;
      const bool same_options = same_entry && candidates[k].options == candidates[k - 1].options;
      trial.family = trials.back().family + (same_entry ? 0 : 1);
      trial.ladder = trials.back().ladder + (same_options ? 0 : 1);
    }
    trials.push_back(trial);
  }
  return trials;
}

bool have_cells_alike(const Candidate& a, const Candidate& b) {
  return a.keeps_list() == b.keeps_list() &&
         a.entry->info.has_vectors == b.entry->info.has_vectors &&
         a.entry->info.has_clusters == b.entry->info.has_clusters &&
         a.entry->info.crowd == b.entry->info.crowd && a.entry->info.order == b.entry->info.order;
}

Problem problem_for(const Candidate& candidate, const Problem& problem) {
  Problem own = problem;
  own.grid = wider_grid(problem.grid, least_cell_width(candidate, problem));
  own.parts_of_a_cell = parts_of_a_cell(candidate.entry->info.order);
  own.in_quanta = may_sum_quanta(candidate) && suits_quanta(problem);
  if (candidate.keeps_list()) own.skin = candidate.skin;
  return own;
}

}  // namespace pencilbox::PENCILBOX_DEVICE
