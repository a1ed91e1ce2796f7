#include "io/output/thermo_log.hpp"

#include <array>
#include <string>
#include <string_view>

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

void ThermoLog::append(const Observation& observation) { write_line(csv_row(observation)); }

void ThermoLog::write_line(std::string_view line) {
  try {
    file_.write_at(size_, line);
  } catch (const SystemError&) {
    file_.truncate(size_);
    throw;
  }
  size_ += static_cast<std::int64_t>(line.size());
}

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
