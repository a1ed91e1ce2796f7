// A frame of particles that several ranks have: each packs what was asked for of its own on its
// device, and the first rank puts the rows into the order of ids. Nothing else of a particle
// travels.
#pragma once

#include <vector>

#include "app/ranks/commission.hpp"
#include "app/ranks/mail.hpp"
#include "core/device/host_buffer.hpp"
#include "core/own_rows.hpp"
#include "neighbor/cells/frame_rows.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

/// One rank's memory for its part.
template <class Precision>
class FramePart {
 public:
  /// The fields of its own particles, and their ids; waits for the stream.
  Letter pack(const Particles<Precision>& particles, const OwnRows& own, const CellsWithin& place,
              const FrameOrder& order, Stream& stream);

 private:
  Buffer<std::byte> packed_;
  HostBuffer host_;
};

/// On the first rank.
class FrameOfParts {
 public:
  /// Step, time and box are the caller's to fill. The same ids must come each time.
  PackedFrame assemble(const Mail& parts, std::int64_t particles, const FrameOrder& order);

 private:
  std::vector<ParticleId> ids_;  ///< [N] ascending
};

}  // namespace pencilbox::PENCILBOX_DEVICE
