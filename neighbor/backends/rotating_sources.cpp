// Rotating-Sources: targets in the registers of groups of lanes, past which sources rotate; all
// lanes of a cell's warps are kept busy, whether it has one target or hundreds. Ours.
#include "neighbor/walks/backend_with_sinks.hpp"
#include "neighbor/walks/launch_rotation.hpp"
#include "neighbor/walks/launch_tuner.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

namespace {

template <class Precision>
class RotatingSourcesBackend final
    : public BackendWithSinks<Precision, RotatingSourcesBackend<Precision>> {
 public:
  static constexpr bool needs_cutoff = false;
  static constexpr bool stays_resident = false;

  RotatingSourcesBackend(const Problem& problem, const BackendOptions& options)
      : rules_(problem, options, ShiftCode::count),
        shapes_(rules_.shapes_to_try()),
        tuner_(numbers_below(shapes_.size()), problem.device.emulates_blocks),
        most_in_a_cell_(problem.largest_cell) {}

  static std::optional<std::string> refuse(const Problem& problem, const BackendOptions& options) {
    return RotationRules(problem, options, ShiftCode::count).refuse();
  }

  void rebuild(const BinnedParticles<Precision>&, Stream&) override {}

  void occupancy_changed(Index largest_cell) override { most_in_a_cell_ = largest_cell; }

  /// Launches the kernel: see BackendWithSinks.
  template <Wanted wanted, class Functor, class Sink>
  void run(const BinnedParticles<Precision>& particles, const Functor& functor, const Sink& sink,
           Stream& stream) {
    const RotationShape& shape = shapes_[static_cast<std::size_t>(tuner_.begin(wanted, stream))];
    report_ = launch_rotation<Precision, wanted, PairsOf::targets>(
        rules_, shape, most_in_a_cell_, particles, functor, sink, stream);
    tuner_.end(stream);
  }

  bool settled() const override { return tuner_.decided(); }

  LaunchReport launch_report() const override { return report_; }

 private:
  RotationRules rules_;
  std::vector<RotationShape> shapes_;
  LaunchTuner tuner_;
  Index most_in_a_cell_;
  LaunchReport report_;
};

}  // namespace

BackendEntry rotating_sources() {
  return make_entry<RotatingSourcesBackend>({
      .name = "rotating-sources",
      .summary = "targets in registers of groups of lanes, sources rotate past them by shuffles",
      .source = "ours",
      .options = RotationRules::options(),
      .needs_blocks = true,
      .worth_trying = {{}},
  });
}

}  // namespace pencilbox::PENCILBOX_DEVICE
