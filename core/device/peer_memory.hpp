// Memory of a device that others write into while it computes: ranks on other devices, in other
// processes of the machine.
#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace pencilbox::PENCILBOX_DEVICE {

/// What tells another process which memory is meant.
using MemoryKey = std::vector<std::byte>;

/// Memory of this device that another process may open; zero at first. It has to be closed there
/// before it goes.
class OpenMemory {
 public:
  OpenMemory() = default;
  explicit OpenMemory(std::size_t bytes);
  ~OpenMemory();
  OpenMemory(OpenMemory&& other) noexcept { swap(other); }
  OpenMemory& operator=(OpenMemory&& other) noexcept {
    swap(other);
    return *this;
  }
  OpenMemory(const OpenMemory&) = delete;
  OpenMemory& operator=(const OpenMemory&) = delete;

  std::byte* data() const { return data_; }
  /// Nothing on a device whose memory other processes cannot open. Throws SystemError.
  std::optional<MemoryKey> key() const;

 private:
  void swap(OpenMemory& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
  }

  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
};

/// Another process's, as kernels of this one write into it.
class PeerMemory {
 public:
  /// Throws SystemError where this device cannot reach it.
  explicit PeerMemory(const MemoryKey& key);
  ~PeerMemory();
  PeerMemory(const PeerMemory&) = delete;
  PeerMemory& operator=(const PeerMemory&) = delete;

  std::byte* data() const { return data_; }

 private:
  std::byte* data_ = nullptr;
};

}  // namespace pencilbox::PENCILBOX_DEVICE
