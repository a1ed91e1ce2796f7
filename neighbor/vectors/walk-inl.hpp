// Walks rows: what a target's sources do to it, a vector of them at a time. Included once for each
// instruction set.
#if defined(PENCILBOX_WALK_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef PENCILBOX_WALK_INL
#undef PENCILBOX_WALK_INL
#else
#define PENCILBOX_WALK_INL
#endif

#include <algorithm>
#include <array>
#include <bit>
#include <type_traits>
#include <utility>

#include <hwy/cache_control.h>

#include "neighbor/vectors/gather-inl.hpp"
#include "neighbor/vectors/lanes-inl.hpp"
#include "neighbor/vectors/pairs-inl.hpp"
#include "neighbor/vectors/stage-inl.hpp"
#include "neighbor/vectors/sums-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace pencilbox::host::HWY_NAMESPACE {

/// The rows of one pencil. `Real` is the arithmetic of pairs, `Pairs` what they do (pairs-inl.hpp).
/// Separations are in sigma, or in whole numbers of their spacing.
template <class Real, Digits digits, bool several_types, class Pairs>
class RowWalk {
 public:
  using Numbers = Lanes<Real>;
  static constexpr Index lanes = Numbers::count;

  template <class State>
  RowWalk(const PlacedParticles<State>& particles, const Pairs& pairs, std::int32_t types,
          const Pencil& pencil, RowScratch& scratch)
      : staged_(scratch.in<Real>().staged),
        pairs_(pairs),
        types_(types),
        far_squared_(square_of(far_from_all<Real, digits>(particles.grid))) {
    stage<digits>(particles, NeighborhoodLayout(particles, pencil), staged_);
  }

  /// Sums of all rows. `SumOfNear`: for rows with somebody who is too near for `Sum`.
  template <class Sum, class SumOfNear, class Sums>
  HWY_INLINE void operator()(const RowsOfPencil& rows, const typename Sum::Rules& rules,
                             Sums* sums) const {
    for (Index row = 0; row < rows.count; ++row) {
      if (row + 1 < rows.count) prefetch(rows.row(row + 1), rows.targets[row + 1]);
      sum_row<Sum, SumOfNear>({rows.row(row), rows.targets[row]}, rules, sums[row]);
    }
  }

 private:
  struct Row {
    const RowEntry* entries;
    const RowTargets& targets;

    Index end() const { return targets_of_a_row + targets.length; }
  };

  /// Some of a row's targets.
  template <int count>
  struct Targets {
    Real x[count], y[count], z[count];
    std::ptrdiff_t row[count];  ///< see SeenSources
    Index number[count];        ///< of the four
  };

  template <int count>
  using EachTarget = std::make_index_sequence<static_cast<std::size_t>(count)>;

  /// Lists lie far away.
  HWY_INLINE static void prefetch(const RowEntry* row, const RowTargets& targets) {
    constexpr Index of_a_cache_line = 64 / sizeof(RowEntry);
    for (Index k = 0; k < targets.length + targets_of_a_row; k += of_a_cache_line) {
      hwy::Prefetch(row + k);
    }
  }

  template <class Sum, class SumOfNear, class Sums>
  HWY_INLINE void sum_row(const Row& row, const typename Sum::Rules& rules, Sums& to) const {
    constexpr int count = targets_of_a_row;
    Sum sums[count];
    add_row(row, targets_of<count>(row, 0), rules, sums, EachTarget<count>());
    typename Sum::Results results;
    unsigned have_near = 0;  // bit t: somebody was too near to target t
    for (std::size_t t = 0; t < count; ++t) {
      sums[t].put(results, t);
      if constexpr (Sum::Rules::may_miss_near) have_near |= unsigned{sums[t].has_near(rules)} << t;
    }
    results.store(to);
    if constexpr (Pairs::are_forces) to_sigma_and_epsilon(to);
    if constexpr (Sum::Rules::may_miss_near) {
      for (Index t = 0; t < row.targets.count && have_near >> t != 0; ++t) {
        if ((have_near >> t & 1U) != 0) sum_with_near<SumOfNear>(row, t, rules, to);
      }
    }
  }

  /// One target once more.
  template <class SumOfNear, class Accumulator>
  HWY_NOINLINE void sum_with_near(const Row& row, Index target,
                                  const typename SumOfNear::Rules& rules,
                                  RowForces<Accumulator>& to) const {
    SumOfNear sum[1];
    add_row(row, targets_of<1>(row, target), rules, sum, EachTarget<1>());
    typename SumOfNear::Results results;
    for (std::size_t t = 0; t < targets_of_a_row; ++t) sum[0].put(results, t);
    RowForces<Accumulator> of_four;
    results.store(of_four);
    to_sigma_and_epsilon(of_four);
    const auto t = static_cast<std::size_t>(target);
    to.x[t] = of_four.x[t] + sum[0].correction.x;
    to.y[t] = of_four.y[t] + sum[0].correction.y;
    to.z[t] = of_four.z[t] + sum[0].correction.z;
  }

  /// Who are missing repeat the first.
  template <int count>
  HWY_INLINE Targets<count> targets_of(const Row& row, Index first) const {
    Targets<count> targets;
    for (int t = 0; t < count; ++t) {
      const Index number = first + t < row.targets.count ? first + t : 0;
      const PackedPosition<Real>& word = word_of(staged_.word.data(), row.entries[number]);
      targets.x[t] = word.position.x;
      targets.y[t] = word.position.y;
      targets.z[t] = word.position.z;
      targets.row[t] = several_types ? word.type * std::ptrdiff_t{stride_of_types(types_)} : 0;
      targets.number[t] = number;
    }
    return targets;
  }

  template <class Sum, int count, std::size_t... each>
  HWY_INLINE void add_row(const Row& row, const Targets<count>& targets,
                          const typename Sum::Rules& rules, Sum (&sums)[count],
                          std::index_sequence<each...>) const {
    const Index end = row.end();
    Index k = 0;
    auto sources = gathered(row, k);
    const auto add_vector = [&](auto with_itself) {
      auto begun = begin<with_itself()>(sources, k, targets, 0);
      // Each before the one in front of it is finished: a division takes long. And the next sources
      // are fetched meanwhile.
      const auto add_one = [&](int t) {
        const auto next = begin<with_itself()>(sources, k, targets, std::min(t + 1, count - 1));
        finish(begun, sources, targets, t, rules, sums[t]);
        begun = next;
      };
      const auto next = gathered(row, k + lanes < end ? k + lanes : 0);
      (add_one(static_cast<int>(each)), ...);
      sources = next;
      k += lanes;
    };
    for (Index until = 0; k < end;) {
      until += Sum::Rules::vectors_at_once * lanes;
      while (k < targets_of_a_row) add_vector(std::true_type());  // the row begins with its targets
      while (k < std::min(until, end)) add_vector(std::false_type());
      (sums[each].settle(), ...);
    }
  }

  HWY_INLINE GatheredSources<Real, several_types> gathered(const Row& row, Index k) const {
    return gather<several_types>(staged_.word.data(), row.entries + k, types_);
  }

  struct Begun {
    Vec3<Numbers> separation;
    Numbers r2, inverse;
  };

  /// `with_itself`: the target may be one of the sources, which begin with number k of the row.
  template <bool with_itself, class Sources, int count>
  HWY_INLINE Begun begin(const Sources& sources, Index k, const Targets<count>& targets,
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

  template <class Sources, class Sum, int count>
  HWY_INLINE void finish(const Begun& begun, const Sources& sources, const Targets<count>& targets,
                         int t, const typename Sum::Rules& rules, Sum& sum) const {
    sum.add(pairs_, rules,
            SeenSources<Real, several_types>{begun.separation, begun.r2, begun.inverse,
                                             targets.row[t], sources.types});
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

  /// From the units of pairs to those of everybody.
  template <class Accumulator>
  void to_sigma_and_epsilon(RowForces<Accumulator>& sums) const {
    const auto unit = static_cast<Accumulator>(pairs_.unit());
    for (auto* sum : {&sums.x, &sums.y, &sums.z}) {
      for (Accumulator& of_target : *sum) of_target *= unit;
    }
  }

  StagedWords<Real>& staged_;
  Pairs pairs_;
  std::int32_t types_;
  Real far_squared_;  ///< farther than anybody who is in range
};

template <class Real, LennardJonesForm form, bool several_types>
HWY_FLATTEN void forces_of_rows(const PlacedParticles<Real>& particles,
                                const VectorInteraction<Real>& interaction,
                                const RowsOfPencil& rows, RowForces<Real>* sums,
                                RowScratch& scratch) {
  using Pairs = ForcePairs<Real, form, several_types>;
  const double scale = several_types ? 1.0 : interaction.pair.repulsion;
  const RowWalk<Real, Digits::as_they_come, several_types, Pairs> walk(
      particles, Pairs(interaction, scale, 1.0), interaction.types, rows.pencil, scratch);
  walk.template operator()<ForceSum<Real>, void>(rows, {}, sums);
}

template <LennardJonesForm form, bool several_types>
HWY_FLATTEN void fixed_point_forces_of_rows(const PlacedParticles<float>& particles,
                                            const VectorInteraction<float>& interaction,
                                            const FixedPoint& fixed, const RowsOfPencil& rows,
                                            RowForces<double>* sums, RowScratch& scratch) {
  using Pairs = ForcePairs<float, form, several_types>;
  const double spacing = WholeCoordinates(particles.grid.exact_side).spacing();
  const RowWalk<float, Digits::whole, several_types, Pairs> walk(
      particles, Pairs(interaction, fixed.quantum, spacing), interaction.types, rows.pencil,
      scratch);
  walk.template operator()<FixedPointSum<several_types>, FixedPointSumOfNear<several_types>>(
      rows, {fixed, interaction.types, spacing}, sums);
}

/// Runs kernel(form, several types) with what an interaction has, known to the compiler.
template <class Real, class Kernel>
void for_form_and_types(const VectorInteraction<Real>& interaction, const Kernel& kernel) {
  const auto with_form = [&](auto form) {
    if (interaction.types == 1) {
      kernel(form, std::false_type());
    } else {
      kernel(form, std::true_type());
    }
  };
  using Form = LennardJonesForm;
  if (interaction.form == Form::shifted) {
    with_form(std::integral_constant<Form, Form::shifted>());
  } else {
    with_form(std::integral_constant<Form, Form::force_shifted>());
  }
}

template <class Real>
void forces_of_any_rows(const PlacedParticles<Real>& particles,
                        const VectorInteraction<Real>& interaction, const RowsOfPencil& rows,
                        RowForces<Real>* sums, RowScratch& scratch) {
  for_form_and_types(interaction, [&](auto form, auto several_types) {
    forces_of_rows<Real, form(), several_types()>(particles, interaction, rows, sums, scratch);
  });
}

inline void fixed_point_forces_of_any_rows(const PlacedParticles<float>& particles,
                                           const VectorInteraction<float>& interaction,
                                           const FixedPoint& fixed, const RowsOfPencil& rows,
                                           RowForces<double>* sums, RowScratch& scratch) {
  for_form_and_types(interaction, [&](auto form, auto several_types) {
    fixed_point_forces_of_rows<form(), several_types()>(particles, interaction, fixed, rows, sums,
                                                        scratch);
  });
}

template <class State, bool several_types>
HWY_FLATTEN void energies_of_rows(const PlacedParticles<State>& particles,
                                  const VectorInteraction<double>& interaction,
                                  const RowsOfPencil& rows, RowEnergies* sums,
                                  RowScratch& scratch) {
  using Pairs = EnergyPairs<several_types>;
  const RowWalk<double, Digits::as_they_come, several_types, Pairs> walk(
      particles, Pairs(interaction), interaction.types, rows.pencil, scratch);
  walk.template operator()<EnergySum, void>(rows, {}, sums);
}

template <class State>
void energies_of_any_rows(const PlacedParticles<State>& particles,
                          const VectorInteraction<double>& interaction, const RowsOfPencil& rows,
                          RowEnergies* sums, RowScratch& scratch) {
  const auto kernel =
      interaction.types == 1 ? &energies_of_rows<State, false> : &energies_of_rows<State, true>;
  kernel(particles, interaction, rows, sums, scratch);
}

template <class State>
HWY_FLATTEN void partners_of_rows(const PlacedParticles<State>& particles, double cutoff,
                                  const RowsOfPencil& rows, RowPartners* sums,
                                  RowScratch& scratch) {
  const RowWalk<double, Digits::as_they_come, false, PairsWithin> walk(
      particles, PairsWithin(cutoff), 1, rows.pencil, scratch);
  walk.template operator()<PartnerSum, void>(rows, {}, sums);
}

}  // namespace pencilbox::host::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
