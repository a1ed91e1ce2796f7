// The nine pencils of sources around a pencil of targets, in a block's shared memory.
// Few particles per cell, section 5.2.
#pragma once

#include "neighbor/walks/source_pencil.hpp"
#include "neighbor/walks/warp_scan.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

/// The own row first, then the others in the order of memory. Their sources are numbered through:
/// those of pencil 0, then those of pencil 1, and so on. A pencil beyond an open face has none.
///
/// Nine lanes of a warp find them at once. Where every thread of the block looked up one pencil
/// after the other, a small block would wait for device memory nine times in place of once.
class SurroundingPencils {
 public:
  static constexpr Index count = 9;
  static constexpr std::size_t bytes = count * sizeof(SourcePencil) + (count + 1) * sizeof(Index);
  static_assert(bytes % 16 == 0, "what comes next in shared memory may be so aligned");

  /// Every thread of the block must call it, before it asks for other shared memory.
  PENCILBOX_DEVICE_FUNCTION static SurroundingPencils allocate(const Block& block) {
    const auto pencils = block.shared<SourcePencil>(count);
    const auto begin = block.shared<Index>(count + 1);
    return {pencils, begin};
  }

  /// Of those around columns [first, last) of row (y, z) the one that falls to this thread, for
  /// keep(). Apart from it, so that what comes between them waits for device memory at the same
  /// time.
  template <class Real>
  PENCILBOX_DEVICE_FUNCTION static SourcePencil look_up(const Block& block,
                                                        const GridView<Real>& grid,
                                                        const Index* cell_offset, Index y, Index z,
                                                        Index first, Index last) {
    const Index k = block.thread();
    if (k >= count) return {};
    const Index source_y = grid.wrap_y(y + dy(k));
    const Index source_z = grid.wrap_z(z + dz(k));
    if (source_y < 0 || source_z < 0) return {cell_offset, first, last, {}, {}, {}};
    return source_pencil(grid, cell_offset, grid.linear({0, source_y, source_z}), first, last);
  }

  /// Every thread of the block, which has whole warps, must call it; it ends with a barrier.
  PENCILBOX_DEVICE_FUNCTION void keep(const Block& block, const SourcePencil& sources) const {
    if (block.warp() == 0) {
      const Index k = block.lane();
      const Index end = warp_inclusive_sum(block, sources.count());
      if (k < count) {
        pencils_[k] = sources;
        begin_[k] = end - sources.count();
      }
      if (k == count) begin_[k] = end;
    }
    block.barrier();
  }

  /// In which row pencil k lies, as seen from the targets.
  PENCILBOX_DEVICE_FUNCTION static Index dy(Index k) { return place(k) % 3 - 1; }
  PENCILBOX_DEVICE_FUNCTION static Index dz(Index k) { return place(k) / 3 - 1; }

  PENCILBOX_DEVICE_FUNCTION SourcePencil pencil(Index k) const { return pencils_[k]; }

  /// Number of the first source of pencil k, and of the one behind pencil k - 1.
  PENCILBOX_DEVICE_FUNCTION Index begin(Index k) const { return begin_[k]; }
  /// How many sources there are.
  PENCILBOX_DEVICE_FUNCTION Index end() const { return begin_[count]; }

 private:
  PENCILBOX_DEVICE_FUNCTION SurroundingPencils(const SharedArray<SourcePencil>& pencils,
                                               const SharedArray<Index>& begin)
      : pencils_(pencils), begin_(begin) {}

  /// 4 is the own row; then 0, 1, 2, 3, 5, ...
  PENCILBOX_DEVICE_FUNCTION static Index place(Index k) {
    return k == 0 ? 4 : (k <= 4 ? k - 1 : k);
  }

  SharedArray<SourcePencil> pencils_;
  SharedArray<Index> begin_;
};

}  // namespace pencilbox::PENCILBOX_DEVICE
