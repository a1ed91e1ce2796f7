#!/usr/bin/env python3
"""Judged from outside: hands our own runs to physical-validation (P. T. Merz, M. R. Shirts, PLoS ONE 13, e0202764
(2018); https://physical-validation.readthedocs.io), which knows nothing of this program.

    tools/check_physical_validation.py PROGRAM OUTPUT [SEED=11]

Runs are made here, of 256 atoms each: in a heat bath of each kind at two temperatures, with the barostat at two
pressures, and at constant energy with three timesteps. Checked are the distribution of the kinetic energy,
equipartition, the ratios of the distributions of the potential energy at the two temperatures and of the volume at the
two pressures, and the order of the integrator. Prints a table; exit status 1 where a bar is missed, which chance alone
does once in twenty times: another seed then tells. Python with physical-validation and h5py:
tools/install_physical_validation.sh makes one.
"""

import contextlib
import csv
import io
import os
import pathlib
import subprocess
import sys

import h5py
import numpy
import physical_validation
from physical_validation.data import (EnsembleData, ObservableData, SimulationData, SystemData, TrajectoryData, UnitData)

ATOMS, DENSITY, TEMPERATURE = 256, 0.8, 1.0
# At which the two distributions overlap well: T sqrt(2 / C_V), the heat capacity being that of the potential energy,
# about 1.1 a particle here. Merz and Shirts, equation 14.
HIGHER = round(TEMPERATURE * (1 + (2 / (1.1 * ATOMS)) ** 0.5), 3)
# At which volumes differ by two of their widths. A slope of their ratio that is off by a half is four standard errors off then.
PRESSURE, HIGHER_PRESSURE = 1.0, 1.32

DECK = """
system:
  particles: {{lattice: {{type: fcc, density: {density}, cells: [4, 4, 4]}}}}
  velocities: {{temperature: {start}, seed: {seed}}}
potential: {{cutoff: 2.5, truncation: force-shift}}
neighbor: {{backend: vector-list}}
run:
  device: host
  precision: double
  deterministic: true
  stages:
    - {{name: equilibrate, steps: {before}, integrator: {{type: langevin, timestep: 0.004, temperature: {temperature}, friction: 1, seed: {seed}}}}}
    - {{name: produce, steps: {steps}, integrator: {integrator}, zero_momentum: {{every: {steps}}}{barostat}}}
output: {{thermo: {{every: {every}}}, trajectory: {{every: {frames}, fields: [position, velocity]}}}}
"""

# Steps. What samples remember longest is the total energy, which the baths take some tenths of tau to change. Of samples nearer
# to each other the package takes out what it sees of that, and is left with standard errors that are too small by a half.
SAMPLES_APART = 100

BATHS = {
    "langevin": "friction: 2, seed: {seed}",
    "velocity-rescaling": "relaxation_time: 0.2, seed: {seed}",
    "nose-hoover": "relaxation_time: 0.2",
}


def run(program, folder, name, *, integrator, timestep, temperature=TEMPERATURE, steps, every, seed=5, pressure=None):
    """Runs, and hands the rows and frames after the first stage to the package."""
    before = 2000
    deck = folder / f"{name}.yaml"
    settings = f"{{{integrator}, timestep: {timestep}}}"
    barostat = "" if pressure is None else f", barostat: {{pressure: {pressure}, relaxation_time: 1, seed: {seed}}}"
    unsettled = before if pressure is None else 2 * before  # steps of which nothing is used
    deck.write_text(DECK.format(density=DENSITY, start=2 * temperature, temperature=temperature, before=before, steps=steps,
                                integrator=settings, every=every, frames=2 * every, seed=seed, barostat=barostat), encoding="utf-8")
    subprocess.run([program, "run", deck, "--quiet", "--overwrite", "--set", f"output.directory={folder / name}"], check=True,
                   env={"OMP_WAIT_POLICY": "passive", **os.environ})
    with open(folder / name / "thermo.csv", encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if int(row["step"]) > unsettled]
    column = {key: ATOMS * numpy.array([float(row[key]) for row in rows])
              for key in ("kinetic_energy", "potential_energy", "total_energy", "conserved_energy")}
    with h5py.File(folder / name / "trajectory.h5md") as file:
        group = file["particles/all"] if "particles/all" in file else next(iter(file["particles"].values()))
        chosen = group["velocity/step"][:] > unsettled
        velocity, position = group["velocity/value"][:][chosen], group["position/value"][:][chosen]
    units = UnitData(kb=1, energy_conversion=1, length_conversion=1, volume_conversion=1, temperature_conversion=1,
                     pressure_conversion=1 / 6.022140857e-2, time_conversion=1)  # of bar nm^3 in kJ/mol
    momentum = 0 if "langevin" in integrator else 3  # is conserved, at zero
    system = SystemData(natoms=ATOMS, nconstraints=0, ndof_reduction_tra=momentum, ndof_reduction_rot=0,
                        mass=numpy.ones(ATOMS), molecule_idx=numpy.arange(ATOMS), nconstraints_per_molecule=numpy.zeros(ATOMS))
    volumes = numpy.array([float(row["volume"]) for row in rows]) if pressure is not None else numpy.full(len(rows), ATOMS / DENSITY)
    kind = "NPT" if pressure is not None else "NVT" if "temperature" in integrator else "NVE"
    return SimulationData(
        units=units, dt=timestep, system=system,
        ensemble=EnsembleData(kind, natoms=ATOMS, volume=float(volumes.mean()), pressure=pressure,
                              temperature=temperature, energy=float(column["total_energy"][0])),
        observables=ObservableData(kinetic_energy=column["kinetic_energy"], potential_energy=column["potential_energy"],
                                   total_energy=column["total_energy"], constant_of_motion=column["conserved_energy"],
                                   volume=volumes),
        trajectory=TrajectoryData(position=position, velocity=velocity))


def quietly(function, *arguments, **options):
    with contextlib.redirect_stdout(io.StringIO()):
        return function(*arguments, **options)


def numbers_in(result):
    """The results of nested lists, flat."""
    if isinstance(result, (list, tuple, numpy.ndarray)):
        return [number for part in result for number in numbers_in(part)]
    return [float(result)] if result is not None else []


class Table:
    def __init__(self):
        self.failed = 0

    def row(self, what, value, bar, passed):
        self.failed += not passed
        print(f"{what:58} {value:>10.4g}   {bar:16} {'passed' if passed else 'FAILED'}", flush=True)


def check_ensemble(table, what, low, high):
    off = max(abs(one) for one in numbers_in(quietly(physical_validation.ensemble.check, low, high, verbosity=0)))
    table.row(f"{what} [quantiles]", off, "below 4", off < 4)


def check_bath(table, program, folder, bath, first_seed):
    """One bath at two temperatures."""
    low, high = (run(program, folder, f"{bath}-{temperature}", timestep=0.004, temperature=temperature, steps=60000, every=SAMPLES_APART,
                     seed=seed, integrator=f"type: {bath}, temperature: {temperature}, {BATHS[bath].format(seed=seed)}")
                 for seed, temperature in enumerate((TEMPERATURE, HIGHER), first_seed))
    kinetic = physical_validation.kinetic_energy
    p = quietly(kinetic.distribution, low, strict=True, verbosity=0)
    table.row(f"{bath}: kinetic energy, Kolmogorov-Smirnov p", p, "above 0.01", p > 0.01)
    for name, off in zip(("mean", "width"), quietly(kinetic.distribution, low, strict=False, verbosity=0, bootstrap_seed=1)):
        table.row(f"{bath}: {name} of the kinetic energy [standard errors]", off, "below 3", abs(off) < 3)
    off = max(abs(one) for one in numbers_in(quietly(
        kinetic.equipartition, low, strict=False, random_divisions=2, random_groups=2, random_division_seed=3, verbosity=0,
        bootstrap_seed=1)))
    table.row(f"{bath}: equipartition, worst group [standard errors]", off, "below 4", off < 4)
    check_ensemble(table, f"{bath}: ensemble at {TEMPERATURE} and {HIGHER}", low, high)


def check_barostat(table, program, folder, first_seed):
    """Constant temperature at two pressures."""
    low, high = (run(program, folder, f"barostat-{pressure}", timestep=0.004, steps=400000, every=3 * SAMPLES_APART, seed=seed,
                     integrator=f"type: langevin, temperature: {TEMPERATURE}, friction: 2, seed: {seed}", pressure=pressure)
                 for seed, pressure in enumerate((PRESSURE, HIGHER_PRESSURE), first_seed))
    check_ensemble(table, f"barostat: ensemble at {PRESSURE} and {HIGHER_PRESSURE}", low, high)


def check_integrator(table, program, folder):
    runs = [run(program, folder, f"energy-{timestep}", integrator="type: velocity-verlet", timestep=timestep,
                steps=round(20 / timestep), every=round(0.016 / timestep)) for timestep in (0.008, 0.004, 0.002)]
    off = quietly(physical_validation.integrator.convergence, runs, verbose=False)
    table.row("velocity-verlet: order 2 at 0.008, 0.004, 0.002 [relative]", off, "below 0.25", off < 0.25)


def main():
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__.splitlines()[3].strip())
    seed = int(sys.argv[3]) if len(sys.argv) == 4 else 11
    program, folder = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    table = Table()
    check_integrator(table, program, folder)
    for bath in BATHS:
        check_bath(table, program, folder, bath, seed)
    check_barostat(table, program, folder, seed)
    print(f"{table.failed} failed, physical-validation {physical_validation.__version__}")
    sys.exit(table.failed > 0)


if __name__ == "__main__":
    main()
