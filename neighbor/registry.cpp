#include "core/error.hpp"
#include "neighbor/backend.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

const BackendEntry& find_backend(const std::string& name) {
  std::string known;
  for (const BackendEntry& entry : backend_registry()) {
    if (entry.info.name == name) return entry;
    known += (known.empty() ? "" : ", ") + entry.info.name;
  }
  throw InputError("neighbor.backend: unknown back end, got '" + name + "', allowed: " + known);
}

}  // namespace pencilbox::PENCILBOX_DEVICE
