// The kernels of rows, compiled for each instruction set, and the choice of one.
#include "neighbor/vectors/rows.hpp"

#include "core/device/host/instruction_sets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "neighbor/vectors/rows.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include "neighbor/vectors/build-inl.hpp"
#include "neighbor/vectors/walk-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace pencilbox::host::HWY_NAMESPACE {

template <class State>
RowKernels<State> kernels() {
  return {&build_rows<State>, &forces_of_any_rows<State>, &energies_of_any_rows<State>,
          &partners_of_rows<State>};
}
RowKernels<float> kernels_in_float() { return kernels<float>(); }
RowKernels<double> kernels_in_double() { return kernels<double>(); }
FixedPointForces kernel_in_fixed_point() { return &fixed_point_forces_of_any_rows; }

}  // namespace pencilbox::host::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace pencilbox::host {

HWY_EXPORT(kernels_in_float);
HWY_EXPORT(kernels_in_double);
HWY_EXPORT(kernel_in_fixed_point);

template <>
RowKernels<float> row_kernels() {
  (void)instruction_set();  // has read the environment
  return HWY_DYNAMIC_DISPATCH(kernels_in_float)();
}
template <>
RowKernels<double> row_kernels() {
  (void)instruction_set();
  return HWY_DYNAMIC_DISPATCH(kernels_in_double)();
}
FixedPointForces fixed_point_forces() {
  (void)instruction_set();
  return HWY_DYNAMIC_DISPATCH(kernel_in_fixed_point)();
}

}  // namespace pencilbox::host
#endif
