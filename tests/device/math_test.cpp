// Reciprocals are right to a unit in the last place, on every device.
#include "core/device/math.hpp"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "core/device/device.hpp"

namespace pencilbox::PENCILBOX_DEVICE {
namespace {

template <class Real>
struct Reciprocals {
  static constexpr const char* name = "math test: reciprocals";
  const Real* x;
  Real* of_x;
  Real* quick_of_x;
  Real* of_root;

  PENCILBOX_DEVICE_FUNCTION void operator()(Index i) const {
    of_x[i] = reciprocal(x[i]);
    quick_of_x[i] = quick_reciprocal(x[i]);
    of_root[i] = reciprocal_square_root(x[i]);
  }
};

template <class Real>
class Math : public ::testing::Test {};
using Reals = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Math, Reals);

TYPED_TEST(Math, ReciprocalsAreRightToAUnitInTheLastPlace) {
  using Real = TypeParam;
  constexpr Index count = 20000;
  std::vector<Real> x(count);
  for (Index i = 0; i < count; ++i) {
    x[static_cast<std::size_t>(i)] = static_cast<Real>(1e-5 * std::pow(1e9, (i + 0.5) / count));
  }
  Stream stream;
  Buffer<Real> given, of_x(count), quick_of_x(count), of_root(count);
  given.upload(x, stream);
  for_each(stream, count,
           Reciprocals<Real>{given.data(), of_x.data(), quick_of_x.data(), of_root.data()});
  const std::vector<Real> inverse = of_x.download(stream), quick = quick_of_x.download(stream);
  const std::vector<Real> inverse_root = of_root.download(stream);
  constexpr long double allowed = std::numeric_limits<Real>::epsilon();
  for (std::size_t i = 0; i < x.size(); ++i) {
    const auto exact = static_cast<long double>(x[i]);
    ASSERT_LE(std::abs(inverse[i] * exact - 1.0L), allowed) << x[i];
    ASSERT_LE(std::abs(quick[i] * exact - 1.0L), allowed) << x[i];
    ASSERT_LE(std::abs(inverse_root[i] * std::sqrt(exact) - 1.0L), allowed) << x[i];
  }
}

}  // namespace
}  // namespace pencilbox::PENCILBOX_DEVICE
