#include "app/commands/provenance.hpp"

namespace pencilbox {

Provenance provenance_of(const DeviceProperties& device, const std::string& deck) {
  static const std::string run = new_run_identifier();
  static const std::string date = date_now();
  return {device.kind + ": " + device.name,
          device.identifier,
          device.driver,
          device.compiler,
          PENCILBOX_VERSION,
          built_commit,
          deck.empty() ? "" : hash_of(deck),
          run,
          date};
}

}  // namespace pencilbox
