#include "neighbor/cells/frame_gatherer.hpp"

#include <algorithm>
#include <atomic>

#include "core/row_of_id.hpp"
#include "neighbor/cells/frame_rows.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

namespace {

/// Row r is the particle with the r-th smallest id.
struct RowByName {
  RowOfId row_of;

  PENCILBOX_DEVICE_FUNCTION std::int64_t operator()(Index, ParticleId id) const {
    return row_of(id);
  }
};

}  // namespace

template <class Precision>
FrameGatherer<Precision>::FrameGatherer(const Particles<Precision>& particles, Stream& stream) {
  std::vector<ParticleId> ids = particles.state.id.download(stream);
  std::sort(ids.begin(), ids.end());
  ids_.upload(ids, stream);
}

template <class Precision>
PackedFrame FrameGatherer<Precision>::gather(const Particles<Precision>& particles,
                                             const CellGrid& grid, const FieldSet& fields,
                                             int float_bytes, Stream& stream) {
  const FrameLayout layout(fields, particles.count, float_bytes);
  const std::shared_ptr<Slot> slot = free_slot();
  if (slot->packed.size() != layout.bytes()) {
    slot->packed.resize(layout.bytes());
    slot->packed.fill_bytes(0, stream);  // what lies between two fields travels too
  }
  slot->host.resize(static_cast<std::size_t>(layout.bytes()));
  pack(particles, CellsWithin::all_of(grid), RowByName{{ids_.data(), particles.count}},
       slot->packed.data(), layout, float_bytes, stream);
  send(*slot, static_cast<std::size_t>(layout.bytes()), stream);

  PackedFrame frame;
  frame.particles = particles.count;
  frame.float_bytes = float_bytes;
  for (std::size_t i = 0; i < field_names.size(); ++i) {
    frame.rows[i] = layout.at(slot->host.data(), static_cast<Field>(i));
  }
  frame.memory = slot;
  frame.wait = [slot] { slot->arrived.wait(); };
  return frame;
}

/// On a stream of its own, so that the next steps do not wait for the copy.
template <class Precision>
void FrameGatherer<Precision>::send(Slot& slot, std::size_t bytes, Stream& stream) {
  packed_.record(stream);
  packed_.hold(copies_);
  memory::copy(slot.host.data(), slot.packed.data(), bytes, copies_);
  slot.arrived.record(copies_);
}

/// One whose frame is gone, or a new one. As many are made as frames are held at one time.
template <class Precision>
auto FrameGatherer<Precision>::free_slot() -> std::shared_ptr<Slot> {
  for (const auto& slot : slots_) {
    if (slot.use_count() > 1) continue;
    // What another thread read from the slot before it let go comes before what is written now.
    std::atomic_thread_fence(std::memory_order_acquire);
    return slot;
  }
  slots_.push_back(std::make_shared<Slot>());
  return slots_.back();
}

template class FrameGatherer<SinglePrecision>;
template class FrameGatherer<MixedPrecision>;
template class FrameGatherer<DoublePrecision>;

}  // namespace pencilbox::PENCILBOX_DEVICE
