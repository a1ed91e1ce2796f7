// Where a kernel runs. A kernel is a small struct with a name and one of these operators:
//
//     void operator()(Index i) const;
//     void operator()(const Block& block) const;
//
// The first runs on a grid of threads, for_each(stream, count, kernel), the second on a grid of
// blocks, launch(stream, shape, kernel). This header gives, in the namespace of the device that the
// file is compiled for: Stream, Event, Graph, Buffer, Block, SharedArray, for_each, launch,
// atomics, scan and sort. `host` runs a grid of threads as an OpenMP loop and emulates a grid of
// blocks with fibers; `cuda` and `hip` share one implementation over a thin table of vendor names.
#pragma once

#if defined(PENCILBOX_DEVICE_HOST)
#include "core/device/host/runtime.hpp"
#elif defined(PENCILBOX_DEVICE_CUDA) || defined(PENCILBOX_DEVICE_HIP)
#include "core/device/gpu/runtime.hpp"
#else
#error "device code: compile this file through pencilbox_device_sources (cmake/devices.cmake)"
#endif

#include "core/device/algorithms.hpp"
#include "core/device/buffer.hpp"
#include "core/device/launch_shape.hpp"
#include "core/device/macros.hpp"
#include "core/device/properties.hpp"
