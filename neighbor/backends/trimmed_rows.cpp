// Trimmed-Rows: a thread a target, which walks the nine rows of cells around it in device memory,
// each as far as the sphere of the cutoff goes through it: cells are sorted in slices across x, and
// a row is begun and ended at a slice. Of what 27 cells hold a fifth are partners, of these a third.
// Ours; Few particles per cell, 4.1, walks whole cells.
#include "core/interactions/force_units.hpp"
#include "neighbor/walks/backend_with_sinks.hpp"
#include "neighbor/walks/cell_divisors.hpp"
#include "neighbor/walks/cell_neighborhood.hpp"
#include "neighbor/walks/cell_walk.hpp"
#include "neighbor/walks/ring_position.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

namespace {

constexpr Index slices = CellParts::of_slices;

/// Sources that are on their way at once; so many less one are read behind the last particle.
constexpr int at_once = 4;

template <class Precision, Wanted wanted, class Interaction, class Sink>
struct SumOverTrimmedRows {
  static constexpr const char* name = "trimmed-rows";
  using Pair = typename Precision::Pair;
  using Position = RingPosition<Pair>;
  using Sum = TargetSum<Precision, wanted>;

  BinnedParticles<Precision> particles;
  const Position* ring;  ///< [N + at_once - 1]
  Interaction interaction;
  Sink sink;
  CellDivisors divisors;
  Pair reach_squared;     ///< of the rows [sigma^2]
  Pair slices_of_length;  ///< [1/sigma]
  Pair unit;              ///< of a whole number [sigma]

  struct Target {
    Index particle;
    CellCoordinates home;
    Position at;
    Pair slice;  ///< where it is along x, in slices from the lower face of its cell
  };

  PENCILBOX_DEVICE_FUNCTION void operator()(Index number) const {
    const auto& grid = particles.grid;
    const Target target = fetch(number);
    const NeighborSpan along_y(target.home.y, grid.cells.y, grid.periodic.y);
    const NeighborSpan along_z(target.home.z, grid.cells.z, grid.periodic.z);
    Sum sum;
    for (Index z = along_z.first; z <= along_z.last; ++z) {
      for (Index y = along_y.first; y <= along_y.last; ++y) {
        add_row(sum, target, grid.linear({0, grid.wrap_y(y), grid.wrap_z(z)}), y - target.home.y,
                z - target.home.z);
      }
    }
    if constexpr (wanted != Wanted::counts) sum.force = out_of_force_units(interaction, sum.force);
    sum.store(sink, number);
  }

 private:
  PENCILBOX_DEVICE_FUNCTION Target fetch(Index number) const {
    const Pair offset = particles.position.x[number];
    return {number, divisors.coordinates(particles.cell[number], particles.grid.cells),
            ring[number], offset * slices_of_length + Pair(0.5) * Pair(slices)};
  }

  /// How far it is at least to the cells on that side.
  PENCILBOX_DEVICE_FUNCTION static Pair gap(Index step, Pair at, Pair side) {
    const Pair to_face = Pair(0.5) * side + (step < 0 ? at : -at);
    return step != 0 && to_face > Pair(0) ? to_face : Pair(0);
  }

  /// `row`: its first cell. A row that wraps comes in pieces, each by another image.
  PENCILBOX_DEVICE_FUNCTION void add_row(Sum& sum, const Target& target, Index row, Index dy,
                                         Index dz) const {
    const auto& grid = particles.grid;
    const Pair gap_y = gap(dy, target.at.y, grid.side.y), gap_z = gap(dz, target.at.z, grid.side.z);
    const Pair half_chord_squared = (reach_squared - gap_y * gap_y) - gap_z * gap_z;
    if (!(half_chord_squared > Pair(0))) return;
    const Pair half = half_chord_squared * reciprocal_square_root(half_chord_squared);
    const Pair in_slices = half * slices_of_length;
    const Index to_home = slices * target.home.x, all = slices * grid.cells.x;
    const Index first = to_home + larger(whole(target.slice - in_slices), -slices);
    const Index last = to_home + smaller(whole(target.slice + in_slices), 2 * slices - 1);
    const Index* const offset = particles.part_offset + slices * row;
    for (Index image = first < 0 ? -1 : 0; image <= (last >= all ? 1 : 0); ++image) {
      const IndexRange run{offset[larger(first - image * all, 0)],
                           offset[smaller(last - image * all, all - 1) + 1]};
      add_run(sum, target, run, {row, image, dy, dz});
    }
  }

  PENCILBOX_DEVICE_FUNCTION static Index whole(Pair x) { return static_cast<Index>(std::floor(x)); }

  /// By which image a row is met.
  struct Met {
    Index row, image, dy, dz;
  };

  PENCILBOX_DEVICE_FUNCTION void add_run(Sum& sum, const Target& target, const IndexRange& run,
                                         const Met& met) const {
    const auto& grid = particles.grid;
    const bool holds_target = met.image == 0 && met.dy == 0 && met.dz == 0;
    const Index itself = holds_target ? target.particle : -1;
    const auto x = target.at.farther(-met.image * grid.cells.x);
    // Where both sides of a pair must have the same last bit the shift comes after the difference.
    const Vec3<Pair> to_row{0, static_cast<Pair>(met.dy) * grid.side.y,
                            static_cast<Pair>(met.dz) * grid.side.z};
    constexpr bool once = !pairs_must_cancel<Precision>;
    const CellShift<Pair> shift{once ? Vec3<Pair>{} : to_row, {}};
    const Pair y = once ? target.at.y - to_row.y : target.at.y;
    const Pair z = once ? target.at.z - to_row.z : target.at.z;
    for (Index begin = run.begin; begin < run.end; begin += at_once) {
      Position source[at_once];
      for (int s = 0; s < at_once; ++s) source[s] = ring[begin + s];
      for (int s = 0; s < at_once; ++s) {
        const Index number = begin + s;
        const Vec3<Pair> at{Position::apart(x, source[s].x, unit), y, z};
        const auto exact = [&] { return separation(target, number, met); };
        sum.add_in_step(interaction, at, Vec3<Pair>{0, source[s].y, source[s].z}, shift, exact,
                        static_cast<std::int32_t>(target.at.type),
                        static_cast<std::int32_t>(source[s].type),
                        number < run.end && number != itself);
      }
    }
  }

  PENCILBOX_DEVICE_FUNCTION Vec3<double> separation(const Target& target, Index source,
                                                    const Met& met) const {
    const auto& grid = particles.grid;
    const Index column = particles.cell[source] - met.row + met.image * grid.cells.x;
    return exact_separation(particles, target.particle, source,
                            grid.shift(column - target.home.x, met.dy, met.dz));
  }
};

template <class Precision>
class TrimmedRows final : public BackendWithSinks<Precision, TrimmedRows<Precision>> {
 public:
  using Pair = typename Precision::Pair;
  using Position = RingPosition<Pair>;
  static constexpr bool needs_cutoff = true;
  static constexpr bool stays_resident = false;

  TrimmedRows(const Problem& problem, const BackendOptions& options)
      : cutoff_(cutoff_of(problem.potential)), threads_(block_of(options)) {}

  static std::optional<std::string> refuse(const Problem& problem, const BackendOptions&) {
    if (std::holds_alternative<CandidatePotentialModel>(problem.potential)) {
      return "the benchmark's potentials have no cutoff but the 27 cells around a particle, and "
             "this back end leaves out what is beyond one";
    }
    if (auto reason = partners_beyond_neighbor_cells(problem)) return reason;
    if (!problem.box.periodic[0]) {
      return "it sorts particles along x by where they are in their cells, and beyond an open face "
             "they may be anywhere (x has to be periodic)";
    }
    return too_many_parts(problem, slices);
  }

  static std::int64_t own_bytes(const Problem& problem, const BackendOptions&) {
    return std::int64_t{problem.particles} * std::int64_t{sizeof(Position)};
  }

  void rebuild(const BinnedParticles<Precision>& particles, Stream& stream) override {
    const Index places = particles.count + at_once - 1;
    ring_.resize(places);
    for_each(stream, places, PlaceOnRing<Precision>{particles, ring_.data()});
  }

  /// Launches the kernel: see BackendWithSinks.
  template <Wanted wanted, class Functor, class Sink>
  void run(const BinnedParticles<Precision>& particles, const Functor& functor, const Sink& sink,
           Stream& stream) {
    using Kernel = SumOverTrimmedRows<Precision, wanted, InForceUnits<Functor>, Sink>;
    const double side = particles.grid.exact_side.x;
    for_each(stream, particles.count,
             Kernel{particles, ring_.data(), in_force_units(functor), sink,
                    CellDivisors(particles.grid.cells), reach_squared_of<Pair>(cutoff_),
                    static_cast<Pair>(slices / side), Position::unit(side)},
             threads_);
    shape_ = {divide_up(particles.count, threads_), threads_};
  }

  LaunchReport launch_report() const override {
    return {shape_, [] { return "rows end at a slice, " + std::to_string(slices) + " a cell"; }};
  }

 private:
  double cutoff_;
  int threads_;
  Buffer<Position> ring_;
  LaunchShape shape_;
};

}  // namespace

BackendEntry trimmed_rows() {
  return make_entry<TrimmedRows>({
      .name = "trimmed-rows",
      .summary = "one thread per particle, nine rows of cells as far as the cutoff goes through them",
      .source = "ours",
      .options = {block_option("128")},
      .order = ParticleOrder::slices_in_cells,
      .worth_trying = {{}},
  });
}

}  // namespace pencilbox::PENCILBOX_DEVICE
