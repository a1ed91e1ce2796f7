#!/usr/bin/env python3
"""Runs of random decks, each held against others that have to be the same.

    tests/fuzz/random_decks.py PROGRAM [--decks 40] [--first 1] [--device host] [--ranks 3]

The number of a deck tells all of it: particles and box, potential, back end, precision, integrator,
barostat, stages, observables, how often what is written. Each is run, and

- its first energy and pressure are held against those of `reference` in double;
- where the deck says `deterministic`, a run in two parts and one on several ranks have to leave the
  same bytes in all tables, and the same frames. Where the first part ends is known, but of a run of
  stages: there it ends as soon as the wall time is up.

Who refuses a deck does so in one line, with exit code 2; a run that cannot go on ends with one line
and exit code 3. What breaks that is printed with its number, and the exit code is 1.
"""

import argparse
import csv
import math
import pathlib
import random
import subprocess
import sys
import tempfile

# Of an energy or a pressure, beside one more than its size.
TOLERANCE = {"double": 1e-10, "mixed": 1e-5, "single": 3e-5}
REFUSED, ENDED = 2, 3
# Of a run of stages: some end at once, some after a stage or two.
WALL_TIME = "0.02s"


def morse_table():
    """r, energy and force of a well at 1.12, in steps of a hundredth."""
    rows = ["r,energy,force"]
    for k in range(201):
        r = 0.5 + 0.01 * k
        once = math.exp(-6 * (r - 1.12))
        rows.append(f"{r:.2f},{once * once - 2 * once!r},{12 * (once * once - once)!r}")
    return "\n".join(rows) + "\n"


class Deck:
    def __init__(self, number, device, back_ends):
        draw = random.Random(number)
        self.number = number
        self.back_end = draw.choice(back_ends)
        self.precision = draw.choice(list(TOLERANCE))
        self.deterministic = draw.random() < 0.8
        self.row_every, self.frame_every = draw.randint(1, 8), draw.randint(1, 8)
        falls = draw.random() < 0.05  # by gravity, which knows no images
        periodic = [draw.random() < 0.85 and not falls for _ in "xyz"]
        sides, particles = self._particles(draw)
        types = draw.choice([1, 1, 2, 3])
        self.has_stages = draw.random() < 0.3
        stages = [self._stage(draw, all(periodic)) for _ in range(draw.randint(1, 2))]
        begins_at_rest = self.has_stages and draw.random() < 0.6
        has_barostat = "barostat" in stages[-1]
        self.steps = stages[-1]["steps"]
        self.files = {"morse.csv": morse_table()}
        self.text = "\n".join([
            "system:",
            f"  particles: {{{particles}}}",
            *self._velocities(draw, begins_at_rest),
            f"  types: [{self._types(types)}]",
            f"  boundary: [{', '.join('periodic' if p else 'open' for p in periodic)}]",
            "potential: {type: softened-gravity, softening: 0.4}" if falls else
            f"potential: {self._potential(draw, types, all(periodic))}",
            f"neighbor: {{backend: {self.back_end}{self._list(draw)}}}",
            *([] if self.has_stages else self._lines_of(stages[-1])),
            f"run: {{precision: {self.precision}, device: {device}, "
            f"deterministic: {str(self.deterministic).lower()}, "
            + (self._of_stages(draw, stages, begins_at_rest) if self.has_stages else
               self._of_run(stages[-1])) + "}",
            *self._observables(draw, sides, periodic, has_barostat),
            f"output: {{thermo: {{every: {self.row_every}}}{self._trajectory(draw)}, "
            f"checkpoint: {{every: {draw.randint(1, 14)}}}}}",
            ""])

    def middle(self):
        """A step that has a row and a frame anyway, as a run's last one does."""
        every = math.lcm(self.row_every, self.frame_every)
        return self.steps // 2 // every * every

    @staticmethod
    def _particles(draw):
        density = draw.choice([0.1, 0.3, 0.7, 0.8442])
        cells = [draw.randint(3, 6) for _ in "xyz"]
        lattices = {"sc": 1, "bcc": 2, "fcc": 4}
        kind = draw.choice([*lattices, "random"])
        sides = [(lattices.get(kind, 2) / density) ** (1 / 3) * n for n in cells]
        if kind == "random":
            return sides, (f"random: {{count: {2 * math.prod(cells)}, box: {sides}, "
                           f"seed: {draw.randint(1, 9)}, minimum_distance: 0.75}}")
        gap = [draw.choice([0, 0, 0, 4]) for _ in "xyz"]
        return ([side + g for side, g in zip(sides, gap)],
                f"lattice: {{type: {kind}, density: {density}, cells: {cells}, gap: {gap}}}")

    @staticmethod
    def _types(count):
        fractions = {1: [1], 2: [0.25, 0.75], 3: [0.25, 0.5, 0.25]}[count]
        return ", ".join(f"{{name: {name}, mass: {1 + k}, fraction: {fractions[k]}}}"
                         for k, name in enumerate("ABC"[:count]))

    @staticmethod
    def _velocities(draw, begins_at_rest):
        drawn = f"{{temperature: {draw.choice([0.5, 1.2, 3])}, seed: {draw.randint(1, 99)}}}"
        return [] if begins_at_rest else [f"  velocities: {drawn}"]

    @staticmethod
    def _potential(draw, types, is_closed):
        names = "ABC"[:types]
        kind = draw.random()
        if kind < 0.1:
            tables = [f"{{types: [{a}, {b}], file: morse.csv, cutoff: {draw.choice([1.6, 2.4])}}}"
                      for a in names for b in names if a <= b]
            return f"{{type: tabulated, tables: [{', '.join(tables)}]}}"
        cutoff = draw.choice([1.5, 2.2, 2.5, 3])
        has_cutoff = kind >= 0.3
        pairs = ", ".join(
            f"{{types: [{name}, {name}], epsilon: {1 + 0.3 * k:g}, sigma: {1 - 0.1 * k:g}"
            + (f", cutoff: {0.9 * cutoff:g}" if has_cutoff and draw.random() < 0.2 else "") + "}"
            for k, name in enumerate(names))
        if not has_cutoff:
            return f"{{type: weeks-chandler-andersen, pairs: [{pairs}]}}"
        truncation = draw.choice(["cut", "shift", "force-shift"])
        tail = truncation == "cut" and is_closed and draw.random() < 0.5
        return (f"{{cutoff: {cutoff}, truncation: {truncation}, "
                f"tail_correction: {str(tail).lower()}, pairs: [{pairs}]}}")

    def _list(self, draw):
        if "list" not in self.back_end:
            return ""
        until = draw.choice(["auto", "missed-pair", "displacement"])
        return f", skin: {draw.choice([0.1, 0.3, 0.5])}, list_until: {until}"

    @staticmethod
    def _stage(draw, is_closed):
        """Its steps, integrator, and what else it has."""
        stage = {"steps": draw.randint(2, 30)}
        has_barostat = is_closed and draw.random() < 0.3
        baths = ["type: langevin, friction: 1.3, temperature: 0.9",
                 "type: velocity-rescaling, relaxation_time: 0.2, temperature: 1.1",
                 "type: nose-hoover, relaxation_time: 0.3, temperature: 0.8, chain_length: 2"]
        bath = draw.choice(baths if has_barostat else [*baths, "type: velocity-verlet"])
        stage["integrator"] = f"{{{bath}, timestep: 0.003}}"
        if has_barostat:
            every = draw.randint(1, 7)
            stage["barostat"] = f"{{pressure: 1, relaxation_time: 2, every: {every}}}"
        if draw.random() < 0.3:
            stage["zero_momentum"] = f"{{every: {draw.randint(1, 9)}}}"
        return stage

    @staticmethod
    def _lines_of(stage):
        return [f"{key}: {stage[key]}" for key in ("integrator", "barostat") if key in stage]

    @staticmethod
    def _of_run(stage):
        return ", ".join(f"{key}: {stage[key]}" for key in ("steps", "zero_momentum")
                         if key in stage)

    @staticmethod
    def _of_stages(draw, stages, begins_at_rest):
        """Those, after one that goes to the least energy perhaps, and with ramps."""
        if begins_at_rest:
            least = draw.choice([0.1, 5, 500])
            stages = [{"steps": draw.randint(2, 40),
                       "integrator": f"{{type: fire, force_tolerance: {least}}}"}, *stages]
        said = []
        for number, stage in enumerate(stages):
            keys = ", ".join(f"{key}: {value}" for key, value in stage.items())
            if draw.random() < 0.5:
                keys = keys.replace("temperature: 0.9", "temperature: {from: 0.9, to: 1.8}")
            said.append(f"{{name: stage-{number}, {keys}}}")
        return f"stages: [{', '.join(said)}]"

    def _trajectory(self, draw):
        if draw.random() < 0.5:
            return ""
        fields = [field for field in ("velocity", "force", "image", "species", "potential_energy")
                  if draw.random() < 0.5]
        return (f", trajectory: {{every: {self.frame_every}, "
                f"fields: [{', '.join(['position', 'id', *fields])}]}}")

    @staticmethod
    def _observables(draw, sides, periodic, has_barostat):
        allowed = ["type: energies-by-type, every: 5",
                   "type: coordination, every: 4, max_distance: 1.4"]
        in_one_box = ["type: mean-squared-displacement, every: 2, length: 6, origin_every: 2",
                      "type: velocity-autocorrelation, every: 1, length: 7, origin_every: 3",
                      "type: density-profile, every: 3, axis: y, bins: 17"]
        in_a_closed_box = ["type: pressure-tensor, every: 4",
                           f"type: radial-distribution, every: 3, "
                           f"max_distance: {0.45 * min(sides)}"]
        if not has_barostat:
            allowed += in_one_box
        if all(periodic):
            allowed += in_a_closed_box
        drawn = [f"{{{one}}}" for one in allowed if draw.random() < 0.4]
        return [f"observables: [{', '.join(drawn)}]"] if drawn else []


class Checker:
    def __init__(self, program, folder, ranks):
        self.program, self.folder, self.ranks = program, folder, ranks
        self.compared, self.refused, self.wrong = 0, 0, []

    def check(self, deck):
        for name, text in {"deck.yaml": deck.text, **deck.files}.items():
            (self.folder / name).write_text(text)
        whole = self._run(deck, "whole")
        if whole is None:
            return
        self._compare_with_reference(deck, whole)
        if not deck.deterministic:
            return
        if deck.has_stages:
            self._run(deck, "parts", "--wall-time", WALL_TIME)
        else:
            self._run(deck, "parts", sets=[f"run.steps={deck.middle()}"])
        parts = self._run(deck, "parts", "--resume")
        if parts is None:
            self._note(deck, "does not go on")
        else:
            self._expect_same(deck, whole, parts, "in two parts")
        if deck.back_end == "auto":  # which may be another back end there
            return
        number = 2 + deck.number % (self.ranks - 1)
        ranks = self._run(deck, "ranks", "--ranks", str(number))
        if ranks is not None:
            self._expect_same(deck, whole, ranks, f"on {number} ranks")

    def _run(self, deck, directory, *options, sets=()):
        """The tables that a run leaves, and its frames; None where there is no run."""
        sets = [f"output.directory={directory}", *sets]
        command = [self.program, "run", "deck.yaml", "--quiet", *options,
                   *(word for one in sets for word in ("--set", one))]
        run = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, timeout=300)
        if run.returncode == 0:
            tables = {table.name: table.read_text()
                      for table in sorted((self.folder / directory).glob("*.csv"))}
            return tables | self._frames(directory)
        if run.returncode not in (REFUSED, ENDED) or run.stderr.count("\n") != 1:
            self._note(deck, f"{' '.join(command[1:])}: exit code {run.returncode}, "
                       + run.stderr[:500])
        self.refused += 1
        return None

    def _frames(self, directory):
        if not (self.folder / directory / "trajectory.h5md").exists():
            return {}
        command = [self.program, "convert", directory, "--to", "extxyz", "--output", "frames",
                   "--overwrite"]
        subprocess.run(command, cwd=self.folder, capture_output=True, check=True, timeout=300)
        return {"trajectory.h5md": (self.folder / "frames").read_text()}

    def _compare_with_reference(self, deck, tables):
        start = "run.stages=[{name: start, steps: 1}]" if deck.has_stages else "run.steps=0"
        sets = ["neighbor.backend=reference", "run.precision=double", "observables=[]", start]
        reference = self._run(deck, "reference", sets=sets)
        if reference is None:
            return
        of_run, right = (next(csv.DictReader(one["thermo.csv"].splitlines()))
                         for one in (tables, reference))
        for column in ("potential_energy", "pressure"):
            got, wanted = float(of_run[column]), float(right[column])
            if math.isnan(got) and math.isnan(wanted):  # a pressure of an open box
                continue
            if not abs(got - wanted) <= TOLERANCE[deck.precision] * (1 + abs(wanted)):
                self._note(deck, f"{column} of the start is {got}, of reference {wanted}")
        self.compared += 1

    def _expect_same(self, deck, whole, other, how):
        self.compared += 1
        for name in sorted(whole.keys() | other.keys()):
            if whole.get(name) != other.get(name):
                self._note(deck, f"{name} is another one {how}")

    def _note(self, deck, what):
        self.wrong.append(deck.number)
        print(f"deck {deck.number} ({deck.back_end}, {deck.precision}): {what.strip()}", flush=True)


def back_ends_of(program):
    table = subprocess.run([program, "backends"], capture_output=True, text=True, check=True).stdout
    return [line.split()[0] for line in table.splitlines() if not line.startswith("reference")]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--decks", type=int, default=40)
    parser.add_argument("--first", type=int, default=1, help="number of the first deck")
    parser.add_argument("--device", default="host")
    parser.add_argument("--ranks", type=int, default=3, help="the most, 2 at least")
    parser.add_argument("--back-ends", help="A,B,...; without it all are drawn from")
    parser.add_argument("--print", action="store_true", help="the decks, and run nothing")
    given = parser.parse_args()
    program = given.program.resolve()
    back_ends = given.back_ends.split(",") if given.back_ends else back_ends_of(program)
    decks = [Deck(given.first + k, given.device, back_ends) for k in range(given.decks)]
    if given.print:
        print("---\n".join(deck.text for deck in decks), end="")
        return 0
    compared = refused = 0
    wrong = []
    for deck in decks:
        with tempfile.TemporaryDirectory() as folder:
            checker = Checker(program, pathlib.Path(folder), given.ranks)
            checker.check(deck)
        compared += checker.compared
        refused += checker.refused
        wrong += checker.wrong
    print(f"{given.decks} decks: {compared} comparisons, {refused} refused, {len(wrong)} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
