// Pages of the host's memory: large ones, where the system has them, and all at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

namespace pencilbox {

/// As malloc does, for free, but where a vector may begin, and where large pages are filled by it,
/// or nearly so, there: who reads or writes large arrays waits for the addresses of small ones.
void* allocate_in_large_pages(std::size_t bytes);

/// Has the system give memory that nobody has written yet, to all cores at the same time: page by
/// page, when each is first written, takes longer than all else that a large start needs. A hint.
void take_pages(void* begin, std::size_t bytes);

/// Makes it `size` new elements: of value zero, but where they are left as their memory is.
template <class Vector>
void make_large(Vector& vector, std::int64_t size) {
  vector = {};
  vector.reserve(static_cast<std::size_t>(size));
  take_pages(vector.data(), static_cast<std::size_t>(size) * sizeof(vector[0]));
  vector.resize(static_cast<std::size_t>(size));
}

/// Leaves new elements as their memory is: one core that first makes zeros of what all cores are
/// going to write takes as long as they do.
template <class T>
struct LeavesMemoryAsItIs : std::allocator<T> {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);
  using std::allocator<T>::allocator;
  template <class Other>
  struct rebind {
    using other = LeavesMemoryAsItIs<Other>;
  };

  template <class... From>
  void construct(T* element, From&&... from) {
    if constexpr (sizeof...(From) > 0) std::construct_at(element, std::forward<From>(from)...);
  }
};
template <class T>
using LargeVector = std::vector<T, LeavesMemoryAsItIs<T>>;

/// Elements to be written before they are read.
template <class T>
LargeVector<T> large_vector(std::size_t size) {
  LargeVector<T> vector;
  make_large(vector, static_cast<std::int64_t>(size));
  return vector;
}

}  // namespace pencilbox
