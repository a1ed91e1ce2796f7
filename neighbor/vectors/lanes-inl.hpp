// Numbers side by side, as many as four targets and the sources that meet them at a time fill: one
// vector of the machine, or several where one holds fewer than four. Included once for each
// instruction set.
#if defined(PENCILBOX_LANES_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef PENCILBOX_LANES_INL
#undef PENCILBOX_LANES_INL
#else
#define PENCILBOX_LANES_INL
#endif

#include <algorithm>
#include <array>

#include <hwy/highway.h>

#include "core/interactions/lennard_jones.hpp"
#include "neighbor/vectors/rows.hpp"

HWY_BEFORE_NAMESPACE();
namespace pencilbox::host::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <class Real>
class Lanes {
 public:
  using Tag = hn::ScalableTag<Real>;
  using Vector = hn::Vec<Tag>;
  using Mask = hn::Mask<Tag>;

  static constexpr int of_a_vector = static_cast<int>(hn::MaxLanes(Tag()));
  /// Chains of operations side by side: one alone leaves a core waiting for results.
  static constexpr int interleaved = 2;
  static constexpr int vectors =
      interleaved * (of_a_vector < targets_of_a_row ? targets_of_a_row / of_a_vector : 1);
  static constexpr int count = vectors * of_a_vector;
  /// Sources that meet the four targets at a time: a block of four lanes each.
  static constexpr int sources = count / targets_of_a_row;

  struct Truth {
    Truth() {}  // not defaulted: it is to be compiled for this instruction set
    Mask mask[vectors];

    Truth operator&(const Truth& other) const {
      Truth both;
      for (int k = 0; k < vectors; ++k) both.mask[k] = hn::And(mask[k], other.mask[k]);
      return both;
    }
  };

  Lanes() {}
  explicit Lanes(Real value) {
    for (Vector& v : vector_) v = hn::Set(Tag(), value);
  }
  static Lanes load(const Real* from) {
    Lanes lanes;
    for (int k = 0; k < vectors; ++k) lanes.vector_[k] = hn::LoadU(Tag(), from + k * of_a_vector);
    return lanes;
  }
  /// The four numbers in every block.
  static Lanes fours(const Real* from) {
    return blocks_of_fours([&](int) { return from; });
  }
  /// value(s) in all of block s.
  template <class Value>
  static Lanes blocks(const Value& value) {
    return of_blocks(
        [&](const auto& tag, int lane) { return hn::Set(tag, value(lane / targets_of_a_row)); });
  }
  /// The four numbers from where(s) on in block s.
  template <class Where>
  static Lanes blocks_of_fours(const Where& where) {
    return of_blocks([&](const auto& tag, int lane) {
      return hn::LoadU(tag, where(lane / targets_of_a_row) + lane % targets_of_a_row);
    });
  }
  Lanes& operator+=(const Lanes& b) {
    for (int k = 0; k < vectors; ++k) vector_[k] = hn::Add(vector_[k], b.vector_[k]);
    return *this;
  }
  Lanes& operator-=(const Lanes& b) {
    for (int k = 0; k < vectors; ++k) vector_[k] = hn::Sub(vector_[k], b.vector_[k]);
    return *this;
  }
  Lanes& operator*=(const Lanes& b) {
    for (int k = 0; k < vectors; ++k) vector_[k] = hn::Mul(vector_[k], b.vector_[k]);
    return *this;
  }
  Lanes& operator/=(const Lanes& b) {
    for (int k = 0; k < vectors; ++k) vector_[k] = hn::Div(vector_[k], b.vector_[k]);
    return *this;
  }
  Truth is_below(const Lanes& b) const {
    Truth truth;
    for (int k = 0; k < vectors; ++k) truth.mask[k] = hn::Lt(vector_[k], b.vector_[k]);
    return truth;
  }
  Truth differs_from(const Lanes& b) const {
    Truth truth;
    for (int k = 0; k < vectors; ++k) truth.mask[k] = hn::Ne(vector_[k], b.vector_[k]);
    return truth;
  }
  Lanes root() const {
    Lanes result;
    for (int k = 0; k < vectors; ++k) result.vector_[k] = hn::Sqrt(vector_[k]);
    return result;
  }
  /// Zero where it is not true.
  Lanes where(const Truth& truth) const {
    Lanes result;
    for (int k = 0; k < vectors; ++k) {
      result.vector_[k] = hn::IfThenElseZero(truth.mask[k], vector_[k]);
    }
    return result;
  }
  const Vector& vector(int k) const { return vector_[k]; }

  /// This times b plus c, rounded once where the machine can.
  Lanes times_plus(const Lanes& b, const Lanes& c) const {
    Lanes result;
    for (int k = 0; k < vectors; ++k) {
      result.vector_[k] = hn::MulAdd(vector_[k], b.vector_[k], c.vector_[k]);
    }
    return result;
  }

 private:
  /// part(tag, lane): a block, or as much of it as a vector holds, from that lane on.
  template <class Part>
  static Lanes of_blocks(const Part& part) {
    Lanes lanes;
    for (int k = 0; k < vectors; ++k) {
      lanes.vector_[k] =
          join<of_a_vector / std::min(of_a_vector, targets_of_a_row)>(Tag(), k * of_a_vector, part);
    }
    return lanes;
  }

  /// Of `parts` parts, from lane `first` on.
  template <int parts, class AnyTag, class Part>
  static hn::Vec<AnyTag> join(const AnyTag& tag, int first, const Part& part) {
    if constexpr (parts == 1) {
      return part(tag, first);
    } else {
#if HWY_TARGET != HWY_SCALAR  // whose vectors of one number have no halves
      const hn::Half<AnyTag> half;
      constexpr int above = parts / 2 * targets_of_a_row;
      return hn::Combine(tag, join<parts / 2>(half, first + above, part),
                         join<parts / 2>(half, first, part));
#endif
    }
  }

  Vector vector_[vectors];
};

/// The sum of four targets, over all sources that they meet. In as few vectors as hold four
/// numbers: registers are few.
template <class Real>
class LanesSum {
 public:
  LanesSum() {
    for (Vector& v : sum_) v = hn::Zero(Tag());
  }
  void add(const Lanes<Real>& a) {
    for (int k = 0; k < Lanes<Real>::vectors; ++k) {
      Vector& sum = sum_[k % vectors];
      sum = hn::Add(sum, a.vector(k));
    }
  }
  void add_product(const Lanes<Real>& a, const Lanes<Real>& b) {
    for (int k = 0; k < Lanes<Real>::vectors; ++k) {
      Vector& sum = sum_[k % vectors];
      sum = hn::MulAdd(a.vector(k), b.vector(k), sum);
    }
  }
  void store(std::array<Real, targets_of_a_row>& sums) const {
    constexpr int of_a_vector = Lanes<Real>::of_a_vector;
    alignas(64) Real all[vectors * of_a_vector];
    for (int k = 0; k < vectors; ++k) hn::StoreU(sum_[k], Tag(), all + k * of_a_vector);
    for (int t = 0; t < targets_of_a_row; ++t) {
      Real sum = all[t];
      for (int s = targets_of_a_row; s < vectors * of_a_vector; s += targets_of_a_row) {
        sum += all[s + t];
      }
      sums[static_cast<std::size_t>(t)] = sum;
    }
  }

 private:
  using Tag = typename Lanes<Real>::Tag;
  using Vector = typename Lanes<Real>::Vector;
  static constexpr int vectors = Lanes<Real>::vectors / Lanes<Real>::interleaved;

  Vector sum_[vectors];
};

template <class Real>
HWY_INLINE Lanes<Real> operator+(Lanes<Real> a, const Lanes<Real>& b) {
  return a += b;
}
template <class Real>
HWY_INLINE Lanes<Real> operator-(Lanes<Real> a, const Lanes<Real>& b) {
  return a -= b;
}
template <class Real>
HWY_INLINE Lanes<Real> operator*(Lanes<Real> a, const Lanes<Real>& b) {
  return a *= b;
}
template <class Real>
HWY_INLINE Lanes<Real> operator/(Lanes<Real> a, const Lanes<Real>& b) {
  return a /= b;
}
template <class Real>
HWY_INLINE Lanes<Real> reciprocal(const Lanes<Real>& a) {
  return Lanes<Real>(Real(1)) / a;
}
template <class Real>
HWY_INLINE Lanes<Real> square_root(const Lanes<Real>& a) {
  return a.root();
}

#include "core/interactions/lennard_jones_formula.inc"

}  // namespace pencilbox::host::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
