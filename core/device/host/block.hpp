// A block of threads as the emulator sees it: the words of gpu/block.hpp, with checks.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstring>
#include <source_location>
#include <type_traits>

#include "core/device/host/emulator.hpp"
#include "core/device/launch_shape.hpp"

namespace pencilbox::host {

/// One element of a shared array. Reading and writing are separate steps, and between them another
/// thread may run: that is how a missing atomic shows.
template <class T>
class SharedElement {
 public:
  SharedElement(T* element, detail::ThreadContext* thread) : element_(element), thread_(thread) {}

  operator T() const {  // NOLINT: an element is used like a T
    thread_->maybe_yield();
    thread_->record(element_, detail::Access::read);
    return *element_;
  }
  const SharedElement& operator=(const T& value) const {
    thread_->maybe_yield();
    thread_->record(element_, detail::Access::write);
    *element_ = value;
    return *this;
  }
  const SharedElement& operator=(const SharedElement& other) const {
    return *this = static_cast<T>(other);
  }
  const SharedElement& operator+=(const T& value) const {
    return *this = static_cast<T>(static_cast<T>(*this) + value);
  }

  T atomic_add(const T& value) const {
    thread_->maybe_yield();
    thread_->record(element_, detail::Access::atomic);
    const T before = *element_;
    *element_ = before + value;
    return before;
  }

 private:
  T* element_;
  detail::ThreadContext* thread_;
};

template <class T>
class SharedArray {
  static_assert(std::is_trivially_copyable_v<T>);
  static_assert(sizeof(T) % 4 == 0, "the race check works on words of four bytes");

 public:
  SharedArray(T* data, Index count, detail::ThreadContext* thread)
      : data_(data), count_(count), thread_(thread) {}

  /// The index remembers its place in the source, for the report.
  struct Position {
    Index value;
    std::source_location where;
    Position(Index i, std::source_location location = std::source_location::current())  // NOLINT
        : value(i), where(location) {}
  };
  SharedElement<T> operator[](Position i) const {
    thread_->check_index(i.value, count_, i.where);
    return SharedElement<T>(data_ + i.value, thread_);
  }

 private:
  T* data_;
  Index count_;
  detail::ThreadContext* thread_;
};

class Block {
 public:
  using Here = std::source_location;
  using Votes = std::uint64_t;  // a bit for each lane of a warp

  Block(detail::ThreadContext* context, std::int64_t index, const LaunchShape& shape, int warp_size)
      : context_(context), index_(index), shape_(&shape), warp_size_(warp_size) {}

  int thread() const { return context_->thread; }
  int threads() const { return shape_->threads; }
  std::int64_t index() const { return index_; }
  std::int64_t blocks() const { return shape_->blocks; }
  int warp_size() const { return warp_size_; }
  int lane() const { return thread() % warp_size_; }
  int warp() const { return thread() / warp_size_; }

  void barrier(Here where = Here::current()) const { context_->barrier(where); }
  void grid_barrier(Here where = Here::current()) const { context_->grid_barrier(where); }
  void warp_barrier(Here where = Here::current()) const { context_->warp_barrier(where); }

  template <class T>
  SharedArray<T> shared(Index count) const {
    void* data = context_->shared(sizeof(T), alignof(T), count, used_);
    return SharedArray<T>(static_cast<T*>(data), count, context_);
  }

  template <class T>
  T shuffle(T value, int source_lane, Here where = Here::current()) const {
    const int source = source_lane % warp_size_;
    return from_lane(value, lane_exists(source) ? source : lane(), where);
  }
  template <class T>
  T shuffle_xor(T value, int mask, Here where = Here::current()) const {
    const int source = lane() ^ mask;
    return from_lane(value, source < warp_size_ && lane_exists(source) ? source : lane(), where);
  }
  template <class T>
  T shuffle_down(T value, int distance, Here where = Here::current()) const {
    const int source = lane() + distance;
    return from_lane(value, source < warp_size_ && lane_exists(source) ? source : lane(), where);
  }
  Votes ballot(bool predicate, Here where = Here::current()) const {
    const std::int32_t mine = predicate ? 1 : 0;
    const auto* table =
        static_cast<const unsigned char*>(context_->exchange(&mine, sizeof mine, where));
    Votes mask = 0;
    for (int other = 0; other < warp_size_ && lane_exists(other); ++other) {
      std::int32_t value = 0;
      std::memcpy(&value, table + static_cast<std::size_t>(other) * detail::exchange_slot_bytes,
                  sizeof value);
      mask |= static_cast<Votes>(value) << other;
    }
    return mask;
  }
  std::uint32_t bits_of_any(std::uint32_t bits, Here where = Here::current()) const {
    const auto* table =
        static_cast<const unsigned char*>(context_->exchange(&bits, sizeof bits, where));
    const int first = lane() / 32 * 32;
    std::uint32_t any = 0;
    for (int other = first; other < first + 32 && lane_exists(other); ++other) {
      std::uint32_t value = 0;
      std::memcpy(&value, table + static_cast<std::size_t>(other) * detail::exchange_slot_bytes,
                  sizeof value);
      any |= value;
    }
    return any;
  }

  template <class T>
  T atomic_add(const SharedElement<T>& element, std::type_identity_t<T> value) const {
    return element.atomic_add(value);
  }

 private:
  bool lane_exists(int other) const { return warp() * warp_size_ + other < threads(); }

  template <class T>
  T from_lane(T value, int source, const Here& where) const {
    static_assert(sizeof(T) <= detail::exchange_slot_bytes);
    const auto* table =
        static_cast<const unsigned char*>(context_->exchange(&value, sizeof value, where));
    T result;
    std::memcpy(&result, table + static_cast<std::size_t>(source) * detail::exchange_slot_bytes,
                sizeof result);
    return result;
  }

  detail::ThreadContext* context_;
  std::int64_t index_;
  const LaunchShape* shape_;
  int warp_size_;
  mutable std::size_t used_ = 0;
};

/// Atomics on device memory; each returns what stood there.
template <class T>
T atomic_add(T* target, T value) {
  return std::atomic_ref<T>(*target).fetch_add(value, std::memory_order_relaxed);
}

namespace detail {
template <class T, class Better>
T atomic_replace(T* target, T value, Better better) {
  std::atomic_ref<T> reference(*target);
  T before = reference.load(std::memory_order_relaxed);
  while (better(value, before) &&
         !reference.compare_exchange_weak(before, value, std::memory_order_relaxed)) {
  }
  return before;
}
}  // namespace detail

template <class T>
T atomic_max(T* target, T value) {
  return detail::atomic_replace(target, value, [](T a, T b) { return a > b; });
}
template <class T>
T atomic_min(T* target, T value) {
  return detail::atomic_replace(target, value, [](T a, T b) { return a < b; });
}

}  // namespace pencilbox::host
