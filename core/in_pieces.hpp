// Loops over a start's particles on the host, with all cores: at a hundred million a single one
// would be at it for longer than a device is at its steps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace pencilbox {

/// Calls body(begin, end) for pieces of `each` that make up [0, count), several at the same time
/// where there are several. Where they begin does not depend on the number of cores. Cores are
/// those that the process may use, or OMP_NUM_THREADS. What bodies throw is thrown here once all
/// have ended: of several exceptions that of the first piece.
void for_each_piece(std::int64_t count, std::int64_t each,
                    const std::function<void(std::int64_t begin, std::int64_t end)>& body);

/// Of particles: what is summed by pieces of so many is summed as ever where there are fewer.
constexpr std::int64_t particles_of_a_piece = 65536;
void for_each_piece(std::int64_t count,
                    const std::function<void(std::int64_t begin, std::int64_t end)>& body);

/// Calls body(i) for each i in [0, count), by pieces.
template <class Body>
void for_each_in_pieces(std::int64_t count, const Body& body) {
  for_each_piece(count, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) body(static_cast<std::size_t>(i));
  });
}

/// What body(begin, end) returns of each piece, in their order.
template <class Value, class Body>
std::vector<Value> of_each_piece(std::int64_t count, const Body& body) {
  const std::int64_t pieces = (count + particles_of_a_piece - 1) / particles_of_a_piece;
  std::vector<Value> values(static_cast<std::size_t>(pieces));
  for_each_piece(count, [&](std::int64_t begin, std::int64_t end) {
    values[static_cast<std::size_t>(begin / particles_of_a_piece)] = body(begin, end);
  });
  return values;
}

}  // namespace pencilbox
