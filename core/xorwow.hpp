// XORWOW with the seeding and the subsequences of cuRAND, so that particles drawn by published GPU
// code are the same here, to the bit, on every machine.
//
// Marsaglia, "Xorshift RNGs", J. Stat. Softw. 8, issue 14 (2003), section 3.1; what cuRAND adds
// (how a seed becomes a state, subsequences 2^67 draws apart, the way to a float) is documented by
// its public header curand_kernel.h.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

namespace pencilbox {

class Xorwow {
 public:
  /// At the first draw of subsequence 0.
  explicit Xorwow(std::uint64_t seed);

  /// 32 random bits.
  std::uint32_t next();

  /// Uniform in (0, 1]: 1 is possible, 0 is not.
  float next_uniform();

 private:
  friend class XorwowJump;

  std::array<std::uint32_t, 5> words_;  ///< changes linearly over GF(2)
  std::uint32_t counter_;               ///< an arithmetic sequence modulo 2^32, added to each draw
};

/// From one subsequence to the next: 2^67 draws at once. A linear map over GF(2) of 160 bits, held
/// as the image of every value of every byte; making it takes some milliseconds.
class XorwowJump {
 public:
  XorwowJump();

  /// Takes the generator to the same place of the following subsequence.
  void operator()(Xorwow& generator) const;

 private:
  static constexpr std::size_t bytes = 20;
  using Words = std::array<std::uint32_t, 5>;

  std::unique_ptr<std::array<std::array<Words, 256>, bytes>> image_;  ///< of each value of a byte
};

}  // namespace pencilbox
