#!/usr/bin/env bash
# Checks and times everything on a machine with a GPU, in one call, and prints a short table last.
#
#   tools/gpu_check.sh BIN [OUT] [STAGE ...]     from the repository's root
#
# BIN holds the built programs (pencilbox, device_tests_cuda, backend_tests, physics_tests) or
# launchers of that name; OUT (default: build/gpu_check) takes the logs. Stages, all by default:
#   tests      the tests of the device layer, of every back end and of the physics, on the GPU
#   sanitize   compute-sanitizer memcheck, racecheck, initcheck, synccheck, zero reports each; of
#              PENCILBOX_BACKENDS="x-pencil auto" if only those are wanted, and the device layer
#   speed      the melt at several sizes with every back end and precision: Matom-steps/s
#   engine     the melt rebinned every step and with a list, 4,000 to 2,048,000 atoms, medians of five
#   compare    `pencilbox compare` of the melt at three sizes; about a minute and a half
#   benches    the four benchmarks, with tables and plots; about four minutes
#   auto       `backend: auto` against the best fixed back end, seven systems of 2,000 steps
#   output     what a trajectory of a million atoms costs a run
#   resume     every back end stopped and resumed: the same bytes; from the GPU to the host and back
set -uo pipefail

bin=${1:?usage: tools/gpu_check.sh BIN [OUT] [STAGE ...]}
out=${2:-build/gpu_check}
stages=("${@:3}")
[[ ${#stages[@]} -gt 0 ]] || stages=(tests sanitize speed engine compare benches auto output resume)
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

# sharded SHARDS COMMAND ...: a test program in so many processes side by side; most of their time is the host's
sharded() {
  local shards=$1 k pids=() bad=0
  shift
  for ((k = 0; k < shards; ++k)); do
    GTEST_TOTAL_SHARDS=$shards GTEST_SHARD_INDEX=$k "$@" &
    pids+=($!)
  done
  for k in "${pids[@]}"; do wait "$k" || bad=1; done
  return $bad
}

# The back ends that the device has.
backends_here() {
  local backend
  for backend in $("$bin/pencilbox" backends | awk '{print $1}'); do
    if "$bin/pencilbox" backends "$backend" | grep -qw "^devices:.* $device"; then echo "$backend"; fi
  done
}

run_tests() {
  timed "device layer" device_tests.log "$bin/device_tests_$device" --gtest_brief=1
  timed "every back end" backend_tests.log sharded 8 "$bin/backend_tests" --gtest_brief=1 --gtest_filter="*${device}_*"
  timed "physics" physics_tests.log sharded 8 "$bin/physics_tests" --gtest_brief=1 --gtest_filter="*${device}_*"
  grep -hoE 'PASSED  . [0-9]+ tests?' "$out"/{device,backend,physics}_tests.log | awk '{n += $3} END {print n " tests passed"}'
}

# One line a job: tool, name, binary, filter. Back ends side by side: a sanitizer keeps one core busy,
# and hardly the GPU.
sanitizer_jobs() {
  local tool backend
  for tool in memcheck racecheck initcheck synccheck; do
    for backend in ${PENCILBOX_BACKENDS:-$(backends_here)}; do
      local name=${device}_${backend//-/_}
      echo "$tool $name backend_tests *EveryNumberOfParticles*${name}_*:*OneOrTwoCells*${name}_single*:*OpenBoundaries*${name}_single*:*Mixtures*${name}_mixed*:*ThreeRuns*${name}_single*"
    done
    echo "$tool device_layer device_tests_$device -*ScanTest*:*SortTest*:*HasTheSameBits*"
  done
}

sanitizer_job() {
  local tool=$1 name=$2 binary=$3 filter=$4 log start=$SECONDS result=passed
  log=$out/sanitizer_${tool}_$name.log
  timeout 560 compute-sanitizer --tool "$tool" --error-exitcode 9 "$bin/$binary" --gtest_brief=1 \
    --gtest_filter="$filter" >"$log" 2>&1 || result=FAILED
  grep -q 'PASSED  . [1-9]' "$log" || result=FAILED # no test ran is no success
  echo "$tool: $name|$result|$((SECONDS - start))"
}

sanitize() {
  local name result seconds
  export -f sanitizer_job
  export bin out
  sanitizer_jobs >"$out/sanitizer_jobs.txt"
  while IFS='|' read -r name result seconds; do
    echo "$name $result $seconds s" # at once: a time limit must not lose what is known
    note "$name" "$result" "$seconds"
    if [[ $result == FAILED ]]; then
      grep -E 'FAILED|Failure|ERROR SUMMARY|=========' "$out/sanitizer_${name/: /_}.log" | head -n 12
    fi
  done < <(xargs -P "${PENCILBOX_JOBS:-12}" -L 1 bash -c 'sanitizer_job "$@"' _ <"$out/sanitizer_jobs.txt")
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
  local precision backend
  for precision in single mixed double; do
    melt 20 4000 par-part-no-loop $precision
    melt 40 1000 par-part-no-loop $precision
    melt 80 200 par-part-no-loop $precision
  done
  for backend in $(backends_here); do
    case $backend in
      reference | par-part-no-loop) continue ;;
      all-pairs) melt 20 100 "$backend" single ;;
      *)
        melt 20 1000 "$backend" single
        melt 40 300 "$backend" single
        melt 80 60 "$backend" single
        ;;
    esac
  done
  melt 10 4000 par-part-no-loop single
  melt 10 4000 par-part-no-loop single --set neighbor.options.threads_per_target=8
  melt 20 4000 par-part-no-loop single --set neighbor.options.threads_per_target=4
  for cells in 20 40 80; do
    melt $cells 500 par-part-no-loop single --set neighbor.options.runs=merged
    melt $cells 500 x-pencil single --set neighbor.options.length=best --set neighbor.options.runs=cells
    melt $cells 500 x-pencil single --set neighbor.options.length=best
    melt $cells 500 all-in-sm single --set neighbor.options.shared_memory=device
  done
  melt 10 100 reference double
}

# compared NAME SECONDS ARGUMENTS ...: a result in a folder of its own, which goes into docs/results
compared() {
  local name=$1 limit=$2
  shift 2
  timed "$name" "$name.log" timeout "$limit" "$bin/pencilbox" "$@" --overwrite --output "$out/results/$name"
}

melt_of() { echo "system.particles.lattice.cells=[$1, $1, $1]"; }

engine() {
  timed "steps of the melt by size" engine.log python3 tools/measure_engine.py "$bin/pencilbox" "$out/engine" \
    --device "$device" ${PENCILBOX_SMALL:+--small}
  cat "$out/engine.log"
}

compare() {
  local precision=run.precision=single on=run.device=$device
  compared melt-32000 60 compare inputs/melt.yaml --set $precision --set "$on"
  compared melt-256000 60 compare inputs/melt.yaml --set $precision --set "$on" --set "$(melt_of 40)" --repeats 3
  compared melt-2048000 90 compare inputs/melt.yaml --set $precision --set "$on" --set "$(melt_of 80)" \
    --backends par-part-no-loop,par-part-loop,x-pencil,hoetzlein --steps 50 --repeats 3
  short_table
}

benches() {
  compared n-body 30 bench n-body --device "$device"
  compared pair-histogram 120 bench pair-histogram --device "$device"
  compared few-particles 150 bench few-particles --device "$device" --calls 20
  compared few-particles-best 60 bench few-particles --device "$device" \
    --backends par-part-no-loop,x-pencil --options "x-pencil:length=best"
  compared few-particles-flop 60 bench few-particles --device "$device" --calls 50 --cells 2,4,8,16 \
    --backends par-part-no-loop,x-pencil --options "x-pencil:length=best" \
    --potential position-sum,lennard-jones,extended,rootless
  compared fenns 150 bench fenns --device "$device" --repeats 20
  short_table
}

auto() {
  timed "auto within 1.05 of the best" auto.log python3 tools/measure_auto.py "$bin/pencilbox" "$out/auto" \
    --device "$device" ${PENCILBOX_SMALL:+--small}
  cat "$out/auto.log"
}

output() {
  timed "a frame every 100 steps below 5 %" output.log python3 tools/measure_output.py "$bin/pencilbox" \
    "$out/output" --device "$device" ${PENCILBOX_SMALL:+--cells 8 --steps 200}
  cat "$out/output.log"
}

# part FOLDER STEPS [ARGUMENT ...]: a run of the small melt with bits that do not depend on timing
part() {
  local folder=$1 steps=$2
  shift 2
  "$bin/pencilbox" run inputs/melt-small.yaml --quiet --set "run.steps=$steps" --set "run.device=$device" \
    --set run.deterministic=true --set "output.directory=$folder" --set output.thermo.every=10 \
    --set output.trajectory.every=20 --set output.checkpoint.every=100 "$@"
}

same_as_without_a_stop() {
  local backend=$1 whole=$out/resume/whole parts=$out/resume/parts
  rm -rf "$whole" "$parts"
  part "$whole" 200 --set "neighbor.backend=$backend" || return
  part "$parts" 100 --set "neighbor.backend=$backend" || return
  part "$parts" 200 --set "neighbor.backend=$backend" --resume || return
  cmp "$whole/checkpoint.h5" "$parts/checkpoint.h5" && cmp "$whole/thermo.csv" "$parts/thermo.csv"
}

# The device changes twice on the way; the energy must not, by more than rounding lets it.
across_devices() {
  local whole=$out/resume/whole parts=$out/resume/parts
  rm -rf "$whole" "$parts"
  part "$whole" 300 || return
  part "$parts" 100 || return
  part "$parts" 200 --resume --set run.device=host || return
  part "$parts" 300 --resume || return
  python3 - "$whole/thermo.csv" "$parts/thermo.csv" <<'PYTHON'
import csv, sys
whole, parts = (list(csv.DictReader(open(path))) for path in sys.argv[1:])
assert [row["step"] for row in whole] == [row["step"] for row in parts], "other steps"
apart = max(abs(float(a["total_energy"]) - float(b["total_energy"])) for a, b in zip(whole, parts))
print(f"largest difference of the total energy: {apart:.3g} epsilon per particle")
sys.exit(apart > 1e-4)
PYTHON
}

resume() {
  local backend
  mkdir -p "$out/resume"
  for backend in $(backends_here); do
    timed "resume: $backend" "resume_$backend.log" same_as_without_a_stop "$backend"
  done
  timed "resume: $device, host, $device" resume_devices.log across_devices
  cat "$out/resume_devices.log"
}

# The fastest line of each comparison and benchmark, from what they left.
short_table() {
  python3 - "$out/results" >"$out/short.txt" <<'PYTHON'
import glob, json, os, sys
for path in sorted(glob.glob(sys.argv[1] + "/*/*.json")):
    tables = json.load(open(path))["tables"]
    name = os.path.basename(os.path.dirname(path))
    for table in tables.values():
        rows = [r for r in table["rows"] if r["refusal"] is None]
        if name == "fenns":  # the last row of the paper's Table 1
            rows = [r for r in rows if (r["scenario"], r["particles"], r["radius"]) == (1, 4194304, 1)]
        for key, unit in (("matom_steps_per_s", "Matom-steps/s"), ("interactions_per_s", "interactions/s"),
                          ("pairs_per_s", "pairs/s"), ("median_ms", "ms")):
            if rows and key in rows[0]:
                best = (min if unit == "ms" else max)(rows, key=lambda r: r[key])
                who = next(iter(best.values())) if "backend" not in best else best["backend"]
                print(f"{name:22} {who:44} {best[key]:12.4g} {unit}"
                      + (f", speed-up {best['speedup']:.2f}" if best.get("speedup") else ""))
                break
PYTHON
}

nvidia-smi --query-gpu=name,driver_version,clocks.max.sm --format=csv,noheader 2>/dev/null
"$bin/pencilbox" info
for stage in "${stages[@]}"; do
  case $stage in
    tests) run_tests ;;
    sanitize) sanitize ;;
    speed) speed && cat "$out/speed.txt" ;;
    engine) engine ;;
    compare) compare ;;
    benches) benches ;;
    auto) auto ;;
    output) output ;;
    resume) resume ;;
    *) sed -n 's/^#   \([a-z-]*\)  .*/\1/p' "$0" | sed "1i unknown stage $stage, there are:" >&2 && exit 2 ;;
  esac
done
if [[ -f $out/short.txt ]]; then cat "$out/short.txt"; fi
if [[ ${#table[@]} -gt 0 ]]; then printf '%s\n' "${table[@]}"; fi
exit $failed
