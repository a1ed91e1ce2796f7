#include "io/output/thermo_log.hpp"

#include <array>
#include <charconv>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "core/error.hpp"

namespace pencilbox {
namespace {

constexpr std::array<std::string_view, 7> columns{
    "step",         "time",    "temperature", "kinetic_energy", "potential_energy",
    "total_energy", "pressure"};

constexpr int rows_per_header = 20;

/// The columns after `step`.
std::array<double, 6> values_of(const Observation& sums) {
  const auto particles = static_cast<double>(sums.particles);
  return {sums.time,
          sums.temperature,
          sums.kinetic_energy / particles,
          sums.potential_energy / particles,
          sums.total_energy() / particles,
          sums.pressure};
}

std::string csv_header() { return fmt::format("{}\n", fmt::join(columns, ",")); }

std::string csv_row(const Observation& sums) {
  return fmt::format("{},{:.17g}\n", sums.step, fmt::join(values_of(sums), ","));
}

/// The step of a row, or nothing if it begins with no number.
std::optional<std::int64_t> step_of(std::string_view row) {
  std::int64_t step = 0;
  const auto [end, error] = std::from_chars(row.data(), row.data() + row.size(), step);
  const bool good = error == std::errc{} && end != row.data() + row.size() && *end == ',';
  return good ? std::optional(step) : std::nullopt;
}

/// Where the rows up to `step` end in the file.
std::int64_t bytes_until(const std::filesystem::path& path, std::int64_t step) {
  const auto refuse = [&path](std::int64_t line, std::string_view what) {
    throw InputError(
        fmt::format("{}:{}: {}, so these rows cannot be continued; to start anew, say "
                    "--overwrite without --resume",
                    path.string(), line, what));
  };
  std::ifstream file(path, std::ios::binary);
  if (!file) refuse(1, "cannot be read");
  std::string line;
  std::getline(file, line);
  if (file.eof() || line + '\n' != csv_header()) refuse(1, "is not the header of thermo.csv");
  auto end = static_cast<std::int64_t>(line.size()) + 1;
  for (std::int64_t number = 2; std::getline(file, line) && !file.eof(); ++number) {
    const auto row_step = step_of(line);
    if (!row_step) refuse(number, "is not a row");
    if (*row_step > step) break;
    end += static_cast<std::int64_t>(line.size()) + 1;
  }
  return end;
}

std::string table_header() {
  std::string line;
  for (const std::string_view column : columns) line += fmt::format("{:>16}  ", column);
  line.resize(line.size() - 2);
  return line + '\n';
}

std::string table_row(const Observation& sums) {
  std::string line = fmt::format("{:>16}", sums.step);
  for (const double value : values_of(sums)) line += fmt::format("  {:>16.8g}", value);
  return line + '\n';
}

}  // namespace

ThermoLog::ThermoLog(const std::filesystem::path& path) : file_(OutputFile::create(path)) {
  write_line(csv_header());
}

ThermoLog::ThermoLog(OutputFile file, std::int64_t size)
    : file_(std::move(file)), size_(size), has_tail_(true) {}

ThermoLog ThermoLog::resume(const std::filesystem::path& path, std::int64_t step) {
  const std::int64_t size = bytes_until(path, step);
  return {OutputFile::open(path), size};
}

void ThermoLog::append(const Observation& observation) { write_line(csv_row(observation)); }

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

ThermoTable::ThermoTable(std::ostream& out, bool repeat_header)
    : out_(out), repeat_header_(repeat_header) {}

void ThermoTable::append(const Observation& observation) {
  if (rows_ == 0 || (repeat_header_ && rows_ % rows_per_header == 0)) out_ << table_header();
  ++rows_;
  out_ << table_row(observation) << std::flush;
  if (!out_) throw SystemError("cannot print the thermo table: the output does not take it");
}

}  // namespace pencilbox
