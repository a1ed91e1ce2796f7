// A comparison as tables, a plot and words.
#include <cmath>

#include <fmt/format.h>

#include "app/bench/bench_arguments.hpp"
#include "app/compare/ceilings.hpp"
#include "app/compare/compare.hpp"

namespace pencilbox {
namespace {

constexpr double microseconds = 1e6;
constexpr double percent = 100.0;

std::vector<Column> columns() {
  return {{"backend", "back end"},
          {"options", ""},
          {"steps_per_s", "steps/s"},
          {"matom_steps_per_s", "Matom-steps/s"},
          {"spread_percent", "spread %", 2},
          {"speedup", "speed-up", 3},
          {"deterministic_cost_percent", "deterministic %", 2},
          {"force_error", "force error", 2},
          {"step_us", "us a step", 4, 1},
          {"integrate_us", "integrate", 4, 1},
          {"bin_us", "bin", 4, 1},
          {"reorder_us", "reorder", 4, 1},
          {"prepare_us", "prepare", 4, 1},
          {"force_us", "force", 4, 1},
          {"candidates_per_particle", "candidates", 4, 2},
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

class Rows {
 public:
  Rows(const Comparison& comparison, const Contest& contest, const DeviceProperties& device)
      : comparison_(comparison), contest_(contest), device_(device) {}

  ResultRow operator()(const Contender& contender) const {
    ResultRow row{{describe(contender.choice, contest_.known), options_text(contender.choice)},
                  contender.refusal.value_or("")};
    if (contender.refusal) {
      row.cells.resize(columns().size());
      return row;
    }
    for (const auto& part :
         {speed(contender), times(contender), work(contender), launch(contender)}) {
      row.cells.insert(row.cells.end(), part.begin(), part.end());
    }
    return row;
  }

 private:
  using Cells = std::vector<Cell>;

  double particles() const { return static_cast<double>(comparison_.particles); }

  Cells speed(const Contender& contender) const {
    const double step = contender.step.median;
    return {1.0 / step,
            1e-6 * particles() / step,
            percent * contender.step.relative(),
            comparison_.yardstick_step / step,
            percent * contender.deterministic_cost,
            contender.largest_error};
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
    return {stats.candidates_per_particle,
            static_cast<std::int64_t>(std::llround(stats.pairs_in_range)),
            evaluation > 0.0 ? Cell(2.0 * stats.pairs_in_range / evaluation) : Cell(),
            percent * issue_share(device_, stats, comparison_.particles, contest_.setup.potential,
                                  contest_.setup.precision, contender.regions.force),
            percent * bandwidth_share(device_, comparison_.particles, contest_.setup.precision,
                                      contender.step.median),
            static_cast<double>(contender.device_bytes) / particles()};
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

std::vector<std::string> notes(const Comparison& comparison, const Contest& contest,
                               const DeviceProperties& device) {
  std::vector<std::string> notes{
      fmt::format("Same start for all. Before anything was timed, the forces of each were held "
                  "against {} in double, at the start and after two steps: at most {:.0e} of the "
                  "largest force apart.",
                  comparison.truth, force_bar(contest.setup.precision)),
      fmt::format("{} steps of warm-up, then the median of {} times {} steps between events on the "
                  "device, without outputs; spread: from the fastest to the slowest repeat.",
                  contest.warm_up, contest.repeats, contest.steps)};
  if (comparison.yardstick_drift == comparison.yardstick_drift) {
    notes.push_back(
        fmt::format("{} timed once more at the end: {:+.1f} %. Smaller differences "
                    "between back ends say nothing.",
                    yardstick, percent * comparison.yardstick_drift));
  }
  notes.push_back(
      "Candidates: sources tested for a particle. Interactions/s: directed pairs within the cutoff "
      "by the time of prepare and force. Deterministic: what run.deterministic adds to a step.");
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

Result result_of(const Comparison& comparison, const Contest& contest,
                 const DeviceProperties& device) {
  Result result;
  result.name = compare_name;
  result.notes = notes(comparison, contest, device);
  ResultTable table{compare_name,
                    fmt::format("{} particles, {} precision; times in microseconds a step",
                                comparison.particles, name_of(contest.setup.precision)),
                    columns(),
                    {}};
  const Rows rows(comparison, contest, device);
  for (const Contender& contender : comparison.contenders) table.rows.push_back(rows(contender));
  table.folds = true;
  result.tables.push_back(std::move(table));
  result.plots.push_back(plot_of(comparison, contest));
  return result;
}

}  // namespace pencilbox
