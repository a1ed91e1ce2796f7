#include "io/output/thermo_log.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/error.hpp"

namespace pencilbox {
namespace {

constexpr std::array<std::string_view, 10> columns{"step",
                                                   "time",
                                                   "temperature",
                                                   "kinetic_energy",
                                                   "potential_energy",
                                                   "total_energy",
                                                   "conserved_energy",
                                                   "pressure",
                                                   "volume",
                                                   "density"};
/// Of them, where the box stays.
constexpr std::size_t columns_of_a_fixed_box = 8;

constexpr int rows_per_header = 20;

/// The columns after `step`.
std::array<double, 9> values_of(const Observation& sums) {
  const auto particles = static_cast<double>(sums.particles);
  return {sums.time,
          sums.temperature,
          sums.kinetic_energy / particles,
          sums.potential_energy / particles,
          sums.total_energy() / particles,
          sums.conserved_energy / particles,
          sums.pressure,
          sums.volume,
          sums.density()};
}

std::size_t count_of(ThermoColumns kind) {
  return kind == ThermoColumns::of_a_fixed_box ? columns_of_a_fixed_box : columns.size();
}

std::string csv_header(ThermoColumns kind) {
  const std::span<const std::string_view> shown(columns.data(), count_of(kind));
  return fmt::format("{}\n", fmt::join(shown, ","));
}

std::string csv_row(const Observation& sums, ThermoColumns kind) {
  const std::array<double, 9> values = values_of(sums);
  const std::span<const double> shown(values.data(), count_of(kind) - 1);
  return fmt::format("{},{:.17g}\n", sums.step, fmt::join(shown, ","));
}

/// The step of a row, or nothing if it begins with no number.
std::optional<std::int64_t> step_of(std::string_view row) {
  std::int64_t step = 0;
  const auto [end, error] = std::from_chars(row.data(), row.data() + row.size(), step);
  const bool good = error == std::errc{} && end != row.data() + row.size() && *end == ',';
  return good ? std::optional(step) : std::nullopt;
}

struct KeptRows {
  std::int64_t bytes = 0;  ///< where they end in the file
  std::int64_t last_step = -1;
};

/// The rows up to `step`.
KeptRows rows_until(const std::filesystem::path& path, std::int64_t step, ThermoColumns kind) {
  const auto refuse = [&path](std::int64_t line, std::string_view what) {
    throw InputError(
        fmt::format("{}:{}: {}, so these rows cannot be continued; to start anew, say "
                    "--overwrite without --resume",
                    path.string(), line, what));
  };
  if (is_other_than_a_file(path)) refuse(1, "is no regular file");  // a pipe would wait
  std::ifstream file(path, std::ios::binary);
  if (!file) refuse(1, "cannot be read");
  std::string line;
  std::getline(file, line);
  if (file.eof() || line + '\n' != csv_header(kind)) refuse(1, "is not the header of thermo.csv");
  KeptRows kept{static_cast<std::int64_t>(line.size()) + 1};
  for (std::int64_t number = 2; std::getline(file, line) && !file.eof(); ++number) {
    const auto row_step = step_of(line);
    if (!row_step) refuse(number, "is not a row");
    if (*row_step > step) break;
    kept.bytes += static_cast<std::int64_t>(line.size()) + 1;
    kept.last_step = *row_step;
  }
  return kept;
}

constexpr int most_digits = 8;

/// A column of the table on the screen.
struct TableColumn {
  std::string_view heading;
  std::size_t column;  ///< of `columns`
  std::size_t width;   ///< with the space before it
};

constexpr std::array<TableColumn, 7> wide_table{{{columns[0], 0, 16},
                                                 {columns[1], 1, 18},
                                                 {columns[2], 2, 18},
                                                 {columns[3], 3, 18},
                                                 {columns[4], 4, 18},
                                                 {columns[5], 5, 18},
                                                 {columns[7], 7, 18}}};
/// 79 columns of text: what fits into 80 with room for the cursor.
constexpr std::array<TableColumn, 7> usual_table{{{"step", 0, 10},
                                                  {"time", 1, 11},
                                                  {"temperature", 2, 12},
                                                  {"kinetic", 3, 11},
                                                  {"potential", 4, 12},
                                                  {"total", 5, 12},
                                                  {"pressure", 7, 11}}};

std::size_t width_of(const std::vector<TableColumn>& table) {
  std::size_t width = 0;
  for (const TableColumn& column : table) width += column.width;
  return width;
}

/// Which the temperature tells in other words.
void show_density(std::vector<TableColumn>& table) {
  for (TableColumn& column : table) {
    if (column.column == 3) column = {columns[9], 9, column.width};
  }
}

/// What is shown in so many columns of text, the step whole in any case.
std::vector<TableColumn> table_of(std::size_t width, std::int64_t step, bool box_changes) {
  std::vector<TableColumn> table(wide_table.begin(), wide_table.end());
  if (box_changes) show_density(table);
  if (width_of(table) <= width) return table;
  table.assign(usual_table.begin(), usual_table.end());
  if (box_changes) show_density(table);
  table[0].width = std::max(table[0].width, std::to_string(step).size());
  // The time follows from the step, and the temperature and the total energy from two others.
  for (const std::size_t spare : {1U, 3U, 4U, 7U, 2U, 9U}) {
    if (width_of(table) <= width) break;
    std::erase_if(table, [&](const TableColumn& column) { return column.column == spare; });
  }
  return table;
}

/// As many digits as there is room for, with a space before them.
std::string cell_of(double value, std::size_t width) {
  std::string text;
  for (int digits = most_digits; digits > 0; --digits) {
    text = fmt::format("{:.{}g}", value, digits);
    if (text.size() < width) break;
  }
  return fmt::format("{:>{}}", text, width);
}

std::string table_header(const std::vector<TableColumn>& table) {
  std::string line;
  for (const TableColumn& column : table) {
    line += fmt::format("{:>{}}", column.heading, column.width);
  }
  return line;
}

std::string table_row(const std::vector<TableColumn>& table, const Observation& sums) {
  const std::array<double, 9> values = values_of(sums);
  std::string line;
  for (const TableColumn& column : table) {
    line += column.column == 0 ? fmt::format("{:>{}}", sums.step, column.width)
                               : cell_of(values[column.column - 1], column.width);
  }
  return line + '\n';
}

}  // namespace

ThermoLog::ThermoLog(const std::filesystem::path& path, ThermoColumns columns)
    : file_(OutputFile::create(path)), columns_(columns) {
  write_line(csv_header(columns));
}

ThermoLog::ThermoLog(OutputFile file, std::int64_t size, std::int64_t last_step,
                     ThermoColumns columns)
    : file_(std::move(file)),
      size_(size),
      last_step_(last_step),
      columns_(columns),
      has_tail_(true) {}

ThermoLog ThermoLog::resume(const std::filesystem::path& path, std::int64_t step,
                            ThermoColumns columns) {
  const KeptRows kept = rows_until(path, step, columns);
  return {OutputFile::open(path), kept.bytes, kept.last_step, columns};
}

void ThermoLog::append(const Observation& observation) {
  write_line(csv_row(observation, columns_));
  last_step_ = observation.step;
}

void ThermoLog::write_line(std::string_view line) {
  if (std::exchange(has_tail_, false)) file_.truncate(size_);
  try {
    file_.write_at(size_, line);
  } catch (const SystemError&) {
    file_.truncate(size_);
    throw;
  }
  size_ += static_cast<std::int64_t>(line.size());
}

void ThermoLog::sync() { file_.sync(); }

void ThermoLog::close() { file_.close(); }

ThermoTable::ThermoTable(std::ostream& out, ThermoTableStyle style)
    : out_(out), style_(std::move(style)) {}

void ThermoTable::append(const Observation& observation) {
  const std::vector<TableColumn> table =
      table_of(style_.width(), observation.step, style_.box_changes);
  const std::size_t columns = width_of(table);
  const bool scrolled_away = style_.repeat_header && rows_ == rows_per_header;
  if (columns != columns_ || scrolled_away) {
    const std::string header = table_header(table);
    out_ << (style_.in_bold ? bold(header) : header) << '\n';
    rows_ = 0;
  }
  columns_ = columns;
  ++rows_;
  out_ << table_row(table, observation) << std::flush;
  if (!out_) throw SystemError("cannot print the thermo table: the output does not take it");
}

}  // namespace pencilbox
