# What every target of ours is compiled with: all warnings, sanitizers on request. Warnings are errors
# where we build (CI sets it); another compiler's false alarm must not stop a user.
option(PENCILBOX_WARNINGS_AS_ERRORS "Warnings are errors" OFF)
if(DEFINED ENV{CI}) # whatever a build directory of before remembers
  set(PENCILBOX_WARNINGS_AS_ERRORS ON)
endif()
if(PENCILBOX_WARNINGS_AS_ERRORS)
  set(_error -Werror)
  set(_cuda_error "-Werror=all-warnings;-Xcompiler=-Werror")
endif()

add_library(pencilbox_options INTERFACE)
target_include_directories(pencilbox_options INTERFACE ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR}/generated)
set(_gnu_warnings -Wall -Wextra -Wnon-virtual-dtor ${_error})
if(NOT PENCILBOX_UNITY) # what one file calls its own, the next may use for something else
  list(APPEND _gnu_warnings -Wshadow)
elseif(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  set(_gcc_in_batches -Wno-subobject-linkage)
  set(_cuda_in_batches ",-Wno-subobject-linkage")
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 14)
  # On std::string operator+ (GCC bug 105651), on sizes that it fears are negative, inside fmt.
  set(_gcc_false_alarms -Wno-restrict -Wno-stringop-overflow -Wno-array-bounds)
  list(JOIN _gcc_false_alarms "," _cuda_false_alarms)
  string(PREPEND _cuda_false_alarms ",")
endif()
# Unused parameters: a GPU compiler's host pass sees device words without their bodies.
target_compile_options(pencilbox_options INTERFACE
  "$<$<COMPILE_LANGUAGE:CXX>:${_gnu_warnings};${_gcc_in_batches};${_gcc_false_alarms};-Wconversion;-Wno-sign-conversion;-Wpedantic>"
  "$<$<COMPILE_LANGUAGE:HIP>:${_gnu_warnings};-Wno-unused-parameter;-Wno-unused-command-line-argument>"
  "$<$<COMPILE_LANGUAGE:CUDA>:${_cuda_error};-Xcompiler=-Wall,-Wextra,-Wno-unused-parameter${_cuda_in_batches}${_cuda_false_alarms}>")
if(PENCILBOX_FUZZ)
  target_compile_options(pencilbox_options INTERFACE -fsanitize=fuzzer-no-link)
endif()
if(PENCILBOX_SANITIZE)
  # -O1 -g1, and without the checks of every single pointer that address does too: with all of them a back end takes a
  # compiler five times as long as without sanitizers, and this way twice as long.
  set(_sanitizers -O1 -g1 -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=undefined
    -fno-sanitize=null,alignment,object-size,vptr,pointer-overflow
    # GCC warns of what its own instrumented code seems to leave unwritten (an empty std::optional).
    $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
  # Not in targets that are PENCILBOX_PLAIN: tests, of what is sanitized.
  target_compile_options(pencilbox_options INTERFACE
    "$<$<NOT:$<BOOL:$<TARGET_PROPERTY:PENCILBOX_PLAIN>>>:${_sanitizers}>")
  target_link_options(pencilbox_options INTERFACE -fsanitize=address,undefined)
endif()
