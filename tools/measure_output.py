#!/usr/bin/env python3
"""What a trajectory costs a run: the same run with and without frames, in turn.

    tools/measure_output.py PROGRAM OUT [--device cuda] [--cells 63] [--steps 2000] [--every 100]
                                        [--repeats 3]

The melt of 4 CELLS^3 atoms, single precision, rows of thermo.csv at every frame's step in both. Times are
those of the loop (report.json) and of the whole process, which ends when the last frame is in the file.
Prints a line for each kind of run and the cost; exit status 1 if frames cost the loop 5 % or more.
"""
import argparse
import json
import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path

BAR = 0.05


MELT = """system:
  particles:
    lattice: {{type: fcc, density: 0.8442, cells: [{cells}, {cells}, {cells}]}}
  velocities: {{temperature: 1.44, seed: 87287}}
potential: {{cutoff: 2.5}}
neighbor: {{backend: par-part-no-loop, options: {{runs: merged}}}}
run: {{steps: {steps}, precision: single, device: {device}}}
output:
  directory: run
  thermo: {{every: {every}}}
"""


def run(options, frames):
    """Seconds of the loop, of the process, and the bytes of the trajectory."""
    folder = options.out / "run"
    shutil.rmtree(folder, ignore_errors=True)
    deck = MELT.format(**vars(options)) + (f"  trajectory: {{every: {options.every}}}\n" if frames else "")
    (options.out / "deck.yaml").write_text(deck)
    start = time.monotonic()
    done = subprocess.run([options.program.resolve(), "run", "deck.yaml", "--quiet"], cwd=options.out,
                          capture_output=True, text=True)
    whole = time.monotonic() - start
    if done.returncode != 0:
        sys.exit(done.stderr)
    report = json.loads((folder / "report.json").read_text())
    size = sum(path.stat().st_size for path in folder.glob("trajectory*.h5md"))
    shutil.rmtree(folder)
    return report["seconds"], whole, size


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--cells", type=int, default=63)
    parser.add_argument("--steps", type=int, default=2000)
    parser.add_argument("--every", type=int, default=100)
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    runs = {False: [], True: []}
    for _ in range(options.repeats):
        for frames in runs:
            runs[frames].append(run(options, frames))
    loops = {}
    for frames, results in runs.items():
        loop, whole, size = (sorted(column) for column in zip(*results))
        loops[frames] = statistics.median(loop)
        print(f"{'with frames' if frames else 'without':12} loop {loops[frames]:.4f} s "
              f"[{loop[0]:.4f}, {loop[-1]:.4f}], process {statistics.median(whole):.3f} s, "
              f"{size[0] / 2 ** 20:.0f} MiB")
    cost = loops[True] / loops[False] - 1
    print(f"{4 * options.cells ** 3} atoms, a frame every {options.every} of {options.steps} steps: "
          f"{100 * cost:.1f} % of the loop, allowed {100 * BAR:.0f} %")
    sys.exit(cost >= BAR)


if __name__ == "__main__":
    main()
