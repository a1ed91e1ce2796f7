// The way of particles onto the device and back: positions become places in the grid, and rows come
// back in id order.
#pragma once

#include "core/observation.hpp"
#include "core/particles.hpp"
#include "neighbor/cells/cell_grid.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

/// Fills `particles` with a state of the host; forces, energies and virials are not touched.
template <class Precision>
void upload(const StartState& start, const CellGrid& grid, Particles<Precision>& particles,
            Stream& stream);

/// The part of that which concerns types: their masses.
template <class Precision>
void upload_types(const std::vector<ParticleType>& types, Particles<Precision>& particles,
                  Stream& stream);

/// The fields of all particles in id order; step, time and box are the caller's to fill.
template <class Precision>
Frame download(const Particles<Precision>& particles, const CellGrid& grid, const FieldSet& fields,
               Stream& stream);

}  // namespace pencilbox::PENCILBOX_DEVICE
