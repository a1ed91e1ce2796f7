#!/usr/bin/env python3
"""The melt on a plain CPU: this program against the distribution's LAMMPS, in turn on one machine.

  cpu_against_lammps.py PROGRAM [--threads 2] [--repeats 5] [--cells 20 40] [--csv FILE]

LAMMPS runs lj/cut/opt with as many MPI ranks as the program has threads, with the settings of its own
published benchmark (skin 0.3, a list every 20 steps, unchecked); the program, with the same skin, makes a new list
before one misses a pair. Prints medians, the spread, and ratios. Needs `lmp` and `mpirun` (Debian: lammps,
openmpi-bin).
"""

import argparse
import csv
import json
import os
import pathlib
import platform
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

LAMMPS_INPUT = """units lj
atom_style atomic
lattice fcc 0.8442
region box block 0 {cells} 0 {cells} 0 {cells}
create_box 1 box
create_atoms 1 box
mass 1 1.0
velocity all create 1.44 87287 loop geom
pair_style lj/cut 2.5
pair_coeff 1 1 1.0 1.0 2.5
neighbor 0.3 bin
neigh_modify delay 0 every 20 check no
fix 1 all nve
thermo {steps}
run {steps}
"""

DECK = """title: LJ melt
system:
  particles:
    lattice: {{type: fcc, density: 0.8442, cells: [{cells}, {cells}, {cells}]}}
  velocities: {{temperature: 1.44, seed: 87287}}
  types: [{{name: A, mass: 1.0}}]
  boundary: [periodic, periodic, periodic]
potential:
  type: lennard-jones
  cutoff: 2.5
  truncation: cut
  pairs: [{{types: [A, A], epsilon: 1.0, sigma: 1.0}}]
neighbor: {{backend: {backend}{skin}}}
integrator: {{type: velocity-verlet, timestep: 0.005}}
run: {{steps: {steps}, precision: {precision}, device: host}}
output:
  directory: {directory}
  thermo: {{every: {steps}}}
"""

VARIANTS = [("vector-list", "mixed"), ("vector-list", "single"), ("vector-list", "double"),
            ("vector-cells", "mixed"), ("vector-cells", "double"), ("auto", "mixed")]


def run(command, environment):
    result = subprocess.run(command, capture_output=True, text=True, check=False,
                            env={**os.environ, **environment})
    if result.returncode != 0:
        sys.exit(f"{' '.join(command)}: exit code {result.returncode}\n{result.stdout}{result.stderr}")
    return result.stdout


def lammps(cells, steps, threads, folder):
    deck = folder / "in.lj"
    deck.write_text(LAMMPS_INPUT.format(cells=cells, steps=steps))
    command = ["mpirun", "--allow-run-as-root", "--oversubscribe", "-np", str(threads), "lmp", "-in",
               str(deck), "-sf", "opt", "-log", "none"]
    text = run(command, {"OMP_NUM_THREADS": "1"})
    seconds, atoms = re.search(r"Loop time of (\S+) on .* for \d+ steps with (\d+) atoms", text).groups()
    return int(atoms) * steps / float(seconds) / 1e6


def pencilbox(program, cells, steps, threads, folder, backend, precision, skin):
    directory = folder / "out"
    shutil.rmtree(directory, ignore_errors=True)
    deck = folder / "melt.yaml"
    deck.write_text(DECK.format(cells=cells, steps=steps, backend=backend, precision=precision,
                                directory=directory, skin=f", skin: {skin}" if skin else ""))
    run([program, "run", str(deck), "--quiet"], {"OMP_NUM_THREADS": str(threads)})
    report = json.loads((directory / "report.json").read_text())
    return report["figure_of_merit"]["matom_steps_per_s"]


def processor():
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(": ", 1)[1]
    return platform.machine()


def require_lammps():
    for needed in ("lmp", "mpirun"):
        if shutil.which(needed) is None:
            sys.exit(f"{pathlib.Path(sys.argv[0]).stem}: there is no {needed} (Debian: lammps, openmpi-bin)")


def write_csv(path, rows):
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, fieldnames=rows[0].keys())
        writer.writeheader()
        writer.writerows(rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--cells", type=int, nargs="+", default=[20, 40],
                        help="of the crystal in each direction, four atoms each")
    parser.add_argument("--steps", type=int, default=0, help="0: about 13 million atom-steps")
    parser.add_argument("--csv")
    arguments = parser.parse_args()
    require_lammps()
    rows = []
    print(f"{processor()}, {arguments.threads} threads, medians of {arguments.repeats} in turn")
    for cells in arguments.cells:
        atoms = 4 * cells**3
        steps = arguments.steps or max(100, 13_000_000 // atoms)
        times = {}
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            for _ in range(arguments.repeats):
                times.setdefault(("lammps lj/cut/opt", "double"), []).append(
                    lammps(cells, steps, arguments.threads, folder))
                for backend, precision in VARIANTS:
                    skin = 0.3 if backend == "vector-list" else None
                    times.setdefault((backend, precision), []).append(
                        pencilbox(arguments.program, cells, steps, arguments.threads, folder, backend,
                                  precision, skin))
        peer = statistics.median(times[("lammps lj/cut/opt", "double")])
        print(f"\n{atoms} atoms, {steps} steps: Matom-steps/s, least to most, ratio")
        for (who, precision), values in times.items():
            median = statistics.median(values)
            print(f"  {who:18} {precision:7} {median:7.2f}  {min(values):6.2f} to {max(values):6.2f}"
                  f"  {median / peer:5.2f}")
            rows.append({"processor": processor(), "threads": arguments.threads, "atoms": atoms,
                         "steps": steps, "who": who, "precision": precision,
                         "matom_steps_per_s": f"{median:.3f}", "least": f"{min(values):.3f}",
                         "most": f"{max(values):.3f}", "ratio": f"{median / peer:.3f}"})
    if arguments.csv:
        write_csv(arguments.csv, rows)


if __name__ == "__main__":
    main()
