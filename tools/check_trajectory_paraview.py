"""Does ParaView read from the sidecar trajectory.xmf2 what the H5MD files hold?

    pvpython tools/check_trajectory_paraview.py RUN/trajectory.xmf2 [--seed 1] [--killed]

Visits every frame twice, in random order, and compares the times, the positions and every array of
the particles with the HDF5 data, bit for bit. Prints one line; exit status 1 on any difference.
After a run was killed the sidecar may lack the last frame.
"""
import argparse
import random
import sys
from pathlib import Path

from h5md_frames import Frames, compare, shown_times
from paraview import servermanager
from paraview.simple import XDMFReader
from vtk.util.numpy_support import vtk_to_numpy


def compare_frame(reader, number, time, frame):
    reader.UpdatePipeline(time)
    grid = servermanager.Fetch(reader)
    if grid is None or grid.GetPoints() is None:
        raise ValueError(f"frame {number}: ParaView shows no points")
    points = vtk_to_numpy(grid.GetPoints().GetData())
    compare(f"frame {number}: position", points, frame["position"])
    if grid.GetNumberOfCells() != len(points):
        raise ValueError(f"frame {number}: {grid.GetNumberOfCells()} cells, {len(points)} points")

    point_data = grid.GetPointData()
    shown = {point_data.GetArrayName(i) for i in range(point_data.GetNumberOfArrays())}
    expected = set(frame) - {"position"}
    if shown != expected:
        raise ValueError(f"frame {number}: arrays {sorted(shown)}, in the file {sorted(expected)}")
    for name in sorted(expected):
        compare(f"frame {number}: {name}", vtk_to_numpy(point_data.GetArray(name)), frame[name])


def check(options):
    frames = Frames(options.sidecar)
    reader = XDMFReader(FileNames=[str(options.sidecar)])
    reader.UpdatePipelineInformation()
    times = shown_times(reader.TimestepValues, frames.times, options.killed)
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
        print(f"{options.sidecar}: ParaView: {check(options)}")
    except (OSError, LookupError, ValueError) as error:
        sys.exit(f"{options.sidecar}: ParaView: {error}")


main()
