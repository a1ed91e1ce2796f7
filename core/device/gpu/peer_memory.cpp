#include "core/device/peer_memory.hpp"

#include <cstring>

#include "core/device/device.hpp"
#include "core/device/gpu/vendor_peers.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

namespace {
constexpr std::int64_t page_bytes = std::int64_t{2} << 20;
}  // namespace

/// Not out of a pool, of which no other process could open a part; and whole pages, since a driver
/// may open nothing less.
OpenMemory::OpenMemory(std::size_t bytes)
    : bytes_(static_cast<std::size_t>(round_up(static_cast<std::int64_t>(bytes), page_bytes))) {
  void* pointer = nullptr;
  check(vendor::allocate_for_peers(&pointer, bytes_), "allocating memory that others may open");
  data_ = static_cast<std::byte*>(pointer);
  allocated_bytes += static_cast<std::int64_t>(bytes_);
  check(vendor::clear(data_, bytes_), "clearing memory");
}

OpenMemory::~OpenMemory() {
  if (data_ == nullptr) return;
  (void)vendor::release_of_peers(data_);
  allocated_bytes -= static_cast<std::int64_t>(bytes_);
}

std::optional<MemoryKey> OpenMemory::key() const {
  vendor::PeerHandle handle{};
  check(vendor::handle_of(&handle, data_), "naming memory for other processes");
  MemoryKey key(sizeof handle);
  std::memcpy(key.data(), &handle, sizeof handle);
  return key;
}

PeerMemory::PeerMemory(const MemoryKey& key) {
  vendor::PeerHandle handle{};
  if (key.size() != sizeof handle) throw SystemError("a key that is none of this device's");
  std::memcpy(&handle, key.data(), sizeof handle);
  void* pointer = nullptr;
  const vendor::Error error = vendor::open_peer(&pointer, handle);
  if (error != vendor::success) (void)vendor::last_error();  // it is told here, and only here
  check(error, "opening the memory of another process");
  data_ = static_cast<std::byte*>(pointer);
}

PeerMemory::~PeerMemory() { (void)vendor::close_peer(data_); }

}  // namespace pencilbox::PENCILBOX_DEVICE
