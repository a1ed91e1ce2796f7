// The option of back ends whose threads or blocks loop over their work, so that any number of
// blocks gives the same sums.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>

#include "core/device/launch_shape.hpp"
#include "core/registry.hpp"

namespace pencilbox {

/// `everything`: the word for as many blocks as leave nothing to loop over.
inline OptionInfo blocks_option(const std::string& everything, const std::string& description) {
  return {"blocks", everything, description, {everything}, 1, std::numeric_limits<Index>::max()};
}

/// Blocks to launch where `needed` leave nothing to loop over: more would find nothing to do.
inline std::int64_t blocks_of(const BackendOptions& options, const std::string& everything,
                              std::int64_t needed) {
  const std::string& asked = options.at("blocks");
  return asked == everything ? needed : std::min<std::int64_t>(needed, std::stoll(asked));
}

/// Most blocks whose threads for_each can number.
constexpr std::int64_t most_blocks(int threads) {
  return std::numeric_limits<Index>::max() / threads;
}

}  // namespace pencilbox
