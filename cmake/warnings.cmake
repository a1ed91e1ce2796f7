# What every target of ours is compiled with: all warnings are errors, sanitizers on request.
add_library(pencilbox_options INTERFACE)
target_include_directories(pencilbox_options INTERFACE ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR}/generated)
set(_gnu_warnings -Wall -Wextra -Wshadow -Wnon-virtual-dtor -Werror)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 14)
  # On std::string operator+ (GCC bug 105651), and on sizes that it fears are negative.
  set(_gcc_false_alarms -Wno-restrict -Wno-stringop-overflow)
endif()
# Unused parameters: a GPU compiler's host pass sees device words without their bodies.
target_compile_options(pencilbox_options INTERFACE
  "$<$<COMPILE_LANGUAGE:CXX>:${_gnu_warnings};${_gcc_false_alarms};-Wconversion;-Wno-sign-conversion;-Wpedantic>"
  "$<$<COMPILE_LANGUAGE:HIP>:${_gnu_warnings};-Wno-unused-parameter;-Wno-unused-command-line-argument>"
  "$<$<COMPILE_LANGUAGE:CUDA>:-Werror=all-warnings;-Xcompiler=-Wall,-Wextra,-Wno-unused-parameter,-Werror>")
if(PENCILBOX_SANITIZE)
  target_compile_options(pencilbox_options INTERFACE
    -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
  target_link_options(pencilbox_options INTERFACE -fsanitize=address,undefined)
endif()
