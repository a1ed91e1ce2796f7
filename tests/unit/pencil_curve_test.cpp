// The curve that the targets of a CPU's rows follow, and their order along it.
#include "neighbor/vectors/pencil_curve.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

namespace pencilbox::host {
namespace {

const Vec3<float> size{9.0F, 3.0F, 3.0F};
constexpr float begin = -4.5F;

/// In the middles of small cubes.
std::vector<Vec3<float>> lattice_of_particles(int x, int y, int z) {
  const auto middle = [](int k, int of, float length) {
    return (static_cast<float>(k) + 0.5F) * length / static_cast<float>(of);
  };
  std::vector<Vec3<float>> at;
  for (int i = 0; i < x; ++i) {
    for (int j = 0; j < y; ++j) {
      for (int k = 0; k < z; ++k) {
        at.push_back({begin + middle(i, x, size.x), middle(j, y, size.y) - size.y / 2,
                      middle(k, z, size.z) - size.z / 2});
      }
    }
  }
  return at;
}

std::vector<std::int32_t> order_of(const std::vector<Vec3<float>>& at) {
  const auto count = static_cast<std::int32_t>(at.size());
  const PencilCurve curve(size, begin, count, 4);
  StretchOrder order;
  std::int32_t* const stretch = order.reserve(count);
  for (std::size_t k = 0; k < at.size(); ++k) {
    stretch[k] = curve.stretch(at[k]);
    EXPECT_GE(stretch[k], 0);
    EXPECT_LT(stretch[k], curve.stretches());
  }
  return order.sort(curve.stretches());
}

TEST(PencilCurve, PassesEachOnce) {
  const auto at = lattice_of_particles(9, 3, 3);
  std::vector<int> met(at.size(), 0);
  for (const std::int32_t k : order_of(at)) ++met.at(static_cast<std::size_t>(k));
  EXPECT_EQ(met, std::vector<int>(at.size(), 1));
}

TEST(PencilCurve, FoursAreNearEachOther) {
  const auto at = lattice_of_particles(18, 4, 4);  // 0.5 by 0.75 by 0.75
  const std::vector<std::int32_t> order = order_of(at);
  for (std::size_t first = 0; first < order.size(); first += 4) {
    for (std::size_t t = 1; t < 4; ++t) {
      const Vec3<float> a = at[static_cast<std::size_t>(order[first])];
      const Vec3<float> apart = a - at[static_cast<std::size_t>(order[first + t])];
      EXPECT_LT(std::sqrt(dot(apart, apart)), 2.0F) << first;
    }
  }
}

TEST(PencilCurve, TakesWhoIsBeyondItsEndsAndWhatIsNoNumber) {
  auto at = lattice_of_particles(3, 2, 2);
  const float none = std::numeric_limits<float>::quiet_NaN();
  at.push_back({4e9F, -4e9F, 4e9F});
  at.push_back({-4e9F, 4e9F, -4e9F});
  at.push_back({none, none, none});
  EXPECT_EQ(order_of(at).size(), at.size());
}

TEST(PencilCurve, OfNobodyIsEmpty) { EXPECT_TRUE(order_of({}).empty()); }

}  // namespace
}  // namespace pencilbox::host
