#!/usr/bin/env python3
"""How a melt scales over ranks, one a GPU: steps per second on one rank and on several.

    tools/measure_ranks.py PROGRAM OUT [--device cuda] [--ranks 2] [--precision single] [--repeats 3]
                           [--backends neighborhood-in-sm,par-part-no-loop] [--exchanges direct,host]
                           [--weak 40,80,160] [--strong 40,80] [--warm 300] [--set KEY=VALUE ...]

The melt (density 0.8442, cutoff 2.5, timestep 0.005, from a crystal at temperature 1.44) of 4 n^3 atoms, n cells
of the crystal a side. --weak: so many on each rank, the box grows along z; --strong: so many on all ranks
together. Time is that of steps: what a run of so many takes more than one of --warm steps, without looks and files, so that
what ranks do at the beginning (letters that find room) is in neither; median of the repeats. With --ranks 1 each case is measured twice. Its parts are those of the steps that were sampled. Prints
a table and writes OUT/ranks.csv; efficiency is against one rank with `of_one` atoms. It begins with what one
rank gives: the box must fit one device for --strong, and a rank's share of it for --weak.
"""
import argparse
import csv
import json
import subprocess
import sys
import time
from pathlib import Path

PARTS = ("integrate", "exchange", "bin", "reorder", "prepare", "force")
OPTIONS = {"par-part-no-loop": {"runs": "merged"}, "neighborhood-in-sm": {"block": "64"},
           "x-pencil-reg": {"sub_box": "8x2x2", "threads": "targets", "runs": "merged"}}
STEPS = {8: 40, 10: 60000, 20: 30000, 40: 6000, 80: 2000, 160: 1000}


def run(options, shape, steps, backend, ranks, exchange):
    """The report of one run, and how long all of it took."""
    keys = {"run.steps": steps, "run.device": options.device, "run.precision": options.precision,
            "neighbor.backend": backend, "output.thermo.every": steps, "output.directory": options.out / "run",
            "system.velocities.temperature": 1.44, "system.velocities.seed": 1,
            "system.particles.lattice": f"{{type: fcc, density: 0.8442, cells: {list(shape)}}}",
            **{f"neighbor.options.{key}": value for key, value in OPTIONS.get(backend, {}).items()}}
    if ranks > 1:
        keys["run.exchange"] = exchange
    command = [options.program, "run", options.deck, "--quiet", "--overwrite"]
    command += ["--ranks", str(ranks)] if ranks > 1 else []
    command += [word for key, value in keys.items() for word in ("--set", f"{key}={value}")]
    command += [word for value in options.set for word in ("--set", value)]
    began = time.monotonic()
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        print(f"{backend} on {ranks}: {done.stderr.strip()}", file=sys.stderr)
        return None, 0.0
    return json.loads((options.out / "run/report.json").read_text()), time.monotonic() - began


def loop_seconds(report):
    return report["seconds"] - report["regions"]["observe"] - report["regions"]["write"]


class Rates:
    """Of every case once, however often it is asked for."""

    def __init__(self, options):
        self.options, self.known, self.seconds = options, {}, 0.0

    def __call__(self, *case):
        if case not in self.known:
            timed = [self.timed(*case) for _ in range(self.options.repeats)]
            timed = sorted((pair for pair in timed if pair), key=lambda pair: pair[0])
            self.known[case] = self.rate(*timed[len(timed) // 2]) if timed else None
        return self.known[case]

    def timed(self, shape, steps, backend, ranks, exchange):
        """Seconds of a step, and the report of the longer run."""
        began = time.monotonic()
        short, _ = run(self.options, shape, self.options.warm, backend, ranks, exchange)
        report, _ = run(self.options, shape, self.options.warm + steps, backend, ranks, exchange)
        self.seconds = time.monotonic() - began
        if short is None or report is None:
            return None
        return (loop_seconds(report) - loop_seconds(short)) / steps, report

    @staticmethod
    def rate(seconds, report):
        parts = {f"{part}_us": round(1e6 * report["regions"].get(part, 0.0) / report["steps"], 1) for part in PARTS}
        return {"atoms": report["particles"], "step_us": 1e6 * seconds, **parts}


def cases(options):
    """(scaling, crystal cells a side, box of one rank, box of all)"""
    for side in options.strong:
        yield "strong", side, (side, side, side), (side, side, side)
    for side in options.weak:
        yield "weak", side, (side, side, side), (side, side, side * options.ranks)


def sides(text):
    return [int(word) for word in text.split(",") if word]


def row_of(options, scaling, backend, ranks, exchange, rate, one):
    share = ranks if scaling == "strong" else 1
    efficiency = one["step_us"] / (share * rate["step_us"])
    return {"ranks": ranks, "atoms": rate["atoms"], "backend": backend, "precision": options.precision,
            "exchange": exchange, "matom_steps_per_s": round(rate["atoms"] / rate["step_us"], 1),
            "efficiency": round(efficiency, 3), "scaling": scaling, "of_one": one["atoms"],
            "step_us": round(rate["step_us"], 1), **{f"{part}_us": rate[f"{part}_us"] for part in PARTS}}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("out", type=Path)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--precision", default="single")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--backends", default="neighborhood-in-sm,par-part-no-loop")
    parser.add_argument("--exchanges", default="direct,host")
    parser.add_argument("--weak", type=sides, default=[40, 80, 160])
    parser.add_argument("--strong", type=sides, default=[40, 80])
    parser.add_argument("--warm", type=int, default=300)
    parser.add_argument("--set", action="append", default=[])
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    options.deck = options.out / "deck.yaml"
    options.deck.write_text("system: {types: [{name: A, mass: 1.0}]}\npotential: {cutoff: 2.5}\n")
    rates, rows = Rates(options), []

    def add(*row):
        if not rows:
            print(" ".join(f"{name:>18}" for name in row_of(options, *row)), flush=True)
        rows.append(row_of(options, *row))
        print(" ".join(f"{value!s:>18}" for value in rows[-1].values()), f"  {rates.seconds:.0f} s", flush=True)
        with open(options.out / "ranks.csv", "w", newline="") as file:
            writer = csv.DictWriter(file, fieldnames=list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)

    for scaling, side, of_one, of_all in cases(options):
        for backend in options.backends.split(","):
            steps = STEPS.get(side, 200)
            one = rates(of_one, steps, backend, 1, "-")
            if one is None:
                continue
            add(scaling, backend, 1, "-", one, one)
            for exchange in options.exchanges.split(","):
                several = rates(of_all, steps, backend, options.ranks, exchange)
                if several is not None:
                    add(scaling, backend, options.ranks, exchange, several, one)
    if not rows:
        sys.exit("nothing measured")


if __name__ == "__main__":
    main()
