// Random numbers without a state: Philox4x32-10, a bijection of a 128-bit counter under a 64-bit
// key. The same (seed, stream, id, index) gives the same number on every device and in any order.
//
// Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC11 (2011).
#pragma once

#include <cmath>
#include <cstdint>

#include "core/device/macros.hpp"

namespace pencilbox {

struct PhiloxCounter {
  std::uint32_t word[4];
};

struct PhiloxKey {
  std::uint32_t word[2];
};

/// Ten rounds of Philox4x32: 128 random bits.
PENCILBOX_DEVICE_FUNCTION constexpr PhiloxCounter philox4x32(PhiloxCounter counter, PhiloxKey key) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t product0 = std::uint64_t{0xD2511F53U} * counter.word[0];
    const std::uint64_t product1 = std::uint64_t{0xCD9E8D57U} * counter.word[2];
    counter = {{static_cast<std::uint32_t>(product1 >> 32) ^ counter.word[1] ^ key.word[0],
                static_cast<std::uint32_t>(product1),
                static_cast<std::uint32_t>(product0 >> 32) ^ counter.word[3] ^ key.word[1],
                static_cast<std::uint32_t>(product0)}};
    key.word[0] += 0x9E3779B9U;
    key.word[1] += 0xBB67AE85U;
  }
  return counter;
}

/// What a draw is for. Two purposes never see the same numbers, whatever seed a deck gives them.
enum class RandomStream : std::uint32_t {
  velocity = 1,
  position = 2,
  type = 3,
  langevin = 4,
  velocity_rescaling = 5,
  cell_rescaling = 6
};

/// 128 random bits for particle `id`; `index` counts the draws of that particle in that stream.
PENCILBOX_DEVICE_FUNCTION constexpr PhiloxCounter random_bits(std::uint64_t seed,
                                                              RandomStream stream, std::uint32_t id,
                                                              std::uint64_t index) {
  return philox4x32({{id, static_cast<std::uint32_t>(index), static_cast<std::uint32_t>(stream),
                      static_cast<std::uint32_t>(index >> 32)}},
                    {{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)}});
}

/// Two independent numbers.
struct RandomPair {
  double first;
  double second;
};

/// Uniform in the open interval (0, 1), 52 bits: never 0, so its logarithm is finite; never 1.
PENCILBOX_DEVICE_FUNCTION constexpr double uniform_open(std::uint32_t high, std::uint32_t low) {
  const std::uint64_t bits = (std::uint64_t{high} << 32) | low;
  return (static_cast<double>(bits >> 12) + 0.5) * 0x1p-52;
}

PENCILBOX_DEVICE_FUNCTION constexpr RandomPair uniform_pair(const PhiloxCounter& bits) {
  return {uniform_open(bits.word[0], bits.word[1]), uniform_open(bits.word[2], bits.word[3])};
}

/// Mean 0, variance 1. Box and Muller, Ann. Math. Statist. 29, 610 (1958).
PENCILBOX_DEVICE_FUNCTION inline RandomPair gaussian_pair(const PhiloxCounter& bits) {
  constexpr double two_pi = 6.283185307179586;
  const RandomPair uniform = uniform_pair(bits);
  const double radius = std::sqrt(-2.0 * std::log(uniform.first));
  const double angle = two_pi * uniform.second;
  return {radius * std::cos(angle), radius * std::sin(angle)};
}

}  // namespace pencilbox
