#include "io/output/observable_files.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "io/output/file.hpp"
#include "io/output/result.hpp"
#include "io/output_names.hpp"

namespace pencilbox {
namespace {

std::filesystem::path path_of(const std::filesystem::path& directory, const std::string& name,
                              std::string_view tail) {
  return directory / fmt::format("{}{}{}", output_names::observable_head, name, tail);
}

/// More points of a curve than that nobody sees.
constexpr std::size_t most_points = 2000;

Plot picture_of(const ObservableResult& result) {
  LinePlot lines{.x_label = result.x_label, .y_label = result.y_label, .series = {}};
  lines.has_marks = false;
  const std::vector<double>& x = result.columns.front().values;
  for (const ObservableColumn& column : result.columns) {
    if (column.legend.empty()) continue;
    PlotSeries series{column.legend, {}};
    // The last in any case.
    const std::size_t stride = (x.size() + most_points - 1) / most_points;
    for (std::size_t k = x.empty() ? 0 : (x.size() - 1) % stride; k < x.size(); k += stride) {
      series.points.push_back({x[k], column.values[k]});
    }
    lines.series.push_back(std::move(series));
  }
  return {result.name, fmt::format("{}, {} samples", result.title, result.samples),
          std::move(lines)};
}

}  // namespace

std::string to_csv(const ObservableResult& result) {
  std::vector<std::string> names;
  std::size_t rows = 0;
  for (const ObservableColumn& column : result.columns) {
    names.push_back(column.name);
    rows = std::max(rows, column.values.size());
  }
  std::string text = fmt::format("{}\n", fmt::join(names, ","));
  for (std::size_t row = 0; row < rows; ++row) {
    std::vector<double> values;
    for (const ObservableColumn& column : result.columns) values.push_back(column.values.at(row));
    text += fmt::format("{:.17g}\n", fmt::join(values, ","));
  }
  return text;
}

void write_observable(const std::filesystem::path& directory, const ObservableResult& result) {
  replace_file(path_of(directory, result.name, output_names::observable_tails[0]), to_csv(result));
  replace_file(path_of(directory, result.name, output_names::observable_tails[1]),
               to_svg(picture_of(result)));
}

}  // namespace pencilbox
