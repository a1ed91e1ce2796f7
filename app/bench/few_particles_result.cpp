#include "app/bench/few_particles_result.hpp"

#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "app/bench/bench_arguments.hpp"
#include "app/bench/measurement.hpp"
#include "app/bench/published.hpp"

namespace pencilbox {
namespace {

constexpr const char* figure_6 = "few-particles-figure-6";
constexpr const char* figure_8 = "few-particles-figure-8";
constexpr const char* published_table = "few-particles-published";
constexpr const char* challenger =
    "x-pencil";  ///< whom the paper's table sets beside the yardstick

/// The first variant of a back end that could run a row; seconds of its graph.
std::optional<double> seconds_of(const FewParticlesMeasurement& measurement, const MeasuredRow& row,
                                 const std::string& backend) {
  for (std::size_t i = 0; i < measurement.backends.size(); ++i) {
    const CandidateTiming& timing = row.result.backends[i];
    if (measurement.backends[i].name == backend && !timing.refusal) return timing.graph_median;
  }
  return {};
}

std::vector<Cell> timing_cells(const CandidateTiming& timing, double interactions) {
  if (timing.refusal) return std::vector<Cell>(11);
  return {microseconds * timing.graph_median,
          microseconds * timing.graph_best,
          microseconds * timing.asynchronous,
          microseconds * timing.prepare,
          interactions / timing.graph_median,
          timing.shape.blocks,
          std::int64_t{timing.shape.threads},
          static_cast<std::int64_t>(timing.shape.shared_bytes),
          timing.device_bytes,
          timing.largest_error,
          timing.note};
}

// Figures as tables: a series, a place, a value.

std::vector<Column> figure_columns(const std::string& value) {
  return {{"series", "series"},
          {"interactions_per_particle", "interactions"},
          {value, value},
          {"published", ""}};
}

ResultTable table_of(const std::string& name, const std::string& value, const Plot& plot) {
  ResultTable table{name, plot.title, figure_columns(value), {}};
  for (const PlotSeries& series : std::get<LinePlot>(plot.drawing).series) {
    for (const PlotPoint& point : series.points) {
      table.rows.push_back(
          {{series.name, point.x, point.y, std::int64_t{series.published ? 1 : 0}}, ""});
    }
  }
  return table;
}

/// Points of a published column: x-pencil's speed-up. Where measured rows are not the paper's,
/// there are none.
PlotSeries published_speedup(const FewParticlesMeasurement& measurement, const std::string& chip,
                             PublishedCandidateTimes::Pair PublishedCandidateTimes::*column) {
  PlotSeries series{fmt::format("{}, {}", challenger, chip), {}, true};
  for (const MeasuredRow& row : measurement.rows) {
    const auto* published = find_published_times(row.row.cells, row.row.per_cell);
    if (published == nullptr || row.potential != CandidatePotential::lennard_jones) continue;
    const PublishedCandidateTimes::Pair& times = published->*column;
    series.points.push_back(
        {row.result.candidates_per_particle, times.par_part_no_loop / times.x_pencil});
  }
  return series;
}

/// Speed-up of every strategy against the yardstick.
Plot make_figure_6(const FewParticlesMeasurement& measurement) {
  LinePlot plot{
      "interactions per particle", fmt::format("speed-up against {}", yardstick), true, true, {}};
  for (std::size_t i = 0; i < measurement.backends.size(); ++i) {
    const BackendChoice& choice = measurement.backends[i];
    PlotSeries series{describe(choice, measurement.known), {}, false};
    for (const MeasuredRow& row : measurement.rows) {
      const CandidateTiming& timing = row.result.backends[i];
      const auto base = seconds_of(measurement, row, yardstick);
      if (row.potential != CandidatePotential::lennard_jones || timing.refusal || !base) continue;
      series.points.push_back({row.result.candidates_per_particle, *base / timing.graph_median});
    }
    if (!series.points.empty()) plot.series.push_back(std::move(series));
  }
  const std::pair<const char*, PublishedCandidateTimes::Pair PublishedCandidateTimes::*> chips[]{
      {"T600, paper", &PublishedCandidateTimes::t600},
      {"A100, paper", &PublishedCandidateTimes::a100},
      {"MI210, paper", &PublishedCandidateTimes::mi210},
      {"H200, by hand", &PublishedCandidateTimes::h200}};
  for (const auto& [chip, column] : chips) {
    PlotSeries series = published_speedup(measurement, chip, column);
    if (!series.points.empty()) plot.series.push_back(std::move(series));
  }
  return {figure_6, "Few particles per cell, Figure 6: all strategies", std::move(plot)};
}

/// Time of yardstick and challenger with cheap, plain and dear interactions.
Plot make_figure_8(const FewParticlesMeasurement& measurement) {
  LinePlot plot{"interactions per particle", "microseconds a call", true, true, {}};
  for (std::size_t k = 0; k < candidate_potential_names.size(); ++k) {
    const auto potential = static_cast<CandidatePotential>(k);
    for (const char* backend : {yardstick, challenger}) {
      PlotSeries series{
          fmt::format("{}, {} FLOP", backend, candidate_potential_flop[k]), {}, false};
      for (const MeasuredRow& row : measurement.rows) {
        const auto seconds = seconds_of(measurement, row, backend);
        if (row.potential != potential || !seconds) continue;
        series.points.push_back({row.result.candidates_per_particle, microseconds * *seconds});
      }
      if (!series.points.empty()) plot.series.push_back(std::move(series));
    }
  }
  return {figure_8, "Few particles per cell, Figure 8: FLOP of an interaction", std::move(plot)};
}

ResultTable make_published_table(const FewParticlesMeasurement& measurement) {
  ResultTable table{published_table,
                    "microseconds a call: par-part-no-loop (PPNL) and x-pencil as published (T600, "
                    "A100, MI210; H200 by hand), and here",
                    {{"row", "cells x per cell"},
                     {"t600_ppnl_us", "T600 PPNL"},
                     {"t600_x_pencil_us", "x-pencil"},
                     {"a100_ppnl_us", "A100 PPNL"},
                     {"a100_x_pencil_us", "x-pencil"},
                     {"mi210_ppnl_us", "MI210 PPNL"},
                     {"mi210_x_pencil_us", "x-pencil"},
                     {"h200_ppnl_us", "H200 PPNL"},
                     {"h200_x_pencil_us", "x-pencil"},
                     {"ppnl_us", "here PPNL"},
                     {"x_pencil_us", "x-pencil"}},
                    {}};
  for (const MeasuredRow& row : measurement.rows) {
    const auto* published = find_published_times(row.row.cells, row.row.per_cell);
    if (published == nullptr || row.potential != CandidatePotential::lennard_jones) continue;
    std::vector<Cell> cells{fmt::format("{}^3 x {}", row.row.cells, row.row.per_cell)};
    for (const PublishedCandidateTimes::Pair& chip :
         {published->t600, published->a100, published->mi210, published->h200}) {
      cells.push_back(microseconds * chip.par_part_no_loop);
      cells.push_back(microseconds * chip.x_pencil);
    }
    for (const char* backend : {yardstick, challenger}) {
      const auto seconds = seconds_of(measurement, row, backend);
      cells.emplace_back();
      if (seconds) cells.back() = microseconds * *seconds;
    }
    table.rows.push_back({std::move(cells), ""});
  }
  return table;
}

}  // namespace

std::vector<std::string> few_particles_tables() {
  return {few_particles_page, published_table, figure_6, figure_8};
}

std::vector<std::string> few_particles_plots() { return {figure_6, figure_8}; }

ResultTable table_of_rows(const FewParticlesMeasurement& measurement) {
  ResultTable table{few_particles_page,
                    fmt::format("{} calls as one graph, median of {} [best]; calls: enqueued one "
                                "by one, one wait: the paper's rule",
                                measurement.calls, measurement.repeats),
                    {{"cells", "cells"},
                     {"per_cell", "per cell"},
                     {"particles", "particles"},
                     {"largest_cell", ""},
                     {"interactions_per_particle", "interactions"},
                     {"published_interactions", ""},
                     {"potential", "potential"},
                     {"backend", "back end"},
                     {"options", "options"},
                     {"calls", ""},
                     {"repeats", ""},
                     {"graph_median_us", "graph, us"},
                     {"graph_best_us", "[best]"},
                     {"calls_us", "calls, us"},
                     {"prepare_us", "prepare, us"},
                     {"interactions_per_s", "interactions/s"},
                     {"blocks", "blocks"},
                     {"threads", "threads"},
                     {"shared_bytes", "shared B"},
                     {"device_bytes", ""},
                     {"largest_error", ""},
                     {"note", "launch"}},
                    {}};
  for (const MeasuredRow& row : measurement.rows) {
    const auto published = find_published(row.row);
    for (std::size_t i = 0; i < measurement.backends.size(); ++i) {
      const CandidateTiming& timing = row.result.backends[i];
      std::vector<Cell> cells{
          std::int64_t{row.row.cells},
          std::int64_t{row.row.per_cell},
          row.row.particles(),
          std::int64_t{row.result.largest_cell},
          row.result.candidates_per_particle,
          published ? Cell(std::string(published->interactions)) : Cell(),
          std::string(candidate_potential_names[static_cast<std::size_t>(row.potential)]),
          measurement.backends[i].name,
          options_text(measurement.backends[i]),
          std::int64_t{measurement.calls},
          std::int64_t{measurement.repeats}};
      for (Cell& cell : timing_cells(timing, row.interactions())) cells.push_back(std::move(cell));
      table.rows.push_back({std::move(cells), timing.refusal.value_or("")});
    }
  }
  return table;
}

void add_few_particles(Result& result, const FewParticlesMeasurement& measurement) {
  const Plot speedup = make_figure_6(measurement);
  const Plot flop = make_figure_8(measurement);
  result.tables = {make_published_table(measurement), table_of_rows(measurement),
                   table_of(figure_6, "speedup", speedup), table_of(figure_8, "us", flop)};
  result.plots = {speedup, flop};
  result.notes = {
      "The paper's particles to the bit; the interactions per particle are the published ones. "
      "Potential only, in float, no cutoff test.",
      "Published times are the paper's rule (200 calls, one wait); those of the H200 and ours are "
      "of one graph of all calls, without what the host needs to launch. Our times by the paper's "
      "rule are in few-particles.csv, calls_us.",
      "The paper's Table 1 prints 18 FLOP as 21 with the accumulation. Its row 16^3 x 10 of the "
      "MI210 says 2.2e-3 s against 1.8e-4 s, which contradicts its text; copied as it stands."};
}

std::string beside_the_published(const FewParticlesMeasurement& measurement) {
  const ResultTable table = make_published_table(measurement);
  if (table.rows.empty()) return {};
  return table.caption + "\n" + to_text(table);
}

}  // namespace pencilbox
