// Numbers side by side, as many as a vector of the machine holds. Included once for each
// instruction set.
#if defined(PENCILBOX_LANES_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef PENCILBOX_LANES_INL
#undef PENCILBOX_LANES_INL
#else
#define PENCILBOX_LANES_INL
#endif

#include <cstdint>

#include <hwy/highway.h>

#include "core/device/launch_shape.hpp"
#include "core/interactions/lennard_jones.hpp"

HWY_BEFORE_NAMESPACE();
namespace pencilbox::host::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// The first `count` of a vector, at least one; zero in the other lanes, of which none is read.
/// (The library's own masked load wants an address that a vector may have, and reads all of it,
/// where the machine has no such instruction.)
template <class Tag>
HWY_INLINE hn::Vec<Tag> load_first(Tag tag, const hn::TFromD<Tag>* from, Index count) {
  constexpr auto lanes = static_cast<Index>(hn::MaxLanes(tag));
  if (count >= lanes) return hn::LoadU(tag, from);
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2
  return hn::MaskedLoad(hn::FirstN(tag, static_cast<std::size_t>(count)), tag, from);
#else
  HWY_ALIGN hn::TFromD<Tag> all[lanes] = {};
  for (Index k = 0; k < count; ++k) all[k] = from[k];
  return hn::Load(tag, all);
#endif
}

/// Which of them.
template <class Real>
struct Truth {
  hn::Mask<hn::ScalableTag<Real>> mask;

  HWY_INLINE Truth operator&(const Truth& other) const { return {hn::And(mask, other.mask)}; }
  HWY_INLINE bool of_any() const { return !hn::AllFalse(hn::ScalableTag<Real>(), mask); }
};

template <class Real>
struct Lanes {
  using Tag = hn::ScalableTag<Real>;
  static constexpr int count = static_cast<int>(hn::MaxLanes(Tag()));

  hn::Vec<Tag> vector;

  HWY_INLINE Lanes() {}
  HWY_INLINE explicit Lanes(Real value) : vector(hn::Set(Tag(), value)) {}
  HWY_INLINE explicit Lanes(hn::Vec<Tag> of) : vector(of) {}
  HWY_INLINE static Lanes load(const Real* from) { return Lanes(hn::LoadU(Tag(), from)); }

  HWY_INLINE Lanes& operator+=(const Lanes& b) { return *this = Lanes(hn::Add(vector, b.vector)); }
  HWY_INLINE Lanes& operator-=(const Lanes& b) { return *this = Lanes(hn::Sub(vector, b.vector)); }
  HWY_INLINE Lanes& operator*=(const Lanes& b) { return *this = Lanes(hn::Mul(vector, b.vector)); }
  HWY_INLINE Lanes& operator/=(const Lanes& b) { return *this = Lanes(hn::Div(vector, b.vector)); }
  HWY_INLINE Truth<Real> is_below(const Lanes& b) const { return {hn::Lt(vector, b.vector)}; }
  /// Zero where it is not true.
  HWY_INLINE Lanes where(const Truth<Real>& truth) const {
    return Lanes(hn::IfThenElseZero(truth.mask, vector));
  }
  /// The same, but another one in lane k, if there is such a lane.
  HWY_INLINE Lanes or_at(std::int32_t k, const Lanes& other) const {
    const hn::RebindToSigned<Tag> whole;
    using Whole = hn::TFromD<decltype(whole)>;
    const auto is_there = hn::Eq(hn::Iota(whole, Whole(0)), hn::Set(whole, static_cast<Whole>(k)));
    return Lanes(hn::IfThenElse(hn::RebindMask(Tag(), is_there), other.vector, vector));
  }
  /// This times b plus c, rounded once where the machine can.
  HWY_INLINE Lanes times_plus(const Lanes& b, const Lanes& c) const {
    return Lanes(hn::MulAdd(vector, b.vector, c.vector));
  }
};

template <class Real>
HWY_INLINE Lanes<Real> lesser(const Lanes<Real>& a, const Lanes<Real>& b) {
  return Lanes<Real>(hn::Min(a.vector, b.vector));
}
template <class Real>
HWY_INLINE Lanes<Real> greater(const Lanes<Real>& a, const Lanes<Real>& b) {
  return Lanes<Real>(hn::Max(a.vector, b.vector));
}

template <class Real>
HWY_INLINE Lanes<Real> operator+(Lanes<Real> a, const Lanes<Real>& b) {
  return a += b;
}
template <class Real>
HWY_INLINE Lanes<Real> operator-(Lanes<Real> a, const Lanes<Real>& b) {
  return a -= b;
}
template <class Real>
HWY_INLINE Lanes<Real> operator-(const Lanes<Real>& a) {
  return Lanes<Real>(hn::Neg(a.vector));
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
HWY_INLINE Lanes<Real> times_plus(const Lanes<Real>& a, const Lanes<Real>& b,
                                  const Lanes<Real>& c) {
  return a.times_plus(b, c);
}
template <class Real>
HWY_INLINE Lanes<Real> reciprocal(const Lanes<Real>& a) {
  return Lanes<Real>(Real(1)) / a;
}
template <class Real>
HWY_INLINE Lanes<Real> square_root(const Lanes<Real>& a) {
  return Lanes<Real>(hn::Sqrt(a.vector));
}

/// The nearest whole numbers, of numbers that fit. The library's own looks after those that do not,
/// for three operations more.
using WholeLanes = hn::Vec<hn::ScalableTag<std::int32_t>>;
HWY_INLINE WholeLanes nearest_whole(const Lanes<float>& a) {
#if HWY_TARGET == HWY_AVX2
  return WholeLanes{_mm256_cvtps_epi32(a.vector.raw)};
#elif HWY_ARCH_X86 && HWY_TARGET != HWY_SCALAR && HWY_TARGET < HWY_AVX2
  return WholeLanes{_mm512_cvtps_epi32(a.vector.raw)};
#elif HWY_ARCH_X86 && HWY_TARGET != HWY_SCALAR
  return WholeLanes{_mm_cvtps_epi32(a.vector.raw)};
#else
  return hn::NearestInt(a.vector);
#endif
}

#include "core/interactions/lennard_jones_formula.inc"

}  // namespace pencilbox::host::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
