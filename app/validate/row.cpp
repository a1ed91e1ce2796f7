#include "app/validate/row.hpp"

#include <algorithm>
#include <cmath>

namespace pencilbox {

void append(ValidationRows& rows, const ValidationRows& more) {
  rows.insert(rows.end(), more.begin(), more.end());
}

Verdict verdict_of(const ValidationRow& row) {
  if (row.skipped) return Verdict::skipped;
  const bool within = std::abs(row.value - row.reference) <= row.tolerance;
  return within ? Verdict::passed : Verdict::failed;
}

std::string_view name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::passed:
      return "passed";
    case Verdict::skipped:
      return "SKIPPED";
    default:
      return "FAILED";
  }
}

void judge_mean(ValidationRow& row, const Estimate& mean) {
  row.value = mean.mean;
  row.standard_error = mean.standard_error;
  row.tolerance = allowed_standard_errors * std::hypot(mean.standard_error, row.reference_error);
}

void judge_by_work(const std::vector<ValidationRow*>& rows, std::int64_t amount,
                   const std::function<void(std::int64_t)>& work) {
  work(amount);
  const bool passed = std::all_of(rows.begin(), rows.end(), [](const ValidationRow* row) {
    return verdict_of(*row) == Verdict::passed;
  });
  if (passed) return;
  work(3 * amount);
  for (ValidationRow* row : rows) row->remark = "in doubt, so run on to four times as long";
}

double PrecisionBars::of(Precision precision) const {
  switch (precision) {
    case Precision::single:
      return single;
    case Precision::mixed:
      return mixed;
    default:
      return double_;
  }
}

}  // namespace pencilbox
