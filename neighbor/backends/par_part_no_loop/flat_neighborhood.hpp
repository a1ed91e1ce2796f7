// The 27 cells around a target laid end to end, for lanes of a warp that share it: they look all
// cells up at once, where one after the other would wait for device memory each time, and none of
// them idles because a cell holds fewer particles than there are lanes.
#pragma once

#include "core/device/device.hpp"
#include "neighbor/walks/index_range.hpp"
#include "neighbor/walks/shared_shifts.hpp"
#include "neighbor/walks/shift_code.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

/// In a block's shared memory, one for each of its targets.
template <class Pair>
class FlatNeighborhood {
 public:
  static std::size_t bytes(int targets) {
    return SharedWholeShifts<Pair>::bytes +
           static_cast<std::size_t>(targets) * numbers * sizeof(Index);
  }

  /// A candidate: a source and how its cell was met.
  struct Candidate {
    Index source = -1;
    Index code = ShiftCode::none;
  };

  /// Every thread of the block must call it, before it asks for other shared memory. `target`: its
  /// number in the block; `lane`: of the `lanes` (a power of two) that share it. Where there is no
  /// such target, `is_there` is false and no candidate comes. Ends with a barrier.
  PENCILBOX_DEVICE_FUNCTION FlatNeighborhood(const Block& block, const GridView<Pair>& grid,
                                             const Index* offset, const CellCoordinates& home,
                                             Index target, Index targets, Index lane, Index lanes,
                                             bool is_there)
      : shifts_(block, grid),
        numbers_(block.shared<Index>(targets * numbers)),
        first_(target * numbers),
        ends_(first_ + ShiftCode::count) {
    const Index each = (ShiftCode::count + lanes - 1) / lanes;
    const Index begin = smaller(lane * each, ShiftCode::count);
    const Index end = smaller(begin + each, ShiftCode::count);
    Index mine = 0;
    for (Index code = begin; code < end; ++code) {
      const IndexRange cell =
          is_there ? ShiftCode::particles(grid, offset, home, code) : IndexRange{};
      numbers_[first_ + code] = cell.begin - mine;  // less what this lane has before it
      mine += cell.count();
      if (code + 1 < end) numbers_[ends_ + code] = mine;
    }
    Index before = mine;
    for (Index distance = 1; distance < lanes; distance *= 2) {
      const Index below =
          block.shuffle(before, lane >= distance ? block.lane() - distance : block.lane());
      if (lane >= distance) before += below;
    }
    before -= mine;
    for (Index code = begin; code < end; ++code) {
      const Index inside = code + 1 < end ? Index{numbers_[ends_ + code]} : mine;
      numbers_[first_ + code] = Index{numbers_[first_ + code]} - before;
      numbers_[ends_ + code] = before + inside;
    }
    block.barrier();
    total_ = numbers_[ends_ + ShiftCode::count - 1];
  }

  PENCILBOX_DEVICE_FUNCTION Index total() const { return total_; }

  /// The candidate with this number, which must not be less than that of the call before.
  PENCILBOX_DEVICE_FUNCTION Candidate candidate(Index number) {
    if (number >= total_) return {};
    while (number >= Index{numbers_[ends_ + code_]}) ++code_;
    return {Index{numbers_[first_ + code_]} + number, code_};
  }

  PENCILBOX_DEVICE_FUNCTION Vec3<Pair> shift(Index code) const { return shifts_[code]; }

 private:
  /// Of each cell where its sources begin, less the number of its first; and the number behind its
  /// last.
  static constexpr Index numbers = 2 * ShiftCode::count;

  SharedWholeShifts<Pair> shifts_;
  SharedArray<Index> numbers_;
  Index first_;
  Index ends_;
  Index total_ = 0;
  Index code_ = 0;
};

}  // namespace pencilbox::PENCILBOX_DEVICE
