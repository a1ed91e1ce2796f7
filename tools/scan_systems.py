#!/usr/bin/env python3
"""Which back end wins where: densities, cutoffs, a droplet, a slab and mixtures, in every precision.

    tools/scan_systems.py PROGRAM OUT [--device cuda] [--cells 32] [--precisions single,mixed,double]
                          [--only NAME ...] [--backends a,b,...] [--repeats 3] [--draw]

Each system runs until it has melted, and `compare` checks and times the back ends from there: the forces of each
against par-part-no-loop in double, then steps per second against par-part-no-loop. Writes OUT/scan.csv, a row for
each system, precision and back end, and OUT/scan.svg, speed-ups over par-part-no-loop with the fastest framed. Ends
with exit code 1 if a back end was wrong. --cells: of the crystal, a side. --draw: the picture of a CSV that is there.
"""
import argparse
import csv
import subprocess
import sys
import time
from pathlib import Path

YARDSTICK = "par-part-no-loop"
BACKENDS = ("trimmed-rows", "neighborhood-in-sm", "rows-in-lanes", "rotating-sources", "half-shell", "verlet-list",
            "cluster-list", "auto")
COLUMNS = ("system", "particles", "precision", "backend", "speedup", "matom_steps_per_s", "spread_percent",
           "deterministic_cost_percent", "force_error", "like_fastest", "refusal", "device", "date")

DECK = """title: {name}
system:
  particles:
    lattice: {{type: fcc, density: {density}, cells: {cells}, gap: {gap}}}
  velocities: {{temperature: {temperature}, seed: 1}}
  types: {types}
potential:
  cutoff: {cutoff}
  truncation: {truncation}
  pairs: {pairs}
neighbor: {{backend: verlet-list}}
run:
  precision: {precision}
  device: {device}
  stages:
    - {{name: melt, steps: 800, integrator: {{type: langevin, timestep: {timestep}, temperature: {temperature}, friction: 0.5}}}}
    - {{name: time, steps: 1000, integrator: {{type: velocity-verlet, timestep: {timestep}}}}}
output: {{directory: {out}/run}}
"""
KOB_ANDERSEN = {
    "density": 1.2, "temperature": 1.0, "timestep": 0.003, "truncation": "shift",
    "types": "[{name: A, fraction: 0.8}, {name: B, fraction: 0.2}]",
    "pairs": "[{types: [A, A], epsilon: 1.0, sigma: 1.0}, {types: [A, B], epsilon: 1.5, sigma: 0.8, cutoff: 2.0}, "
             "{types: [B, B], epsilon: 0.5, sigma: 0.88, cutoff: 2.2}]"}
SIZES = {"A": 0.86, "B": 0.93, "C": 1.0, "D": 1.07, "E": 1.14}
POLYDISPERSE = {
    "density": 0.85, "temperature": 1.5, "timestep": 0.003, "truncation": "force-shift",
    "types": "[" + ", ".join(f"{{name: {name}, fraction: 0.2}}" for name in SIZES) + "]",
    "pairs": "[" + ", ".join(f"{{types: [{name}, {name}], epsilon: 1.0, sigma: {size}, cutoff: {2.5 * size:g}}}"
                             for name, size in SIZES.items()) + "]"}


def systems():
    for density in (0.05, 0.1, 0.2, 0.4, 0.6, 0.8442, 1.0, 1.2):
        yield f"density {density:g}", {"density": density}
    for cutoff in (1.12, 1.5, 2.0, 3.0, 4.0, 5.0):
        yield f"cutoff {cutoff:g}", {"cutoff": cutoff, "truncation": "shift"}
    yield "droplet", {"density": 0.75, "temperature": 0.7, "gap": (1.0, 1.0, 1.0)}
    yield "slab", {"density": 0.75, "temperature": 0.8, "gap": (0.0, 0.0, 1.0)}
    yield "mixture", KOB_ANDERSEN
    yield "polydisperse", POLYDISPERSE


def deck_of(name, system, precision, options):
    plain = {"density": 0.8442, "temperature": 1.44, "timestep": 0.005, "cutoff": 2.5, "truncation": "cut",
             "types": "[{name: A}]", "pairs": "[{types: [A, A], epsilon: 1.0, sigma: 1.0}]", "gap": (0.0, 0.0, 0.0)}
    every = {**plain, **system, "name": name, "precision": precision, "device": options.device, "out": options.out}
    side = options.cells * (4.0 / every["density"]) ** (1.0 / 3.0)
    every["gap"] = [round(side * part, 3) for part in every["gap"]]
    return DECK.format(**every, cells=[options.cells] * 3)


def compare(name, system, precision, options):
    """Rows of compare.csv, and what it has against a back end."""
    deck = options.out / "deck.yaml"
    deck.write_text(deck_of(name, system, precision, options))
    far = system.get("cutoff", 2.5) > 2.5  # a step takes long
    done = subprocess.run(
        [options.program, "compare", deck, "--backends", options.backends, "--steps", "60" if far else "200",
         "--repeats", str(options.repeats), "--output", options.out / "compare", "--overwrite"],
        capture_output=True, text=True)
    if done.returncode != 0:
        return [], f"{name}, {precision}: {done.stderr.strip()}"
    with open(options.out / "compare/compare.csv", newline="") as file:
        return [{**row, "system": name, "precision": precision, "particles": 4 * options.cells**3}
                for row in csv.DictReader(file)], None


def write(rows, path):
    with open(path, "w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, extrasaction="ignore", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def measure(options):
    rows, faults = [], []
    for name, system in systems():
        if options.only and name not in options.only:
            continue
        for precision in options.precisions.split(","):
            begin = time.monotonic()
            of_this, fault = compare(name, system, precision, options)
            faults += [fault] if fault else []
            rows += of_this
            told = " ".join(f"{row['backend']} {float(row['speedup']):.2f}" if row["speedup"]
                            else f"{row['backend']} -" for row in of_this if row["backend"] != YARDSTICK)
            print(f"{name:14} {precision:7} {time.monotonic() - begin:5.1f} s  {fault or told}", flush=True)
            write(rows, options.out / "scan.csv")
    return rows, faults


def summary(rows):
    """Of each back end the least and the most, where it is behind the yardstick and where it refuses."""
    for backend in dict.fromkeys(row["backend"] for row in rows):
        of_it = [row for row in rows if row["backend"] == backend]
        timed = [row for row in of_it if row["speedup"]]
        if not timed or backend == YARDSTICK:
            continue
        speed = [float(row["speedup"]) for row in timed]
        behind = [f"{row['system']} {row['precision']} {float(row['speedup']):.2f}" for row in timed
                  if float(row["speedup"]) < 0.9]
        refused = sorted({f"{row['system']}: {row['refusal']}" for row in of_it if not row["speedup"]})
        print(f"{backend}: {min(speed):.2f} to {max(speed):.2f} times {YARDSTICK}; fastest in "
              f"{sum(row['like_fastest'] == '1' for row in timed)} of {len(of_it)}")
        for what, where in (("behind", behind), ("refused", refused)):
            if where:
                print(f"  {what}: {'; '.join(where)}")


def shade(speedup):
    """White for as fast as the yardstick, green for faster, red for slower."""
    if speedup < 1.0:
        part = min(1.0, (1.0 - speedup) / 0.5)
        return f"rgb(255,{255 - int(110 * part)},{255 - int(120 * part)})"
    part = min(1.0, (speedup - 1.0) / 5.0)
    return f"rgb({255 - int(150 * part)},{255 - int(50 * part)},{255 - int(140 * part)})"


def draw(rows, path):
    names = list(dict.fromkeys(row["system"] for row in rows))
    backends = [one for one in dict.fromkeys(row["backend"] for row in rows) if one != YARDSTICK]
    precisions = list(dict.fromkeys(row["precision"] for row in rows))
    of = {(row["system"], row["precision"], row["backend"]): row for row in rows}
    cell, high, left, top = 44, 22, 110, 150
    panel = cell * len(backends) + 24
    width, height = left + panel * len(precisions), top + high * len(names) + 12
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
           f'viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="11">',
           f'<rect width="{width}" height="{height}" fill="white"/>',
           f'<text x="8" y="20" font-size="13">times {YARDSTICK}; framed: the fastest, or not to be told from it</text>']
    for p, precision in enumerate(precisions):
        x0 = left + p * panel
        out.append(f'<text x="{x0}" y="44" font-size="13" font-weight="bold">{precision}</text>')
        for b, backend in enumerate(backends):
            x = x0 + b * cell + cell / 2 + 4
            out.append(f'<text x="{x}" y="{top - 6}" transform="rotate(-60 {x} {top - 6})">{backend}</text>')
            for s, name in enumerate(names):
                row = of.get((name, precision, backend))
                x, y = x0 + b * cell, top + s * high
                speed = float(row["speedup"]) if row and row["speedup"] else None
                frame = bool(row) and row["like_fastest"] == "1"
                out.append(f'<rect x="{x + 1}" y="{y + 1}" width="{cell - 2}" height="{high - 2}" '
                           f'fill="{shade(speed) if speed else "#eeeeee"}" '
                           f'stroke="{"black" if frame else "none"}" stroke-width="1.5"/>')
                label = "-" if speed is None else f"{speed:.1f}" if speed >= 1.95 else f"{speed:.2f}"
                out.append(f'<text x="{x + cell / 2}" y="{y + 15}" text-anchor="middle">{label}</text>')
    for s, name in enumerate(names):
        out.append(f'<text x="{left - 8}" y="{top + s * high + 15}" text-anchor="end">{name}</text>')
    path.write_text("\n".join([*out, "</svg>"]) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("out", type=Path)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--cells", type=int, default=32)
    parser.add_argument("--precisions", default="single,mixed,double")
    parser.add_argument("--only", nargs="+")
    parser.add_argument("--backends", default=",".join(BACKENDS))
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--draw", action="store_true")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    faults = []
    if options.draw:
        with open(options.out / "scan.csv", newline="") as file:
            rows = list(csv.DictReader(file))
    else:
        rows, faults = measure(options)
    if rows:
        draw(rows, options.out / "scan.svg")
        summary(rows)
    for fault in faults:
        print(fault, file=sys.stderr)
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
