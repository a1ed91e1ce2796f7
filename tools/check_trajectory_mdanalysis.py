"""Does MDAnalysis read what the H5MD file holds?

    python3 tools/check_trajectory_mdanalysis.py RUN/trajectory.h5md [--killed]

Compares box, step, time, positions, velocities, forces and observables of every frame with the HDF5
data, and MDAnalysis's radial distribution function of the last frame with one that is computed here
from the HDF5 data. Prints one line; exit status 1 on any difference. Needs MDAnalysis and h5py (Debian:
python3-mdanalysis). After a run was killed MDAnalysis may see a frame that is not complete; it is left
alone.
"""
import argparse
import sys
import warnings
from pathlib import Path

import h5py
import numpy
from h5md_frames import complete_frames

with warnings.catch_warnings(record=True):  # its own warnings about Python, on import
    import MDAnalysis
    from MDAnalysis.analysis.rdf import InterRDF

RDF_BINS = 60
RDF_PARTICLES = 2000  # of the first so many: all pairs are computed here


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


def pairs_by_distance(position, edges, bins):
    """Ordered pairs with their nearest image in each bin of distance, in double precision."""
    counts = numpy.zeros(len(bins) - 1)
    for one in position:
        away = position - one
        away -= edges * numpy.round(away / edges)
        counts += numpy.histogram(numpy.sqrt((away**2).sum(axis=1)), bins)[0]
    counts[0] -= len(position) if bins[0] == 0 else 0  # each with itself
    return counts


def compare_rdf(universe, file, frame):
    """InterRDF counts in single precision: a pair at the edge of a bin may fall on either side."""
    particles = file["particles/all"]
    edges = particles["box/edges/value"][frame].diagonal()
    count = min(RDF_PARTICLES, len(particles["position/value"][frame]))
    position = particles["position/value"][frame][:count].astype(float)
    farthest = 0.5 * edges.min()
    bins = numpy.linspace(0, farthest, RDF_BINS + 1)
    ours = pairs_by_distance(position, edges, bins)

    group = universe.atoms[:count]
    with warnings.catch_warnings(record=True):
        rdf = InterRDF(group, group, nbins=RDF_BINS, range=(0, farthest), exclusion_block=(1, 1))
        rdf.run(start=frame, stop=frame + 1)
    theirs = numpy.array(rdf.results.count)
    shells = 4 / 3 * numpy.pi * (bins[1:] ** 3 - bins[:-1] ** 3)
    density = count * (count - 1) / edges.prod()
    expected = theirs / (density * shells)
    if not numpy.allclose(rdf.results.rdf, expected, rtol=1e-3, atol=1e-6):
        raise ValueError("radial distribution function: not what MDAnalysis's own counts give")
    at_edges = 2 + 1e-4 * ours
    if (abs(theirs - ours) > at_edges).any():
        raise ValueError(f"radial distribution function: {theirs} pairs, in the file {ours}")
    return f"g(r) of {int(ours.sum())} pairs, {int(abs(theirs - ours).sum())} in another bin"


def check(options):
    with h5py.File(options.trajectory, "r") as file:
        frames = complete_frames(file)
        particles = file["particles/all/position/value"].shape[1]
        universe = MDAnalysis.Universe.empty(particles, trajectory=True)
        universe.load_new(str(options.trajectory), convert_units=False)
        seen = len(universe.trajectory)
        if seen != frames and not (options.killed and seen == frames + 1):
            raise ValueError(f"{seen} frames, in the file {frames}")
        for frame in range(frames):
            compare_frame(frame, universe.trajectory[frame], file)
        rdf = compare_rdf(universe, file, frames - 1)
        universe.trajectory.close()
    return f"{frames} frames, {particles} particles: equal; {rdf}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("trajectory", type=Path)
    parser.add_argument("--killed", action="store_true")
    options = parser.parse_args()
    try:
        print(f"{options.trajectory}: MDAnalysis {MDAnalysis.__version__}: {check(options)}")
    except (OSError, LookupError, ValueError) as error:
        sys.exit(f"{options.trajectory}: MDAnalysis: {error}")


main()
