// What is summed over the sources of a target, a vector of them at a time. Included once for each
// instruction set.
#if defined(PENCILBOX_SUMS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef PENCILBOX_SUMS_INL
#undef PENCILBOX_SUMS_INL
#else
#define PENCILBOX_SUMS_INL
#endif

#include <array>

#include <hwy/highway.h>

#include "neighbor/vectors/lanes-inl.hpp"
#include "neighbor/vectors/pairs-inl.hpp"
#include "neighbor/vectors/rows.hpp"

HWY_BEFORE_NAMESPACE();
namespace pencilbox::host::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET != HWY_SCALAR
/// Of all blocks of 16 bytes in a vector.
template <class Tag>
HWY_INLINE void store_sum_of_blocks(const Tag& tag, const hn::Vec<Tag>& vector,
                                    hn::TFromD<Tag>* sum) {
  if constexpr (hn::MaxLanes(Tag()) * sizeof(hn::TFromD<Tag>) <= 16) {
    hn::StoreU(vector, tag, sum);
  } else {
    const hn::Half<Tag> half;
    store_sum_of_blocks(half, hn::Add(hn::LowerHalf(half, vector), hn::UpperHalf(half, vector)),
                        sum);
  }
}
#endif

/// Of each of four vectors the sum over its lanes.
template <class Real>
HWY_INLINE void sum_up(const Lanes<Real> (&of)[targets_of_a_row],
                       std::array<Real, targets_of_a_row>& sums) {
  const Lanes<Real>&a = of[0], &b = of[1], &c = of[2], &d = of[3];
#if HWY_TARGET == HWY_SCALAR
  sums = {hn::GetLane(a.vector), hn::GetLane(b.vector), hn::GetLane(c.vector),
          hn::GetLane(d.vector)};
#else
  const hn::ScalableTag<Real> tag;
  const auto two = [&](const Lanes<Real>& first, const Lanes<Real>& second) {  // a b a b ...
    return hn::Add(hn::InterleaveLower(tag, first.vector, second.vector),
                   hn::InterleaveUpper(tag, first.vector, second.vector));
  };
  if constexpr (sizeof(Real) == 4) {
    const hn::Repartition<double, decltype(tag)> pairs;
    const auto ab = hn::BitCast(pairs, two(a, b)), cd = hn::BitCast(pairs, two(c, d));
    const auto all = hn::Add(hn::BitCast(tag, hn::InterleaveLower(pairs, ab, cd)),
                             hn::BitCast(tag, hn::InterleaveUpper(pairs, ab, cd)));
    store_sum_of_blocks(tag, all, sums.data());
  } else {
    store_sum_of_blocks(tag, two(a, b), sums.data());
    store_sum_of_blocks(tag, two(c, d), sums.data() + 2);
  }
#endif
}

// A sum of one target lives in registers while the target goes along its row. What it has to know
// is its rules; where the four sums of a row wait to be summed up, its results. (Constructors are
// spelt out: what is defaulted is not compiled for this instruction set.)

/// The rules of sums that take every source as it comes.
template <class Real>
struct TakesAll {
  /// A sum settles what it has after so many vectors of sources.
  static constexpr Index vectors_at_once = 1 << 24;
  static constexpr bool corrects_near = false;

  template <class Type>
  HWY_INLINE void set_target(const Type*, Index) {}
  HWY_INLINE const Lanes<Real>& at_least(const Lanes<Real>& r2, Index) const { return r2; }
};

/// The sums of a row in three directions, each over the lanes of its four targets.
template <class Number>
struct ForcesOfTargets {
  Lanes<Number> x[targets_of_a_row], y[targets_of_a_row], z[targets_of_a_row];
  HWY_INLINE ForcesOfTargets() {}
  HWY_INLINE void put(std::size_t t, const Vec3<Lanes<Number>>& force) {
    x[t] = force.x;
    y[t] = force.y;
    z[t] = force.z;
  }
  HWY_INLINE void store(RowForces<Number>& sums) const {
    sum_up(x, sums.x);
    sum_up(y, sums.y);
    sum_up(z, sums.z);
  }
};

template <class Real>
struct ForceSum {
  using Numbers = Lanes<Real>;
  using Rules = TakesAll<Real>;
  static constexpr bool is_of_forces = true;
  using Results = ForcesOfTargets<Real>;

  Numbers x, y, z;

  HWY_INLINE ForceSum() : x(Real(0)), y(Real(0)), z(Real(0)) {}
  HWY_INLINE void add(const Rules&, const Numbers& force_over_r, const Vec3<Numbers>& separation,
                      const Numbers&, const Truth<Real>& in_range, Index) {
    const Numbers taken = force_over_r.where(in_range);
    x = taken.times_plus(separation.x, x);
    y = taken.times_plus(separation.y, y);
    z = taken.times_plus(separation.z, z);
  }
  HWY_INLINE void settle() {}
  HWY_INLINE void put(Results& results, std::size_t t) const { results.put(t, {x, y, z}); }
};

struct EnergySum {
  using Numbers = Lanes<double>;
  using Rules = TakesAll<double>;
  static constexpr bool is_of_forces = false;
  struct Results {
    Numbers energy[targets_of_a_row], virial[targets_of_a_row];
    HWY_INLINE Results() {}
    HWY_INLINE void store(RowEnergies& sums) const {
      sum_up(energy, sums.energy);
      sum_up(virial, sums.virial);
    }
  };

  Numbers energy, virial;

  HWY_INLINE EnergySum() : energy(0.0), virial(0.0) {}
  HWY_INLINE void add(const Rules&, const PairTerm<Numbers>& term, const Vec3<Numbers>&,
                      const Numbers& r2, const Truth<double>& in_range, Index) {
    energy += term.energy.where(in_range);
    virial = term.force_over_r.where(in_range).times_plus(r2, virial);
  }
  HWY_INLINE void settle() {}
  HWY_INLINE void put(Results& results, std::size_t t) const {
    results.energy[t] = energy;
    results.virial[t] = virial;
  }
};

struct PartnerSum {
  using Numbers = Lanes<double>;
  using Rules = TakesAll<double>;
  static constexpr bool is_of_forces = false;
  struct Results {
    Numbers count[targets_of_a_row];
    HWY_INLINE Results() {}
    HWY_INLINE void store(RowPartners& sums) const { sum_up(count, sums.count); }
  };

  Numbers count;

  HWY_INLINE PartnerSum() : count(0.0) {}
  HWY_INLINE void add(const Rules&, const Numbers&, const Vec3<Numbers>&, const Numbers&,
                      const Truth<double>& in_range, Index) {
    count += Numbers(1.0).where(in_range);
  }
  HWY_INLINE void settle() {}
  HWY_INLINE void put(Results& results, std::size_t t) const { results.count[t] = count; }
};

/// Whole numbers beside floats.
struct WholeNumbers {
  using Tag = hn::ScalableTag<std::int32_t>;

  hn::Vec<Tag> vector;

  HWY_INLINE WholeNumbers() : vector(hn::Zero(Tag())) {}
  HWY_INLINE void operator+=(const hn::Vec<Tag>& b) { vector = hn::Add(vector, b); }

  /// Lane upon lane in double, which holds them exactly.
  HWY_INLINE Lanes<double> in_double() const {
    const hn::ScalableTag<double> doubles;
#if HWY_TARGET == HWY_SCALAR
    return Lanes<double>(hn::PromoteTo(doubles, vector));
#else
    const hn::Half<Tag> half;
    return Lanes<double>(hn::Add(hn::PromoteTo(doubles, hn::LowerHalf(half, vector)),
                                 hn::PromoteTo(doubles, hn::UpperHalf(half, vector))));
#endif
  }
};

/// See FixedPoint. Who are nearer than the least distance are taken as if they were there, in the
/// direction in which they are, and corrected afterwards, should there be any.
template <bool several_types>
class FixedPointRules {
 public:
  using Numbers = Lanes<float>;
  static constexpr Index vectors_at_once = FixedPoint::pairs_at_once;
  static constexpr bool corrects_near = true;

  /// `spacing`: that separations are whole numbers of [sigma].
  HWY_INLINE FixedPointRules(const FixedPoint& fixed, std::int32_t types, double spacing)
      : fixed_(fixed),
        types_(types),
        per_square_(static_cast<float>(1.0 / (spacing * spacing))),
        nearest_squared_(Numbers(fixed.nearest_squared[0]) * per_square_) {}

  HWY_INLINE void set_target(const std::int32_t* type, Index target) {
    if constexpr (several_types) {
      type_ = type;
      target_ = type[target];
    }
  }
  HWY_INLINE Numbers nearest_squared(Index k) const {
    if constexpr (several_types) {
      const float* const row =
          fixed_.nearest_squared + std::ptrdiff_t{target_} * stride_of_types(types_);
      return SourceTypes<float>(type_ + k, types_)(row) * per_square_;
    } else {
      return nearest_squared_;
    }
  }
  HWY_INLINE Numbers at_least(const Numbers& r2, Index k) const {
    return greater(r2, nearest_squared(k));
  }
  /// The force of source k in double.
  template <LennardJonesForm form>
  Vec3<double> exactly(const Vec3<double>& separation, Index k) const {
    const std::ptrdiff_t pair = several_types ? std::ptrdiff_t{target_} * types_ + type_[k] : 0;
    const LennardJonesConstants<double>& constants = fixed_.exact[pair];
    const double r2 = dot(separation, separation);
    PairTerm<double> term = pencilbox::lennard_jones(constants, 1.0 / r2);
    if constexpr (form == LennardJonesForm::force_shifted) {
      pencilbox::shift_force(constants, r2, term);
    }
    return term.force_over_r * separation;
  }

 private:
  FixedPoint fixed_;
  std::int32_t types_;
  Numbers per_square_;       ///< of the spacing
  Numbers nearest_squared_;  ///< [spacings^2]
  const std::int32_t* type_ = nullptr;
  std::int32_t target_ = 0;
};

template <bool several_types>
struct FixedPointSum {
  using Numbers = Lanes<float>;
  using Rules = FixedPointRules<several_types>;
  static constexpr bool is_of_forces = true;
  using Results = ForcesOfTargets<double>;

  WholeNumbers x, y, z;                           ///< [quanta]
  Lanes<double> settled_x, settled_y, settled_z;  ///< of those before [quanta]
  Numbers least;                                  ///< of r^2 less its least value

  HWY_INLINE FixedPointSum() : settled_x(0.0), settled_y(0.0), settled_z(0.0), least(1.0F) {}

  HWY_INLINE void add(const Rules& rules, const Numbers& force_over_r,
                      const Vec3<Numbers>& separation, const Numbers& r2,
                      const Truth<float>& in_range, Index k) {
    least = lesser(least, r2 - rules.nearest_squared(k));
    const Numbers taken = force_over_r.where(in_range);
    x += nearest_whole(taken * separation.x);
    y += nearest_whole(taken * separation.y);
    z += nearest_whole(taken * separation.z);
  }
  HWY_INLINE void settle() {
    settled_x += x.in_double();
    settled_y += y.in_double();
    settled_z += z.in_double();
    x = y = z = WholeNumbers();
  }
  HWY_INLINE bool has_near() const { return least.is_below(Numbers(0.0F)).of_any(); }
  HWY_INLINE void put(Results& results, std::size_t t) const {
    results.put(t, {settled_x, settled_y, settled_z});
  }
};

}  // namespace pencilbox::host::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
