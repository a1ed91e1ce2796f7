#include "app/ranks/device_on_ranks.hpp"

#include <stdexcept>

namespace pencilbox {

const RankDevice& rank_device_of(const std::string& kind) {
  for (const RankDevice* ranks : rank_devices()) {
    if (ranks->kind() == kind) return *ranks;
  }
  throw std::logic_error("no ranks on " + kind);
}

DeviceOnRanks::DeviceOnRanks(const DeviceApi& one, const RankWish& wish, std::shared_ptr<Post> post)
    : one_(one), ranks_(rank_device_of(one.kind())), wish_(wish), post_(std::move(post)) {}

}  // namespace pencilbox
