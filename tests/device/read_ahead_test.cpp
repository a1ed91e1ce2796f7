// What is read ahead, or once, is what a plain read gives, on every device.
#include "core/device/read_ahead.hpp"

#include <gtest/gtest.h>

#include "core/device/device.hpp"
#include "core/device/opaque.hpp"
#include "core/device/read_once.hpp"

namespace pencilbox::PENCILBOX_DEVICE {
namespace {

/// Of 16 or 32 bytes, as packed positions are.
template <class Real>
struct alignas(4 * sizeof(Real)) Record {
  Real x, y, z, number;
};

template <class Real>
struct ReadBackwards {
  static constexpr const char* name = "read ahead test";
  const Record<Real>* from;
  Record<Real>* to;
  Index count;

  PENCILBOX_DEVICE_FUNCTION void operator()(Index i) const {
    const Record<Real> last = read_ahead(from + (count - 1 - i));
    const Record<Real> next = read_ahead(from + (count - i) % count);
    to[i] = {last.x, next.y, last.z, next.number};
  }
};

template <class Real>
class ReadAhead : public ::testing::Test {};
using Reals = ::testing::Types<float, double>;
TYPED_TEST_SUITE(ReadAhead, Reals);

TYPED_TEST(ReadAhead, GivesWhatIsThere) {
  using Real = TypeParam;
  constexpr Index count = 1000;
  std::vector<Record<Real>> records(count);
  for (Index i = 0; i < count; ++i) {
    records[static_cast<std::size_t>(i)] = {Real(i), Real(-2 * i), Real(0.5) * Real(i),
                                            Real(7 * i)};
  }
  Stream stream;
  Buffer<Record<Real>> from, to(count);
  from.upload(records, stream);
  for_each(stream, count, ReadBackwards<Real>{from.data(), to.data(), count});
  const std::vector<Record<Real>> read = to.download(stream);
  for (Index i = 0; i < count; ++i) {
    const Record<Real>& got = read[static_cast<std::size_t>(i)];
    const Index last = count - 1 - i, next = (count - i) % count;
    ASSERT_EQ(got.x, Real(last));
    ASSERT_EQ(got.y, Real(-2 * next));
    ASSERT_EQ(got.z, Real(0.5) * Real(last));
    ASSERT_EQ(got.number, Real(7 * next));
  }
}

struct ReadOnceBackwards {
  static constexpr const char* name = "read once test";
  const Record<float>* from;
  Record<float>* to;
  Index count;

  PENCILBOX_DEVICE_FUNCTION void operator()(Index i) const {
    to[i] = read_once(from + opaque(count - 1 - i));
  }
};

TEST(ReadOnce, GivesWhatIsThere) {
  constexpr Index count = 1000;
  std::vector<Record<float>> records(count);
  for (Index i = 0; i < count; ++i) {
    const auto x = static_cast<float>(i);
    records[static_cast<std::size_t>(i)] = {x, -2.0F * x, 0.5F * x, 7.0F * x};
  }
  Stream stream;
  Buffer<Record<float>> from, to(count);
  from.upload(records, stream);
  for_each(stream, count, ReadOnceBackwards{from.data(), to.data(), count});
  const std::vector<Record<float>> read = to.download(stream);
  for (Index i = 0; i < count; ++i) {
    const Record<float>& got = read[static_cast<std::size_t>(i)];
    const auto x = static_cast<float>(count - 1 - i);
    ASSERT_EQ(got.x, x);
    ASSERT_EQ(got.y, -2.0F * x);
    ASSERT_EQ(got.z, 0.5F * x);
    ASSERT_EQ(got.number, 7.0F * x);
  }
}

}  // namespace
}  // namespace pencilbox::PENCILBOX_DEVICE
