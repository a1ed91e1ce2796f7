// A frame as files store it: one flat array for each field, in memory that whoever made it lends.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>

#include "core/observation.hpp"

namespace pencilbox {

/// How the numbers of a field lie in memory.
struct FieldShape {
  int components = 1;    ///< 3: [N][3], 1: [N]
  bool is_float = true;  ///< else 32-bit integers
};

constexpr FieldShape shape_of(Field field) {
  switch (field) {
    case Field::position:
    case Field::velocity:
    case Field::force:
      return {3, true};
    case Field::image:
      return {3, false};
    case Field::species:
    case Field::id:
      return {1, false};
    case Field::potential_energy:
    case Field::speed:
      return {1, true};
  }
  return {};
}

/// One frame, rows in id order; reduced Lennard-Jones units. The rows may still be on their way
/// from the device: call `arrive` before reading them.
struct PackedFrame {
  std::int64_t step = 0;
  double time = 0.0;
  Box box;
  std::int64_t particles = 0;
  int float_bytes = 8;  ///< 4: floats of all fields are float, 8: double
  std::array<const void*, field_names.size()> rows{};  ///< by Field; null: was not asked for
  std::shared_ptr<const void> memory;  ///< where the rows lie; ends with the last copy of the frame
  std::function<void()> wait;          ///< until all rows are there; empty: they are

  const void* rows_of(Field field) const { return rows[static_cast<std::size_t>(field)]; }
  void arrive() const {
    if (wait) wait();
  }
};

/// A frame of the host, in double, with the speeds if it has velocities.
PackedFrame pack(Frame frame);

/// The frame on the host, when it has arrived; floats must be double. It has no place for speeds.
Frame unpack(const PackedFrame& packed);

}  // namespace pencilbox
