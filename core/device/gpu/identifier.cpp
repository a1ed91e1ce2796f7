#include "core/device/identifier.hpp"

#include <array>

#include "core/device/gpu/runtime.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

namespace vendor {

// The table of vendor.hpp goes on here, where every kernel need not see it.
#if defined(PENCILBOX_DEVICE_CUDA)

inline Error pci_bus(char* text, int size) {
  return cudaDeviceGetPCIBusId(text, size, chosen_device);
}

/// As the driver's tools write it.
inline std::string uuid(const Properties& p) {
  constexpr const char* digits = "0123456789abcdef";
  std::string text = "GPU";
  for (int k = 0; k < 16; ++k) {
    if (k == 0 || k == 4 || k == 6 || k == 8 || k == 10) text += '-';
    const auto byte = static_cast<unsigned char>(p.uuid.bytes[k]);
    text += {digits[byte / 16], digits[byte % 16]};
  }
  return text;
}

#elif defined(PENCILBOX_DEVICE_HIP)

inline Error pci_bus(char* text, int size) {
  return hipDeviceGetPCIBusId(text, size, chosen_device);
}
inline std::string uuid(const Properties&) { return {}; }  // not before ROCm 5.2

#endif

}  // namespace vendor

std::string device_identifier() {
  constexpr int longest = 64;
  std::array<char, longest> bus{};
  vendor::Properties raw{};
  check(vendor::properties(&raw), "reading a device's properties");
  check(vendor::pci_bus(bus.data(), longest), "reading a device's place on the bus");
  const std::string uuid = vendor::uuid(raw);
  return std::string("PCI ") + bus.data() + (uuid.empty() ? "" : ", " + uuid);
}

}  // namespace pencilbox::PENCILBOX_DEVICE
