#!/usr/bin/env bash
# without_git.sh ROOT CMAKE: in a tree that is no repository (an archive, a container) the commit is looked up once,
# not at each call: what CMake is told to look at again is never nothing.
set -euo pipefail

root=$1 cmake=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/tree"
cp "$root/cmake/commit.cmake" "$folder"

cat >"$folder/tree/CMakeLists.txt" <<PROJECT
cmake_minimum_required(VERSION 3.25)
project(without_git LANGUAGES NONE)
set(commit \${CMAKE_BINARY_DIR}/commit.cpp)
add_custom_command(OUTPUT \${commit}
  COMMAND \${CMAKE_COMMAND} -DSOURCE=\${CMAKE_SOURCE_DIR} -DOUTPUT=\${commit} -DDEPFILE=\${commit}.d
    -DGIT= -P $folder/commit.cmake
  DEPENDS $folder/commit.cmake DEPFILE \${commit}.d)
add_custom_target(all_of_it ALL DEPENDS \${commit})
PROJECT
"$cmake" -G Ninja -S "$folder/tree" -B "$folder/build" >/dev/null
ninja -C "$folder/build" >/dev/null
grep -q 'built_commit = ""' "$folder/build/commit.cpp"
again=$(ninja -C "$folder/build")
if [[ $again == *commit.cpp* ]]; then
  echo "a second time the commit is looked up again: $again" >&2
  exit 1
fi
