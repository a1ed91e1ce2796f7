#!/usr/bin/env python3
"""Densities, cutoffs, a mixture and a droplet on a plain CPU: this program against the distribution's LAMMPS.

  scan_against_lammps.py PROGRAM [--threads 2] [--repeats 3] [--only NAME ...] [--atom-steps 6] [--csv FILE]

LAMMPS makes each start, writes it down and runs lj/cut/opt on it with as many MPI ranks as the program has
threads (skin 0.3, a list every 20 steps, unchecked: the settings of its published benchmark); the program
runs vector-list (skin found while running), vector-cells and par-part-loop on the same file, in mixed
precision, all in turn. Prints medians and ratios. Needs `lmp` and `mpirun` (Debian: lammps, openmpi-bin).
"""

import argparse
import json
import pathlib
import re
import shutil
import statistics
import tempfile

from cpu_against_lammps import processor, require_lammps, run, write_csv

INPUT = """units lj
atom_style atomic
lattice fcc {density}
region box block 0 {box} 0 {box} 0 {box}
create_box {types} box
{atoms}
mass * 1.0
velocity all create {temperature} 87287 loop geom
pair_style lj/cut {cutoff}
pair_coeff * * 1.0 1.0 {cutoff}
{pairs}
neighbor 0.3 bin
neigh_modify delay 0 every 20 check no
fix 1 all nve
write_data {folder}/start.data nocoeff
thermo {steps}
run {steps}
"""

DECK = """title: scan
system:
  particles: {{file: start.data}}
  types: {types}
  boundary: [periodic, periodic, periodic]
potential:
  type: lennard-jones
  cutoff: {cutoff}
  truncation: cut
  pairs: {pairs}
neighbor: {{backend: {backend}}}
integrator: {{type: velocity-verlet, timestep: 0.005}}
run: {{steps: {steps}, precision: mixed, device: host}}
output:
  directory: out
  thermo: {{every: {steps}}}
"""

DENSITIES, CUTOFFS = (0.05, 0.2, 0.4, 0.6, 0.8442, 1.0, 1.2), (1.12, 1.5, 2.0, 3.0, 4.0, 5.0)
BACKENDS = ("vector-list", "vector-cells", "par-part-loop")
LAMMPS = "lammps lj/cut/opt"
MIXED = {"types": 2, "atoms": "create_atoms 1 box\nset type 1 type/fraction 2 0.25 4711",
         "pairs": [(1, 2, 0.8, 0.94), (2, 2, 0.5, 0.88)]}
DROPLET = {"box": 40, "temperature": 0.7,
           "atoms": "region drop sphere 20 20 20 12\ncreate_atoms 1 region drop"}


def cases():
    for density in DENSITIES:
        yield f"density {density:g}", {"density": density}
    for cutoff in CUTOFFS:
        yield f"cutoff {cutoff:g}", {"cutoff": cutoff}
    yield "mixture", MIXED
    yield "droplet", DROPLET


def complete(case):
    plain = {"density": 0.8442, "cutoff": 2.5, "box": 20, "types": 1, "temperature": 1.44,
             "atoms": "create_atoms 1 box", "pairs": []}
    return {**plain, **case}


def lammps(case, steps, threads, folder):
    deck = folder / "in.lj"
    pairs = "\n".join("pair_coeff {} {} {} {} {}".format(*pair, case["cutoff"]) for pair in case["pairs"])
    deck.write_text(INPUT.format(**{**case, "pairs": pairs}, folder=folder, steps=steps))
    text = run(["mpirun", "--allow-run-as-root", "--oversubscribe", "-np", str(threads), "lmp", "-in", str(deck),
                "-sf", "opt", "-log", "none"], {"OMP_NUM_THREADS": "1"})
    seconds, atoms = re.search(r"Loop time of (\S+) on .* for \d+ steps with (\d+) atoms", text).groups()
    return int(atoms), int(atoms) * steps / float(seconds) / 1e6


def pencilbox(program, case, backend, steps, threads, folder):
    shutil.rmtree(folder / "out", ignore_errors=True)
    names = "AB"[:case["types"]]
    pairs = [(1, 1, 1.0, 1.0), *case["pairs"]]
    deck = folder / "scan.yaml"
    deck.write_text(DECK.format(
        types="[" + ", ".join(f"{{name: {name}, mass: 1.0}}" for name in names) + "]",
        pairs="[" + ", ".join(f"{{types: [{names[a - 1]}, {names[b - 1]}], epsilon: {epsilon}, sigma: {sigma}}}"
                              for a, b, epsilon, sigma in pairs) + "]",
        cutoff=case["cutoff"], backend=backend, steps=steps))
    run([program, "run", str(deck), "--quiet", "--set", f"output.directory={folder}/out"],
        {"OMP_NUM_THREADS": str(threads)})
    return json.loads((folder / "out" / "report.json").read_text())["figure_of_merit"]["matom_steps_per_s"]


def measure(case, arguments, folder):
    """(particles, {who: [Matom-steps/s]}). Steps by what a step costs, so that each takes seconds."""
    atoms, speed = lammps(case, 20, arguments.threads, folder)
    steps = max(60, int(arguments.atom_steps * 1e6 * min(4.0, max(0.2, speed / 4.8)) / atoms) // 20 * 20)
    times = {}
    for _ in range(arguments.repeats):
        times.setdefault(LAMMPS, []).append(lammps(case, steps, arguments.threads, folder)[1])
        for backend in BACKENDS:
            of_it = steps if backend.startswith("vector") else max(20, steps // 10)
            times.setdefault(backend, []).append(
                pencilbox(arguments.program, case, backend, of_it, arguments.threads, folder))
    return atoms, times


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=lambda path: str(pathlib.Path(path).resolve()))
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--only", nargs="+", help="names of cases, e.g. 'density 0.05' droplet")
    parser.add_argument("--atom-steps", type=float, default=6.0, help="of a run, in millions, at the melt's speed")
    parser.add_argument("--csv")
    arguments = parser.parse_args()
    require_lammps()
    rows = []
    print(f"{processor()}, {arguments.threads} threads, medians of {arguments.repeats} in turn, Matom-steps/s")
    print(f"{'':14}{'atoms':>7}{LAMMPS:>19}" + "".join(f"{name:>14}{'ratio':>7}" for name in BACKENDS))
    for name, case in cases():
        if arguments.only and name not in arguments.only:
            continue
        with tempfile.TemporaryDirectory() as folder:
            atoms, times = measure(complete(case), arguments, pathlib.Path(folder))
        median = {who: statistics.median(values) for who, values in times.items()}
        print(f"{name:14}{atoms:>7}{median[LAMMPS]:>19.2f}" +
              "".join(f"{median[who]:>14.2f}{median[who] / median[LAMMPS]:>7.2f}" for who in BACKENDS), flush=True)
        for who, values in times.items():
            rows.append({"processor": processor(), "threads": arguments.threads, "case": name, "atoms": atoms,
                         "who": who, "matom_steps_per_s": f"{median[who]:.3f}", "least": f"{min(values):.3f}",
                         "most": f"{max(values):.3f}", "ratio": f"{median[who] / median[LAMMPS]:.3f}"})
    if arguments.csv:
        write_csv(arguments.csv, rows)


if __name__ == "__main__":
    main()
