// How the things a deck can name describe themselves: back ends and their options.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <sstream>
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
  /// Where not empty: any other choice needs blocks, though the back end itself does not.
  std::vector<std::string> choices_without_blocks = {};

  bool takes_integer() const { return minimum <= maximum; }
};

/// The values chosen in a deck, by option name; all of them set.
using BackendOptions = std::map<std::string, std::string>;

/// The back end that stands for the best of the others.
inline constexpr const char* any_backend = "auto";

/// A back end with all its options set.
struct BackendChoice {
  std::string name;
  BackendOptions options;
  double skin = 0.0;  ///< of its list; 0 where it keeps none [sigma]
};

/// How particles lie within a cell: as they come, or part by part (core/cell_parts.hpp): along a
/// curve, or by halves where blocks work (neighbor/cells/order_in_halves.hpp); in slices across x.
enum class ParticleOrder { cells, curves_in_cells, slices_in_cells };

/// When a back end finds its pairs anew.
enum class Rebuild {
  every_step,
  /// It keeps what it found within cutoff plus skin until a particle is half the skin away from the
  /// place that rebuild() was shown.
  on_displacement
};

/// What a back end makes of a part of the particles with copies of their neighbours: of several
/// ranks, each has such a part, and how many particles there are changes from step to step.
enum class OnRanks {
  no,
  /// Its sums depend, in their last bits, on where the parts are cut.
  not_to_the_bit,
  /// Where particles are ordered by cell and id its sums are those of one rank, to the bit: a
  /// target's are taken cell by cell.
  to_the_bit
};

/// Filled by name, so that no flag is taken for another.
struct BackendInfo {
  std::string name;     ///< the word in decks
  std::string summary;  ///< one line for people
  std::string source;   ///< paper and section
  std::vector<OptionInfo> options = {};
  bool needs_blocks = false;    ///< its kernels have barriers: emulated, and slow, on the host
  bool has_vectors = false;     ///< written for a CPU's vectors
  bool has_clusters = false;    ///< fours of a cell share a row: the last may lack some of them
  double crowd = 0.0;           ///< that a cell of a gas is to hold, so it is wider; 0: no matter
  bool all_pairs = false;       ///< looks at all pairs: its cost grows as N^2
  bool has_fixed_order = true;  ///< of summation; else it refuses runs that must be deterministic
  Rebuild rebuild = Rebuild::every_step;
  OnRanks on_ranks = OnRanks::no;
  ParticleOrder order = ParticleOrder::cells;
  /// In mixed precision it can sum forces in whole quanta, of coordinates on a lattice: see
  /// docs/decisions/0047-whole-quanta-on-a-gpu.md.
  bool sums_quanta = false;

  /// What `auto` may try, each over the defaults; where blocks are emulated the first only. None:
  /// `auto` takes this back end only if no other can run a problem.
  std::vector<BackendOptions> worth_trying = {};
};

/// A number that an integrator takes from a deck, `integrator.NAME`.
struct ParameterInfo {
  std::string name;
  std::string description;
  std::string unit;
  double minimum = 0.0;
  double maximum = 0.0;
  std::string default_value = {};  ///< empty: a deck has to give it
  bool is_integer = false;
};

/// What the registry knows of an integrator.
struct IntegratorInfo {
  std::string name;     ///< the word in decks
  std::string summary;  ///< one line for people
  std::string source;   ///< paper and section
  std::vector<ParameterInfo> parameters = {};
};

/// The values chosen in a deck, by parameter name; all of them set.
using IntegratorParameters = std::map<std::string, double>;

/// Whether kernels with these options have barriers, shared memory or warp operations: then they
/// are emulated on the host.
inline bool needs_blocks(const BackendInfo& info, const BackendOptions& options) {
  if (info.needs_blocks) return true;
  return std::any_of(info.options.begin(), info.options.end(), [&](const OptionInfo& option) {
    const auto& plain = option.choices_without_blocks;
    const auto chosen = options.find(option.name);
    return !plain.empty() && chosen != options.end() &&
           std::find(plain.begin(), plain.end(), chosen->second) == plain.end();
  });
}

/// "x-pencil (length: best, threads: targets)"
inline std::string in_words(const BackendChoice& choice) {
  std::string text;
  for (const auto& [name, value] : choice.options) {
    text += (text.empty() ? " (" : ", ") + name + ": " + value;
  }
  if (choice.skin > 0.0) {
    std::ostringstream skin;
    skin << choice.skin;
    text += (text.empty() ? " (" : ", ") + ("skin: " + skin.str());
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
