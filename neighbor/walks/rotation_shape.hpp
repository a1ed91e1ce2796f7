// How a launch of rotating sources divides a cell's work among lanes.
#pragma once

#include <algorithm>
#include <bit>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "core/device/launch_divisor.hpp"
#include "neighbor/problem.hpp"
#include "neighbor/walks/shift_code.hpp"
#include "neighbor/walks/team.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

/// What the options say, and what is tried where they say `auto`.
struct RotationShape {
  int group = 1;              ///< lanes through which sources rotate: each holds other targets
  int targets = 1;            ///< in the registers of a lane, at most
  int threads_per_cell = 32;  ///< whole warps; their groups share the sources

  bool operator==(const RotationShape&) const = default;
};

/// "groups of 8 lanes, up to 16 targets a lane, 128 threads a cell"
inline std::string in_words(const RotationShape& shape) {
  return "groups of " + std::to_string(shape.group) + (shape.group == 1 ? " lane, " : " lanes, ") +
         "up to " + std::to_string(shape.targets) + " targets a lane, " +
         std::to_string(shape.threads_per_cell) + " threads a cell";
}

/// The same for a kernel; powers of two, which it divides by shifts.
struct RotationLayout {
  Index group = 1;
  Index targets = 1;
  Index threads_per_cell = 32;
  int bits_of_group = 0;
  int bits_of_slots = 0;  ///< of group times targets
  int bits_of_threads = 5;
  Index cells_of_block = 1;
  bool most_are_empty = false;  ///< of the cells
  Index parts = 1;              ///< into which the targets of a cell are cut
  Index pieces_of_work = 0;     ///< cells times parts
  LaunchDivisor by_parts;
};

class RotationRules {
 public:
  static constexpr int most_targets = 16;
  static constexpr int some_targets = 8;
  static constexpr int few_targets = 4;
  static constexpr int most_threads = 512;

  /// Of a block whose lanes have registers for so many targets.
  static constexpr int most_threads_with_room_for(int targets) {
    return targets == some_targets ? 256 : most_threads;
  }
  /// And how many such blocks a multiprocessor has at least, of a potential: a lane then has 64
  /// registers, or 80, or what there are.
  static constexpr int blocks_at_once(int targets) {
    if (targets > some_targets) return 1;
    return targets > few_targets ? 3 : 2;
  }

  /// `cells_around`: how many cells a target's sources come from.
  RotationRules(const Problem& problem, const BackendOptions& options, Index cells_around)
      : problem_(problem), options_(options), cells_around_(cells_around) {}

  static std::vector<OptionInfo> options() {
    return {{"group",
             "auto",
             "lanes that hold different targets, through which sources rotate",
             {"auto", "1", "2", "4", "8", "16", "32"}},
            {"targets",
             "auto",
             "targets in the registers of a lane, at most",
             {"auto", "1", "4", "8", "16"}},
            {"threads_per_cell",
             "auto",
             "threads that share the sources of a cell's targets",
             {"auto", "32", "64", "128", "256", "512"}}};
  }

  std::optional<std::string> refuse() const {
    if (auto reason = partners_beyond_neighbor_cells(problem_)) return reason;
    if (problem_.particles > ShiftedIndex::most) {
      return "sources are numbered up to " + std::to_string(ShiftedIndex::most) + ", got " +
             std::to_string(problem_.particles) + " particles";
    }
    const std::string& threads = options_.at("threads_per_cell");
    if (threads != "auto" && std::stoi(threads) < problem_.device.warp_size) {
      return threads + " threads of a cell are less than a warp of " +
             std::to_string(problem_.device.warp_size);
    }
    RotationLayout layout;
    layout.group = as_asked({}).group;
    layout.targets = few_targets;
    layout.threads_per_cell = as_asked({}).threads_per_cell;
    constexpr std::size_t largest_sum = 5 * sizeof(double);
    const auto bytes = static_cast<std::int64_t>(shared_bytes(layout, largest_sum));
    if (bytes <= problem_.device.shared_bytes_opt_in) return {};
    return "a block needs " + std::to_string(bytes) +
           " bytes of shared memory, and the device has " +
           std::to_string(problem_.device.shared_bytes_opt_in);
  }

  /// The first is the one of a run that must not depend on times.
  std::vector<RotationShape> shapes_to_try() const {
    if (problem_.deterministic) {
      RotationShape shape = likely();
      // Whole warps of any width: they must not decide over bits.
      shape.threads_per_cell = std::max(shape.threads_per_cell, 64);
      return {as_asked(shape)};
    }
    std::vector<RotationShape> shapes{as_asked(likely())};
    for (const RotationShape& wanted :
         {RotationShape{1, 1, 128}, RotationShape{1, 4, 32}, RotationShape{1, 4, 128},
          RotationShape{1, 4, 256}, RotationShape{1, 16, 128}, RotationShape{2, 8, 32},
          RotationShape{2, 8, 128}, RotationShape{4, 4, 32}, RotationShape{4, 4, 128},
          RotationShape{4, 8, 32}, RotationShape{8, 8, 128}, RotationShape{8, 16, 32},
          RotationShape{8, 16, 128}, RotationShape{8, 16, 256}, RotationShape{16, 8, 32},
          RotationShape{16, 8, 128}, RotationShape{16, 8, 256}}) {
      const RotationShape shape = as_asked(wanted);
      if (std::find(shapes.begin(), shapes.end(), shape) == shapes.end()) shapes.push_back(shape);
    }
    return shapes;
  }

  /// Where several warps of a cell bring their sums together.
  std::size_t shared_bytes(const RotationLayout& layout, std::size_t bytes_of_sum) const {
    if (layout.threads_per_cell <= problem_.device.warp_size) return 0;
    return static_cast<std::size_t>(layout.threads_per_cell / Team::lanes) *
           static_cast<std::size_t>(layout.group * layout.targets) * bytes_of_sum;
  }

  RotationLayout layout(const RotationShape& shape, Index most_in_a_cell, int targets_of_kernel,
                        const CellCoordinates& cells) const {
    RotationLayout layout;
    layout.group = shape.group;
    layout.targets = std::min(shape.targets, targets_of_kernel);
    layout.threads_per_cell = shape.threads_per_cell;
    const std::int64_t all = std::int64_t{cells.x} * cells.y * cells.z;
    // Where there are cells for everybody, a cell takes a few chunks of targets one after the
    // other: parts that only the fullest cells have would be launched for nothing in all others.
    const bool has_many_cells = all > 64 * problem_.device.multiprocessors;
    const std::int64_t slots = std::int64_t{layout.group} * layout.targets;
    constexpr std::int64_t most_parts = 256;
    layout.parts = static_cast<Index>(std::clamp<std::int64_t>(
        divide_up(most_in_a_cell, (has_many_cells ? 4 : 1) * slots), 1, most_parts));
    layout.parts = static_cast<Index>(
        std::min<std::int64_t>(layout.parts, std::numeric_limits<Index>::max() / all));
    layout.pieces_of_work = static_cast<Index>(all * layout.parts);
    layout.bits_of_group = bits_of(layout.group);
    layout.bits_of_slots = bits_of(layout.group * layout.targets);
    layout.bits_of_threads = bits_of(layout.threads_per_cell);
    // Cells that one warp works on come four a block, where that leaves multiprocessors some.
    const bool has_many = layout.pieces_of_work > 16 * problem_.device.multiprocessors;
    if (layout.threads_per_cell == problem_.device.warp_size && has_many) {
      layout.cells_of_block = 4;
    }
    layout.most_are_empty = all > 2 * std::int64_t{problem_.particles};
    layout.by_parts = LaunchDivisor(layout.parts);
    return layout;
  }

  static LaunchShape launch_shape(const RotationLayout& layout) {
    LaunchShape shape;
    shape.threads = layout.threads_per_cell * layout.cells_of_block;
    shape.blocks = divide_up(layout.pieces_of_work, layout.cells_of_block);
    return shape;
  }

 private:
  static int bits_of(Index power_of_two) {
    return std::bit_width(static_cast<std::uint32_t>(power_of_two)) - 1;
  }

  RotationShape as_asked(RotationShape shape) const {
    take("group", shape.group);
    take("targets", shape.targets);
    take("threads_per_cell", shape.threads_per_cell);
    shape.threads_per_cell = std::max(shape.threads_per_cell, problem_.device.warp_size);
    return shape;
  }
  void take(const char* option, int& value) const {
    const std::string& asked = options_.at(option);
    if (asked != "auto") value = std::stoi(asked);
  }

  /// Lanes hold as many targets as a cell has; a cell that has few gets a lane for each source.
  RotationShape likely() const {
    const double cells = static_cast<double>(problem_.grid.count());
    const double of_a_cell = problem_.particles / cells;
    const double warps = 8.0 * problem_.device.multiprocessors;  // that keep a device busy
    if (of_a_cell < 3.0 || cells * of_a_cell < 4.0 * warps) {
      const bool is_small = cells * of_a_cell < warps && cells_around_ * of_a_cell > 64.0;
      return {1, 4, is_small ? 128 : 32};
    }
    if (of_a_cell < 24.0) return {4, 4, 32};
    return {8, 16, 128};
  }

  const Problem problem_;
  const BackendOptions options_;
  Index cells_around_;
};

}  // namespace pencilbox::PENCILBOX_DEVICE
