// Results as text, CSV, JSON, SVG and HTML, and where they may be written.
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <regex>
#include <sstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/error.hpp"
#include "io/output/result_files.hpp"
#include "tests/support/temporary_folder.hpp"

namespace pencilbox::testing {
namespace {

namespace fs = std::filesystem;
constexpr double not_known = std::numeric_limits<double>::quiet_NaN();

ResultTable sample_table() {
  ResultTable table{"speed",
                    "a caption",
                    {{"name", "name"},
                     {"speed_m", "speed", 3},
                     {"secret", ""},
                     {"blocks", "blocks", 4, 1},
                     {"launch", "launch", 4, 1}},
                    {}};
  table.rows.push_back({{"one", 12.3456, 0.1, std::int64_t{7}, "a, \"b\""}, ""});
  table.rows.push_back({{"two <&>", not_known, Cell(), std::int64_t{100}, "c"}, ""});
  table.rows.push_back({{"three", Cell(), Cell(), Cell(), Cell()}, "too, wide"});
  return table;
}

Result sample_result() {
  Result result;
  result.name = "sample";
  result.title = "A <title> & more";
  result.facts = {{"command", "pencilbox compare 'a b.yaml'"}};
  result.notes = {"one note"};
  result.tables = {sample_table()};
  BarPlot bars{"speed", {}};
  bars.bars.push_back({"one", 2.0, 1.5, 2.5, ""});
  bars.bars.push_back({"two", 0.0, 0.0, 0.0, "no & no"});
  LinePlot lines{"N", "t", true, true, {}};
  lines.series.push_back({"mine", {{1.0, 2.0}, {100.0, 30.0}, {10.0, not_known}}, false});
  lines.series.push_back({"theirs", {{1.0, 3.0}, {0.0, 1.0}}, true});
  result.plots = {{"bars", "bars <of> speed", bars}, {"lines", "lines", lines}};
  return result;
}

TEST(ResultText, AlignsColumnsAndTellsRefusals) {
  EXPECT_EQ(to_text(sample_table()),
            "name     speed\n"
            "one       12.3\n"
            "two <&>      -\n"
            "three    no: too, wide\n"
            "\n"
            "name     blocks  launch\n"
            "one           7  a, \"b\"\n"
            "two <&>     100  c\n");
}

TEST(ResultText, OnAScreenATableFoldsWhatRowsHaveInCommon) {
  ResultTable table = sample_table();
  EXPECT_EQ(screen_text(table, 80), to_text(table));
  table.folds = true;
  table.columns.push_back({"threads", "threads", 4, 1});
  table.columns.push_back({"registers", "registers", 4, 1});
  for (ResultRow& row : table.rows) {
    row.cells.insert(row.cells.end(), {Cell(std::int64_t{128}), Cell()});
  }
  table.rows.push_back(table.rows.back());
  table.rows.back().cells[0] = "four";
  table.rows[2].refusal = "too wide; name three all the same";
  table.rows[3].refusal = "too wide; name four all the same";
  table.rows[0].cells[4] = "words that are longer than a line has room for";
  EXPECT_EQ(screen_text(table, 30),
            "name     speed\n"
            "one       12.3\n"
            "two <&>      -\n"
            "\n"
            "name     blocks\n"
            "one           7\n"
            "two <&>     100\n"
            "\n"
            "name     launch\n"
            "one      words that are longer\n"
            "         than a line has room\n"
            "         for\n"
            "two <&>  c\n"
            "\n"
            "the same for all: threads 128\n"
            "not known here: registers\n"
            "no three, four: too wide; name\n"
            "  NAME all the same\n");
}

TEST(ResultText, AMarkStandsBehindTheName) {
  ResultTable table = sample_table();
  table.rows[0].mark = "~";
  EXPECT_NE(to_text(table).find("one ~     12.3\n"), std::string::npos) << to_text(table);
  EXPECT_EQ(to_csv(table), to_csv(sample_table())) << "for people";
}

TEST(ResultText, NumbersHaveSignificantDigits) {
  EXPECT_EQ(to_text(Cell(0.0), 4), "0.000");
  EXPECT_EQ(to_text(Cell(1234.56), 3), "1235");
  EXPECT_EQ(to_text(Cell(0.0123456), 3), "0.0123");
  EXPECT_EQ(to_text(Cell(-9.876), 2), "-9.9");
  EXPECT_EQ(to_text(Cell(1.5e12), 3), "1.5e+12");
  EXPECT_EQ(to_text(Cell(1e-9), 3), "1e-09");
  EXPECT_EQ(to_text(Cell(std::int64_t{123456789}), 2), "123456789");
  EXPECT_EQ(to_text(Cell(), 2), "-");
}

TEST(ResultText, RefusesARowOfTheWrongLength) {
  ResultTable table = sample_table();
  table.rows[0].cells.pop_back();
  EXPECT_THROW((void)to_text(table), std::logic_error);
}

TEST(ResultCsv, HasAllDigitsAndQuotesWhatMustBe) {
  EXPECT_EQ(to_csv(sample_table()),
            "name,speed_m,secret,blocks,launch,refusal\n"
            "one,12.3456,0.1,7,\"a, \"\"b\"\"\",\n"
            "two <&>,,,100,c,\n"
            "three,,,,,\"too, wide\"\n");
}

TEST(ResultCsv, EveryRowSaysWhereItComesFrom) {
  const std::string csv = to_csv(sample_table(), {{"device", "cuda: a, b"}, {"commit", ""}});
  EXPECT_EQ(csv,
            "name,speed_m,secret,blocks,launch,device,commit,refusal\n"
            "one,12.3456,0.1,7,\"a, \"\"b\"\"\",\"cuda: a, b\",,\n"
            "two <&>,,,100,c,\"cuda: a, b\",,\n"
            "three,,,,,\"cuda: a, b\",,\"too, wide\"\n");
}

TEST(ResultJson, EveryRowSaysWhereItComesFrom) {
  Result result = sample_result();
  result.provenance = {{"device", "cuda: X"}, {"commit", ""}};
  result.conclusion = "fastest: <x>";
  const auto json = nlohmann::json::parse(to_json(result));
  EXPECT_EQ(json.at("conclusion"), "fastest: <x>");
  for (const auto& row : json.at("tables").at("speed").at("rows")) {
    EXPECT_EQ(row.at("device"), "cuda: X");
    EXPECT_TRUE(row.at("commit").is_null());
  }
  EXPECT_NE(to_html(result).find("fastest: &lt;x&gt;"), std::string::npos);
}

TEST(ResultJson, HasFactsNotesAndRows) {
  const auto json = nlohmann::json::parse(to_json(sample_result()));
  EXPECT_EQ(json.at("title"), "A <title> & more");
  EXPECT_EQ(json.at("facts").at("command"), "pencilbox compare 'a b.yaml'");
  EXPECT_EQ(json.at("notes").at(0), "one note");
  const auto& rows = json.at("tables").at("speed").at("rows");
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0].at("speed_m"), 12.3456);
  EXPECT_EQ(rows[0].at("refusal"), nullptr);
  EXPECT_EQ(rows[1].at("speed_m"), nullptr) << "JSON has no NaN";
  EXPECT_EQ(rows[2].at("refusal"), "too, wide");
}

/// Every tag that is opened is closed, in order.
void expect_well_formed(const std::string& text) {
  std::vector<std::string> open;
  const std::regex tag("<(/?)([a-zA-Z0-9]+)[^>]*?(/?)>");
  for (std::sregex_iterator k(text.begin(), text.end(), tag), end; k != end; ++k) {
    const std::string name = (*k)[2];
    if ((*k)[3] == "/" || name == "meta") continue;
    if ((*k)[1] == "/") {
      ASSERT_FALSE(open.empty()) << name;
      ASSERT_EQ(open.back(), name);
      open.pop_back();
    } else {
      open.push_back(name);
    }
  }
  EXPECT_TRUE(open.empty()) << open.back();
}

TEST(ResultSvg, IsWellFormedAndEscapesWords) {
  for (const Plot& plot : sample_result().plots) {
    const std::string svg = to_svg(plot);
    expect_well_formed(svg);
    EXPECT_EQ(svg.find("nan"), std::string::npos) << svg;
    EXPECT_EQ(svg.find("inf"), std::string::npos) << svg;
  }
  const std::string bars = to_svg(sample_result().plots[0]);
  EXPECT_NE(bars.find("bars &lt;of&gt; speed"), std::string::npos);
  EXPECT_NE(bars.find("no: no &amp; no"), std::string::npos);
}

TEST(ResultSvg, DrawsWhatCanBeDrawnAndBreaksPublishedLines) {
  const std::string svg = to_svg(sample_result().plots[1]);
  const auto count = [&](const std::string& what) {
    int found = 0;
    for (auto at = svg.find(what); at != std::string::npos; at = svg.find(what, at + 1)) ++found;
    return found;
  };
  // Two points and a legend, one point and a legend: neither NaN nor zero on a logarithmic axis.
  EXPECT_EQ(count("<circle"), 3);
  EXPECT_EQ(count("<polygon"), 2) << "the second series has another mark";
  EXPECT_EQ(count("points=\"\""), 0) << "a mark that nobody sees";
  EXPECT_EQ(count("<polyline"), 2);
  EXPECT_EQ(count("stroke-dasharray"), 2) << "line and legend of the published series";
  // A larger value is higher up, which is a smaller y.
  std::smatch first, second;
  const std::regex mark("<circle cx=\"([0-9.]+)\" cy=\"([0-9.]+)\"");
  std::string rest = svg;
  ASSERT_TRUE(std::regex_search(rest, first, mark));
  const double x1 = std::stod(first[1]), y1 = std::stod(first[2]);
  rest = first.suffix();
  ASSERT_TRUE(std::regex_search(rest, second, mark));
  EXPECT_LT(x1, std::stod(second[1]));
  EXPECT_GT(y1, std::stod(second[2]));
}

TEST(ResultSvg, AnEmptyPlotIsStillAPicture) {
  expect_well_formed(to_svg({"empty", "empty", LinePlot{"x", "y", true, false, {}}}));
  expect_well_formed(to_svg({"empty", "empty", BarPlot{"x", {}}}));
}

/// Of a system at rest the last bits of a pressure differ: ticks between them once had no end.
TEST(ResultSvg, DrawsWhatDiffersInItsLastBitsAsOneValue) {
  for (const bool logarithmic : {false, true}) {
    for (const double value : {2.3622984, 3e-31, 4e25}) {
      PlotSeries line{.name = "line", .points = {{1.0, value}, {2.0, std::nextafter(value, 0.0)}}};
      const std::string svg =
          to_svg({"still", "still", LinePlot{"x", "y", false, logarithmic, {line}}});
      expect_well_formed(svg);
      EXPECT_EQ(svg.find("nan"), std::string::npos) << svg;
      EXPECT_EQ(svg.find("inf"), std::string::npos) << svg;
      EXPECT_LT(svg.size(), 10'000U);
    }
  }
}

TEST(ResultHtml, IsOnePageThatLoadsNothing) {
  const std::string html = to_html(sample_result());
  expect_well_formed(html);
  EXPECT_NE(html.find("A &lt;title&gt; &amp; more"), std::string::npos);
  EXPECT_NE(html.find("<td>two &lt;&amp;&gt;</td>"), std::string::npos);
  EXPECT_NE(html.find("no: too, wide"), std::string::npos);
  EXPECT_NE(html.find("<svg"), std::string::npos);
  for (const char* loading : {"src=", "href=", "<script", "<link", "@import", "url("}) {
    EXPECT_EQ(html.find(loading), std::string::npos) << loading;
  }
}

class ResultFilesTest : public ::testing::Test {
 protected:
  ResultFilesRequest request(const std::string& directory) const {
    return {"compare: --output",
            folder_ / directory,
            {"speed"},
            {"bars", "lines"},
            "sample",
            false,
            {}};
  }

  static std::string refusal(const ResultFilesRequest& wanted) {
    try {
      const ResultFiles files(wanted);
    } catch (const InputError& error) {
      return error.what();
    }
    return {};
  }

  static std::string read(const fs::path& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }

  const TemporaryFolder temporary_;
  const fs::path folder_ = temporary_.path();
};

TEST_F(ResultFilesTest, WritesEveryFileAndMakesTheDirectory) {
  const ResultFiles files(request("new/folder"));
  EXPECT_FALSE(fs::exists(folder_ / "new")) << "before the first write nothing changes";
  files.write(sample_result());
  const fs::path directory = folder_ / "new/folder";
  EXPECT_EQ(read(directory / "speed.csv"), to_csv(sample_table()));
  EXPECT_EQ(read(directory / "sample.json"), to_json(sample_result()));
  EXPECT_EQ(read(directory / "sample.html"), to_html(sample_result()));
  EXPECT_EQ(read(directory / "bars.svg"), to_svg(sample_result().plots[0]));
  EXPECT_TRUE(fs::exists(directory / "lines.svg"));
  EXPECT_EQ(std::distance(fs::directory_iterator(directory), {}), 5);
  EXPECT_EQ(files.closing_line(), "output in " + directory.string() + "\n");
}

TEST_F(ResultFilesTest, ReplacesNothingUnlessToldTo) {
  fs::create_directory(folder_ / "there");
  for (const char* name : {"speed.csv", "lines.svg", "sample.json", "sample.html"}) {
    const fs::path mine = folder_ / "there" / name;
    std::ofstream(mine) << "mine";
    EXPECT_NE(refusal(request("there")).find(std::string(name)), std::string::npos) << name;
    EXPECT_NE(refusal(request("there")).find("--overwrite"), std::string::npos);
    EXPECT_EQ(read(mine), "mine");
    ResultFilesRequest overwrite = request("there");
    overwrite.overwrite = true;
    EXPECT_EQ(refusal(overwrite), "");
    fs::remove(mine);
  }
  EXPECT_EQ(refusal(request("there")), "");
}

TEST_F(ResultFilesTest, NeverReplacesAnInput) {
  std::ofstream(folder_ / "sample.json") << "deck";
  ResultFilesRequest wanted = request(".");
  wanted.overwrite = true;
  wanted.inputs = {folder_ / "sample.json"};
  EXPECT_NE(refusal(wanted).find("would replace the input"), std::string::npos);
}

TEST_F(ResultFilesTest, RefusesAFileInPlaceOfADirectory) {
  std::ofstream(folder_ / "file") << "mine";
  EXPECT_NE(refusal(request("file")).find("a file, not a directory"), std::string::npos);
  EXPECT_NE(refusal(request("file/below")).find("a file, not a directory"), std::string::npos);
}

TEST_F(ResultFilesTest, WritesNoFileThatNobodyLookedOutFor) {
  ResultFilesRequest wanted = request("new");
  wanted.tables.clear();
  EXPECT_THROW(ResultFiles(wanted).write(sample_result()), std::logic_error);
}

TEST_F(ResultFilesTest, WithoutADirectoryWritesNothing) {
  ResultFilesRequest wanted = request("new");
  wanted.directory.clear();
  const ResultFiles files(wanted);
  files.write(sample_result());
  EXPECT_EQ(files.closing_line(), "");
}

}  // namespace
}  // namespace pencilbox::testing
