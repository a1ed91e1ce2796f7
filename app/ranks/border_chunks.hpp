// Which chunks of a rank's rows are computed first in a step that sorts cells anew: those of whom
// other ranks see, or will when they have moved.
#pragma once

#include <algorithm>

#include "core/cell_shell.hpp"
#include "core/device/flags.hpp"
#include "core/own_rows.hpp"
#include "neighbor/row_chunks.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

struct MarkChunks {
  static constexpr const char* name = "ranks: border's chunks";

  CellShell shell;  ///< around the deep cells
  OwnRows own;
  const Index* offset;  ///< [cells + 1] first row of a cell
  Index* in_border;     ///< [room]
  Index* is_in_border;  ///< [chunks]
  Index* count;
  Index* wanted;  ///< where there is no room, at least
  Index room;
  Index rows;  ///< that arrays have

  PENCILBOX_DEVICE_FUNCTION void operator()(Index number) const {
    const CellCoordinates place = shell.cell(number);
    if (!own.own.has(place)) return;
    const Index cell = own.grid.linear(place);
    const Index begin = offset[cell], end = smaller(offset[cell + 1], rows);
    if (begin >= end) return;
    for (Index k = begin / RowChunks::rows; k <= (end - 1) / RowChunks::rows; ++k) mark(k);
  }

 private:
  /// Many cells have the same one.
  PENCILBOX_DEVICE_FUNCTION void mark(Index chunk) const {
    if (is_in_border[chunk] != 0 || atomic_add(is_in_border + chunk, Index{1}) != 0) return;
    const Index k = count_up(count);
    if (k < room) {
      in_border[k] = chunk;
    } else {
      is_in_border[chunk] = 0;  // too late with the interior, but they are moved
      atomic_max(wanted, k + 1);
    }
  }
};

/// The memory of it. Steps in which there was no room have lost who departs too late.
class BorderChunks {
 public:
  BorderChunks() {
    count_.resize(1);
    wanted_.resize(1);
  }

  /// Room for twice what `share` of the rows come to, if there was none.
  void reserve(Index rows, double share) {
    const auto chunks = static_cast<Index>(divide_up(rows, RowChunks::rows));
    is_in_border_.resize(chunks);
    const auto likely = static_cast<Index>(2.0 * share * chunks) + 16;
    in_border_.resize(std::min(chunks, std::max(room(), likely)));
  }

  void mark(const CellShell& shell, const OwnRows& own, const Index* offset, Index rows,
            Stream& stream) {
    is_in_border_.fill_bytes(0, stream);
    count_.fill_bytes(0, stream);
    for_each(stream, shell.count(),
             MarkChunks{shell, own, offset, in_border_.data(), is_in_border_.data(), count_.data(),
                        wanted_.data(), room(), rows});
  }

  RowChunks part(PartOfTargets which) const {
    return {which, in_border_.data(), is_in_border_.data(), count_.data(), room()};
  }

  void forget_wanted(Stream& stream) { wanted_.fill_bytes(0, stream); }
  Index wanted(Stream& stream) const { return wanted_.download(stream)[0]; }
  Index room() const { return static_cast<Index>(in_border_.size()); }
  void make_room(Index wanted) {
    if (wanted > room()) in_border_.resize(wanted + wanted / 8);
  }

 private:
  Buffer<Index> in_border_, is_in_border_, count_, wanted_;
};

}  // namespace pencilbox::PENCILBOX_DEVICE
