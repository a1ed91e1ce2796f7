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
  HWY_INLINE void settle(Index) {}
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
  HWY_INLINE void settle(Index) {}
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
  HWY_INLINE void settle(Index) {}
  HWY_INLINE void put(Results& results, std::size_t t) const { results.count[t] = count; }
};

/// Of targets, a bit each.
inline constexpr unsigned every_target = (1U << targets_of_a_row) - 1;

/// The sums of a row's targets.
template <class Sum>
class SumsOfRow {
 public:
  static constexpr Index vectors_at_once = Sum::Rules::vectors_at_once;

  Sum of[targets_of_a_row];
  NoReaction of_row;  ///< what all of them note

  template <class Sums>
  HWY_INLINE explicit SumsOfRow(Sums&) {}
  HWY_INLINE void settle(Index vectors) {
    for (Sum& sum : of) sum.settle(vectors);
  }
  /// Returns a bit for each target that somebody was too near to.
  template <class Rules, class Sums>
  HWY_INLINE unsigned finish(const Rules& rules, Sums& to) const {
    typename Sum::Results results;
    unsigned have_near = 0;
    for (std::size_t t = 0; t < targets_of_a_row; ++t) {
      of[t].put(results, t);
      if constexpr (Rules::may_miss_near) have_near |= unsigned{of[t].has_near(rules)} << t;
    }
    results.store(to);
    return have_near;
  }
};

}  // namespace pencilbox::host::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
