// Some targets and a vector of sources after another: what these do to each. Included once for each
// instruction set.
#if defined(PENCILBOX_TARGETS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef PENCILBOX_TARGETS_INL
#undef PENCILBOX_TARGETS_INL
#else
#define PENCILBOX_TARGETS_INL
#endif

#include <algorithm>
#include <bit>
#include <cstddef>
#include <type_traits>
#include <utility>

#include <hwy/highway.h>

#include "neighbor/vectors/lanes-inl.hpp"
#include "neighbor/vectors/pairs-inl.hpp"
#include "neighbor/vectors/stage-inl.hpp"
#include "neighbor/vectors/sums-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace pencilbox::host::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <class Real, int count>
struct Targets {
  Real x[count], y[count], z[count];
  std::ptrdiff_t row[count];  ///< see SeenSources
  Index number[count];        ///< among the sources
};

template <int count>
using EachTarget = std::make_index_sequence<static_cast<std::size_t>(count)>;

/// `Real` is the arithmetic of pairs, `Pairs` what they do (pairs-inl.hpp). Separations are in
/// sigma, or in whole numbers of their spacing.
template <class Real, Digits digits, bool several_types, class Pairs>
class TargetsAndSources {
 public:
  using Numbers = Lanes<Real>;

  TargetsAndSources(const GridView<double>& grid, const Pairs& pairs, std::int32_t types)
      : pairs_(pairs), types_(types), far_squared_(square_of(far_from_all<Real, digits>(grid))) {}

  const Pairs& pairs() const { return pairs_; }

  template <int count>
  HWY_INLINE void set(Targets<Real, count>& targets, int t, const PackedPosition<Real>& word,
                      Index number) const {
    targets.x[t] = word.position.x;
    targets.y[t] = word.position.y;
    targets.z[t] = word.position.z;
    targets.row[t] = several_types ? word.type * std::ptrdiff_t{stride_of_types(types_)} : 0;
    targets.number[t] = number;
  }

  /// To the sum of each target what it has from the sources, and to `reaction` what these have from
  /// all. `with_itself`: a target may be one of the sources, which begin with number k. Returns
  /// what is done `meanwhile`: the next sources are fetched before the last target is finished.
  template <bool with_itself, class Sources, class Sum, int count, class Reaction, class Meanwhile,
            std::size_t... each>
  HWY_INLINE auto add(const Sources& sources, Index k, const Targets<Real, count>& targets,
                      const typename Sum::Rules& rules, Sum (&sums)[count], Reaction& reaction,
                      const Meanwhile& meanwhile, std::index_sequence<each...>) const {
    auto begun = begin<with_itself>(sources, k, targets, 0);
    // Each before the one in front of it is finished: a division takes long.
    const auto add_one = [&](int t) {
      const auto next = begin<with_itself>(sources, k, targets, std::min(t + 1, count - 1));
      const SeenSources<Real, several_types> seen{begun.separation, begun.r2, begun.inverse,
                                                  targets.row[t], sources.types};
      sums[t].add(pairs_, rules, seen, reaction);
      begun = next;
    };
    const auto next = meanwhile();
    (add_one(static_cast<int>(each)), ...);
    return next;
  }

  /// From the units of pairs to those of everybody.
  template <class Accumulator>
  void to_sigma_and_epsilon(RowForces<Accumulator>& sums) const {
    const auto unit = static_cast<Accumulator>(pairs_.unit());
    for (auto* sum : {&sums.x, &sums.y, &sums.z}) {
      for (Accumulator& of_target : *sum) of_target *= unit;
    }
  }

 private:
  struct Begun {
    Vec3<Numbers> separation;
    Numbers r2, inverse;
  };

  template <bool with_itself, class Sources, int count>
  HWY_INLINE Begun begin(const Sources& sources, Index k, const Targets<Real, count>& targets,
                         int t) const {
    const Vec3<Numbers> separation = {between(targets.x[t], sources.position.x),
                                      between(targets.y[t], sources.position.y),
                                      between(targets.z[t], sources.position.z)};
    Numbers r2 = square(separation);
    if constexpr (with_itself) {
      r2 = r2.or_at(targets.number[t] - k, Numbers(far_squared_));
    }
    return {separation, r2, pairs_.inverse(r2)};
  }

  HWY_INLINE static Numbers between(Real target, const Numbers& sources) {
    if constexpr (digits == Digits::whole) {
      const hn::RebindToSigned<typename Numbers::Tag> whole;
      const auto difference =
          hn::Sub(hn::BitCast(whole, Numbers(target).vector), hn::BitCast(whole, sources.vector));
      return Numbers(hn::ConvertTo(typename Numbers::Tag(), difference));
    } else {
      return Numbers(target) - sources;
    }
  }
  static Real square_of(Real staged) {
    if constexpr (digits == Digits::whole) {
      staged = static_cast<Real>(std::bit_cast<std::int32_t>(staged));
    }
    return staged * staged;
  }
  HWY_INLINE static Numbers square(const Vec3<Numbers>& r) {
    return r.x.times_plus(r.x, r.y.times_plus(r.y, r.z * r.z));
  }

  Pairs pairs_;
  std::int32_t types_;
  Real far_squared_;  ///< farther than anybody who is in range
};

}  // namespace pencilbox::host::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
