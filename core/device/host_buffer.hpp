// Memory of the host that the device copies to while the host does something else.
#pragma once

#include <cstddef>
#include <utility>

#include "core/device/device.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

/// Bytes of pinned host memory. It keeps what it once took: pinning is slow.
class HostBuffer {
 public:
  HostBuffer() = default;
  ~HostBuffer() { release(); }
  HostBuffer(const HostBuffer&) = delete;
  HostBuffer& operator=(const HostBuffer&) = delete;

  /// Makes room for `bytes` and forgets what stood there.
  void resize(std::size_t bytes) {
    if (bytes <= capacity_) return;
    release();
    data_ = static_cast<std::byte*>(memory::allocate_pinned(bytes));
    capacity_ = bytes;
  }

  std::byte* data() { return data_; }
  const std::byte* data() const { return data_; }

 private:
  void release() {
    if (data_ != nullptr) memory::release_pinned(data_);
    data_ = nullptr;
    capacity_ = 0;
  }

  std::byte* data_ = nullptr;
  std::size_t capacity_ = 0;
};

}  // namespace pencilbox::PENCILBOX_DEVICE
