// The exact state of a simulation between two steps: all that the steps to come depend on, to the
// last bit. What a checkpoint holds.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/box.hpp"
#include "core/precision.hpp"
#include "core/start_state.hpp"

namespace pencilbox {

inline bool is_finite(const Double3& numbers) {
  return std::isfinite(numbers[0]) && std::isfinite(numbers[1]) && std::isfinite(numbers[2]);
}

/// What an integrator carries from step to step beside the particles, by name.
using NamedNumbers = std::map<std::string, std::vector<double>>;

/// The cells that places refer to.
struct CellLayout {
  Double3 lower{};                      ///< lower corner of cell (0, 0, 0) [sigma]
  Double3 side{};                       ///< of a cell [sigma]
  std::array<std::int32_t, 3> cells{};  ///< in each direction
};

/// Rows in order of id, so the state does not say in which order particles lay on the device. A
/// position is a cell and an offset, as on the device: an absolute one would round. Numbers of a
/// run in single precision are floats, which doubles hold exactly.
///
/// The forces are part of it: the next step begins with them, and evaluating them once more may
/// round differently.
struct ExactState {
  std::int64_t step = 0;
  Precision precision = Precision::mixed;
  Box box;
  std::vector<ParticleType> types;
  CellLayout grid;
  NamedNumbers integrator;

  std::vector<ParticleId> id;                      ///< [N] ascending
  std::vector<std::int32_t> type;                  ///< [N] 0-based index into `types`
  std::vector<std::array<std::int32_t, 3>> cell;   ///< [N] coordinates of the cell
  std::vector<Double3> offset;                     ///< [N] from the cell's centre [sigma]
  std::vector<Double3> velocity;                   ///< [N] [sigma/tau]
  std::vector<std::array<std::int32_t, 3>> image;  ///< [N] periodic images crossed
  std::vector<Double3> force;                      ///< [N] [epsilon/sigma]

  // Where a list of pairs is kept over several steps: what it was made of, so that it is made again
  // as it was. `cell` is then that of the reference.
  double skin = 0.0;                 ///< 0: no list [sigma]
  std::vector<Double3> reference;    ///< [N] offsets when the list was made; empty: no list
  std::int64_t list_age = 0;         ///< evaluations since then
  std::int64_t list_age_before = 0;  ///< that the list before has served; 0: there was none

  std::int64_t size() const { return static_cast<std::int64_t>(id.size()); }

  /// Whether the place, velocity and force of this row are numbers.
  bool has_finite_row(std::size_t row) const {
    return is_finite(offset[row]) && is_finite(velocity[row]) && is_finite(force[row]) &&
           (reference.empty() || is_finite(reference[row]));
  }
  std::optional<std::size_t> first_broken_row() const {
    for (std::size_t row = 0; row < id.size(); ++row) {
      if (!has_finite_row(row)) return row;
    }
    return {};
  }
};

}  // namespace pencilbox
