// `pencilbox bench pair-histogram`: the histogram of all distances between points, four ways.
#include <algorithm>
#include <cmath>
#include <numeric>

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

constexpr const char* pair_histogram_words = "bench pair-histogram";
constexpr const char* pair_histogram_page = "pair-histogram";

/// So many are counted on the host too, in any case.
constexpr std::size_t most_on_host = 2000;

std::vector<Column> pair_histogram_columns() {
  return {{"method", "method"},
          {"median_s", "seconds"},
          {"spread_percent", "spread %", 2},
          {"pairs_per_s", "pairs/s"},
          {"speedup", "speed-up", 3},
          {"published_titan_x_s", "Titan X Pascal, s", 4}};
}

std::vector<std::uint64_t> count_on_host(const HistogramBench& bench) {
  const DistanceBuckets bucket = buckets_of(bench);
  std::vector<std::uint64_t> counts(static_cast<std::size_t>(bench.buckets), 0);
  const auto apart = [&](std::size_t i, std::size_t j, std::size_t d) {
    return static_cast<float>(bench.points[i][d]) - static_cast<float>(bench.points[j][d]);
  };
  for (std::size_t i = 0; i < bench.points.size(); ++i) {
    for (std::size_t j = i + 1; j < bench.points.size(); ++j) {
      ++counts[static_cast<std::size_t>(bucket(apart(i, j, 0), apart(i, j, 1), apart(i, j, 2)))];
    }
  }
  return counts;
}

/// Counts are integers: they have to be the same, every one of them.
void require_same(const std::string& method, const std::vector<std::uint64_t>& mine,
                  const std::vector<std::uint64_t>& truth, const char* whose) {
  for (std::size_t k = 0; k < truth.size(); ++k) {
    if (mine[k] == truth[k]) continue;
    throw PhysicsError(fmt::format("{}: {}: bucket {} holds {} pairs, {} has {}",
                                   pair_histogram_words, method, k, mine[k], whose, truth[k]));
  }
}

void require_every_pair(const HistogramResult& result, std::uint64_t points) {
  for (std::size_t k = 0; k < result.size(); ++k) {
    const auto& counts = result[k].counts;
    const std::uint64_t total = std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
    if (total != points * (points - 1) / 2) {
      throw PhysicsError(fmt::format("{}: {}: counts {} pairs, there are {}", pair_histogram_words,
                                     histogram_method_names[k], total, points * (points - 1) / 2));
    }
    require_same(histogram_method_names[k], counts, result[0].counts, histogram_method_names[0]);
  }
}

/// The first of the points, on the device and on the host.
void check_few(const DeviceApi& device, HistogramBench bench) {
  bench.points.resize(std::min(bench.points.size(), most_on_host));
  bench.patience = {1, 1, 0.0, 2.0};
  const HistogramResult result = benches_on(device).time_histograms(bench);
  const std::vector<std::uint64_t> truth = count_on_host(bench);
  for (std::size_t k = 0; k < result.size(); ++k) {
    require_same(histogram_method_names[k], result[k].counts, truth, "the host");
  }
}

Cell published_seconds(HistogramMethod method, const HistogramBench& bench) {
  const bool same = static_cast<std::int64_t>(bench.points.size()) == PublishedHistogram::points &&
                    bench.buckets == 500 && bench.block == 128;
  if (same && method == HistogramMethod::naive) return PublishedHistogram::naive;
  if (same && method == HistogramMethod::privatised) return PublishedHistogram::privatised;
  return {};
}

ResultTable table_of(const HistogramResult& found, const HistogramBench& bench) {
  ResultTable table{pair_histogram_page,
                    fmt::format("{} points, {} buckets, blocks of {} threads", bench.points.size(),
                                bench.buckets, bench.block),
                    pair_histogram_columns(),
                    {}};
  const auto points = static_cast<double>(bench.points.size());
  for (std::size_t k = 0; k < found.size(); ++k) {
    const double seconds = found[k].seconds.median;
    table.rows.push_back(
        {{histogram_method_names[k], seconds, 100.0 * found[k].seconds.relative(),
          0.5 * points * (points - 1.0) / seconds, found[0].seconds.median / seconds,
          published_seconds(static_cast<HistogramMethod>(k), bench)},
         ""});
  }
  return table;
}

Plot plot_of(const HistogramResult& found) {
  BarPlot plot{"pairs/s by the naive kernel's", {}};
  for (std::size_t k = 0; k < found.size(); ++k) {
    const double naive = found[0].seconds.median;
    plot.bars.push_back({histogram_method_names[k], naive / found[k].seconds.median,
                         naive / found[k].seconds.most, naive / found[k].seconds.least, ""});
  }
  return {pair_histogram_page, "Histogram of all distances: speed-up", plot};
}

}  // namespace

void pair_histogram_command(const PairHistogramArguments& arguments) {
  const DeviceApi& device = read_device(pair_histogram_words, arguments);
  const DeviceProperties properties = device.properties();
  const auto place = [](const char* option) {
    return fmt::format("{}: {}", pair_histogram_words, option);
  };
  const std::int32_t points = read_integer(
      place("--points"), or_usual(arguments.points, properties.emulates_blocks ? "2000" : "512000"),
      2, 10'000'000);
  HistogramBench bench;
  bench.buckets = read_integer(place("--buckets"), arguments.buckets, 1, 4096);
  bench.block = read_integer(place("--block"), arguments.block, 32, 1024);
  bench.longest = std::sqrt(3.0);  // of a unit cube
  bench.patience = {1, 5, 1.0, 2.0};
  const ResultFiles files = bench_files(pair_histogram_words, arguments, pair_histogram_page,
                                        {pair_histogram_page}, {pair_histogram_page});
  require_memory(bytes_of_start(points));
  bench.points =
      make_random_start({points, {1.0, 1.0, 1.0}, 1, 0.0}, {false, false, false}).position;
  const auto tell = terminal_teller();
  tell("checking");
  check_few(device, bench);
  tell("timing");
  const HistogramResult found = benches_on(device).time_histograms(bench);
  tell("");
  require_every_pair(found, static_cast<std::uint64_t>(points));
  Result result = begin_result(pair_histogram_page, "Histogram of all distances between points",
                               arguments, device);
  result.tables.push_back(table_of(found, bench));
  result.plots.push_back(plot_of(found));
  result.notes = {
      fmt::format("Counts of the four were compared with each other, and for {} points with those "
                  "of the host: equal, every one.",
                  std::min<std::size_t>(bench.points.size(), most_on_host)),
      "naive: one thread a point, atomics on device memory; tiled: points pass through shared "
      "memory; privatised: each block counts in shared memory too; banked: each lane of a warp in "
      "a "
      "copy of its own. Published: GTX Titan X Pascal."};
  if (properties.emulates_blocks) {
    result.notes.push_back(
        "On the host, the last three run on the block emulator, which is for tests, not for "
        "speed.");
  }
  files.write(result);
  print_result(result);
  print(files.closing_line());
}

}  // namespace pencilbox
