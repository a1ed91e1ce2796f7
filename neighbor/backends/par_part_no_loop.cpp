// Par-Part-NoLoop: one thread per particle, which walks the 27 cells around its own in device
// memory, cell by cell (z, then y, then x). No shared memory; the yardstick of the paper.
// Few particles per cell, section 4.1.
#include "neighbor/backend.hpp"
#include "neighbor/pair_sum.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

namespace {

template <class Precision, Wanted wanted, class Interaction>
struct ParPartNoLoopKernel {
  static constexpr const char* name = "par-part-no-loop";
  using Pair = typename Precision::Pair;
  using Sum = TargetSum<Precision, wanted>;

  BinnedParticles<Precision> particles;
  Interaction interaction;
  PairSumsView<Precision> sums;

  PENCILBOX_DEVICE_FUNCTION void operator()(Index target) const {
    const GridView<Pair>& grid = particles.grid;
    const CellCoordinates home = grid.coordinates(particles.cell[target]);
    Sum sum;
    for (Index dz = -1; dz <= 1; ++dz) {
      const Index z = grid.wrap_z(home.z + dz);
      if (z < 0) continue;
      for (Index dy = -1; dy <= 1; ++dy) {
        const Index y = grid.wrap_y(home.y + dy);
        if (y < 0) continue;
        for (Index dx = -1; dx <= 1; ++dx) {
          const Index x = grid.wrap_x(home.x + dx);
          if (x < 0) continue;
          const bool own_cell = dx == 0 && dy == 0 && dz == 0;
          add_cell(sum, target, grid.linear({x, y, z}), grid.shift(dx, dy, dz),
                   own_cell ? target : Index{-1});
        }
      }
    }
    sum.store(sums, target);
  }

  /// All particles of a cell that lies `shift` away from the target's; `skip` is the target itself.
  PENCILBOX_DEVICE_FUNCTION void add_cell(Sum& sum, Index target, Index cell,
                                          const CellShift<Pair>& shift, Index skip) const {
    const Vec3<Pair> at = particles.position[target];
    const std::int32_t type = type_of(target);
    const Index end = particles.offset[cell + 1];
    for (Index source = particles.offset[cell]; source < end; ++source) {
      if (source == skip) continue;
      const auto exact = [&] { return exact_separation(particles, target, source, shift); };
      sum.add(interaction, at, particles.position[source], shift, exact, type, type_of(source));
    }
  }

  PENCILBOX_DEVICE_FUNCTION std::int32_t type_of(Index i) const {
    if constexpr (Interaction::needs_types) {
      return particles.type[i];
    } else {
      return 0;
    }
  }
};

template <class Precision>
class ParPartNoLoop final : public Backend<Precision> {
 public:
  ParPartNoLoop(const Problem&, const BackendOptions&) {}

  static std::optional<std::string> refuse(const Problem& problem, const BackendOptions&) {
    const std::string reason = side_below_cutoff(problem);
    return reason.empty() ? std::nullopt : std::optional(reason);
  }

  void prepare(const BinnedParticles<Precision>&, Stream&) override {}

  void compute(const BinnedParticles<Precision>& particles,
               const Interaction<typename Precision::Pair>& interaction, Wanted wanted,
               PairSums<Precision>& sums, Stream& stream) override {
    dispatch(interaction, wanted, [&](const auto& functor, auto chosen) {
      using Functor = std::decay_t<decltype(functor)>;
      for_each(stream, particles.count,
               ParPartNoLoopKernel<Precision, chosen(), Functor>{particles, functor,
                                                                 PairSumsView<Precision>(sums)},
               threads);
    });
    report_ = {{divide_up(particles.count, threads), threads, 0}, "one thread a target"};
  }

  LaunchReport launch_report() const override { return report_; }

 private:
  static constexpr int threads = 128;  // as in the paper
  LaunchReport report_;
};

}  // namespace

BackendEntry par_part_no_loop() {
  return make_entry<ParPartNoLoop>({"par-part-no-loop",
                                    "one thread per particle, 27 cells in device memory",
                                    "Few particles per cell, section 4.1",
                                    {}});
}

}  // namespace pencilbox::PENCILBOX_DEVICE
