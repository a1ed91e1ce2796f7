#!/usr/bin/env python3
"""How far `backend: auto` is from the best fixed back end, in whole runs of the same number of steps:

    tools/measure_auto.py PROGRAM OUT [--device cuda] [--steps 2000] [--repeats 5] [--small] [--only WORDS]

Seven systems: the melt at 4,000 to 2,048,000 atoms, a dilute gas, a droplet in vapour with most cells
empty, a dense crystal. Small systems do up to fifty times as many steps, so that a run takes about a second:
trials are a matter of some hundred steps. Each fixed candidate runs once for a tenth of the steps; the best two, and what
`auto` chose, run as often and as long as `auto`, in turn with it: what slows a host down for a while
then meets all; the shorter the run, the oftener. Times are those of the loop (report.json, `seconds`),
trials included. Prints a table and writes it to OUT/auto.csv; exit status 1 if the median of `auto`
is more than 1.05 times that of the best anywhere. --small: tiny systems and few steps, to try the tool itself on a host.
"""
import argparse
import csv
import json
import math
import statistics
import subprocess
import sys
from pathlib import Path

BAR = 1.05

# What may win somewhere. Those that are never near it (every pair, one block for a cell) are left out.
CANDIDATES = [
    ("par-part-no-loop", {"runs": "merged"}),
    ("par-part-no-loop", {"threads_per_target": "8"}),
    ("par-part-no-loop", {"threads_per_target": "32"}),
    ("x-pencil", {"length": "best"}),
    ("neighborhood-in-sm", {"block": "64"}),
    ("neighborhood-in-sm", {"block": "256"}),
    ("verlet-list", {"skin": 0.3}),
    ("verlet-list", {"skin": 0.4}),
    ("verlet-list", {"skin": 0.6}),
    ("verlet-list", {"skin": 0.8}),
    ("cluster-list", {"skin": 0.4}),
    ("cluster-list", {"skin": 0.6}),
]


def lattice(density, cells, temperature=1.44):
    return {"system.particles.lattice": f"{{type: fcc, density: {density}, cells: [{cells}, {cells}, {cells}]}}",
            "system.velocities.temperature": temperature}


def droplet_start(path, radius, edge):
    """A ball of liquid in vapour at a thousandth of its density, as extended XYZ."""
    rows = []
    spacing = (4 / 0.8) ** (1 / 3)
    corners = ((0, 0, 0), (0, 0.5, 0.5), (0.5, 0, 0.5), (0.5, 0.5, 0))
    reach = range(-math.ceil(radius / spacing), math.ceil(radius / spacing) + 1)
    for i in reach:
        for j in reach:
            for k in reach:
                for corner in corners:
                    place = [spacing * (a + b) for a, b in zip((i, j, k), corner)]
                    if math.hypot(*place) < radius:
                        rows.append([0.5 * edge + x for x in place])
    along = int(edge / 10)
    for i in range(along ** 3):
        place = [10 * (i // along ** d % along) + 5 for d in range(3)]
        if math.dist(place, [0.5 * edge] * 3) > radius + 2:
            rows.append(place)
    lines = [str(len(rows)), f'Lattice="{edge} 0 0 0 {edge} 0 0 0 {edge}" Properties=species:S:1:pos:R:3']
    path.write_text("\n".join(lines + ["A {:.6f} {:.6f} {:.6f}".format(*row) for row in rows]) + "\n")


def systems(out, small):
    droplet = out / "droplet.xyz"
    droplet_start(droplet, 4 if small else 24, 30 if small else 240)
    melts = (4, 5) if small else (10, 20, 40, 80)
    found = {f"melt {4 * n ** 3}": lattice(0.8442, n) for n in melts}
    found["dilute gas, 0.05"] = lattice(0.05, 4 if small else 20)
    found["droplet in vapour"] = {"system.particles.file": droplet, "system.velocities.temperature": 0.7}
    found["dense, 1.2"] = lattice(1.2, 4 if small else 20)
    return found


class Runs:
    def __init__(self, options):
        self.options = options
        self.deck = options.out / "deck.yaml"
        self.deck.write_text("system: {types: [{name: A, mass: 1.0}]}\n")

    def report(self, system, backend, choices, steps):
        """The report of one run; None if the back end cannot run this."""
        keys = {"run.steps": steps, "run.device": self.options.device, "run.precision": "single",
                "potential.cutoff": 2.5, "neighbor.backend": backend, "system.velocities.seed": 1,
                "output.directory": self.options.out / "run", "output.thermo.every": steps,
                **{"neighbor.skin" if key == "skin" else f"neighbor.options.{key}": value
                   for key, value in choices.items()}, **system}
        settings = [word for key, value in keys.items() for word in ("--set", f"{key}={value}")]
        done = subprocess.run([self.options.program, "run", self.deck, "--quiet", "--overwrite", *settings],
                              capture_output=True, text=True)
        if done.returncode == 2 and "cannot run this" in done.stderr:
            return None
        if done.returncode != 0:
            sys.exit(f"{backend} {choices}: {done.stderr}")
        return json.loads((self.options.out / "run/report.json").read_text())


def in_words(backend, choices):
    return " ".join([backend] + [f"{key}={value}" for key, value in choices.items()])


def best_of_few_steps(runs, system, steps):
    """The two fixed candidates that were best for a tenth of the steps."""
    few = max(1, steps // 10)
    tried = []
    for backend, choices in CANDIDATES:
        report = runs.report(system, backend, choices, few)
        if report is not None:
            tried.append((report["seconds"], backend, choices))
    tried.sort(key=lambda row: row[0])
    return [(backend, choices) for _, backend, choices in tried[:2]]


def repeats_of(seconds, least):
    """Steps of 35 us are at the mercy of the host: one run in five takes a sixth longer."""
    return least * max(1, min(4, round(0.3 / seconds)))


def measure(runs, name, system):
    particles = runs.report(system, "par-part-no-loop", {}, 1)["particles"]
    steps = runs.options.steps * max(1, min(50, 2_048_000 // particles))
    if runs.options.small:
        steps = runs.options.steps
    first = runs.report(system, "auto", {}, steps)
    choice = first["backend_stats"]["choice"]
    if choice is None:
        sys.exit(f"{name}: auto had not chosen after {steps} steps")
    if first["backend_stats"].get("list"):
        choice["options"]["skin"] = first["backend_stats"]["list"]["skin"]
    finalists = [(choice["backend"], choice["options"])] + best_of_few_steps(runs, system, steps)
    auto, fixed = [], {in_words(*each): [] for each in finalists}
    for _ in range(repeats_of(first["seconds"], runs.options.repeats)):
        auto.append(runs.report(system, "auto", {}, steps)["seconds"])
        for each in finalists:
            fixed[in_words(*each)].append(runs.report(system, *each, steps)["seconds"])
    who = min(fixed, key=lambda each: statistics.median(fixed[each]))
    best = fixed[who]
    return {"system": name, "particles": first["particles"], "auto_s": statistics.median(auto),
            "auto_least_s": min(auto), "auto_most_s": max(auto),
            "chose": in_words(choice["backend"], choice["options"]), "best_fixed": who,
            "best_s": statistics.median(best), "best_least_s": min(best), "best_most_s": max(best),
            "ratio": statistics.median(auto) / statistics.median(best)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("out", type=Path)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--steps", type=int, default=2000)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--only", default="", help="those systems whose names hold one of these words, with commas between")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    runs = Runs(options)
    rows = []
    for name, system in systems(options.out, options.small).items():
        if not any(word in name for word in options.only.split(",")):
            continue
        rows.append(measure(runs, name, system))
        print("{system:18} {particles:8d}  auto {auto_s:8.4f} s [{auto_least_s:.4f}, {auto_most_s:.4f}]  "
              "best {best_s:8.4f} s [{best_least_s:.4f}, {best_most_s:.4f}]  ratio {ratio:.3f}  "
              "chose {chose}; best {best_fixed}".format(**rows[-1]), flush=True)
        with open(options.out / "auto.csv", "w", newline="") as file:
            table = csv.DictWriter(file, rows[0].keys())
            table.writeheader()
            table.writerows(rows)
    worst = max(rows, key=lambda row: row["ratio"])
    print(f"worst: {worst['ratio']:.3f} ({worst['system']}), allowed {BAR}")
    sys.exit(worst["ratio"] > BAR)


if __name__ == "__main__":
    main()
