"""Pictures of a trajectory: particles as spheres, the box, the time and a colour bar.

`pencilbox view` runs this with ParaView's pvbatch; by hand:

    xvfb-run -a pvbatch app/commands/view.py RUN/trajectory.xmf2 PICTURE.png --field speed
        --box=X,Y,Z,LX,LY,LZ [--frame=N | --film] [--radius 0.5] [--range=MIN,MAX]
        [--size 1200 1000]

--film writes all frames to one file, .avi or .ogv.
"""
import argparse

from paraview.simple import (AnnotateTimeFilter, Box, ColorBy, CreateView, GetAnimationScene,
                             GetColorTransferFunction, GetScalarBar, Outline, SaveAnimation,
                             SaveScreenshot, Show, XDMFReader)

BLACK = [0, 0, 0]
FRAMES_PER_SECOND = 10


def numbers(text):
    """Joined by commas: argparse takes a -1e-3 that stands alone for an option."""
    return [float(word) for word in text.split(",")]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sidecar")
    parser.add_argument("picture")
    parser.add_argument("--field", required=True, help="a vector is shown by its magnitude")
    parser.add_argument("--frame", type=int, default=-1, help="-1 is the last")
    parser.add_argument("--film", action="store_true", help="all frames")
    parser.add_argument("--box", type=numbers, required=True, help="lower corner, edges")
    parser.add_argument("--radius", type=float, default=0.5, help="of a sphere [sigma]")
    parser.add_argument("--range", type=numbers, help="of the colours")
    parser.add_argument("--size", type=int, nargs=2, default=[1200, 1000], help="in pixels")
    return parser.parse_args()


def range_of(reader, field, times):
    """Least and greatest value over the frames that are shown."""
    ranges = []
    for time in times:
        reader.UpdatePipeline(time)
        array = reader.PointData[field]
        # Component -1 is the magnitude.
        ranges.append(array.GetRange(-1 if array.GetNumberOfComponents() > 1 else 0))
    return min(low for low, _ in ranges), max(high for _, high in ranges)


def show_particles(reader, view, options, times):
    particles = Show(reader, view)
    particles.SetRepresentationType("Point Gaussian")
    particles.ShaderPreset = "Sphere"
    particles.GaussianRadius = options.radius
    vector = reader.PointData[options.field].GetNumberOfComponents() > 1
    ColorBy(particles, ("POINTS", options.field, "Magnitude") if vector
            else ("POINTS", options.field))
    colors = GetColorTransferFunction(options.field)
    colors.ApplyPreset("Viridis (matplotlib)", True)
    colors.RescaleTransferFunction(*(options.range or range_of(reader, options.field, times)))
    bar = GetScalarBar(colors, view)
    bar.Title = options.field.replace("_", " ")
    bar.ComponentTitle = "magnitude" if vector else ""
    bar.RangeLabelFormat = "%-#6.3g"
    bar.TitleColor = bar.LabelColor = BLACK
    bar.TitleFontSize = bar.LabelFontSize = 18
    bar.WindowLocation = "Lower Right Corner"
    bar.ScalarBarLength = 0.4
    particles.SetScalarBarVisibility(view, True)


def show_box(view, lower, edges):
    box = Box(XLength=edges[0], YLength=edges[1], ZLength=edges[2],
              Center=[start + edge / 2 for start, edge in zip(lower, edges)])
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
    reader = XDMFReader(FileNames=[options.sidecar])
    reader.UpdatePipelineInformation()
    all_times = reader.TimestepValues
    all_times = list(all_times) if hasattr(all_times, "__len__") else [all_times]
    times = all_times if options.film else [all_times[options.frame]]
    reader.UpdatePipeline(times[0])

    view = CreateView("RenderView")
    view.ViewSize = options.size
    view.UseColorPaletteForBackground = 0
    view.Background = [1, 1, 1]
    view.OrientationAxesVisibility = 0
    show_particles(reader, view, options, times)
    show_box(view, options.box[:3], options.box[3:])
    show_time(reader, view)
    view.ViewTime = times[0]
    place_camera(view)
    if options.film:
        scene = GetAnimationScene()
        scene.UpdateAnimationUsingDataTimeSteps()
        SaveAnimation(options.picture, view, FrameRate=FRAMES_PER_SECOND)
    else:
        SaveScreenshot(options.picture, view, CompressionLevel="9")


main()
