// A result for people and programs: what a comparison or a benchmark has found, as tables and
// plots. One set of writers turns it into text, CSV, JSON, SVG and a page of HTML; who measures
// only fills it.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "io/output/provenance.hpp"

namespace pencilbox {

/// A number or a word; nothing where something is not known. A number that is not finite counts as
/// nothing.
using Cell = std::variant<std::monostate, std::int64_t, double, std::string>;

struct Column {
  std::string name;     ///< key in CSV and JSON, with its unit: `force_us`
  std::string heading;  ///< for people; empty: in the files only
  int digits = 4;       ///< significant, for people; files have all
  int part = 0;         ///< on a terminal, columns of one part stand side by side
};

struct ResultRow {
  std::vector<Cell> cells;  ///< one for each column
  std::string refusal{};    ///< why most of them are nothing
  std::string mark{};       ///< stands behind its name, for people
};

struct ResultTable {
  std::string name;  ///< of its file, without extension
  std::string caption;
  std::vector<Column> columns;  ///< the first names the row, and is repeated in every part
  std::vector<ResultRow> rows;
  bool folds = false;  ///< on a screen: see screen_text
};

struct PlotPoint {
  double x = 0.0;
  double y = 0.0;
};

struct PlotSeries {
  std::string name;
  std::vector<PlotPoint> points;
  bool published = false;  ///< not measured here: drawn with a broken line
};

/// Lines through points.
struct LinePlot {
  std::string x_label, y_label;
  bool log_x = false;
  bool log_y = false;
  std::vector<PlotSeries> series;
  bool has_marks = true;  ///< at the points; without, where they are many
};

struct Bar {
  std::string name;
  double value = 0.0;
  double low = 0.0, high = 0.0;  ///< of the repeats
  std::string refusal;           ///< stands in place of the bar
};

/// Bars from zero.
struct BarPlot {
  std::string value_label;
  std::vector<Bar> bars;
};

struct Plot {
  std::string name;  ///< of its file, without extension
  std::string title;
  std::variant<LinePlot, BarPlot> drawing;
};

struct Result {
  std::string name;  ///< of the JSON and the page, without extension
  std::string title;
  std::string conclusion{};        ///< the answer in a line, where there is one
  NamedTexts facts;                ///< command, date, device, ...
  NamedTexts provenance{};         ///< stands in every row of CSV and JSON
  std::vector<std::string> notes;  ///< what a reader has to know
  std::vector<ResultTable> tables;
  std::vector<Plot> plots;
};

/// Aligned columns, a block of lines for each part. A row that was refused says why in the first
/// part and is left out of the others.
std::string to_text(const ResultTable& table);

/// The same for a screen: of a table that `folds`, columns with one value in all rows and rows that
/// were left out are said in a line each below it, and no line is longer than `width` where that
/// can be had. Files have all of it.
std::string screen_text(const ResultTable& table, std::size_t width);

/// A cell as people read it: `digits` significant digits, "-" for nothing.
std::string to_text(const Cell& cell, int digits);

/// RFC 4180; all digits of a number. Columns of `provenance` stand behind those of the table, and
/// the last is `refusal`.
std::string to_csv(const ResultTable& table, const NamedTexts& provenance = {});

/// All of it but the plots, which show nothing that is not in a table.
std::string to_json(const Result& result);

/// A picture that needs nothing beside itself.
std::string to_svg(const Plot& plot);

/// One page with tables and plots inside, which loads nothing from anywhere.
std::string to_html(const Result& result);

/// &, <, > and " as XML and HTML want them.
std::string escaped(const std::string& text);

}  // namespace pencilbox
