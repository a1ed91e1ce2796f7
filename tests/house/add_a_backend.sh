#!/usr/bin/env bash
# What the documentation promises: a back end is one new file and one new line, and everything else
# follows. Adds one to a copy of the tree, builds the program there and uses it.
#
#   add_a_backend.sh ROOT WORK    WORK is emptied first, and removed where all went well
set -euo pipefail
root=$(readlink -f "$1") work=$(readlink -m "$2")
tree=$work/tree backends=neighbor/backends

fail() {
  echo "add_a_backend: $*"
  exit 1
}

rm -rf "$work"
mkdir -p "$tree"
tar -C "$root" --exclude=./build --exclude=./.git -cf - . | tar -C "$tree" -xf -
if grep -qw dummy "$tree/$backends/CMakeLists.txt"; then fail "there is a back end 'dummy' already"; fi

sed 's/par_part_no_loop/dummy/g; s/par-part-no-loop/dummy/g' \
  "$tree/$backends/par_part_no_loop.cpp" >"$tree/$backends/dummy.cpp"
sed -i 's/^\( *\)par_part_no_loop\b/\1dummy\n&/' "$tree/$backends/CMakeLists.txt"

changed_files=$(diff -rq --exclude=build --exclude=.git "$root" "$tree" || true)
changed_lines=$(diff "$root/$backends/CMakeLists.txt" "$tree/$backends/CMakeLists.txt" | grep '^[<>]' || true)
[[ $(wc -l <<<"$changed_files") == 2 && $changed_lines =~ ^">"\ *dummy$ ]] ||
  fail "more than one file and one line differ: $changed_files; $changed_lines"

# With ccache only the new file and the generated registry are compiled.
cd "$tree"
cmake --preset host -DPENCILBOX_TESTS=OFF >"$work/configure.log" 2>&1 ||
  { cat "$work/configure.log"; fail "configuring failed"; }
cmake --build build/host --target app/pencilbox -j "$(nproc)" >"$work/build.log" 2>&1 ||
  { tail -n 60 "$work/build.log"; fail "building failed"; }
program=$tree/build/host/app/pencilbox

"$program" backends | grep -w dummy || fail "'pencilbox backends' does not list it"
"$program" run inputs/melt-small.yaml --quiet --set neighbor.backend=dummy --set run.steps=10 \
  --set output.directory="$work/output" || fail "running with it failed"
grep -q '"backend": *"dummy"' "$work/output/report.json" || fail "report.json does not name it"
[[ $(tail -n 1 "$work/output/thermo.csv") == [0-9]* ]] || fail "thermo.csv holds no row"

cd /
rm -rf "$work"
echo "add_a_backend: one file and one line are enough"
