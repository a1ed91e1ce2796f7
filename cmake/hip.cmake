# The HIP language, with ROCm's own packages and with Debian's.
#
# ROCm's packages need nothing but enable_language(HIP). With Debian's, three things differ:
#   - CMake looks for the package of the language at ROOT/lib/cmake/hip-lang only; Debian keeps it in
#     its multiarch folder. There, a folder in the build tree is named as ROOT and forwards to it.
#   - CMake takes any clang++ that it finds first; only the one that hipcc drives knows this ROCm.
#     (CMake refuses hipcc itself as the compiler of the language.)
#   - That clang++ looks for headers and device libraries under /opt/rocm: hipcc names Debian's
#     folders on its command line, and so must we, from the identification of the compiler on.
find_program(PENCILBOX_HIPCC hipcc HINTS /opt/rocm/bin)
find_file(PENCILBOX_HIP_LANG hip-lang-config.cmake
  PATHS /usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/cmake/hip-lang
  NO_DEFAULT_PATH)
mark_as_advanced(PENCILBOX_HIPCC PENCILBOX_HIP_LANG)
if(NOT PENCILBOX_HIPCC)
  message(FATAL_ERROR "PENCILBOX_GPU=hip needs hipcc: Debian's packages hipcc, libamdhip64-dev and "
    "rocm-device-libs, or ROCm's own")
endif()

if(PENCILBOX_HIP_LANG AND PENCILBOX_HIPCC MATCHES "^/usr/bin/")
  execute_process(COMMAND ${PENCILBOX_HIPCC} --version OUTPUT_VARIABLE _hipcc_version ERROR_QUIET)
  if(NOT _hipcc_version MATCHES "HIP version: ([0-9.]+).*clang version ([0-9]+)")
    message(FATAL_ERROR "${PENCILBOX_HIPCC} --version names no versions: ${_hipcc_version}")
  endif()
  set(_hip_version ${CMAKE_MATCH_1})
  if(NOT CMAKE_HIP_COMPILER AND NOT DEFINED ENV{HIPCXX})
    find_program(CMAKE_HIP_COMPILER clang++-${CMAKE_MATCH_2} REQUIRED)
  endif()
  # The compiler test of the language is a project of its own that does not know the multiarch name.
  file(CONFIGURE OUTPUT rocm/lib/cmake/hip-lang/hip-lang-config.cmake
    CONTENT [[
if(NOT CMAKE_LIBRARY_ARCHITECTURE)
  set(CMAKE_LIBRARY_ARCHITECTURE "@CMAKE_LIBRARY_ARCHITECTURE@")
endif()
include("@PENCILBOX_HIP_LANG@")
# Debian's headers are where every compiler looks. Named again as -isystem, /usr/include would come
# before the C++ library, whose #include_next <math.h> then finds nothing.
set_target_properties(hip-lang::device hip-lang::amdhip64 PROPERTIES
  INTERFACE_INCLUDE_DIRECTORIES "" INTERFACE_SYSTEM_INCLUDE_DIRECTORIES "")
]] @ONLY)
  set(CMAKE_HIP_COMPILER_ROCM_ROOT ${CMAKE_BINARY_DIR}/rocm)
  string(PREPEND CMAKE_HIP_FLAGS "--rocm-path=/usr --hip-version=${_hip_version} "
    "--rocm-device-lib-path=/usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/amdgcn/bitcode ")
  unset(_hip_version)
  unset(_hipcc_version)
endif()

enable_language(HIP)
set(CMAKE_HIP_STANDARD 20)
set(CMAKE_HIP_STANDARD_REQUIRED ON)
set(CMAKE_HIP_EXTENSIONS OFF)
