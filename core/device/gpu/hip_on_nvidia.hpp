// HIP has a platform for NVIDIA's chips: headers that forward to CUDA's runtime. Those of HIP 5
// name what CUDA 13 has removed, in functions that nobody here calls. Stand-ins for these, so that
// the headers compile as they are and the HIP half of the device layer runs where there is no AMD
// GPU. Comes before them.
#pragma once

#include <cuda.h>
#include <cuda_runtime.h>

/// With the members that cudaDeviceProp has lost; nobody fills them.
struct PencilboxOldDeviceProp : cudaDeviceProp {
  int clockRate = 0, memoryClockRate = 0, computeMode = 0;
  int cooperativeMultiDeviceLaunch = 0, kernelExecTimeoutEnabled = 0;
};
#define cudaDeviceProp PencilboxOldDeviceProp
#define cudaDevAttrCooperativeMultiDeviceLaunch cudaDevAttrCooperativeLaunch

#define PENCILBOX_GONE_FROM_CUDA(name)           \
  template <class... Arguments>                  \
  inline cudaError_t name(const Arguments&...) { \
    return cudaErrorNotSupported;                \
  }
PENCILBOX_GONE_FROM_CUDA(cudaBindTexture)
PENCILBOX_GONE_FROM_CUDA(cudaBindTexture2D)
PENCILBOX_GONE_FROM_CUDA(cudaBindTextureToArray)
PENCILBOX_GONE_FROM_CUDA(cudaUnbindTexture)
PENCILBOX_GONE_FROM_CUDA(cudaGetTextureAlignmentOffset)
PENCILBOX_GONE_FROM_CUDA(cudaLaunchCooperativeKernelMultiDevice)
PENCILBOX_GONE_FROM_CUDA(cudaStreamGetCaptureInfo_v2)
#undef PENCILBOX_GONE_FROM_CUDA

template <class Texel, int dimension, cudaTextureReadMode mode>
struct texture;

// With other parameters than before.
inline cudaError_t cudaMemAdvise(const void*, std::size_t, cudaMemoryAdvise, int) {
  return cudaErrorNotSupported;
}
inline cudaError_t cudaMemPrefetchAsync(const void*, std::size_t, int, cudaStream_t) {
  return cudaErrorNotSupported;
}
inline CUresult cuCtxCreate(CUcontext*, unsigned, CUdevice) { return CUDA_ERROR_NOT_SUPPORTED; }
inline cudaError_t cudaGraphAddDependencies(cudaGraph_t, const cudaGraphNode_t*,
                                            const cudaGraphNode_t*, std::size_t) {
  return cudaErrorNotSupported;
}
inline cudaError_t cudaGraphRemoveDependencies(cudaGraph_t, const cudaGraphNode_t*,
                                               const cudaGraphNode_t*, std::size_t) {
  return cudaErrorNotSupported;
}
inline cudaError_t cudaGraphGetEdges(cudaGraph_t, cudaGraphNode_t*, cudaGraphNode_t*,
                                     std::size_t*) {
  return cudaErrorNotSupported;
}
inline cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t, cudaGraphNode_t*, std::size_t*) {
  return cudaErrorNotSupported;
}
inline cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t, cudaGraphNode_t*, std::size_t*) {
  return cudaErrorNotSupported;
}
inline cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t, cudaGraphNode_t*, std::size_t,
                                                       unsigned) {
  return cudaErrorNotSupported;
}

#define __ballot(predicate) __ballot_sync(0xffffffffU, predicate)
