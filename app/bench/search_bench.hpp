// What the benchmark of neighbour searches asks of a device, and what the device answers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/bench/candidate_bench.hpp"
#include "app/bench/measurement.hpp"

namespace pencilbox {

/// One way to search, on a grid of its own.
struct SearchMethod {
  BackendChoice choice;
  Index cells_per_side = 1;
  /// Whether it takes the particles as they come and sorts them in rebuild(); else the engine's
  /// binning sorts them, and is timed with it.
  bool sorts_itself = false;
};

/// Particles in no order, in a cube that is open on all sides.
struct SearchBench {
  StartState start;
  double radius = 1.0;  ///< of the search
  std::vector<SearchMethod> methods;
  Patience patience;
};

struct SearchTiming {
  std::optional<std::string> refusal;  ///< then the rest is empty
  Spread seconds;                      ///< sort and search of particles in no order
  int repeats = 0;
  std::int64_t device_bytes = 0;         ///< its own memory, beside the particles
  double candidates_per_particle = 0.0;  ///< tested
  std::string note;
};

struct SearchResult {
  double neighbors_per_particle = 0.0;
  std::vector<SearchTiming> methods;  ///< in the order asked
};

}  // namespace pencilbox
