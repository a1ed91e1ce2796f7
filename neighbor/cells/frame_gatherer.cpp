#include "neighbor/cells/frame_gatherer.hpp"

#include <algorithm>
#include <atomic>
#include <type_traits>

#include "core/device/math.hpp"
#include "core/row_of_id.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

namespace {

/// Where the rows of a frame go; null: not asked for. Vectors are [N][3].
template <class Real>
struct PackedRows {
  Real* position = nullptr;
  Real* velocity = nullptr;
  Real* force = nullptr;
  std::int32_t* image = nullptr;
  std::int32_t* species = nullptr;
  ParticleId* id = nullptr;
  Real* potential_energy = nullptr;
  Real* speed = nullptr;
};

template <class Real, class T>
PENCILBOX_DEVICE_FUNCTION void store_row(Real* rows, std::int64_t row, const Vec3<T>& value) {
  rows[3 * row] = static_cast<Real>(value.x);
  rows[3 * row + 1] = static_cast<Real>(value.y);
  rows[3 * row + 2] = static_cast<Real>(value.z);
}

/// One thread a particle. Row r is the particle with the r-th smallest id.
template <class Precision, class Real>
struct PackFrame {
  static constexpr const char* name = "pack a frame";
  using State = typename Precision::State;
  using Accumulator = typename Precision::Accumulator;

  Vec3View<const State> position, velocity;
  const Index* cell;
  Vec3View<const std::int32_t> image;
  const std::int32_t* type;
  const ParticleId* id;
  Vec3View<const Accumulator> force;
  const Accumulator* energy;
  RowOfId row_of;
  GridView<double> grid;
  Vec3<double> lower;
  PackedRows<Real> rows;

  PENCILBOX_DEVICE_FUNCTION void operator()(Index i) const {
    const std::int64_t row = row_of(id[i]);
    if (rows.position != nullptr || rows.image != nullptr) store_place(i, row);
    if (rows.velocity != nullptr) store_row(rows.velocity, row, velocity[i]);
    if (rows.force != nullptr) store_row(rows.force, row, force[i]);
    if (rows.species != nullptr) rows.species[row] = type[i];
    if (rows.id != nullptr) rows.id[row] = id[i];
    if (rows.potential_energy != nullptr) rows.potential_energy[row] = static_cast<Real>(energy[i]);
    if (rows.speed != nullptr) {
      const Vec3<double> v = velocity[i].template to<double>();
      rows.speed[row] = static_cast<Real>(square_root(dot(v, v)));
    }
  }

  PENCILBOX_DEVICE_FUNCTION void store_place(Index i, std::int64_t row) const {
    const CellCoordinates home = grid.coordinates(cell[i]);
    const Vec3<double> offset = position[i].template to<double>();
    const InsideGrid x = inside_grid(home.x, offset.x, grid.side.x, grid.cells.x, grid.periodic.x);
    const InsideGrid y = inside_grid(home.y, offset.y, grid.side.y, grid.cells.y, grid.periodic.y);
    const InsideGrid z = inside_grid(home.z, offset.z, grid.side.z, grid.cells.z, grid.periodic.z);
    if (rows.position != nullptr) {
      store_row(rows.position, row, lower + Vec3<double>{x.coordinate, y.coordinate, z.coordinate});
    }
    if (rows.image != nullptr) {
      store_row(rows.image, row, image[i] + Vec3<std::int32_t>{x.images, y.images, z.images});
    }
  }
};

/// Where each field stands in a frame's memory.
class Layout {
 public:
  Layout(const FieldSet& fields, std::int64_t particles, int float_bytes) {
    constexpr std::int64_t alignment = 256;
    for (std::size_t i = 0; i < field_names.size(); ++i) {
      const auto field = static_cast<Field>(i);
      if (!fields.contains(field)) continue;
      offset_[i] = bytes_;
      const FieldShape shape = shape_of(field);
      const int number = shape.is_float ? float_bytes : 4;
      bytes_ += round_up(particles * shape.components * number, alignment);
    }
  }

  std::int64_t bytes() const { return bytes_; }

  /// Null if the field was not asked for.
  template <class Byte>
  Byte* at(Byte* memory, Field field) const {
    const std::int64_t offset = offset_[static_cast<std::size_t>(field)];
    return offset < 0 ? nullptr : memory + offset;
  }

 private:
  std::array<std::int64_t, field_names.size()> offset_{-1, -1, -1, -1, -1, -1, -1, -1};
  std::int64_t bytes_ = 0;
};

template <class Real>
PackedRows<Real> rows_in(std::byte* memory, const Layout& layout) {
  const auto reals = [&](Field field) { return reinterpret_cast<Real*>(layout.at(memory, field)); };
  const auto integers = [&](Field field) {
    return reinterpret_cast<std::int32_t*>(layout.at(memory, field));
  };
  return {reals(Field::position),         reals(Field::velocity),   reals(Field::force),
          integers(Field::image),         integers(Field::species), integers(Field::id),
          reals(Field::potential_energy), reals(Field::speed)};
}

template <class Precision, class Real>
void pack(const Particles<Precision>& particles, const CellGrid& grid,
          const Buffer<ParticleId>& ids, const PackedRows<Real>& rows, Stream& stream) {
  const auto& state = particles.state;
  for_each(stream, particles.count,
           PackFrame<Precision, Real>{state.position.view(),
                                      state.velocity.view(),
                                      state.cell.data(),
                                      state.image.view(),
                                      state.type.data(),
                                      state.id.data(),
                                      particles.sums.force.view(),
                                      particles.sums.energy.data(),
                                      {ids.data(), particles.count},
                                      grid.view<double>(),
                                      {grid.lower[0], grid.lower[1], grid.lower[2]},
                                      rows});
}

}  // namespace

template <class Precision>
FrameGatherer<Precision>::FrameGatherer(const Particles<Precision>& particles, Stream& stream) {
  std::vector<ParticleId> ids = particles.state.id.download(stream);
  std::sort(ids.begin(), ids.end());
  ids_.upload(ids, stream);
}

template <class Precision>
PackedFrame FrameGatherer<Precision>::gather(const Particles<Precision>& particles,
                                             const CellGrid& grid, const FieldSet& fields,
                                             int float_bytes, Stream& stream) {
  const Layout layout(fields, particles.count, float_bytes);
  const std::shared_ptr<Slot> slot = free_slot();
  if (slot->packed.size() != layout.bytes()) {
    slot->packed.resize(layout.bytes());
    slot->packed.fill_bytes(0, stream);  // what lies between two fields travels too
  }
  slot->host.resize(static_cast<std::size_t>(layout.bytes()));
  if (float_bytes == 4) {
    pack(particles, grid, ids_, rows_in<float>(slot->packed.data(), layout), stream);
  } else {
    pack(particles, grid, ids_, rows_in<double>(slot->packed.data(), layout), stream);
  }
  send(*slot, static_cast<std::size_t>(layout.bytes()), stream);

  PackedFrame frame;
  frame.particles = particles.count;
  frame.float_bytes = float_bytes;
  for (std::size_t i = 0; i < field_names.size(); ++i) {
    frame.rows[i] = layout.at(slot->host.data(), static_cast<Field>(i));
  }
  frame.memory = slot;
  frame.wait = [slot] { slot->arrived.wait(); };
  return frame;
}

/// On a stream of its own, so that the next steps do not wait for the copy.
template <class Precision>
void FrameGatherer<Precision>::send(Slot& slot, std::size_t bytes, Stream& stream) {
  packed_.record(stream);
  packed_.hold(copies_);
  memory::copy(slot.host.data(), slot.packed.data(), bytes, copies_);
  slot.arrived.record(copies_);
}

/// One whose frame is gone, or a new one. As many are made as frames are held at one time.
template <class Precision>
auto FrameGatherer<Precision>::free_slot() -> std::shared_ptr<Slot> {
  for (const auto& slot : slots_) {
    if (slot.use_count() > 1) continue;
    // What another thread read from the slot before it let go comes before what is written now.
    std::atomic_thread_fence(std::memory_order_acquire);
    return slot;
  }
  slots_.push_back(std::make_shared<Slot>());
  return slots_.back();
}

template class FrameGatherer<SinglePrecision>;
template class FrameGatherer<MixedPrecision>;
template class FrameGatherer<DoublePrecision>;

}  // namespace pencilbox::PENCILBOX_DEVICE
