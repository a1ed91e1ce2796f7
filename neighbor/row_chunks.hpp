// The targets of an evaluation in two launches, told apart by chunks of rows.
#pragma once

#include "core/device/device.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

/// Of a rank's own particles: those that other ranks see, who have to be moved before letters can
/// go and may have sources in letters that came; and those inside, who have to do with nobody else.
enum class PartOfTargets { all, border, interior };

/// Where cells are sorted anew in every step, a particle's cell does not tell its part: who is
/// through has another one. A chunk with somebody of the border goes with the border as a whole.
struct RowChunks {
  static constexpr Index rows = 128;

  PartOfTargets part = PartOfTargets::all;
  const Index* in_border = nullptr;     ///< [room] numbers of chunks, in any order
  const Index* is_in_border = nullptr;  ///< [chunks] whether it is one of these
  const Index* count = nullptr;         ///< that there would be, had they room
  Index room = 0;

  /// That a launch for `all` rows needs.
  std::int64_t threads(Index all) const {
    return part == PartOfTargets::border ? std::int64_t{room} * rows : all;
  }
  /// Of one of these threads; negative: none.
  PENCILBOX_DEVICE_FUNCTION std::int64_t row_of(std::int64_t thread) const {
    if (part != PartOfTargets::border) return thread;
    const auto chunk = static_cast<Index>(thread / rows);
    return chunk < *count ? std::int64_t{in_border[chunk]} * rows + thread % rows : -1;
  }
  /// Whether the other launch is for it.
  PENCILBOX_DEVICE_FUNCTION bool leave_out(Index row) const {
    return part == PartOfTargets::interior && is_in_border[row / rows] != 0;
  }
};

}  // namespace pencilbox::PENCILBOX_DEVICE
