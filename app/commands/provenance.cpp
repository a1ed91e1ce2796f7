#include "app/commands/provenance.hpp"

namespace pencilbox {

Provenance provenance_of(const DeviceApi& device, const std::string& deck) {
  const DeviceProperties properties = device.properties();
  static const std::string run = new_run_identifier();
  static const std::string date = date_now();
  return {properties.kind + ": " + properties.name,
          device.identifier(),
          properties.driver,
          properties.compiler,
          PENCILBOX_VERSION,
          built_commit,
          deck.empty() ? "" : hash_of(deck),
          run,
          date};
}

}  // namespace pencilbox
