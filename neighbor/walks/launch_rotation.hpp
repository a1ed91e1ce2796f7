// How rotating sources are launched, by whoever takes which pairs.
#pragma once

#include "neighbor/walks/rotating_sources.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

/// Few targets a lane leave it few registers. The benchmark's lean potentials, which are no more
/// than a few operations, are given many too.
template <class Interaction>
constexpr int most_rotation_targets =
    is_candidate_kernel<Interaction>&& vanishes_far_away<Interaction>()
        ? RotationRules::most_targets
        : RotationRules::few_targets;

template <class Precision, Wanted wanted, PairsOf pairs, class Interaction, class Sink>
LaunchReport launch_rotation(const RotationRules& rules, const RotationShape& shape,
                             Index most_in_a_cell, const BinnedParticles<Precision>& particles,
                             const Interaction& interaction, const Sink& sink, Stream& stream) {
  const auto functor = without_root(interaction);
  using Functor = std::decay_t<decltype(functor)>;
  constexpr int most = most_rotation_targets<Functor>;
  constexpr int few = RotationRules::few_targets;
  const RotationLayout layout = rules.layout(shape, most_in_a_cell, most, particles.grid.cells);
  LaunchShape launched = rules.launch_shape(layout);
  using Sum = QuickSumOf<Precision, wanted, Functor>;
  if (pairs == PairsOf::targets) launched.shared_bytes = rules.shared_bytes(layout, sizeof(Sum));
  const auto start = [&](auto targets) {
    launch(stream, launched,
           RotatingSources<Precision, wanted, Functor, Sink, pairs, targets()>{particles, functor,
                                                                               sink, layout});
  };
  const LaunchReport report{launched, [shape] { return in_words(shape); }};
  if constexpr (most > few) {
    constexpr int some = RotationRules::some_targets;
    if (layout.targets > some) return start(std::integral_constant<int, most>{}), report;
    if (layout.targets > few) return start(std::integral_constant<int, some>{}), report;
  }
  start(std::integral_constant<int, few>{});
  return report;
}

}  // namespace pencilbox::PENCILBOX_DEVICE
