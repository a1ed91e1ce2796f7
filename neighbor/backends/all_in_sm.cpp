// All-in-SM: one block per sub-box of cells; the whole sub-box, with the ghost cells around it,
// lies in shared memory before a target is looked at.
// Few particles per cell, section 5.1 and Algorithm 4; launch rules from section 7.1. The kernel:
// all_in_sm/kernel.hpp.
#include "neighbor/backends/all_in_sm/kernel.hpp"
#include "neighbor/backends/all_in_sm/launch_rules.hpp"
#include "neighbor/walks/launch_tuner.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

namespace {

template <class Precision>
class AllInSm final : public Backend<Precision> {
  using Pair = typename Precision::Pair;

 public:
  AllInSm(const Problem& problem, const BackendOptions& options)
      : rules_(problem, options),
        grid_(problem.grid.cells),
        largest_cell_(problem.largest_cell),
        tries_shapes_(options.at("sub_box") == "best"),
        tried_(rules_.targets_to_try(largest_cell_)),
        tuner_(numbers_below(tries_shapes_ ? tried_.size() : 1), problem.device.emulates_blocks) {}

  static std::optional<std::string> refuse(const Problem& problem, const BackendOptions& options) {
    if (const auto reason = partners_beyond_neighbor_cells(problem)) return reason;
    const AllInSmRules<Pair> rules(problem, options);
    const std::int64_t most = rules.cells_that_fit(problem.largest_cell);
    if (most < fewest_cells_with_ghosts) {
      return "a sub-box needs at least 27 cells (a target cell and those around it) in shared "
             "memory: " +
             std::to_string(rules.shared_bytes()) + " bytes hold " + std::to_string(most) +
             " cells of " + std::to_string(problem.largest_cell) + " particles";
    }
    return {};
  }

  void rebuild(const BinnedParticles<Precision>&, Stream&) override {}

  void occupancy_changed(Index largest_cell) override { largest_cell_ = largest_cell; }

  void compute(const BinnedParticles<Precision>& particles, const Interaction<Pair>& interaction,
               Wanted wanted, PairSums<Precision>& sums, Stream& stream) override {
    const SubBoxSides targets = targets_now(static_cast<std::size_t>(tuner_.begin(wanted, stream)));
    dispatch<Precision>(interaction, wanted, [&](const auto& functor, auto chosen) {
      using Functor = std::decay_t<decltype(functor)>;
      using Kernel = AllInSmKernel<Precision, chosen(), Functor>;
      const AllInSmLayout layout = rules_.layout(targets, largest_cell_);
      LaunchShape shape;
      shape.blocks = sub_boxes_in(grid_, targets);
      shape.threads = rules_.threads(targets, largest_cell_);
      shape.shared_bytes =
          static_cast<std::size_t>(layout.capacity * all_in_sm_bytes<Pair>(Functor::needs_types) +
                                   std::int64_t{4} * layout.offsets());
      launch(stream, shape, Kernel{particles, functor, PairSumsView<Precision>(sums), layout});
      report_ = {shape, [targets] { return note(targets); }};
    });
    tuner_.end(stream);
  }

  bool settled() const override { return tuner_.decided(); }

  LaunchReport launch_report() const override { return report_; }

 private:
  /// What no longer fits, because cells have filled, gives way to the rule.
  SubBoxSides targets_now(std::size_t choice) const {
    const bool takes_tried = tries_shapes_ && rules_.fits(tried_[choice], largest_cell_);
    return takes_tried ? tried_[choice] : rules_.paper_targets(largest_cell_);
  }

  static std::string note(const SubBoxSides& targets) {
    const std::int64_t count = cells_of(targets);
    return "sub-boxes of " + in_words(with_ghosts(targets)) + " cells with ghosts, " +
           in_words(targets) + " = " + std::to_string(count) +
           (count == 1 ? " target cell" : " target cells");
  }

  AllInSmRules<Pair> rules_;
  SubBoxSides grid_;
  Index largest_cell_;
  bool tries_shapes_;
  std::vector<SubBoxSides> tried_;
  LaunchTuner tuner_;
  LaunchReport report_;
};

}  // namespace

BackendEntry all_in_sm() {
  return make_entry<AllInSm>({
      .name = "all-in-sm",
      .summary =
          "one block per 3-D sub-box of cells, all of it and its ghost cells in shared memory",
      .source = "Few particles per cell, section 5.1, Algorithm 4",
      .options = {{.name = "sub_box",
                   .default_value = "paper",
                   .description =
                       "of a block; paper: nearly a cube, as large as fits, smaller while "
                       "multiprocessors idle; best: the fastest of several, found while "
                       "running",
                   .choices = {"paper", "best"}},
                  shared_memory_option(),
                  {.name = "threads",
                   .default_value = "paper",
                   .description = "of a block, at most 512; paper: MC for each cell and ghost, MC "
                                  "slots a target cell; targets: MC for each target cell, targets "
                                  "packed without gaps",
                   .choices = {"paper", "targets"}}},
      .needs_blocks = true,
      .on_ranks = OnRanks::to_the_bit,
      .worth_trying = {{{"threads", "targets"}},
                       {{"threads", "targets"}, {"shared_memory", "device"}}},
  });
}

}  // namespace pencilbox::PENCILBOX_DEVICE
