#include "core/device/identifier.hpp"

#include "core/device/host/runtime.hpp"

namespace pencilbox::host {

std::string device_identifier() {
  const std::string name = device_properties().name;  // the model, then how it is used
  return name.substr(0, name.find(", "));
}

}  // namespace pencilbox::host
