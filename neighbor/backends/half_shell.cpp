// Half-Shell: each pair once. A cell takes the sources of half of the cells around it, which rotate
// past its targets as in rotating-sources and carry their own sums along; what both ends of a pair
// get goes to memory by atomics, in no fixed order. Ours.
#include "neighbor/walks/launch_rotation.hpp"
#include "neighbor/walks/launch_tuner.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

namespace {

template <class Precision>
class HalfShell final : public Backend<Precision> {
 public:
  HalfShell(const Problem& problem, const BackendOptions& options)
      : rules_(problem, options, cells_around),
        shapes_(rules_.shapes_to_try()),
        tuner_(numbers_below(shapes_.size()), problem.device.emulates_blocks),
        most_in_a_cell_(problem.largest_cell) {}

  static std::optional<std::string> refuse(const Problem& problem, const BackendOptions& options) {
    if (problem.deterministic) {
      return "it adds to both ends of a pair as they come, so that sums differ in their last bits "
             "from run to run (run.deterministic: false, or back end 'rotating-sources')";
    }
    return RotationRules(problem, options, cells_around).refuse();
  }

  void rebuild(const BinnedParticles<Precision>&, Stream&) override {}

  void occupancy_changed(Index largest_cell) override { most_in_a_cell_ = largest_cell; }

  void compute(const BinnedParticles<Precision>& particles,
               const Interaction<typename Precision::Pair>& interaction, Wanted wanted,
               PairSums<Precision>& sums, Stream& stream) override {
    const RotationShape& shape = shapes_[static_cast<std::size_t>(tuner_.begin(wanted, stream))];
    const PairSumsView<Precision> view(sums);
    dispatch<Precision>(interaction, wanted, [&](const auto& functor, auto chosen) {
      using Functor = std::decay_t<decltype(functor)>;
      for_each(stream, particles.count,
               ClearSums<Precision, chosen(), is_candidate_kernel<Functor>>{view});
      report_ = launch_rotation<Precision, chosen(), PairsOf::half_shell>(
          rules_, shape, most_in_a_cell_, particles, functor, view, stream);
    });
    tuner_.end(stream);
  }

  bool settled() const override { return tuner_.decided(); }

  LaunchReport launch_report() const override { return report_; }

 private:
  static constexpr Index cells_around = ShiftCode::count / 2 + 1;

  RotationRules rules_;
  std::vector<RotationShape> shapes_;
  LaunchTuner tuner_;
  Index most_in_a_cell_;
  LaunchReport report_;
};

}  // namespace

BackendEntry half_shell() {
  return make_entry<HalfShell>({
      .name = "half-shell",
      .summary = "each pair once: sources of half of the cells rotate past a cell's targets",
      .source = "ours",
      .options = RotationRules::options(),
      .needs_blocks = true,
      .worth_trying = {{}},
  });
}

}  // namespace pencilbox::PENCILBOX_DEVICE
