// Step 1 of FENNS (section 3.1, Algorithms 1 and 2): particles in the order of coarse cells, in
// each of them first the BORDER particles, within reach of a face, filled from the left, then the
// INNER ones, filled from the right.
//
// Memory. The paper's grid takes 8 l^3 bytes: exclusive and inclusive prefix sums, of which one is
// restored afterwards by subtracting the border particles counted in shared memory. Ours takes
// 12 l^3, as the starts stay in an array of their own, which saves that pass. Beside the grid the
// paper counts nothing, for it moves the particles themselves; here only binning may move them, so
// this is a copy of what a search needs: 20 bytes a particle in float, 32 in double.
//
// Tickets of the paper's kind put particles of a section in the order in which they come. With
// run.deterministic a stable sort by (coarse cell, inner or not) keeps the order of binning; it
// takes 24 bytes a particle more.
#pragma once

#include <bit>
#include <limits>

#include "neighbor/backend.hpp"
#include "neighbor/backends/fenns/coarse_grid.hpp"

namespace pencilbox::PENCILBOX_DEVICE::two_level_grid {

/// The particles by sections.
template <class Pair>
struct SectionsView {
  Vec3View<Pair> position;  ///< [N] as in BinnedParticles
  PackedCoordinates* cell;  ///< [N] within the coarse cell
  Index* particle;          ///< [N] number in BinnedParticles
  const Index* start;       ///< [coarse cells + 1] first border particle
  Index* inner;             ///< [coarse cells] first inner particle
};

/// Which coarse cell a particle lies in, and whether near a face of it.
template <class Precision>
struct Placement {
  using Pair = typename Precision::Pair;

  BinnedParticles<Precision> particles;
  CoarseGrid coarse;
  Pair reach;

  struct Place {
    Index coarse_cell;
    PackedCoordinates cell;
    bool border;
  };

  PENCILBOX_DEVICE_FUNCTION Index coarse_cell(Index i) const {
    return coarse.linear(coarse.around(particles.grid.coordinates(particles.cell[i])));
  }

  PENCILBOX_DEVICE_FUNCTION Place operator()(Index i) const {
    const CellCoordinates cell = particles.grid.coordinates(particles.cell[i]);
    const CellCoordinates home = coarse.around(cell);
    const CellCoordinates within = coarse.within(cell, home);
    const CellCoordinates width = coarse.width(home);
    const Vec3<Pair> position = particles.position[i];
    const Vec3<Pair>& side = particles.grid.side;
    return {coarse.linear(home), pack(within),
            near_face(within.x, width.x, position.x, side.x) ||
                near_face(within.y, width.y, position.y, side.y) ||
                near_face(within.z, width.z, position.z, side.z)};
  }

  PENCILBOX_DEVICE_FUNCTION bool near_face(Index cell, Index cells, Pair offset, Pair side) const {
    const Pair half = Pair(0.5) * side;
    return (cell == 0 && half + offset <= reach) || (cell == cells - 1 && half - offset <= reach);
  }
};

/// Algorithm 1: counts in shared memory, one atomic addition for a coarse cell and block.
template <class Precision>
struct CountCoarseCells {
  static constexpr const char* name = "fenns: count";
  Placement<Precision> placement;
  Index* counts;

  PENCILBOX_DEVICE_FUNCTION void operator()(const Block& block) const {
    const Index cells = placement.coarse.count();
    const auto counters = block.shared<Index>(cells);
    for (Index c = block.thread(); c < cells; c += block.threads()) counters[c] = 0;
    block.barrier();
    const std::int64_t stride = block.blocks() * block.threads();
    for (std::int64_t i = block.index() * block.threads() + block.thread();
         i < placement.particles.count; i += stride) {
      block.atomic_add(counters[placement.coarse_cell(static_cast<Index>(i))], Index{1});
    }
    block.barrier();
    for (Index c = block.thread(); c < cells; c += block.threads()) {
      const Index count = counters[c];
      if (count > 0) atomic_add(counts + c, count);
    }
  }
};

/// A particle's copy at its place in the new order.
template <class Precision>
struct Copy {
  using Pair = typename Precision::Pair;
  Placement<Precision> placement;
  SectionsView<Pair> sections;

  PENCILBOX_DEVICE_FUNCTION void operator()(Index from, Index to, PackedCoordinates cell) const {
    sections.position.store(to, placement.particles.position[from]);
    sections.cell[to] = cell;
    sections.particle[to] = from;
  }
};

/// Algorithm 2. Border particles move `inner` from the section's start to the right; inner ones
/// count the cell's particles down.
template <class Precision>
struct MoveByTicket {
  static constexpr const char* name = "fenns: move by ticket";
  Copy<Precision> copy;
  Index* counts;

  PENCILBOX_DEVICE_FUNCTION void operator()(Index i) const {
    const auto place = copy.placement(i);
    const auto& sections = copy.sections;
    const Index to = place.border ? atomic_add(sections.inner + place.coarse_cell, Index{1})
                                  : sections.start[place.coarse_cell] - 1 +
                                        atomic_add(counts + place.coarse_cell, Index{-1});
    copy(i, to, place.cell);
  }
};

template <class Precision>
struct MakeSectionKeys {
  static constexpr const char* name = "fenns: make keys";
  Placement<Precision> placement;
  std::uint64_t* keys;
  Index* order;
  Index* inner;

  PENCILBOX_DEVICE_FUNCTION void operator()(Index i) const {
    const auto place = placement(i);
    keys[i] = static_cast<std::uint64_t>(place.coarse_cell) << 1U | (place.border ? 0U : 1U);
    order[i] = i;
    if (place.border) atomic_add(inner + place.coarse_cell, Index{1});
  }
};

template <class Precision>
struct MoveInOrder {
  static constexpr const char* name = "fenns: move in order";
  Copy<Precision> copy;
  const Index* order;

  PENCILBOX_DEVICE_FUNCTION void operator()(Index to) const {
    const Index from = order[to];
    copy(from, to, copy.placement(from).cell);
  }
};

struct CopyStarts {
  static constexpr const char* name = "fenns: copy starts";
  const Index* start;
  Index* inner;

  PENCILBOX_DEVICE_FUNCTION void operator()(Index c) const { inner[c] = start[c]; }
};

template <class Precision>
class Sections {
 public:
  using Pair = typename Precision::Pair;

  Sections(const Problem& problem, const CoarseGrid& coarse)
      : coarse_(coarse), deterministic_(problem.deterministic), reach_(reach_of(problem)) {
    counts_.resize(coarse.count() + 1);
    start_.resize(coarse.count() + 1);
    inner_.resize(coarse.count());
    position_.resize(problem.particles);
    cell_.resize(problem.particles);
    particle_.resize(problem.particles);
    if (!deterministic_) return;
    keys_.resize(problem.particles);
    order_.resize(problem.particles);
  }

  void build(const BinnedParticles<Precision>& particles, const DeviceProperties& device,
             int threads, Stream& stream) {
    const Placement<Precision> placement{particles, coarse_, reach_};
    counts_.fill_bytes(0, stream);
    LaunchShape shape;
    shape.blocks = std::min<std::int64_t>(divide_up(particles.count, threads),
                                          2 * std::int64_t{device.multiprocessors});
    shape.threads = threads;
    shape.shared_bytes = static_cast<std::size_t>(coarse_.counter_bytes());
    launch(stream, shape, CountCoarseCells<Precision>{placement, counts_.data()});
    scan_(counts_.data(), start_.data(), coarse_.count() + 1, stream);
    for_each(stream, coarse_.count(), CopyStarts{start_.data(), inner_.data()});
    if (deterministic_) {
      move_in_order({placement, view()}, stream);
    } else {
      for_each(stream, particles.count,
               MoveByTicket<Precision>{{placement, view()}, counts_.data()});
    }
  }

  void box_changed(const Problem& problem) { reach_ = reach_of(problem); }

  SectionsView<Pair> view() {
    return {position_.view(), cell_.data(), particle_.data(), start_.data(), inner_.data()};
  }

 private:
  /// Partners are within the cutoff; a little more, for offsets are rounded. The benchmark's
  /// candidates are whole cells.
  static Pair reach_of(const Problem& problem) {
    const double cutoff = cutoff_of(problem.potential);
    if (cutoff == 0.0) return std::numeric_limits<Pair>::max();
    return static_cast<Pair>(cutoff + 4.0 * problem.grid.float_uncertainty());
  }

  void move_in_order(const Copy<Precision>& copy, Stream& stream) {
    const Index count = copy.placement.particles.count;
    for_each(
        stream, count,
        MakeSectionKeys<Precision>{copy.placement, keys_.data(), order_.data(), inner_.data()});
    sort_(keys_, order_, 1 + std::bit_width(static_cast<unsigned>(coarse_.count())), stream);
    for_each(stream, count, MoveInOrder<Precision>{copy, order_.data()});
  }

  CoarseGrid coarse_;
  bool deterministic_;
  Pair reach_;
  ExclusiveScan scan_;
  SortPairs<std::uint64_t> sort_;
  Buffer<Index> counts_, start_, inner_;
  Vec3Buffer<Pair> position_;
  Buffer<PackedCoordinates> cell_;
  Buffer<Index> particle_;
  Buffer<std::uint64_t> keys_;  // these two with run.deterministic only
  Buffer<Index> order_;
};

}  // namespace pencilbox::PENCILBOX_DEVICE::two_level_grid
