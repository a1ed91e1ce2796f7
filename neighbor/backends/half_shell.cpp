// Half-Shell: each pair once. A cell takes the sources of half of the cells around it, which rotate
// past its targets as in rotating-sources and carry their own sums along; what both ends of a pair
// get goes to memory by atomics, in no fixed order. Ours.
#include "neighbor/walks/launch_rotation.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

namespace {

template <class Precision>
class HalfShell final : public Backend<Precision> {
  using Rotation = TunedRotation<Precision, PairsOf::half_shell>;

 public:
  HalfShell(const Problem& problem, const BackendOptions& options) : rotation_(problem, options) {}

  static std::optional<std::string> refuse(const Problem& problem, const BackendOptions& options) {
    if (problem.deterministic) {
      return "it adds to both ends of a pair as they come, so that sums differ in their last bits "
             "from run to run (run.deterministic: false, or back end 'rotating-sources')";
    }
    return Rotation::refuse(problem, options);
  }

  void rebuild(const BinnedParticles<Precision>&, Stream&) override {}

  void occupancy_changed(Index largest_cell) override { rotation_.occupancy_changed(largest_cell); }

  void compute(const BinnedParticles<Precision>& particles,
               const Interaction<typename Precision::Pair>& interaction, Wanted wanted,
               PairSums<Precision>& sums, Stream& stream) override {
    const PairSumsView<Precision> view(sums);
    dispatch<Precision>(interaction, wanted, [&](const auto& functor, auto chosen) {
      using Functor = std::decay_t<decltype(functor)>;
      rotation_.template launch<chosen()>(particles, functor, view, stream, [&] {
        for_each(stream, particles.count,
                 ClearSums<Precision, chosen(), is_candidate_kernel<Functor>>{view});
      });
    });
  }

  bool settled() const override { return rotation_.settled(); }

  LaunchReport launch_report() const override { return rotation_.report(); }

 private:
  Rotation rotation_;
};

}  // namespace

BackendEntry half_shell() {
  return make_entry<HalfShell>({
      .name = "half-shell",
      .summary = "each pair once: sources of half of the cells rotate past a cell's targets",
      .source = "ours",
      .options = RotationRules::options(),
      .needs_blocks = true,
      .crowd = 6.0,
      .has_fixed_order = false,
      .worth_trying = {{}},
  });
}

}  // namespace pencilbox::PENCILBOX_DEVICE
