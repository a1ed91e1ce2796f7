// Three numbers, and three arrays of numbers: how kernels see positions, velocities and forces.
#pragma once

#include <type_traits>

#include "core/device/launch_shape.hpp"
#include "core/device/macros.hpp"
#include "core/device/math.hpp"
#include "core/device/read_ahead.hpp"

namespace pencilbox {

template <class T>
struct Vec3 {
  T x{}, y{}, z{};

  PENCILBOX_DEVICE_FUNCTION constexpr Vec3& operator+=(const Vec3& other) {
    x += other.x;
    y += other.y;
    z += other.z;
    return *this;
  }
  template <class U>
  PENCILBOX_DEVICE_FUNCTION constexpr Vec3<U> to() const {
    return {static_cast<U>(x), static_cast<U>(y), static_cast<U>(z)};
  }
};

template <class T>
PENCILBOX_DEVICE_FUNCTION constexpr Vec3<T> operator+(Vec3<T> a, const Vec3<T>& b) {
  return a += b;
}
template <class T>
PENCILBOX_DEVICE_FUNCTION constexpr Vec3<T> operator-(const Vec3<T>& a, const Vec3<T>& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
template <class T>
PENCILBOX_DEVICE_FUNCTION constexpr Vec3<T> operator*(T factor, const Vec3<T>& a) {
  return {factor * a.x, factor * a.y, factor * a.z};
}
/// factor * a + b, each component rounded once on a GPU.
template <class T>
PENCILBOX_DEVICE_FUNCTION Vec3<T> times_plus(T factor, const Vec3<T>& a, const Vec3<T>& b) {
  return {times_plus(factor, a.x, b.x), times_plus(factor, a.y, b.y), times_plus(factor, a.z, b.z)};
}
template <class T>
PENCILBOX_DEVICE_FUNCTION constexpr T dot(const Vec3<T>& a, const Vec3<T>& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

/// Structure of arrays in device memory: element i of the three.
template <class T>
struct Vec3View {
  T* x = nullptr;
  T* y = nullptr;
  T* z = nullptr;

  PENCILBOX_DEVICE_FUNCTION auto operator[](Index i) const {
    return Vec3<std::remove_const_t<T>>{x[i], y[i], z[i]};
  }
  PENCILBOX_DEVICE_FUNCTION void fetch_ahead(Index i) const {
    pencilbox::fetch_ahead(x + i);
    pencilbox::fetch_ahead(y + i);
    pencilbox::fetch_ahead(z + i);
  }
  PENCILBOX_DEVICE_FUNCTION void store(Index i, const Vec3<T>& value) const {
    x[i] = value.x;
    y[i] = value.y;
    z[i] = value.z;
  }
};

}  // namespace pencilbox
