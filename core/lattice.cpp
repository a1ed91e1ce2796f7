#include "core/lattice.hpp"

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "core/at_rest.hpp"
#include "core/error.hpp"
#include "core/in_pieces.hpp"
#include "core/pages.hpp"

namespace pencilbox {
namespace {

/// Basis atoms in units of the lattice constant.
std::vector<Double3> basis_of(LatticeType type) {
  switch (type) {
    case LatticeType::sc:
      return {{0.0, 0.0, 0.0}};
    case LatticeType::bcc:
      return {{0.0, 0.0, 0.0}, {0.5, 0.5, 0.5}};
    case LatticeType::fcc:
      break;
  }
  return {{0.0, 0.0, 0.0}, {0.5, 0.5, 0.0}, {0.5, 0.0, 0.5}, {0.0, 0.5, 0.5}};
}

}  // namespace

std::int64_t particle_count(const Lattice& lattice) {
  // Each factor is checked before it is multiplied, so the product cannot overflow.
  constexpr std::int64_t most = std::numeric_limits<ParticleId>::max();
  std::int64_t count = static_cast<std::int64_t>(basis_of(lattice.type).size());
  for (const std::int64_t cells : lattice.cells) {
    if (cells > most / count) {
      throw InputError("too many particles, got more than " + std::to_string(most) +
                       ", allowed at most " + std::to_string(most));
    }
    count *= cells;
  }
  return count;
}

StartState make_lattice(const Lattice& lattice, const Bool3& periodic) {
  const std::int64_t count = particle_count(lattice);
  const std::vector<Double3> basis = basis_of(lattice.type);
  const double constant = std::cbrt(static_cast<double>(basis.size()) / lattice.density);

  StartState start;
  start.box.periodic = periodic;
  for (std::size_t d = 0; d < 3; ++d) {
    start.box.edges[d] = static_cast<double>(lattice.cells[d]) * constant + lattice.gap[d];
  }
  start.types = {ParticleType{"A", 1.0}};
  make_large(start.position, count);
  const auto atoms = static_cast<std::int64_t>(basis.size());
  for_each_in_pieces(count, [&](std::size_t row) {
    const auto i = static_cast<std::int64_t>(row);
    const std::int64_t cell = i / atoms, line = cell / lattice.cells[0];
    const std::array<std::int64_t, 3> at{cell % lattice.cells[0], line % lattice.cells[1],
                                         line / lattice.cells[1]};
    const Double3& atom = basis[static_cast<std::size_t>(i % atoms)];
    for (std::size_t d = 0; d < 3; ++d) {
      start.position[row][d] =
          (static_cast<double>(at[d]) + atom[d]) * constant + 0.5 * lattice.gap[d];
    }
  });
  fill_at_rest(start);
  return start;
}

}  // namespace pencilbox
