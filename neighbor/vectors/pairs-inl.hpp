// What a pair does, a vector of pairs at a time. Included once for each instruction set.
#if defined(PENCILBOX_PAIRS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef PENCILBOX_PAIRS_INL
#undef PENCILBOX_PAIRS_INL
#else
#define PENCILBOX_PAIRS_INL
#endif

#include <cmath>
#include <type_traits>

#include <hwy/highway.h>

#include "neighbor/vectors/lanes-inl.hpp"
#include "neighbor/vectors/rows.hpp"

HWY_BEFORE_NAMESPACE();
namespace pencilbox::host::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// The types of the sources of a vector. Looks up numbers by them: in a vector where one holds them
/// all, else in memory.
template <class Real>
class SourceTypes {
 public:
  using Words = hn::RebindToSigned<hn::ScalableTag<Real>>;

  HWY_INLINE SourceTypes(hn::Vec<Words> types_of_sources, std::int32_t types)
      : vector_(types_of_sources), fit_a_vector_(types <= lanes) {}

  /// `numbers`: of each type, and room for a vector.
  HWY_INLINE Lanes<Real> operator()(const Real* numbers) const {
    if (!fit_a_vector_) return Lanes<Real>(hn::GatherIndex(Tag(), numbers, vector_));
    const auto all = hn::LoadU(Tag(), numbers);
    return Lanes<Real>(hn::TableLookupLanes(all, hn::IndicesFromVec(Tag(), vector_)));
  }
  HWY_INLINE void store(typename PackedPosition<Real>::Type* to) const {
    hn::StoreU(vector_, Words(), to);
  }

 private:
  using Tag = hn::ScalableTag<Real>;
  static constexpr std::int32_t lanes = static_cast<std::int32_t>(hn::MaxLanes(Tag()));

  hn::Vec<Words> vector_;
  bool fit_a_vector_;
};

/// Where there is one type there is nothing to look up.
struct OneType {};
template <class Real, bool several_types>
using TypesOfSources = std::conditional_t<several_types, SourceTypes<Real>, OneType>;

/// The constants of a target's type with those of its sources, looked up. `row`: where the numbers
/// of the target's type begin.
template <class Real>
class TableRow {
 public:
  HWY_INLINE explicit TableRow(const VectorInteraction<Real>& interaction)
      : table_(*interaction.by_type) {}

  HWY_INLINE LennardJonesConstants<Lanes<Real>> of_sources(std::ptrdiff_t row,
                                                           const SourceTypes<Real>& types) const {
    const auto in_row = [&](const NumbersByType<Real>& numbers) {
      return types(numbers.data() + row);
    };
    return {in_row(table_.repulsion),    in_row(table_.attraction),
            in_row(table_.energy_shift), in_row(table_.force_at_cutoff),
            in_row(table_.cutoff),       in_row(table_.cutoff_squared)};
  }

 private:
  const LennardJonesConstants<NumbersByType<Real>>& table_;
};

/// The same where there is one type: in registers.
template <class Real>
class TableOfOne {
 public:
  HWY_INLINE explicit TableOfOne(const VectorInteraction<Real>& interaction)
      : constants_{Lanes<Real>(interaction.pair.repulsion),
                   Lanes<Real>(interaction.pair.attraction),
                   Lanes<Real>(interaction.pair.energy_shift),
                   Lanes<Real>(interaction.pair.force_at_cutoff),
                   Lanes<Real>(interaction.pair.cutoff),
                   Lanes<Real>(interaction.pair.cutoff_squared)} {}

  HWY_INLINE const LennardJonesConstants<Lanes<Real>>& of_sources(std::ptrdiff_t, OneType) const {
    return constants_;
  }

 private:
  LennardJonesConstants<Lanes<Real>> constants_;
};

/// Force and energy, of every form: see LennardJonesForm.
template <bool several_types>
class EnergyPairs {
 public:
  static constexpr bool are_forces = false;
  HWY_INLINE explicit EnergyPairs(const VectorInteraction<double>& interaction)
      : table_(interaction) {}

  using Types = TypesOfSources<double, several_types>;

  HWY_INLINE Truth<double> in_range(const Lanes<double>& r2, std::ptrdiff_t row,
                                    const Types& types) const {
    return r2.is_below(table_.of_sources(row, types).cutoff_squared);
  }
  HWY_INLINE Lanes<double> inverse(const Lanes<double>& r2) const { return reciprocal(r2); }
  HWY_INLINE PairTerm<Lanes<double>> operator()(const Lanes<double>& inverse_r2,
                                                const Lanes<double>& r2, std::ptrdiff_t row,
                                                const Types& types) const {
    const auto& constants = table_.of_sources(row, types);
    PairTerm<Lanes<double>> term = HWY_NAMESPACE::lennard_jones(constants, inverse_r2);
    HWY_NAMESPACE::shift_force(constants, r2, term);
    return term;
  }

 private:
  std::conditional_t<several_types, TableRow<double>, TableOfOne<double>> table_;
};

/// Nothing but a range.
class PairsWithin {
 public:
  static constexpr bool are_forces = false;
  HWY_INLINE explicit PairsWithin(double range) : range_squared_(range * range) {}

  HWY_INLINE Truth<double> in_range(const Lanes<double>& r2, std::ptrdiff_t, OneType) const {
    return r2.is_below(range_squared_);
  }
  HWY_INLINE Lanes<double> inverse(const Lanes<double>& r2) const { return r2; }

 private:
  Lanes<double> range_squared_;
};

/// Force over r of particles of one type, as a number that is multiplied by a separation: in units
/// of the repulsion, and, since what is divided by r^2 may be any number, such that the product is
/// in units of `scale`, or nearly so. Whoever sums up multiplies by unit(). `length`: that
/// separations are counted in [sigma].
template <class Real, LennardJonesForm form, bool several_types>
class ForcePairs {
 public:
  using Numbers = Lanes<Real>;
  using Types = TypesOfSources<Real, several_types>;
  static constexpr LennardJonesForm form_of_pairs = form;
  static constexpr bool are_forces = true;

  HWY_INLINE ForcePairs(const VectorInteraction<Real>& interaction, double scale, double length,
                        SeventhRoot& seventh_root)
      : length_(length),
        reach_(interaction.pair.cutoff / length),
        numerator_(Real(0)),
        balance_(Real(0)),
        force_at_cutoff_(Real(0)),
        cutoff_squared_(static_cast<Real>(interaction.pair.cutoff_squared / (length * length))) {
    const LennardJonesConstants<Real>& pair = interaction.pair;
    if (!(pair.repulsion > Real(0))) return;  // nothing happens to anybody
    const double square = length * length;
    const auto numerator =
        static_cast<Real>(seventh_root.of(pair.repulsion * length / scale) / square);
    const double exact = numerator * square, cube = exact * exact * exact;
    const double force_over_r = pair.repulsion / (cube * cube * exact);  // of a result of one
    unit_ = force_over_r * length;
    numerator_ = Numbers(numerator);
    balance_ = Numbers(static_cast<Real>(cube * pair.attraction / pair.repulsion));
    force_at_cutoff_ = Numbers(static_cast<Real>(pair.force_at_cutoff / (force_over_r * length)));
  }

  double length() const { return length_; }
  double unit() const { return unit_; }
  double reach() const { return reach_; }
  HWY_INLINE Truth<Real> in_range(const Numbers& r2, std::ptrdiff_t, const Types&) const {
    return r2.is_below(cutoff_squared_);
  }
  HWY_INLINE Numbers inverse(const Numbers& r2) const { return numerator_ / r2; }
  HWY_INLINE Numbers operator()(const Numbers& inverse_r2, const Numbers& r2, std::ptrdiff_t,
                                const Types&) const {
    Numbers force = HWY_NAMESPACE::lennard_jones_force_in_units(balance_, inverse_r2);
    if constexpr (form == LennardJonesForm::force_shifted) {
      force -= force_at_cutoff_ / square_root(r2);
    }
    return force;
  }

 private:
  double length_, reach_, unit_ = 0.0;
  Numbers numerator_, balance_, force_at_cutoff_, cutoff_squared_;
};

/// Of several types.
template <class Real, LennardJonesForm form>
class ForcePairs<Real, form, true> {
 public:
  using Numbers = Lanes<Real>;
  using Types = SourceTypes<Real>;
  static constexpr LennardJonesForm form_of_pairs = form;
  static constexpr bool are_forces = true;

  HWY_INLINE ForcePairs(const VectorInteraction<Real>& interaction, double scale, double length,
                        const SeventhRoot&)
      : length_(length),
        unit_(scale),
        square_of_length_(static_cast<Real>(length * length)),
        per_unit_(static_cast<Real>(length / scale)),
        table_(interaction) {}

  double length() const { return length_; }
  double unit() const { return unit_; }
  HWY_INLINE Truth<Real> in_range(const Numbers& r2, std::ptrdiff_t row, const Types& types) const {
    return (r2 * square_of_length_).is_below(table_.of_sources(row, types).cutoff_squared);
  }
  HWY_INLINE Numbers inverse(const Numbers& count) const {
    return reciprocal(count * square_of_length_);
  }
  HWY_INLINE Numbers operator()(const Numbers& inverse_r2, const Numbers& count, std::ptrdiff_t row,
                                const Types& types) const {
    const auto constants = table_.of_sources(row, types);
    PairTerm<Numbers> term = HWY_NAMESPACE::lennard_jones(constants, inverse_r2);
    if constexpr (form == LennardJonesForm::force_shifted) {
      HWY_NAMESPACE::shift_force(constants, count * square_of_length_, term);
    }
    return term.force_over_r * per_unit_;
  }

 private:
  double length_, unit_;
  Numbers square_of_length_, per_unit_;
  TableRow<Real> table_;
};

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

}  // namespace pencilbox::host::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
