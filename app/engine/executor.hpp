// How steps reach the device: launched one kernel after the other, or, where the same ones come
// again and again, noted once in a graph and launched as one. (The third way, one kernel for all
// units of a cycle where that fits a GPU at once, is the plan's: step_plan.hpp.)
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "core/device/device.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

/// Graphs by what is noted in them. They hold addresses: who allocates or frees, or changes what
/// would be launched, makes them all stale.
class Graphs {
 public:
  /// What tells apart what the same code enqueues: how many units, from which arrays.
  struct Key {
    std::int32_t units = 0;
    const void* position = nullptr;
    const void* velocity = nullptr;

    bool operator==(const Key&) const = default;
  };

  void replay(const Key& what, Stream& stream, const std::function<void()>& enqueue) {
    if (noted_at_ != allocations) forget();
    auto found = std::find_if(graphs_.begin(), graphs_.end(),
                              [&](const auto& one) { return one.first == what; });
    if (found == graphs_.end()) {
      found = graphs_.emplace(found, what, std::make_unique<Graph>(stream, enqueue));
    }
    noted_at_ = allocations;
    found->second->replay(stream);
  }

  void forget() { graphs_.clear(); }

 private:
  std::vector<std::pair<Key, std::unique_ptr<Graph>>> graphs_;  // few
  std::int64_t noted_at_ = 0;
};

}  // namespace pencilbox::PENCILBOX_DEVICE
