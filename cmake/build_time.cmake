# What keeps the first build short. Most of a small source is the headers that it includes, and what is
# instantiated from them: several compiled at once share both. Whoever changes sources all day may want
# it off. A source that leans on its neighbour's includes is found with it off: `.ci/run --stage alone`.
option(PENCILBOX_UNITY "Compile several sources at once: shorter builds from nothing, longer ones after a change" ON)

# pencilbox_compile_together(target [APART file ...])
function(pencilbox_compile_together target)
  cmake_parse_arguments(PARSE_ARGV 1 given "" "" "APART")
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${PENCILBOX_UNITY} UNITY_BUILD_BATCH_SIZE 12)
  set_source_files_properties(${given_APART} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
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
