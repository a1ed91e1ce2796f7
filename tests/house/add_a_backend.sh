#!/usr/bin/env bash
# What the documentation promises: a back end is one new file and one new line, and everything else
# follows. Adds the skeleton of CONTRIBUTING.md to a copy of the tree, builds the program there and
# uses it.
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
if grep -qw my_backend "$tree/$backends/CMakeLists.txt"; then fail "there is a back end 'my_backend' already"; fi

awk '/^```/ {inside = /^```cpp/; next} inside' "$root/CONTRIBUTING.md" >"$tree/$backends/my_backend.cpp"
sed -i 's/^\( *\)par_part_no_loop\b/\1my_backend\n&/' "$tree/$backends/CMakeLists.txt"

changed_files=$(diff -rq --exclude=build --exclude=.git "$root" "$tree" || true)
changed_lines=$(diff "$root/$backends/CMakeLists.txt" "$tree/$backends/CMakeLists.txt" | grep '^[<>]' || true)
[[ $(wc -l <<<"$changed_files") == 2 && $changed_lines =~ ^">"\ *my_backend$ ]] ||
  fail "more than one file and one line differ: $changed_files; $changed_lines"

# With ccache only the new file and the generated registry are compiled.
cd "$tree"
cmake --preset host -DPENCILBOX_TESTS=OFF >"$work/configure.log" 2>&1 ||
  { cat "$work/configure.log"; fail "configuring failed"; }
cmake --build build/host --target app/pencilbox -j "$(nproc)" >"$work/build.log" 2>&1 ||
  { tail -n 60 "$work/build.log"; fail "building failed"; }
program=$tree/build/host/app/pencilbox

"$program" backends | grep -w my-backend || fail "'pencilbox backends' does not list it"
"$program" run inputs/melt-small.yaml --quiet --set neighbor.backend=my-backend --set run.steps=10 \
  --set output.directory="$work/output" || fail "running with it failed"
grep -q '"backend": *"my-backend"' "$work/output/report.json" || fail "report.json does not name it"
[[ $(tail -n 1 "$work/output/thermo.csv") == [0-9]* ]] || fail "thermo.csv holds no row"

cd /
rm -rf "$work"
echo "add_a_backend: one file and one line are enough"
