// How the things a deck can name describe themselves: back ends and their options.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace pencilbox {

/// One option of a back end. A value is legal if it is one of `choices`, or, where
/// `minimum <= maximum`, an integer in that range.
struct OptionInfo {
  std::string name;
  std::string default_value;
  std::string description;
  std::vector<std::string> choices = {};
  std::int64_t minimum = 1;
  std::int64_t maximum = 0;

  bool takes_integer() const { return minimum <= maximum; }
};

/// The values chosen in a deck, by option name; all of them set.
using BackendOptions = std::map<std::string, std::string>;

/// A back end with all its options set.
struct BackendChoice {
  std::string name;
  BackendOptions options;
};

/// Filled by name, so that no flag is taken for another.
struct BackendInfo {
  std::string name;     ///< the word in decks
  std::string summary;  ///< one line for people
  std::string source;   ///< paper and section
  std::vector<OptionInfo> options = {};
  bool needs_blocks = false;  ///< its kernels have barriers: emulated, and slow, on the host
  bool all_pairs = false;     ///< looks at all pairs: its cost grows as N^2

  /// What `auto` may try, each over the defaults; where blocks are emulated the first only. None:
  /// `auto` takes this back end only if no other can run a problem.
  std::vector<BackendOptions> worth_trying = {};
};

/// "x-pencil (length: best, threads: targets)"
inline std::string in_words(const BackendChoice& choice) {
  std::string text;
  for (const auto& [name, value] : choice.options) {
    text += (text.empty() ? " (" : ", ") + name + ": " + value;
  }
  return choice.name + text + (text.empty() ? "" : ")");
}

/// Every option at its default.
inline BackendOptions default_options(const BackendInfo& info) {
  BackendOptions options;
  for (const OptionInfo& option : info.options) options[option.name] = option.default_value;
  return options;
}

}  // namespace pencilbox
