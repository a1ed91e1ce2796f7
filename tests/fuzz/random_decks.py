#!/usr/bin/env python3
"""Runs of random decks, each held against others that have to be the same.

    tests/fuzz/random_decks.py PROGRAM [--decks 40] [--first 1] [--device host] [--ranks 2]

The number of a deck tells all of it: particles and box, potential, back end, precision,
integrator, barostat, observables, how often what is written. Each is run, and

- its first energy and pressure are held against those of `reference` in double;
- where the deck says `deterministic`, a run in two parts and one on several ranks have to leave the
  same bytes in all tables.

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


class Deck:
    def __init__(self, number, device, back_ends):
        draw = random.Random(number)
        self.number = number
        self.back_end = draw.choice(back_ends)
        self.precision = draw.choice(list(TOLERANCE))
        self.deterministic = draw.random() < 0.8
        self.steps, self.row_every = draw.randint(2, 30), draw.randint(1, 8)
        periodic = [draw.random() < 0.85 for _ in "xyz"]
        has_barostat = all(periodic) and draw.random() < 0.3
        sides, particles = self._particles(draw)
        types = draw.choice([1, 1, 2, 3])
        self.text = "\n".join([
            "system:",
            f"  particles: {{{particles}}}",
            f"  velocities: {{temperature: {draw.choice([0.5, 1.2, 3])}, seed: {number}}}",
            f"  types: [{self._types(types)}]",
            f"  boundary: [{', '.join('periodic' if p else 'open' for p in periodic)}]",
            f"potential: {self._potential(draw, types)}",
            f"neighbor: {{backend: {self.back_end}{self._list(draw)}}}",
            f"integrator: {self._integrator(draw, has_barostat)}",
            *self._barostat(draw, has_barostat),
            f"run: {{steps: {self.steps}, precision: {self.precision}, device: {device}, "
            f"deterministic: {str(self.deterministic).lower()}{self._momentum(draw)}}}",
            *self._observables(draw, sides, periodic, has_barostat),
            f"output: {{thermo: {{every: {self.row_every}}}, "
            f"checkpoint: {{every: {draw.randint(1, 14)}}}}}",
            ""])

    def middle(self):
        """A step that has a row anyway, as a run's last one does."""
        return self.steps // 2 // self.row_every * self.row_every

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
    def _potential(draw, types):
        pairs = ", ".join(
            f"{{types: [{name}, {name}], epsilon: {1 + 0.3 * k:g}, sigma: {1 - 0.1 * k:g}}}"
            for k, name in enumerate("ABC"[:types]))
        if draw.random() < 0.2:
            return f"{{type: weeks-chandler-andersen, pairs: [{pairs}]}}"
        return (f"{{cutoff: {draw.choice([1.5, 2.2, 2.5, 3])}, "
                f"truncation: {draw.choice(['cut', 'shift', 'force-shift'])}, pairs: [{pairs}]}}")

    def _list(self, draw):
        if "list" not in self.back_end:
            return ""
        until = draw.choice(["auto", "missed-pair", "displacement"])
        return f", skin: {draw.choice([0.1, 0.3, 0.5])}, list_until: {until}"

    @staticmethod
    def _integrator(draw, has_barostat):
        baths = ["type: langevin, friction: 1.3, temperature: 0.9",
                 "type: velocity-rescaling, relaxation_time: 0.2, temperature: 1.1",
                 "type: nose-hoover, relaxation_time: 0.3, temperature: 0.8, chain_length: 2"]
        bath = draw.choice(baths if has_barostat else [*baths, "type: velocity-verlet"])
        return f"{{{bath}, timestep: 0.003}}"

    @staticmethod
    def _barostat(draw, has_barostat):
        if not has_barostat:
            return []
        every = draw.randint(1, 7)
        return [f"barostat: {{pressure: 1, relaxation_time: 2, every: {every}}}"]

    @staticmethod
    def _momentum(draw):
        return draw.choice(["", "", f", zero_momentum: {{every: {draw.randint(1, 9)}}}"])

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
        (self.folder / "deck.yaml").write_text(deck.text)
        whole = self._run(deck, "whole")
        if whole is None:
            return
        self._compare_with_reference(deck, whole)
        if not deck.deterministic:
            return
        self._run(deck, "parts", sets=[f"run.steps={deck.middle()}"])
        parts = self._run(deck, "parts", "--resume")
        if parts is None:
            self._note(deck, "does not go on")
        else:
            self._expect_same(deck, whole, parts, "in two parts")
        ranks = self._run(deck, "ranks", "--ranks", str(self.ranks))
        if ranks is not None:
            self._expect_same(deck, whole, ranks, f"on {self.ranks} ranks")

    def _run(self, deck, directory, *options, sets=()):
        """The tables that a run leaves; None where there is no run."""
        sets = [f"output.directory={directory}", *sets]
        command = [self.program, "run", "deck.yaml", "--quiet", *options,
                   *(word for one in sets for word in ("--set", one))]
        run = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, timeout=300)
        if run.returncode == 0:
            return {table.name: table.read_text()
                    for table in sorted((self.folder / directory).glob("*.csv"))}
        if run.returncode not in (REFUSED, ENDED) or run.stderr.count("\n") != 1:
            self._note(deck, f"{' '.join(command[1:])}: exit code {run.returncode}, "
                       + run.stderr[:500])
        self.refused += 1
        return None

    def _compare_with_reference(self, deck, tables):
        sets = ["neighbor.backend=reference", "run.precision=double", "run.steps=0"]
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
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--print", action="store_true", help="the decks, and run nothing")
    given = parser.parse_args()
    program = given.program.resolve()
    back_ends = back_ends_of(program)
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
