"""Does VTK read from the sidecar trajectory.vtkhdf what the H5MD files hold?

    python3 tools/check_trajectory_vtk.py RUN/trajectory.vtkhdf [--seed 1] [--killed]

Visits every frame twice, in random order, and compares the times, the positions and every array of
the particles with the HDF5 data, bit for bit. Prints one line; exit status 1 on any difference, 77
where there is no VTK of 9.3 or newer. After a run was killed the sidecar may lack the last frame.
"""
import sys

try:
    import vtk
    from vtk.util.numpy_support import vtk_to_numpy
    VERSION = (vtk.vtkVersion.GetVTKMajorVersion(), vtk.vtkVersion.GetVTKMinorVersion())
except ImportError:
    VERSION = (0, 0)
if VERSION < (9, 3):
    print("SKIPPED: no VTK of 9.3 or newer here")
    sys.exit(77)

from h5md_frames import (Frames, compare, compare_arrays, run_check, shown_times,
                         visit_frames)  # needs h5py


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
    compare_arrays(number, points.GetPointData(), frame, vtk_to_numpy)


def check(options):
    frames = Frames(options.sidecar)
    reader = vtk.vtkHDFReader()
    reader.SetFileName(str(options.sidecar))
    reader.UpdateInformation()
    steps = reader.GetOutputInformation(0).Get(vtk.vtkStreamingDemandDrivenPipeline.TIME_STEPS())
    times = shown_times(steps or [], frames.times, options.killed)
    return visit_frames(frames, times, options.seed,
                        lambda *frame: compare_frame(reader, *frame))


run_check(__doc__, f"VTK {vtk.vtkVersion.GetVTKVersion()}", check)
