#include "core/error.hpp"
#include "observables/observable.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

const ObservableEntry& find_observable(const std::string& name) {
  std::string known;
  for (const ObservableEntry& entry : observable_registry()) {
    if (entry.info.name == name) return entry;
    known += (known.empty() ? "" : ", ") + entry.info.name;
  }
  throw InputError("observables: unknown observable, got '" + name + "', allowed: " + known);
}

}  // namespace pencilbox::PENCILBOX_DEVICE
