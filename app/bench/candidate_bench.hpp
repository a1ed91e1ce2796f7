// What a benchmark of the candidate kernels asks of a device, and what the device answers. Plain
// data: no device type leaves BenchDevice.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/device/launch_shape.hpp"
#include "core/interactions/candidate_potential.hpp"
#include "core/registry.hpp"
#include "core/start_state.hpp"

namespace pencilbox {

/// The particles of one row, in cells that fill their box, whose faces are open; and who is timed.
struct CandidateBench {
  StartState start;
  Index cells_per_side = 1;
  CandidatePotential potential = CandidatePotential::lennard_jones;
  std::vector<BackendChoice> backends;
  int calls = 200;  ///< evaluations in one timing
  int repeats = 3;  ///< timings of the calls as one graph
};

/// Of one back end. Times are in seconds for one call.
struct CandidateTiming {
  std::optional<std::string> refusal;  ///< why it cannot run this row; then the rest is empty
  double graph_median = 0.0;           ///< all calls replayed as one graph, between events
  double graph_best = 0.0;
  double asynchronous = 0.0;  ///< all calls enqueued by the host, one wait: the paper's rule
  double prepare = 0.0;       ///< what a simulation pays besides, at every step
  LaunchShape shape;
  std::string note;               ///< how the last launch was cut, in words
  std::int64_t device_bytes = 0;  ///< memory of its own
  double largest_error = 0.0;     ///< of a particle's sum, by the sum of its terms' magnitudes
};

struct CandidateResult {
  Index largest_cell = 0;                 ///< most particles in one cell
  double candidates_per_particle = 0.0;   ///< mean, self excluded
  std::int64_t overflows = 0;             ///< particles whose sum exceeds a float: not compared
  std::vector<CandidateTiming> backends;  ///< in the order asked
};

}  // namespace pencilbox
