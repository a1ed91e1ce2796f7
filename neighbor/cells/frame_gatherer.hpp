// Frames: a kernel puts the particles into id order and packs what was asked for, and the device
// sends that to pinned memory of the host while it computes on.
#pragma once

#include <memory>
#include <vector>

#include "core/device/host_buffer.hpp"
#include "core/packed_frame.hpp"
#include "core/particles.hpp"
#include "neighbor/cells/cell_grid.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

template <class Precision>
class FrameGatherer {
 public:
  /// For these particles, whatever their order will be.
  FrameGatherer(const Particles<Precision>& particles, Stream& stream);

  /// The fields of all particles in id order, floats in `float_bytes`, 4 or 8: packed in the order
  /// of `stream`, and on its way when this returns. The frame's memory is used again when its last
  /// copy is gone. Step, time and box are the caller's to fill.
  PackedFrame gather(const Particles<Precision>& particles, const CellGrid& grid,
                     const FieldSet& fields, int float_bytes, Stream& stream);

 private:
  /// Where one frame is packed and where it arrives.
  struct Slot {
    Buffer<std::byte> packed;
    HostBuffer host;
    Event arrived;
  };

  std::shared_ptr<Slot> free_slot();
  void send(Slot& slot, std::size_t bytes, Stream& stream);

  Buffer<ParticleId> ids_;  ///< [N] ascending: the row of an id is its place in here
  std::vector<std::shared_ptr<Slot>> slots_;
  Stream copies_;
  Event packed_;
};

}  // namespace pencilbox::PENCILBOX_DEVICE
