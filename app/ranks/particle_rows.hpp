// Particles as rows: what travels from a rank to another, with nothing lost.
#pragma once

#include <array>
#include <vector>

#include "core/grid_view.hpp"
#include "core/particles.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

template <class Precision>
struct ParticleRow {
  using State = typename Precision::State;
  using Accumulator = typename Precision::Accumulator;

  Vec3<State> position;  ///< relative to the centre of `cell` [sigma]
  Vec3<State> velocity;
  Vec3<std::int32_t> image;
  Index cell;  ///< in the global grid
  ParticleId id;
  std::int32_t type;
  Vec3<Accumulator> force;
  Accumulator energy, virial;

  bool operator<(const ParticleRow& other) const {
    return cell != other.cell ? cell < other.cell : id < other.id;
  }
};

/// In the order of the particles on their device.
template <class Precision>
std::vector<ParticleRow<Precision>> download_rows(const Particles<Precision>& particles,
                                                  Stream& stream);

/// Types are not touched.
template <class Precision>
void upload_rows(const std::vector<ParticleRow<Precision>>& rows, Particles<Precision>& particles,
                 Stream& stream);

}  // namespace pencilbox::PENCILBOX_DEVICE
