#include "io/output/report.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ostream.h>
#include <nlohmann/json.hpp>

#include "io/output/file.hpp"
#include "io/output/hdf5.hpp"

namespace pencilbox {
namespace {

using Json = nlohmann::ordered_json;

struct Region {
  const char* name;
  double seconds;
};

/// One rank exchanges nothing.
std::vector<Region> regions_of(const RunReport& report) {
  const RegionSeconds& seconds = report.regions;
  std::vector<Region> regions{{"integrate", seconds.integrate}};
  if (!report.exchange.empty()) regions.push_back({"exchange", seconds.exchange});
  regions.insert(regions.end(), {{"bin", seconds.bin},
                                 {"reorder", seconds.reorder},
                                 {"prepare", seconds.prepare},
                                 {"force", seconds.force},
                                 {"observe", seconds.observe},
                                 {"write", seconds.write}});
  return regions;
}

/// JSON has no NaN and no infinity.
Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json device_json(const DeviceProperties& device) {
  return {{"kind", device.kind},
          {"name", device.name},
          {"driver", device.driver},
          {"compiler", device.compiler}};
}

Json regions_json(const RunReport& report) {
  Json json = Json::object();
  for (const Region& region : regions_of(report)) json[region.name] = number(region.seconds);
  return json;
}

/// Without a list, no skin.
Json choice_json(const BackendChoice& choice) {
  Json json{{"backend", choice.name}, {"options", Json(choice.options)}};
  json["skin"] = choice.skin > 0.0 ? number(choice.skin) : Json(nullptr);
  return json;
}

/// Null where nothing was open, or nothing is chosen yet.
Json choice_json(const std::optional<AutomaticChoice>& choice) {
  if (!choice) return nullptr;
  Json json = choice_json(choice->chosen);
  json["runner_up"] = choice->runner_up ? choice_json(*choice->runner_up) : Json(nullptr);
  json["margin"] = number(choice->margin);
  json["tried"] = choice->tried;
  json["choices"] = choice->choices;
  return json;
}

/// Null on one rank.
Json load_json(const std::optional<RankLoad>& load) {
  if (!load) return nullptr;
  return {{"busiest_over_mean", number(load->busiest)}, {"times_dealt_anew", load->dealt}};
}

/// Null where the device does not say, as the host.
Json resources_json(const KernelResources& resources) {
  if (resources.kernel.empty()) return nullptr;
  return {{"kernel", resources.kernel},
          {"registers", resources.registers},
          {"local_bytes", resources.local_bytes},
          {"occupancy", number(resources.occupancy)}};
}

/// Null where none is kept. No pair was ever missed: "dangerous builds", as others count them, are
/// none by construction.
Json list_json(const std::optional<ListStats>& list) {
  if (!list) return nullptr;
  return {{"skin", number(list->skin)},
          {"rebuilds", list->rebuilds},
          {"mean_interval", number(list->mean_interval())},
          {"shortest_interval", list->shortest},
          {"longest_interval", list->longest},
          {"longest_row", list->longest_row},
          {"row_capacity", list->row_capacity},
          {"times_grown", list->grown},
          {"dangerous_builds", 0}};
}

/// Null where it is not known.
Json provenance_json(const Provenance& provenance) {
  Json json = Json::object();
  for (const auto& [name, value] : entries_of(provenance)) {
    json[name] = value.empty() ? Json(nullptr) : Json(value);
  }
  return json;
}

Json neighbors_json(const NeighborStats& neighbors) {
  return {{"particles_per_cell", number(neighbors.particles_per_cell)},
          {"largest_cell", neighbors.largest_cell},
          {"candidates_per_particle", number(neighbors.candidates_per_particle)},
          {"most_candidates", neighbors.most_candidates},
          {"partners_per_particle", number(neighbors.partners_per_particle)},
          {"most_partners", neighbors.most_partners},
          {"share_in_range", number(neighbors.share_in_range())}};
}

Json stats_json(const BackendStats& stats) {
  return {{"candidates_per_particle", number(stats.candidates_per_particle)},
          {"pairs_in_range", number(stats.pairs_in_range)},
          {"blocks", stats.blocks},
          {"threads", stats.threads},
          {"shared_bytes", stats.shared_bytes},
          {"device_bytes", stats.device_bytes},
          {"note", stats.note},
          {"resources", resources_json(stats.resources)},
          {"choice", choice_json(stats.choice)},
          {"list", list_json(stats.list)}};
}

/// Of the whole run, but for the seconds. A number that is not known yet is null.
Json observables_json(const RunReport& report) {
  Json list = Json::array();
  for (const ObservableResult& result : report.observables) {
    Json numbers = Json::object();
    for (const ObservableNumber& one : result.numbers) numbers[one.name] = number(one.value);
    list.push_back({{"type", result.name},
                    {"every", result.every},
                    {"samples", result.samples},
                    {"seconds", number(result.seconds)},
                    {"share", number(result.seconds / report.seconds)},
                    {"numbers", numbers}});
  }
  return list;
}

/// Those that a minimisation had no use for.
std::int64_t steps_at_rest(const StageReport& stage) {
  if (!stage.minimisation || !stage.minimisation->rests_since) return 0;
  return stage.last_step - std::max(stage.first_step, *stage.minimisation->rests_since);
}

std::int64_t steps_moved(const StageReport& stage) {
  return stage.last_step - stage.first_step - steps_at_rest(stage);
}

/// Null where a stage is none.
Json minimisation_json(const StageReport& stage) {
  if (!stage.minimisation) return nullptr;
  const Minimisation& now = *stage.minimisation;
  return {{"converged", now.converged()},
          {"stopped_by", now.converged() ? "force_tolerance" : "steps"},
          {"steps", steps_moved(stage)},
          {"largest_force", number(now.largest_force)},
          {"force_tolerance", number(now.force_tolerance)}};
}

Json stages_json(const std::vector<StageReport>& stages) {
  Json list = Json::array();
  for (const StageReport& stage : stages) {
    list.push_back({{"name", stage.name.empty() ? Json(nullptr) : Json(stage.name)},
                    {"integrator", stage.integrator},
                    {"barostat", stage.barostat.empty() ? Json(nullptr) : Json(stage.barostat)},
                    {"timestep", number(stage.timestep)},
                    {"first_step", stage.first_step},
                    {"last_step", stage.last_step},
                    {"seconds", number(stage.seconds)},
                    {"on_first_rank_alone", stage.on_first_rank_alone},
                    {"minimisation", minimisation_json(stage)}});
  }
  return list;
}

Json report_json(const RunReport& report) {
  return {{"figure_of_merit",
           {{"matom_steps_per_s", number(matom_steps_per_second(report))},
            {"steps_per_s", number(steps_per_second(report))}}},
          {"particles", report.particles},
          {"steps", report.steps},
          {"first_step", report.first_step},
          {"last_step", report.first_step + report.steps},
          {"stopped", report.stopped.empty() ? Json(nullptr) : Json(report.stopped)},
          {"seconds", number(report.seconds)},
          {"start_seconds", number(report.start_seconds)},
          {"device_bytes", report.device_bytes},
          {"backend", report.backend},
          {"options", Json(report.options)},
          {"device", device_json(report.device)},
          {"precision", name_of(report.precision)},
          {"deterministic", report.deterministic},
          {"ranks", report.ranks},
          {"exchange", report.exchange.empty() ? Json(nullptr) : Json(report.exchange)},
          {"load", load_json(report.load)},
          {"integrator", report.integrator},
          {"stages", stages_json(report.stages)},
          {"regions", regions_json(report)},
          {"backend_stats", stats_json(report.backend_stats)},
          {"neighbors", neighbors_json(report.neighbors)},
          {"observables", observables_json(report)},
          {"energy_drift", number(report.energy_drift)},
          {"versions", Json(report.versions)},
          {"provenance", provenance_json(report.provenance)},
          {"deck", report.deck}};
}

void print_choice(std::ostream& out, const AutomaticChoice& choice) {
  out << "chose " << in_words(choice.chosen);
  if (choice.runner_up) {
    fmt::print(out, ", {:.1f} % ahead of {}, of {} tried", 100.0 * choice.margin,
               in_words(*choice.runner_up), choice.tried);
  } else {
    out << (choice.tried > 0 ? ": nothing else can run this here" : ", untried");
  }
  if (choice.choices > 1) fmt::print(out, "; chose {} times as cells filled", choice.choices);
  out << '\n';
}

/// Why the back end is as fast as it is.
void print_neighbors(std::ostream& out, const NeighborStats& neighbors) {
  if (!(neighbors.particles_per_cell > 0.0)) return;
  fmt::print(out, "neighbours: {:.1f} particles in a cell (at most {})\n",
             neighbors.particles_per_cell, neighbors.largest_cell);
  fmt::print(out, "of a particle: {:.1f} candidates (at most {}), {:.1f} partners (at most {})",
             neighbors.candidates_per_particle, neighbors.most_candidates,
             neighbors.partners_per_particle, neighbors.most_partners);
  if (std::isfinite(neighbors.share_in_range())) {
    fmt::print(out, ", {:.0f} % in range", 100.0 * neighbors.share_in_range());
  }
  out << '\n';
}

void print_list(std::ostream& out, const ListStats& list) {
  fmt::print(out, "list: skin {:.4g}, {} rebuilds", list.skin, list.rebuilds);
  if (list.rebuilds > 0) {
    fmt::print(out, ", every {:.1f} steps ({} to {})", list.mean_interval(), list.shortest,
               list.longest);
  }
  fmt::print(out, ", at most {} partners, 0 dangerous builds\n", list.longest_row);
}

void print_load(std::ostream& out, const RankLoad& load) {
  fmt::print(out, "ranks: the busiest worked {:.2f} times as long as the mean", load.busiest);
  if (load.dealt > 0) fmt::print(out, ", cells dealt out anew {} times", load.dealt);
  out << '\n';
}

void print_regions(std::ostream& out, const RunReport& report) {
  std::vector<Region> regions = regions_of(report);
  for (const ObservableResult& result : report.observables) {
    regions.push_back({result.name.c_str(), result.seconds});
  }
  double named = 0.0;
  std::size_t width = 10;
  for (const Region& region : regions) {
    named += region.seconds;
    width = std::max(width, std::string_view(region.name).size());
  }
  regions.push_back({"other", report.seconds - named});
  for (const Region& region : regions) {
    fmt::print(out, "  {:<{}} {:>12.4f} s", region.name, width, region.seconds);
    if (report.seconds > 0.0) {
      fmt::print(out, " {:>6.1f} %", 100.0 * region.seconds / report.seconds);
    }
    out << '\n';
  }
}

/// Its numbers; one that is not known says so.
void print_observable(std::ostream& out, const ObservableResult& result) {
  fmt::print(out, "{}: {} samples\n", result.name, result.samples);
  for (const ObservableNumber& one : result.numbers) {
    if (std::isfinite(one.value)) {
      fmt::print(out, "  {} {:.5g}{}{}\n", one.name, one.value, one.unit.empty() ? "" : " ",
                 one.unit);
    } else {
      fmt::print(out, "  {} is not known: too few samples\n", one.name);
    }
  }
}

std::string in_words(const StageReport& stage, const Minimisation& now) {
  return fmt::format(
      "minimised in {} steps{}: the largest force is {:.4g} epsilon/sigma, {}", steps_moved(stage),
      stage.on_first_rank_alone ? " on the first rank alone" : "", now.largest_force,
      now.converged() ? fmt::format("within the tolerance of {:.4g}", now.force_tolerance)
                      : fmt::format("not within the tolerance of {:.4g}", now.force_tolerance));
}

void print_start(std::ostream& out, const RunReport& report) {
  const auto bytes = static_cast<double>(report.device_bytes);
  fmt::print(out, "start: {:.3g} s; memory on the device: {:.4g} MB", report.start_seconds,
             bytes / 1e6);
  if (report.particles > 0) {
    fmt::print(out, ", {:.4g} bytes a particle", bytes / static_cast<double>(report.particles));
  }
  out << "\n";
}

}  // namespace

std::string in_words(const StageReport& stage) {
  const std::string text = fmt::format("stage {}: steps {} to {} in {:.4g} s", stage.name,
                                       stage.first_step, stage.last_step, stage.seconds);
  return stage.minimisation ? text + "; " + in_words(stage, *stage.minimisation) : text;
}

double steps_per_second(const RunReport& report) {
  if (report.steps <= 0 || !(report.seconds > 0.0)) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  std::int64_t steps = report.steps;
  for (const StageReport& stage : report.stages) steps -= steps_at_rest(stage);
  return static_cast<double>(steps) / report.seconds;
}

double matom_steps_per_second(const RunReport& report) {
  return steps_per_second(report) * static_cast<double>(report.particles) * 1e-6;
}

std::map<std::string, std::string> library_versions() {
  return {{"compiler", __VERSION__},
          {"hdf5", hdf5::version()},
          {"fmt", fmt::format("{}.{}.{}", FMT_VERSION / 10000, FMT_VERSION / 100 % 100,
                              FMT_VERSION % 100)},
          {"nlohmann_json", fmt::format("{}.{}.{}", NLOHMANN_JSON_VERSION_MAJOR,
                                        NLOHMANN_JSON_VERSION_MINOR, NLOHMANN_JSON_VERSION_PATCH)}};
}

void write_report(const std::filesystem::path& path, const RunReport& report) {
  // A name that is not UTF-8 must not cost the report.
  replace_file(path,
               report_json(report).dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
}

void print_summary(std::ostream& out, const RunReport& report) {
  fmt::print(out, "\n{} particles, {} steps in {:.4g} s with {} on {} ({}), precision {}\n",
             report.particles, report.steps, report.seconds, report.backend, report.device.kind,
             report.device.name, name_of(report.precision));
  if (std::isfinite(steps_per_second(report))) {
    fmt::print(out, "figure of merit: {:.4g} Matom-steps/s ({:.4g} steps/s)\n",
               matom_steps_per_second(report), steps_per_second(report));
  }
  print_start(out, report);
  if (report.backend_stats.choice) print_choice(out, *report.backend_stats.choice);
  if (report.load) print_load(out, *report.load);
  print_neighbors(out, report.neighbors);
  if (report.backend_stats.list) print_list(out, *report.backend_stats.list);
  out << "where the time went:\n";
  print_regions(out, report);
  for (const ObservableResult& result : report.observables) print_observable(out, result);
  for (const StageReport& stage : report.stages) {
    const bool has_been_told = !stage.name.empty();
    if (stage.minimisation && !has_been_told) {
      fmt::print(out, "{}\n", in_words(stage, *stage.minimisation));
    }
  }
  if (std::isfinite(report.energy_drift)) {
    fmt::print(out, "energy drift: {:.3g} epsilon/tau per particle\n", report.energy_drift);
  }
}

}  // namespace pencilbox
