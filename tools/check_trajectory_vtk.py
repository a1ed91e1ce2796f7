"""Does VTK read from the sidecar trajectory.vtkhdf what the H5MD files hold?

    python3 tools/check_trajectory_vtk.py RUN/trajectory.vtkhdf [--seed 1] [--killed]

Visits every frame twice, in random order, and compares the times, the positions and every array of
the particles with the HDF5 data, bit for bit. Prints one line; exit status 1 on any difference, 77
where there is no VTK of 9.3 or newer. After a run was killed the sidecar may lack the last frame.
"""
import argparse
import random
import sys
from pathlib import Path

try:
    import vtk
    from vtk.util.numpy_support import vtk_to_numpy
    VERSION = (vtk.vtkVersion.GetVTKMajorVersion(), vtk.vtkVersion.GetVTKMinorVersion())
except ImportError:
    VERSION = (0, 0)
if VERSION < (9, 3):
    print("SKIPPED: no VTK of 9.3 or newer here")
    sys.exit(77)

from h5md_frames import Frames, compare, shown_times  # needs h5py


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


def check(options):
    frames = Frames(options.sidecar)
    reader = vtk.vtkHDFReader()
    reader.SetFileName(str(options.sidecar))
    reader.UpdateInformation()
    steps = reader.GetOutputInformation(0).Get(vtk.vtkStreamingDemandDrivenPipeline.TIME_STEPS())
    times = shown_times(steps or [], frames.times, options.killed)
    visits = 2 * list(range(len(times)))
    random.Random(options.seed).shuffle(visits)
    for number in visits:
        compare_frame(reader, number, times[number], frames[number])
    return f"{len(times)} frames, {len(frames[0]['position'])} particles, " \
        f"{len(frames[0])} arrays: equal"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sidecar", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--killed", action="store_true")
    options = parser.parse_args()
    try:
        print(f"{options.sidecar}: VTK {vtk.vtkVersion.GetVTKVersion()}: {check(options)}")
    except (OSError, LookupError, ValueError) as error:
        sys.exit(f"{options.sidecar}: VTK: {error}")


main()
