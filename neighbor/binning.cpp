#include "neighbor/binning.hpp"

#include <bit>
#include <cmath>

namespace pencilbox::PENCILBOX_DEVICE {

namespace {

/// Pointers of a ParticleState.
template <class State>
struct StateView {
  Vec3View<State> position, velocity;
  Index* cell;
  ParticleId* id;
  std::int32_t* type;
  Vec3View<std::int32_t> image;
};

template <class Precision>
StateView<typename Precision::State> view_of(ParticleState<Precision>& s) {
  return {s.position.view(), s.velocity.view(), s.cell.data(),
          s.id.data(),       s.type.data(),     s.image.view()};
}

/// One coordinate on its way to the cell it is in now. One that fails stays in the cell where it
/// was last seen: that is what the host can tell of it.
template <class State>
struct Step {
  Index cell;
  State offset;
  std::int32_t crossed = 0;  ///< periodic faces
  bool failed = false;
  bool escaped = false;

  PENCILBOX_DEVICE_FUNCTION Step(Index old_cell, State old_offset, State side, Index cells,
                                 bool periodic)
      : cell(old_cell), offset(old_offset) {
    const State half = State(0.5) * side;
    if (old_offset >= -half && old_offset < half) return;
    const State moved = std::floor(old_offset / side + State(0.5));
    if (!(moved > State(-1e9) && moved < State(1e9))) {
      fail();
      return;
    }
    const auto by = static_cast<Index>(moved);
    if (periodic) {
      if (by > cells || by < -cells) {
        fail();
        return;
      }
      const Index target = old_cell + by;
      crossed = target >= 0 ? target / cells : -((-target - 1) / cells) - 1;
      cell = target - crossed * cells;
      offset -= moved * side;
    } else {
      const Index target = old_cell + by;
      cell = target < 0 ? 0 : (target >= cells ? cells - 1 : target);
      offset -= static_cast<State>(cell - old_cell) * side;
      escaped = target < -1 || target > cells;
    }
  }

 private:
  PENCILBOX_DEVICE_FUNCTION void fail() {
    failed = true;
    offset = State(0);
  }
};

template <class State>
struct AssignCells {
  static constexpr const char* name = "binning: assign cells";
  GridView<State> grid;
  StateView<State> particles;
  Index* counts;
  Index* rank;
  std::uint64_t* failure;
  Index* escaped;
  std::uint64_t step;

  PENCILBOX_DEVICE_FUNCTION void operator()(Index i) const {
    const CellCoordinates old_cell = grid.coordinates(particles.cell[i]);
    const Vec3<State> old_offset = particles.position[i];
    const Step<State> x(old_cell.x, old_offset.x, grid.side.x, grid.cells.x, grid.periodic.x);
    const Step<State> y(old_cell.y, old_offset.y, grid.side.y, grid.cells.y, grid.periodic.y);
    const Step<State> z(old_cell.z, old_offset.z, grid.side.z, grid.cells.z, grid.periodic.z);
    const Index cell = grid.linear({x.cell, y.cell, z.cell});
    particles.position.store(i, {x.offset, y.offset, z.offset});
    particles.cell[i] = cell;
    if (x.crossed != 0) particles.image.x[i] += x.crossed;
    if (y.crossed != 0) particles.image.y[i] += y.crossed;
    if (z.crossed != 0) particles.image.z[i] += z.crossed;
    if (x.failed || y.failed || z.failed) {
      atomic_min(failure, step << 32U | static_cast<std::uint64_t>(particles.id[i]));
    }
    if (x.escaped || y.escaped || z.escaped) atomic_add(escaped, Index{1});
    rank[i] = atomic_add(counts + cell, Index{1});
  }
};

struct OrderByRank {
  static constexpr const char* name = "binning: order by rank";
  const Index* cell;
  const Index* rank;
  const Index* offset;
  Index* order;

  PENCILBOX_DEVICE_FUNCTION void operator()(Index i) const { order[offset[cell[i]] + rank[i]] = i; }
};

struct MakeKeys {
  static constexpr const char* name = "binning: make keys";
  const Index* cell;
  const ParticleId* id;
  std::uint64_t* keys;
  Index* order;
  int id_bits;

  PENCILBOX_DEVICE_FUNCTION void operator()(Index i) const {
    keys[i] = static_cast<std::uint64_t>(cell[i]) << id_bits | static_cast<std::uint64_t>(id[i]);
    order[i] = i;
  }
};

template <class Precision>
struct Reorder {
  static constexpr const char* name = "binning: reorder";
  using State = typename Precision::State;
  using Pair = typename Precision::Pair;
  StateView<State> from, to;
  static constexpr bool separate_pair_position = !std::is_same_v<State, Pair>;
  Vec3View<Pair> pair_position;
  const Index* order;
  bool several_types;

  PENCILBOX_DEVICE_FUNCTION void operator()(Index i) const {
    const Index old = order[i];
    const Vec3<State> position = from.position[old];
    to.position.store(i, position);
    if constexpr (separate_pair_position) {
      pair_position.store(i, position.template to<Pair>());
    }
    to.velocity.store(i, from.velocity[old]);
    to.cell[i] = from.cell[old];
    to.id[i] = from.id[old];
    to.image.store(i, from.image[old]);
    if (several_types) to.type[i] = from.type[old];
  }
};

struct LargestCell {
  static constexpr const char* name = "binning: largest cell";
  const Index* counts;
  Index* largest;

  PENCILBOX_DEVICE_FUNCTION void operator()(Index cell) const { atomic_max(largest, counts[cell]); }
};

constexpr int id_bits = 31;

}  // namespace

template <class Precision>
Binning<Precision>::Binning(const CellGrid& grid, bool deterministic, Stream& stream)
    : grid_(grid), deterministic_(deterministic) {
  counts_.resize(grid.count() + 1);
  offset_.resize(grid.count() + 1);
  escaped_.resize(1);
  largest_.resize(1);
  failure_.resize(1);
  failure_.fill_bytes(0xff, stream);
}

template <class Precision>
void Binning<Precision>::make_order(Particles<Precision>& particles, Stream& stream) {
  const Index count = particles.count;
  order_.resize(count);
  if (deterministic_) {
    keys_.resize(count);
    for_each(stream, count,
             MakeKeys{particles.state.cell.data(), particles.state.id.data(), keys_.data(),
                      order_.data(), id_bits});
    const int cell_bits = std::bit_width(static_cast<unsigned>(grid_.count()));
    sort_(keys_, order_, id_bits + cell_bits, stream);
  } else {
    for_each(stream, count,
             OrderByRank{particles.state.cell.data(), rank_.data(), offset_.data(), order_.data()});
  }
}

template <class Precision>
void Binning<Precision>::run(Particles<Precision>& particles, std::int64_t step, Profiler& profiler,
                             Stream& stream) {
  using State = typename Precision::State;
  const Index count = particles.count;
  other_.resize(count);
  rank_.resize(count);
  profiler.begin(Region::bin, stream);
  counts_.fill_bytes(0, stream);
  escaped_.fill_bytes(0, stream);
  for_each(stream, count,
           AssignCells<State>{grid_.view<State>(), view_of(particles.state), counts_.data(),
                              rank_.data(), failure_.data(), escaped_.data(),
                              static_cast<std::uint64_t>(step)});
  scan_(counts_.data(), offset_.data(), grid_.count() + 1, stream);
  make_order(particles, stream);
  profiler.begin(Region::reorder, stream);
  if constexpr (Reorder<Precision>::separate_pair_position) pair_position_.resize(count);
  for_each(stream, count,
           Reorder<Precision>{view_of(particles.state), view_of(other_), pair_position_.view(),
                              order_.data(), particles.types > 1});
  if (particles.types == 1) other_.type.swap(particles.state.type);
  std::swap(particles.state, other_);
}

template <class Precision>
BinnedParticles<Precision> Binning<Precision>::view(const Particles<Precision>& particles) const {
  using Pair = typename Precision::Pair;
  BinnedParticles<Precision> binned;
  binned.count = particles.count;
  binned.offset = offset_.data();
  binned.cell = particles.state.cell.data();
  binned.state_position = particles.state.position.view();
  binned.grid = grid_.view<Pair>();
  if constexpr (Reorder<Precision>::separate_pair_position) {
    binned.position = pair_position_.view();
  } else {
    binned.position = particles.state.position.view();
  }
  binned.type = particles.state.type.data();
  return binned;
}

template <class Precision>
BinningHealth Binning<Precision>::health(Stream& stream) {
  largest_.fill_bytes(0, stream);
  for_each(stream, grid_.count(), LargestCell{counts_.data(), largest_.data()});
  const std::uint64_t failure = failure_.download(stream)[0];
  BinningHealth health;
  health.largest_cell = largest_.download(stream)[0];
  health.escaped = escaped_.download(stream)[0];
  health.failed = failure != ~std::uint64_t{0};
  health.failed_step = static_cast<std::int64_t>(failure >> 32U);
  health.failed_id = static_cast<ParticleId>(failure & 0xffffffffU);
  return health;
}

template class Binning<SinglePrecision>;
template class Binning<MixedPrecision>;
template class Binning<DoublePrecision>;

}  // namespace pencilbox::PENCILBOX_DEVICE
