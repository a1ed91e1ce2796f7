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

template <class Real>
RowKernels<Real> kernels() {
  return {&build_rows<Real>, &forces_of_any_rows<Real>, &energies_of_rows<Real>,
          &partners_of_rows<Real>};
}
RowKernels<float> kernels_in_float() { return kernels<float>(); }
RowKernels<double> kernels_in_double() { return kernels<double>(); }

}  // namespace pencilbox::host::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace pencilbox::host {

HWY_EXPORT(kernels_in_float);
HWY_EXPORT(kernels_in_double);

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

}  // namespace pencilbox::host
#endif
