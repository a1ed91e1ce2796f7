// Forces in floats that are summed as whole numbers of quanta: exact in any order, so that those of
// a pair cancel to the last bit. Included once for each instruction set.
// docs/decisions/0029-whole-quanta-of-force.md
#if defined(PENCILBOX_WHOLE_SUMS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef PENCILBOX_WHOLE_SUMS_INL
#undef PENCILBOX_WHOLE_SUMS_INL
#else
#define PENCILBOX_WHOLE_SUMS_INL
#endif

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include <hwy/highway.h>

#include "neighbor/vectors/lanes-inl.hpp"
#include "neighbor/vectors/pairs-inl.hpp"
#include "neighbor/vectors/rows.hpp"
#include "neighbor/vectors/sums-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace pencilbox::host::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// Whole numbers beside floats.
struct WholeNumbers {
  using Tag = hn::ScalableTag<std::int32_t>;

  hn::Vec<Tag> vector;

  HWY_INLINE WholeNumbers() : vector(hn::Zero(Tag())) {}
  HWY_INLINE void operator+=(const hn::Vec<Tag>& b) { vector = hn::Add(vector, b); }
  HWY_INLINE WholeNumbers less(std::int32_t b) const {
    WholeNumbers result;
    result.vector = hn::Sub(vector, hn::Set(Tag(), b));
    return result;
  }

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

// How the product of a force over r and a separation becomes a whole number of quanta: the same
// with the other sign for the other particle of the pair.

struct ToTheNearest {
  static constexpr QuantaLimits limits = QuantaLimits::fine();
  static constexpr std::int32_t of_nothing = 0;

  HWY_INLINE static WholeLanes product(const Lanes<float>& a, const Lanes<float>& b) {
    return nearest_whole(a * b);
  }
};

/// By the one operation that multiplies it out and adds an anchor, so large that its last bit is a
/// quantum; the bits of the result are those of the anchor and so many quanta more.
struct ByAnAnchor {
  static constexpr QuantaLimits limits = QuantaLimits::by_anchor();
  static constexpr float anchor = 3 << 22;
  static constexpr std::int32_t of_nothing = std::bit_cast<std::int32_t>(anchor);

  HWY_INLINE static WholeLanes product(const Lanes<float>& a, const Lanes<float>& b) {
    return hn::BitCast(WholeNumbers::Tag(), a.times_plus(b, Lanes<float>(anchor)).vector);
  }
};

/// What so many products of nothing sum up to, modulo 2^32 as everything does.
template <class Rounding>
constexpr std::int32_t sum_of_nothing(Index products) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(products) *
                                   static_cast<std::uint32_t>(Rounding::of_nothing));
}

/// A force over r and a separation, multiplied out.
template <class Rounding>
struct WholeProducts {
  WholeLanes x, y, z;

  HWY_INLINE WholeProducts(const Lanes<float>& over_r, const Vec3<Lanes<float>>& separation)
      : x(Rounding::product(over_r, separation.x)),
        y(Rounding::product(over_r, separation.y)),
        z(Rounding::product(over_r, separation.z)) {}
};

/// Sums of them.
struct WholeVector {
  WholeNumbers x, y, z;  ///< [quanta]

  HWY_INLINE WholeVector() {}
  template <class Products>
  HWY_INLINE void operator+=(const Products& products) {
    x += products.x;
    y += products.y;
    z += products.z;
  }
};

/// The sums of one target in whole numbers. (See FixedPoint.) They settle what they have in
/// doubles, which hold it exactly.
template <class Rounding>
struct WholeForces : WholeVector {
  Lanes<double> settled_x, settled_y, settled_z;  ///< of those before [quanta]

  HWY_INLINE WholeForces() : settled_x(0.0), settled_y(0.0), settled_z(0.0) {}
  HWY_INLINE void settle(Index vectors) {
    const std::int32_t nothing = sum_of_nothing<Rounding>(vectors);
    settled_x += x.less(nothing).in_double();
    settled_y += y.less(nothing).in_double();
    settled_z += z.less(nothing).in_double();
    x = y = z = WholeNumbers();
  }
  HWY_INLINE void put(ForcesOfTargets<double>& results, std::size_t t) const {
    results.put(t, {settled_x, settled_y, settled_z});
  }
};

struct WholeReaction : WholeVector {
  using Number = std::int32_t;

  HWY_INLINE WholeReaction() {}
  template <class Products>
  HWY_INLINE void take(const Products& products) {
    *this += products;
  }
};

template <bool several_types, class Rounding>
class FixedPointRules {
 public:
  using Numbers = Lanes<float>;
  using Types = TypesOfSources<float, several_types>;
  /// Of sums over one lane.
  static constexpr Index vectors_at_once = Rounding::limits.pairs_of_a_lane;
  static constexpr bool may_miss_near = true;

  /// `spacing`: that separations are whole numbers of [sigma].
  HWY_INLINE FixedPointRules(const FixedPoint& fixed, std::int32_t types, double spacing)
      : fixed_(fixed),
        types_(types),
        per_square_(static_cast<float>(1.0 / (spacing * spacing))),
        nearest_squared_(Numbers(fixed.nearest_squared[0]) * per_square_) {}

  HWY_INLINE Numbers nearest_squared(std::ptrdiff_t row, const Types& types) const {
    if constexpr (several_types) {
      return types(fixed_.nearest_squared + row) * per_square_;
    } else {
      return nearest_squared_;
    }
  }
  /// What has to be at least least_margin() for a source that is not too near.
  HWY_INLINE Numbers margin(const Numbers& r2, std::ptrdiff_t row, const Types& types) const {
    if constexpr (several_types) {
      return r2 - nearest_squared(row, types);
    } else {
      return r2;
    }
  }
  HWY_INLINE Numbers least_margin() const {
    return several_types ? Numbers(0.0F) : nearest_squared_;
  }

  /// The force of a source in double.
  template <LennardJonesForm form>
  Vec3<double> exactly(const Vec3<double>& separation, std::ptrdiff_t row,
                       std::int32_t type) const {
    const std::ptrdiff_t pair = row / stride_of_types(types_) * types_ + type;
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
};

/// How near anybody came.
struct NearestMet {
  Lanes<float> least;  ///< margin

  HWY_INLINE NearestMet() : least(1e38F) {}
  HWY_INLINE void note(const Lanes<float>& margin) { least = lesser(least, margin); }
  template <class Rules>
  HWY_INLINE bool has_near(const Rules& rules) const {
    return least.is_below(rules.least_margin()).of_any();
  }
};

/// Where nobody is nearer than the least distance, which it watches: what it sums is of no use
/// where somebody was.
template <bool several_types, class Rounding>
struct FixedPointSum : WholeForces<Rounding> {
  using Numbers = Lanes<float>;
  using Rules = FixedPointRules<several_types, Rounding>;
  using Results = ForcesOfTargets<double>;

  NearestMet nearest;

  HWY_INLINE FixedPointSum() {}
  template <class Pairs, class Seen, class Reaction>
  HWY_INLINE void add(const Pairs& pairs, const Rules& rules, const Seen& seen,
                      Reaction& reaction) {
    nearest.note(rules.margin(seen.r2, seen.row, seen.types));
    const Numbers taken = seen.evaluated(pairs).where(seen.in_range(pairs));
    const WholeProducts<Rounding> products(taken, seen.separation);
    *this += products;
    reaction.take(products);
  }
  HWY_INLINE bool has_near(const Rules& rules) const { return nearest.has_near(rules); }
};

/// By an anchor, of which a number of 32 bits holds the sum over a vector's lanes, too. Somebody
/// who is too near is so rare that the row notes it, not each target.
struct AnchoredSum : WholeVector {
  using Numbers = Lanes<float>;
  using Rules = FixedPointRules<false, ByAnAnchor>;

  HWY_INLINE AnchoredSum() {}
  template <class Pairs, class Seen>
  HWY_INLINE void add(const Pairs& pairs, const Rules& rules, const Seen& seen,
                      NearestMet& by_the_row) {
    by_the_row.note(rules.margin(seen.r2, seen.row, seen.types));
    const Numbers taken = seen.evaluated(pairs).where(seen.in_range(pairs));
    *this += WholeProducts<ByAnAnchor>(taken, seen.separation);
  }
};

/// What is settled goes straight to where the row's sums are wanted.
template <>
class SumsOfRow<AnchoredSum> {
 public:
  static constexpr Index vectors_at_once = ByAnAnchor::limits.pairs_of_a_lane / Lanes<float>::count;

  AnchoredSum of[targets_of_a_row];
  NearestMet of_row;

  HWY_INLINE explicit SumsOfRow(RowForces<double>& to) : to_(to) { to_ = {}; }
  HWY_INLINE void settle(Index vectors) {
    const std::int32_t nothing =
        sum_of_nothing<ByAnAnchor>(vectors * static_cast<Index>(Lanes<float>::count));
    settle(&WholeVector::x, nothing, to_.x);
    settle(&WholeVector::y, nothing, to_.y);
    settle(&WholeVector::z, nothing, to_.z);
  }
  template <class Rules>
  HWY_INLINE unsigned finish(const Rules& rules, const RowForces<double>&) const {
    return of_row.has_near(rules) ? every_target : 0;
  }

 private:
  HWY_INLINE void settle(WholeNumbers WholeVector::*component, std::int32_t nothing,
                         std::array<double, targets_of_a_row>& to) {
    Lanes<std::int32_t> each[targets_of_a_row];
    for (std::size_t t = 0; t < targets_of_a_row; ++t) {
      each[t] = Lanes<std::int32_t>((of[t].*component).vector);
      of[t].*component = WholeNumbers();
    }
    std::array<std::int32_t, targets_of_a_row> sums;
    sum_up(each, sums);
    const hn::CappedTag<double, targets_of_a_row> doubles;
    const hn::Rebind<std::int32_t, decltype(doubles)> words;
    for (std::size_t t = 0; t < targets_of_a_row; t += hn::MaxLanes(doubles)) {
      const auto quanta = hn::Sub(hn::LoadU(words, sums.data() + t), hn::Set(words, nothing));
      const auto before = hn::LoadU(doubles, to.data() + t);
      hn::StoreU(hn::Add(before, hn::PromoteTo(doubles, quanta)), doubles, to.data() + t);
    }
  }

  RowForces<double>& to_;
};

/// Who are nearer than the least distance are taken as if they were there, in the direction in
/// which they are, and what they do in double less that is added apart.
template <bool several_types, class Rounding>
struct FixedPointSumOfNear : WholeForces<Rounding> {
  using Numbers = Lanes<float>;
  using Rules = FixedPointRules<several_types, Rounding>;
  using Results = ForcesOfTargets<double>;

  Vec3<double> correction;  ///< [epsilon/sigma]

  HWY_INLINE FixedPointSumOfNear() {}
  template <class Pairs, class Seen, class Reaction>
  HWY_INLINE void add(const Pairs& pairs, const Rules& rules, const Seen& seen,
                      Reaction& reaction) {
    const Numbers nearest_squared = rules.nearest_squared(seen.row, seen.types);
    const Truth<float> in_range = seen.in_range(pairs);
    const Numbers r2 = greater(seen.r2, nearest_squared);
    const Numbers taken = pairs(pairs.inverse(r2), r2, seen.row, seen.types).where(in_range);
    const WholeProducts<Rounding> products(taken, seen.separation);
    *this += products;
    reaction.take(products);
    const Truth<float> is_near = seen.r2.is_below(nearest_squared) & in_range;
    if (is_near.of_any()) correct(pairs, rules, seen, is_near, products, reaction);
  }

 private:
  template <class Pairs, class Seen, class Reaction>
  HWY_NOINLINE void correct(const Pairs& pairs, const Rules& rules, const Seen& seen,
                            const Truth<float>& is_near, const WholeProducts<Rounding>& taken,
                            Reaction& reaction) {
    constexpr Index lanes = Numbers::count;
    const typename Numbers::Tag tag;
    std::uint8_t bits[8] = {};
    hn::StoreMaskBits(tag, is_near.mask, bits);
    float separation[3][lanes];
    hn::StoreU(seen.separation.x.vector, tag, separation[0]);
    hn::StoreU(seen.separation.y.vector, tag, separation[1]);
    hn::StoreU(seen.separation.z.vector, tag, separation[2]);
    std::int32_t summed[3][lanes], type[lanes] = {};
    const auto nothing = hn::Set(WholeNumbers::Tag(), Rounding::of_nothing);
    hn::StoreU(hn::Sub(taken.x, nothing), WholeNumbers::Tag(), summed[0]);
    hn::StoreU(hn::Sub(taken.y, nothing), WholeNumbers::Tag(), summed[1]);
    hn::StoreU(hn::Sub(taken.z, nothing), WholeNumbers::Tag(), summed[2]);
    if constexpr (several_types) seen.types.store(type);
    for (Index lane = 0; lane < lanes; ++lane) {
      if ((bits[lane / 8] >> lane % 8 & 1) == 0) continue;
      const auto in_double = [lane](double unit, const auto& of) {
        return unit * Vec3<double>{double(of[0][lane]), double(of[1][lane]), double(of[2][lane])};
      };
      const Vec3<double> exact = rules.template exactly<Pairs::form_of_pairs>(
          in_double(pairs.length(), separation), seen.row, type[lane]);
      const Vec3<double> beyond = exact - in_double(pairs.unit(), summed);
      correction += beyond;
      reaction.correct(lane, beyond);
    }
  }
};

}  // namespace pencilbox::host::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
