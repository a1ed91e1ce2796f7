#!/usr/bin/env python3
"""Steps per second of the melt by size, rebinned in every step and with a list:

    tools/measure_engine.py PROGRAM OUT [--device cuda] [--repeats 5] [--precisions single,mixed] [--small]
                            [--executor auto] [--sizes 10,20,28,40,80,160] [--backends cluster-list,...]
                            [--skins 0.5,0.6,...] [--set KEY=VALUE ...] [--from-the-start]

The melt (density 0.8442, cutoff 2.5, timestep 0.005, from a crystal at temperature 1.44, which melts within
some hundred steps) at 4,000 to 2,048,000 atoms, or others: --sizes are cells a side. Time is that of a run
(report.json: seconds, less those of observing and writing), rebuilds included, less that of another one which
ends when the crystal has melted, unless it is to count --from-the-start. Median of the repeats, which run in
turn. Prints a table and writes OUT/engine.csv. --small: few steps, to try the tool itself on a host.
"""
import argparse
import csv
import json
import statistics
import subprocess
import sys
from pathlib import Path

PARTS = ("integrate", "bin", "reorder", "prepare", "force")
# cells, steps until it has melted, all steps, and for each kind what is fastest there
SIZES = [(10, 5000, 60000), (20, 2000, 20000), (28, 1000, 9000), (40, 1000, 9000), (80, 400, 1400), (160, 400, 1000)]
NO_LOOP = {10: {"threads_per_target": "32"}, 20: {"threads_per_target": "4"}, 28: {"runs": "merged"},
           40: {"runs": "merged"}, 80: {"runs": "merged"}, 160: {"runs": "merged"}}
BLOCKS = {10: ("256",), 20: ("128",), 28: ("64",), 40: ("64",), 80: ("64",), 160: ("64",)}
CLUSTER_SKINS = {10: (0.5,), 20: (0.4,), 28: (0.3,), 40: (0.3,), 80: (0.25,), 160: (0.25,)}
SKINS = {10: (0.4,), 20: (0.4,), 28: (0.4,), 40: (0.3,), 80: (0.3,), 160: (0.3,)}


def kinds(cells, skins):
    yield "par-part-no-loop", NO_LOOP[cells], None
    yield "trimmed-rows", {}, None
    for threads in BLOCKS[cells]:
        yield "neighborhood-in-sm", {"block": threads}, None
    for skin in skins or SKINS[cells]:
        yield "verlet-list", {}, skin
    yield "verlet-list", {}, "auto"
    for skin in skins or CLUSTER_SKINS[cells]:
        yield "cluster-list", {}, skin


def run(options, cells, steps, precision, backend, choices, skin):
    keys = {"run.steps": steps, "run.device": options.device, "run.precision": precision,
            "run.executor": options.executor, "neighbor.backend": backend, "output.thermo.every": steps,
            "output.directory": options.out / "run", "system.velocities.temperature": 1.44,
            "system.velocities.seed": 1,
            "system.particles.lattice": f"{{type: fcc, density: 0.8442, cells: [{cells}, {cells}, {cells}]}}",
            **{f"neighbor.options.{key}": value for key, value in choices.items()}}
    if skin is not None:
        keys["neighbor.skin"] = skin
    settings = [word for key, value in keys.items() for word in ("--set", f"{key}={value}")]
    settings += [word for value in options.set for word in ("--set", value)]
    done = subprocess.run([options.program, "run", options.deck, "--quiet", "--overwrite", *settings],
                          capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{backend} {choices} {skin}: {done.stderr}")
    report = json.loads((options.out / "run/report.json").read_text())
    report["regions"]["step"] = report["seconds"] - report["regions"]["observe"] - report["regions"]["write"]
    return report


def melted(options, cells, first, steps, *case):
    """Of the steps after the first."""
    report = run(options, cells, steps, *case)
    if first:
        before = run(options, cells, first, *case)["regions"]
        report["regions"] = {key: seconds - before[key] for key, seconds in report["regions"].items()}
    return report


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("out", type=Path)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--precisions", default="single")
    parser.add_argument("--from-the-start", action="store_true")
    parser.add_argument("--executor", default="auto")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--sizes", default="10,20,40,80")
    parser.add_argument("--backends", default="", help="those alone")
    parser.add_argument("--skins", type=lambda text: [float(skin) for skin in text.split(",")], help="of lists")
    parser.add_argument("--set", action="append", default=[])
    parser.add_argument("--small", action="store_true")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    options.deck = options.out / "deck.yaml"
    options.deck.write_text("system: {types: [{name: A, mass: 1.0}]}\npotential: {cutoff: 2.5}\n")
    rows = []
    for cells, first, steps in SIZES:
        if str(cells) not in options.sizes.split(","):
            continue
        if options.small:
            first, steps = 20, 60
            if cells > 10:
                continue
        if options.from_the_start:
            first = 0
        cases = [(precision, *kind) for precision in options.precisions.split(",")
                 for kind in kinds(cells, options.skins)
                 if not options.backends or kind[0] in options.backends.split(",")]
        reports = {k: [] for k in range(len(cases))}
        for _ in range(options.repeats):
            for k, case in enumerate(cases):
                reports[k].append(melted(options, cells, first, steps, *case))
        for k, (precision, backend, choices, skin) in enumerate(cases):
            atoms = reports[k][0]["particles"]
            counted = steps - first
            rate = [counted / r["regions"]["step"] for r in reports[k]]
            middle = reports[k][sorted(range(len(rate)), key=lambda i: rate[i])[len(rate) // 2]]
            lists = middle["backend_stats"].get("list") or {}
            words = " ".join(choices.values())
            row = {"atoms": atoms, "backend": backend, "options": words or "-", "precision": precision,
                   "rebuild": "every step" if skin is None else f"skin {skin}",
                   "steps_per_s": round(statistics.median(rate), 1),
                   "matom_steps_per_s": round(1e-6 * atoms * statistics.median(rate), 1),
                   "spread": f"{min(rate):.1f} to {max(rate):.1f}",
                   "interval": round(lists.get("mean_interval") or 0, 1), "skin": lists.get("skin", ""),
                   **{f"{part}_us": round(1e6 * middle["regions"][part] / counted, 2) for part in PARTS}}
            rows.append(row)
            print(" ".join(f"{value!s:>12}" for value in row.values()), flush=True)
    if not rows:
        sys.exit(f"nothing measured: sizes are {', '.join(str(cells) for cells, _ in SIZES)}, "
                 f"back ends {', '.join(dict.fromkeys(case[0] for case in kinds(10, None)))}")
    with open(options.out / "engine.csv", "w", newline="") as file:
        writer = csv.DictWriter(file, fieldnames=list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    main()
