"""Does ParaView read from the sidecar trajectory.xmf2 what the H5MD files hold?

    pvpython tools/check_trajectory_paraview.py RUN/trajectory.xmf2 [--seed 1] [--killed]

Visits every frame twice, in random order, and compares the times, the positions and every array of
the particles with the HDF5 data, bit for bit. Prints one line; exit status 1 on any difference.
After a run was killed the sidecar may lack the last frame.
"""

from h5md_frames import (Frames, compare, compare_arrays, run_check, shown_times,
                         visit_frames)
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
    compare_arrays(number, grid.GetPointData(), frame, vtk_to_numpy)


def check(options):
    frames = Frames(options.sidecar)
    reader = XDMFReader(FileNames=[str(options.sidecar)])
    reader.UpdatePipelineInformation()
    times = shown_times(reader.TimestepValues, frames.times, options.killed)
    return visit_frames(frames, times, options.seed,
                        lambda *frame: compare_frame(reader, *frame))


run_check(__doc__, "ParaView", check)
