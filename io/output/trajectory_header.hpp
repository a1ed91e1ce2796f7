// What a trajectory says about the run that made it, and how it is to be written.
#pragma once

#include <cstdint>
#include <string>

#include "core/observation.hpp"
#include "core/precision.hpp"

namespace pencilbox {

struct TrajectoryHeader {
  FieldSet fields;  ///< `position` is always written
  Precision precision = Precision::mixed;
  std::string version;  ///< of pencilbox
  std::string deck;     ///< the resolved deck, YAML
  std::string backend;
  std::string device;
  int compression = 0;           ///< of what has a value for each particle: gzip's level, 0: none
  std::int64_t split_every = 0;  ///< frames in a file; 0: all in one
};

}  // namespace pencilbox
