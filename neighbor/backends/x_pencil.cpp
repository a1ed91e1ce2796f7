// X-pencil: one block per pencil, a row of `length` cells along x. Few particles per cell, section
// 5.2 and Algorithm 5; the kernel: x_pencil/kernel.hpp.
//
// The paper's bounds are launch rules here (neighbor/backends/x_pencil/pencil_rules.hpp), not
// limits: a pencil with more targets than threads takes several rounds, a source pencil larger than
// half the shared memory comes in several pieces. So no occupancy, however uneven, gives a wrong
// answer.
#include "neighbor/backends/x_pencil/kernel.hpp"
#include "neighbor/backends/x_pencil/pencil_rules.hpp"
#include "neighbor/walks/launch_tuner.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

namespace {

template <class Precision>
class XPencil final : public Backend<Precision> {
 public:
  XPencil(const Problem& problem, const BackendOptions& options)
      : rules_(rules_for(problem, options)),
        runs_(rules_.merges_runs() ? SourceRuns::merged : SourceRuns::cells),
        shapes_(rules_.shapes_to_try()),
        tuner_(numbers_below(shapes_.size()), problem.device.emulates_blocks) {}

  static std::optional<std::string> refuse(const Problem& problem, const BackendOptions& options) {
    if (const auto reason = partners_beyond_neighbor_cells(problem)) return reason;
    return rules_for(problem, options).refuse();
  }

  void rebuild(const BinnedParticles<Precision>&, Stream&) override {}

  void occupancy_changed(Index largest_cell) override { rules_.occupancy_changed(largest_cell); }

  void compute(const BinnedParticles<Precision>& particles,
               const Interaction<typename Precision::Pair>& interaction, Wanted wanted,
               PairSums<Precision>& sums, Stream& stream) override {
    const Index tried = tuner_.begin(wanted, stream);
    const PencilShape pencils = rules_.fitting(shapes_[static_cast<std::size_t>(tried)]);
    const int threads = rules_.threads_of(pencils);
    const PencilLayout layout = rules_.layout_of(pencils, threads);
    const LaunchShape shape{
        rules_.blocks_with(layout.length), threads,
        SurroundingPencils::bytes + static_cast<std::size_t>(2 * layout.half) * bytes_per_source};
    dispatch<Precision>(interaction, wanted, [&](const auto& functor, auto chosen) {
      dispatch_walk(pencils.lanes, [&](auto runs, auto several_lanes) {
        using Functor = std::decay_t<decltype(functor)>;
        using Kernel = XPencilKernel<Precision, chosen(), Functor, runs(), several_lanes()>;
        launch(stream, shape, Kernel{particles, functor, PairSumsView<Precision>(sums), layout});
      });
    });
    tuner_.end(stream);
    report_ = {shape, [this, length = layout.length, lanes = pencils.lanes] {
                 return "pencils of " + std::to_string(length) + " cells" +
                        (lanes > 1 ? ", " + threads_per_target_in_words(lanes) : "") +
                        (tuner_.decided() ? "" : ", other shapes still to be tried");
               }};
  }

  bool settled() const override { return tuner_.decided(); }

  LaunchReport launch_report() const override { return report_; }

 private:
  static constexpr std::size_t bytes_per_source = sizeof(StagedSource<typename Precision::Pair>);

  static PencilRules rules_for(const Problem& problem, const BackendOptions& options) {
    return {problem, options, SurroundingPencils::bytes, bytes_per_source};
  }

  /// Calls run(runs, several_lanes), both constants.
  template <class Run>
  void dispatch_walk(int lanes, Run&& run) const {
    if (lanes > 1) {
      run(std::integral_constant<SourceRuns, SourceRuns::merged>{}, std::true_type{});
    } else {
      dispatch_runs(runs_, [&](auto runs) { run(runs, std::false_type{}); });
    }
  }

  PencilRules rules_;
  SourceRuns runs_;
  std::vector<PencilShape> shapes_;
  LaunchTuner tuner_;
  LaunchReport report_;
};

BackendOptions worth_trying(const std::string& length, const std::string& threads) {
  return {{"length", length}, {"threads", threads}, {"staged", "many"}, {"runs", "merged"}};
}

}  // namespace

BackendEntry x_pencil() {
  return make_entry<XPencil>({
      .name = "x-pencil",
      .summary = "one block per row of cells, the nine source rows pass through shared memory",
      .source = "Few particles per cell, section 5.2, Algorithm 5",
      .options = PencilRules::options(),
      .needs_blocks = true,
      .on_ranks = OnRanks::to_the_bit,
      .worth_trying = {worth_trying("8", "average"), worth_trying("4", "average"),
                       worth_trying("16", "average"), worth_trying("paper", "targets")},
  });
}

}  // namespace pencilbox::PENCILBOX_DEVICE
