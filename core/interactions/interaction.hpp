// The interaction of a run on its device: the model and its constants, and the way from run-time
// choices (model, form, one type or a table) to a functor that a kernel is compiled for.
#pragma once

#include <algorithm>
#include <stdexcept>
#include <string>

#include "core/device/device.hpp"
#include "core/interactions/cutoff_test.hpp"
#include "core/interactions/lennard_jones.hpp"
#include "core/interactions/potential.hpp"
#include "core/interactions/tabulated.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

/// `Real` is the arithmetic of one pair.
template <class Real>
class Interaction {
 public:
  /// `uncertainty`: by how much the separation of the first test can be off [sigma].
  Interaction(const Potential& potential, double uncertainty, Stream& stream)
      : potential_(potential), near_(cutoff_of(potential) + uncertainty) {
    if (const auto* model = std::get_if<LennardJonesModel>(&potential)) {
      lennard_jones_ = lennard_jones_constants<Real>(*model);
      lennard_jones_table_.upload(lennard_jones_, stream);
    } else if (const auto* gravity = std::get_if<SoftenedGravityModel>(&potential)) {
      strengths_ = gravity_strengths<Real>(*gravity);
      strength_table_.upload(strengths_, stream);
    } else if (const auto* tabulated = std::get_if<TabulatedModel>(&potential)) {
      const TablesAndPieces<Real> all = tables_and_pieces<Real>(*tabulated);
      tables_.upload(all.tables, stream);
      pieces_.upload(all.pieces, stream);
    }
  }

  /// Of other cells.
  void set_uncertainty(double uncertainty) { near_ = cutoff_of(potential_) + uncertainty; }

  /// The cutoff alone, for counting.
  CutoffTest<Real> cutoff_test() const {
    const double cutoff = cutoff_of(potential_);
    return {static_cast<Real>(cutoff * cutoff), static_cast<Real>(near_ * near_)};
  }

  /// Calls visitor(functor) with the functor of a model that has a cutoff, for kernels that are
  /// asked for forces alone, in every step: one for each form.
  template <class Visitor>
  void visit_for_forces(Visitor&& visitor) const {
    if (model<LennardJonesModel>().truncation == Truncation::force_shift) {
      visit_form<LennardJonesForm::force_shifted>(visitor);
    } else {
      visit_form<LennardJonesForm::shifted>(visitor);
    }
  }

  /// The same for kernels that are asked for energies too, now and then: one for all forms.
  template <class Visitor>
  void visit_for_energies(Visitor&& visitor) const {
    visit_form<LennardJonesForm::force_shifted>(visitor);
  }

  /// The same of pairs in tables, for those who have kernels for them: one functor for all.
  bool is_tabulated() const { return std::holds_alternative<TabulatedModel>(potential_); }

  template <class Visitor>
  void visit_tabulated(Visitor&& visitor) const {
    const CutoffTest<Real> test = cutoff_test();
    visitor(TabulatedPairs<Real>{tables_.data(), pieces_.data(), model<TabulatedModel>().types,
                                 test.cutoff_squared, test.near_squared});
  }

  /// With energies, for those who look now and then and have kernels for every model: one that has
  /// a cutoff, or any.
  template <class Visitor>
  void visit_with_cutoff(Visitor&& visitor) const {
    is_tabulated() ? visit_tabulated(visitor) : visit_for_energies(visitor);
  }
  template <class Visitor>
  void visit_any(Visitor&& visitor) const {
    is_softened_gravity() ? visit_softened_gravity(visitor) : visit_with_cutoff(visitor);
  }

  /// Whether it acts at any distance.
  bool is_softened_gravity() const {
    return std::holds_alternative<SoftenedGravityModel>(potential_);
  }

  /// Calls visitor(functor) with the functor of softened gravity.
  template <class Visitor>
  void visit_softened_gravity(Visitor&& visitor) const {
    const auto& gravity = model<SoftenedGravityModel>();
    const Real softening_squared = static_cast<Real>(gravity.softening * gravity.softening);
    if (gravity.masses.size() == 1) {
      using Pairs = OnePairOfTypes<Real>;
      visitor(SoftenedGravity<Real, Pairs>{Pairs{strengths_[0]}, softening_squared});
    } else {
      using Pairs = TableOfPairs<Real>;
      visitor(SoftenedGravity<Real, Pairs>{
          Pairs{strength_table_.data(), static_cast<std::int32_t>(gravity.masses.size())},
          softening_squared});
    }
  }

  /// Whether it is one of the benchmark's potentials, which know no force.
  bool is_candidate_potential() const {
    return std::holds_alternative<CandidatePotentialModel>(potential_);
  }

  /// Calls visitor(functor) with one of the benchmark's kernels, which exist in float only.
  template <class Visitor>
  void visit_candidate_potential(Visitor&& visitor) const {
    switch (model<CandidatePotentialModel>().kind) {
      case CandidatePotential::position_sum:
        return visitor(CandidateKernel<CandidatePotential::position_sum>{});
      case CandidatePotential::lennard_jones:
        return visitor(CandidateKernel<CandidatePotential::lennard_jones>{});
      case CandidatePotential::extended:
        return visitor(CandidateKernel<CandidatePotential::extended>{});
      case CandidatePotential::rootless:
        return visitor(CandidateKernel<CandidatePotential::rootless>{});
    }
  }

 private:
  template <class Model>
  const Model& model() const {
    if (const auto* found = std::get_if<Model>(&potential_)) return *found;
    throw std::logic_error("a back end asks for an interaction that is not the run's");
  }

  template <LennardJonesForm form, class Visitor>
  void visit_form(Visitor& visitor) const {
    const auto& lennard_jones = model<LennardJonesModel>();
    const CutoffTest<Real> test = cutoff_test();
    if (lennard_jones.types == 1) {
      using Pairs = OnePairOfTypes<LennardJonesConstants<Real>>;
      visitor(LennardJones<Real, form, Pairs>{Pairs{lennard_jones_[0]}, test.cutoff_squared,
                                              test.near_squared});
    } else {
      using Pairs = TableOfPairs<LennardJonesConstants<Real>>;
      visitor(
          LennardJones<Real, form, Pairs>{Pairs{lennard_jones_table_.data(), lennard_jones.types},
                                          test.cutoff_squared, test.near_squared});
    }
  }

  Potential potential_;
  double near_;
  std::vector<LennardJonesConstants<Real>> lennard_jones_;
  Buffer<LennardJonesConstants<Real>> lennard_jones_table_;
  std::vector<Real> strengths_;
  Buffer<Real> strength_table_;
  Buffer<TableOfTypes<Real>> tables_;
  Buffer<TablePiece<Real>> pieces_;
};

}  // namespace pencilbox::PENCILBOX_DEVICE
