// The constants of an interaction, laid out for vectors.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "neighbor/vectors/rows.hpp"

namespace pencilbox::host {

/// number(target, source) for all types.
template <class Real, class Number>
NumbersByType<Real> by_type(std::int32_t types, const Number& number) {
  const std::int32_t stride = stride_of_types(types);
  NumbersByType<Real> numbers(static_cast<std::size_t>(types) * static_cast<std::size_t>(stride));
  for (std::int32_t target = 0; target < types; ++target) {
    for (std::int32_t source = 0; source < types; ++source) {
      numbers[static_cast<std::size_t>(target * stride + source)] = number(target, source);
    }
  }
  return numbers;
}

template <class Real>
class PairTables {
 public:
  explicit PairTables(const LennardJonesModel& model)
      : pairs_(lennard_jones_constants<Real>(model)), types_(model.types) {
    using Constants = LennardJonesConstants<Real>;
    using Vectors = LennardJonesConstants<NumbersByType<Real>>;
    const auto fill = [&](NumbersByType<Real> Vectors::*to, Real Constants::*constant) {
      by_type_.*to = by_type<Real>(types_, [&](std::int32_t target, std::int32_t source) {
        return pair(target, source).*constant;
      });
    };
    fill(&Vectors::repulsion, &Constants::repulsion);
    fill(&Vectors::attraction, &Constants::attraction);
    fill(&Vectors::energy_shift, &Constants::energy_shift);
    fill(&Vectors::force_at_cutoff, &Constants::force_at_cutoff);
    fill(&Vectors::cutoff, &Constants::cutoff);
    fill(&Vectors::cutoff_squared, &Constants::cutoff_squared);
  }

  const LennardJonesConstants<Real>& pair(std::int32_t target, std::int32_t source) const {
    return pairs_[static_cast<std::size_t>(target * types_ + source)];
  }
  const LennardJonesConstants<Real>* pairs() const { return pairs_.data(); }
  VectorInteraction<Real> interaction(LennardJonesForm form) const {
    return {pairs_.front(), &by_type_, types_, form};
  }

 private:
  std::vector<LennardJonesConstants<Real>> pairs_;  ///< [types * types]
  LennardJonesConstants<NumbersByType<Real>> by_type_;
  std::int32_t types_;
};

/// What forces in whole numbers need: see FixedPoint.
class FixedPointTables {
 public:
  /// `exact` has to outlive it.
  FixedPointTables(const LennardJonesModel& model, const PairTables<double>& exact)
      : pairs_(model), exact_(exact.pairs()) {
    constexpr double quantum_of_unit = 1.0 / (1 << 19);  // [epsilon/sigma]
    double strongest = 0.0;
    for (const PairCoefficients& pair : model.pairs) {
      strongest = std::max(strongest, pair.epsilon / pair.sigma);
    }
    quantum_ = quantum_of_unit;
    if (strongest > 0.0) quantum_ *= std::exp2(std::ceil(std::log2(strongest)));
    // Where a force is the largest that the sum of a vector bears. One quantum for all pairs: else
    // they would not cancel.
    const double largest = QuantaLimits::fine().largest * quantum_;
    nearest_squared_ = by_type<float>(model.types, [&](std::int32_t target, std::int32_t source) {
      const double nearest = std::pow(exact.pair(target, source).repulsion / largest, 1.0 / 13.0);
      return static_cast<float>(nearest * nearest);
    });
  }

  /// Of one type, by an anchor: the force is the largest where hardly a pair of a liquid is.
  static FixedPointTables by_anchor(const LennardJonesModel& model,
                                    const PairTables<double>& exact) {
    constexpr double nearest = 0.9;        // [sigma]
    constexpr double largest_shift = 2.4;  // of a force: the strongest attraction [epsilon/sigma]
    constexpr double margin = 1.0001;
    const PairCoefficients& pair = model.pairs.front();
    FixedPointTables tables(model, exact);
    const double largest =
        48.0 * std::pow(nearest, -13.0) - 24.0 * std::pow(nearest, -7.0) + largest_shift;
    tables.quantum_ =
        margin * largest * pair.epsilon / pair.sigma / QuantaLimits::by_anchor().largest;
    const double closest = nearest * pair.sigma;
    tables.nearest_squared_ = by_type<float>(
        1, [closest](std::int32_t, std::int32_t) { return static_cast<float>(closest * closest); });
    return tables;
  }

  VectorInteraction<float> interaction(LennardJonesForm form) const {
    return pairs_.interaction(form);
  }
  FixedPoint fixed_point() const { return {quantum_, nearest_squared_.data(), exact_}; }

 private:
  PairTables<float> pairs_;
  const LennardJonesConstants<double>* exact_;
  double quantum_;                        ///< [epsilon/sigma]
  NumbersByType<float> nearest_squared_;  ///< [sigma^2]
};

}  // namespace pencilbox::host
