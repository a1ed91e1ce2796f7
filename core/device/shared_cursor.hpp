// A place in a shared array that moves, for a thread that has its own column of one.
#pragma once

#include <type_traits>
#include <utility>

#include "core/device/device.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

/// Where elements are plain memory: an address, which costs one addition to move, while a compiler
/// finds out anew at each access where an array begins.
template <class T, bool is_plain_memory =
                       std::is_reference_v<decltype(std::declval<SharedArray<T>&>()[Index{0}])>>
class SharedCursor {
 public:
  PENCILBOX_DEVICE_FUNCTION SharedCursor(const SharedArray<T>& array, Index at) : at_(&array[at]) {}

  PENCILBOX_DEVICE_FUNCTION T& operator*() const { return *at_; }
  PENCILBOX_DEVICE_FUNCTION void move(Index by) { at_ += by; }
  PENCILBOX_DEVICE_FUNCTION bool operator==(const SharedCursor& other) const {
    return at_ == other.at_;
  }

 private:
  T* at_;
};

/// Where an emulator looks at each access.
template <class T>
class SharedCursor<T, false> {
 public:
  SharedCursor(const SharedArray<T>& array, Index at) : array_(array), at_(at) {}

  auto operator*() const { return array_[at_]; }
  void move(Index by) { at_ += by; }
  bool operator==(const SharedCursor& other) const { return at_ == other.at_; }

 private:
  SharedArray<T> array_;
  Index at_;
};

}  // namespace pencilbox::PENCILBOX_DEVICE
