"""Pictures of a trajectory: particles as spheres, the box, the time and a colour bar.

`pencilbox view` runs this with ParaView's pvbatch; by hand:

    xvfb-run -a pvbatch app/commands/view.py RUN/trajectory.xmf2 PICTURE.png --field speed
        --box=X,Y,Z,LX,LY,LZ [--frame=N | --film] [--radius=0.5[,0.4...]] [--range=MIN,MAX]
        [--size 1200 1000] [--types=A,B]

--film writes all frames to one file, .avi or .ogv. The field `species` is shown in a colour for each type, with
its name.
"""
import argparse

from paraview.simple import (AnnotateTimeFilter, Box, ColorBy, CreateView, GetAnimationScene,
                             GetColorTransferFunction, GetScalarBar, Outline, SaveAnimation,
                             SaveScreenshot, Show, Threshold, XDMFReader)

BLACK = [0, 0, 0]
FRAMES_PER_SECOND = 10
# Of types, in their order: told apart by the colour-blind too (Okabe and Ito 2008).
TYPE_COLORS = [(0.00, 0.45, 0.70), (0.90, 0.62, 0.00), (0.00, 0.62, 0.45), (0.80, 0.47, 0.65),
               (0.34, 0.71, 0.91), (0.84, 0.37, 0.00), (0.94, 0.89, 0.26), (0.35, 0.35, 0.35)]


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
    parser.add_argument("--radius", type=numbers, default=[0.5],
                        help="of a sphere [sigma], or of one of each type")
    parser.add_argument("--types", type=lambda text: text.split(","), default=[])
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


def parts_of(reader, options):
    """What is drawn alike, and its radius: all particles or, where radii differ, those of each type."""
    if len(options.radius) == 1:
        return [(reader, options.radius[0])]
    return [(Threshold(Input=reader, Scalars=["POINTS", "species"], ThresholdMethod="Between",
                       LowerThreshold=kind - 0.5, UpperThreshold=kind + 0.5), radius)
            for kind, radius in enumerate(options.radius)]


def colors_of(reader, options, times):
    colors = GetColorTransferFunction(options.field)
    if options.field == "species" and options.types:
        colors.InterpretValuesAsCategories = 1
        colors.Annotations = [word for kind, name in enumerate(options.types)
                              for word in (str(kind), name)]
        colors.IndexedColors = [part for kind in range(len(options.types))
                                for part in TYPE_COLORS[kind % len(TYPE_COLORS)]]
        return colors
    colors.ApplyPreset("Viridis (matplotlib)", True)
    colors.RescaleTransferFunction(*(options.range or range_of(reader, options.field, times)))
    return colors


def show_particles(reader, view, options, times):
    vector = reader.PointData[options.field].GetNumberOfComponents() > 1
    colors = colors_of(reader, options, times)
    for part, radius in parts_of(reader, options):
        particles = Show(part, view)
        particles.SetRepresentationType("Point Gaussian")
        particles.ShaderPreset = "Sphere"
        particles.GaussianRadius = radius
        ColorBy(particles, ("POINTS", options.field, "Magnitude") if vector
                else ("POINTS", options.field))
        particles.LookupTable = colors
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
