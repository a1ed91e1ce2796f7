// The one macro that kernels see.
#pragma once

/// Marks a function that device code may call; it stays callable on the host.
#if defined(__CUDACC__) || defined(__HIPCC__)
#define PENCILBOX_DEVICE_FUNCTION __host__ __device__
#else
#define PENCILBOX_DEVICE_FUNCTION
#endif
