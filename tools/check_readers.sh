#!/usr/bin/env bash
# Do the programs that people open trajectories with read what is in them? Runs every deck of inputs/ for
# a few steps, with all fields, and compares frame by frame with HDF5's numbers:
#
#   tools/check_readers.sh PROGRAM OUTPUT [PYTHON=build/readers/bin/python]
#
# ParaView is the distribution's pvpython; VTK, MDAnalysis, OVITO and ASE are those of PYTHON, which
# tools/install_readers.sh makes, else of /usr/bin/python3. Every second deck is split into several files.
# Prints a line for each deck and reader; exit status 1 if one differs, 77 if a reader is not here.
set -uo pipefail

program=$(readlink -f "${1:?the program pencilbox}") output=${2:?a folder}
root=$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")
python=${3:-$root/build/readers/bin/python}
[[ -x $python ]] || python=/usr/bin/python3
tools=$root/tools
export OMP_WAIT_POLICY=passive
mkdir -p "$output"
failed=0 read=0
declare -A missing=()

# look READER COMMAND...: 77 says that the reader is not here
look() {
  local reader=$1 said status
  shift
  said=$("$@" 2>&1)
  status=$?
  case $status in
    0) read=$((read + 1)) && tail -n 1 <<<"$said" ;;
    77) missing[$reader]=1 ;;
    *) failed=$((failed + 1)) && echo "FAILED: $reader: $name: $(tail -n 3 <<<"$said")" ;;
  esac
}

paraview() {
  command -v pvpython >/dev/null || return 77
  pvpython "$tools/check_trajectory_paraview.py" "$@"
}

mdanalysis() {
  "$python" -W ignore -c 'import MDAnalysis' 2>/dev/null || return 77
  local file
  for file in "$@"; do "$python" -W ignore "$tools/check_trajectory_mdanalysis.py" "$file" || return; done
}

split=0
for deck in "$root"/inputs/*.yaml; do
  name=$(basename "$deck" .yaml)
  out=$output/$name
  # An even number of frames in a file, and one file that is not full.
  steps=run.steps=6
  # Two stages where the deck has some; the box changes between frames where it has a barostat.
  bath='type: langevin, temperature: 1, friction: 1' box=
  grep -qE '^ *barostat:' "$deck" && box=', barostat: {pressure: 1, relaxation_time: 1, every: 2}'
  grep -q 'type: fire' "$deck" && bath='type: fire'
  grep -qE '^ *stages:' "$deck" &&
    steps="run.stages=[{name: a, steps: 3, integrator: {$bath}$box}, {name: b, steps: 3, integrator: {$bath}$box}]"
  "$program" run "$deck" --overwrite --quiet --set output.directory="$out" --set "$steps" \
    --set neighbor.backend=auto --set neighbor.options={} --set run.device=host \
    --set output.trajectory="{every: 1, split_every: $split, fields: [position, velocity, force, image,
      species, id, potential_energy, speed]}" || { failed=$((failed + 1)) && continue; }
  mapfile -t files < <(ls "$out"/trajectory*.h5md)
  look ParaView paraview "$out/trajectory.xmf2"
  look VTK "$python" "$tools/check_trajectory_vtk.py" "$out/trajectory.vtkhdf"
  look MDAnalysis mdanalysis "${files[@]}"
  look OVITO "$python" "$tools/check_trajectory_ovito.py" "$out/trajectory.h5md"
  types=$("$python" - "${files[0]}" <<'PY'
import sys, h5py
names = h5py.File(sys.argv[1])["particles/all/species"].attrs["names"]
print(",".join(["Ar", "Kr", "Ne", "Xe", "He"][:len(names)]))
PY
  )
  "$program" convert "$out" --to extxyz --elements "$types" --output "$out/$name.extxyz" --overwrite \
    >/dev/null || failed=$((failed + 1))
  look ASE "$python" "$tools/check_converted_ase.py" "$out/trajectory.h5md" "$out/$name.extxyz"
  split=$((split == 0 ? 4 : 0))
done
echo "$read comparisons equal, $failed failed"
((failed == 0)) || exit 1
((${#missing[@]} == 0)) && exit 0
echo "SKIPPED: no ${!missing[*]} here; $read comparisons with the other readers were equal"
exit 77
