// A curve through a pencil that goes along one column and back along the next, so that particles
// who follow each other on it are near each other, whichever cells they are in: four of them make a
// row.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "core/vec3.hpp"

namespace pencilbox::host {

/// Positions are relative to the centre of the pencil in y and z, in x to anywhere in it. Columns
/// lie along x and are as wide as four particles are long; each is cut into stretches, a few for
/// each particle: which of a stretch comes first does not matter.
class PencilCurve {
 public:
  /// `begin`: of the pencil in x.
  PencilCurve(const Vec3<float>& size, float begin, std::int32_t particles,
              std::int32_t particles_at_once)
      : begin_(begin) {
    const auto count = static_cast<float>(particles);
    const float edge =
        std::cbrt(static_cast<float>(particles_at_once) * size.x * size.y * size.z / count);
    y_ = Division(size.y, columns(size.y / edge));
    z_ = Division(size.z, columns(size.z / edge));
    constexpr std::int32_t for_each = 4;
    x_ = Division(size.x, std::max(1, for_each * particles / (y_.parts * z_.parts)));
  }

  std::int32_t stretches() const { return x_.parts * y_.parts * z_.parts; }

  std::int32_t stretch(const Vec3<float>& at) const {
    const std::int32_t z = z_.part(at.z + 0.5F * z_.length);
    const std::int32_t column = z * y_.parts + y_.to_and_fro(at.y + 0.5F * y_.length, z);
    return column * x_.parts + x_.to_and_fro(at.x - begin_, column);
  }

 private:
  /// Of a length into equal parts. Who is beyond an end is in the part there, what is no number in
  /// the first.
  struct Division {
    float length = 0.0F, per_length = 0.0F;
    std::int32_t parts = 1;

    Division() = default;
    Division(float of, std::int32_t number)
        : length(of), per_length(static_cast<float>(number) / of), parts(number) {}
    std::int32_t part(float at) const {
      const float last = static_cast<float>(parts - 1);
      return static_cast<std::int32_t>(std::min(std::max(0.0F, at * per_length), last));
    }
    /// Counted from the other end in every second turn.
    std::int32_t to_and_fro(float at, std::int32_t turn) const {
      return turn % 2 == 0 ? part(at) : parts - 1 - part(at);
    }
  };

  static std::int32_t columns(float number) {
    return std::clamp(static_cast<std::int32_t>(std::lround(number)), 1, 64);
  }

  float begin_;
  Division x_, y_, z_;
};

/// Puts numbers in the order of their stretches. It keeps its memory.
class StretchOrder {
 public:
  /// Of each number 0, 1, ... count - 1 its stretch, to be filled in.
  std::int32_t* reserve(std::int32_t count) {
    stretch_.resize(static_cast<std::size_t>(count));
    return stretch_.data();
  }

  const std::vector<std::int32_t>& sort(std::int32_t stretches) {
    order_.resize(stretch_.size());
    next_.assign(static_cast<std::size_t>(stretches) + 1, 0);
    for (const std::int32_t mine : stretch_) ++next_[static_cast<std::size_t>(mine) + 1];
    for (std::size_t k = 1; k < next_.size(); ++k) next_[k] += next_[k - 1];
    for (std::size_t k = 0; k < stretch_.size(); ++k) {
      std::int32_t& next = next_[static_cast<std::size_t>(stretch_[k])];
      order_[static_cast<std::size_t>(next++)] = static_cast<std::int32_t>(k);
    }
    return order_;
  }

 private:
  std::vector<std::int32_t> stretch_, next_, order_;
};

}  // namespace pencilbox::host
