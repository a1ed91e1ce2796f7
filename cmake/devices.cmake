# What runs on a device is compiled once for each device of the build, from one list of files.
#
#   pencilbox_device_sources(a.cpp b.cpp)   adds files of the current folder to that list
#   pencilbox_host_sources(a.cpp)           adds files that are compiled for the host alone
#   pencilbox_gpu_sources(a.cpp)            adds files that are compiled for GPUs alone
#   pencilbox_build_devices()               makes pencilbox_on_host (and pencilbox_on_cuda or _hip)
#   pencilbox_compile_for_device(target d)  for other targets with device code, the tests
#
# The language is set here; the sources know nothing of it. PENCILBOX_DEVICE is the namespace that
# a device's copy lives in.
set(PENCILBOX_DEVICES host)
set(PENCILBOX_HIP_PLATFORM amd CACHE STRING
  "What HIP runs on: amd, or nvidia, where its headers forward to CUDA and nvcc compiles (for tests of the HIP half)")
set_property(CACHE PENCILBOX_HIP_PLATFORM PROPERTY STRINGS amd nvidia)

macro(pencilbox_enable_cuda)
  if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
    set(CMAKE_CUDA_ARCHITECTURES 80 86 89 90)
  endif()
  enable_language(CUDA)
  if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION) # CMake 3.25.1 (Debian 12) does not know it yet
    set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)
    set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION -std=c++20)
  endif()
  set(CMAKE_CUDA_STANDARD 20)
  set(CMAKE_CUDA_STANDARD_REQUIRED ON)
  find_package(CUDAToolkit REQUIRED)
  set(PENCILBOX_GPU_LANGUAGE CUDA)
endmacro()

if(PENCILBOX_GPU STREQUAL "cuda")
  pencilbox_enable_cuda()
  list(APPEND PENCILBOX_DEVICES cuda)
elseif(PENCILBOX_GPU STREQUAL "hip")
  if(PENCILBOX_HIP_PLATFORM STREQUAL "nvidia")
    pencilbox_enable_cuda()
    # Headers alone: Debian's libamdhip64-dev, or a folder where it was unpacked.
    find_path(PENCILBOX_HIP_HEADERS hip/nvidia_detail/nvidia_hip_runtime_api.h REQUIRED)
  elseif(PENCILBOX_HIP_PLATFORM STREQUAL "amd")
    if(NOT DEFINED CMAKE_HIP_ARCHITECTURES)
      set(CMAKE_HIP_ARCHITECTURES gfx90a)
    endif()
    include(${CMAKE_CURRENT_LIST_DIR}/hip.cmake)
    set(PENCILBOX_GPU_LANGUAGE HIP)
  else()
    message(FATAL_ERROR
      "PENCILBOX_HIP_PLATFORM: unknown platform '${PENCILBOX_HIP_PLATFORM}', allowed: amd, nvidia")
  endif()
  list(APPEND PENCILBOX_DEVICES hip)
elseif(NOT PENCILBOX_GPU STREQUAL "none")
  message(FATAL_ERROR "PENCILBOX_GPU: unknown device '${PENCILBOX_GPU}', allowed: none, cuda, hip")
endif()

function(pencilbox_append_sources list)
  foreach(file IN LISTS ARGN)
    get_filename_component(path ${file} ABSOLUTE)
    set_property(GLOBAL APPEND PROPERTY ${list} ${path})
  endforeach()
endfunction()
function(pencilbox_device_sources)
  pencilbox_append_sources(PENCILBOX_DEVICE_SOURCES ${ARGN})
endfunction()
function(pencilbox_host_sources)
  pencilbox_append_sources(PENCILBOX_HOST_SOURCES ${ARGN})
endfunction()
function(pencilbox_gpu_sources)
  pencilbox_append_sources(PENCILBOX_GPU_SOURCES ${ARGN})
endfunction()

# What a target that holds device code of one device is compiled with.
function(pencilbox_compile_for_device target device)
  string(TOUPPER ${device} kind)
  target_compile_definitions(${target} PRIVATE PENCILBOX_DEVICE=${device} PENCILBOX_DEVICE_${kind}=1)
  if(device STREQUAL "host")
    # No vectors out of straight-line code: there GCC 12 loses roundings to float, (double)(float)x, so that kernels
    # of one step and of two halves have other bits; and GCC 14 makes wrong forces of neighbor/vectors with AVX-512.
    target_compile_options(${target} PRIVATE -fno-math-errno -fno-trapping-math
      $<$<CXX_COMPILER_ID:GNU>:-fno-tree-slp-vectorize>)
    target_link_libraries(${target} PUBLIC OpenMP::OpenMP_CXX Boost::context)
  elseif(PENCILBOX_GPU_LANGUAGE STREQUAL "CUDA")
    target_compile_options(${target} PRIVATE
      "$<$<COMPILE_LANGUAGE:CUDA>:--expt-relaxed-constexpr>"
      "$<$<AND:$<COMPILE_LANGUAGE:CUDA>,$<NOT:$<CONFIG:Release>>>:-lineinfo>"
      "$<$<AND:$<COMPILE_LANGUAGE:CUDA>,$<BOOL:${PENCILBOX_RESOURCE_REPORT}>>:-Xptxas=-v>")
    target_link_libraries(${target} PUBLIC CUDA::cudart)
    if(device STREQUAL "hip")
      target_compile_definitions(${target} PRIVATE __HIP_PLATFORM_NVIDIA__=1 __HIP_PLATFORM_NVCC__=1)
      target_include_directories(${target} SYSTEM PRIVATE ${PENCILBOX_HIP_HEADERS})
    endif()
  else()
    target_compile_options(${target} PRIVATE
      "$<$<AND:$<COMPILE_LANGUAGE:HIP>,$<BOOL:${PENCILBOX_RESOURCE_REPORT}>>:-Rpass-analysis=kernel-resource-usage>")
  endif()
endfunction()

function(pencilbox_build_devices)
  foreach(device IN LISTS PENCILBOX_DEVICES)
    set(PENCILBOX_DEVICE ${device})
    # One directory scope for each device: a source's LANGUAGE is a property of its directory.
    add_subdirectory(${CMAKE_SOURCE_DIR}/cmake/device ${CMAKE_BINARY_DIR}/device/${device})
  endforeach()
endfunction()
