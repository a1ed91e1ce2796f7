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
#include <type_traits>
#include <utility>

#include <hwy/cache_control.h>

#include "neighbor/vectors/gather-inl.hpp"
#include "neighbor/vectors/lanes-inl.hpp"
#include "neighbor/vectors/pairs-inl.hpp"
#include "neighbor/vectors/stage-inl.hpp"
#include "neighbor/vectors/sums-inl.hpp"
#include "neighbor/vectors/targets-inl.hpp"
#include "neighbor/vectors/whole_sums-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace pencilbox::host::HWY_NAMESPACE {

/// Sources whose words are laid out at a time where entries are wide, whole vectors; and entries of
/// words that follow each other.
inline constexpr Index most_spread = 4096;
constexpr auto make_entries() {
  std::array<KeptEntry, most_spread + RowMemory::padding_behind> entries{};
  for (std::size_t k = 0; k < entries.size(); ++k) {
    entries[k] = static_cast<KeptEntry>(entry_of(static_cast<Index>(k)));
  }
  return entries;
}
inline constexpr auto one_after_the_other = make_entries();

/// The rows of one pencil. `Real` is the arithmetic of pairs, `Pairs` what they do (pairs-inl.hpp).
/// Separations are in sigma, or in whole numbers of their spacing.
template <class Real, Digits digits, bool several_types, class Pairs>
class RowWalk {
 public:
  using Numbers = Lanes<Real>;
  static constexpr Index lanes = Numbers::count;

  template <class State>
  RowWalk(const PlacedParticles<State>& particles, const Pairs& pairs, std::int32_t types,
          const RowsOfPencil& rows, RowScratch& scratch)
      : staged_(scratch.in<Real>().staged[static_cast<std::size_t>(rows.pencil.track)]),
        is_wide_(entries_are_wide(NeighborhoodLayout::runs * rows.places_of_a_run)),
        spread_(scratch.in<Real>().spread),
        targets_and_sources_(particles.grid, pairs, types),
        types_(types) {
    if (is_wide_) spread_.resize(one_after_the_other.size());
    stage<digits>(particles, NeighborhoodLayout(particles, rows.pencil, rows.places_of_a_run),
                  rows.is_next, staged_);
  }

  /// Sums of all rows. `SumOfNear`: for rows with somebody who is too near for `Sum`.
  template <class Sum, class SumOfNear, class Sums>
  HWY_INLINE void operator()(const RowsOfPencil& rows, const typename Sum::Rules& rules,
                             Sums* sums) const {
    for (Index row = 0; row < rows.count; ++row) {
      if (row + 1 < rows.count) prefetch(rows.row(row + 1), rows.targets[row + 1]);
      sum_row<Sum, SumOfNear>({rows.row(row), rows.targets[row], is_wide_}, rules, sums[row]);
    }
  }

 private:
  struct Row {
    const KeptEntry* entries;
    const RowTargets& targets;
    bool is_wide;

    Index end() const { return targets_of_a_row + targets.length; }
    RowEntry entry(Index k) const { return is_wide ? wide_entry(entries, k) : entries[k]; }
  };

  /// Sources of a row that are gathered by entries that are not wide: all, or some of those whose
  /// entries are, with their words.
  struct Piece {
    const KeptEntry* entries;
    const PackedPosition<Real>* words;
    Index targets;  ///< so many come first
    Index end;
    Index next;  ///< what follows it in the row
  };

  /// Lists lie far away.
  HWY_INLINE static void prefetch(const KeptEntry* row, const RowTargets& targets) {
    constexpr Index of_a_cache_line = 64 / sizeof(KeptEntry);
    for (Index k = 0; k < targets.length + targets_of_a_row; k += of_a_cache_line) {
      hwy::Prefetch(row + k);
    }
  }

  template <class Sum, class SumOfNear, class Sums>
  HWY_INLINE void sum_row(const Row& row, const typename Sum::Rules& rules, Sums& to) const {
    constexpr int count = targets_of_a_row;
    auto targets = targets_of<count>(row, 0);
    const bool are_near = targets_and_sources_.tell_from_first(targets);
    SumsOfRow<Sum> sums(to);
    add_row(targets_and_sources_, row, targets, rules, sums, EachTarget<count>());
    unsigned once_more = sums.finish(rules, to);
    if constexpr (Pairs::are_forces) targets_and_sources_.to_sigma_and_epsilon(to);
    if constexpr (Sum::Rules::may_miss_near) {
      if (!are_near) once_more = every_target;
      for (Index t = 0; t < row.targets.count && once_more >> t != 0; ++t) {
        if ((once_more >> t & 1U) != 0) sum_with_near<SumOfNear>(row, t, rules, to);
      }
    }
  }

  /// A target by itself, whose sources may be anywhere.
  template <class SumOfNear>
  struct SumOfOne {
    static constexpr Index vectors_at_once = SumOfNear::Rules::vectors_at_once;

    SumOfNear of[1];
    NoReaction of_row;

    HWY_INLINE SumOfOne() {}
    HWY_INLINE void settle(Index vectors) { of[0].settle(vectors); }
  };

  /// One target once more.
  template <class SumOfNear, class Accumulator>
  HWY_NOINLINE void sum_with_near(const Row& row, Index target,
                                  const typename SumOfNear::Rules& rules,
                                  RowForces<Accumulator>& to) const {
    const auto in_whole = targets_and_sources_.in_whole();
    SumOfOne<SumOfNear> sum;
    add_row(in_whole, row, targets_of<1>(row, target), rules, sum, EachTarget<1>());
    typename SumOfNear::Results results;
    for (std::size_t t = 0; t < targets_of_a_row; ++t) sum.of[0].put(results, t);
    RowForces<Accumulator> of_four;
    results.store(of_four);
    targets_and_sources_.to_sigma_and_epsilon(of_four);
    const auto t = static_cast<std::size_t>(target);
    const Vec3<double>& correction = sum.of[0].correction;
    to.x[t] = of_four.x[t] + correction.x;
    to.y[t] = of_four.y[t] + correction.y;
    to.z[t] = of_four.z[t] + correction.z;
  }

  /// Some of a row's. Who are missing repeat the first.
  template <int count>
  HWY_INLINE Targets<Real, count> targets_of(const Row& row, Index first) const {
    Targets<Real, count> targets;
    for (int t = 0; t < count; ++t) {
      const Index number = first + t < row.targets.count ? first + t : 0;
      targets_and_sources_.set(targets, t, word_of(staged_.word.data(), row.entry(number)), number);
    }
    return targets;
  }

  template <class Seen, int count, class Rules, class Sums, std::size_t... each>
  HWY_INLINE void add_row(const Seen& seen, const Row& row, const Targets<Real, count>& targets,
                          const Rules& rules, Sums& sums,
                          std::index_sequence<each...> every) const {
    Piece piece{row.entries, staged_.word.data(), targets_of_a_row, row.end(), row.end()};
    if (row.is_wide) piece = spread(row, 0);
    for (;;) {
      const Index end = piece.end;
      Index k = 0;
      auto sources = seen.told(gathered(piece, k), targets);
      const auto add_vector = [&](auto with_itself) {
        sources = seen.template add<with_itself()>(
            sources, k, targets, rules, sums.of, sums.of_row,
            [&] { return seen.told(gathered(piece, k + lanes < end ? k + lanes : 0), targets); },
            every);
        k += lanes;
      };
      for (Index until = 0; k < end;) {
        const Index begin = k;
        until += Sums::vectors_at_once * lanes;
        while (k < piece.targets) add_vector(std::true_type());
        while (k < std::min(until, end)) add_vector(std::false_type());
        sums.settle((k - begin) / lanes);
      }
      if (piece.next >= row.end()) return;
      piece = spread(row, piece.next);
    }
  }

  HWY_INLINE GatheredSources<Real, several_types> gathered(const Piece& piece, Index k) const {
    return gather<several_types>(piece.words, piece.entries + k, types_);
  }

  /// The words of sources from number `begin` on, one after the other.
  HWY_NOINLINE Piece spread(const Row& row, Index begin) const {
    const Index end = std::min(begin + most_spread, row.end());
    for (Index k = begin; k < end + RowMemory::padding_behind; ++k) {
      spread_[static_cast<std::size_t>(k - begin)] =
          word_of(staged_.word.data(), row.entry(std::min(k, row.end())));
    }
    return {one_after_the_other.data(), spread_.data(), begin == 0 ? targets_of_a_row : 0,
            end - begin, end};
  }

  StagedWords<Real>& staged_;
  bool is_wide_;
  std::vector<PackedPosition<Real>>& spread_;
  TargetsAndSources<Real, digits, several_types, Pairs> targets_and_sources_;
  std::int32_t types_;
};

template <class Real, LennardJonesForm form, bool several_types>
HWY_FLATTEN void forces_of_rows(const PlacedParticles<Real>& particles,
                                const VectorInteraction<Real>& interaction,
                                const RowsOfPencil& rows, RowForces<Real>* sums,
                                RowScratch& scratch) {
  using Pairs = ForcePairs<Real, form, several_types>;
  const double scale = several_types ? 1.0 : interaction.pair.repulsion;
  const RowWalk<Real, Digits::as_they_come, several_types, Pairs> walk(
      particles, Pairs(interaction, scale, 1.0, scratch.seventh_root), interaction.types, rows,
      scratch);
  walk.template operator()<ForceSum<Real>, void>(rows, {}, sums);
}

/// `Sum`: by `Rounding`.
template <LennardJonesForm form, bool several_types, Digits digits, class Rounding, class Sum>
HWY_FLATTEN void fixed_point_forces_of_rows(const PlacedParticles<float>& particles,
                                            const VectorInteraction<float>& interaction,
                                            const FixedPoint& fixed, const RowsOfPencil& rows,
                                            RowForces<double>* sums, RowScratch& scratch) {
  using Pairs = ForcePairs<float, form, several_types>;
  const double spacing = WholeCoordinates(particles).spacing();
  const RowWalk<float, digits, several_types, Pairs> walk(
      particles, Pairs(interaction, fixed.quantum, spacing, scratch.seventh_root),
      interaction.types, rows, scratch);
  walk.template operator()<Sum, FixedPointSumOfNear<several_types, Rounding>>(
      rows, {fixed, interaction.types, spacing}, sums);
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
    if constexpr (!several_types()) {
      if (particles.lattice > 0.0) {
        return fixed_point_forces_of_rows<form(), false, Digits::whole_in_floats, ByAnAnchor,
                                          AnchoredSum>(particles, interaction, fixed, rows, sums,
                                                       scratch);
      }
    }
    fixed_point_forces_of_rows<form(), several_types(), Digits::whole, ToTheNearest,
                               FixedPointSum<several_types(), ToTheNearest>>(
        particles, interaction, fixed, rows, sums, scratch);
  });
}

template <class State, bool several_types>
HWY_FLATTEN void energies_of_rows(const PlacedParticles<State>& particles,
                                  const VectorInteraction<double>& interaction,
                                  const RowsOfPencil& rows, RowEnergies* sums,
                                  RowScratch& scratch) {
  using Pairs = EnergyPairs<several_types>;
  const RowWalk<double, Digits::as_they_come, several_types, Pairs> walk(
      particles, Pairs(interaction), interaction.types, rows, scratch);
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
      particles, PairsWithin(cutoff), 1, rows, scratch);
  walk.template operator()<PartnerSum, void>(rows, {}, sums);
}

}  // namespace pencilbox::host::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
