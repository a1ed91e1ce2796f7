// Every thread finds the shift of each of the 27 cells in shared memory, in both ways to keep them.
#include "neighbor/walks/shared_shifts.hpp"

#include <gtest/gtest.h>

#include "core/device/device.hpp"

namespace pencilbox::PENCILBOX_DEVICE {
namespace {

template <template <class> class ShiftsOf, class Real>
struct LookUp {
  static constexpr const char* name = "shared shifts test";
  static constexpr int max_threads = 64;
  using Shifts = ShiftsOf<Real>;

  GridView<Real> grid;
  Vec3<Real>* found;  ///< [threads, 27]

  PENCILBOX_DEVICE_FUNCTION void operator()(const Block& block) const {
    const Shifts shift_of(block, grid);
    block.barrier();
    for (Index k = 0; k < ShiftCode::count; ++k) {
      const Index code = (k + block.thread()) % ShiftCode::count;
      found[block.thread() * ShiftCode::count + code] = shift_of[code];
    }
  }
};

template <template <class> class ShiftsOf, class Real>
void expect_all_of_them() {
  using Kernel = LookUp<ShiftsOf, Real>;
  constexpr int threads = Kernel::max_threads;
  GridView<Real> grid{};
  grid.cells = {5, 4, 3};
  grid.side = {Real(2.5), Real(3.0), Real(2.75)};
  grid.exact_side = {2.5, 3.0, 2.75};
  Stream stream;
  Buffer<Vec3<Real>> found(threads * ShiftCode::count);
  launch(stream, {1, threads, Kernel::Shifts::bytes}, Kernel{grid, found.data()});
  const std::vector<Vec3<Real>> all = found.download(stream);
  for (int thread = 0; thread < threads; ++thread) {
    for (Index code = 0; code < ShiftCode::count; ++code) {
      const Vec3<Real>& got = all[static_cast<std::size_t>(thread * ShiftCode::count + code)];
      ASSERT_EQ(got.x, Real(code % 3 - 1) * grid.side.x) << code;
      ASSERT_EQ(got.y, Real(code / 3 % 3 - 1) * grid.side.y) << code;
      ASSERT_EQ(got.z, Real(code / 9 - 1) * grid.side.z) << code;
    }
  }
}

TEST(SharedShifts, AreThoseOfEachCode) {
  expect_all_of_them<SharedShifts, float>();
  expect_all_of_them<SharedShifts, double>();
}

TEST(SharedWholeShifts, AreThoseOfEachCode) {
  expect_all_of_them<SharedWholeShifts, float>();
  expect_all_of_them<SharedWholeShifts, double>();
}

}  // namespace
}  // namespace pencilbox::PENCILBOX_DEVICE
