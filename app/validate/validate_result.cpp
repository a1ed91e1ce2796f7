#include "app/validate/validate_result.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

#include "app/validate/check.hpp"

namespace pencilbox {
namespace {

/// What is not shown on a screen has all its digits in the files.
std::vector<Column> columns() {
  return {{"quantity", "quantity"},      {"check", ""},
          {"value", "value", 6},         {"standard_error", ""},
          {"reference", "reference", 6}, {"reference_error", ""},
          {"tolerance", "tolerance", 2}, {"source", "source"},
          {"verdict", "verdict"},        {"remark", ""}};
}

ResultRow row_of(const ValidationRow& row) {
  const bool judged = !row.skipped;
  const auto if_judged = [&](double number) { return judged ? Cell(number) : Cell(); };
  return {{row.quantity, row.check, if_judged(row.value), if_judged(row.standard_error),
           row.reference, row.reference_error, if_judged(row.tolerance), row.source,
           std::string(name_of(verdict_of(row))), row.skipped.value_or(row.remark)}};
}

struct SourceNote {
  std::string_view word, text;
};

constexpr std::array source_notes{
    SourceNote{source_nist,
               "NIST Standard Reference Simulation Website, Lennard-Jones fluid: reference "
               "calculations of four configurations, Monte Carlo and molecular dynamics at "
               "constant volume and temperature"},
    SourceNote{source_lammps, "runs of LAMMPS; the melt is that of its benchmark, bench/in.lj"},
    SourceNote{source_rumd,
               "RUMD 3, in tests, examples and reference data of gamdpy 0.8.3; at T 0.45 those of "
               "Phys. Rev. Lett. 129, 245501 (2022)"},
    SourceNote{source_fit, "published fit of energies, 2.639 T^0.6 - 8.656"},
    SourceNote{source_lattice, "the sum over a perfect lattice, in 40 digits"},
    SourceNote{source_theory,
               "what the equations of motion, their integrators and statistical mechanics say"},
    SourceNote{source_itself, "the first of two runs"}};

std::int64_t count(const ValidationRows& rows, Verdict verdict) {
  return std::count_if(rows.begin(), rows.end(),
                       [&](const ValidationRow& row) { return verdict_of(row) == verdict; });
}

/// Each reason once, with the rows that it applies to.
void add_reasons(std::vector<std::string>& notes, const ValidationRows& rows) {
  std::vector<std::pair<std::string, std::string>> reasons;  // and quantities, in order
  for (const ValidationRow& row : rows) {
    const Verdict verdict = verdict_of(row);
    if (verdict == Verdict::passed) continue;
    const std::string why = row.skipped.value_or(row.remark);
    if (why.empty()) continue;
    const std::string reason = fmt::format("{}: {}", name_of(verdict), why);
    const auto known = std::find_if(reasons.begin(), reasons.end(),
                                    [&](const auto& one) { return one.first == reason; });
    if (known == reasons.end()) {
      reasons.emplace_back(reason, row.quantity);
    } else {
      known->second += "; " + row.quantity;
    }
  }
  for (const auto& [reason, quantities] : reasons) {
    notes.push_back(fmt::format("{} ({})", reason, quantities));
  }
}

void add_sources(std::vector<std::string>& notes, const ValidationRows& rows) {
  for (const auto& [word, text] : source_notes) {
    const bool is_used = std::any_of(rows.begin(), rows.end(),
                                     [word = word](const auto& row) { return row.source == word; });
    if (is_used) notes.push_back(fmt::format("{}: {}.", word, text));
  }
}

}  // namespace

std::string verdict_of(const ValidationRows& rows) {
  return fmt::format("{} passed, {} FAILED, {} SKIPPED", count(rows, Verdict::passed),
                     count(rows, Verdict::failed), count(rows, Verdict::skipped));
}

bool has_failed(const ValidationRows& rows) { return count(rows, Verdict::failed) > 0; }

void add_validation(Result& result, const std::string& caption, const ValidationRows& rows) {
  ResultTable table{validate_name, caption, columns(), {}};
  for (const ValidationRow& row : rows) table.rows.push_back(row_of(row));
  result.tables = {std::move(table)};
  result.notes = {
      fmt::format("A row passes where value and reference differ by no more than the tolerance: of "
                  "a mean {:.0f} "
                  "standard errors, those of both combined; else a bar for this precision.",
                  allowed_standard_errors)};
  add_sources(result.notes, rows);
  add_reasons(result.notes, rows);
  result.conclusion = verdict_of(rows);
}

}  // namespace pencilbox
