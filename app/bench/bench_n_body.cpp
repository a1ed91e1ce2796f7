// `pencilbox bench n-body`: gravity between all bodies of a Plummer sphere, the tiled kernel of GPU
// Gems 3, chapter 31, against the naive one.
#include <fmt/format.h>

#include "app/bench/bench.hpp"
#include "app/bench/bench_device.hpp"
#include "app/commands/program.hpp"
#include "core/error.hpp"
#include "core/memory_limit.hpp"
#include "core/plummer_sphere.hpp"

namespace pencilbox {

namespace {

constexpr const char* n_body_words = "bench n-body";
constexpr const char* n_body_page = "n-body";
constexpr double in_milliseconds = 1e3;

/// The only back end that acts at any distance and is not the truth itself.
constexpr const char* tiled = "all-pairs";

std::vector<Column> n_body_columns() {
  return {{"case", "bodies, method"},
          {"bodies", ""},
          {"method", ""},
          {"median_ms", "ms"},
          {"spread_percent", "spread %", 2},
          {"interactions_per_s", "interactions/s"},
          {"speedup", "speed-up", 3},
          {"force_error", "force error", 2},
          {"launch", "launch"}};
}

/// The plot's lines grow with the table's rows.
class RowsOfNBody {
 public:
  RowsOfNBody(ResultTable& table, LinePlot& plot) : table_(table), plot_(plot) {}

  void append(std::int64_t bodies, const std::string& method, const GravityTiming& timing,
              double naive_seconds) {
    const std::string row = fmt::format("{}, {}", bodies, method);
    if (timing.refusal) {
      table_.rows.push_back({{row, bodies, method}, *timing.refusal});
      table_.rows.back().cells.resize(table_.columns.size());
      return;
    }
    const double seconds = timing.seconds.median;
    const double interactions = static_cast<double>(bodies) * static_cast<double>(bodies - 1);
    table_.rows.push_back(
        {{row, bodies, method, in_milliseconds * seconds, 100.0 * timing.seconds.relative(),
          interactions / seconds, naive_seconds / seconds, timing.largest_error, timing.note},
         ""});
    line_of(method).points.push_back({static_cast<double>(bodies), interactions / seconds});
  }

 private:
  PlotSeries& line_of(const std::string& method) {
    for (PlotSeries& series : plot_.series) {
      if (series.name == method) return series;
    }
    return plot_.series.emplace_back(PlotSeries{method, {}, false});
  }

  ResultTable& table_;
  LinePlot& plot_;
};

}  // namespace

void n_body_command(const NBodyArguments& arguments) {
  std::vector<BackendInfo> known;
  for (const BackendInfo& info : devices().front()->backends()) {
    if (info.name == tiled) known.push_back(info);
  }
  const std::vector<BackendChoice> backends =
      read_backends(n_body_words, tiled, arguments.options, known);
  const DeviceApi& device = read_device(n_body_words, arguments);
  const DeviceProperties properties = device.properties();
  const bool emulated = properties.emulates_blocks;
  const std::vector<std::int32_t> numbers = read_integers(
      fmt::format("{}: --particles", n_body_words),
      or_usual(arguments.particles, emulated ? "256,1024" : "1024,4096,16384,65536,262144"), 2,
      4'000'000);
  const ResultFiles files =
      bench_files(n_body_words, arguments, n_body_page, {n_body_page}, {n_body_page});
  Result result = begin_result(n_body_page, "Gravity between all bodies", arguments, device);
  result.tables.push_back(
      {n_body_page, "one evaluation of all forces, in float", n_body_columns(), {}});
  LinePlot plot{"bodies", "interactions/s", true, true, {}};
  RowsOfNBody rows(result.tables.front(), plot);
  const auto tell = terminal_teller();
  for (const std::int32_t bodies : numbers) {
    tell(fmt::format("{} bodies", bodies));
    GravityBench bench;
    require_memory(bytes_of_start(bodies));
    bench.start = make_plummer_sphere({bodies, 1.0, 1});
    bench.backends = backends;
    if (emulated) bench.patience.most_repeats = 3;
    const GravityResult found = benches_on(device).time_gravity(bench);
    const double naive = found.naive.seconds.median;
    rows.append(bodies, "naive", found.naive, naive);
    for (std::size_t k = 0; k < backends.size(); ++k) {
      rows.append(bodies, describe(backends[k], known), found.backends[k], naive);
    }
    result.plots = {{n_body_page, "Gravity between all bodies", plot}};
    files.write(result);
  }
  tell("");
  result.notes = {
      "interactions: N (N - 1), each pair from both sides; the median of repeats between events on "
      "the device.",
      "Forces of every method were compared with a sum in double: 1e-4 of the largest allowed."};
  if (emulated) {
    result.notes.push_back(
        "On the host, the tiled kernel runs on the block emulator, which is for tests, not for "
        "speed.");
  }
  files.write(result);
  print_result(result);
  print(files.closing_line());
}

}  // namespace pencilbox
