# What keeps the first build short. Most of a small source is the headers that it includes, and what is
# instantiated from them: several compiled at once share both. Whoever changes sources all day may want
# it off. A source that leans on its neighbour's includes is found with it off: `.ci/run --stage alone`.
option(PENCILBOX_UNITY "Compile several sources at once: shorter builds from nothing, longer ones after a change" ON)

set(_batch 12) # sources at once

# pencilbox_compile_together(target [APART file ...])
function(pencilbox_compile_together target)
  cmake_parse_arguments(PARSE_ARGV 1 given "" "" "APART")
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${PENCILBOX_UNITY} UNITY_BUILD_BATCH_SIZE ${_batch})
  set_source_files_properties(${given_APART} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

# pencilbox_batches(result SOURCES file ... [APART file ...]): the same by files that include them, for languages of which
# CMake (before 3.31) compiles no two together. Of every source of CUDA ten seconds are the headers.
function(pencilbox_batches result)
  cmake_parse_arguments(PARSE_ARGV 1 given "" "" "SOURCES;APART")
  if(NOT PENCILBOX_UNITY)
    set(${result} ${given_SOURCES} PARENT_SCOPE)
    return()
  endif()
  set(compiled ${given_APART})
  set(together ${given_SOURCES})
  list(REMOVE_ITEM together ${given_APART})
  set(number 0)
  while(together)
    list(SUBLIST together 0 ${_batch} some)
    list(REMOVE_ITEM together ${some})
    list(TRANSFORM some REPLACE "^${CMAKE_SOURCE_DIR}/(.+)" "#include \"\\1\"\n")
    list(JOIN some "" includes)
    set(file ${CMAKE_CURRENT_BINARY_DIR}/batch_${number}.cpp)
    file(CONFIGURE OUTPUT ${file} CONTENT "${includes}" @ONLY)
    list(APPEND compiled ${file})
    math(EXPR number "${number} + 1")
  endwhile()
  set(${result} ${compiled} PARENT_SCOPE)
endfunction()

# pencilbox_optimize_little(files or target): what does not loop over particles, spends its time in libraries (input,
# output), or only the emulator runs on the host, barrier by barrier. A compiler needs half the time, and nobody's run takes
# longer.
set(_little "$<$<AND:$<CONFIG:Release>,$<COMPILE_LANGUAGE:CXX>>:-O1>")
function(pencilbox_optimize_little)
  foreach(it IN LISTS ARGN)
    if(TARGET ${it})
      target_compile_options(${it} PRIVATE "${_little}")
    else()
      set_source_files_properties(${it} PROPERTIES COMPILE_OPTIONS "${_little}")
    endif()
  endforeach()
endfunction()
