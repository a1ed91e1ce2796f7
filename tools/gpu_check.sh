#!/usr/bin/env bash
# Checks and times everything on a machine with a GPU, in one call, and prints a short table last.
#
#   tools/gpu_check.sh BIN [OUT] [STAGE ...]     from the repository's root
#
# BIN holds the built programs (pencilbox, device_tests_cuda, backend_tests, physics_tests) or
# launchers of that name; OUT (default: build/gpu_check) takes the logs. Stages, all by default:
#   tests      the tests of the device layer, of every back end and of the physics, on the GPU
#   sanitize   compute-sanitizer memcheck, racecheck, initcheck, synccheck, zero reports each
#   speed      the melt at several sizes with every back end and precision: Matom-steps/s
set -uo pipefail

bin=${1:?usage: tools/gpu_check.sh BIN [OUT] [STAGE ...]}
out=${2:-build/gpu_check}
stages=("${@:3}")
[[ ${#stages[@]} -gt 0 ]] || stages=(tests sanitize speed)
mkdir -p "$out"
export PENCILBOX_SOURCE_DIR=$PWD PENCILBOX_PROGRAM=$bin/pencilbox
device=${PENCILBOX_DEVICE:-cuda}
declare -a table=()
failed=0

# note NAME RESULT SECONDS: a row of the table
note() {
  table+=("$(printf '%-44s %-8s %6.1f s' "$1" "$2" "$3")")
  [[ $2 == passed ]] || failed=1
}

# timed NAME LOG COMMAND ...
timed() {
  local name=$1 log=$out/$2 start end result=passed
  shift 2
  start=$(date +%s.%N)
  "$@" >"$log" 2>&1 || result=FAILED
  end=$(date +%s.%N)
  note "$name" "$result" "$(echo "$end - $start" | bc -l 2>/dev/null || python3 -c "print($end - $start)")"
  if [[ $result == FAILED ]]; then grep -E 'FAILED|Failure|ERROR SUMMARY|=========|error' "$log" | head -n 20; fi
}

run_tests() {
  timed "device layer" device_tests.log "$bin/device_tests_$device" --gtest_brief=1
  timed "every back end" backend_tests.log "$bin/backend_tests" --gtest_brief=1 --gtest_filter="*${device}_*"
  timed "physics" physics_tests.log "$bin/physics_tests" --gtest_filter="*${device}_*"
}

sanitize() {
  local tool
  for tool in memcheck racecheck initcheck synccheck; do
    timed "$tool: device layer" "sanitizer_${tool}_device.log" \
      compute-sanitizer --tool "$tool" --error-exitcode 9 "$bin/device_tests_$device" \
      --gtest_brief=1 --gtest_filter="-*ScanTest*:*SortTest*:*HasTheSameBits*"
    timed "$tool: every back end" "sanitizer_${tool}_backends.log" \
      compute-sanitizer --tool "$tool" --error-exitcode 9 "$bin/backend_tests" --gtest_brief=1 \
      --gtest_filter="*EveryNumberOfParticles*${device}_*:*Mixtures*${device}_*:*OneOrTwoCells*${device}_*:*OpenBoundaries*${device}_*:*ThreeRuns*${device}_*"
  done
}

# melt CELLS STEPS BACKEND PRECISION [SET ...]
melt() {
  local cells=$1 steps=$2 backend=$3 precision=$4 folder k values=()
  shift 4
  for k in 1 2 3; do
    folder=$out/melt
    "$bin/pencilbox" run inputs/melt.yaml --quiet --overwrite --set "run.device=$device" \
      --set "system.particles.lattice.cells=[$cells, $cells, $cells]" --set "run.steps=$steps" \
      --set "neighbor.backend=$backend" --set "run.precision=$precision" \
      --set "output.directory=$folder" --set "output.thermo.every=$steps" \
      --set "output.trajectory.every=$((steps * 10))" "$@" >"$out/melt.log" 2>&1 ||
      { cat "$out/melt.log"; failed=1; return; }
    values+=("$(python3 - "$folder/report.json" <<'PYTHON'
import json, sys
r = json.load(open(sys.argv[1]))
g = r["regions"]
advance = sum(g[k] for k in ("integrate", "bin", "reorder", "prepare", "force"))
work = r["particles"] * r["steps"]
per_step = {k: 1e6 * g[k] / r["steps"] for k in ("integrate", "bin", "reorder", "prepare", "force")}
print(f"{1e-6 * work / advance:.1f} " + " ".join(f"{v:.1f}" for v in per_step.values()))
PYTHON
)")
  done
  printf '%-18s %-7s %9d %s\n' "$backend" "$precision" $((4 * cells * cells * cells)) "$*" >>"$out/speed.txt"
  printf '%s\n' "${values[@]}" | sort -n |
    awk '{v[NR]=$0; f[NR]=$1} END {print "    Matom-steps/s (loop only) median " f[2] ", least " f[1] ", most " f[3] "; us a step of the median run: integrate bin reorder prepare force = " v[2]}' >>"$out/speed.txt"
}

speed() {
  : >"$out/speed.txt"
  local precision
  for precision in single mixed double; do
    melt 10 4000 par-part-no-loop $precision
    melt 20 4000 par-part-no-loop $precision
    melt 40 1000 par-part-no-loop $precision
    melt 80 200 par-part-no-loop $precision
  done
  for precision in single mixed double; do
    melt 20 2000 x-pencil $precision
    melt 80 100 x-pencil $precision
  done
  melt 20 2000 x-pencil single --set neighbor.options.threads=targets
  melt 80 100 x-pencil single --set neighbor.options.threads=targets
  melt 80 100 x-pencil single --set neighbor.options.threads=targets --set neighbor.options.shared_memory=device
  melt 80 100 par-part-no-loop single --set run.deterministic=true
  melt 80 100 par-part-no-loop mixed --set run.deterministic=true
  melt 10 100 reference double
}

nvidia-smi --query-gpu=name,driver_version,clocks.max.sm --format=csv,noheader 2>/dev/null
"$bin/pencilbox" info
for stage in "${stages[@]}"; do
  case $stage in
    tests) run_tests ;;
    sanitize) sanitize ;;
    speed) speed && cat "$out/speed.txt" ;;
    *) echo "unknown stage $stage: tests, sanitize, speed" >&2 && exit 2 ;;
  esac
done
if [[ ${#table[@]} -gt 0 ]]; then printf '%s\n' "${table[@]}"; fi
exit $failed
