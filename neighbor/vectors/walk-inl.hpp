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

HWY_BEFORE_NAMESPACE();
namespace pencilbox::host::HWY_NAMESPACE {

/// The rows of one pencil. `Real` is the arithmetic of pairs, `Pairs` what they do (pairs-inl.hpp).
/// Separations are in sigma, or in whole numbers of their spacing.
template <class Real, Digits digits, LennardJonesForm form, bool several_types, class Pairs>
class RowWalk {
 public:
  using Numbers = Lanes<Real>;
  static constexpr Index lanes = Numbers::count;

  template <class State>
  RowWalk(const PlacedParticles<State>& particles, const Pairs& pairs, const Pencil& pencil,
          RowScratch& scratch)
      : scratch_(scratch.in<Real>()),
        pairs_(pairs),
        far_(far_from_all<Real, digits>(particles.grid)) {
    stage<digits>(particles, NeighborhoodLayout(particles, pencil), scratch_.staged);
  }

  /// Sums of all rows.
  template <class Sum, class Sums>
  HWY_INLINE void operator()(const RowsOfPencil& rows, typename Sum::Rules rules, Sums* sums) {
    for (Index row = 0; row < rows.count; ++row) {
      if (row + 1 < rows.count) prefetch(rows.row(row + 1), rows.targets[row + 1]);
      const RowTargets& targets = rows.targets[row];
      fetch(rows.row(row), targets.length);
      typename Sum::Results results;
      std::array<Vec3<double>, targets_of_a_row> of_near{};
      for (Index t = 0; t < targets_of_a_row; ++t) {
        const auto number = static_cast<std::size_t>(t);
        Sum sum;
        if (t < targets.count) of_near[number] = go_along(targets.length + t, rules, sum);
        sum.put(results, number);
      }
      results.store(sums[row]);
      if constexpr (Sum::is_of_forces) to_sigma_and_epsilon(sums[row]);
      if constexpr (Sum::Rules::corrects_near) add(of_near, sums[row]);
    }
  }

 private:
  /// Lists lie far away.
  HWY_INLINE static void prefetch(const RowEntry* row, const RowTargets& targets) {
    constexpr Index of_a_cache_line = 64 / sizeof(RowEntry);
    for (Index k = 0; k < targets.length + targets_of_a_row; k += of_a_cache_line) {
      hwy::Prefetch(row + k);
    }
  }

  HWY_INLINE void fetch(const RowEntry* row, Index sources) {
    end_ = sources + targets_of_a_row;
    const Index room = end_ + lanes;
    at_ = {scratch_.x.reserve(room), scratch_.y.reserve(room), scratch_.z.reserve(room),
           several_types ? scratch_.type.reserve(room) : nullptr};
    gather<several_types>(scratch_.staged.word.data(), row, end_, at_);
  }

  /// Sums up all of the row but the target itself, which goes far away meanwhile. Returns what has
  /// to be added.
  template <class Sum>
  HWY_INLINE Vec3<double> go_along(Index target, typename Sum::Rules& rules, Sum& sum) {
    pairs_.set_target(at_.type, target);
    rules.set_target(at_.type, target);
    const Vec3<Numbers> at{Numbers(at_.x[target]), Numbers(at_.y[target]), Numbers(at_.z[target])};
    const Real own_x = std::exchange(at_.x[target], far_);
    for (Index k = 0; k < end_;) {
      const Index until = std::min(end_, k + Sum::Rules::vectors_at_once * lanes);
      for (; k < until; k += lanes) {
        const Vec3<Numbers> r = separation(at, k);
        const Numbers r2 = square(r);
        sum.add(rules, pairs_(rules.at_least(r2, k), k), r, r2, pairs_.in_range(r2, k), k);
      }
      sum.settle();
    }
    Vec3<double> correction;
    if constexpr (Sum::Rules::corrects_near) {
      if (sum.has_near()) correction = correction_of_near(rules, at);
    }
    at_.x[target] = own_x;
    return correction;
  }

  HWY_INLINE Vec3<Numbers> separation(const Vec3<Numbers>& target, Index k) const {
    const auto between = [k](const Numbers& own, const Real* others) {
      const Numbers other = Numbers::load(others + k);
      if constexpr (digits == Digits::whole) {
        return Numbers(hn::ConvertTo(typename Numbers::Tag(), whole_between(own, other)));
      } else {
        return own - other;
      }
    };
    return {between(target.x, at_.x), between(target.y, at_.y), between(target.z, at_.z)};
  }
  HWY_INLINE static auto whole_between(const Numbers& a, const Numbers& b) {
    const hn::RebindToSigned<typename Numbers::Tag> whole;
    return hn::Sub(hn::BitCast(whole, a.vector), hn::BitCast(whole, b.vector));
  }
  HWY_INLINE static Numbers square(const Vec3<Numbers>& r) {
    return r.x.times_plus(r.x, r.y.times_plus(r.y, r.z * r.z));
  }

  /// Of those that are nearer than the rules take them for: what they do, less what was summed.
  template <class Rules>
  HWY_NOINLINE Vec3<double> correction_of_near(const Rules& rules,
                                               const Vec3<Numbers>& target) const {
    Vec3<double> force;
    for (Index first = 0; first < end_; first += lanes) {
      const Vec3<Numbers> r = separation(target, first);
      const Numbers r2 = square(r);
      const Truth<Real> is_near =
          r2.is_below(rules.nearest_squared(first)) & pairs_.in_range(r2, first);
      const Numbers taken = pairs_(rules.at_least(r2, first), first);
      std::uint8_t bits[8] = {};
      hn::StoreMaskBits(typename Numbers::Tag(), is_near.mask, bits);
      std::int32_t x[lanes], y[lanes], z[lanes], taken_x[lanes], taken_y[lanes], taken_z[lanes];
      const hn::ScalableTag<std::int32_t> whole;
      hn::StoreU(whole_between(target.x, Numbers::load(at_.x + first)), whole, x);
      hn::StoreU(whole_between(target.y, Numbers::load(at_.y + first)), whole, y);
      hn::StoreU(whole_between(target.z, Numbers::load(at_.z + first)), whole, z);
      hn::StoreU(nearest_whole(taken * r.x), whole, taken_x);
      hn::StoreU(nearest_whole(taken * r.y), whole, taken_y);
      hn::StoreU(nearest_whole(taken * r.z), whole, taken_z);
      for (Index lane = 0; lane < lanes; ++lane) {
        if ((bits[lane / 8] >> lane % 8 & 1) == 0) continue;
        const auto in_double = [lane](double unit, const auto& a, const auto& b, const auto& c) {
          return unit * Vec3<std::int32_t>{a[lane], b[lane], c[lane]}.template to<double>();
        };
        const Vec3<double> exact =
            rules.template exactly<form>(in_double(pairs_.length(), x, y, z), first + lane);
        force += exact - in_double(pairs_.unit(), taken_x, taken_y, taken_z);
      }
    }
    return force;
  }

  /// From the units of pairs to those of everybody.
  template <class Accumulator>
  void to_sigma_and_epsilon(RowForces<Accumulator>& sums) const {
    const auto unit = static_cast<Accumulator>(pairs_.unit());
    for (auto* sum : {&sums.x, &sums.y, &sums.z}) {
      for (Accumulator& of_target : *sum) of_target *= unit;
    }
  }
  static void add(const std::array<Vec3<double>, targets_of_a_row>& forces,
                  RowForces<double>& sums) {
    for (std::size_t t = 0; t < targets_of_a_row; ++t) {
      sums.x[t] += forces[t].x;
      sums.y[t] += forces[t].y;
      sums.z[t] += forces[t].z;
    }
  }

  RowScratch::In<Real>& scratch_;
  Pairs pairs_;
  Real far_;
  GatheredRow<Real> at_{};
  Index end_ = 0;  ///< of sources and targets
};

template <class Real, LennardJonesForm form, bool several_types>
HWY_FLATTEN void forces_of_rows(const PlacedParticles<Real>& particles,
                                const VectorInteraction<Real>& interaction,
                                const RowsOfPencil& rows, RowForces<Real>* sums,
                                RowScratch& scratch) {
  using Pairs = ForcePairs<Real, form, several_types>;
  const double scale = several_types ? 1.0 : interaction.pair.repulsion;
  RowWalk<Real, Digits::as_they_come, form, several_types, Pairs> walk(
      particles, Pairs(interaction, scale, 1.0), rows.pencil, scratch);
  walk.template operator()<ForceSum<Real>>(rows, {}, sums);
}

template <LennardJonesForm form, bool several_types>
HWY_FLATTEN void fixed_point_forces_of_rows(const PlacedParticles<float>& particles,
                                            const VectorInteraction<float>& interaction,
                                            const FixedPoint& fixed, const RowsOfPencil& rows,
                                            RowForces<double>* sums, RowScratch& scratch) {
  using Pairs = ForcePairs<float, form, several_types>;
  const double spacing = WholeCoordinates(particles.grid.exact_side).spacing();
  RowWalk<float, Digits::whole, form, several_types, Pairs> walk(
      particles, Pairs(interaction, fixed.quantum, spacing), rows.pencil, scratch);
  walk.template operator()<FixedPointSum<several_types>>(rows, {fixed, interaction.types, spacing},
                                                         sums);
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
  RowWalk<double, Digits::as_they_come, LennardJonesForm::force_shifted, several_types, Pairs> walk(
      particles, Pairs(interaction), rows.pencil, scratch);
  walk.template operator()<EnergySum>(rows, {}, sums);
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
  RowWalk<double, Digits::as_they_come, LennardJonesForm::shifted, false, PairsWithin> walk(
      particles, PairsWithin(cutoff), rows.pencil, scratch);
  walk.template operator()<PartnerSum>(rows, {}, sums);
}

}  // namespace pencilbox::host::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
