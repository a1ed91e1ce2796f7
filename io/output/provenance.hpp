// Where a number comes from: what stands beside every result, so that it says where, with what and
// when it was measured wherever it is copied to.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace pencilbox {

/// An empty text: not known, or there is none.
struct Provenance {
  std::string device;             ///< "cuda: NVIDIA H200"
  std::string device_identifier;  ///< which one of its kind: PCI bus and UUID, model of a CPU
  std::string driver;
  std::string compiler;   ///< of the device's kernels
  std::string version;    ///< of pencilbox
  std::string commit;     ///< that it was built from; with "+" behind it where sources were changed
  std::string deck_hash;  ///< sha256 of the resolved deck: of deck.yaml
  std::string run_identifier;  ///< a UUID: no two invocations share one
  std::string date;            ///< when it began: ISO 8601, UTC
};

using NamedTexts = std::vector<std::pair<std::string, std::string>>;

/// All of it by name, in the order above.
NamedTexts entries_of(const Provenance& provenance);

/// "sha256:" and 64 digits: what `sha256sum` says of a file that holds this.
std::string hash_of(const std::string& text);

/// A new random UUID.
std::string new_run_identifier();

/// Now: "2026-03-01T12:00:00Z".
std::string date_now();

}  // namespace pencilbox
