#include <string>

#include "core/device/device.hpp"
#include "core/error.hpp"
#include "neighbor/backend.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

const BackendEntry& find_backend(const std::string& name) {
  std::string known;
  for (const BackendEntry& entry : backend_registry()) {
    if (entry.info.name == name) return entry;
    known += (known.empty() ? "" : ", ") + entry.info.name;
  }
  throw InputError("neighbor.backend: device " + std::string(device_kind) + " has no back end '" +
                   name + "', allowed: " + known);
}

}  // namespace pencilbox::PENCILBOX_DEVICE
