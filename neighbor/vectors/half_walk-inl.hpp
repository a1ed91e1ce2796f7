// Forces of a brick's rows, each pair of the brick once. Included once for each instruction set.
#if defined(PENCILBOX_HALF_WALK_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef PENCILBOX_HALF_WALK_INL
#undef PENCILBOX_HALF_WALK_INL
#else
#define PENCILBOX_HALF_WALK_INL
#endif

#include <algorithm>
#include <array>
#include <bit>
#include <type_traits>
#include <utility>
#include <vector>

#include <hwy/highway.h>

#include "neighbor/vectors/gather-inl.hpp"
#include "neighbor/vectors/half_search-inl.hpp"
#include "neighbor/vectors/stage_brick-inl.hpp"
#include "neighbor/vectors/targets-inl.hpp"
#include "neighbor/vectors/whole_sums-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace pencilbox::host::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// A reaction that also takes what pairs did beyond it. `entries`: of the vector of sources;
/// `first` of them are targets, whose pairs with each other have no reaction.
template <class Reaction>
struct ReactionOfNear : Reaction {
  const RowEntry* entries;
  Index first, end;
  std::vector<ForceBeyond>& beyond;

  HWY_INLINE ReactionOfNear(const RowEntry* of, Index from, Index to, std::vector<ForceBeyond>& all)
      : entries(of), first(from), end(to), beyond(all) {}
  void correct(Index lane, const Vec3<double>& force) {
    if (lane < first || lane >= end) return;
    beyond.push_back({static_cast<Index>(entries[lane] / entries_of_a_place), -1.0 * force});
  }
};

/// What a way of summing forces has: where it is exact no pair may be too near, and `Near` sums
/// where one is.
template <class Real>
struct PlainSums {
  using Sum = ForceSum<Real>;
  using Near = void;
  using Reaction = ForceReaction<Real>;
  using Accumulator = Real;
};
template <bool several_types>
struct WholeSums {
  using Sum = FixedPointSum<several_types, ToTheNearest>;
  using Near = FixedPointSumOfNear<several_types, ToTheNearest>;
  using Reaction = WholeReaction;
  using Accumulator = double;
};

template <class Real, Digits digits, bool several_types, class Pairs, class Ways>
class HalfWalk {
 public:
  using Accumulator = typename Ways::Accumulator;
  using Rules = typename Ways::Sum::Rules;

  HalfWalk(const PlacedParticles<Real>& particles, const Pairs& pairs, std::int32_t types,
           const Rules& rules, BrickScratch& scratch)
      : targets_and_sources_(particles.grid, pairs, types),
        types_(types),
        rules_(rules),
        far_(far_from_all<Real, digits>(particles.grid)),
        scratch_(scratch),
        staged_(std::get<BrickScratch::Words<Real>>(scratch.words).staged.word),
        reaction_(std::get<std::vector<NumbersOfPlace<ReactionNumber>>>(scratch.reaction)),
        sums_(std::get<std::vector<NumbersOfPlace<Accumulator>>>(scratch.sums)) {}

  HWY_INLINE void operator()(const PlacedParticles<Real>& particles, const Brick& brick,
                             double cutoff, const Vec3View<Accumulator>& force) {
    const BrickLayout layout(particles.grid, brick);
    BrickStage<Real, digits> stage(particles, layout, scratch_);
    stage();
    begin_sums(layout, stage.places());
    const HalfSearch search(layout, stage.largest_square(), cutoff, scratch_);
    search([this](const FoundRow& row) { sum_row(row); });
    store(layout, force);
  }

 private:
  using ReactionNumber = typename Ways::Reaction::Number;
  static constexpr Index lanes = Lanes<Real>::count;
  static constexpr int count = targets_of_a_row;
  using AllTargets = Targets<Real, count>;

  /// visit(places) for each column of the brick.
  template <class Visit>
  void for_own_places(const BrickLayout& layout, const Visit& visit) const {
    const BrickOrder& order = scratch_.order;
    const IndexRange own_y = layout.y.own(), own_z = layout.z.own();
    for (Index z = own_z.begin; z < own_z.end; ++z) {
      for (Index y = own_y.begin; y < own_y.end; ++y) visit(order.places(order.own(), y, z));
    }
  }

  void begin_sums(const BrickLayout& layout, Index places) {
    if (sums_.size() < static_cast<std::size_t>(places)) {
      sums_.resize(static_cast<std::size_t>(places + places / 4));
    }
    for_own_places(layout, [&](const IndexRange& own) {
      std::fill_n(sums_.data() + own.begin, own.count(), NumbersOfPlace<Accumulator>());
    });
    scratch_.beyond.clear();
  }

  HWY_NOINLINE void sum_row(const FoundRow& row) {
    const auto room = static_cast<std::size_t>(row.end() + lanes);
    if (reaction_.size() < room) reaction_.resize(2 * room);
    const AllTargets targets = targets_of(row);
    typename Ways::Sum sums[count];
    add_row<typename Ways::Sum, typename Ways::Reaction>(row, targets, sums, EachTarget<count>());
    typename Ways::Sum::Results results;
    for (std::size_t t = 0; t < count; ++t) sums[t].put(results, t);
    RowForces<Accumulator> forces;
    results.store(forces);
    if constexpr (Rules::may_miss_near) {
      bool have_near = false;
      for (const auto& sum : sums) have_near |= sum.has_near(rules_);
      if (have_near) forces = with_near(row, targets);
    }
    give_to_targets(row, forces);
    give_to_sources(row);
  }

  /// The whole row once more.
  HWY_NOINLINE RowForces<Accumulator> with_near(const FoundRow& row, const AllTargets& targets) {
    typename Ways::Near sums[count];
    add_row<typename Ways::Near, ReactionOfNear<typename Ways::Reaction>>(row, targets, sums,
                                                                          EachTarget<count>());
    typename Ways::Near::Results results;
    for (std::size_t t = 0; t < count; ++t) sums[t].put(results, t);
    RowForces<Accumulator> forces;
    results.store(forces);
    for (Index t = 0; t < row.targets; ++t) {
      scratch_.beyond.push_back(
          {static_cast<Index>(row.entries[t] / entries_of_a_place), sums[t].correction});
    }
    return forces;
  }

  /// Who are missing are where nobody is, nor padding.
  HWY_INLINE AllTargets targets_of(const FoundRow& row) const {
    AllTargets targets;
    for (int t = 0; t < count; ++t) {
      if (t < row.targets) {
        targets_and_sources_.set(targets, t, word_of(staged_.data(), row.entries[t]), t);
      } else {
        targets_and_sources_.set(targets, t, {{beyond_all(), beyond_all(), beyond_all()}, 0}, t);
      }
    }
    return targets;
  }
  Real beyond_all() const {
    if constexpr (digits == Digits::whole) {
      return std::bit_cast<Real>(-WholeCoordinates::far);
    } else {
      return -far_;
    }
  }

  /// Sources of the brick before those outside: the former have a reaction.
  template <class Sum, class Reaction, std::size_t... each>
  HWY_NOINLINE HWY_FLATTEN void add_row(const FoundRow& row, const AllTargets& targets,
                                        Sum (&sums)[count], std::index_sequence<each...> every) {
    const Index end = row.end(), inside = targets_of_a_row + row.inside;
    Index k = 0;
    auto sources = gathered(row, k);
    const auto next = [&] { return gathered(row, k + lanes < end ? k + lanes : 0); };
    const auto add_inside = [&](auto with_itself) {
      Reaction reaction = reaction_of<Reaction>(row, k);
      sources = targets_and_sources_.template add<with_itself()>(sources, k, targets, rules_, sums,
                                                                 reaction, next, every);
      keep(reaction, k);
      k += lanes;
    };
    const auto add_outside = [&] {
      NoReaction none;
      sources = targets_and_sources_.template add<false>(sources, k, targets, rules_, sums, none,
                                                         next, every);
      k += lanes;
    };
    for (Index until = 0; k < end;) {
      const Index begin = k;
      until += Rules::vectors_at_once * lanes;
      while (k < targets_of_a_row) add_inside(std::true_type());  // the row begins with its targets
      while (k < std::min(until, inside)) add_inside(std::false_type());
      while (k < std::min(until, end)) add_outside();
      (sums[each].settle((k - begin) / lanes), ...);
    }
  }

  template <class Reaction>
  HWY_INLINE Reaction reaction_of(const FoundRow& row, Index k) const {
    if constexpr (std::is_same_v<Reaction, typename Ways::Reaction>) {
      return Reaction();
    } else {
      return Reaction(row.entries + k, targets_of_a_row - k, targets_of_a_row + row.inside - k,
                      scratch_.beyond);
    }
  }

  HWY_INLINE GatheredSources<Real, several_types> gathered(const FoundRow& row, Index k) const {
    return gather<several_types>(staged_.data(), row.entries + k, types_);
  }

  template <class Reaction>
  HWY_INLINE void keep(const Reaction& reaction, Index k) {
    const hn::ScalableTag<ReactionNumber> tag;
    hn::StoreInterleaved4(reaction.x.vector, reaction.y.vector, reaction.z.vector, hn::Zero(tag),
                          tag, reaction_[static_cast<std::size_t>(k)].number.data());
  }

  HWY_INLINE void give_to_targets(const FoundRow& row, const RowForces<Accumulator>& forces) {
    for (Index t = 0; t < row.targets; ++t) {
      auto& sum = sum_of(row.entries[t]);
      const auto k = static_cast<std::size_t>(t);
      sum[0] += forces.x[k];
      sum[1] += forces.y[k];
      sum[2] += forces.z[k];
    }
  }

  HWY_NOINLINE void give_to_sources(const FoundRow& row) {
    constexpr std::size_t numbers = 4;
    const hn::CappedTag<Accumulator, numbers> tag;
    const hn::Rebind<ReactionNumber, decltype(tag)> reactions;
    NumbersOfPlace<Accumulator>* const sums = sums_.data();
    const RowEntry* const entries = row.entries;
    const NumbersOfPlace<ReactionNumber>* const reactions_of_row = reaction_.data();
    const Index end = targets_of_a_row + row.inside;
    for (Index k = targets_of_a_row; k < end; ++k) {
      Accumulator* const sum = sums[entries[k] / entries_of_a_place].number.data();
      const ReactionNumber* const reaction = reactions_of_row[k].number.data();
      for (std::size_t n = 0; n < numbers; n += hn::MaxLanes(tag)) {
        auto taken = hn::Zero(tag);
        if constexpr (std::is_same_v<ReactionNumber, Accumulator>) {
          taken = hn::LoadU(tag, reaction + n);
        } else {
          taken = hn::PromoteTo(tag, hn::LoadU(reactions, reaction + n));
        }
        hn::StoreU(hn::Sub(hn::LoadU(tag, sum + n), taken), tag, sum + n);
      }
    }
  }

  std::array<Accumulator, 4>& sum_of(RowEntry entry) {
    return sums_[entry / entries_of_a_place].number;
  }

  /// From the units of pairs to those of everybody.
  void store(const BrickLayout& layout, const Vec3View<Accumulator>& force) {
    const auto unit = static_cast<Accumulator>(targets_and_sources_.pairs().unit());
    for_own_places(layout, [&](const IndexRange& own) {
      for (Index place = own.begin; place < own.end; ++place) {
        const auto& sum = sums_[static_cast<std::size_t>(place)].number;
        force.store(scratch_.particle[static_cast<std::size_t>(place)],
                    {unit * sum[0], unit * sum[1], unit * sum[2]});
      }
    });
    for (const ForceBeyond& more : scratch_.beyond) {
      const Index particle = scratch_.particle[static_cast<std::size_t>(more.place)];
      force.store(particle,
                  Vec3<Accumulator>(force[particle]) + more.force.template to<Accumulator>());
    }
  }

  TargetsAndSources<Real, digits, several_types, Pairs> targets_and_sources_;
  std::int32_t types_;
  Rules rules_;
  Real far_;
  BrickScratch& scratch_;
  std::vector<PackedPosition<Real>>& staged_;
  std::vector<NumbersOfPlace<ReactionNumber>>& reaction_;
  std::vector<NumbersOfPlace<Accumulator>>& sums_;
};

template <class Real, LennardJonesForm form, bool several_types>
HWY_FLATTEN void forces_once(const PlacedParticles<Real>& particles,
                             const VectorInteraction<Real>& interaction, double cutoff,
                             const Brick& brick, const Vec3View<Real>& force,
                             BrickScratch& scratch) {
  using Pairs = ForcePairs<Real, form, several_types>;
  const double scale = several_types ? 1.0 : interaction.pair.repulsion;
  HalfWalk<Real, Digits::as_they_come, several_types, Pairs, PlainSums<Real>> walk(
      particles, Pairs(interaction, scale, 1.0, scratch.seventh_root), interaction.types, {},
      scratch);
  walk(particles, brick, cutoff, force);
}

template <LennardJonesForm form, bool several_types>
HWY_FLATTEN void fixed_point_forces_once(const PlacedParticles<float>& particles,
                                         const VectorInteraction<float>& interaction,
                                         const FixedPoint& fixed, double cutoff, const Brick& brick,
                                         const Vec3View<double>& force, BrickScratch& scratch) {
  using Pairs = ForcePairs<float, form, several_types>;
  const double spacing = WholeCoordinates(particles.grid.exact_side).spacing();
  HalfWalk<float, Digits::whole, several_types, Pairs, WholeSums<several_types>> walk(
      particles, Pairs(interaction, fixed.quantum, spacing, scratch.seventh_root),
      interaction.types, {fixed, interaction.types, spacing}, scratch);
  walk(particles, brick, cutoff, force);
}

template <class Real>
void any_forces_once(const PlacedParticles<Real>& particles,
                     const VectorInteraction<Real>& interaction, double cutoff, const Brick& brick,
                     const Vec3View<Real>& force, BrickScratch& scratch) {
  for_form_and_types(interaction, [&](auto form, auto several_types) {
    forces_once<Real, form(), several_types()>(particles, interaction, cutoff, brick, force,
                                               scratch);
  });
}

inline void any_fixed_point_forces_once(const PlacedParticles<float>& particles,
                                        const VectorInteraction<float>& interaction,
                                        const FixedPoint& fixed, double cutoff, const Brick& brick,
                                        const Vec3View<double>& force, BrickScratch& scratch) {
  for_form_and_types(interaction, [&](auto form, auto several_types) {
    fixed_point_forces_once<form(), several_types()>(particles, interaction, fixed, cutoff, brick,
                                                     force, scratch);
  });
}

}  // namespace pencilbox::host::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
