#include "neighbor/backends/x_pencil/pencil_rules.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "core/device/launch_shape.hpp"
#include "neighbor/walks/shared_memory_option.hpp"

namespace pencilbox {
namespace {

constexpr const char* by_length = "by-length";

}  // namespace

PencilRules::PencilRules(const Problem& problem, const BackendOptions& options,
                         std::int64_t other_bytes, std::int64_t bytes_per_source)
    : problem_(problem),
      options_(options),
      source_bytes_(shared_memory_limit(problem, options) - other_bytes),
      bytes_per_source_(bytes_per_source),
      across_pencils_(resolved("staged") == "many"),
      largest_cell_(problem.largest_cell) {}

std::vector<OptionInfo> PencilRules::options() {
  return {{"length",
           "paper",
           "target cells of a pencil; paper: as many as fit, fewer while multiprocessors idle; "
           "best: the fastest of several, found by trying them in the first steps",
           {"paper", "best"},
           1,
           1024},
          shared_memory_option(),
          {"threads",
           by_length,
           "of a block; paper: MC (length + 2); targets: MC length; average: for the targets of "
           "nearly all pencils where particles are spread evenly; best: the faster of these two; "
           "by-length: best with length: best, else paper",
           {by_length, "paper", "targets", "average", "best"}},
          {"staged",
           by_length,
           "in shared memory at a time; pencil: a pencil of sources; many: of several, as there "
           "is room; by-length: many with length: best, else pencil",
           {by_length, "pencil", "many"}},
          {"runs",
           by_length,
           "how a row of sources is walked; cells: one by one; merged: three as one run; "
           "by-length: merged with length: best, else cells",
           {by_length, "cells", "merged"}},
          {"threads_per_target",
           by_length,
           "threads that share the sources of a target, in merged runs; best: 1 or 8; by-length: "
           "best with length: best, else 1",
           {by_length, "1", "2", "4", "8", "16", "32", "best"}}};
}

std::optional<std::string> PencilRules::refuse() const {
  const std::int64_t most = cells_that_fit();
  if (most >= 3) return {};
  return "a pencil needs at least 3 cells (one of them a target) in shared memory: " +
         std::to_string(source_bytes_) + " bytes hold " + std::to_string(most) + " cells of " +
         std::to_string(problem_.largest_cell) + " particles";
}

std::vector<PencilShape> PencilRules::shapes_to_try() const {
  std::vector<PencilShape> shapes;
  for (const Index length : lengths_to_try()) {
    for (const PencilThreads threads : threads_to_try()) {
      for (const int lanes : lanes_to_try()) shapes.push_back({length, threads, lanes});
    }
  }
  return shapes;
}

PencilShape PencilRules::fitting(PencilShape pencils) const {
  pencils.length = std::min(pencils.length, longest_that_fits());
  return pencils;
}

std::int64_t PencilRules::blocks_with(Index length) const {
  const auto& cells = problem_.grid.cells;
  return divide_up(cells[0], length) * cells[1] * cells[2];
}

int PencilRules::threads_of(const PencilShape& pencils) const {
  const std::int64_t whole_warps =
      round_up(std::max<std::int64_t>(1, wanted_threads(pencils) * pencils.lanes),
               problem_.device.warp_size);
  return static_cast<int>(std::min<std::int64_t>(whole_warps, problem_.device.max_threads));
}

PencilLayout PencilRules::layout_of(const PencilShape& pencils, int threads) const {
  const Index length = pencils.length;
  PencilLayout layout;
  layout.length = length;
  layout.lane_bits = std::countr_zero(static_cast<unsigned>(pencils.lanes));
  layout.per_row = static_cast<Index>(divide_up(problem_.grid.cells[0], length));
  layout.by_per_row = LaunchDivisor(layout.per_row);
  layout.by_rows = LaunchDivisor(problem_.grid.cells[1]);
  layout.across_pencils = across_pencils_;
  const std::int64_t room = source_bytes_ / (2 * bytes_per_source_);
  const std::int64_t pencil = fullest_cell() * (length + 2);
  const std::int64_t wanted =
      layout.across_pencils ? std::max<std::int64_t>(pencil, 3 * threads) : pencil;
  layout.half = static_cast<Index>(std::min(wanted, room));
  return layout;
}

/// The value of an option that follows `length`: as published, or what proved best.
const std::string& PencilRules::resolved(const std::string& name) const {
  static const BackendOptions published{
      {"threads", "paper"}, {"staged", "pencil"}, {"runs", "cells"}, {"threads_per_target", "1"}};
  static const BackendOptions best{
      {"threads", "best"}, {"staged", "many"}, {"runs", "merged"}, {"threads_per_target", "best"}};
  if (options_.at(name) != by_length) return options_.at(name);
  return (options_.at("length") == "best" ? best : published).at(name);
}

std::int64_t PencilRules::fullest_cell() const { return std::max<Index>(1, largest_cell_); }

/// LX + 2 of the paper.
std::int64_t PencilRules::cells_that_fit() const {
  return source_bytes_ / (fullest_cell() * bytes_per_source_);
}

Index PencilRules::longest_that_fits() const {
  return static_cast<Index>(
      std::clamp<std::int64_t>(cells_that_fit() - 2, 1, problem_.grid.cells[0]));
}

/// The paper's: as long as shared memory and the threads of a block allow, shorter while there are
/// fewer blocks than multiprocessors.
Index PencilRules::length_of_the_paper() const {
  const auto by_threads = static_cast<Index>(problem_.device.max_threads / fullest_cell()) - 2;
  Index length = std::max<Index>(1, std::min(longest_that_fits(), by_threads));
  while (length > 1 && blocks_with(length) < problem_.device.multiprocessors) --length;
  return length;
}

/// What the deck asks for.
std::vector<Index> PencilRules::lengths_to_try() const {
  const std::string& option = options_.at("length");
  if (option == "paper") return {length_of_the_paper()};
  if (option != "best") return {static_cast<Index>(std::stoi(option))};
  return lengths_for_the_best();
}

/// The paper's, then those that cut a row into 1, 2, 3, 4, 6, 9, 13, ... pencils as even as can be,
/// as far as shared memory holds them.
std::vector<Index> PencilRules::lengths_for_the_best() const {
  std::vector<Index> lengths{length_of_the_paper()};
  const auto try_length = [&](Index length) {
    const bool known = std::find(lengths.begin(), lengths.end(), length) != lengths.end();
    if (!known && length <= longest_that_fits()) lengths.push_back(length);
  };
  const std::int64_t row = problem_.grid.cells[0];
  for (std::int64_t n = 1; n <= row; n += std::max<std::int64_t>(1, n / 2)) {
    try_length(static_cast<Index>(divide_up(row, n)));
  }
  try_length(1);
  return lengths;
}

std::vector<PencilThreads> PencilRules::threads_to_try() const {
  const std::string& option = resolved("threads");
  if (option == "paper") return {PencilThreads::paper};
  if (option == "targets") return {PencilThreads::targets};
  if (option == "average") return {PencilThreads::average};
  return {PencilThreads::targets, PencilThreads::average};
}

/// Several where one a target leaves the device half empty, and bits may depend on the choice.
std::vector<int> PencilRules::lanes_to_try() const {
  const std::string& option = resolved("threads_per_target");
  if (option != "best") return {std::stoi(option)};
  constexpr std::int64_t threads_of_a_multiprocessor = 2048;
  const bool leaves_room =
      2 * problem_.particles < problem_.device.multiprocessors * threads_of_a_multiprocessor;
  if (problem_.deterministic || !leaves_room) return {1};
  return {1, 8};
}

std::int64_t PencilRules::wanted_threads(const PencilShape& pencils) const {
  const std::int64_t fullest = fullest_cell() * pencils.length;
  if (pencils.threads == PencilThreads::paper) return fullest + 2 * fullest_cell();
  if (pencils.threads == PencilThreads::targets) return fullest;
  const double mean = static_cast<double>(problem_.particles) *
                      static_cast<double>(pencils.length) /
                      static_cast<double>(problem_.grid.count());
  // Of independent particles one pencil in a thousand has more.
  return std::min(fullest, static_cast<std::int64_t>(mean + 3.0 * std::sqrt(mean)));
}

}  // namespace pencilbox
