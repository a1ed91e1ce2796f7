// What this build offers for a deck to choose from. The program fills it in; io sees no back end.
#pragma once

#include <string>
#include <vector>

#include "core/observable_info.hpp"
#include "core/registry.hpp"

namespace pencilbox {

struct Catalogue {
  std::vector<BackendInfo> backends;
  std::vector<IntegratorInfo> integrators;
  std::vector<std::string> devices;  ///< "host" and perhaps "cuda" or "hip"
  std::vector<ObservableInfo> observables{};
};

}  // namespace pencilbox
