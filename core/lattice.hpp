// A perfect crystal as a start: simple, body-centred or face-centred cubic.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "core/start_state.hpp"

namespace pencilbox {

enum class LatticeType { sc, bcc, fcc };

inline constexpr std::array<std::string_view, 3> lattice_names{"sc", "bcc", "fcc"};

constexpr std::string_view name_of(LatticeType type) {
  return lattice_names[static_cast<std::size_t>(type)];
}

struct Lattice {
  LatticeType type = LatticeType::fcc;
  double density = 1.0;                        ///< particles per sigma^3, > 0
  std::array<std::int64_t, 3> cells{1, 1, 1};  ///< unit cells in x, y, z, each >= 1
  Double3 gap{};  ///< of the box in x, y, z that the crystal leaves empty, half on each side
};

/// Particles of a lattice. Throws InputError if they are more than a ParticleId can count.
std::int64_t particle_count(const Lattice& lattice);

/// The crystal, and its gap, in a box with its lower corner at the origin, periodic as told; one
/// type "A" of mass 1, at rest. LAMMPS order: ids run through the basis first, then x, y and z, and
/// the first basis atom sits on the corner of its cell.
StartState make_lattice(const Lattice& lattice, const Bool3& periodic);

}  // namespace pencilbox
