// `pencilbox bench fenns`: Tables 1 to 4 of Gross, Koester, Krueger, "Fast and Efficient Nearest
// Neighbor Search for Particle Simulations" (2019). Particles at random in a cube, unsorted; sort
// and search are timed together. What a neighbour is used for the paper does not say: here it is a
// Lennard-Jones force.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "app/bench/bench.hpp"
#include "app/bench/bench_device.hpp"
#include "app/bench/published.hpp"
#include "app/commands/program.hpp"
#include "core/error.hpp"
#include "core/memory_limit.hpp"
#include "core/random_start.hpp"

namespace pencilbox {

namespace {

constexpr const char* fenns_words = "bench fenns";
constexpr const char* fenns_page = "fenns";
constexpr double milliseconds = 1e3;
constexpr Index coarse_cells = 18;  ///< a side, of FENNS: section 4.1

std::string fenns_place_of(const char* option) {
  return fmt::format("{}: {}", fenns_words, option);
}

struct Scenario {
  int number = 1;
  double side = 180.0;            ///< of the scene
  bool one_grid_for_all = false;  ///< the coarse grid of FENNS for the other methods too
  double least_radius = 0.2;
};

Scenario scenario_of(std::int32_t number) {
  switch (number) {
    case 1:
      return {1, 180.0, false, 0.2};
    case 2:
      return {2, 180.0, true, 0.2};
    default:
      return {3, 360.0, false, 0.3};
  }
}

struct FennsRequest {
  std::vector<Scenario> scenarios;
  std::vector<std::int32_t> particles;
  std::vector<double> radii;  ///< empty: the paper's
  Patience patience;
  std::vector<BackendInfo> known;
  const DeviceApi* device = nullptr;
  DeviceProperties properties;

  std::vector<double> radii_of(const Scenario& scenario) const {
    if (!radii.empty()) return radii;
    return {scenario.least_radius, 0.5, 0.8, 1.0};
  }
};

/// A method of the table: how it is called there, and on which grid it runs.
struct Method {
  std::string name;
  SearchMethod search;
  std::string refusal;  ///< why this grid is left out
};

FennsRequest read_request(const FennsArguments& arguments) {
  FennsRequest request;
  for (const std::int32_t number :
       read_integers(fenns_place_of("--scenarios"), arguments.scenarios, 1, 3)) {
    request.scenarios.push_back(scenario_of(number));
  }
  if (!arguments.radii.empty()) {
    request.radii = read_numbers(fenns_place_of("--radii"), arguments.radii, 0.05, 10.0);
  }
  request.device = &read_device(fenns_words, arguments);
  request.properties = request.device->properties();
  const bool emulated = request.properties.emulates_blocks;
  request.particles = read_integers(
      fenns_place_of("--particles"),
      or_usual(arguments.particles, emulated ? "1024" : "1024,8192,65536,524288,4194304"), 2,
      100'000'000);
  const std::int32_t most = read_integer(
      fenns_place_of("--repeats"), or_usual(arguments.repeats, emulated ? "3" : "100"), 1, 100000);
  request.patience = {std::min(most, 5), most, 0.2};
  for (const DeviceApi* device : devices()) request.known = device->backends();
  return request;
}

/// The box is a whole number of cells wide in the paper's own examples.
Index cells_along(double side, double width) {
  return std::max<Index>(1, static_cast<Index>(std::floor(side / width + 1e-9)));
}

/// The methods of one row.
class Methods {
 public:
  Methods(const FennsRequest& request, const Scenario& scenario, std::int64_t particles,
          double radius)
      : request_(request), scenario_(scenario), particles_(particles), radius_(radius) {}

  std::vector<Method> operator()() const {
    std::vector<Method> methods{fenns()};
    const Index fair = cells_along(scenario_.side, radius_);
    if (scenario_.one_grid_for_all) {
      methods.push_back(on_own_grid("hoetzlein", "18^3", coarse_cells));
      methods.push_back(on_own_grid("green", "18^3", coarse_cells));
    } else {
      const Index paper = cells_along(scenario_.side, 2.0 * radius_);
      for (const char* name : {"hoetzlein", "green"}) {
        methods.push_back(on_own_grid(name, "2r", paper));
      }
      for (const char* name : {"hoetzlein", "green"}) {
        methods.push_back(on_own_grid(name, "r", fair));
      }
    }
    methods.push_back(sorted_by_the_engine());
    for (const char* name : {"sort-and-search", "linked-cells"}) {
      methods.push_back({name, {choice(name), fair, true}, ""});
    }
    return methods;
  }

 private:
  BackendChoice choice(const std::string& name) const {
    for (const BackendInfo& info : request_.known) {
      if (info.name == name) return {name, default_options(info)};
    }
    throw std::logic_error("bench fenns: no back end " + name);
  }

  /// The paper's coarse grid. The fine one within a cell has at most 16 cells a side, so that its
  /// counters fit in the 48 KB of shared memory that the paper had. An emulator would start
  /// hundreds of fibers for each of 5,832 coarse cells: there are 8 of them there.
  Method fenns() const {
    const Index coarse = request_.properties.emulates_blocks ? 2 : coarse_cells;
    const Index fine = std::min<Index>(16, cells_along(scenario_.side / coarse, radius_));
    Method method{fmt::format("fenns {}^3", coarse), {choice("fenns"), coarse * fine, true}, ""};
    method.search.choice.options["coarse_cells"] = std::to_string(coarse);
    return method;
  }

  Method on_own_grid(const std::string& name, const std::string& rule, Index cells) const {
    Method method{name + " " + rule, {choice(name), cells, true}, ""};
    const double count = std::pow(static_cast<double>(cells), 3.0);
    constexpr double bytes_of_cell = 8.0;
    constexpr double most_cells_emulated = 4e6;
    const double most_bytes = 0.4 * static_cast<double>(request_.properties.memory_bytes);
    const bool too_slow = request_.properties.emulates_blocks && count > most_cells_emulated;
    if (too_slow || bytes_of_cell * count > most_bytes) {
      method.refusal = fmt::format("left out: a grid of {}^3 cells {} on this device", cells,
                                   too_slow ? "takes too long" : "does not fit");
    }
    return method;
  }

  /// With the engine's own binning, whose cells are never more than eight for each particle, or
  /// 262,144 if that is more.
  Method sorted_by_the_engine() const {
    const double most = std::max(8.0 * static_cast<double>(particles_), 262144.0);
    const Index cells = std::min(cells_along(scenario_.side, radius_),
                                 static_cast<Index>(std::floor(std::cbrt(most) + 1e-9)));
    Method method{"par-part-loop merged", {choice("par-part-loop"), cells, false}, ""};
    method.search.choice.options["runs"] = "merged";
    return method;
  }

  const FennsRequest& request_;
  const Scenario& scenario_;
  std::int64_t particles_;
  double radius_;
};

std::vector<Column> fenns_columns() {
  return {{"case", "scenario: particles, radius, method"},
          {"scenario", ""},
          {"particles", ""},
          {"radius", ""},
          {"method", ""},
          {"cells_per_side", "cells a side"},
          {"median_ms", "ms"},
          {"spread_percent", "spread %", 2},
          {"repeats", ""},
          {"speedup", "speed-up", 3},
          {"published_gtx_1080_ti_ms", "1080 Ti", 4},
          {"published_titan_x_ms", "Titan X", 4},
          {"memory_bytes", "memory B"},
          {"published_memory_bytes", "published B"},
          {"neighbors_per_particle", "neighbours", 4},
          {"candidates_per_particle", "candidates", 4},
          {"launch", ""}};
}

const PublishedSearch::Milliseconds* published_of(const PublishedSearch* row,
                                                  const std::string& method) {
  if (row == nullptr) return nullptr;
  if (method == "fenns 18^3") return &row->fenns;
  if (method == "hoetzlein 2r" || method == "hoetzlein 18^3") return &row->hoetzlein;
  if (method == "green 2r" || method == "green 18^3") return &row->green;
  return nullptr;
}

/// Section 4.3: bytes beside the particles, n of them, m cells or l coarse cells a side.
Cell published_memory(const Method& method, std::int64_t particles) {
  const std::string& name = method.search.choice.name;
  const std::int64_t m = method.search.cells_per_side;
  if (name == "fenns") return std::int64_t{8} * coarse_cells * coarse_cells * coarse_cells;
  if (name == "hoetzlein") return 8 * particles + 8 * m * m * m;
  if (name == "green") return 8 * particles + 4 * m * m * m;
  return {};
}

/// One method in one row of the paper.
struct Measured {
  Scenario scenario;
  std::int64_t particles = 0;
  double radius = 0.0;
  Method method;
  SearchTiming timing;
  const PublishedSearch::Milliseconds* published = nullptr;  ///< null: not in the paper
  double neighbors = 0.0;                                    ///< of a particle
  double first = 0.0;                                        ///< seconds of the row's first method
};

/// The methods of a row with their answers; those that were left out have none.
std::vector<Measured> measure(const FennsRequest& request, const Scenario& scenario,
                              const StartState& start, double radius) {
  std::vector<Method> methods = Methods(request, scenario, start.size(), radius)();
  SearchBench bench{start, radius, {}, request.patience};
  for (const Method& method : methods) {
    if (method.refusal.empty()) bench.methods.push_back(method.search);
  }
  const SearchResult found = benches_on(*request.device).time_searches(bench);
  const PublishedSearch* published = find_published_search(scenario.number, start.size(), radius);
  std::vector<Measured> measured;
  auto timing = found.methods.begin();
  for (Method& method : methods) {
    const bool timed = method.refusal.empty();
    const auto* times = published_of(published, method.name);
    measured.push_back({scenario, start.size(), radius, std::move(method),
                        timed ? *timing++ : SearchTiming{}, times, found.neighbors_per_particle,
                        found.methods.front().seconds.median});
    if (!timed) measured.back().timing.refusal = measured.back().method.refusal;
  }
  return measured;
}

ResultRow row_of(const Measured& one) {
  const SearchTiming& timing = one.timing;
  const bool timed = !timing.refusal;
  const auto if_timed = [timed](Cell cell) { return timed ? std::move(cell) : Cell(); };
  const auto published = [&one](auto member) {
    return one.published != nullptr ? Cell(one.published->*member) : Cell();
  };
  return {
      {fmt::format("{}: {}, {:g}, {}", one.scenario.number, one.particles, one.radius,
                   one.method.name),
       std::int64_t{one.scenario.number}, one.particles, one.radius, one.method.name,
       std::int64_t{one.method.search.cells_per_side},
       if_timed(milliseconds * timing.seconds.median), if_timed(100.0 * timing.seconds.relative()),
       if_timed(std::int64_t{timing.repeats}), if_timed(one.first / timing.seconds.median),
       published(&PublishedSearch::Milliseconds::gtx_1080_ti),
       published(&PublishedSearch::Milliseconds::titan_x), if_timed(timing.device_bytes),
       published_memory(one.method, one.particles), one.neighbors,
       if_timed(timing.candidates_per_particle), if_timed(timing.note)},
      timing.refusal.value_or("")};
}

ResultTable table_of(const std::vector<Measured>& all) {
  ResultTable table{
      fenns_page,
      "sort and search of particles in no order, milliseconds; speed-up against fenns",
      fenns_columns(),
      {}};
  for (const Measured& one : all) table.rows.push_back(row_of(one));
  return table;
}

std::string plot_name(const Scenario& scenario) {
  return fmt::format("{}-scenario-{}", fenns_page, scenario.number);
}

/// Time over the number of particles, of one scenario and radius; the paper's beside ours.
Plot plot_of(const std::vector<Measured>& all, const Scenario& scenario, double radius) {
  LinePlot plot{"particles", "milliseconds", true, true, {}};
  const auto add = [&](const std::string& name, const PlotPoint& point, bool published) {
    for (PlotSeries& series : plot.series) {
      if (series.name == name) return series.points.push_back(point);
    }
    plot.series.push_back({name, {point}, published});
  };
  for (const Measured& one : all) {
    if (one.scenario.number != scenario.number || one.radius != radius) continue;
    const auto particles = static_cast<double>(one.particles);
    if (!one.timing.refusal) {
      add(one.method.name, {particles, milliseconds * one.timing.seconds.median}, false);
    }
    if (one.published != nullptr) {
      add(one.method.name + ", 1080 Ti", {particles, one.published->gtx_1080_ti}, true);
    }
  }
  return {plot_name(scenario),
          fmt::format("FENNS, scenario {}: search radius {:g}", scenario.number, radius),
          std::move(plot)};
}

/// The radius that a plot shows: one that all three scenarios have.
double radius_of_plot(const std::vector<double>& radii) {
  constexpr double usual = 0.5;
  return std::find(radii.begin(), radii.end(), usual) != radii.end() ? usual : radii.front();
}

std::vector<std::string> notes() {
  return {
      "fenns has the paper's 18 coarse cells a side; 2r is the paper's rule for the cells of the "
      "others, r the fair one: with 2r they test eight times the volume. par-part-loop is on the "
      "engine's cells, whose sort moves whole particles and is timed, too; sort-and-search and "
      "linked-cells, ours, sort by groups of cells, or link, themselves.",
      "The number of neighbours of every particle was compared with one counted in double.",
      "The paper does not say what is computed for a neighbour; here a Lennard-Jones force, in "
      "float. Its Table 4 gives 300 cells for radius 0.3 in scenario 3: by its own formula they "
      "are "
      "600, which are used here. Its rows have a slip or two, copied as they stand (scenario 3, "
      "8192, 0.5, green).",
      "memory: of the method beside the particles, as allocated; ours keeps a copy of what a "
      "search "
      "reads, which the paper does not count. published: the paper's formula, section 4.3."};
}

}  // namespace

void fenns_command(const FennsArguments& arguments) {
  const FennsRequest request = read_request(arguments);
  std::vector<std::string> plots;
  for (const Scenario& scenario : request.scenarios) plots.push_back(plot_name(scenario));
  const ResultFiles files = bench_files(fenns_words, arguments, fenns_page, {fenns_page}, plots);
  const auto tell = terminal_teller();
  Result result = begin_result(fenns_page, "FENNS: neighbour searches, Tables 1 to 4", arguments,
                               *request.device);
  result.notes = notes();
  std::vector<Measured> all;
  for (const Scenario& scenario : request.scenarios) {
    const Double3 box{scenario.side, scenario.side, scenario.side};
    const std::vector<double> radii = request.radii_of(scenario);
    for (const std::int32_t particles : request.particles) {
      constexpr std::int64_t with_all_methods = 500;  // bytes a particle on the host, as measured
      require_memory(request.properties.emulates_blocks ? with_all_methods * particles
                                                        : bytes_of_start(particles));
      const StartState start = make_random_start({particles, box, 1, 0.0}, {false, false, false});
      for (const double radius : radii) {
        tell(fmt::format("scenario {}, {} particles, radius {:g}", scenario.number, particles,
                         radius));
        for (Measured& one : measure(request, scenario, start, radius)) {
          all.push_back(std::move(one));
        }
      }
    }
    result.tables = {table_of(all)};
    result.plots.push_back(plot_of(all, scenario, radius_of_plot(radii)));
    files.write(result);  // what is measured is kept, whatever becomes of the rest
  }
  tell("");
  print_result(result);
  print(files.closing_line());
}

}  // namespace pencilbox
