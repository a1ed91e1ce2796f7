// A comparison as tables, a plot and words.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/bench/bench_arguments.hpp"
#include "app/compare/ceilings.hpp"
#include "app/compare/compare.hpp"

namespace pencilbox {
namespace {

constexpr double percent = 100.0;

std::vector<Column> comparison_columns() {
  return {{"backend", "back end"},
          {"options", ""},
          {"steps_per_s", "steps/s"},
          {"matom_steps_per_s", "Matom-steps/s"},
          {"spread_percent", "spread %", 2},
          {"speedup", "speed-up", 3},
          {"deterministic_cost_percent", "deterministic %", 2},
          {"deterministic_noise_percent", ""},
          {"like_fastest", ""},
          {"timed_steps", ""},
          {"force_error", "force error", 2},
          {"step_us", "us a step", 4, 1},
          {"integrate_us", "integrate", 4, 1},
          {"bin_us", "bin", 4, 1},
          {"reorder_us", "reorder", 4, 1},
          {"prepare_us", "prepare", 4, 1},
          {"force_us", "force", 4, 1},
          {"particles_per_cell", "in a cell", 3, 4},
          {"largest_cell", "most", 4, 4},
          {"candidates_per_particle", "candidates", 4, 4},
          {"most_candidates", "most", 4, 4},
          {"partners_per_particle", ""},
          {"most_partners", ""},
          {"in_range_percent", "in range %", 3, 4},
          {"list_row", "list", 4, 4},
          {"rebuild_interval", "every", 3, 4},
          {"pairs_in_range", "pairs in range", 4, 2},
          {"interactions_per_s", "interactions/s", 3, 2},
          {"issue_share_percent", "issue %", 2, 2},
          {"bandwidth_share_percent", "bandwidth %", 2, 2},
          {"bytes_per_particle", "B/particle", 4, 2},
          {"blocks", "", 4, 3},
          {"threads", "threads", 4, 3},
          {"shared_bytes", "shared B", 4, 3},
          {"registers", "registers", 4, 3},
          {"local_bytes", "spilled B", 4, 3},
          {"occupancy_percent", "occupancy %", 3, 3},
          {"launch", "launch", 4, 3}};
}

class RowsOfComparison {
 public:
  RowsOfComparison(const Comparison& comparison, const Contest& contest,
                   const DeviceProperties& device)
      : comparison_(comparison),
        contest_(contest),
        device_(device),
        fastest_(fastest_of(comparison)) {}

  ResultRow operator()(const Contender& contender) const {
    ResultRow row{{describe(contender.choice, contest_.known), options_text(contender.choice)},
                  contender.refusal.value_or("")};
    if (contender.refusal) {
      row.cells.resize(comparison_columns().size());
      return row;
    }
    if (is_like_fastest(contender)) row.mark = "~";
    for (const auto& part : {speed(contender), times(contender), crowding(contender),
                             work(contender), launch(contender)}) {
      row.cells.insert(row.cells.end(), part.begin(), part.end());
    }
    return row;
  }

 private:
  using Cells = std::vector<Cell>;

  double particles() const { return static_cast<double>(comparison_.particles); }

  bool is_fastest(const Contender& contender) const {
    return &contender == &comparison_.contenders[*fastest_];
  }

  bool is_like_fastest(const Contender& contender) const {
    return !is_fastest(contender) &&
           cannot_be_told_from(contender, comparison_.contenders[*fastest_]);
  }

  static Cell cost_cell(const DeterministicCost& cost) {
    if (cost.is_within_noise()) return "within noise";
    return percent * cost.cost;
  }

  Cells speed(const Contender& contender) const {
    const double step = contender.step.median;
    return {1.0 / step,
            1e-6 * particles() / step,
            percent * contender.step.relative(),
            comparison_.yardstick_step / step,
            cost_cell(contender.deterministic_cost),
            percent * contender.deterministic_cost.noise,
            std::int64_t{is_fastest(contender) || is_like_fastest(contender)},
            contender.steps,
            contender.largest_error};
  }

  /// How particles lie, and what the back end makes of it.
  Cells crowding(const Contender& contender) const {
    const BackendStats& stats = contender.stats;
    const NeighborStats& neighbors = contender.neighbors;
    Cells cells{neighbors.particles_per_cell,        neighbors.largest_cell,
                stats.candidates_per_particle,       neighbors.most_candidates,
                neighbors.partners_per_particle,     neighbors.most_partners,
                percent * neighbors.share_in_range()};
    cells.resize(cells.size() + 2);
    if (stats.list) {
      cells[cells.size() - 2] = stats.list->longest_row;
      if (stats.list->rebuilds > 0) cells.back() = stats.list->mean_interval();
    }
    return cells;
  }

  Cells times(const Contender& contender) const {
    const RegionSeconds& seconds = contender.regions;
    Cells cells{microseconds * contender.step.median};
    const bool sampled = seconds.force > 0.0;  // a few steps alone may hold none that is
    for (const double region :
         {seconds.integrate, seconds.bin, seconds.reorder, seconds.prepare, seconds.force}) {
      cells.push_back(sampled ? Cell(microseconds * region) : Cell());
    }
    return cells;
  }

  Cells work(const Contender& contender) const {
    const BackendStats& stats = contender.stats;
    const double evaluation = contender.regions.prepare + contender.regions.force;
    Cells cells(2);
    cells[0] = static_cast<std::int64_t>(std::llround(stats.pairs_in_range));
    if (evaluation > 0.0) cells[1] = 2.0 * stats.pairs_in_range / evaluation;
    cells.emplace_back(percent * issue_share(device_, stats, comparison_.particles,
                                             contest_.setup.potential, contest_.setup.precision,
                                             contender.regions.force));
    cells.emplace_back(percent * bandwidth_share(device_, comparison_.particles,
                                                 contest_.setup.precision, contender.step.median));
    cells.emplace_back(static_cast<double>(contender.device_bytes) / particles());
    return cells;
  }

  Cells launch(const Contender& contender) const {
    const BackendStats& stats = contender.stats;
    Cells cells{stats.blocks, std::int64_t{stats.threads}, stats.shared_bytes};
    const KernelResources& resources = stats.resources;
    if (resources.kernel.empty()) {
      cells.resize(cells.size() + 3);
    } else {
      cells.push_back(std::int64_t{resources.registers});
      cells.push_back(resources.local_bytes);
      cells.push_back(percent * resources.occupancy);
    }
    cells.push_back(stats.note);
    return cells;
  }

  const Comparison& comparison_;
  const Contest& contest_;
  const DeviceProperties& device_;
  std::optional<std::size_t> fastest_;
};

Plot plot_of(const Comparison& comparison, const Contest& contest) {
  BarPlot plot{"Matom-steps/s; the line goes from the slowest to the fastest repeat", {}};
  for (const Contender& contender : comparison.contenders) {
    Bar bar{describe(contender.choice, contest.known), 0.0, 0.0, 0.0, ""};
    if (contender.refusal) {
      bar.refusal = *contender.refusal;
    } else {
      const double work = 1e-6 * static_cast<double>(comparison.particles);
      bar.value = work / contender.step.median;
      bar.low = work / contender.step.most;
      bar.high = work / contender.step.least;
    }
    plot.bars.push_back(bar);
  }
  return {compare_name, fmt::format("{} particles: speed of every back end", comparison.particles),
          plot};
}

/// How many steps one of them took in a timing, which differs where a time was asked for.
std::string timing_rule(const Comparison& comparison, const Contest& contest) {
  std::int64_t least = 0, most = 0;
  for (const Contender& contender : comparison.contenders) {
    if (contender.refusal) continue;
    least = least == 0 ? contender.steps : std::min(least, contender.steps);
    most = std::max(most, contender.steps);
  }
  const std::string steps =
      least == most ? fmt::format("{}", least) : fmt::format("{} to {}", least, most);
  return fmt::format(
      "{} steps of warm-up, then {} rounds: in each, all are timed in turn, {} steps between two "
      "events on the device, without outputs. Median of the rounds; spread: from the fastest to "
      "the slowest.",
      contest.warm_up, contest.repeats, steps);
}

std::vector<std::string> notes(const Comparison& comparison, const Contest& contest,
                               const DeviceProperties& device) {
  std::vector<std::string> notes{
      fmt::format("Same start for all. Before anything was timed, the forces of each were held "
                  "against {} in double, at the start and after two steps: at most {:.0e} of the "
                  "largest force apart.",
                  comparison.truth, force_bar(contest.setup.precision)),
      timing_rule(comparison, contest)};
  if (comparison.yardstick_drift == comparison.yardstick_drift) {
    notes.push_back(fmt::format("{} in the last round against the first: {:+.1f} %.", yardstick,
                                percent * comparison.yardstick_drift));
  }
  if (const auto fastest = fastest_of(comparison)) {
    const NeighborStats& neighbors = comparison.contenders[*fastest].neighbors;
    notes.push_back(fmt::format(
        "A particle has {:.1f} partners within the cutoff, at most {}. In a cell: particles, mean "
        "and most. List: partners of the particle that has most; every: steps between rebuilds.",
        neighbors.partners_per_particle, neighbors.most_partners));
  }
  notes.push_back(
      "~: not to be told from the fastest, its timings or those of the fastest scatter by more "
      "than lies between them. Candidates: sources tested for a particle, mean and most. "
      "Interactions/s: directed pairs within the cutoff by the time of prepare and force. "
      "Deterministic: what run.deterministic adds to a step.");
  if (device.issue_per_s > 0.0) {
    notes.push_back(fmt::format(
        "Issue: {:.0f} instructions for each candidate and {:.0f} more for each in range, by the "
        "{:.3g} a second that the device can issue at its clock. Bandwidth: {:.0f} bytes a "
        "particle "
        "and step, by {:.3g} bytes a second. Both are the least that the work needs, not what the "
        "kernels do.",
        instructions_of_candidate, instructions_of_partner, device.issue_per_s,
        least_bytes_per_step(contest.setup.precision), device.memory_bytes_per_s));
  }
  if (device.emulates_blocks) {
    notes.push_back(
        "On the host, back ends with blocks run on the block emulator, which is for tests, not for "
        "speed; registers, occupancy and ceilings are not known there.");
  }
  return notes;
}

}  // namespace

std::string verdict_of(const Comparison& comparison, const Contest& contest) {
  const auto fastest = fastest_of(comparison);
  if (!fastest) return "fastest: none, no back end could run this";
  const Contender& first = comparison.contenders[*fastest];
  std::string text = "fastest: " + describe(first.choice, contest.known);
  if (std::isnan(comparison.yardstick_step)) {
    text += fmt::format("; the yardstick {} could not run this", yardstick);
  } else if (first.choice.name == yardstick) {
    text += ", the yardstick";
  } else {
    text +=
        fmt::format(", {:.2f} times the yardstick", comparison.yardstick_step / first.step.median);
  }
  std::vector<std::string> others;
  for (const Contender& contender : comparison.contenders) {
    if (&contender == &first || contender.refusal || !cannot_be_told_from(contender, first)) {
      continue;
    }
    others.push_back(describe(contender.choice, contest.known));
  }
  if (!others.empty()) text += fmt::format("; not to be told from {}", fmt::join(others, ", "));
  if (contest.repeats == 1) text += "; one timing each says nothing of noise";
  return text;
}

Result result_of(const Comparison& comparison, const Contest& contest,
                 const DeviceProperties& device) {
  Result result;
  result.name = compare_name;
  result.conclusion = verdict_of(comparison, contest);
  result.notes = notes(comparison, contest, device);
  ResultTable table{compare_name,
                    fmt::format("{} particles, {} precision; times in microseconds a step",
                                comparison.particles, name_of(contest.setup.precision)),
                    comparison_columns(),
                    {}};
  const RowsOfComparison rows(comparison, contest, device);
  for (const Contender& contender : comparison.contenders) table.rows.push_back(rows(contender));
  table.folds = true;
  result.tables.push_back(std::move(table));
  result.plots.push_back(plot_of(comparison, contest));
  return result;
}

}  // namespace pencilbox
