// What every measurement has in common: how repeats become a number, and what is said with it.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/device/properties.hpp"

namespace pencilbox {

/// Of repeated timings. All NaN if there is none.
struct Spread {
  double median = 0.0, least = 0.0, most = 0.0;

  /// From the least to the most, by the median.
  double relative() const { return (most - least) / median; }
};

Spread spread_of(std::vector<double> values);

/// Who measured what, on which chip, with which driver and compiler, and when: the first lines of
/// every result. `command` is the command line as typed.
std::vector<std::pair<std::string, std::string>> facts_of(const std::string& command,
                                                          const DeviceProperties& device);

/// The command line as a shell would take it, beginning with "pencilbox".
std::string command_line(int argc, const char* const* argv);

}  // namespace pencilbox
