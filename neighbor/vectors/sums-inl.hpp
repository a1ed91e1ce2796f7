// What is summed over the sources of a target, a vector of them at a time. Included once for each
// instruction set.
#if defined(PENCILBOX_SUMS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef PENCILBOX_SUMS_INL
#undef PENCILBOX_SUMS_INL
#else
#define PENCILBOX_SUMS_INL
#endif

#include <array>
#include <cstddef>
#include <cstdint>

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

// A sum of one target lives in registers while the target's row passes by. What it has to know is
// its rules; where the four sums of a row wait to be summed up, its results. (Constructors are
// spelt out: what is defaulted is not compiled for this instruction set.)

/// A vector of sources as a target sees it. `row`: where numbers of the target's type begin.
template <class Real, bool several_types>
struct SeenSources {
  using Types = TypesOfSources<Real, several_types>;

  const Vec3<Lanes<Real>>& separation;
  const Lanes<Real>& r2;
  const Lanes<Real>& inverse;  ///< of r2, as pairs make it
  std::ptrdiff_t row;
  const Types& types;

  template <class Pairs>
  HWY_INLINE Truth<Real> in_range(const Pairs& pairs) const {
    return pairs.in_range(r2, row, types);
  }
  template <class Pairs>
  HWY_INLINE auto evaluated(const Pairs& pairs) const {
    return pairs(inverse, r2, row, types);
  }
};

/// What the sources of a vector have from their targets, where somebody sums that up.
struct NoReaction {
  template <class... Taken>
  HWY_INLINE void take(const Taken&...) {}
  template <class Exact>
  HWY_INLINE void correct(Index, const Exact&) {}
};

/// The rules of sums that take every source as it comes.
struct TakesAll {
  /// A sum settles what it has after so many vectors of sources.
  static constexpr Index vectors_at_once = 1 << 24;
  static constexpr bool may_miss_near = false;
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
  using Rules = TakesAll;
  using Results = ForcesOfTargets<Real>;

  Numbers x, y, z;

  HWY_INLINE ForceSum() : x(Real(0)), y(Real(0)), z(Real(0)) {}
  template <class Pairs, class Seen, class Reaction>
  HWY_INLINE void add(const Pairs& pairs, const Rules&, const Seen& seen, Reaction& reaction) {
    const Numbers taken = seen.evaluated(pairs).where(seen.in_range(pairs));
    x = taken.times_plus(seen.separation.x, x);
    y = taken.times_plus(seen.separation.y, y);
    z = taken.times_plus(seen.separation.z, z);
    reaction.take(taken, seen.separation);
  }
  HWY_INLINE void settle() {}
  HWY_INLINE void put(Results& results, std::size_t t) const { results.put(t, {x, y, z}); }
};

/// What a vector of sources has from its targets; its sign is theirs.
template <class Real>
struct ForceReaction {
  using Number = Real;
  Lanes<Real> x, y, z;

  HWY_INLINE ForceReaction() : x(Real(0)), y(Real(0)), z(Real(0)) {}
  HWY_INLINE void take(const Lanes<Real>& taken, const Vec3<Lanes<Real>>& separation) {
    x = taken.times_plus(separation.x, x);
    y = taken.times_plus(separation.y, y);
    z = taken.times_plus(separation.z, z);
  }
};

struct EnergySum {
  using Numbers = Lanes<double>;
  using Rules = TakesAll;
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
  template <class Pairs, class Seen>
  HWY_INLINE void add(const Pairs& pairs, const Rules&, const Seen& seen, NoReaction&) {
    const PairTerm<Numbers> term = seen.evaluated(pairs);
    const Truth<double> in_range = seen.in_range(pairs);
    energy += term.energy.where(in_range);
    virial = term.force_over_r.where(in_range).times_plus(seen.r2, virial);
  }
  HWY_INLINE void settle() {}
  HWY_INLINE void put(Results& results, std::size_t t) const {
    results.energy[t] = energy;
    results.virial[t] = virial;
  }
};

struct PartnerSum {
  using Numbers = Lanes<double>;
  using Rules = TakesAll;
  struct Results {
    Numbers count[targets_of_a_row];
    HWY_INLINE Results() {}
    HWY_INLINE void store(RowPartners& sums) const { sum_up(count, sums.count); }
  };

  Numbers count;

  HWY_INLINE PartnerSum() : count(0.0) {}
  template <class Pairs, class Seen>
  HWY_INLINE void add(const Pairs& pairs, const Rules&, const Seen& seen, NoReaction&) {
    count += Numbers(1.0).where(seen.in_range(pairs));
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

/// The sums of one target in whole numbers. (See FixedPoint.)
struct WholeForces {
  WholeNumbers x, y, z;                           ///< [quanta]
  Lanes<double> settled_x, settled_y, settled_z;  ///< of those before [quanta]

  HWY_INLINE WholeForces() : settled_x(0.0), settled_y(0.0), settled_z(0.0) {}
  HWY_INLINE void settle() {
    settled_x += x.in_double();
    settled_y += y.in_double();
    settled_z += z.in_double();
    x = y = z = WholeNumbers();
  }
  HWY_INLINE void put(ForcesOfTargets<double>& results, std::size_t t) const {
    results.put(t, {settled_x, settled_y, settled_z});
  }
};

struct WholeReaction {
  using Number = std::int32_t;
  WholeNumbers x, y, z;  ///< [quanta]

  HWY_INLINE WholeReaction() {}
  HWY_INLINE void take(const WholeLanes& of_x, const WholeLanes& of_y, const WholeLanes& of_z) {
    x += of_x;
    y += of_y;
    z += of_z;
  }
};

template <bool several_types>
class FixedPointRules {
 public:
  using Numbers = Lanes<float>;
  using Types = TypesOfSources<float, several_types>;
  static constexpr Index vectors_at_once = FixedPoint::pairs_at_once;
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

/// Where nobody is nearer than the least distance, which it watches: what it sums is of no use
/// where somebody was.
template <bool several_types>
struct FixedPointSum : WholeForces {
  using Numbers = Lanes<float>;
  using Rules = FixedPointRules<several_types>;
  using Results = ForcesOfTargets<double>;

  Numbers least;  ///< margin

  HWY_INLINE FixedPointSum() : least(1e38F) {}
  template <class Pairs, class Seen, class Reaction>
  HWY_INLINE void add(const Pairs& pairs, const Rules& rules, const Seen& seen,
                      Reaction& reaction) {
    least = lesser(least, rules.margin(seen.r2, seen.row, seen.types));
    const Numbers taken = seen.evaluated(pairs).where(seen.in_range(pairs));
    const WholeLanes of_x = nearest_whole(taken * seen.separation.x);
    const WholeLanes of_y = nearest_whole(taken * seen.separation.y);
    const WholeLanes of_z = nearest_whole(taken * seen.separation.z);
    x += of_x;
    y += of_y;
    z += of_z;
    reaction.take(of_x, of_y, of_z);
  }
  HWY_INLINE bool has_near(const Rules& rules) const {
    return least.is_below(rules.least_margin()).of_any();
  }
};

/// Who are nearer than the least distance are taken as if they were there, in the direction in
/// which they are, and what they do in double less that is added apart.
template <bool several_types>
struct FixedPointSumOfNear : WholeForces {
  using Numbers = Lanes<float>;
  using Rules = FixedPointRules<several_types>;
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
    const WholeLanes of_x = nearest_whole(taken * seen.separation.x);
    const WholeLanes of_y = nearest_whole(taken * seen.separation.y);
    const WholeLanes of_z = nearest_whole(taken * seen.separation.z);
    x += of_x;
    y += of_y;
    z += of_z;
    reaction.take(of_x, of_y, of_z);
    const Truth<float> is_near = seen.r2.is_below(nearest_squared) & in_range;
    if (is_near.of_any()) correct(pairs, rules, seen, is_near, {of_x, of_y, of_z}, reaction);
  }

 private:
  template <class Pairs, class Seen, class Reaction>
  HWY_NOINLINE void correct(const Pairs& pairs, const Rules& rules, const Seen& seen,
                            const Truth<float>& is_near, const WholeLanes (&taken)[3],
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
    for (int k = 0; k < 3; ++k) hn::StoreU(taken[k], WholeNumbers::Tag(), summed[k]);
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
