// The vendors' names for memory that other processes open; beside the table of all others.
#pragma once

#include "core/device/gpu/vendor.hpp"

#if defined(PENCILBOX_DEVICE_CUDA)

namespace pencilbox::cuda::vendor {

using PeerHandle = cudaIpcMemHandle_t;

inline Error allocate_for_peers(void** pointer, std::size_t bytes) {
  return cudaMalloc(pointer, bytes);
}
inline Error release_of_peers(void* pointer) { return cudaFree(pointer); }
/// Has happened when it returns.
inline Error clear(void* pointer, std::size_t bytes) {
  const Error error = cudaMemset(pointer, 0, bytes);
  return error == success ? cudaDeviceSynchronize() : error;
}
inline Error handle_of(PeerHandle* handle, void* pointer) {
  return cudaIpcGetMemHandle(handle, pointer);
}
inline Error open_peer(void** pointer, const PeerHandle& handle) {
  return cudaIpcOpenMemHandle(pointer, handle, cudaIpcMemLazyEnablePeerAccess);
}
inline Error close_peer(void* pointer) { return cudaIpcCloseMemHandle(pointer); }

}  // namespace pencilbox::cuda::vendor

#elif defined(PENCILBOX_DEVICE_HIP)

namespace pencilbox::hip::vendor {

using PeerHandle = hipIpcMemHandle_t;

inline Error allocate_for_peers(void** pointer, std::size_t bytes) {
  return hipMalloc(pointer, bytes);
}
inline Error release_of_peers(void* pointer) { return hipFree(pointer); }
inline Error clear(void* pointer, std::size_t bytes) {
  const Error error = hipMemset(pointer, 0, bytes);
  return error == success ? hipDeviceSynchronize() : error;
}
inline Error handle_of(PeerHandle* handle, void* pointer) {
  return hipIpcGetMemHandle(handle, pointer);
}
inline Error open_peer(void** pointer, const PeerHandle& handle) {
  return hipIpcOpenMemHandle(pointer, handle, hipIpcMemLazyEnablePeerAccess);
}
inline Error close_peer(void* pointer) { return hipIpcCloseMemHandle(pointer); }

}  // namespace pencilbox::hip::vendor

#endif
