"""Does ParaView read from the sidecar what the H5MD file holds?

    pvpython tools/check_trajectory_paraview.py RUN/trajectory.xmf2 [SEED]

Visits every frame twice, in random order, and compares the times, the positions and every array of
the particles with the HDF5 data, bit for bit. Prints one line; exit status 1 on any difference.
"""
import random
import sys
from pathlib import Path

import h5py
import numpy
from paraview import servermanager
from paraview.simple import XDMFReader
from vtk.util.numpy_support import vtk_to_numpy


def particle_arrays(group):
    """Name -> function of the frame number, for all that has a value for each particle."""
    arrays = {}
    for name, element in group.items():
        if name == "box":
            continue
        if isinstance(element, h5py.Dataset):
            arrays[name] = lambda frame, data=element: data[...]
        else:
            arrays[name] = lambda frame, data=element["value"]: data[frame]
    return arrays


def compare(what, seen, stored):
    """seen, stored: arrays of one shape and type that must be equal, NaN where NaN."""
    if seen.shape != stored.shape:
        raise ValueError(f"{what}: shape {seen.shape}, in the file {stored.shape}")
    if seen.dtype != stored.dtype:
        raise ValueError(f"{what}: type {seen.dtype}, in the file {stored.dtype}")
    if not numpy.array_equal(seen, stored, equal_nan=stored.dtype.kind == "f"):
        raise ValueError(f"{what}: {numpy.count_nonzero(seen != stored)} values differ")


def compare_frame(reader, frame, time, arrays):
    reader.UpdatePipeline(time)
    grid = servermanager.Fetch(reader)
    if grid is None or grid.GetPoints() is None:
        raise ValueError(f"frame {frame}: ParaView shows no points")
    points = vtk_to_numpy(grid.GetPoints().GetData())
    compare(f"frame {frame}: position", points, arrays["position"](frame))
    if grid.GetNumberOfCells() != len(points):
        raise ValueError(f"frame {frame}: {grid.GetNumberOfCells()} cells, {len(points)} points")

    point_data = grid.GetPointData()
    shown = {point_data.GetArrayName(i) for i in range(point_data.GetNumberOfArrays())}
    expected = set(arrays) - {"position"}
    if shown != expected:
        raise ValueError(f"frame {frame}: arrays {sorted(shown)}, in the file {sorted(expected)}")
    for name in sorted(expected):
        seen = vtk_to_numpy(point_data.GetArray(name))
        compare(f"frame {frame}: {name}", seen, arrays[name](frame))


def check(sidecar, seed):
    with h5py.File(sidecar.with_suffix(".h5md"), "r") as file:
        arrays = particle_arrays(file["particles/all"])
        times = file["particles/all/position/time"][...]
        reader = XDMFReader(FileNames=[str(sidecar)])
        reader.UpdatePipelineInformation()
        compare("times", numpy.atleast_1d(numpy.array(reader.TimestepValues)), times)
        visits = 2 * list(range(len(times)))
        random.Random(seed).shuffle(visits)
        for frame in visits:
            compare_frame(reader, frame, times[frame], arrays)
        particles = len(arrays["position"](0))
    return f"{len(times)} frames, {particles} particles, {len(arrays)} arrays: equal"


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    sidecar = Path(sys.argv[1])
    seed = int(sys.argv[2]) if len(sys.argv) == 3 else 1
    try:
        print(f"{sidecar}: ParaView: {check(sidecar, seed)}")
    except (OSError, LookupError, ValueError) as error:
        sys.exit(f"{sidecar}: ParaView: {error}")


main()
