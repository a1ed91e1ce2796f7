// One row of the validation: what was asked, what came out, and what that means.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/validate/statistics.hpp"
#include "core/precision.hpp"

namespace pencilbox {

/// A quantity beside its reference. It passes where value and reference differ by no more than the
/// tolerance. What has only a bound has the reference 0; a share of N has the reference N.
struct ValidationRow {
  std::string quantity;
  double reference = 0.0;
  double tolerance = 0.0;
  std::string source;            ///< of the reference, a word that sources.hpp explains
  double reference_error = 0.0;  ///< its standard error; 0: exact, or inside the tolerance
  double value = std::numeric_limits<double>::quiet_NaN();
  double standard_error = 0.0;           ///< of the value; 0: not a mean
  std::string remark{};                  ///< what a reader has to know beside
  std::optional<std::string> skipped{};  ///< why it was not asked
  std::string check{};                   ///< that it belongs to
};

using ValidationRows = std::vector<ValidationRow>;

void append(ValidationRows& rows, const ValidationRows& more);

enum class Verdict { passed, failed, skipped };

/// What is not a number fails, and so does what nobody has filled in.
Verdict verdict_of(const ValidationRow& row);

/// "passed", "FAILED", "SKIPPED"
std::string_view name_of(Verdict verdict);

/// Standard errors that a mean may be from its reference: of both together.
inline constexpr double allowed_standard_errors = 3.0;

/// Fills in a mean; how far it may be from the reference follows from the errors of both.
void judge_mean(ValidationRow& row, const Estimate& mean);

/// Work of `amount` that fills in the rows. What misses is in doubt, since of right means one in a
/// few hundred does: three times as much work is added, and all of it judged. Then the rows say so.
void judge_by_work(const std::vector<ValidationRow*>& rows, std::int64_t amount,
                   const std::function<void(std::int64_t more)>& work);

/// A bar for each precision.
struct PrecisionBars {
  double double_, mixed, single;
  double of(Precision precision) const;
};

}  // namespace pencilbox
