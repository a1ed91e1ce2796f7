// The state of the particles from the device and back without the loss of a bit, for checkpoints.
#pragma once

#include "core/exact_state.hpp"
#include "core/particles.hpp"
#include "neighbor/cells/cell_grid.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

/// The rows, grid and precision of the state; step, box, types and integrator are the caller's.
template <class Precision>
ExactState download_exact(const Particles<Precision>& particles, const CellGrid& grid,
                          Stream& stream);

/// Fills `particles`, forces included, in order of id. They have to be binned before anybody walks
/// cells. Energies and virials are not touched.
template <class Precision>
void upload_exact(const ExactState& state, Particles<Precision>& particles, Stream& stream);

/// Positions and forces of the state, in the order that `particles` have now.
template <class Precision>
void upload_in_order(const ExactState& state, Particles<Precision>& particles, Stream& stream);

/// Offsets that were kept beside the particles, in order of id.
template <class Precision>
std::vector<Double3> download_reference(const Vec3Buffer<typename Precision::State>& reference,
                                        const Particles<Precision>& particles, Stream& stream);

}  // namespace pencilbox::PENCILBOX_DEVICE
