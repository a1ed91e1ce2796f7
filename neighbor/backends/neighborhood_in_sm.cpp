// Neighborhood-In-SM: a block for each cell, all sources of the 27 cells around it in shared memory
// at once. Ours. Where the pencils of "Few particles per cell" give a thread a target and let it
// walk its sources, here 32 lanes walk them for four targets in their registers, a source a lane:
// each source is read once for four targets, lanes are full whatever a cell holds, and a block has
// as many threads as keep it busy, also where particles are few.
#include "neighbor/walks/backend_with_sinks.hpp"
#include "neighbor/walks/cell_neighborhood.hpp"
#include "neighbor/walks/split_sums.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

namespace {

constexpr int targets_of_a_team = 4;

/// `Sink`: where sums go.
template <class Precision, Wanted wanted, class Interaction, class Sink>
struct SumOverNeighborhood {
  static constexpr const char* name = "neighborhood-in-sm";
  static constexpr int max_threads = 512;
  using Pair = typename Precision::Pair;
  /// Forces in float: at most 64 registers. What else there is would spill.
  static constexpr bool has_forces = !is_candidate_kernel<Interaction>;
  static constexpr int min_blocks =
      wanted == Wanted::forces && has_forces && sizeof(Pair) == sizeof(float) ? 2 : 1;
  static constexpr StagedFrame frame =
      pairs_must_cancel<Precision> ? StagedFrame::own : StagedFrame::targets;
  using Around = CellNeighborhood<Precision, frame>;
  using Group = TargetGroup<Pair, targets_of_a_team>;
  using Sum = SumOf<Precision, wanted, Interaction>;

  BinnedParticles<Precision> particles;
  Interaction interaction;
  Sink sink;
  NeighborhoodShape shape;
  Pair reach_squared;

  PENCILBOX_DEVICE_FUNCTION void operator()(const Block& block) const {
    Around around(block, particles, shape.room, reach_squared);
    for_each_target_group<targets_of_a_team>(
        block, around, particles, shape, [&](const IndexRange& cell, const Group& group) {
          std::int32_t type[targets_of_a_team];
          for (int t = 0; t < targets_of_a_team; ++t)
            type[t] = type_if_needed<Interaction>(particles.type, group.particle(cell, t));
          Sum sum[targets_of_a_team];
          around.for_each_source(group.warp_is_idle, [&](const typename Around::Source& source) {
            if (!counts(source)) return;
            const CellShift<Pair> shift{around.shift(source), {}};
            for (int t = 0; t < targets_of_a_team; ++t) {
              const auto exact = [&] { return separation(cell, group, t, source); };
              sum[t].add_in_step(interaction, group.position[t], source.position, shift, exact,
                                 type[t], source_type(source), !group.is_itself(t, source.place));
            }
          });
          const Sum whole = sum_over_lanes(block, sum, Team::lanes);
          constexpr Index lanes = Team::lanes / targets_of_a_team;
          const Index t = Team::lane(block) / lanes;
          if (Team::lane(block) % lanes == 0 && t < group.count) whole.store(sink, group.first + t);
        });
  }

  /// Padding is out of everybody's range; what knows no range must be told.
  PENCILBOX_DEVICE_FUNCTION static bool counts(const typename Around::Source& source) {
    if constexpr (wanted == Wanted::counts || !has_forces) {
      return !source.is_padding();
    } else {
      return true;
    }
  }

  PENCILBOX_DEVICE_FUNCTION Vec3<double> separation(const IndexRange& cell, const Group& group,
                                                    int t,
                                                    const typename Around::Source& source) const {
    return exact_separation(particles, group.particle(cell, t), source.place.index(),
                            ShiftCode::shift(particles.grid, source.place.code()));
  }

  PENCILBOX_DEVICE_FUNCTION std::int32_t source_type(const typename Around::Source& source) const {
    if (source.is_padding()) return 0;
    return type_if_needed<Interaction>(particles.type, source.place.index());
  }
};

template <class Precision>
class NeighborhoodInSm final : public BackendWithSinks<Precision, NeighborhoodInSm<Precision>> {
 public:
  using Pair = typename Precision::Pair;
  static constexpr bool needs_cutoff = false;
  static constexpr bool stays_resident = false;

  NeighborhoodInSm(const Problem& problem, const BackendOptions& options)
      : cutoff_(cutoff_of(problem.potential)),
        neighborhood_(NeighborhoodShape::for_problem(problem)),
        threads_(block_of(options)),
        moves_targets_(problem.particles < most_to_move) {}

  static std::optional<std::string> refuse(const Problem& problem, const BackendOptions& options) {
    if (auto reason = refuse_cells_or_block(problem, options)) return reason;
    if (problem.particles > ShiftedIndex::most) {
      return "sources are numbered up to " + std::to_string(ShiftedIndex::most) + ", got " +
             std::to_string(problem.particles) + " particles";
    }
    const auto bytes =
        static_cast<std::int64_t>(NeighborhoodShape::for_problem(problem).template bytes<Pair>());
    if (bytes <= problem.device.shared_bytes_opt_in) return {};
    return "a block needs " + std::to_string(bytes) +
           " bytes of shared memory, and the device has " +
           std::to_string(problem.device.shared_bytes_opt_in);
  }

  void rebuild(const BinnedParticles<Precision>&, Stream&) override {}

  bool moves_targets() const override { return moves_targets_; }

  /// Launches the kernel: see BackendWithSinks.
  template <Wanted wanted, class Functor, class Sink>
  void run(const BinnedParticles<Precision>& particles, const Functor& functor, const Sink& sink,
           Stream& stream) {
    shape_ = neighborhood_.template launch_shape<Pair>(particles.cells(), threads_);
    launch(stream, shape_,
           SumOverNeighborhood<Precision, wanted, Functor, Sink>{particles, functor, sink,
                                                                 neighborhood_, reach_squared()});
  }

  LaunchReport launch_report() const override {
    return {shape_, [room = neighborhood_.room] {
              return std::to_string(targets_of_a_team) + " targets at a time, room for " +
                     std::to_string(room) + " sources";
            }};
  }

 private:
  /// Above, a kernel of its own moves particles faster: its lanes all have one, and neighbouring
  /// ones (measured on an H200).
  static constexpr Index most_to_move = 131072;

  /// Where nothing is cut off, all that 27 cells hold counts.
  Pair reach_squared() const {
    if (cutoff_ == 0.0) return std::numeric_limits<Pair>::max();
    return reach_squared_of<Pair>(cutoff_);
  }

  double cutoff_;
  NeighborhoodShape neighborhood_;
  int threads_;
  bool moves_targets_;
  LaunchShape shape_;
};

}  // namespace

BackendEntry neighborhood_in_sm() {
  return make_entry<NeighborhoodInSm>({
      .name = "neighborhood-in-sm",
      .summary = "a block for each cell, its 27 cells in shared memory, four targets at a time",
      .source = "ours",
      .options = {block_option("128")},
      .needs_blocks = true,
      .crowd = 12.0,
      .on_ranks = OnRanks::to_the_bit,
      .worth_trying = {{}, {{"block", "256"}}, {{"block", "64"}}},
  });
}

}  // namespace pencilbox::PENCILBOX_DEVICE
