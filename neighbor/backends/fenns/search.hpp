// Step 2 of FENNS (section 3.2, Algorithms 3 and 4): one block per coarse cell. A batch of sources,
// as many as the block has threads, is counting-sorted in shared memory into the local grid, which
// overlaps the coarse cell by one cell on every side; particles look the batch up in 27 local
// cells.
//
// Who looks up whom. In the paper the batch is finished after each round, so it holds the targets,
// and many particles that look it up at once (those of the cell, and of the 26 neighbours' border
// sections, a warp each) add to one and the same target: that takes atomic additions of floats, and
// the bits of a sum would change from run to run. Here the two change places. The particle that
// looks up is the target: it belongs to one thread, its sums stay in registers, and no addition is
// shared. The batch holds the sources: the particles of the cell, then what the 26 neighbours'
// border sections have within the overlap, again gathered by one warp for each neighbour. All
// sources pass in batches; then the targets are finished and the next ones follow. The price: a
// batch is sorted again for each round of targets.
//
// Nobody is dropped, however many particles a cell has: more targets are more rounds, more sources
// more batches. Threads beyond the last particle are the paper's dummies.
//
// In a batch the order within a local cell is an atomic ticket's; `ordered` replaces it by the rank
// among the sources, whose order is fixed.
#pragma once

#include "neighbor/backends/fenns/sections.hpp"
#include "neighbor/pair_sum.hpp"
#include "neighbor/walks/warp_scan.hpp"

namespace pencilbox::PENCILBOX_DEVICE::two_level_grid {

/// The coarse cell itself and its 26 neighbours, in this order.
inline constexpr Index neighborhood = 27;
inline constexpr Index most_warps = 16;

template <class Precision, Wanted wanted, class Interaction>
struct Search {
  static constexpr const char* name = "fenns: search";
  static constexpr int max_threads = 512;  // with 1,024 there are not registers enough for doubles
  using Pair = typename Precision::Pair;
  using Sum = SumOf<Precision, wanted, Interaction>;

  BinnedParticles<Precision> particles;
  SectionsView<Pair> sections;
  CoarseGrid coarse;
  Interaction interaction;
  PairSumsView<Precision> sums;
  bool ordered;

  /// The coarse cell of a block, and its local grid. A thread reads it from shared memory where it
  /// is needed: few registers are left while pairs are evaluated.
  struct Home {
    CellCoordinates width;
    Index begin, inner, end;  ///< its sections
    Index row, slab, cells;   ///< of the local grid

    PENCILBOX_DEVICE_FUNCTION Index own() const { return end - begin; }
    PENCILBOX_DEVICE_FUNCTION Index border() const { return inner - begin; }

    /// Of a cell in coordinates of the coarse cell, where -1 and `width` are the overlap; or -1.
    PENCILBOX_DEVICE_FUNCTION Index local_cell(const CellCoordinates& c) const {
      const bool outside =
          c.x < -1 || c.x > width.x || c.y < -1 || c.y > width.y || c.z < -1 || c.z > width.z;
      return outside ? -1 : (c.z + 1) * slab + (c.y + 1) * row + c.x + 1;
    }
  };

  static constexpr std::size_t bytes_per_source =
      3 * sizeof(Pair) + (Interaction::needs_types ? 4 : 3) * sizeof(Index);
  /// Beside the batch and the local grid.
  static constexpr std::size_t other_bytes =
      sizeof(Home) + sizeof(Index) * (1 + neighborhood + 1 + most_warps);

  static constexpr std::size_t shared_bytes(std::int64_t local_cells, int threads) {
    return bytes_per_source * static_cast<std::size_t>(threads) + other_bytes +
           sizeof(Index) * static_cast<std::size_t>(local_cells);
  }

  struct Shared {
    SharedArray<Pair> x, y, z;           ///< the batch, in the order of local cells
    SharedArray<Index> particle;         ///< its number in BinnedParticles
    SharedArray<Index> gathered_source;  ///< the batch as gathered: place in `sections`
    SharedArray<Index> gathered_cell;    ///< and local cell
    SharedArray<Index> offset;           ///< [local cells + 1] first of the batch
    SharedArray<Index> first;            ///< [28] number of a neighbour's first source
    SharedArray<Index> warp_sums;        ///< [warps]
    SharedArray<Home> home;              ///< [1]
    SharedArray<std::int32_t> type;
  };

  /// Particles [begin, end) of a coarse cell that is met at a distance.
  struct Section {
    Index begin = 0, end = 0;
    CellCoordinates origin;  ///< of that coarse cell, in coordinates of the home cell
  };

  struct Target {
    Index particle = -1;  ///< number in BinnedParticles, or -1: a dummy
    Index local_cell = 0;
    bool border = false;
    std::int32_t type = 0;
    Vec3<Pair> position;
  };

  /// How far a warp has come in the neighbours that it walks.
  struct Walk {
    Index neighbor;
    Index position = -1;  ///< in its section; -1: before it
    Index number = 0;     ///< of the next source found
  };

  PENCILBOX_DEVICE_FUNCTION void operator()(const Block& block) const {
    const auto cell = static_cast<Index>(block.index());
    if (sections.start[cell] == sections.start[cell + 1]) return;
    const Shared shared = shared_arrays(block);
    prepare_block(block, shared);
    for (Index round = 0; round < home_of(shared).own(); round += block.threads()) {
      const Target target = load_target(home_of(shared), round + block.thread());
      // A round of inner particles needs nobody from outside: the border ones came first.
      const Index met = round < home_of(shared).border() ? neighborhood : 1;
      Walk walk{1 + block.warp()};
      Sum sum;
      for (Index batch = 0; batch < shared.first[met]; batch += block.threads()) {
        const Index batch_end = smaller(batch + block.threads(), shared.first[met]);
        gather(block, shared, walk, batch, batch_end, met);
        sort(block, shared, batch_end - batch);
        const bool outside_alone = batch >= home_of(shared).own();
        if (target.particle >= 0 && (target.border || !outside_alone)) {
          look_up(shared, target, sum);
        }
        block.barrier();  // the batch has been used
      }
      if (target.particle >= 0) sum.store(sums, target.particle);
    }
  }

  PENCILBOX_DEVICE_FUNCTION static Home home_of(const Shared& shared) { return shared.home[0]; }

  PENCILBOX_DEVICE_FUNCTION Home make_home(Index cell) const {
    Home home;
    home.width = coarse.width(coarse.coordinates(cell));
    home.begin = sections.start[cell];
    home.inner = sections.inner[cell];
    home.end = sections.start[cell + 1];
    home.row = home.width.x + 2;
    home.slab = home.row * (home.width.y + 2);
    home.cells = home.slab * (home.width.z + 2);
    return home;
  }

  PENCILBOX_DEVICE_FUNCTION Shared shared_arrays(const Block& block) const {
    const Index threads = block.threads();
    const auto x = block.shared<Pair>(threads);
    const auto y = block.shared<Pair>(threads);
    const auto z = block.shared<Pair>(threads);
    const auto particle = block.shared<Index>(threads);
    const auto gathered_source = block.shared<Index>(threads);
    const auto gathered_cell = block.shared<Index>(threads);
    const auto offset = block.shared<Index>(static_cast<Index>(coarse.local_cells()) + 1);
    const auto first = block.shared<Index>(neighborhood + 1);
    const auto warp_sums = block.shared<Index>(most_warps);
    const auto home = block.shared<Home>(1);
    const auto type = block.shared<std::int32_t>(Interaction::needs_types ? threads : Index{0});
    return {x,     y,         z,    particle, gathered_source, gathered_cell, offset,
            first, warp_sums, home, type};
  }

  PENCILBOX_DEVICE_FUNCTION Target load_target(const Home& home, Index number) const {
    Target target;
    const Index at = home.begin + number;
    if (at >= home.end) return target;
    target.particle = sections.particle[at];
    target.local_cell = home.local_cell(unpack(sections.cell[at]));
    target.border = at < home.inner;
    target.position = sections.position[at];
    if constexpr (Interaction::needs_types) target.type = particles.type[target.particle];
    return target;
  }

  /// The border section of neighbour 1 to 26; empty beyond an open face. With one or two coarse
  /// cells in a direction the same one, or the home cell itself, is met under several numbers.
  PENCILBOX_DEVICE_FUNCTION Section border_section(const Block& block, const Home& home,
                                                   Index neighbor) const {
    const CellCoordinates here = coarse.coordinates(static_cast<Index>(block.index()));
    const Index k = neighbor <= 13 ? neighbor - 1 : neighbor;  // 13 would be the home cell
    const Index dx = k % 3 - 1;
    const Index dy = k / 3 % 3 - 1;
    const Index dz = k / 9 - 1;
    const auto& periodic = particles.grid.periodic;
    using Grid = GridView<Pair>;
    const CellCoordinates c{Grid::wrap(here.x + dx, coarse.coarse.x, periodic.x),
                            Grid::wrap(here.y + dy, coarse.coarse.y, periodic.y),
                            Grid::wrap(here.z + dz, coarse.coarse.z, periodic.z)};
    if (c.x < 0 || c.y < 0 || c.z < 0) return {};
    const CellCoordinates width = coarse.width(c);
    const Index cell = coarse.linear(c);
    return {sections.start[cell],
            sections.inner[cell],
            {origin(dx, width.x, home.width.x), origin(dy, width.y, home.width.y),
             origin(dz, width.z, home.width.z)}};
  }
  PENCILBOX_DEVICE_FUNCTION static Index origin(Index d, Index width, Index home_width) {
    return d < 0 ? -width : (d > 0 ? home_width : 0);
  }

  /// The local cell of a particle of a section, or -1 where it is not within the overlap.
  PENCILBOX_DEVICE_FUNCTION Index local_cell(const Home& home, const Section& section,
                                             Index at) const {
    if (at >= section.end) return -1;
    return home.local_cell(unpack(sections.cell[at]) + section.origin);
  }

  /// Numbers all sources, the cell's own first: shared.first[n] is the number of neighbour n's
  /// first one, and of its end for n - 1.
  PENCILBOX_DEVICE_FUNCTION void prepare_block(const Block& block, const Shared& shared) const {
    const Home home = make_home(static_cast<Index>(block.index()));
    for (Index n = 1 + block.warp(); n < neighborhood; n += warps_of(block)) {
      const Section section = border_section(block, home, n);
      Index count = 0;
      if (home.begin < home.inner) {  // else nobody looks them up
        for (Index at = section.begin; at < section.end; at += block.warp_size()) {
          count += count_bits(block.ballot(local_cell(home, section, at + block.lane()) >= 0));
        }
      }
      if (block.lane() == 0) shared.first[n + 1] = count;
    }
    block.barrier();
    if (block.thread() == 0) {
      Index number = home.own();
      shared.home[0] = home;
      shared.first[0] = 0;
      shared.first[1] = number;
      for (Index n = 1; n < neighborhood; ++n) {
        number += shared.first[n + 1];
        shared.first[n + 1] = number;
      }
    }
    block.barrier();
  }

  /// Sources with numbers [batch, batch_end), in any order of arrival at the place of their number.
  PENCILBOX_DEVICE_FUNCTION void gather(const Block& block, const Shared& shared, Walk& walk,
                                        Index batch, Index batch_end, Index met) const {
    const Home home = home_of(shared);
    for (Index cell = block.thread(); cell <= home.cells; cell += block.threads()) {
      shared.offset[cell] = 0;
    }
    const Index own = home.begin + batch + block.thread();
    if (own < home.end) {
      shared.gathered_source[block.thread()] = own;
      shared.gathered_cell[block.thread()] = home.local_cell(unpack(sections.cell[own]));
    }
    for (; walk.neighbor < met; walk.neighbor += warps_of(block), walk.position = -1) {
      if (shared.first[walk.neighbor] >= batch_end) break;
      if (!gather_section(block, shared, home, walk, batch, batch_end)) break;
    }
    block.barrier();
  }

  /// One warp, one neighbour. Whether it came to the end; else it goes on with the next batch.
  PENCILBOX_DEVICE_FUNCTION bool gather_section(const Block& block, const Shared& shared,
                                                const Home& home, Walk& walk, Index batch,
                                                Index batch_end) const {
    const Section section = border_section(block, home, walk.neighbor);
    if (walk.position < 0) {
      walk.position = section.begin;
      walk.number = shared.first[walk.neighbor];
    }
    for (; walk.position < section.end; walk.position += block.warp_size()) {
      const Index source = walk.position + block.lane();
      const Index cell = local_cell(home, section, source);
      const Block::Votes found = block.ballot(cell >= 0);
      const Index number = walk.number + count_bits(lanes_below(block, found));
      if (cell >= 0 && number >= batch && number < batch_end) {
        shared.gathered_source[number - batch] = source;
        shared.gathered_cell[number - batch] = cell;
      }
      const Index next = walk.number + count_bits(found);
      if (next > batch_end) return false;  // the others of these lanes come with the next batch
      walk.number = next;
    }
    return true;
  }

  /// The counting sort of a batch into local cells.
  PENCILBOX_DEVICE_FUNCTION void sort(const Block& block, const Shared& shared, Index count) const {
    const bool mine = block.thread() < count;  // else a dummy
    const Index cell = mine ? shared.gathered_cell[block.thread()] : 0;
    const Index source = mine ? shared.gathered_source[block.thread()] : 0;
    Index rank = mine ? block.atomic_add(shared.offset[cell], Index{1}) : 0;
    block.barrier();
    block_exclusive_sum(block, shared.offset, home_of(shared).cells, shared.warp_sums);
    if (ordered) rank = rank_in_cell(block, shared, mine, cell, rank);
    if (mine) {
      const Index to = shared.offset[cell] + rank;
      const Vec3<Pair> position = sections.position[source];
      const Index particle = sections.particle[source];
      shared.x[to] = position.x;
      shared.y[to] = position.y;
      shared.z[to] = position.z;
      shared.particle[to] = particle;
      if constexpr (Interaction::needs_types) shared.type[to] = particles.type[particle];
    }
    block.barrier();
  }

  /// How many sources of the local cell come before this thread's: what a ticket says, but the same
  /// in every run. The tickets serve to list the threads of a cell.
  PENCILBOX_DEVICE_FUNCTION Index rank_in_cell(const Block& block, const Shared& shared, bool mine,
                                               Index cell, Index ticket) const {
    const SharedArray<Index>& listed = shared.gathered_cell;  // no longer needed
    if (mine) listed[shared.offset[cell] + ticket] = block.thread();
    block.barrier();
    if (!mine) return 0;
    Index rank = 0;
    const Index end = shared.offset[cell + 1];
    for (Index k = shared.offset[cell]; k < end; ++k) rank += listed[k] < block.thread() ? 1 : 0;
    return rank;
  }

  /// Algorithm 4. Local cells that are neighbours along x follow each other.
  PENCILBOX_DEVICE_FUNCTION void look_up(const Shared& shared, const Target& target,
                                         Sum& sum) const {
    const Home home = home_of(shared);
    for (Index dz = -1; dz <= 1; ++dz) {
      for (Index dy = -1; dy <= 1; ++dy) {
        const Index left = target.local_cell + dz * home.slab + dy * home.row - 1;
        Index k = shared.offset[left];
        for (Index dx = -1; dx <= 1; ++dx) {
          const Index end = shared.offset[left + dx + 2];
          if (k == end) continue;
          const CellShift<Pair> shift = particles.grid.shift(dx, dy, dz);
          // Own images lie in the overlap, never in the target's own cell.
          const Index skip = dx == 0 && dy == 0 && dz == 0 ? target.particle : Index{-1};
          for (; k < end; ++k) {
            if (shared.particle[k] != skip) add_source(shared, target, sum, k, shift);
          }
        }
      }
    }
  }

  PENCILBOX_DEVICE_FUNCTION void add_source(const Shared& shared, const Target& target, Sum& sum,
                                            Index k, const CellShift<Pair>& shift) const {
    const Vec3<Pair> source{shared.x[k], shared.y[k], shared.z[k]};
    std::int32_t type = 0;
    if constexpr (Interaction::needs_types) type = shared.type[k];
    const auto exact = [&] {
      return exact_separation(particles, target.particle, static_cast<Index>(shared.particle[k]),
                              shift);
    };
    sum.add(interaction, target.position, source, shift, exact, target.type, type);
  }
};

}  // namespace pencilbox::PENCILBOX_DEVICE::two_level_grid
