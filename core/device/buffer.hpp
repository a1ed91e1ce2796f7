// Device memory with an owner. Every byte is counted, so a run can say what it uses.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/device/launch_shape.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

/// Bytes of device memory that buffers hold now.
inline std::atomic<std::int64_t> allocated_bytes{0};

/// How often memory was taken or given back: who keeps addresses, as a graph does, compares it.
inline std::atomic<std::int64_t> allocations{0};

/// `size()` elements of T on the device, uninitialised until written.
template <class T>
class Buffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  Buffer() = default;
  explicit Buffer(std::int64_t size) { resize(size); }
  ~Buffer() { release(); }
  Buffer(Buffer&& other) noexcept { swap(other); }
  Buffer& operator=(Buffer&& other) noexcept {
    swap(other);
    return *this;
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  /// Makes room for `size` elements and forgets what stood there.
  void resize(std::int64_t size) {
    const auto wanted = static_cast<std::size_t>(size);
    if (wanted > capacity_) {
      release();
      data_ = static_cast<T*>(memory::allocate(wanted * sizeof(T)));
      capacity_ = wanted;
      allocated_bytes += bytes();
      ++allocations;
    }
    size_ = wanted;
  }

  void upload(std::span<const T> values, Stream& stream) {
    resize(static_cast<std::int64_t>(values.size()));
    memory::copy(data_, values.data(), values.size_bytes(), stream);
    stream.synchronize();  // `values` may be gone when we return
  }

  std::vector<T> download(Stream& stream) const {
    std::vector<T> values(size_);
    memory::copy(values.data(), data_, size_ * sizeof(T), stream);
    stream.synchronize();
    return values;
  }

  void fill_bytes(int byte, Stream& stream) {
    memory::fill(data_, byte, size_ * sizeof(T), stream);
  }

  T* data() { return data_; }
  const T* data() const { return data_; }
  std::int64_t size() const { return static_cast<std::int64_t>(size_); }
  std::int64_t bytes() const { return static_cast<std::int64_t>(capacity_ * sizeof(T)); }

  void swap(Buffer& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
  }

 private:
  void release() {
    if (data_ == nullptr) return;
    memory::release(data_);
    allocated_bytes -= bytes();
    ++allocations;
    data_ = nullptr;
    capacity_ = 0;
    size_ = 0;
  }

  T* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace pencilbox::PENCILBOX_DEVICE
