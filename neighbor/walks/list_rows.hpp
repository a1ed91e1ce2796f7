// Rows of a list: for each row its sources, each with the shift by which its cell was met, in
// memory as the lanes read them that share a row.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>
#include <string>

#include "core/device/device.hpp"
#include "core/device/store_where.hpp"
#include "neighbor/binned_particles.hpp"
#include "neighbor/problem.hpp"
#include "neighbor/walks/shift_code.hpp"
#include "neighbor/walks/team.hpp"
#include "neighbor/walks/warp_scan.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

/// A source and by which shift its cell was met. The source behind the last particle is padding:
/// it is in nobody's range.
using ListEntry = ShiftedIndex;

/// What a lane reads at a time.
struct alignas(16) FourEntries {
  ListEntry first, second, third, fourth;
};

/// Whose length is known so far.
struct GrowingRow {
  ListEntry* begin = nullptr;
  Index length = 0;
};

/// Where the rows lie: in chunks of four entries for each lane that shares a row, the same chunk of
/// all rows side by side, so that what neighbouring threads read is contiguous. In a chunk lanes
/// take entries in turn: what they gather at the same time are neighbours in the list.
struct ListRows {
  ListEntry* entries;
  Index* length;  ///< [rows] without padding, which fills up the last chunk
  std::int64_t rows;
  Index lanes;            ///< that share a row: a power of two
  Index lane_bits;        ///< of that number
  Index capacity;         ///< entries of a row, whole chunks
  std::uint32_t between;  ///< two chunks of a row, in fours

  PENCILBOX_DEVICE_FUNCTION Index chunk() const { return 4 * lanes; }

  /// Where each row has its lanes, one after the other: whose a thread is, and which of them.
  PENCILBOX_DEVICE_FUNCTION Index row_of(std::int64_t thread) const {
    return static_cast<Index>(thread >> lane_bits);
  }
  PENCILBOX_DEVICE_FUNCTION Index lane_of(std::int64_t thread) const {
    return static_cast<Index>(thread) & (lanes - 1);
  }

  PENCILBOX_DEVICE_FUNCTION GrowingRow begin(Index row) const {
    return {entries + (std::int64_t{row} << (lane_bits + 2)), 0};
  }
  /// Of entry k of the row that begins there. In bytes and few instructions, as a build asks for
  /// each: chunks before it, the lane that it falls to, and what that lane takes of the chunk
  /// first.
  PENCILBOX_DEVICE_FUNCTION ListEntry* place(const GrowingRow& row, Index k) const {
    constexpr std::uint32_t four = sizeof(FourEntries), one = sizeof(ListEntry);
    const auto number = static_cast<std::uint32_t>(k);
    const std::uint32_t of_lane = one * number >> lane_bits;  // and bits below an entry
    const std::uint32_t lane = four * number & four * (static_cast<std::uint32_t>(lanes) - 1U);
    auto* const begin = reinterpret_cast<char*>(row.begin);
    return reinterpret_cast<ListEntry*>(begin + std::uint64_t{of_lane & ~(four - 1)} * between +
                                        (lane | (of_lane & (four - one))));
  }

  /// Those of a lane, which come stride() apart.
  PENCILBOX_DEVICE_FUNCTION FourEntries* fours(Index row, Index lane) const {
    return reinterpret_cast<FourEntries*>(entries) + std::int64_t{row} * lanes + lane;
  }
  PENCILBOX_DEVICE_FUNCTION std::int64_t stride() const { return between; }

  /// With padding, of a row of this length.
  PENCILBOX_DEVICE_FUNCTION Index sources_of_a_lane(Index row_length) const {
    return ((row_length + chunk() - 1) >> (lane_bits + 2)) << 2;
  }
  /// With padding: whole chunks, and at least one, so that the first may be read before the length.
  PENCILBOX_DEVICE_FUNCTION Index padded(Index row_length) const {
    const Index whole = (row_length + chunk() - 1) >> (lane_bits + 2) << (lane_bits + 2);
    return larger(whole, chunk());
  }
};

/// How far a list reaches [sigma].
inline double list_radius(const Problem& problem) {
  return cutoff_of(problem.potential) + problem.skin;
}

/// Over the whole grid [1/sigma^3].
inline double mean_density(const Problem& problem) {
  return static_cast<double>(problem.particles) / volume_of(problem);
}

/// Sources within `radius` where they lie as dense as in the mean, times `margin`: what a row is
/// given room for at first.
inline std::int64_t expected_sources(const Problem& problem, double radius, double margin) {
  const double ball = 4.19 * radius * radius * radius;
  return static_cast<std::int64_t>(std::min(margin * mean_density(problem) * ball + 16.0,
                                            27.0 * static_cast<double>(problem.particles)));
}

/// Rows of four targets each, all of one cell or pencil: the last of each group may lack some.
inline std::int64_t most_rows_of_four(std::int64_t particles, std::int64_t groups) {
  return (particles + 3 * std::min(particles, groups)) / 4 + 1;
}

/// Sources near any of four that lie together, and a third more.
inline std::int64_t expected_sources_of_four(const Problem& problem) {
  const double edge = std::min(std::cbrt(4.0 / mean_density(problem)), problem.grid.side[0]);
  return expected_sources(problem, list_radius(problem) + 0.4 * edge, 1.35);
}

/// What every list refuses.
inline std::optional<std::string> refuse_list(const Problem& problem) {
  if (auto reason = partners_beyond_neighbor_cells(problem)) return reason;
  if (auto reason = cells_for_a_cutoff(problem, "makes a list of what is within one"))
    return reason;
  constexpr std::int64_t most = ListEntry::most;  // and padding
  if (problem.particles <= most) return {};
  return "an entry of a list numbers at most " + std::to_string(most) + " particles, got " +
         std::to_string(problem.particles);
}

/// What a list with a choice of blocks refuses.
inline std::optional<std::string> refuse_list_or_block(const Problem& problem,
                                                       const BackendOptions& options) {
  if (auto reason = refuse_list(problem)) return reason;
  return block_below_warp(problem, options);
}

/// What builds rows needs to know.
template <class Precision>
struct ListBuild {
  using Pair = typename Precision::Pair;

  BinnedParticles<Precision> particles;
  ListRows rows;
  Pair radius_squared;

  /// Both relative to one cell's centre.
  PENCILBOX_DEVICE_FUNCTION bool is_near(const Vec3<Pair>& target, const Vec3<Pair>& source) const {
    const Vec3<Pair> separation = target - source;
    return dot(separation, separation) < radius_squared;
  }

  PENCILBOX_DEVICE_FUNCTION ListEntry padding() const {
    return ListEntry::of(particles.count, ShiftCode::none);
  }

  PENCILBOX_DEVICE_FUNCTION void note_length(Index row, Index length) const {
    rows.length[row] = length < rows.capacity ? length : rows.capacity;
    if (length > *particles.longest_row) atomic_max(particles.longest_row, length);
  }

  /// A team appends to a row what those of its lanes have whose source `is_partner`: they agree by
  /// a vote on who stores where. All lanes of the warp must call it.
  PENCILBOX_DEVICE_FUNCTION void append(const Block& block, GrowingRow& row, const ListEntry& entry,
                                        bool is_partner) const {
    const std::uint32_t votes = Team::ballot(block, is_partner);
    put(row, row.length + Team::votes_below(block, votes), entry, is_partner);
    row.length += count_bits(votes);
  }
  /// The same by a whole warp.
  PENCILBOX_DEVICE_FUNCTION void append_by_warp(const Block& block, GrowingRow& row,
                                                const ListEntry& entry, bool is_partner) const {
    const Block::Votes votes = block.ballot(is_partner);
    put(row, row.length + count_bits(lanes_below(block, votes)), entry, is_partner);
    row.length += count_bits(votes);
  }

  /// A team pads its row and notes its length.
  PENCILBOX_DEVICE_FUNCTION void finish(const Block& block, Index number,
                                        const GrowingRow& row) const {
    pad(row, Team::lane(block), Team::lanes);
    if (Team::lane(block) == 0) note_length(number, row.length);
  }
  /// So many lanes pad a row, this is one of them.
  PENCILBOX_DEVICE_FUNCTION void pad(const GrowingRow& row, Index lane, Index lanes) const {
    const Index end = smaller(rows.padded(row.length), rows.capacity);
    for (Index k = row.length + lane; k < end; k += lanes) *rows.place(row, k) = padding();
  }

 private:
  PENCILBOX_DEVICE_FUNCTION void put(const GrowingRow& row, Index k, const ListEntry& entry,
                                     bool is_partner) const {
    store_where(is_partner && k < rows.capacity, rows.place(row, k), entry);
  }
};

/// The memory of rows.
class ListMemory {
 public:
  ListMemory(int lanes, std::int64_t expected_row)
      : lanes_(lanes), capacity_(capacity_for(expected_row, lanes)) {}

  Index capacity() const { return capacity_; }

  ListRows rows(std::int64_t count) {
    entries_.resize(count * capacity_);
    length_.resize(count);
    const auto lane_bits = static_cast<Index>(std::bit_width(static_cast<unsigned>(lanes_)) - 1);
    const auto between = static_cast<std::uint32_t>(count * lanes_);
    return {entries_.data(), length_.data(), count, lanes_, lane_bits, capacity_, between};
  }

  /// Here, and not where rows are filled: a graph is being made perhaps, where nothing may be
  /// allocated, and those that were made must see that their addresses are old.
  void grow(Index wanted) {
    capacity_ = capacity_for(wanted, lanes_);
    (void)rows(length_.size());
  }

  static std::int64_t bytes(std::int64_t count, int lanes, std::int64_t expected_row) {
    constexpr std::int64_t entry = sizeof(ListEntry);
    return count * (capacity_for(expected_row, lanes) * entry + std::int64_t{sizeof(Index)});
  }

 private:
  /// Whole chunks.
  static Index capacity_for(std::int64_t row, int lanes) {
    return static_cast<Index>(round_up(row, std::int64_t{4} * lanes));
  }

  int lanes_;
  Index capacity_;
  Buffer<ListEntry> entries_;
  Buffer<Index> length_;
};

/// The 27 shifts, to be looked up by code. Filled by a kernel, which passes the engine's gate.
template <class Pair>
struct FillShifts {
  static constexpr const char* name = "list: shifts";
  GridView<Pair> grid;
  RoundedShift<Pair>* shifts;

  PENCILBOX_DEVICE_FUNCTION void operator()(Index code) const {
    shifts[code] = {ShiftCode::shift(grid, code).rounded};
  }
};

}  // namespace pencilbox::PENCILBOX_DEVICE
