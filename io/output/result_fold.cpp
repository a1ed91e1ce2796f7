// A table on a screen: what all rows have in common is said once, below it, and columns stand in as
// many blocks as the width asks for.
#include <algorithm>
#include <map>
#include <set>
#include <sstream>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "io/output/result.hpp"

namespace pencilbox {
namespace {

std::string text_of(const ResultTable& table, const ResultRow& row, std::size_t column) {
  const std::string text = to_text(row.cells[column], table.columns[column].digits);
  return column == 0 && !row.mark.empty() ? text + " " + row.mark : text;
}

/// Takes the rows that were left out; says of each reason to whom it applies.
std::string take_refusals(ResultTable& table) {
  std::map<std::string, std::vector<std::string>> names_by_reason;
  std::vector<std::string> reasons;  // in order
  for (const ResultRow& row : table.rows) {
    if (row.refusal.empty()) continue;
    const std::string name = text_of(table, row, 0);
    std::string reason = row.refusal;
    if (const std::size_t at = reason.find(name); at != std::string::npos) {
      reason.replace(at, name.size(), "NAME");
    }
    if (names_by_reason[reason].empty()) reasons.push_back(reason);
    names_by_reason[reason].push_back(name);
  }
  std::erase_if(table.rows, [](const ResultRow& row) { return !row.refusal.empty(); });
  std::string text;
  for (const std::string& reason : reasons) {
    text += fmt::format("no {}: {}\n", fmt::join(names_by_reason[reason], ", "), reason);
  }
  return text;
}

void erase_columns(ResultTable& table, const std::set<std::size_t>& columns) {
  for (auto column = columns.rbegin(); column != columns.rend(); ++column) {
    const auto place = static_cast<std::ptrdiff_t>(*column);
    table.columns.erase(table.columns.begin() + place);
    for (ResultRow& row : table.rows) row.cells.erase(row.cells.begin() + place);
  }
}

/// Takes the columns that say the same in every row, and those for files only.
std::string take_constants(ResultTable& table) {
  std::set<std::size_t> taken;
  std::vector<std::string> same, unknown;
  for (std::size_t k = 1; k < table.columns.size(); ++k) {
    const std::string first = text_of(table, table.rows.front(), k);
    const std::string& heading = table.columns[k].heading;
    const bool constant = table.rows.size() > 1 &&
                          std::all_of(table.rows.begin(), table.rows.end(), [&](const auto& row) {
                            return text_of(table, row, k) == first;
                          });
    if (!constant && !heading.empty()) continue;
    taken.insert(k);
    if (heading.empty()) continue;
    if (first == "-") {
      unknown.push_back(heading);
    } else {
      same.push_back(heading + " " + first);
    }
  }
  erase_columns(table, taken);
  std::string text;
  if (!same.empty()) text += fmt::format("the same for all: {}\n", fmt::join(same, ", "));
  if (!unknown.empty()) text += fmt::format("not known here: {}\n", fmt::join(unknown, ", "));
  return text;
}

std::size_t widest_text(const ResultTable& table, std::size_t column) {
  std::size_t width = table.columns[column].heading.size();
  for (const ResultRow& row : table.rows) {
    width = std::max(width, text_of(table, row, column).size());
  }
  return width;
}

/// Gives the columns, which stand in the order of their parts, new parts: none of more than one
/// column is wider than `width`.
void split_parts(ResultTable& table, std::size_t width) {
  constexpr std::size_t gap = 2;
  const std::size_t name = widest_text(table, 0);
  int old_part = 0, part = 0;
  std::size_t used = name;
  for (std::size_t k = 1; k < table.columns.size(); ++k) {
    const std::size_t wanted = gap + widest_text(table, k);
    const bool begins = table.columns[k].part != old_part || used + wanted > width;
    old_part = table.columns[k].part;
    if (begins && used > name) {
      ++part;
      used = name;
    }
    used += wanted;
    table.columns[k].part = part;
  }
}

/// Breaks a line that is too long between words; what goes on stands below its column.
std::string wrapped(const std::string& line, std::size_t width, std::size_t indent) {
  std::string text, rest = line;
  while (rest.size() > width) {
    const std::size_t space = rest.rfind(' ', width);
    const std::size_t first_word = rest.find_first_not_of(' ');
    if (space == std::string::npos || space <= std::max(indent, first_word)) break;
    text += rest.substr(0, rest.find_last_not_of(' ', space) + 1) + "\n";
    rest = std::string(indent, ' ') + rest.substr(space + 1);
  }
  return text + rest + "\n";
}

std::string wrapped_lines(const std::string& lines, std::size_t width, std::size_t indent) {
  std::string text;
  std::istringstream stream(lines);
  for (std::string line; std::getline(stream, line);) text += wrapped(line, width, indent);
  return text;
}

}  // namespace

std::string screen_text(const ResultTable& table, std::size_t width) {
  if (!table.folds) return to_text(table);
  ResultTable shown = table;
  const std::string refusals = take_refusals(shown);
  if (shown.rows.empty()) return to_text(table);
  const std::string constants = take_constants(shown);
  split_parts(shown, width);
  const std::size_t name = widest_text(shown, 0) + 2;
  std::string text = wrapped_lines(to_text(shown), width, name);
  const std::string below = wrapped_lines(constants + refusals, width, 2);
  return below.empty() ? text : text + "\n" + below;
}

}  // namespace pencilbox
