// The order of the particles: cell by cell, cells contiguous; within a cell as they come, or part
// by part (core/cell_parts.hpp).
//
//   arrive   (core/arrival.hpp) cell of each particle, wrapped; count per part; ticket within it
//   scan     counts -> offset of each part
//   reorder  each particle goes to offset + ticket in the other set of arrays
//
// The ticket is atomic, so the order within a part changes from run to run. `deterministic` sorts
// by (part, id) instead: an order that depends on nothing but the state.
//
// Along a curve is a first order only, where blocks work: fours of a cell's particles are nearer to
// each other in one of halves (order_in_halves.hpp), which they take as they settle.
//
// Where a list is kept over several steps the order holds as long as the list does. Order and list
// are then made of places a little ahead of where particles are (core/look_ahead.hpp), and
// particles are under watch: these places are kept, and a mirror of the present ones, packed as
// pair kernels gather them. It lasts until a pair may be missed: see missed_pairs.hpp. There are
// two mirrors in turn: a kernel that reads the one may write the other.
#pragma once

#include <array>
#include <cstdint>

#include "core/arrival.hpp"
#include "core/cell_parts.hpp"
#include "core/list_bounds.hpp"
#include "core/particles.hpp"
#include "core/profile.hpp"
#include "core/step_control.hpp"
#include "neighbor/binned_particles.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

/// What went wrong on the device, read at the next observation.
struct BinningHealth {
  bool failed = false;           ///< a particle is non-finite or crossed a whole box in one step
  std::int64_t failed_step = 0;  ///< first such step, as StepNumber counts
  ParticleId failed_id = 0;      ///< smallest id at that step
  Index largest_cell = 0;        ///< most particles in one cell
};

/// How long an order lasts.
enum class OrderLasts {
  one_step,   ///< made anew for each evaluation, out of what the last move has counted
  while_near  ///< until particles have moved too far
};

struct OrderRules {
  bool deterministic = false;
  OrderLasts lasts = OrderLasts::one_step;
  ListBounds bounds{};  ///< while an order lasts
  CellParts parts{};
  /// Of the lattice that coordinates of pairs are on; 0: as fine as their arithmetic has them
  /// [sigma].
  double spacing = 0.0;
};

/// Evaluations that a list has served, and in all its time the one before; 0: there was none.
struct ListAges {
  std::int32_t list = 0, before = 0;
};

template <class Precision>
class Binning {
 public:
  using State = typename Precision::State;

  Binning(const CellGrid& grid, const OrderRules& rules, Stream& stream);

  const CellGrid& grid() const { return grid_; }
  OrderLasts lasts() const { return rules_.lasts; }

  /// Whether blocks of a GPU scan a short array of counts each for itself, which makes a launch
  /// less, and look for missed pairs. Emulated blocks would be slow: they do it for tests alone.
  void work_in_blocks(bool wanted) { works_in_blocks_ = wanted; }

  /// To the same cells with other sides. Particles have to be ordered anew.
  void stretch(const CellGrid& grid, const ListBounds& bounds, double spacing) {
    grid_ = grid;
    rules_.bounds = bounds;
    rules_.spacing = spacing;
  }

  /// Of coordinates of pairs. An order that lasts goes on with the mirror of unit 0 and the places
  /// that the watch compares with; others are to be made anew.
  void change_lattice(double spacing, const Particles<Precision>& particles, Stream& stream);

  /// Allocates for these particles, so that none of it happens in a step.
  void reserve(const Particles<Precision>& particles, Stream& stream);

  /// Bins and reorders as the particles lie now, or will. `step` is what a failure is reported
  /// with.
  void run(Particles<Precision>& particles, StepNumber step, Profiler& profiler, Stream& stream,
           const LookAhead<Precision>& ahead = {});

  void run(Particles<Precision>& particles, std::int32_t step, Profiler& profiler, Stream& stream) {
    run(particles, StepNumber{nullptr, step}, profiler, stream);
  }

  /// From a list of these ages to the next, as far as this order can bear; a control tells by
  /// itself.
  LookAhead<Precision> look_ahead(const StepControl* control, const ListAges& ages,
                                  double timestep) const;

  /// What moved particles are handed to: into their cells, or under watch, for unit `unit` of a
  /// cycle to evaluate. `control` and `unit` matter to the watch alone.
  Arrival<Precision> arrival(Particles<Precision>& particles, StepNumber step, StepControl* control,
                             std::int32_t unit);

  /// The same for those that are moved while others still read where they were: nothing is written
  /// that view() shows for the unit before. Afterwards: moved_apart().
  Arrival<Precision> arrival_apart(Particles<Precision>& particles, StepNumber step,
                                   StepControl* control, std::int32_t unit);
  void moved_apart(Particles<Precision>& particles);

  /// Of those under watch that have gone far and are noted: none as yet, for whoever opens units.
  StraysView strays();
  bool allows_strays() const { return rules_.bounds.allow_strays(); }
  /// When everybody is where unit `unit` will find them: makes the next list due before it, if this
  /// one misses a pair. `mirror`: number of a unit that reads the same mirror.
  void look_for_missed_pairs(const Particles<Precision>& particles, StepControl* control,
                             std::int32_t unit, std::int32_t mirror, Stream& stream);

  /// Orders particles that have arrived in their cells. Those of an order that lasts one step swap
  /// their arrays with others; else they come back to where they were, so that a graph finds them.
  /// `ahead`: as they were counted when they arrived.
  void order_arrived(Particles<Precision>& particles, Profiler& profiler, Stream& stream,
                     const LookAhead<Precision>& ahead = {});

  /// Where the order lasts and arrivals are others than this class enqueues: nobody has arrived
  /// yet.
  void expect_arrivals(Stream& stream) { count_anew(stream); }
  /// From here on each order tells where the row is now that was row i before: [rows].
  void tell_places(Index* places) {
    places_ = places;
    if (is_in_halves()) settled_.resize(reference_.size());
  }

  /// Orders particles by the cells that they say they are in, and takes their positions for those
  /// that the watch compares with: what a checkpoint is resumed with.
  void restore_order(Particles<Precision>& particles, Stream& stream);

  /// Makes the mirror of unit 0 follow positions that were written by others than its arrivals.
  void renew_mirror(const Particles<Precision>& particles, Stream& stream);

  /// That the unit reads. Null where the order does not last.
  PackedPosition<typename Precision::Pair>* mirror(std::int32_t unit) {
    return packed_[static_cast<std::size_t>(unit) % 2].data();
  }

  /// From the mirror of odd units to that of unit 0.
  void turn_mirror(Index particles, Stream& stream);

  /// As unit `unit` of a cycle sees them.
  BinnedParticles<Precision> view(const Particles<Precision>& particles,
                                  std::int32_t unit = 0) const;

  /// As whoever makes a list sees them: where they are to be for it. Arrays of coordinates show
  /// that on a CPU alone, whose vectors read them: in memory that is free until the next order.
  BinnedParticles<Precision> view_for_list(const Particles<Precision>& particles, Stream& stream);

  /// [N] what the last force has added to each velocity in a step, as who moved them has noted;
  /// empty where the order does not last.
  Vec3View<typename Precision::Pair> kick() { return kick_.view(); }
  Vec3View<const typename Precision::Pair> kick() const { return kick_.view(); }

  /// [rows] places that the order was made of, where it lasts.
  void copy_reference(Vec3Buffer<State>& to, Index rows, Stream& stream) const;

  /// Waits for the stream.
  BinningHealth health(Stream& stream);

 private:
  void reserve_rows(Index count, Stream& stream);
  void reserve_packed(Index count, Buffer<PackedPosition<typename Precision::Pair>>& packed,
                      Stream& stream);
  void spread_reference(Vec3Buffer<State>& to, Index rows, Stream& stream) const;
  void reserve_ring(Index count, Stream& stream);
  void reserve_strays(Index count, Stream& stream);
  void count_anew(Stream& stream);
  void order_by_id(Particles<Precision>& particles, const LookAhead<Precision>& ahead,
                   Stream& stream);

  auto coordinates() const {
    return PairCoordinates<State, typename Precision::Pair>::with(rules_.spacing);
  }
  Index parts() const { return grid_.count() * rules_.parts.count; }
  /// Whether pairs read places on a ring, and no others.
  bool is_on_ring() const {
    return rules_.parts.count == CellParts::of_slices && grid_.periodic[0];
  }
  auto part_of(const Particles<Precision>& particles, const LookAhead<Precision>& ahead) const;
  void scan_and_reorder(Particles<Precision>& particles, const LookAhead<Precision>& ahead,
                        Profiler& profiler, Stream& stream);
  /// Whether particles of a cell whose order lasts are in one of halves, and not along the curve.
  bool is_in_halves() const {
    return works_in_blocks_ && rules_.lasts == OrderLasts::while_near &&
           rules_.parts.count == CellParts::of_a_curve;
  }
  auto offsets_of_cells();
  void settle(Particles<Precision>& particles, Stream& stream);

  CellGrid grid_;
  OrderRules rules_;
  bool works_in_blocks_ = !emulates_blocks;
  ParticleState<Precision> other_;
  Vec3Buffer<typename Precision::Pair> pair_position_;  // only where it differs from the state's
  Buffer<PackedPosition<typename Precision::Pair>> reference_;  // only where the order lasts
  Vec3Buffer<typename Precision::Pair> kick_;                   // likewise: of who moved last
  /// Likewise: of even units and of odd ones.
  std::array<Buffer<PackedPosition<typename Precision::Pair>>, 2> packed_;
  Buffer<RingPosition<typename Precision::Pair>> on_ring_;  // in slices of a periodic x
  Buffer<Index> stray_count_, stray_;                       ///< only where somebody may stray
  Index* places_ = nullptr;
  Buffer<Index> settled_;               ///< only where somebody asks for places
  Buffer<Index> counts_, next_counts_;  // of parts
  Buffer<Index> offset_, part_offset_;  // the second only where there are more parts than cells
  Buffer<Index> ticket_, order_;
  Buffer<std::uint64_t> keys_, failure_;
  Buffer<Index> largest_;
  ExclusiveScan scan_;
  SortPairs<std::uint64_t> sort_;
};

}  // namespace pencilbox::PENCILBOX_DEVICE
