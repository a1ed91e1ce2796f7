// The 27 shifts of a list's entries in shared memory.
#pragma once

#include "core/device/device.hpp"
#include "neighbor/walks/shift_code.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

/// Each coordinate apart, so that reads take the least of shared memory's time: lanes look
/// different ones up at a time, and 27 words lie in as many banks.
template <class Pair>
class SharedShifts {
  static constexpr Index stride = 32;

 public:
  static constexpr std::size_t bytes = 3 * stride * sizeof(Pair);

  /// The block has a warp at least. Its threads meet at a barrier before they look one up.
  PENCILBOX_DEVICE_FUNCTION SharedShifts(const Block& block, const GridView<Pair>& grid)
      : coordinate_(block.shared<Pair>(3 * stride)) {
    const Index code = block.thread();
    if (code < ShiftCode::count) {
      const Vec3<Pair> shift = ShiftCode::shift(grid, code).rounded;
      coordinate_[code] = shift.x;
      coordinate_[stride + code] = shift.y;
      coordinate_[2 * stride + code] = shift.z;
    }
  }
  PENCILBOX_DEVICE_FUNCTION Vec3<Pair> operator[](Index code) const {
    return {coordinate_[code], coordinate_[stride + code], coordinate_[2 * stride + code]};
  }

 private:
  SharedArray<Pair> coordinate_;
};

/// All three at one read: fewer instructions, where reads are not what a kernel waits for.
template <class Pair>
class SharedWholeShifts {
 public:
  static constexpr std::size_t bytes = ShiftCode::count * sizeof(RoundedShift<Pair>);

  /// Every thread of the block must call it; they meet at a barrier before they look one up.
  PENCILBOX_DEVICE_FUNCTION SharedWholeShifts(const Block& block, const GridView<Pair>& grid)
      : shifts_(block.shared<RoundedShift<Pair>>(ShiftCode::count)) {
    for (Index code = block.thread(); code < ShiftCode::count; code += block.threads()) {
      shifts_[code] = RoundedShift<Pair>{ShiftCode::shift(grid, code).rounded};
    }
  }
  PENCILBOX_DEVICE_FUNCTION Vec3<Pair> operator[](Index code) const {
    const RoundedShift<Pair> shift = shifts_[code];
    return shift.rounded;
  }

 private:
  SharedArray<RoundedShift<Pair>> shifts_;
};

}  // namespace pencilbox::PENCILBOX_DEVICE
