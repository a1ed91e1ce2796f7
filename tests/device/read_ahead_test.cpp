// What is read ahead, or once, is what a plain read gives, on every device.
#include "core/device/read_ahead.hpp"

#include <gtest/gtest.h>

#include "core/device/device.hpp"
#include "core/device/opaque.hpp"

namespace pencilbox::PENCILBOX_DEVICE {
namespace {

/// Of 16 or 32 bytes, as packed positions are.
template <class Real>
struct alignas(4 * sizeof(Real)) Record {
  Real x, y, z, number;
};

template <class RealType>
struct Ahead {
  using Real = RealType;
  PENCILBOX_DEVICE_FUNCTION static Record<Real> read(const Record<Real>* from) {
    return read_ahead(from);
  }
};
template <class RealType>
struct Once {
  using Real = RealType;
  PENCILBOX_DEVICE_FUNCTION static Record<Real> read(const Record<Real>* from) {
    return read_once(from);
  }
};

template <class How>
struct ReadBackwards {
  static constexpr const char* name = "read ahead test";
  const Record<typename How::Real>* from;
  Record<typename How::Real>* to;
  Index count;

  PENCILBOX_DEVICE_FUNCTION void operator()(Index i) const {
    const auto last = How::read(from + opaque(count - 1 - i));
    const auto next = How::read(from + (count - i) % count);
    to[i] = {last.x, next.y, last.z, next.number};
  }
};

template <class How>
class ReadInOrder : public ::testing::Test {};
using Hows = ::testing::Types<Ahead<float>, Ahead<double>, Once<float>, Once<double>>;
TYPED_TEST_SUITE(ReadInOrder, Hows);

TYPED_TEST(ReadInOrder, GivesWhatIsThere) {
  using Real = typename TypeParam::Real;
  constexpr Index count = 1000;
  std::vector<Record<Real>> records(count);
  for (Index i = 0; i < count; ++i) {
    records[static_cast<std::size_t>(i)] = {Real(i), Real(-2 * i), Real(0.5) * Real(i),
                                            Real(7 * i)};
  }
  Stream stream;
  Buffer<Record<Real>> from, to(count);
  from.upload(records, stream);
  for_each(stream, count, ReadBackwards<TypeParam>{from.data(), to.data(), count});
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

}  // namespace
}  // namespace pencilbox::PENCILBOX_DEVICE
