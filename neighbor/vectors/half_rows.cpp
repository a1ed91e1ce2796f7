// The kernels of rows that have each pair of a brick once, compiled for each instruction set, and
// the choice of one.
#include "neighbor/vectors/half_rows.hpp"

#include "core/device/host/instruction_sets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "neighbor/vectors/half_rows.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include "neighbor/vectors/half_walk-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace pencilbox::host::HWY_NAMESPACE {

ForcesOfBrick<float> forces_in_float() { return &any_forces_once<float>; }
ForcesOfBrick<double> forces_in_double() { return &any_forces_once<double>; }
FixedPointForcesOfBrick forces_in_fixed_point() { return &any_fixed_point_forces_once; }

}  // namespace pencilbox::host::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace pencilbox::host {

HWY_EXPORT(forces_in_float);
HWY_EXPORT(forces_in_double);
HWY_EXPORT(forces_in_fixed_point);

template <>
ForcesOfBrick<float> forces_of_brick() {
  (void)instruction_set();  // has read the environment
  return HWY_DYNAMIC_DISPATCH(forces_in_float)();
}
template <>
ForcesOfBrick<double> forces_of_brick() {
  (void)instruction_set();
  return HWY_DYNAMIC_DISPATCH(forces_in_double)();
}
FixedPointForcesOfBrick fixed_point_forces_of_brick() {
  (void)instruction_set();
  return HWY_DYNAMIC_DISPATCH(forces_in_fixed_point)();
}

}  // namespace pencilbox::host
#endif
