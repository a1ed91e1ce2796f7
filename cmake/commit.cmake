# Which commit the program is built from, as a source file; "+" stands behind it where a source is
# not as committed. Without git, or outside a repository of our own, the name is empty.
#
#   cmake -DSOURCE=... -DOUTPUT=x.cpp -DDEPFILE=x.d -DGIT=... -P commit.cmake
#
# The depfile says what to look at again: every source of the program, and where HEAD is.
set(paths CMakeLists.txt CMakePresets.json cmake core neighbor integrators io app)

function(git result)
  set(answer "")
  if(GIT)
    execute_process(COMMAND ${GIT} --no-optional-locks -C ${SOURCE} ${ARGN}
      OUTPUT_VARIABLE answer OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
    if(failed)
      set(answer "")
    endif()
  endif()
  set(${result} "${answer}" PARENT_SCOPE)
endfunction()

set(commit "")
set(looked_at "${CMAKE_CURRENT_LIST_FILE}") # a depfile that names nothing is one that is missing, to CMake
git(top rev-parse --show-toplevel)
file(REAL_PATH "${SOURCE}" source)
if(top STREQUAL source)
  git(commit rev-parse --short=12 HEAD)
  git(changes status --porcelain -- ${paths})
  git(files ls-files -- ${paths})
  if(commit AND changes)
    string(APPEND commit "+")
  endif()
  string(REPLACE "\n" ";" files "${files}")
  list(TRANSFORM files PREPEND "${SOURCE}/")
  list(APPEND looked_at ${files})
  foreach(name HEAD logs/HEAD)
    git(path rev-parse --path-format=absolute --git-path ${name})
    if(EXISTS "${path}")
      list(APPEND looked_at "${path}")
    endif()
  endforeach()
endif()

file(CONFIGURE OUTPUT ${OUTPUT} CONTENT [[
// The commit that this program is built from.
#include "app/commands/provenance.hpp"

namespace pencilbox {

const char* const built_commit = "@commit@";

}  // namespace pencilbox
]] @ONLY)
list(TRANSFORM looked_at REPLACE " " "\\\\ ")
list(JOIN looked_at " " looked_at)
string(REPLACE " " "\\ " target "${OUTPUT}")
file(WRITE ${DEPFILE} "${target}: ${looked_at}\n")
