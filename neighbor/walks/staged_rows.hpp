// Rows of a list on their way through a block's shared memory: an entry takes a vote and a store
// there, and goes to the list with others, as wide as a row is read.
#pragma once

#include "neighbor/walks/list_rows.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

/// Of whose entries the last ones are in shared memory.
struct StagedRow {
  Index number = 0;
  Index length = 0;
  Index written = 0;  ///< whole chunks
};

/// Each team of the block has one at a time.
template <class Precision>
class StagedRows {
  static constexpr Index usual_room = 192;  // what a liquid has in reach of four

 public:
  /// Entries: once there is none left for each lane of a team, whole chunks go.
  static Index room(int lanes) { return std::max<Index>(usual_room, 8 * lanes); }

  static std::size_t bytes(int threads, int lanes) {
    const auto rows = static_cast<std::size_t>(threads / Team::lanes);
    return rows * static_cast<std::size_t>(room(lanes)) * sizeof(ListEntry);
  }

  /// Every thread of the block must call it.
  PENCILBOX_DEVICE_FUNCTION StagedRows(const Block& block, const ListBuild<Precision>& list,
                                       Index room)
      : block_(block),
        list_(list),
        room_(room),
        entries_(block.shared<ListEntry>(Team::count(block) * room)) {}

  /// A team appends to its row what those of its lanes have whose source `is_partner`. All lanes of
  /// the warp must call it.
  PENCILBOX_DEVICE_FUNCTION void append(StagedRow& row, const ListEntry& entry,
                                        bool is_partner) const {
    const std::uint32_t votes = Team::ballot(block_, is_partner);
    const Index begin = place(), staged = row.length - row.written;
    if (is_partner) entries_[begin + staged + Team::votes_below(block_, votes)] = entry;
    row.length += count_bits(votes);
    if (Team::any_of_warp(block_, row.length - row.written > room_ - Team::lanes)) {
      make_room(begin, row);
    }
  }

  /// What is left goes to the list, with padding. All lanes of the warp must call it; rows that
  /// nobody has are left out by `is_there`.
  PENCILBOX_DEVICE_FUNCTION void finish(const StagedRow& row, bool is_there) const {
    const ListRows& rows = list_.rows;
    const Index begin = place();
    const Index end = smaller(rows.padded(row.length), rows.capacity);
    if (is_there) {
      for (Index k = row.length + Team::lane(block_); k < end; k += Team::lanes) {
        entries_[begin + k - row.written] = list_.padding();
      }
    }
    block_.warp_barrier();
    if (is_there) {
      write(begin, row, end);
      if (Team::lane(block_) == 0) list_.note_length(row.number, row.length);
    }
    block_.warp_barrier();
  }

 private:
  PENCILBOX_DEVICE_FUNCTION Index place() const { return Team::number(block_) * room_; }

  PENCILBOX_DEVICE_FUNCTION void make_room(Index begin, StagedRow& row) const {
    const Index chunk_bits = list_.rows.lane_bits + 2;
    const Index whole = row.length >> chunk_bits << chunk_bits;
    block_.warp_barrier();
    write(begin, row, smaller(whole, list_.rows.capacity));
    block_.warp_barrier();
    const Index gone = whole - row.written, rest = row.length - whole;
    // What is moved up comes from where nothing is moved to: there is more than one chunk.
    for (Index k = Team::lane(block_); k < rest; k += Team::lanes) {
      const ListEntry entry = entries_[begin + gone + k];
      entries_[begin + k] = entry;
    }
    row.written = whole;
    block_.warp_barrier();
  }

  /// Entries up to `end`, whole chunks.
  PENCILBOX_DEVICE_FUNCTION void write(Index begin, const StagedRow& row, Index end) const {
    const ListRows& rows = list_.rows;
    FourEntries* to =
        rows.fours(row.number, 0) + (row.written >> (rows.lane_bits + 2)) * rows.stride();
    for (Index four = Team::lane(block_); 4 * four < end - row.written; four += Team::lanes) {
      const Index lane = four & (rows.lanes - 1), chunk = four >> rows.lane_bits;
      const Index first = begin + chunk * rows.chunk() + lane;
      const ListEntry a = entries_[first], b = entries_[first + rows.lanes];
      const ListEntry c = entries_[first + 2 * rows.lanes], d = entries_[first + 3 * rows.lanes];
      to[chunk * rows.stride() + lane] = {a, b, c, d};
    }
  }

  const Block& block_;
  const ListBuild<Precision>& list_;
  Index room_;
  SharedArray<ListEntry> entries_;
};

}  // namespace pencilbox::PENCILBOX_DEVICE
