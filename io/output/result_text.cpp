// Tables as text: aligned for a terminal, CSV and JSON for programs.
#include <algorithm>
#include <cmath>
#include <set>
#include <stdexcept>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "io/output/result.hpp"

namespace pencilbox {
namespace {

using Json = nlohmann::ordered_json;

bool is_nothing(const Cell& cell) {
  const auto* number = std::get_if<double>(&cell);
  return cell.index() == 0 || (number != nullptr && !std::isfinite(*number));
}

/// Columns in one block of lines: the first, and those of the part that people see.
std::vector<std::size_t> columns_of(const ResultTable& table, int part) {
  std::vector<std::size_t> chosen{0};
  for (std::size_t k = 1; k < table.columns.size(); ++k) {
    const Column& column = table.columns[k];
    if (column.part == part && !column.heading.empty()) chosen.push_back(k);
  }
  return chosen;
}

std::string cell_text(const ResultTable& table, const ResultRow& row, std::size_t column) {
  const std::string text = to_text(row.cells[column], table.columns[column].digits);
  return column == 0 && !row.mark.empty() ? text + " " + row.mark : text;
}

std::size_t width_of(const ResultTable& table, std::size_t column) {
  std::size_t width = table.columns[column].heading.size();
  for (const ResultRow& row : table.rows) {
    if (!row.refusal.empty() && column > 0) continue;
    width = std::max(width, cell_text(table, row, column).size());
  }
  return width;
}

std::string padded(const std::string& text, std::size_t width, bool left) {
  return left ? fmt::format("{:<{}}", text, width) : fmt::format("{:>{}}", text, width);
}

std::string without_trailing_spaces(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

/// Words at the end of a line stand on the left, like names; numbers stand on the right.
bool is_left(const ResultTable& table, const std::vector<std::size_t>& chosen, std::size_t c) {
  if (c == 0) return true;
  return c + 1 == chosen.size() &&
         std::any_of(table.rows.begin(), table.rows.end(), [&](const ResultRow& row) {
           return std::holds_alternative<std::string>(row.cells[chosen[c]]);
         });
}

std::string text_of_part(const ResultTable& table, int part) {
  const std::vector<std::size_t> chosen = columns_of(table, part);
  std::vector<std::size_t> widths;
  std::string head;
  for (std::size_t c = 0; c < chosen.size(); ++c) {
    widths.push_back(width_of(table, chosen[c]));
    head += padded(table.columns[chosen[c]].heading, widths[c], is_left(table, chosen, c)) + "  ";
  }
  std::string text = without_trailing_spaces(head);
  for (const ResultRow& row : table.rows) {
    if (!row.refusal.empty() && part > 0) continue;
    std::string line;
    for (std::size_t c = 0; c < chosen.size(); ++c) {
      if (c == 1 && !row.refusal.empty()) break;
      line += padded(cell_text(table, row, chosen[c]), widths[c], is_left(table, chosen, c)) + "  ";
    }
    if (!row.refusal.empty()) line += "no: " + row.refusal;
    text += without_trailing_spaces(line);
  }
  return text;
}

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

std::string csv_field(const Cell& cell) {
  if (is_nothing(cell)) return {};
  if (const auto* text = std::get_if<std::string>(&cell)) return csv_field(*text);
  if (const auto* integer = std::get_if<std::int64_t>(&cell)) return std::to_string(*integer);
  return fmt::format("{}", std::get<double>(cell));
}

Json json_of(const Cell& cell) {
  if (is_nothing(cell)) return nullptr;
  if (const auto* text = std::get_if<std::string>(&cell)) return *text;
  if (const auto* integer = std::get_if<std::int64_t>(&cell)) return *integer;
  return std::get<double>(cell);
}

/// Nothing where it is not known.
Json json_of(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

Json json_of(const ResultTable& table, const NamedTexts& provenance) {
  Json rows = Json::array();
  for (const ResultRow& row : table.rows) {
    Json object = Json::object();
    for (std::size_t k = 0; k < table.columns.size(); ++k) {
      object[table.columns[k].name] = json_of(row.cells[k]);
    }
    for (const auto& [name, value] : provenance) object[name] = json_of(value);
    object["refusal"] = json_of(row.refusal);
    rows.push_back(std::move(object));
  }
  return {{"caption", table.caption}, {"rows", std::move(rows)}};
}

}  // namespace

std::string to_text(const Cell& cell, int digits) {
  if (is_nothing(cell)) return "-";
  if (const auto* text = std::get_if<std::string>(&cell)) return *text;
  if (const auto* integer = std::get_if<std::int64_t>(&cell)) return std::to_string(*integer);
  const double number = std::get<double>(cell);
  const double magnitude = std::abs(number);
  const bool plain = magnitude == 0.0 || (magnitude >= 1e-3 && magnitude < 1e7);
  if (!plain) return fmt::format("{:.{}g}", number, digits);
  const int before = magnitude == 0.0 ? 1 : static_cast<int>(std::floor(std::log10(magnitude))) + 1;
  return fmt::format("{:.{}f}", number, std::max(0, digits - before));
}

std::string to_text(const ResultTable& table) {
  for (const ResultRow& row : table.rows) {
    if (row.cells.size() != table.columns.size()) {
      throw std::logic_error("table " + table.name + ": a row has too few or too many cells");
    }
  }
  std::set<int> parts{0};
  for (const Column& column : table.columns) parts.insert(column.part);
  std::string text;
  for (const int part : parts) text += (text.empty() ? "" : "\n") + text_of_part(table, part);
  return text;
}

std::string to_csv(const ResultTable& table, const NamedTexts& provenance) {
  std::string text, origin;
  for (const Column& column : table.columns) text += column.name + ",";
  for (const auto& [name, value] : provenance) {
    text += name + ",";
    origin += csv_field(value) + ",";
  }
  text += "refusal\n";
  for (const ResultRow& row : table.rows) {
    for (const Cell& cell : row.cells) text += csv_field(cell) + ",";
    text += origin + csv_field(row.refusal) + "\n";
  }
  return text;
}

std::string to_json(const Result& result) {
  Json facts = Json::object();
  for (const auto& [name, value] : result.facts) facts[name] = value;
  Json tables = Json::object();
  for (const ResultTable& table : result.tables)
    tables[table.name] = json_of(table, result.provenance);
  const Json json{{"title", result.title},
                  {"conclusion", json_of(result.conclusion)},
                  {"facts", std::move(facts)},
                  {"notes", result.notes},
                  {"tables", std::move(tables)}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace pencilbox
