// What a trajectory says about the run that made it, and how it is to be written.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/observable_info.hpp"
#include "core/observation.hpp"
#include "core/precision.hpp"
#include "core/start_state.hpp"

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
  /// The tables and numbers that results will have; what they say now does not matter.
  std::vector<ObservableResult> observables = {};
};

/// The box, the types and who is of which: what a trajectory needs of a start or of an exact state.
/// The particles themselves move on.
template <class Particles>
StartState without_motion(const Particles& particles) {
  StartState still;
  still.box = particles.box;
  still.types = particles.types;
  still.id = particles.id;
  still.type = particles.type;
  return still;
}

}  // namespace pencilbox
