#include "core/error.hpp"
#include "integrators/integrator.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

const IntegratorEntry& find_integrator(const std::string& name) {
  std::string known;
  for (const IntegratorEntry& entry : integrator_registry()) {
    if (entry.info.name == name) return entry;
    known += (known.empty() ? "" : ", ") + entry.info.name;
  }
  throw InputError("integrator.type: unknown integrator, got '" + name + "', allowed: " + known);
}

}  // namespace pencilbox::PENCILBOX_DEVICE
