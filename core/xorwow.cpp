#include "core/xorwow.hpp"

namespace pencilbox {

namespace {

constexpr std::size_t bits = 160;
constexpr int draws_of_a_subsequence_log2 = 67;

using Words = std::array<std::uint32_t, 5>;
using BitMatrix = std::array<Words, bits>;  ///< the image of each single bit

Words operator^(Words a, const Words& b) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] ^= b[i];
  return a;
}

/// One draw's change of the words.
Words step(const Words& w) {
  const std::uint32_t t = w[0] ^ (w[0] >> 2U);
  return {w[1], w[2], w[3], w[4], (w[4] ^ (w[4] << 4U)) ^ (t ^ (t << 1U))};
}

Words single_bit(std::size_t bit) {
  Words words{};
  words[bit / 32] = std::uint32_t{1} << (bit % 32);
  return words;
}

Words image_of(const BitMatrix& matrix, const Words& words) {
  Words image{};
  for (std::size_t bit = 0; bit < bits; ++bit) {
    if ((words[bit / 32] >> (bit % 32) & 1U) != 0) image = image ^ matrix[bit];
  }
  return image;
}

BitMatrix jump_matrix() {
  BitMatrix matrix;
  for (std::size_t bit = 0; bit < bits; ++bit) matrix[bit] = step(single_bit(bit));
  for (int k = 0; k < draws_of_a_subsequence_log2; ++k) {
    BitMatrix square;
    for (std::size_t bit = 0; bit < bits; ++bit) square[bit] = image_of(matrix, matrix[bit]);
    matrix = square;
  }
  return matrix;
}

}  // namespace

Xorwow::Xorwow(std::uint64_t seed) {
  const std::uint32_t low = 1099087573U * (static_cast<std::uint32_t>(seed) ^ 0xaad26b49U);
  const std::uint32_t high = 2591861531U * (static_cast<std::uint32_t>(seed >> 32U) ^ 0xf7dcefddU);
  words_ = {123456789U + low, 362436069U ^ low, 521288629U + high, 88675123U ^ high,
            5783321U + low};
  counter_ = 6615241U + high + low;
}

std::uint32_t Xorwow::next() {
  words_ = step(words_);
  counter_ += 362437U;
  return words_[4] + counter_;
}

float Xorwow::next_uniform() { return static_cast<float>(next()) * 0x1p-32F + 0x1p-33F; }

XorwowJump::XorwowJump() : image_(std::make_unique<std::array<std::array<Words, 256>, bytes>>()) {
  const BitMatrix matrix = jump_matrix();
  for (std::size_t byte = 0; byte < bytes; ++byte) {
    for (std::size_t value = 0; value < 256; ++value) {
      Words words{};
      words[byte / 4] = static_cast<std::uint32_t>(value) << (8 * (byte % 4));
      (*image_)[byte][value] = image_of(matrix, words);
    }
  }
}

void XorwowJump::operator()(Xorwow& generator) const {
  Words image{};
  for (std::size_t byte = 0; byte < bytes; ++byte) {
    const std::uint32_t value = generator.words_[byte / 4] >> (8 * (byte % 4)) & 0xffU;
    image = image ^ (*image_)[byte][value];
  }
  generator.words_ = image;  // the counter comes round: 2^67 steps of it are a multiple of 2^32
}

}  // namespace pencilbox
