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
template <class Real, LennardJonesForm form, bool several_types, class Pairs>
class RowWalk {
 public:
  using Numbers = Lanes<Real>;
  static constexpr Index lanes = Numbers::count;

  template <class State>
  RowWalk(const PlacedParticles<State>& particles, Digits digits, const Pairs& pairs,
          const Pencil& pencil, RowScratch& scratch)
      : scratch_(scratch.in<Real>()), pairs_(pairs), far_(far_from_all<Real>(particles.grid)) {
    stage(particles, NeighborhoodLayout(particles, pencil), digits, scratch_.staged);
  }

  /// Sums of all rows.
  template <class Sum, class Sums>
  HWY_INLINE void operator()(const RowsOfPencil& rows, typename Sum::Rules rules, Sums* sums) {
    for (Index row = 0; row < rows.count; ++row) {
      if (row + 1 < rows.count) prefetch(rows.row(row + 1), rows.targets[row + 1]);
      const RowTargets& targets = rows.targets[row];
      fetch(rows.row(row), targets.length);
      typename Sum::Results results;
      std::array<Vec3<double>, targets_of_a_row> corrections{};
      for (Index t = 0; t < targets_of_a_row; ++t) {
        const auto number = static_cast<std::size_t>(t);
        Sum sum;
        if (t < targets.count) corrections[number] = go_along(targets.length + t, rules, sum);
        sum.put(results, number);
      }
      Sum::store(results, sums[row]);
      if constexpr (!std::is_same_v<Sum, EnergySum> && !std::is_same_v<Sum, PartnerSum>) {
        to_sigma_and_epsilon(sums[row], corrections);
      }
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
    return {target.x - Numbers::load(at_.x + k), target.y - Numbers::load(at_.y + k),
            target.z - Numbers::load(at_.z + k)};
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
      Real x[lanes], y[lanes], z[lanes], taken_x[lanes], taken_y[lanes], taken_z[lanes];
      r.x.store(x);
      r.y.store(y);
      r.z.store(z);
      (taken * r.x).store(taken_x);
      (taken * r.y).store(taken_y);
      (taken * r.z).store(taken_z);
      for (Index lane = 0; lane < lanes; ++lane) {
        if ((bits[lane / 8] >> lane % 8 & 1) == 0) continue;
        const auto summed = [&](Real quanta) {
          return pairs_.unit() * std::nearbyint(static_cast<double>(quanta));
        };
        const Vec3<double> exact = rules.template exactly<form>(
            Vec3<Real>{x[lane], y[lane], z[lane]}.template to<double>(), first + lane);
        force += exact -
                 Vec3<double>{summed(taken_x[lane]), summed(taken_y[lane]), summed(taken_z[lane])};
      }
    }
    return force;
  }

  template <class Real2>
  void to_sigma_and_epsilon(RowForces<Real2>& sums,
                            const std::array<Vec3<double>, targets_of_a_row>& more) const {
    const auto unit = static_cast<Real2>(pairs_.unit());
    for (std::size_t t = 0; t < targets_of_a_row; ++t) {
      sums.x[t] = unit * sums.x[t] + static_cast<Real2>(more[t].x);
      sums.y[t] = unit * sums.y[t] + static_cast<Real2>(more[t].y);
      sums.z[t] = unit * sums.z[t] + static_cast<Real2>(more[t].z);
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
  RowWalk<Real, form, several_types, Pairs> walk(particles, Digits::as_they_come,
                                                 Pairs(interaction, scale), rows.pencil, scratch);
  walk.template operator()<ForceSum<Real>>(rows, {}, sums);
}

template <LennardJonesForm form, bool several_types>
HWY_FLATTEN void fixed_point_forces_of_rows(const PlacedParticles<float>& particles,
                                            const VectorInteraction<float>& interaction,
                                            const FixedPoint& fixed, const RowsOfPencil& rows,
                                            RowForces<double>* sums, RowScratch& scratch) {
  using Pairs = ForcePairs<float, form, several_types>;
  RowWalk<float, form, several_types, Pairs> walk(
      particles, Digits::of_a_lattice, Pairs(interaction, fixed.quantum), rows.pencil, scratch);
  walk.template operator()<FixedPointSum<several_types>>(rows, {fixed, interaction.types}, sums);
}

template <class Real>
void forces_of_any_rows(const PlacedParticles<Real>& particles,
                        const VectorInteraction<Real>& interaction, const RowsOfPencil& rows,
                        RowForces<Real>* sums, RowScratch& scratch) {
  constexpr auto shifted = LennardJonesForm::shifted;
  constexpr auto force_shifted = LennardJonesForm::force_shifted;
  const bool one_type = interaction.types == 1;
  const auto kernel = interaction.form == shifted
                          ? (one_type ? &forces_of_rows<Real, shifted, false>
                                      : &forces_of_rows<Real, shifted, true>)
                          : (one_type ? &forces_of_rows<Real, force_shifted, false>
                                      : &forces_of_rows<Real, force_shifted, true>);
  kernel(particles, interaction, rows, sums, scratch);
}

inline void fixed_point_forces_of_any_rows(const PlacedParticles<float>& particles,
                                           const VectorInteraction<float>& interaction,
                                           const FixedPoint& fixed, const RowsOfPencil& rows,
                                           RowForces<double>* sums, RowScratch& scratch) {
  constexpr auto shifted = LennardJonesForm::shifted;
  constexpr auto force_shifted = LennardJonesForm::force_shifted;
  const bool one_type = interaction.types == 1;
  const auto kernel = interaction.form == shifted
                          ? (one_type ? &fixed_point_forces_of_rows<shifted, false>
                                      : &fixed_point_forces_of_rows<shifted, true>)
                          : (one_type ? &fixed_point_forces_of_rows<force_shifted, false>
                                      : &fixed_point_forces_of_rows<force_shifted, true>);
  kernel(particles, interaction, fixed, rows, sums, scratch);
}

template <class State, bool several_types>
HWY_FLATTEN void energies_of_rows(const PlacedParticles<State>& particles,
                                  const VectorInteraction<double>& interaction,
                                  const RowsOfPencil& rows, RowEnergies* sums,
                                  RowScratch& scratch) {
  using Pairs = EnergyPairs<several_types>;
  RowWalk<double, LennardJonesForm::force_shifted, several_types, Pairs> walk(
      particles, Digits::as_they_come, Pairs(interaction), rows.pencil, scratch);
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
  RowWalk<double, LennardJonesForm::shifted, false, PairsWithin> walk(
      particles, Digits::as_they_come, PairsWithin(cutoff), rows.pencil, scratch);
  walk.template operator()<PartnerSum>(rows, {}, sums);
}

}  // namespace pencilbox::host::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
