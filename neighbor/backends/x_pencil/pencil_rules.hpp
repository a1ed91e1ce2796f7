// How `x-pencil` is launched: how long a pencil is, how many threads it gets, how its sources are
// staged. The paper's rules (Few particles per cell, section 5.2), and ours beside them as options.
// Arithmetic on a problem and the fullest cell: no device is asked.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "neighbor/backends/x_pencil/pencil_layout.hpp"
#include "neighbor/problem.hpp"

namespace pencilbox {

/// How many threads a pencil gets. What is more comes in rounds.
enum class PencilThreads {
  paper,    ///< one for each source of the fullest pencil that there can be: MC (length + 2)
  targets,  ///< one for each target of it: MC length
  average,  ///< one for each target of nearly every pencil, where particles are spread evenly
};

/// What may be tried for the fastest.
struct PencilShape {
  Index length;  ///< target cells along x
  PencilThreads threads;
  int lanes;  ///< threads of a target
};

/// What the problem, the options and the fullest cell make of a pencil.
class PencilRules {
 public:
  /// `other_bytes`: what shared memory holds beside sources; `bytes_per_source`: of one of them.
  PencilRules(const Problem& problem, const BackendOptions& options, std::int64_t other_bytes,
              std::int64_t bytes_per_source);

  static std::vector<OptionInfo> options();

  /// Why no pencil fits into shared memory, if none does.
  std::optional<std::string> refuse() const;

  void occupancy_changed(Index largest_cell) { largest_cell_ = largest_cell; }

  bool merges_runs() const { return resolved("runs") == "merged"; }

  /// What the options leave open; one shape where they leave nothing.
  std::vector<PencilShape> shapes_to_try() const;

  /// As long as shared memory holds, with cells as full as they are now.
  PencilShape fitting(PencilShape pencils) const;

  std::int64_t blocks_with(Index length) const;

  /// Of a block: whole warps.
  int threads_of(const PencilShape& pencils) const;

  /// A half holds a pencil if shared memory does. Where pieces may be of several pencils, it holds
  /// three sources a thread at least, which leaves a multiprocessor room for most of its threads.
  PencilLayout layout_of(const PencilShape& pencils, int threads) const;

 private:
  const std::string& resolved(const std::string& name) const;
  std::int64_t fullest_cell() const;
  std::int64_t cells_that_fit() const;
  Index longest_that_fits() const;
  Index length_of_the_paper() const;
  std::vector<Index> lengths_to_try() const;
  std::vector<Index> lengths_for_the_best() const;
  std::vector<PencilThreads> threads_to_try() const;
  std::vector<int> lanes_to_try() const;
  std::int64_t wanted_threads(const PencilShape& pencils) const;

  Problem problem_;
  BackendOptions options_;
  std::int64_t source_bytes_;
  std::int64_t bytes_per_source_;
  bool across_pencils_;  ///< looked up once: layouts are made at every step
  Index largest_cell_;
};

}  // namespace pencilbox
