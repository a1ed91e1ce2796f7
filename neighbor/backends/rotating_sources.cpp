// Rotating-Sources: targets in the registers of groups of lanes, past which sources rotate; all
// lanes of a cell's warps are kept busy, whether it has one target or hundreds. Ours.
#include "neighbor/walks/backend_with_sinks.hpp"
#include "neighbor/walks/launch_rotation.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

namespace {

template <class Precision>
class RotatingSourcesBackend final
    : public BackendWithSinks<Precision, RotatingSourcesBackend<Precision>> {
  using Rotation = TunedRotation<Precision, PairsOf::targets>;

 public:
  static constexpr bool needs_cutoff = false;
  static constexpr bool stays_resident = false;

  RotatingSourcesBackend(const Problem& problem, const BackendOptions& options)
      : rotation_(problem, options) {}

  static std::optional<std::string> refuse(const Problem& problem, const BackendOptions& options) {
    return Rotation::refuse(problem, options);
  }

  void rebuild(const BinnedParticles<Precision>&, Stream&) override {}

  void occupancy_changed(Index largest_cell) override { rotation_.occupancy_changed(largest_cell); }

  /// Launches the kernel: see BackendWithSinks.
  template <Wanted wanted, class Functor, class Sink>
  void run(const BinnedParticles<Precision>& particles, const Functor& functor, const Sink& sink,
           Stream& stream) {
    rotation_.template launch<wanted>(particles, functor, sink, stream, [] {});
  }

  bool settled() const override { return rotation_.settled(); }

  LaunchReport launch_report() const override { return rotation_.report(); }

 private:
  Rotation rotation_;
};

}  // namespace

BackendEntry rotating_sources() {
  return make_entry<RotatingSourcesBackend>({
      .name = "rotating-sources",
      .summary = "targets in registers of groups of lanes, sources rotate past them by shuffles",
      .source = "ours",
      .options = RotationRules::options(),
      .needs_blocks = true,
      .crowd = 8.0,
      .worth_trying = {{}},
  });
}

}  // namespace pencilbox::PENCILBOX_DEVICE
