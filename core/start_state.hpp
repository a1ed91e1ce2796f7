// A configuration on the host: what a start file, a lattice or a snapshot is. Host arrays are in
// the order of `id`; only this form enters and leaves the program.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "core/box.hpp"

namespace pencilbox {

/// A particle's name for its whole life, 1-based as in LAMMPS.
using ParticleId = std::int32_t;

/// A species: what `system.types` of a deck lists.
struct ParticleType {
  std::string name;
  double mass = 1.0;  ///< > 0, reduced units
};

/// Positions lie anywhere; a periodic direction is wrapped when the state is loaded.
/// All vectors have one entry a particle.
struct StartState {
  Box box;
  std::vector<ParticleType> types;
  std::vector<ParticleId> id;                      ///< ascending, unique, positive
  std::vector<std::int32_t> type;                  ///< 0-based index into `types`
  std::vector<Double3> position;                   ///< [sigma]
  std::vector<Double3> velocity;                   ///< [sigma/tau]
  std::vector<std::array<std::int32_t, 3>> image;  ///< periodic images crossed

  std::int64_t size() const { return static_cast<std::int64_t>(id.size()); }
  double mass_of(std::size_t i) const { return types[static_cast<std::size_t>(type[i])].mass; }
};

}  // namespace pencilbox
