#include "app/validate/row.hpp"

#include <cmath>

namespace pencilbox {

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
