#include "core/device/peer_memory.hpp"

#include <cstring>

#include "core/device/device.hpp"

namespace pencilbox::host {

OpenMemory::OpenMemory(std::size_t bytes)
    : data_(static_cast<std::byte*>(memory::allocate(bytes))), bytes_(bytes) {
  allocated_bytes += static_cast<std::int64_t>(bytes_);
  std::memset(data_, 0, bytes);
}

OpenMemory::~OpenMemory() {
  if (data_ == nullptr) return;
  memory::release(data_);
  allocated_bytes -= static_cast<std::int64_t>(bytes_);
}

std::optional<MemoryKey> OpenMemory::key() const { return {}; }

PeerMemory::PeerMemory(const MemoryKey&) {
  throw SystemError("host: memory of another process cannot be opened");
}

PeerMemory::~PeerMemory() = default;

}  // namespace pencilbox::host
