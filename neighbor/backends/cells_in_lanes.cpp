// Cells-In-Lanes: a few particles a cell, and nothing else. Lanes look after the cells around a
// cell: 27 of them after one each, or 9 after a row of three; each keeps what it finds there in
// registers, and the cell's targets come by one after the other. Two journeys to memory, no shared
// memory, no list of any kind. Ours.
#include <algorithm>

#include "core/device/launch_divisor.hpp"
#include "neighbor/walks/backend_with_sinks.hpp"
#include "neighbor/walks/launch_tuner.hpp"
#include "neighbor/walks/particles_around.hpp"
#include "neighbor/walks/quick_potential.hpp"
#include "neighbor/walks/shift_code.hpp"
#include "neighbor/walks/team.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

namespace {

/// `lanes`: of a cell, 27 or 9.
template <class Precision, Wanted wanted, class Interaction, class Sink, int lanes>
struct SumOverLanesOfCells {
  static constexpr const char* name = "cells-in-lanes";
  static constexpr int max_threads = 128;
  static constexpr int cells_of_lane = ShiftCode::count / lanes;
  static constexpr int cells_of_team = Team::lanes / lanes;
  /// Sources in the registers of a lane; where it has more they come in several turns.
  static constexpr int room = lanes == ShiftCode::count ? 4 : 6;
  static constexpr bool drops_padding =
      wanted != Wanted::counts && vanishes_far_away<Interaction>();
  using Pair = typename Precision::Pair;
  using Sum = QuickSumOf<Precision, wanted, Interaction>;

  BinnedParticles<Precision> particles;
  Interaction interaction;
  Sink sink;
  LaunchDivisor by_cells_x, by_cells_y;

  /// No source, and met by no code.
  static constexpr std::uint32_t nobody = ~0U;

  struct Source {
    Vec3<Pair> position;
    Vec3<Pair> shift;
    ShiftedIndex place;
    std::int32_t type;
  };

  /// What a lane looks after.
  struct Around {
    Index first_code;
    IndexRange cell[cells_of_lane];
    Index total = 0;
  };

  PENCILBOX_DEVICE_FUNCTION void operator()(const Block& block) const {
    const Index lane = block.thread() & (Team::lanes - 1);
    const Index in_team = lane / lanes, number = lane - in_team * lanes;
    const Index team =
        static_cast<Index>(block.index()) * Team::count(block) + (block.thread() >> 5);
    const Index cell = team * cells_of_team + in_team;
    const bool is_there = in_team < cells_of_team && cell < particles.cells();
    Around around;
    around.first_code = number * cells_of_lane;
    if (is_there) look_up(around, coordinates(cell));
    const IndexRange targets = home_of(block, around, in_team, is_there);
    Source sources[room];
    fetch(sources, around, 0);
    Index fetched = 0;
    for (Index target = targets.begin; block.ballot(target < targets.end) != 0; ++target) {
      const bool counts = target < targets.end;
      const Index row = counts ? target : 0;  // behind the last particle there is no memory
      const Vec3<Pair> position = particles.position[row];
      const std::int32_t type = type_if_needed<Interaction>(particles.type, row);
      Sum sum;
      for (Index first = 0; first == 0 || block.ballot(first < around.total) != 0; first += room) {
        if (first != fetched) fetch(sources, around, first);
        fetched = first;
        for (int s = 0; s < room; ++s) add(sum, row, position, type, sources[s]);
      }
      add_lanes(block, sum);
      if (counts && number == 0) sum.store(sink, target);
    }
  }

 private:
  PENCILBOX_DEVICE_FUNCTION CellCoordinates coordinates(Index cell) const {
    const Index row = by_cells_x.quotient(cell), z = by_cells_y.quotient(row);
    return {cell - row * particles.grid.cells.x, row - z * particles.grid.cells.y, z};
  }

  PENCILBOX_DEVICE_FUNCTION static CellCoordinates step(Index code) {
    const Index layer = code / 9, row = code / 3;
    return {code - 3 * row - 1, row - 3 * layer - 1, layer - 1};
  }

  PENCILBOX_DEVICE_FUNCTION void look_up(Around& around, const CellCoordinates& home) const {
    for (int k = 0; k < cells_of_lane; ++k) {
      around.cell[k] = particles_around(particles, home + step(around.first_code + k));
      around.total += around.cell[k].count();
    }
  }

  /// From the lane that looks after the cell itself.
  PENCILBOX_DEVICE_FUNCTION static IndexRange home_of(const Block& block, const Around& around,
                                                      Index in_team, bool is_there) {
    constexpr Index k = ShiftCode::none % cells_of_lane;
    const Index first_lane = (block.thread() & (block.warp_size() - 1)) & ~(Team::lanes - 1);
    const Index from =
        first_lane + (is_there ? in_team * lanes + ShiftCode::none / cells_of_lane : 0);
    const Index begin = block.shuffle(around.cell[k].begin, from);
    const Index end = block.shuffle(around.cell[k].end, from);
    return is_there ? IndexRange{begin, end} : IndexRange{};
  }

  /// Those with the numbers `first` and behind, in the order of the cells.
  PENCILBOX_DEVICE_FUNCTION void fetch(Source (&sources)[room], const Around& around,
                                       Index first) const {
    for (int s = 0; s < room; ++s) {
      Index number = first + s, code = around.first_code;
      Index index = around.cell[0].begin + number;
      for (int k = 1; k < cells_of_lane; ++k) {
        const Index before = around.cell[k - 1].count();
        if (number < before) break;
        number -= before;
        index = around.cell[k].begin + number;
        ++code;
      }
      Source& source = sources[s];
      const bool is_there = first + s < around.total;
      const CellCoordinates apart = step(code);
      source.shift = particles.grid.shift(apart.x, apart.y, apart.z).rounded;
      source.position = PackedPosition<Pair>::far_away();
      source.place.word = nobody;
      source.type = 0;
      if (!is_there) continue;
      source.position = particles.position[index];
      source.place = ShiftedIndex::of(index, code);
      source.type = type_if_needed<Interaction>(particles.type, index);
    }
  }

  PENCILBOX_DEVICE_FUNCTION void add(Sum& sum, Index target, const Vec3<Pair>& position,
                                     std::int32_t type, const Source& source) const {
    const bool counts = source.place.word != ShiftedIndex::of(target, ShiftCode::none).word &&
                        (drops_padding || source.place.word != nobody);
    const auto exact = [&] {
      return exact_separation(particles, target, source.place.index(),
                              ShiftCode::shift(particles.grid, source.place.code()));
    };
    const CellShift<Pair> shift{source.shift, {}};
    sum.add_in_step(interaction, position, source.position, shift, exact, type, source.type,
                    counts);
  }

  /// Over the lanes of a cell, in a fixed order; the first of them gets it.
  PENCILBOX_DEVICE_FUNCTION static void add_lanes(const Block& block, Sum& sum) {
    if constexpr (lanes == ShiftCode::count) {
      sum.add_lanes(block, Team::lanes);  // the five that are left have nothing
    } else {
      for (const int distance : {3, 1}) {
        sum = Sum::of_both(sum, sum, [&](auto mine, auto) {
          const auto next = block.shuffle_down(mine, distance);
          const auto last = block.shuffle_down(mine, 2 * distance);
          return mine + (next + last);
        });
      }
    }
  }
};

struct CellsInLanesShape {
  int lanes = 27;
  int block = 32;

  bool operator==(const CellsInLanesShape&) const = default;
};

template <class Precision>
class CellsInLanes final : public BackendWithSinks<Precision, CellsInLanes<Precision>> {
 public:
  static constexpr bool needs_cutoff = false;
  static constexpr bool stays_resident = false;

  CellsInLanes(const Problem& problem, const BackendOptions& options)
      : shapes_(shapes_to_try(problem, options)),
        tuner_(numbers_below(shapes_.size()), problem.device.emulates_blocks) {}

  static std::optional<std::string> refuse(const Problem& problem, const BackendOptions& options) {
    if (auto reason = partners_beyond_neighbor_cells(problem)) return reason;
    const std::string& block = options.at("block");
    if (block != "auto") {
      if (auto reason = block_below_warp(problem, options)) return reason;
    }
    if (problem.particles <= ShiftedIndex::most) return {};
    return "sources are numbered up to " + std::to_string(ShiftedIndex::most) + ", got " +
           std::to_string(problem.particles) + " particles";
  }

  void rebuild(const BinnedParticles<Precision>&, Stream&) override {}

  /// Launches the kernel: see BackendWithSinks.
  template <Wanted wanted, class Functor, class Sink>
  void run(const BinnedParticles<Precision>& particles, const Functor& functor, const Sink& sink,
           Stream& stream) {
    const CellsInLanesShape shape = shapes_[static_cast<std::size_t>(tuner_.begin(wanted, stream))];
    if (shape.lanes == ShiftCode::count) {
      run_with<wanted, 27>(shape, particles, functor, sink, stream);
    } else {
      run_with<wanted, 9>(shape, particles, functor, sink, stream);
    }
    tuner_.end(stream);
  }

  bool settled() const override { return tuner_.decided(); }

  LaunchReport launch_report() const override { return report_; }

 private:
  template <Wanted wanted, int lanes, class Functor, class Sink>
  void run_with(const CellsInLanesShape& shape, const BinnedParticles<Precision>& particles,
                const Functor& functor, const Sink& sink, Stream& stream) {
    const CellCoordinates& cells = particles.grid.cells;
    const Index of_block = Team::lanes / lanes * (shape.block / Team::lanes);
    const LaunchShape launched{divide_up(particles.cells(), of_block), shape.block};
    const auto quick = without_root(functor);
    launch(stream, launched,
           SumOverLanesOfCells<Precision, wanted, std::decay_t<decltype(quick)>, Sink, lanes>{
               particles, quick, sink, LaunchDivisor(cells.x), LaunchDivisor(cells.y)});
    report_ = {launched, [] { return std::to_string(lanes) + " lanes a cell"; }};
  }

  static std::vector<CellsInLanesShape> shapes_to_try(const Problem& problem,
                                                      const BackendOptions& options) {
    std::vector<CellsInLanesShape> shapes;
    for (CellsInLanesShape shape : {CellsInLanesShape{27, 32}, CellsInLanesShape{27, 128},
                                    CellsInLanesShape{9, 32}, CellsInLanesShape{9, 128}}) {
      if (options.at("lanes") != "auto") shape.lanes = std::stoi(options.at("lanes"));
      if (options.at("block") != "auto") shape.block = std::stoi(options.at("block"));
      shape.block = std::max(shape.block, problem.device.warp_size);
      if (std::find(shapes.begin(), shapes.end(), shape) == shapes.end()) shapes.push_back(shape);
    }
    // The others add in another order.
    if (problem.deterministic) shapes.resize(1);
    return shapes;
  }

  std::vector<CellsInLanesShape> shapes_;
  LaunchTuner tuner_;
  LaunchReport report_;
};

}  // namespace

BackendEntry cells_in_lanes() {
  return make_entry<CellsInLanes>({
      .name = "cells-in-lanes",
      .summary = "a lane looks after one of 27 cells or three, targets come by: for one a cell",
      .source = "ours",
      .options =
          {{"lanes", "auto", "lanes that look after the cells around a cell", {"auto", "27", "9"}},
           {"block", "auto", "threads of a block", {"auto", "32", "64", "128"}}},
      .needs_blocks = true,
      .worth_trying = {{}},
  });
}

}  // namespace pencilbox::PENCILBOX_DEVICE
