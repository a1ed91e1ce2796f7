// The table of vendor names: everything in which CUDA and HIP differ by spelling only.
#pragma once

#if defined(PENCILBOX_DEVICE_CUDA)

#include <cstdint>
#include <string>

#include <cooperative_groups.h>
#include <cuda_runtime.h>

namespace pencilbox::cuda::vendor {

inline constexpr const char* kind = "cuda";
inline std::string compiler() {
  return "nvcc " + std::to_string(__CUDACC_VER_MAJOR__) + "." +
         std::to_string(__CUDACC_VER_MINOR__) + "." + std::to_string(__CUDACC_VER_BUILD__);
}
inline constexpr const char* driver_release_file = "/proc/driver/nvidia/version";
inline std::string version_in_words(int version) {
  return "CUDA " + std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}
using Error = cudaError_t;
using StreamHandle = cudaStream_t;
using EventHandle = cudaEvent_t;
using GraphHandle = cudaGraph_t;
using ReadyGraphHandle = cudaGraphExec_t;
using Properties = cudaDeviceProp;
inline constexpr Error success = cudaSuccess;
inline constexpr Error not_ready = cudaErrorNotReady;

inline const char* error_text(Error error) { return cudaGetErrorString(error); }
inline Error last_error() { return cudaGetLastError(); }
inline Error device_count(int* count) { return cudaGetDeviceCount(count); }
inline int chosen_device = 0;
inline Error choose(int device) {
  chosen_device = device;
  return cudaSetDevice(device);
}
inline Error properties(Properties* out) { return cudaGetDeviceProperties(out, chosen_device); }
inline Error driver_version(int* version) { return cudaDriverGetVersion(version); }
inline Error runtime_version(int* version) { return cudaRuntimeGetVersion(version); }
inline std::size_t opt_in_shared_bytes(const Properties& p) { return p.sharedMemPerBlockOptin; }
/// The driver's pool, made to keep what is given back to it; nothing where a device has none.
inline cudaMemPool_t keeping_pool() {
  int has_pools = 0;
  cudaMemPool_t pool = nullptr;
  cudaDeviceGetAttribute(&has_pools, cudaDevAttrMemoryPoolsSupported, chosen_device);
  if (has_pools == 0 || cudaDeviceGetDefaultMemPool(&pool, chosen_device) != success)
    return nullptr;
  std::uint64_t kept_bytes = UINT64_MAX;
  cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &kept_bytes);
  return pool;
}
inline cudaMemPool_t pool() {
  static const cudaMemPool_t pool = keeping_pool();
  return pool;
}
/// There for all streams when it returns, like what cudaMalloc gives, which would take a
/// millisecond for each back end that is tried.
inline Error allocate(void** pointer, std::size_t bytes) {
  if (pool() == nullptr) return cudaMalloc(pointer, bytes);
  const Error error = cudaMallocFromPoolAsync(pointer, bytes, pool(), nullptr);
  return error == success ? cudaStreamSynchronize(nullptr) : error;
}
/// Waits for all streams, like cudaFree: any of them may still use it.
inline Error release(void* pointer) {
  if (pool() == nullptr) return cudaFree(pointer);
  const Error error = cudaDeviceSynchronize();
  return error == success ? cudaFreeAsync(pointer, nullptr) : error;
}
inline Error allocate_pinned(void** pointer, std::size_t bytes) {
  return cudaMallocHost(pointer, bytes);
}
inline Error release_pinned(void* pointer) { return cudaFreeHost(pointer); }
inline Error copy(void* to, const void* from, std::size_t bytes, StreamHandle stream) {
  return cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream);
}
inline Error fill(void* pointer, int byte, std::size_t bytes, StreamHandle stream) {
  return cudaMemsetAsync(pointer, byte, bytes, stream);
}
inline Error create(StreamHandle* stream) {
  return cudaStreamCreateWithFlags(stream, cudaStreamNonBlocking);
}
/// Whose blocks come before those of others.
inline Error create_with_high_priority(StreamHandle* stream) {
  int least = 0, greatest = 0;
  const Error error = cudaDeviceGetStreamPriorityRange(&least, &greatest);
  if (error != success) return error;
  return cudaStreamCreateWithPriority(stream, cudaStreamNonBlocking, greatest);
}
inline Error destroy(StreamHandle stream) { return cudaStreamDestroy(stream); }
inline Error synchronize(StreamHandle stream) { return cudaStreamSynchronize(stream); }
inline Error create(EventHandle* event) { return cudaEventCreate(event); }
inline Error create_without_time(EventHandle* event) {
  return cudaEventCreateWithFlags(event, cudaEventDisableTiming);
}
inline Error destroy(EventHandle event) { return cudaEventDestroy(event); }
inline Error record(EventHandle event, StreamHandle stream) {
  return cudaEventRecord(event, stream);
}
inline Error synchronize_event(EventHandle event) { return cudaEventSynchronize(event); }
inline Error query(EventHandle event) { return cudaEventQuery(event); }
inline Error hold(StreamHandle stream, EventHandle event) {
  return cudaStreamWaitEvent(stream, event, 0);
}
inline Error elapsed(float* milliseconds, EventHandle from, EventHandle to) {
  return cudaEventElapsedTime(milliseconds, from, to);
}
/// What this thread enqueues on the stream from now on is noted and not run.
inline Error begin_capture(StreamHandle stream) {
  return cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
}
inline Error end_capture(StreamHandle stream, GraphHandle* graph) {
  return cudaStreamEndCapture(stream, graph);
}
inline Error make_ready(ReadyGraphHandle* ready, GraphHandle graph) {
  return cudaGraphInstantiateWithFlags(ready, graph, 0);
}
inline Error replay(ReadyGraphHandle graph, StreamHandle stream) {
  return cudaGraphLaunch(graph, stream);
}
inline Error destroy(GraphHandle graph) { return cudaGraphDestroy(graph); }
inline Error destroy(ReadyGraphHandle graph) { return cudaGraphExecDestroy(graph); }
/// Called by each thread before anything else: all that was launched before is done and seen.
__device__ inline void wait_for_kernels_before() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}
/// Whether the kernel waits by itself: it was compiled for a device that can, and runs on one.
inline bool waits_by_itself(const void* entry) {
  int major = 0;
  cudaFuncAttributes compiled{};
  return cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, chosen_device) ==
             success &&
         major >= 9 && cudaFuncGetAttributes(&compiled, entry) == success &&
         compiled.ptxVersion >= 90;
}
/// `comes_early`: as soon as the blocks of the kernel that was launched before it on the stream
/// have gone, and what they have written may still be on its way.
inline Error launch(const void* entry, unsigned blocks, unsigned threads, void** arguments,
                    std::size_t shared_bytes, StreamHandle stream, bool comes_early) {
  cudaLaunchAttribute early{};
  early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  early.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(blocks);
  config.blockDim = dim3(threads);
  config.dynamicSmemBytes = shared_bytes;
  config.stream = stream;
  config.attrs = &early;
  config.numAttrs = comes_early ? 1 : 0;
  return cudaLaunchKernelExC(&config, entry, arguments);
}
/// All blocks are on the device before the first one goes on, or none is.
inline Error launch_at_once(const void* entry, unsigned blocks, unsigned threads, void** arguments,
                            std::size_t shared_bytes, StreamHandle stream) {
  return cudaLaunchCooperativeKernel(entry, dim3(blocks), dim3(threads), arguments, shared_bytes,
                                     stream);
}
using KernelAttributes = cudaFuncAttributes;
inline Error attributes(KernelAttributes* out, const void* entry) {
  return cudaFuncGetAttributes(out, entry);
}
inline Error resident_blocks(int* blocks, const void* entry, int threads, std::size_t bytes) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, entry, threads, bytes);
}
inline Error clock_khz(int* khz) {
  return cudaDeviceGetAttribute(khz, cudaDevAttrClockRate, chosen_device);
}
inline Error memory_clock_khz(int* khz) {
  return cudaDeviceGetAttribute(khz, cudaDevAttrMemoryClockRate, chosen_device);
}
inline Error memory_bus_bits(int* bits) {
  return cudaDeviceGetAttribute(bits, cudaDevAttrGlobalMemoryBusWidth, chosen_device);
}
/// Four schedulers of a multiprocessor issue one instruction of a warp each, since Volta (CUDA C++
/// Programming Guide, compute capabilities); 0 for older ones.
inline int issue_lanes(const Properties& p) { return p.major >= 7 ? 4 * p.warpSize : 0; }
template <class Function>
Error allow_shared_bytes(Function* entry, std::size_t bytes) {
  return cudaFuncSetAttribute(reinterpret_cast<const void*>(entry),
                              cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes));
}

}  // namespace pencilbox::cuda::vendor

#elif defined(PENCILBOX_DEVICE_HIP)

#include <string>

#if defined(__HIP_PLATFORM_NVIDIA__)
#include "core/device/gpu/hip_on_nvidia.hpp"
#endif

#include <hip/hip_runtime.h>
// Behind what it needs and does not include:
#include <hip/hip_cooperative_groups.h>

namespace pencilbox::hip::vendor {

inline constexpr const char* kind = "hip";
inline std::string compiler() { return __VERSION__; }
inline constexpr const char* driver_release_file = "/sys/module/amdgpu/version";
inline std::string version_in_words(int version) {
  return "HIP " + std::to_string(version / 10'000'000) + "." +
         std::to_string(version / 100'000 % 100) + "." + std::to_string(version % 100'000);
}
using Error = hipError_t;
using StreamHandle = hipStream_t;
using EventHandle = hipEvent_t;
using GraphHandle = hipGraph_t;
using ReadyGraphHandle = hipGraphExec_t;
using Properties = hipDeviceProp_t;
inline constexpr Error success = hipSuccess;
inline constexpr Error not_ready = hipErrorNotReady;

inline const char* error_text(Error error) { return hipGetErrorString(error); }
inline Error last_error() { return hipGetLastError(); }
inline Error device_count(int* count) { return hipGetDeviceCount(count); }
inline int chosen_device = 0;
inline Error choose(int device) {
  chosen_device = device;
  return hipSetDevice(device);
}
inline Error properties(Properties* out) { return hipGetDeviceProperties(out, chosen_device); }
inline Error driver_version(int* version) { return hipDriverGetVersion(version); }
inline Error runtime_version(int* version) { return hipRuntimeGetVersion(version); }
inline std::size_t opt_in_shared_bytes(const Properties& p) { return p.sharedMemPerBlock; }
inline Error allocate(void** pointer, std::size_t bytes) { return hipMalloc(pointer, bytes); }
inline Error release(void* pointer) { return hipFree(pointer); }
inline Error allocate_pinned(void** pointer, std::size_t bytes) {
  return hipHostMalloc(pointer, bytes, hipHostMallocDefault);
}
inline Error release_pinned(void* pointer) { return hipHostFree(pointer); }
inline Error copy(void* to, const void* from, std::size_t bytes, StreamHandle stream) {
  return hipMemcpyAsync(to, from, bytes, hipMemcpyDefault, stream);
}
inline Error fill(void* pointer, int byte, std::size_t bytes, StreamHandle stream) {
  return hipMemsetAsync(pointer, byte, bytes, stream);
}
inline Error create(StreamHandle* stream) {
  return hipStreamCreateWithFlags(stream, hipStreamNonBlocking);
}
inline Error create_with_high_priority(StreamHandle* stream) {
  int least = 0, greatest = 0;
  const Error error = hipDeviceGetStreamPriorityRange(&least, &greatest);
  if (error != success) return error;
  return hipStreamCreateWithPriority(stream, hipStreamNonBlocking, greatest);
}
inline Error destroy(StreamHandle stream) { return hipStreamDestroy(stream); }
inline Error synchronize(StreamHandle stream) { return hipStreamSynchronize(stream); }
inline Error create(EventHandle* event) { return hipEventCreate(event); }
inline Error create_without_time(EventHandle* event) {
  return hipEventCreateWithFlags(event, hipEventDisableTiming);
}
inline Error destroy(EventHandle event) { return hipEventDestroy(event); }
inline Error record(EventHandle event, StreamHandle stream) {
  return hipEventRecord(event, stream);
}
inline Error synchronize_event(EventHandle event) { return hipEventSynchronize(event); }
inline Error query(EventHandle event) { return hipEventQuery(event); }
inline Error hold(StreamHandle stream, EventHandle event) {
  return hipStreamWaitEvent(stream, event, 0);
}
inline Error elapsed(float* milliseconds, EventHandle from, EventHandle to) {
  return hipEventElapsedTime(milliseconds, from, to);
}
/// What this thread enqueues on the stream from now on is noted and not run.
inline Error begin_capture(StreamHandle stream) {
  return hipStreamBeginCapture(stream, hipStreamCaptureModeThreadLocal);
}
inline Error end_capture(StreamHandle stream, GraphHandle* graph) {
  return hipStreamEndCapture(stream, graph);
}
inline Error make_ready(ReadyGraphHandle* ready, GraphHandle graph) {
  return hipGraphInstantiateWithFlags(ready, graph, 0);
}
inline Error replay(ReadyGraphHandle graph, StreamHandle stream) {
  return hipGraphLaunch(graph, stream);
}
inline Error destroy(GraphHandle graph) { return hipGraphDestroy(graph); }
inline Error destroy(ReadyGraphHandle graph) { return hipGraphExecDestroy(graph); }
/// What was launched before on a stream is done before a kernel begins.
__device__ inline void wait_for_kernels_before() {}
inline bool waits_by_itself(const void*) { return false; }
inline Error launch(const void* entry, unsigned blocks, unsigned threads, void** arguments,
                    std::size_t shared_bytes, StreamHandle stream, bool) {
  return hipLaunchKernel(entry, dim3(blocks), dim3(threads), arguments, shared_bytes, stream);
}
/// All blocks are on the device before the first one goes on, or none is.
inline Error launch_at_once(const void* entry, unsigned blocks, unsigned threads, void** arguments,
                            std::size_t shared_bytes, StreamHandle stream) {
  return hipLaunchCooperativeKernel(entry, dim3(blocks), dim3(threads), arguments,
                                    static_cast<unsigned>(shared_bytes), stream);
}
using KernelAttributes = hipFuncAttributes;
inline Error attributes(KernelAttributes* out, const void* entry) {
  return hipFuncGetAttributes(out, entry);
}
inline Error resident_blocks(int* blocks, const void* entry, int threads, std::size_t bytes) {
  return hipOccupancyMaxActiveBlocksPerMultiprocessor(blocks, entry, threads, bytes);
}
inline Error clock_khz(int* khz) {
  return hipDeviceGetAttribute(khz, hipDeviceAttributeClockRate, chosen_device);
}
inline Error memory_clock_khz(int* khz) {
  return hipDeviceGetAttribute(khz, hipDeviceAttributeMemoryClockRate, chosen_device);
}
inline Error memory_bus_bits(int* bits) {
  return hipDeviceGetAttribute(bits, hipDeviceAttributeMemoryBusWidth, chosen_device);
}
/// Each of the four units of a compute unit issues a wave of 64 in four clocks (CDNA2 white paper);
/// 0 for chips with waves of 32, which do it otherwise.
inline int issue_lanes(const Properties& p) { return p.warpSize == 64 ? 64 : 0; }
template <class Function>
Error allow_shared_bytes(Function* entry, std::size_t bytes) {
  return hipFuncSetAttribute(reinterpret_cast<const void*>(entry),
                             hipFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes));
}

}  // namespace pencilbox::hip::vendor

#endif
