// Pages of the host's memory: large ones, where the system has them, and all at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace pencilbox {

/// A hint, for memory that has not been written yet. What is read as a stream through a large
/// buffer waits for the addresses of its pages otherwise.
void prefer_huge_pages(void* begin, std::size_t bytes);

/// Has the system give memory that nobody has written yet, to all cores at the same time: page by
/// page, when each is first written, takes longer than all else that a large start needs. A hint.
void take_pages(void* begin, std::size_t bytes);

/// Makes it `size` elements of value zero.
template <class T>
void make_large(std::vector<T>& vector, std::int64_t size) {
  vector = {};
  vector.reserve(static_cast<std::size_t>(size));
  take_pages(vector.data(), static_cast<std::size_t>(size) * sizeof(T));
  vector.resize(static_cast<std::size_t>(size));
}

/// The same, as a new one.
template <class T>
std::vector<T> large_vector(std::size_t size) {
  std::vector<T> vector;
  make_large(vector, static_cast<std::int64_t>(size));
  return vector;
}

}  // namespace pencilbox
