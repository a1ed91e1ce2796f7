#!/usr/bin/env bash
# What the documentation promises: a back end is one new file and one new line, and everything else
# follows; and so is an observable. Adds the skeletons of CONTRIBUTING.md to a copy of the tree, a back
# end that rebuilds every step, one that keeps a list, and an observable, builds the program there and
# uses them.
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
if grep -qwE 'my_backend|my_list' "$tree/$backends/CMakeLists.txt"; then fail "they are in the tree already"; fi

# A block of code that ends with BackendEntry NAME(), or ObservableEntry NAME(), is NAME.cpp.
awk -v folder="$tree/$backends" -v observables="$tree/observables" '
  /^```/ {
    if (inside && match(text, /BackendEntry [a-z_]+\(\)/)) {
      printf "%s", text > (folder "/" substr(text, RSTART + 13, RLENGTH - 15) ".cpp")
    }
    if (inside && match(text, /ObservableEntry [a-z_]+\(\)/)) {
      printf "%s", text > (observables "/" substr(text, RSTART + 16, RLENGTH - 18) ".cpp")
    }
    inside = /^```cpp/
    text = ""
    next
  }
  inside {text = text $0 "\n"}' "$root/CONTRIBUTING.md"
sed -i 's/^\( *\)par_part_no_loop\b/\1my_backend\n\1my_list\n&/' "$tree/$backends/CMakeLists.txt"
sed -i 's/^\( *\)radial_distribution\b/\1my_observable\n&/' "$tree/observables/CMakeLists.txt"

changed_files=$(diff -rq --exclude=build --exclude=.git "$root" "$tree" || true)
changed_lines=$(diff "$root/$backends/CMakeLists.txt" "$tree/$backends/CMakeLists.txt" | grep '^[<>]' || true)
for name in my_backend my_list; do
  [[ -s $tree/$backends/$name.cpp ]] || fail "CONTRIBUTING.md has no skeleton of $name"
done
[[ -s $tree/observables/my_observable.cpp ]] || fail "CONTRIBUTING.md has no skeleton of my_observable"
[[ $(wc -l <<<"$changed_files") == 5 && $changed_lines =~ ^">"\ *my_backend$'\n'">"\ *my_list$ ]] ||
  fail "more than a file and a line for each differ: $changed_files; $changed_lines"

# With ccache only the new files and the generated registry are compiled.
cd "$tree"
export CI=${CI:-true} # a skeleton that gives a warning is none
cmake --preset host -DPENCILBOX_TESTS=OFF >"$work/configure.log" 2>&1 ||
  { cat "$work/configure.log"; fail "configuring failed"; }
cmake --build build/host --target app/pencilbox -j "$(nproc)" >"$work/build.log" 2>&1 ||
  { tail -n 60 "$work/build.log"; fail "building failed"; }
program=$tree/build/host/app/pencilbox

for name in my-backend my-list; do
  output=$work/$name
  "$program" backends | grep -w -- "$name" || fail "'pencilbox backends' does not list $name"
  "$program" run inputs/melt-small.yaml --quiet --set neighbor.backend="$name" --set neighbor.skin=0.3 \
    --set run.steps=40 --set output.directory="$output" || fail "running with $name failed"
  grep -q "\"backend\": *\"$name\"" "$output/report.json" || fail "report.json does not name $name"
  [[ $(tail -n 1 "$output/thermo.csv") == [0-9]* ]] || fail "$name: thermo.csv holds no row"
done

# An observable is a key of the deck, a table, a picture and a line of the report.
"$program" run inputs/melt-small.yaml --quiet --set run.steps=40 --set output.directory="$work/observed" \
  --set 'observables=[{type: my-observable, every: 10}]' || fail "running with my-observable failed"
[[ $(sed -n 2p "$work/observed/observable-my-observable.csv") == 5,* ]] || fail "my-observable: no table of 5 samples"
grep -q mean_speed_squared "$work/observed/report.json" || fail "report.json does not name the number of my-observable"

# The list was rebuilt on the way, its rows were too short at first, and its energies are those of the other.
grep -q '"rebuilds": *[1-9]' "$work/my-list/report.json" || fail "my-list: no rebuild"
grep -q '"times_grown": *[1-9]' "$work/my-list/report.json" || fail "my-list: no row was ever too short"
last_energies() { tail -n 1 "$work/$1/thermo.csv" | cut -d , -f 5,6 | tr , ' '; }
awk -v a="$(last_energies my-backend)" -v b="$(last_energies my-list)" 'BEGIN {
  split(a, x, " "); split(b, y, " ")
  for (k = 1; k <= 2; ++k) { d = x[k] - y[k]; if (d * d > 1e-8 || x[k] == "") exit 1 }
}' || fail "my-list: energies '$(last_energies my-list)', my-backend: '$(last_energies my-backend)'"

cd /
rm -rf "$work"
echo "add_a_backend: one file and one line are enough"
