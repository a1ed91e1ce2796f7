#!/usr/bin/env bash
# build_script.sh ROOT: what ./pencilbox says and does around a build. The build itself is played by a
# cmake and a ninja of this test, in a tree that holds the script and nothing to compile.
set -euo pipefail

root=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
tree=$folder/tree
mkdir -p "$tree/tools" "$tree/docs" "$folder/bin"
cp "$root/pencilbox" "$root/CMakeLists.txt" "$tree"
cp "$root"/tools/{install_missing,build_progress}.sh "$tree/tools"
cp "$root/docs/commands.md" "$tree/docs"

cat >"$folder/bin/cmake" <<'STUB'
#!/usr/bin/env bash
if [[ $1 == --preset ]]; then
  echo "CMAKE_HOME_DIRECTORY:INTERNAL=$PWD" >build/host/CMakeCache.txt
  touch build/host/build.ninja
  exit
fi
for i in 1 2 3; do
  sleep "${STUB_SECONDS:-0}"
  echo "[$i/3] Building CXX object app/CMakeFiles/pencilbox.dir/__/file_$i.cpp.o"
done
if [[ -n ${STUB_FAILS:-} ]]; then
  echo 'FAILED: file_3.cpp.o'
  exit 1
fi
mkdir -p "$2/app"
printf '#!/bin/sh\necho "the program: $*"\n' >"$2/app/pencilbox"
chmod +x "$2/app/pencilbox"
STUB
cat >"$folder/bin/ninja" <<'STUB'
#!/usr/bin/env bash
if [[ $3 == build.ninja ]]; then exit; fi
if [[ -x $2/app/pencilbox ]]; then echo 'ninja: no work to do.'; else printf '[%d/3] x\n' 1 2 3; fi
STUB
chmod +x "$folder/bin/"*
export PATH=$folder/bin:$PATH PENCILBOX_INSTALL=off PENCILBOX_PRESET=host
cd "$tree"

failed=0
# expect WHAT TEXT PATTERN: the text has a part that matches.
expect() {
  if [[ $2 =~ $3 ]]; then return 0; fi
  printf '%s: no "%s" in:\n%s\n' "$1" "$3" "$2" >&2
  failed=1
}

for words in '' --help -h help 'run --help' 'bench fenns --help' 'help test' --version; do
  # shellcheck disable=SC2086 # several words
  out=$(./pencilbox $words 2>&1) || failed=1
  if [[ $words == *version ]]; then
    expect "$words" "$out" '^[0-9]+\.[0-9]+\.[0-9]+$'
  else
    expect "$words" "$out" 'Usage: pencilbox'
  fi
done
expect "help of a command" "$(./pencilbox bench fenns --help)" 'Usage: pencilbox bench fenns'
status=0
out=$(./pencilbox rum deck.yaml 2>&1) || status=$?
expect "a misspelt command" "$status $out" "^2 pencilbox: unknown command, got 'rum', allowed: run, check"
if [[ -e build ]]; then
  echo "help, the version or a misspelt command began a build" >&2
  failed=1
fi

status=0
out=$(STUB_FAILS=yes ./pencilbox info 2>&1) || status=$?
expect "a build that fails" "$status $out" '^4 .*FAILED: file_3.*building failed for preset host'
rm -rf build

# In a log: how much before, a line now and then, the time after; and the program's own output is alone.
sed -i 's/^seconds_between_lines=60 .*/seconds_between_lines=1/' tools/build_progress.sh
out=$(STUB_SECONDS=1.5 ./pencilbox info 2>build.err)
expect "the program" "$out" '^the program: info$'
err=$(cat build.err)
expect "before" "$err" 'building 3 files with preset host on [0-9]+ cores: about a minute'
expect "meanwhile" "$err" $'\npencilbox: \[1/3\] [0-9]+s\n'
expect "after" "$err" $'\npencilbox: built in [0-9]+s$'
expect "a second time" "$(./pencilbox info 2>&1)" '^the program: info$'

# Tests: what was skipped is counted, not listed; one line of totals at the end, and ctest's exit code.
cat >"$folder/bin/ctest" <<'STUB'
#!/usr/bin/env bash
printf '1/4 Test #1: a\n\n75%% tests passed, 1 tests failed out of 4\n\nTotal Test time (real) =   1.00 sec\n'
printf '\nThe following tests did not run:\n\t  2 - b (Skipped)\n\t  3 - c (Skipped)\n'
printf '\nThe following tests FAILED:\n\t  4 - d (Failed)\nErrors while running CTest\n'
exit 8
STUB
chmod +x "$folder/bin/ctest"
status=0
out=$(./pencilbox test 2>&1) || status=$?
expect "tests" "$status $out" '^8 .*pencilbox: 4 tests in [0-9]+s: 1 passed, 1 failed, 2 skipped [^
]*$'
expect "what failed" "$out" $'FAILED:\n\t  4 - d'
if [[ $out == *Skipped* || $out == *'did not run'* ]]; then
  echo "skipped tests are listed: $out" >&2
  failed=1
fi

# On a terminal, which script(1) plays: one line that moves, with the file's name.
if command -v script >/dev/null; then
  rm build/host/app/pencilbox
  out=$(TERM=xterm STUB_SECONDS=1.2 script -qec './pencilbox info' /dev/null </dev/null)
  expect "on a terminal" "$out" $'\r\e\[Kpencilbox: \[2/3\] [0-9]+s  file_2.cpp.o'
fi

# While another build goes on, its lock is held.
exec {lock}>build/host/.lock
flock "$lock"
./pencilbox info >waiting.out 2>waiting.err {lock}>&- &
waiting=$!
for ((i = 0; i < 100; ++i)); do
  if [[ -s waiting.err ]]; then break; fi
  sleep 0.1
done
expect "while it waits" "$(cat waiting.err)" 'waiting for another build of preset host'
exec {lock}>&-
wait "$waiting"
expect "once it may" "$(cat waiting.out)" 'the program: info'
exit "$failed"
