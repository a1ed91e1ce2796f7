#!/usr/bin/env bash
# Kills runs that write as fast as they can, at random moments, by kill -9, and looks at what they left:
#
#   tools/kill_soak.sh PROGRAM [COUNT=20] [SEED=1] [SAMPLE=20] [BACKEND=par-part-no-loop] [RANKS=1]
#
# After each kill h5py must read every complete frame; each SAMPLE-th time ParaView (pvpython),
# MDAnalysis, OVITO and VTK have to read them too, where they are installed (READERS_PYTHON:
# build/readers/bin/python). Where the program has --resume, the
# run is resumed for some more frames and looked at again. Of several ranks one is killed, and all have to end within a minute;
# the run is resumed on one more or one less. Odd runs are split into files of 40 frames.
# Prints a line for each failure and a summary; exit status 1 if anything failed.
set -uo pipefail

program=$(readlink -f "${1:?the program pencilbox}") count=${2:-20} sample=${4:-20} backend=${5:-par-part-no-loop} ranks=${6:-1}
RANDOM=${3:-1}
tools=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
python=/usr/bin/python3 # the distribution's: it has h5py and MDAnalysis
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export OMP_NUM_THREADS=1

cells='[4, 4, 4]'
((ranks > 1)) && cells='[6, 6, 6]' # each has some
cat >"$work/deck.yaml" <<DECK
system:
  particles:
    lattice: {type: fcc, density: 0.8442, cells: $cells}
  velocities: {temperature: 1.44, seed: 1}
potential: {cutoff: 2.5}
run: {steps: 1000000000, device: host}
neighbor: {backend: $backend}
output:
  thermo: {every: 1}
  trajectory: {every: 1, fields: [position, velocity, force, image, id, potential_energy, speed]}
DECK
resumes=$("$program" run --help | grep -c -- --resume || true)
checkpoint=()
((resumes)) && checkpoint=(--set output.checkpoint.every=20)

longest=0 early=0 frames=0 incomplete=0 resumed=0 sampled=0 failed=0

fail() {
  echo "kill $trial: $*"
  failed=$((failed + 1))
}

# read_with WHAT COMMAND...: the checks say 77 where they cannot run
read_with() {
  local what=$1 said status
  shift
  said=$("$@" 2>&1)
  status=$?
  [[ $status == 0 || $status == 77 ]] || fail "$what: $(tail -n 1 <<<"$said")"
}

read_everywhere() {
  command -v pvpython >/dev/null &&
    read_with ParaView pvpython "$tools/check_trajectory_paraview.py" "$out/trajectory.xmf2" --killed
  $python -W ignore -c 'import MDAnalysis' 2>/dev/null && [[ -e $out/trajectory.h5md ]] &&
    read_with MDAnalysis $python "$tools/check_trajectory_mdanalysis.py" "$out/trajectory.h5md" --killed
  read_with OVITO "${READERS_PYTHON:-$python}" "$tools/check_trajectory_ovito.py" "$out/trajectory.h5md" --killed
  read_with VTK "${READERS_PYTHON:-$python}" "$tools/check_trajectory_vtk.py" "$out/trajectory.vtkhdf" --killed
}

# kill_one: the run itself, or one of its ranks, after which all have a minute
kill_one() {
  local victims=("$run") waited=0
  ((ranks > 1)) && mapfile -t victims < <(pgrep -f -- "^$program run $work/deck.yaml .*$out" | grep -vx "$run")
  ((${#victims[@]})) && kill -9 "${victims[RANDOM % ${#victims[@]}]}"
  while kill -0 "$run" && ((++waited < 600)); do sleep 0.1; done
  if kill -0 "$run"; then
    fail "the others were still there after a minute"
    kill -9 "$run"
  fi
  wait "$run"
  ((waited > longest)) && longest=$waited
}

look() {
  local said
  if ! said=$($python "$tools/check_trajectory_h5py.py" "$out/trajectory.h5md" 1 2>&1); then
    fail "$(tail -n 1 <<<"$said")"
    return
  fi
  last=${said%% *}
  [[ $said == *", 0 incomplete" ]] || incomplete=$((incomplete + 1))
}

resume() {
  local said
  # The last complete frame is never later than one step after the last that the file counts.
  ((ranks > 1)) && on_ranks=(--ranks $((ranks + (trial % 2 ? 1 : -1))))
  if ! said=$("$program" run "$work/deck.yaml" "${options[@]}" --quiet --resume "${on_ranks[@]}" \
    --set run.steps=$((last + 10)) 2>&1); then
    fail "resume: $said"
    return
  fi
  look
  ((last == before + 11)) || fail "resume: $last frames, not $((before + 11))"
  resumed=$((resumed + 1))
}

for ((trial = 1; trial <= count; ++trial)); do
  out=$work/out-$trial
  options=(--set output.directory="$out" "${checkpoint[@]}")
  ((trial % 2)) && options+=(--set output.trajectory.split_every=40)
  on_ranks=()
  ((ranks > 1)) && on_ranks=(--ranks "$ranks")
  "$program" run "$work/deck.yaml" "${options[@]}" --quiet "${on_ranks[@]}" 2>"$work/said" &
  run=$!
  sleep "$((ranks > 1)).$(printf '%03d' $((50 + RANDOM % 900)))"
  kill_one 2>/dev/null # the shell says who was killed
  if ! compgen -G "$out/trajectory*.h5md" >/dev/null; then
    early=$((early + 1))
    continue
  fi
  last=0
  look
  frames=$((frames + last)) before=$last
  if ((trial % sample == 0)) && ((last > 1)); then
    sampled=$((sampled + 1))
    read_everywhere
  fi
  if ((resumes)) && compgen -G "$out/checkpoint*.h5" >/dev/null; then resume; fi
  rm -rf "$out"
done
echo "$count kills: $early before there was a trajectory; $frames frames read, $incomplete times one more" \
  "was incomplete; $sampled read by other programs; $resumed resumed; at most $((longest / 10)).$((longest % 10)) s until all" \
  "had ended; $failed failures"
((failed == 0))
