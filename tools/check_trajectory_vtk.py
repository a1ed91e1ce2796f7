"""Does VTK read from the sidecar trajectory.vtkhdf what the H5MD files hold?

    python3 tools/check_trajectory_vtk.py RUN/trajectory.vtkhdf [SEED]

Visits every frame twice, in random order, and compares the times, the positions and every array of
the particles with the HDF5 data, bit for bit. Prints one line; exit status 1 on any difference, 77
where there is no VTK of 9.3 or newer. Needs vtk and h5py.
"""
import random
import sys
from pathlib import Path

import h5py
import numpy

try:
    import vtk
    from vtk.util.numpy_support import vtk_to_numpy
    VERSION = (vtk.vtkVersion.GetVTKMajorVersion(), vtk.vtkVersion.GetVTKMinorVersion())
except ImportError:
    VERSION = (0, 0)


def data_files(sidecar):
    """The H5MD files behind a sidecar, in their order."""
    whole = sidecar.with_suffix(".h5md")
    return [whole] if whole.exists() else sorted(sidecar.parent.glob(f"{sidecar.stem}-*.h5md"))


def read_frames(files):
    """Times, and for each frame name -> values of all that has a value for each particle."""
    times, frames = [], []
    for path in files:
        with h5py.File(path, "r") as file:
            group = file["particles/all"]
            count = len(group["position/step"])
            times.extend(group["position/time"][:count])
            fixed = {name: element[...] for name, element in group.items()
                     if isinstance(element, h5py.Dataset)}
            series = {name: element["value"][:count] for name, element in group.items()
                      if name != "box" and isinstance(element, h5py.Group)}
            for row in range(count):
                frames.append({**fixed, **{name: data[row] for name, data in series.items()}})
    return numpy.array(times), frames


def compare(what, seen, stored):
    """seen, stored: arrays of one shape and type that must be equal, NaN where NaN."""
    if seen.shape != stored.shape:
        raise ValueError(f"{what}: shape {seen.shape}, in the file {stored.shape}")
    if seen.dtype != stored.dtype:
        raise ValueError(f"{what}: type {seen.dtype}, in the file {stored.dtype}")
    if not numpy.array_equal(seen, stored, equal_nan=stored.dtype.kind == "f"):
        raise ValueError(f"{what}: {numpy.count_nonzero(seen != stored)} values differ")


def compare_frame(reader, number, time, frame):
    reader.UpdateTimeStep(time)
    points = reader.GetOutputDataObject(0)
    if points is None or points.GetNumberOfPoints() == 0:
        raise ValueError(f"frame {number}: VTK shows no points")
    particles = points.GetNumberOfPoints()
    compare(f"frame {number}: position", vtk_to_numpy(points.GetPoints().GetData()),
            frame["position"])
    if points.GetNumberOfVerts() != particles or points.GetNumberOfCells() != particles:
        raise ValueError(f"frame {number}: {points.GetNumberOfCells()} cells, {particles} points")
    data = points.GetPointData()
    shown = {data.GetArrayName(i) for i in range(data.GetNumberOfArrays())}
    expected = set(frame) - {"position"}
    if shown != expected:
        raise ValueError(f"frame {number}: arrays {sorted(shown)}, in the file {sorted(expected)}")
    for name in sorted(expected):
        compare(f"frame {number}: {name}", vtk_to_numpy(data.GetArray(name)), frame[name])


def check(sidecar, seed):
    times, frames = read_frames(data_files(sidecar))
    reader = vtk.vtkHDFReader()
    reader.SetFileName(str(sidecar))
    reader.UpdateInformation()
    information = reader.GetOutputInformation(0)
    steps = information.Get(vtk.vtkStreamingDemandDrivenPipeline.TIME_STEPS())
    compare("times", numpy.array(steps if steps is not None else []), times)
    visits = 2 * list(range(len(times)))
    random.Random(seed).shuffle(visits)
    for number in visits:
        compare_frame(reader, number, times[number], frames[number])
    return f"{len(times)} frames, {len(frames[0]['position'])} particles, " \
        f"{len(frames[0])} arrays: equal"


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    if VERSION < (9, 3):
        print("SKIPPED: no VTK of 9.3 or newer here")
        sys.exit(77)
    sidecar = Path(sys.argv[1])
    seed = int(sys.argv[2]) if len(sys.argv) == 3 else 1
    try:
        print(f"{sidecar}: VTK {vtk.vtkVersion.GetVTKVersion()}: {check(sidecar, seed)}")
    except (OSError, LookupError, ValueError) as error:
        sys.exit(f"{sidecar}: VTK: {error}")


main()
