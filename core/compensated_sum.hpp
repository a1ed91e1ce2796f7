// A sum of doubles as if in twice the precision, so that a million terms cost no digits.
#pragma once

#include <cmath>

namespace pencilbox {

/// Neumaier, Z. angew. Math. Mech. 54, 39 (1974).
class CompensatedSum {
 public:
  void add(double term) {
    const double sum = sum_ + term;
    lost_ += std::abs(sum_) >= std::abs(term) ? (sum_ - sum) + term : (term - sum) + sum_;
    sum_ = sum;
  }
  /// What another has summed up.
  void add(const CompensatedSum& other) {
    add(other.sum_);
    lost_ += other.lost_;
  }
  double value() const { return sum_ + lost_; }

 private:
  double sum_ = 0.0;
  double lost_ = 0.0;
};

}  // namespace pencilbox
