// How rotating sources are launched, by whoever takes which pairs.
#pragma once

#include <vector>

#include "neighbor/walks/launch_tuner.hpp"
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
    if (layout.targets > few) {
      const bool fits_some = layout.targets <= some &&
                             launched.threads <= RotationRules::most_threads_with_room_for(some);
      if (fits_some) return start(std::integral_constant<int, some>{}), report;
      return start(std::integral_constant<int, most>{}), report;
    }
  }
  start(std::integral_constant<int, few>{});
  return report;
}

/// Rotating sources in the shape that turns out to be the fastest.
template <class Precision, PairsOf pairs>
class TunedRotation {
 public:
  TunedRotation(const Problem& problem, const BackendOptions& options)
      : rules_(problem, options, cells_around),
        shapes_(rules_.shapes_to_try()),
        tuner_(numbers_below(shapes_.size()), problem.device.emulates_blocks),
        most_in_a_cell_(problem.largest_cell) {}

  static std::optional<std::string> refuse(const Problem& problem, const BackendOptions& options) {
    return RotationRules(problem, options, cells_around).refuse();
  }

  void occupancy_changed(Index largest_cell) { most_in_a_cell_ = largest_cell; }

  /// `prepare` is launched with it, and timed with it.
  template <Wanted wanted, class Interaction, class Sink, class Prepare>
  void launch(const BinnedParticles<Precision>& particles, const Interaction& interaction,
              const Sink& sink, Stream& stream, const Prepare& prepare) {
    const RotationShape& shape = shapes_[static_cast<std::size_t>(tuner_.begin(wanted, stream))];
    prepare();
    report_ = launch_rotation<Precision, wanted, pairs>(rules_, shape, most_in_a_cell_, particles,
                                                        interaction, sink, stream);
    tuner_.end(stream);
  }

  bool settled() const { return tuner_.decided(); }
  const LaunchReport& report() const { return report_; }

 private:
  static constexpr Index cells_around =
      pairs == PairsOf::half_shell ? ShiftCode::count / 2 + 1 : ShiftCode::count;

  RotationRules rules_;
  std::vector<RotationShape> shapes_;
  LaunchTuner tuner_;
  Index most_in_a_cell_;
  LaunchReport report_;
};

}  // namespace pencilbox::PENCILBOX_DEVICE
