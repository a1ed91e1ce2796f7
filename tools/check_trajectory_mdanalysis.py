"""Does MDAnalysis read what the H5MD file holds?

    python3 tools/check_trajectory_mdanalysis.py RUN/trajectory.h5md

Compares box, step, time, positions, velocities, forces and observables of every frame with the HDF5
data. Prints one line; exit status 1 on any difference. Needs MDAnalysis and h5py (Debian:
python3-mdanalysis).
"""
import sys
import warnings

import h5py
import numpy

with warnings.catch_warnings(record=True):  # its own warnings about Python, on import
    import MDAnalysis


def compare(what, seen, stored):
    """MDAnalysis keeps floats of particles in single precision, so they are compared there."""
    seen, stored = numpy.asarray(seen), numpy.asarray(stored)
    if seen.shape != stored.shape:
        raise ValueError(f"{what}: shape {seen.shape}, in the file {stored.shape}")
    if not numpy.array_equal(seen, stored.astype(seen.dtype), equal_nan=True):
        raise ValueError(f"{what}: {seen}, in the file {stored}")


def compare_frame(frame, state, file):
    particles = file["particles/all"]
    compare(f"frame {frame}: step", state.data["step"], particles["position/step"][frame])
    compare(f"frame {frame}: time", state.time, particles["position/time"][frame])
    edges = particles["box/edges/value"][frame]
    compare(f"frame {frame}: box", state.dimensions, [*numpy.diag(edges), 90, 90, 90])
    compare(f"frame {frame}: position", state.positions, particles["position/value"][frame])
    if state.has_velocities != ("velocity" in particles):
        raise ValueError(f"frame {frame}: has velocities: {state.has_velocities}")
    if state.has_velocities:
        compare(f"frame {frame}: velocity", state.velocities, particles["velocity/value"][frame])
    if state.has_forces != ("force" in particles):
        raise ValueError(f"frame {frame}: has forces: {state.has_forces}")
    if state.has_forces:
        compare(f"frame {frame}: force", state.forces, particles["force/value"][frame])
    for name, observable in file["observables"].items():
        compare(f"frame {frame}: {name}", state.data[name], observable["value"][frame])


def check(path):
    with h5py.File(path, "r") as file:
        frames, particles = file["particles/all/position/value"].shape[:2]
        universe = MDAnalysis.Universe.empty(particles, trajectory=True)
        universe.load_new(str(path), convert_units=False)
        if len(universe.trajectory) != frames:
            raise ValueError(f"{len(universe.trajectory)} frames, in the file {frames}")
        for frame, state in enumerate(universe.trajectory):
            compare_frame(frame, state, file)
        universe.trajectory.close()
    return f"{frames} frames, {particles} particles: equal"


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    try:
        print(f"{sys.argv[1]}: MDAnalysis {MDAnalysis.__version__}: {check(sys.argv[1])}")
    except (OSError, LookupError, ValueError) as error:
        sys.exit(f"{sys.argv[1]}: MDAnalysis: {error}")


main()
