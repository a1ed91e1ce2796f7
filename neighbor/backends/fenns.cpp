// FENNS: a coarse grid in device memory, and within each of its cells a fine one that is made on
// the fly in shared memory. Gross, Koester, Krueger, Fast and Efficient Nearest Neighbor Search for
// Particle Simulations (2019). Step 1, section 3.1: fenns/sections.hpp; step 2, section 3.2:
// fenns/search.hpp.
//
// Ours: periodic directions, and who looks up whom (fenns/search.hpp).
#include "neighbor/backends/fenns/search.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

namespace {

template <class Precision>
class Fenns final : public Backend<Precision> {
 public:
  Fenns(const Problem& problem, const BackendOptions& options)
      : problem_(problem),
        threads_(block_of(options)),
        coarse_(coarse_grid_of(problem, options)),
        sections_(problem, coarse_) {}

  static std::optional<std::string> refuse(const Problem& problem, const BackendOptions& options) {
    if (const auto reason = refuse_cells_or_block(problem, options)) return reason;
    const two_level_grid::CoarseGrid coarse = coarse_grid_of(problem, options);
    const std::int64_t most = problem.device.shared_bytes_opt_in;
    const auto beyond = [&](const std::string& what, std::int64_t bytes) {
      return what + " take " + std::to_string(bytes) + " bytes of shared memory, a block has " +
             std::to_string(most);
    };
    if (coarse.counter_bytes() > most) {
      return beyond("the counters of " + words(coarse.coarse) + " coarse cells",
                    coarse.counter_bytes());
    }
    const std::int64_t bytes = search_bytes(coarse.local_cells(), block_of(options));
    if (bytes > most) {
      return beyond("a batch of " + options.at("block") + " particles and the local grid over " +
                        words(coarse.side) + " cells",
                    bytes);
    }
    const auto& side = coarse.side;
    const Index longest = std::max({side.x, side.y, side.z});
    if (longest <= two_level_grid::longest_side) return {};
    return "a coarse cell of " + words(side) + " cells is longer than the " +
           std::to_string(two_level_grid::longest_side) + " that coordinates within it can count";
  }

  void box_changed(const Problem& problem) override { sections_.box_changed(problem); }

  void rebuild(const BinnedParticles<Precision>& particles, Stream& stream) override {
    sections_.build(particles, problem_.device, threads_, stream);
  }

  void compute(const BinnedParticles<Precision>& particles,
               const Interaction<typename Precision::Pair>& interaction, Wanted wanted,
               PairSums<Precision>& sums, Stream& stream) override {
    dispatch<Precision>(interaction, wanted, [&](const auto& functor, auto chosen) {
      using Kernel = two_level_grid::Search<Precision, chosen(), std::decay_t<decltype(functor)>>;
      LaunchShape shape;
      shape.blocks = coarse_.count();
      shape.threads = threads_;
      shape.shared_bytes = Kernel::shared_bytes(coarse_.local_cells(), threads_);
      launch(stream, shape,
             Kernel{particles, sections_.view(), coarse_, functor, PairSumsView<Precision>(sums),
                    problem_.deterministic});
      report_ = {shape, [this] {
                   return words(coarse_.coarse) + " coarse cells of " + words(coarse_.side) +
                          " cells" + (problem_.deterministic ? ", sources in fixed order" : "");
                 }};
    });
  }

  LaunchReport launch_report() const override { return report_; }

 private:
  static std::string words(const CellCoordinates& c) {
    return std::to_string(c.x) + " x " + std::to_string(c.y) + " x " + std::to_string(c.z);
  }

  /// Shared memory of the search; in every precision as much as in double and with types, so that
  /// the coarse grid depends on neither.
  static std::int64_t search_bytes(std::int64_t local_cells, int threads) {
    using Pairs = TableOfPairs<LennardJonesConstants<double>>;
    using Functor = LennardJones<double, LennardJonesForm::shifted, Pairs>;
    using Kernel = two_level_grid::Search<DoublePrecision, Wanted::forces, Functor>;
    return static_cast<std::int64_t>(Kernel::shared_bytes(local_cells, threads));
  }

  static two_level_grid::CoarseGrid coarse_grid_of(const Problem& problem,
                                                   const BackendOptions& options) {
    const std::string& wanted = options.at("coarse_cells");
    if (wanted != "auto") return two_level_grid::with_at_most(problem.grid, std::stoi(wanted));
    const std::int64_t bytes =
        std::min<std::int64_t>(48 * 1024, problem.device.shared_bytes_opt_in);  // of the paper
    const int threads = block_of(options);
    const std::int64_t left = bytes - search_bytes(0, threads);
    return two_level_grid::choose_coarse_grid(problem.grid, problem.particles, threads,
                                              left / static_cast<std::int64_t>(sizeof(Index)));
  }

  Problem problem_;
  int threads_;
  two_level_grid::CoarseGrid coarse_;
  two_level_grid::Sections<Precision> sections_;
  LaunchReport report_;
};

}  // namespace

BackendEntry fenns() {
  return make_entry<Fenns>({
      .name = "fenns",
      .summary =
          "coarse cells in device memory, in each a fine grid made on the fly in shared memory",
      .source = "FENNS (Gross, Koester, Krueger 2019), Algorithms 1 to 4",
      .options = {{.name = "coarse_cells",
                   .default_value = "auto",
                   .description =
                       "coarse cells in each direction, at most; auto: 18 as in the paper, fewer "
                       "while they would hold less than a block of particles, more where shared "
                       "memory would not do",
                   .choices = {"auto"},
                   .minimum = 1,
                   .maximum = 64},
                  block_option("256", "threads of a block, and particles of a batch")},
      .needs_blocks = true,
  });
}

}  // namespace pencilbox::PENCILBOX_DEVICE
