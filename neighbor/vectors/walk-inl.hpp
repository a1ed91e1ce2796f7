// Walks rows: the sums of four targets at a time. Included once for each instruction set.
#if defined(PENCILBOX_WALK_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef PENCILBOX_WALK_INL
#undef PENCILBOX_WALK_INL
#else
#define PENCILBOX_WALK_INL
#endif

#include "neighbor/vectors/lanes-inl.hpp"
#include "neighbor/vectors/stage-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace pencilbox::host::HWY_NAMESPACE {

/// The constants of pairs. All of one type: in registers.
template <class Real, bool several_types>
class ConstantsOfPairs {
 public:
  explicit ConstantsOfPairs(const VectorInteraction<Real>& interaction)
      : constants_{Lanes<Real>(interaction.table->repulsion),
                   Lanes<Real>(interaction.table->attraction),
                   Lanes<Real>(interaction.table->energy_shift),
                   Lanes<Real>(interaction.table->force_at_cutoff),
                   Lanes<Real>(interaction.table->cutoff),
                   Lanes<Real>(interaction.table->cutoff_squared)} {}

  void set_types(const std::int32_t*) {}
  void set_targets(const std::array<Index, targets_of_a_row>&) {}
  template <class Source>
  const LennardJonesConstants<Lanes<Real>>& of(const Source&) const {
    return constants_;
  }

 private:
  LennardJonesConstants<Lanes<Real>> constants_;
};

/// Several: for each type of a source, those of the four targets side by side.
template <class Real>
class ConstantsOfPairs<Real, true> {
 public:
  explicit ConstantsOfPairs(const VectorInteraction<Real>& interaction)
      : interaction_(interaction), of_type_(static_cast<std::size_t>(interaction.types)) {}

  /// [places]
  void set_types(const std::int32_t* type) { type_ = type; }
  void set_targets(const std::array<Index, targets_of_a_row>& places) {
    for (std::size_t t = 0; t < targets_of_a_row; ++t) {
      const auto* row = interaction_.table + std::ptrdiff_t{type_[places[t]]} * interaction_.types;
      for (std::size_t type = 0; type < of_type_.size(); ++type) {
        of_type_[type].repulsion[t] = row[type].repulsion;
        of_type_[type].attraction[t] = row[type].attraction;
        of_type_[type].energy_shift[t] = row[type].energy_shift;
        of_type_[type].force_at_cutoff[t] = row[type].force_at_cutoff;
        of_type_[type].cutoff[t] = row[type].cutoff;
        of_type_[type].cutoff_squared[t] = row[type].cutoff_squared;
      }
    }
  }
  /// source(s): the place of who is in block s.
  template <class Source>
  LennardJonesConstants<Lanes<Real>> of(const Source& source) const {
    return {lanes(source, &Fours::repulsion),    lanes(source, &Fours::attraction),
            lanes(source, &Fours::energy_shift), lanes(source, &Fours::force_at_cutoff),
            lanes(source, &Fours::cutoff),       lanes(source, &Fours::cutoff_squared)};
  }

 private:
  struct Fours {
    Real repulsion[targets_of_a_row], attraction[targets_of_a_row], energy_shift[targets_of_a_row],
        force_at_cutoff[targets_of_a_row], cutoff[targets_of_a_row],
        cutoff_squared[targets_of_a_row];
  };

  template <class Source>
  Lanes<Real> lanes(const Source& source, Real (Fours::*constant)[targets_of_a_row]) const {
    return Lanes<Real>::blocks_of_fours([&](int s) -> const Real* {
      return of_type_[static_cast<std::size_t>(type_[source(s)])].*constant;
    });
  }

  VectorInteraction<Real> interaction_;
  const std::int32_t* type_ = nullptr;
  std::vector<Fours> of_type_;
};

template <class Real>
struct ForceLanes {
  LanesSum<Real> x, y, z;

  void add(const PairTerm<Lanes<Real>>& term, const Vec3<Lanes<Real>>& separation,
           const Lanes<Real>&, const typename Lanes<Real>::Truth& in_range) {
    const Lanes<Real> force_over_r = term.force_over_r.where(in_range);
    x.add_product(force_over_r, separation.x);
    y.add_product(force_over_r, separation.y);
    z.add_product(force_over_r, separation.z);
  }
  void store(RowForces<Real>& sums) const {
    x.store(sums.x);
    y.store(sums.y);
    z.store(sums.z);
  }
};

struct EnergyLanes {
  LanesSum<double> energy, virial;

  void add(const PairTerm<Lanes<double>>& term, const Vec3<Lanes<double>>&, const Lanes<double>& r2,
           const Lanes<double>::Truth& in_range) {
    energy.add(term.energy.where(in_range));
    virial.add_product(term.force_over_r.where(in_range), r2);
  }
  void store(RowEnergies& sums) const {
    energy.store(sums.energy);
    virial.store(sums.virial);
  }
};

struct PartnerLanes {
  LanesSum<double> count;

  void add(const PairTerm<Lanes<double>>&, const Vec3<Lanes<double>>&, const Lanes<double>&,
           const Lanes<double>::Truth& in_range) {
    count.add(Lanes<double>(1.0).where(in_range));
  }
  void store(RowPartners& sums) const { count.store(sums.count); }
};

/// The rows of one pencil. `Real` is the arithmetic of pairs.
template <class Real, LennardJonesForm form, bool several_types>
class RowWalk {
 public:
  using Numbers = Lanes<Real>;
  using Truth = typename Numbers::Truth;

  template <class State>
  RowWalk(const PlacedParticles<State>& particles, const VectorInteraction<Real>& interaction,
          const Pencil& pencil, RowScratch& scratch)
      : layout_(particles, pencil), constants_(interaction) {
    StagedNumbers<Real>& staged = scratch.in<Real>().staged;
    stage(particles, layout_, staged);
    position_ = {staged.x.data(), staged.y.data(), staged.z.data()};
    if (several_types) {
      stage_types(particles, layout_, scratch.type);
      constants_.set_types(scratch.type.data());
    }
    for (int k = 0; k < Numbers::count; ++k) {
      target_of_lane_[k] = static_cast<Real>(k % targets_of_a_row);
      source_of_lane_[k] = static_cast<Real>(k / targets_of_a_row);
    }
  }

  template <class Sum>
  Sum operator()(const RowTargets& targets, const RowEntry* row) {
    std::array<Index, targets_of_a_row> places;
    for (std::size_t t = 0; t < targets_of_a_row; ++t) {
      places[t] = layout_.place_of_own(targets.particle[t]);
    }
    constants_.set_targets(places);
    target_ = {targets_at(places, position_.x), targets_at(places, position_.y),
               targets_at(places, position_.z)};
    Sum sum;
    add_targets(places, targets.count, sum);
    Index k = 0;
    for (; k + Numbers::sources <= targets.length; k += Numbers::sources) {
      const RowEntry* entry = row + k;
      add(
          sum, [&](int s) { return entry[s]; }, [](const Truth& in_range) { return in_range; });
    }
    if (k < targets.length) add_rest(row + k, targets.length - k, sum);
    return sum;
  }

 private:
  static Numbers targets_at(const std::array<Index, targets_of_a_row>& places,
                            const Real* coordinate) {
    Real four[targets_of_a_row];
    for (std::size_t t = 0; t < targets_of_a_row; ++t) four[t] = coordinate[places[t]];
    return Numbers::fours(four);
  }

  /// Targets among themselves: each meets the others.
  template <class Sum>
  void add_targets(const std::array<Index, targets_of_a_row>& places, Index targets,
                   Sum& sum) const {
    const Numbers target = Numbers::load(target_of_lane_);
    const Numbers count(static_cast<Real>(targets));
    for (int k = 0; k < targets_of_a_row; k += Numbers::sources) {
      const Numbers source = Numbers::load(source_of_lane_) + Numbers(static_cast<Real>(k));
      add(
          sum, [&](int s) { return places[static_cast<std::size_t>((k + s) % targets_of_a_row)]; },
          [&](const Truth& in_range) {
            return in_range & source.is_below(count) & source.differs_from(target);
          });
    }
  }

  /// The last of a row, fewer than meet the targets at a time.
  template <class Sum>
  void add_rest(const RowEntry* row, Index count, Sum& sum) const {
    const Numbers source = Numbers::load(source_of_lane_);
    const Numbers end(static_cast<Real>(count));
    add(
        sum, [&](int s) { return row[s < count ? s : 0]; },
        [&](const Truth& in_range) { return in_range & source.is_below(end); });
  }

  /// place(s): where the source of block s is.
  template <class Sum, class Place, class Choice>
  HWY_INLINE void add(Sum& sum, const Place& place, const Choice& chosen) const {
    const auto sources = [&](const Real* coordinate) {
      return Numbers::blocks([&](int s) { return coordinate[place(s)]; });
    };
    const Vec3<Numbers> separation{target_.x - sources(position_.x),
                                   target_.y - sources(position_.y),
                                   target_.z - sources(position_.z)};
    const Numbers r2 = separation.x.times_plus(
        separation.x, separation.y.times_plus(separation.y, separation.z * separation.z));
    const auto& constants = constants_.of(place);
    PairTerm<Numbers> term = HWY_NAMESPACE::lennard_jones(constants, reciprocal(r2));
    if constexpr (form == LennardJonesForm::force_shifted) {
      HWY_NAMESPACE::shift_force(constants, r2, term);
    }
    sum.add(term, separation, r2, chosen(r2.is_below(constants.cutoff_squared)));
  }

  NeighborhoodLayout layout_;
  Vec3View<const Real> position_;  ///< [places]
  ConstantsOfPairs<Real, several_types> constants_;
  Vec3<Numbers> target_;
  Real target_of_lane_[Numbers::count], source_of_lane_[Numbers::count];
};

template <class Real, LennardJonesForm form, bool several_types>
HWY_FLATTEN void forces_of_rows(const PlacedParticles<Real>& particles,
                                const VectorInteraction<Real>& interaction, const Pencil& pencil,
                                const RowTargets* targets, const RowMemory& rows, Index count,
                                RowForces<Real>* sums, RowScratch& scratch) {
  RowWalk<Real, form, several_types> walk(particles, interaction, pencil, scratch);
  for (Index k = 0; k < count; ++k) {
    walk.template operator()<ForceLanes<Real>>(targets[k], rows.row(k)).store(sums[k]);
  }
}

template <class Real>
void forces_of_any_rows(const PlacedParticles<Real>& particles,
                        const VectorInteraction<Real>& interaction, const Pencil& pencil,
                        const RowTargets* targets, const RowMemory& rows, Index count,
                        RowForces<Real>* sums, RowScratch& scratch) {
  constexpr auto shifted = LennardJonesForm::shifted;
  constexpr auto force_shifted = LennardJonesForm::force_shifted;
  const bool one_type = interaction.types == 1;
  const auto kernel = interaction.form == shifted
                          ? (one_type ? &forces_of_rows<Real, shifted, false>
                                      : &forces_of_rows<Real, shifted, true>)
                          : (one_type ? &forces_of_rows<Real, force_shifted, false>
                                      : &forces_of_rows<Real, force_shifted, true>);
  kernel(particles, interaction, pencil, targets, rows, count, sums, scratch);
}

/// Of every form: see LennardJonesForm.
template <class State>
HWY_FLATTEN void energies_of_rows(const PlacedParticles<State>& particles,
                                  const VectorInteraction<double>& interaction,
                                  const Pencil& pencil, const RowTargets* targets,
                                  const RowMemory& rows, Index count, RowEnergies* sums,
                                  RowScratch& scratch) {
  RowWalk<double, LennardJonesForm::force_shifted, true> walk(particles, interaction, pencil,
                                                              scratch);
  for (Index k = 0; k < count; ++k) {
    walk.template operator()<EnergyLanes>(targets[k], rows.row(k)).store(sums[k]);
  }
}

template <class State>
void partners_of_rows(const PlacedParticles<State>& particles, double cutoff, const Pencil& pencil,
                      const RowTargets* targets, const RowMemory& rows, Index count,
                      RowPartners* sums, RowScratch& scratch) {
  LennardJonesConstants<double> none{};
  none.cutoff_squared = cutoff * cutoff;
  const VectorInteraction<double> range{&none, 1, LennardJonesForm::shifted};
  RowWalk<double, LennardJonesForm::shifted, false> walk(particles, range, pencil, scratch);
  for (Index k = 0; k < count; ++k) {
    walk.template operator()<PartnerLanes>(targets[k], rows.row(k)).store(sums[k]);
  }
}

}  // namespace pencilbox::host::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
