// What back ends have in common whose kernels hand each target's sum to a sink: arrays, or the move
// that follows.
#pragma once

#include "neighbor/backend.hpp"
#include "neighbor/pair_sum.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

/// `Derived` launches its kernel in run<wanted>(particles, interaction's functor, sink, stream),
/// and says with `needs_cutoff` whether potentials without one are none of its business. With
/// `stays_resident` it has stay_resident(particles, functor, move, units, stream), which is
/// compute_and_move_units().
template <class Precision, class Derived>
class BackendWithSinks : public Backend<Precision> {
  using Pair = typename Precision::Pair;

 public:
  void compute(const BinnedParticles<Precision>& particles, const Interaction<Pair>& interaction,
               Wanted wanted, PairSums<Precision>& sums, Stream& stream) override {
    const auto run = [&](const auto& functor, auto chosen) {
      self().template run<chosen()>(particles, functor, PairSumsView<Precision>(sums), stream);
    };
    if constexpr (has_kernels_for_tables<Derived>) {
      if (dispatch_tabulated(interaction, wanted, run)) return;
    }
    if constexpr (Derived::needs_cutoff) {
      dispatch_short_ranged(interaction, wanted, run);
    } else {
      dispatch<Precision>(interaction, wanted, run);
    }
  }

  bool moves_targets() const override { return true; }

  void compute_and_move(const BinnedParticles<Precision>& particles,
                        const Interaction<Pair>& interaction, const KickAndDrift<Precision>& move,
                        Stream& stream) override {
    interaction.visit_for_forces([&](const auto& functor) {
      self().template run<Wanted::forces>(particles, functor, move, stream);
    });
  }

  bool compute_and_move_units(const BinnedParticles<Precision>& particles,
                              const Interaction<Pair>& interaction,
                              const KickAndDrift<Precision>& move,
                              const UnitsOfCycle<Precision>& units, Stream& stream) override {
    bool enqueued = false;
    if constexpr (Derived::stays_resident) {
      interaction.visit_for_forces([&](const auto& functor) {
        enqueued = self().stay_resident(particles, functor, move, units, stream);
      });
    }
    return enqueued;
  }

 private:
  Derived& self() { return static_cast<Derived&>(*this); }
};

}  // namespace pencilbox::PENCILBOX_DEVICE
