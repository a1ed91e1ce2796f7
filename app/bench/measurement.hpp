// What every measurement has in common: how repeats become a number, and what is said with it.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "io/output/provenance.hpp"

namespace pencilbox {

/// The back end that speed-ups are counted from.
inline constexpr const char* yardstick = "par-part-no-loop";

/// In a second.
inline constexpr double microseconds = 1e6;

/// Of repeated timings. All NaN if there is none.
struct Spread {
  double median = 0.0, least = 0.0, most = 0.0;

  /// From the least to the most, by the median.
  double relative() const { return (most - least) / median; }
};

Spread spread_of(std::vector<double> values);

/// How often something is timed: at least so often, then until it has taken so many seconds or the
/// most repeats are done. Where a single one takes longer than `slow`, it is enough.
struct Patience {
  int least_repeats = 3;
  int most_repeats = 20;
  double seconds = 0.3;
  double slow = 2.0;
};

/// Who measured what, on which chip, with which driver and compiler, and when: the first lines of
/// every result. `command` is the command line as typed.
NamedTexts facts_of(const std::string& command, const Provenance& provenance);

/// The command line as a shell would take it, beginning with "pencilbox".
std::string command_line(int argc, const char* const* argv);

/// Tells what goes on by a line on the terminal that the next one replaces, an empty one removes;
/// says nothing where stderr is no terminal.
std::function<void(const std::string&)> terminal_teller();

}  // namespace pencilbox
