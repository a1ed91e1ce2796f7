// Whether a kernel does its work is decided on the device when its turn comes, not on the host when
// it is enqueued: so steps can be enqueued ahead, and a rebuild that is due on the way holds them
// up without anybody waiting for the host.
#pragma once

#include <cstdint>

#include "core/device/macros.hpp"

namespace pencilbox {

/// Open while `number` < *word. Kernels that are enqueued while a stream has a closed gate do
/// nothing. A kernel may lower its own word, but not to its own number or below: its blocks do not
/// all begin at once.
struct Gate {
  const std::int32_t* word = nullptr;  ///< on the device; null: always open
  std::int32_t number = 0;

  PENCILBOX_DEVICE_FUNCTION bool is_open() const { return word == nullptr || number < *word; }
};

/// What is enqueued on the stream while this lives has to pass this gate, and none that held
/// before; Gate{} lets everything through, for libraries that know no gate. Copies and fills have
/// none: enqueueing one throws std::logic_error.
template <class Stream>
class GatedStream {
 public:
  GatedStream(Stream& stream, const Gate& gate) : stream_(stream), before_(stream.gate()) {
    stream_.set_gate(gate);
  }
  ~GatedStream() { stream_.set_gate(before_); }
  GatedStream(const GatedStream&) = delete;
  GatedStream& operator=(const GatedStream&) = delete;

 private:
  Stream& stream_;
  Gate before_;
};

}  // namespace pencilbox
