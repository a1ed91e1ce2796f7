// A result as one page of HTML: styles, tables and pictures are all inside.
#include <fmt/format.h>

#include "io/output/result.hpp"

namespace pencilbox {
namespace {

constexpr const char* style =
    "body{font:15px/1.45 system-ui,sans-serif;margin:2em auto;max-width:90em;padding:0 1em;"
    "color:#1b1b1b;background:#fff}"
    "table{border-collapse:collapse;margin:1em 0;font-variant-numeric:tabular-nums}"
    "caption{text-align:left;padding:.3em 0;color:#444}"
    "th,td{padding:.25em .7em;border-bottom:1px solid #ddd;text-align:right;white-space:nowrap}"
    "th{vertical-align:bottom;border-bottom:2px solid #888}"
    "td:first-child,th:first-child,td.words{text-align:left}"
    "td.refusal{text-align:left;color:#777;white-space:normal}"
    ".wide{overflow-x:auto}dt{font-weight:600}dl{display:grid;grid-template-columns:max-content "
    "1fr;gap:.2em 1em}dd{margin:0;overflow-wrap:anywhere}svg{max-width:100%;height:auto}";

std::string row_html(const ResultTable& table, const ResultRow& row) {
  std::string html = "<tr><td>" + escaped(to_text(row.cells[0], 4)) +
                     (row.mark.empty() ? "" : " " + escaped(row.mark)) + "</td>";
  std::size_t shown = 0;
  for (std::size_t k = 1; k < table.columns.size(); ++k) {
    if (table.columns[k].heading.empty()) continue;
    ++shown;
    if (!row.refusal.empty()) continue;
    const bool words = std::holds_alternative<std::string>(row.cells[k]);
    html += fmt::format("<td{}>{}</td>", words ? " class=\"words\"" : "",
                        escaped(to_text(row.cells[k], table.columns[k].digits)));
  }
  if (!row.refusal.empty()) {
    html += fmt::format("<td class=\"refusal\" colspan=\"{}\">no: {}</td>", shown,
                        escaped(row.refusal));
  }
  return html + "</tr>\n";
}

std::string table_html(const ResultTable& table) {
  std::string html =
      "<div class=\"wide\"><table>\n<caption>" + escaped(table.caption) + "</caption>\n<tr>";
  for (const Column& column : table.columns) {
    if (!column.heading.empty()) html += "<th>" + escaped(column.heading) + "</th>";
  }
  html += "</tr>\n";
  for (const ResultRow& row : table.rows) html += row_html(table, row);
  return html + "</table></div>\n";
}

}  // namespace

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

std::string to_html(const Result& result) {
  std::string html = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>{0}</title>\n"
      "<style>{1}</style>\n</head>\n<body>\n<h1>{0}</h1>\n<dl>\n",
      escaped(result.title), style);
  for (const auto& [name, value] : result.facts) {
    html += fmt::format("<dt>{}</dt><dd>{}</dd>\n", escaped(name), escaped(value));
  }
  html += "</dl>\n";
  if (!result.conclusion.empty()) {
    html += "<p><strong>" + escaped(result.conclusion) + "</strong></p>\n";
  }
  for (const Plot& plot : result.plots) {
    html += fmt::format("<h2>{}</h2>\n{}", escaped(plot.title), to_svg(plot));
  }
  for (const ResultTable& table : result.tables) html += table_html(table);
  if (!result.notes.empty()) {
    html += "<h2>Notes</h2>\n<ul>\n";
    for (const std::string& note : result.notes) html += "<li>" + escaped(note) + "</li>\n";
    html += "</ul>\n";
  }
  return html + "</body>\n</html>\n";
}

}  // namespace pencilbox
