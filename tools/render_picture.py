"""A picture of one frame: particles as spheres, the box, the time and a colour bar.

    xvfb-run -a pvbatch tools/render_picture.py RUN/trajectory.xmf2 PICTURE.png
        [--frame -1] [--color speed|potential_energy|...] [--radius 0.5] [--range MIN MAX]
        [--size 1200 1000] [--preset "Viridis (matplotlib)"]
"""
import argparse
from pathlib import Path

import h5py
from paraview.simple import (AnnotateTimeFilter, Box, ColorBy, CreateView,
                             GetColorTransferFunction, GetScalarBar, Outline, SaveScreenshot, Show,
                             XDMFReader)

BLACK = [0, 0, 0]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sidecar", type=Path)
    parser.add_argument("picture", type=Path)
    parser.add_argument("--frame", type=int, default=-1, help="-1 is the last")
    parser.add_argument("--color", default="speed", help="an array with one number a particle")
    parser.add_argument("--radius", type=float, default=0.5, help="of a sphere [sigma]")
    parser.add_argument("--range", type=float, nargs=2, help="of the colours")
    parser.add_argument("--size", type=int, nargs=2, default=[1200, 1000], help="in pixels")
    parser.add_argument("--preset", default="Viridis (matplotlib)", help="colours, by ParaView's name")
    return parser.parse_args()


def read_box(sidecar, frame):
    """Centre and lengths of the box of a frame; ParaView's own reader does not know it."""
    with h5py.File(sidecar.with_suffix(".h5md"), "r") as file:
        box = file["particles/all/box"]
        lengths = box["edges/value"][frame].diagonal()
        return box.attrs["origin"] + lengths / 2, lengths


def show_particles(reader, view, options):
    particles = Show(reader, view)
    particles.SetRepresentationType("Point Gaussian")
    particles.ShaderPreset = "Sphere"
    particles.GaussianRadius = options.radius
    ColorBy(particles, ("POINTS", options.color))
    colors = GetColorTransferFunction(options.color)
    colors.ApplyPreset(options.preset, True)
    low, high = options.range or reader.PointData[options.color].GetRange(0)
    colors.RescaleTransferFunction(low, high)
    bar = GetScalarBar(colors, view)
    bar.Title = options.color.replace("_", " ")
    bar.ComponentTitle = ""
    bar.RangeLabelFormat = "%-#6.3g"
    bar.TitleColor = bar.LabelColor = BLACK
    bar.TitleFontSize = bar.LabelFontSize = 18
    bar.WindowLocation = "Lower Right Corner"
    bar.ScalarBarLength = 0.4
    particles.SetScalarBarVisibility(view, True)


def show_box(view, center, lengths):
    box = Box(XLength=lengths[0], YLength=lengths[1], ZLength=lengths[2], Center=list(center))
    lines = Show(Outline(Input=box), view)
    lines.AmbientColor = lines.DiffuseColor = BLACK
    lines.LineWidth = 2


def show_time(reader, view):
    label = Show(AnnotateTimeFilter(Input=reader, Format="t* = {time:.3f}"), view)
    label.Color = BLACK
    label.FontSize = 20
    label.WindowLocation = "Upper Left Corner"


def place_camera(view):
    view.ResetCamera()
    view.GetActiveCamera().Azimuth(25)
    view.GetActiveCamera().Elevation(20)
    view.ResetCamera()
    view.GetActiveCamera().Zoom(1.08)  # the margin of ResetCamera is wide


def main():
    options = arguments()
    if not options.sidecar.is_file():
        raise SystemExit(f"{options.sidecar}: no such file")
    reader = XDMFReader(FileNames=[str(options.sidecar)])
    reader.UpdatePipelineInformation()
    times = list(reader.TimestepValues)
    if not -len(times) <= options.frame < len(times):
        raise SystemExit(f"--frame {options.frame}: the trajectory has {len(times)} frames")
    if options.color not in reader.PointArrayStatus:
        raise SystemExit(f"--color {options.color}: the trajectory has {reader.PointArrayStatus}")
    reader.UpdatePipeline(times[options.frame])

    view = CreateView("RenderView")
    view.ViewSize = options.size
    view.UseColorPaletteForBackground = 0
    view.Background = [1, 1, 1]
    view.OrientationAxesVisibility = 0
    view.ViewTime = times[options.frame]
    show_particles(reader, view, options)
    show_box(view, *read_box(options.sidecar, options.frame))
    show_time(reader, view)
    place_camera(view)
    SaveScreenshot(str(options.picture), view, CompressionLevel="9")


main()
