// The interaction of a run on its device: the model and its constants, and the way from run-time
// choices (form, one type or a table) to a functor that a kernel is compiled for.
#pragma once

#include "core/device/device.hpp"
#include "core/interactions/lennard_jones.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

/// `Real` is the arithmetic of one pair.
template <class Real>
class Interaction {
 public:
  /// `uncertainty`: by how much the separation of the first test can be off [sigma].
  Interaction(const LennardJonesModel& model, double uncertainty, Stream& stream)
      : model_(model),
        near_(model.cutoff + uncertainty),
        constants_(lennard_jones_constants<Real>(model)) {
    table_.upload(constants_, stream);
  }

  const LennardJonesModel& model() const { return model_; }

  /// Calls visitor(functor) with the functor of this model.
  template <class Visitor>
  void visit(Visitor&& visitor) const {
    if (model_.truncation == Truncation::force_shift) {
      visit_form<LennardJonesForm::force_shifted>(visitor);
    } else {
      visit_form<LennardJonesForm::shifted>(visitor);
    }
  }

 private:
  template <LennardJonesForm form, class Visitor>
  void visit_form(Visitor& visitor) const {
    const Real cutoff = static_cast<Real>(model_.cutoff);
    const Real cutoff_squared = static_cast<Real>(model_.cutoff * model_.cutoff);
    const Real near_squared = static_cast<Real>(near_ * near_);
    if (model_.types == 1) {
      using Pairs = OnePairOfTypes<Real>;
      visitor(LennardJones<Real, form, Pairs>{Pairs{constants_[0]}, cutoff, cutoff_squared,
                                              near_squared});
    } else {
      using Pairs = TableOfPairs<Real>;
      visitor(LennardJones<Real, form, Pairs>{Pairs{table_.data(), model_.types}, cutoff,
                                              cutoff_squared, near_squared});
    }
  }

  LennardJonesModel model_;
  double near_;
  std::vector<LennardJonesConstants<Real>> constants_;
  Buffer<LennardJonesConstants<Real>> table_;
};

}  // namespace pencilbox::PENCILBOX_DEVICE
