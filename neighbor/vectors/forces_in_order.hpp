// Forces that rows have summed, as who moves their particles reads them.
#pragma once

#include <vector>

#include "neighbor/walks/index_range.hpp"

namespace pencilbox::host {

/// Forces of particles that follow each other, in whatever order they come. It keeps its memory.
template <class Accumulator>
class ForcesInOrder {
 public:
  void reserve(const IndexRange& particles) {
    first_ = particles.begin;
    const auto count = static_cast<std::size_t>(particles.end - particles.begin);
    for (auto* component : {&x_, &y_, &z_}) component->resize(count);
  }

  void store(Index particle, const Vec3<Accumulator>& force) {
    const auto k = static_cast<std::size_t>(particle - first_);
    x_[k] = force.x;
    y_[k] = force.y;
    z_[k] = force.z;
  }
  /// From this particle on.
  Vec3View<const Accumulator> view(Index particle) const {
    const Index k = particle - first_;
    return {x_.data() + k, y_.data() + k, z_.data() + k};
  }

 private:
  Index first_ = 0;
  std::vector<Accumulator> x_, y_, z_;
};

}  // namespace pencilbox::host
