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
#include <cmath>
#include <cstddef>
#include <cstdint>
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
  PackedPosition<Real> word[count];
  std::ptrdiff_t row[count];    ///< see SeenSources
  Index number[count];          ///< among the sources
  PackedPosition<Real> origin;  ///< see tell_from_first()
};

/// Whole numbers of a word, less those of another, as floats. Returns whether all are below `most`.
HWY_INLINE bool tell_from(const PackedPosition<float>& origin, float most,
                          PackedPosition<float>& word) {
#if HWY_TARGET == HWY_SCALAR
  const auto tell = [most](float& number, float from) {
    const auto whole = std::bit_cast<std::int32_t>(number) - std::bit_cast<std::int32_t>(from);
    number = static_cast<float>(whole);
    return std::abs(number) < most;
  };
  const bool x = tell(word.position.x, origin.position.x);
  const bool y = tell(word.position.y, origin.position.y);
  const bool z = tell(word.position.z, origin.position.z);
  return x && y && z;
#else
  const hn::FixedTag<float, 4> floats;  // the fourth is the type, which is the same
  const hn::RebindToSigned<decltype(floats)> whole;
  const auto bits = [&](const PackedPosition<float>& of) {
    return hn::BitCast(whole, hn::LoadU(floats, &of.position.x));
  };
  const auto told = hn::ConvertTo(floats, hn::Sub(bits(word), bits(origin)));
  hn::StoreU(told, floats, &word.position.x);
  return hn::AllTrue(floats, hn::Lt(hn::Abs(told), hn::Set(floats, most)));
#endif
}

template <int count>
using EachTarget = std::make_index_sequence<static_cast<std::size_t>(count)>;

/// `Real` is the arithmetic of pairs, `Pairs` what they do (pairs-inl.hpp). Separations are in
/// sigma, or in whole numbers of their spacing.
template <class Real, Digits digits, bool several_types, class Pairs>
class TargetsAndSources {
 public:
  using Numbers = Lanes<Real>;

  TargetsAndSources(const GridView<double>& grid, const Pairs& pairs, std::int32_t types)
      : TargetsAndSources(pairs, types, square_of(far_from_all<Real, digits>(grid))) {}

  const Pairs& pairs() const { return pairs_; }
  /// The same of whole numbers, whoever tells them from where.
  auto in_whole() const {
    constexpr Digits told = are_whole(digits) ? Digits::whole : digits;
    return TargetsAndSources<Real, told, several_types, Pairs>(pairs_, types_, far_squared_);
  }
  TargetsAndSources(const Pairs& pairs, std::int32_t types, Real far_squared)
      : pairs_(pairs), types_(types), far_squared_(far_squared) {
    if constexpr (digits == Digits::whole_in_floats) {
      constexpr double largest_float = 1 << 24, margin = 64;
      farthest_target_ = static_cast<float>(largest_float - margin - pairs.reach());
    }
  }

  template <int count>
  HWY_INLINE void set(Targets<Real, count>& targets, int t, const PackedPosition<Real>& word,
                      Index number) const {
    targets.word[t] = word;
    targets.row[t] = several_types ? word.type * std::ptrdiff_t{stride_of_types(types_)} : 0;
    targets.number[t] = number;
  }

  /// Targets as floats, told from where the first is, if these are so. Returns whether floats hold
  /// them and all whom they see.
  template <int count>
  HWY_INLINE bool tell_from_first(Targets<Real, count>& targets) const {
    bool are_near = true;
    if constexpr (digits == Digits::whole_in_floats) {
      targets.origin = targets.word[0];
      for (int t = 0; t < count; ++t) {
        are_near &= tell_from(targets.origin, farthest_target_, targets.word[t]);
      }
    }
    return are_near;
  }
  /// Sources from there.
  template <class Sources, int count>
  HWY_INLINE Sources told(Sources sources, const Targets<Real, count>& targets) const {
    if constexpr (digits == Digits::whole_in_floats) {
      const Vec3<Real>& origin = targets.origin.position;
      sources.position = {difference(sources.position.x, Numbers(origin.x)),
                          difference(sources.position.y, Numbers(origin.y)),
                          difference(sources.position.z, Numbers(origin.z))};
    }
    return sources;
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
      const hn::CappedTag<Accumulator, targets_of_a_row> tag;
      for (std::size_t t = 0; t < targets_of_a_row; t += hn::MaxLanes(tag)) {
        Accumulator* const at = sum->data() + t;
        hn::StoreU(hn::Mul(hn::LoadU(tag, at), hn::Set(tag, unit)), tag, at);
      }
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
    const Vec3<Real>& target = targets.word[t].position;
    const Vec3<Numbers> separation = {between(target.x, sources.position.x),
                                      between(target.y, sources.position.y),
                                      between(target.z, sources.position.z)};
    Numbers r2 = square(separation);
    if constexpr (with_itself) {
      r2 = r2.or_at(targets.number[t] - k, Numbers(far_squared_));
    }
    return {separation, r2, pairs_.inverse(r2)};
  }

  HWY_INLINE static Numbers between(Real target, const Numbers& sources) {
    if constexpr (digits == Digits::whole) {
      return difference(Numbers(target), sources);
    } else {
      return Numbers(target) - sources;
    }
  }
  HWY_INLINE static Numbers difference(const Numbers& a, const Numbers& b) {
    const hn::RebindToSigned<typename Numbers::Tag> whole;
    const auto less = hn::Sub(hn::BitCast(whole, a.vector), hn::BitCast(whole, b.vector));
    return Numbers(hn::ConvertTo(typename Numbers::Tag(), less));
  }
  static Real square_of(Real staged) {
    if constexpr (are_whole(digits)) {
      staged = static_cast<Real>(std::bit_cast<std::int32_t>(staged));
    }
    return staged * staged;
  }
  HWY_INLINE static Numbers square(const Vec3<Numbers>& r) {
    return r.x.times_plus(r.x, r.y.times_plus(r.y, r.z * r.z));
  }

  Pairs pairs_;
  std::int32_t types_;
  Real far_squared_;              ///< farther than anybody who is in range
  float farthest_target_ = 0.0F;  ///< from the first, such that floats hold its sources, too
};

}  // namespace pencilbox::host::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
