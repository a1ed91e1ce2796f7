// What a frame has of each particle, packed by a kernel: one flat array for each field.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "core/device/math.hpp"
#include "core/packed_frame.hpp"
#include "core/particles.hpp"
#include "neighbor/cells/cell_grid.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

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

/// Cells of a grid that is part of a larger one.
struct CellsWithin {
  GridView<double> cells;   ///< as particles' cells are numbered
  CellCoordinates first{};  ///< of these, as the larger grid counts
  GridView<double> grid;    ///< the larger one
  Vec3<double> lower;       ///< its corner [sigma]

  static CellsWithin all_of(const CellGrid& grid) {
    return {grid.view<double>(),
            {},
            grid.view<double>(),
            {grid.lower[0], grid.lower[1], grid.lower[2]}};
  }
  PENCILBOX_DEVICE_FUNCTION CellCoordinates coordinates(Index cell) const {
    const CellCoordinates at = cells.coordinates(cell);
    return {at.x + first.x, at.y + first.y, at.z + first.z};
  }
};

/// One thread a particle. `row_of(i, id)` is its row; below 0: it has none.
template <class Precision, class Real, class RowOf>
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
  RowOf row_of;
  CellsWithin place;
  PackedRows<Real> rows;

  PENCILBOX_DEVICE_FUNCTION void operator()(Index i) const {
    const std::int64_t row = row_of(i, id[i]);
    if (row < 0) return;
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
    const GridView<double>& grid = place.grid;
    const CellCoordinates home = place.coordinates(cell[i]);
    const Vec3<double> offset = position[i].template to<double>();
    const InsideGrid x = inside_grid(home.x, offset.x, grid.side.x, grid.cells.x, grid.periodic.x);
    const InsideGrid y = inside_grid(home.y, offset.y, grid.side.y, grid.cells.y, grid.periodic.y);
    const InsideGrid z = inside_grid(home.z, offset.z, grid.side.z, grid.cells.z, grid.periodic.z);
    if (rows.position != nullptr) {
      store_row(rows.position, row,
                place.lower + Vec3<double>{x.coordinate, y.coordinate, z.coordinate});
    }
    if (rows.image != nullptr) {
      store_row(rows.image, row, image[i] + Vec3<std::int32_t>{x.images, y.images, z.images});
    }
  }
};

inline std::size_t bytes_of_a_row(Field field, int float_bytes) {
  const FieldShape shape = shape_of(field);
  return static_cast<std::size_t>(shape.components * (shape.is_float ? float_bytes : 4));
}

/// Where each field stands in the memory of a frame, or of a part of one.
class FrameLayout {
 public:
  FrameLayout(const FieldSet& fields, std::int64_t particles, int float_bytes) {
    constexpr std::int64_t alignment = 256;
    for (std::size_t i = 0; i < field_names.size(); ++i) {
      const auto field = static_cast<Field>(i);
      if (!fields.contains(field)) continue;
      offset_[i] = bytes_;
      const auto each = static_cast<std::int64_t>(bytes_of_a_row(field, float_bytes));
      bytes_ += round_up(particles * each, alignment);
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
PackedRows<Real> rows_in(std::byte* memory, const FrameLayout& layout) {
  const auto reals = [&](Field field) { return reinterpret_cast<Real*>(layout.at(memory, field)); };
  const auto integers = [&](Field field) {
    return reinterpret_cast<std::int32_t*>(layout.at(memory, field));
  };
  return {reals(Field::position),         reals(Field::velocity),   reals(Field::force),
          integers(Field::image),         integers(Field::species), integers(Field::id),
          reals(Field::potential_energy), reals(Field::speed)};
}

/// In order of `stream`.
template <class Precision, class Real, class RowOf>
void pack(const Particles<Precision>& particles, const CellsWithin& place, const RowOf& row_of,
          const PackedRows<Real>& rows, Stream& stream) {
  const auto& state = particles.state;
  for_each(stream, particles.count,
           PackFrame<Precision, Real, RowOf>{
               state.position.view(), state.velocity.view(), state.cell.data(), state.image.view(),
               state.type.data(), state.id.data(), particles.sums.force.view(),
               particles.sums.energy.data(), row_of, place, rows});
}

/// With floats of 4 or 8 bytes.
template <class Precision, class RowOf>
void pack(const Particles<Precision>& particles, const CellsWithin& place, const RowOf& row_of,
          std::byte* memory, const FrameLayout& layout, int float_bytes, Stream& stream) {
  if (float_bytes == 4) {
    pack(particles, place, row_of, rows_in<float>(memory, layout), stream);
  } else {
    pack(particles, place, row_of, rows_in<double>(memory, layout), stream);
  }
}

}  // namespace pencilbox::PENCILBOX_DEVICE
