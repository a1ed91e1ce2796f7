// `pencilbox validate`: its verdicts, its files, what it refuses; and that a wrong energy fails.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include <nlohmann/json.hpp>

#include "app/validate/check.hpp"
#include "app/validate/state_point.hpp"
#include "app/validate/validate_result.hpp"
#include "core/error.hpp"
#include "tests/app/program_runner.hpp"

namespace pencilbox::testing {
namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

ValidationRow row_of(double value, double reference, double tolerance) {
  ValidationRow row{"quantity", reference, tolerance, source_theory};
  row.value = value;
  return row;
}

TEST(ValidationVerdict, PassesWithinTheToleranceAndNowhereElse) {
  EXPECT_EQ(verdict_of(row_of(1.5, 1.0, 0.5)), Verdict::passed);
  EXPECT_EQ(verdict_of(row_of(0.5, 1.0, 0.5)), Verdict::passed);
  EXPECT_EQ(verdict_of(row_of(1.51, 1.0, 0.5)), Verdict::failed);
  EXPECT_EQ(verdict_of(row_of(0.49, 1.0, 0.5)), Verdict::failed);
  EXPECT_EQ(verdict_of(row_of(0.0, 0.0, 0.0)), Verdict::passed);
}

TEST(ValidationVerdict, WhatIsNoNumberFails) {
  EXPECT_EQ(verdict_of(row_of(not_a_number, 1.0, 0.5)), Verdict::failed);
  EXPECT_EQ(verdict_of(row_of(1.0, 1.0, not_a_number)), Verdict::failed);
  EXPECT_EQ(verdict_of(ValidationRow{"nobody filled it in", 0.0, 1.0, source_theory}),
            Verdict::failed);
}

TEST(ValidationVerdict, AMeanMayBeThreeCombinedErrorsAway) {
  ValidationRow row{"mean", 2.0, 0.0, source_nist, 0.003};
  judge_mean(row, {2.014, 0.004});
  EXPECT_DOUBLE_EQ(row.tolerance, 0.015);
  EXPECT_EQ(verdict_of(row), Verdict::passed);
  judge_mean(row, {2.016, 0.004});
  EXPECT_EQ(verdict_of(row), Verdict::failed);
  judge_mean(row, {2.0, not_a_number});
  EXPECT_EQ(verdict_of(row), Verdict::failed) << "a mean without an error says nothing";
}

TEST(ValidationVerdict, WhatMissesIsRunOnAndJudgedByAllOfIt) {
  for (const std::int64_t enough : {10, 40, 50}) {
    ValidationRow row = row_of(0.0, 1.0, 0.5), other = row_of(1.0, 1.0, 0.5);
    std::int64_t done = 0;
    judge_by_work({&row, &other}, 10, [&](std::int64_t more) {
      done += more;
      row.value = done >= enough ? 1.0 : 0.0;
    });
    EXPECT_EQ(done, enough == 10 ? 10 : 40) << enough;
    EXPECT_EQ(verdict_of(row), enough == 50 ? Verdict::failed : Verdict::passed) << enough;
    EXPECT_EQ(row.remark.empty(), enough == 10) << enough;
  }
}

TEST(ValidationVerdict, WhatIsRefusedIsSkippedInWordsAndWhatBreaksDownFails) {
  const ValidationRows refused =
      answered({row_of(0.0, 0.0, 1.0)}, [](ValidationRows&) { throw BackendRefusal("too full"); });
  EXPECT_EQ(verdict_of(refused[0]), Verdict::skipped);
  EXPECT_EQ(refused[0].skipped, "too full");
  const ValidationRows broken = answered(
      {row_of(0.0, 0.0, 1.0)}, [](ValidationRows&) { throw PhysicsError("step 3: lost"); });
  EXPECT_EQ(verdict_of(broken[0]), Verdict::failed);
  EXPECT_EQ(broken[0].remark, "step 3: lost");
}

TEST(ValidationVerdict, WhereRunsWouldTakeHoursTheyAreNotBegun) {
  Subject subject;
  subject.too_slow = "emulated";
  const ValidationRows rows =
      answered_by_long_runs(subject, {row_of(0.0, 0.0, 1.0)}, [](ValidationRows&) { FAIL(); });
  EXPECT_EQ(rows[0].skipped, "emulated");
}

TEST(ValidationVerdict, LongChecksTellAfterEachStateWhatTheyKnow) {
  Subject subject;
  subject.full = true;
  subject.too_slow = "emulated";
  std::vector<std::size_t> known;
  subject.keep = [&](const ValidationRows& rows) { known.push_back(rows.size()); };
  for (const auto rows_of :
       {&check_state_points, &check_vapours, &check_mixture, &check_barostat}) {
    known.clear();
    const ValidationRows rows = rows_of(subject);
    ASSERT_GT(known.size(), 4U);
    EXPECT_TRUE(std::is_sorted(known.begin(), known.end()));
    EXPECT_LT(known.front(), known.back());
    EXPECT_EQ(known.back(), rows.size());
  }
}

TEST(ValidationVerdict, TheSupercooledMixtureIsForAGpu) {
  Subject subject;
  subject.full = true;
  subject.too_slow = "emulated";  // the others are not begun
  subject.runs_on_a_cpu = true;
  const ValidationRows rows = check_mixture(subject);
  EXPECT_NE(rows.back().quantity.find("T 0.45"), std::string::npos) << rows.back().quantity;
  EXPECT_NE(rows.back().skipped.value_or("").find("a GPU"), std::string::npos);
  EXPECT_EQ(rows.front().skipped, "emulated");
}

TEST(ValidationTable, CountsVerdictsAndGivesReasons) {
  ValidationRow skipped = row_of(0.0, 0.0, 1.0), broken = row_of(not_a_number, 0.0, 1.0);
  skipped.quantity = "first";
  skipped.skipped = "too slow";
  broken.quantity = "second";
  broken.remark = "step 3: lost";
  const ValidationRows rows{row_of(1.0, 1.0, 0.0), skipped, broken, row_of(2.0, 1.0, 0.5)};
  EXPECT_EQ(verdict_of(rows), "1 passed, 2 FAILED, 1 SKIPPED");
  EXPECT_TRUE(has_failed(rows));
  EXPECT_FALSE(has_failed({rows[0], rows[1]}));
  Result result;
  result.name = validate_name;
  add_validation(result, "caption", rows);
  const auto has = [&](const std::string& note) {
    return std::find(result.notes.begin(), result.notes.end(), note) != result.notes.end();
  };
  EXPECT_TRUE(has("SKIPPED: too slow (first)"));
  EXPECT_TRUE(has("FAILED: step 3: lost (second)"));
  const auto json = nlohmann::json::parse(to_json(result));
  EXPECT_EQ(json.at("conclusion"), "1 passed, 2 FAILED, 1 SKIPPED");
  EXPECT_TRUE(json.at("tables").at("validate").at("rows")[1].at("value").is_null());
  EXPECT_EQ(json.at("tables").at("validate").at("rows")[3].at("verdict"), "FAILED");
}

class Validate : public InAFolder {
 protected:
  static std::map<std::string, nlohmann::json> rows_of(const std::string& json) {
    std::map<std::string, nlohmann::json> rows;
    const auto all = nlohmann::json::parse(json);
    for (const auto& row : all.at("tables").at("validate").at("rows")) {
      rows[row.at("quantity")] = row;
    }
    return rows;
  }
};

TEST_F(Validate, PrintsTheTableAndWritesIt) {
  const ProgramResult result = program(
      "validate --device host --backend par-part-no-loop --precision double "
      "--only determinism,configurations --csv table.csv --json table.json");
  EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
  EXPECT_EQ(result.err, "");
  EXPECT_NE(result.out.find("back end par-part-no-loop on host, double precision"),
            std::string::npos)
      << result.out;
  EXPECT_TRUE(result.out.ends_with("34 passed, 0 FAILED, 0 SKIPPED\n")) << result.out;
  const auto rows = rows_of(read("table.json"));
  ASSERT_EQ(rows.size(), 34U);
  const auto& energy = rows.at("configuration 1, cut 3: U");
  EXPECT_EQ(energy.at("reference"), -4351.5401945438662);
  EXPECT_NEAR(energy.at("value").get<double>(), -4351.5401945438662, 4e-9);
  EXPECT_EQ(energy.at("check"), "configurations");
  EXPECT_EQ(energy.at("source"), "NIST");
  EXPECT_EQ(energy.at("verdict"), "passed");
  EXPECT_NE(energy.at("version"), "") << "where it comes from stands in every row";
  const std::string csv = read("table.csv");
  EXPECT_TRUE(csv.starts_with("quantity,check,value,standard_error,reference,")) << csv;
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 35);
}

TEST_F(Validate, WhatABackEndCannotDoIsSkippedInWords) {
  const ProgramResult result = program(
      "validate --device host --backend all-in-sm --precision double --only "
      "configurations,triple-point,conservation --json table.json");
  EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
  const auto rows = rows_of(read("table.json"));
  EXPECT_EQ(rows.at("T 0.722, rho 0.8442: P").at("verdict"), "SKIPPED");
  EXPECT_NE(result.out.find("SKIPPED: its blocks are emulated here"), std::string::npos);
  EXPECT_EQ(rows.at("configuration 4, cut 3: U").at("verdict"), "passed");
  EXPECT_EQ(rows.at("reversal, 25 + 25 steps").at("verdict"), "passed");
}

/// `green` in the faulty program gives an energy that is off by one part in a thousand.
TEST_F(Validate, AWrongEnergyEndsWithExitCode3) {
  const std::string wrong = "validate --backend green --only configurations --json table.json ";
  const ProgramResult result = run(faulty_program_path(), wrong);
  EXPECT_EQ(result.exit_code, 3) << result.out << result.err;
  EXPECT_EQ(result.err, "");
  const auto rows = rows_of(read("table.json"));
  EXPECT_EQ(rows.at("configuration 1, cut 3: U").at("verdict"), "FAILED");
  EXPECT_EQ(rows.at("configuration 1, cut 3: W").at("verdict"), "passed");
  EXPECT_EQ(
      run(faulty_program_path(), "validate --backend hoetzlein --only configurations").exit_code,
      0);
}

TEST_F(Validate, FilesAreReplacedOnlyIfToldTo) {
  expect_replaces_only_if_told_to("validate --device host --only configurations --csv table.csv",
                                  "validate: --csv: the file exists");
}

TEST_F(Validate, WrongArgumentsAreRefused) {
  const std::vector<WrongArguments> all{
      {"validate --backend gren", "validate: --backend: unknown name (did you mean green?)",
       "x-pencil"},
      {"validate --precision half", "validate: --precision: unknown name", "mixed"},
      {"validate --device abacus", "validate: --device: unknown name", "host"},
      {"validate --only melts", "validate: --only: unknown name (did you mean melt?)",
       "triple-point"},
      {"validate --csv a --json a", "validate: --json: the file of --csv, got a", "another name"},
      {"validate --overwrite --csv /dev/null", "validate: --csv: no file, got /dev/null", "a file"},
      {"validate --csv nowhere/table.csv", "validate: --csv: no such directory", "nowhere"},
      {"validate --json .", "validate: --json: a directory", "a file"}};
  for (const WrongArguments& wrong : all) {
    expect_refused(wrong.arguments, wrong.line, wrong.mention);
  }
}

}  // namespace
}  // namespace pencilbox::testing
