// Where the numbers of this invocation come from.
#pragma once

#include <string>

#include "app/engine/simulation.hpp"
#include "io/output/provenance.hpp"

namespace pencilbox {

/// The commit of the sources, with "+" behind it where they differ; empty: not known.
extern const char* const built_commit;

/// Of this invocation on this device, from now on. `deck`: the resolved deck as text, or empty.
Provenance provenance_of(const DeviceApi& device, const std::string& deck);

}  // namespace pencilbox
