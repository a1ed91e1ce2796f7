"""Does OVITO read what the H5MD files hold?

    python3 tools/check_trajectory_ovito.py RUN/trajectory.h5md [--seed 1] [--killed]

Opens the file, or the files of a trajectory that is split, as a user would, visits every frame twice,
in random order, and compares step, time, box, periodicity and every array of the particles with the
HDF5 data. Prints one line; exit status 1 on any difference, 77 where there is no OVITO. After a run
was killed OVITO may show a frame that is not complete; it is left alone.
"""
import sys

try:
    import ovito
    from ovito.io import import_file
except ImportError:
    print("SKIPPED: no OVITO here")
    sys.exit(77)

import numpy
from h5md_frames import Frames, compare, run_check, visit_frames

NAMES = {"position": "Position", "velocity": "Velocity", "force": "Force", "mass": "Mass",
         "species": "Particle Type", "id": "Particle Identifier"}
DERIVED = {"Velocity Magnitude"}


def compare_cell(number, cell, box, row):
    """In an open direction OVITO shows what the particles take up; H5MD's edge means nothing there."""
    periodic = [word == b"periodic" for word in box.attrs["boundary"]]
    if not any(periodic):
        return
    compare(f"frame {number}: periodicity", numpy.array(cell.pbc), numpy.array(periodic))
    edges = box["edges/value"][row].diagonal()
    shown = cell[...].diagonal()[:3]
    for d in range(3):
        if periodic[d]:
            compare(f"frame {number}: edge {d}", shown[d], edges[d])
            compare(f"frame {number}: origin {d}", cell[d, 3], box.attrs["origin"][d])


def compare_frame(pipeline, frames, number, time, arrays):
    file, row = frames.places[number]
    data = pipeline.compute(number)
    particles = data.particles
    compare(f"frame {number}: time", numpy.array(data.attributes["time"]), numpy.array(time))
    step = file["particles/all/position/step"][row]
    compare(f"frame {number}: step", numpy.array(data.attributes["frame"]), numpy.array(int(step)))
    compare_cell(number, data.cell, file["particles/all/box"], row)
    expected = {NAMES.get(name, name): values for name, values in arrays.items()}
    shown = set(particles.keys()) - DERIVED
    if shown != set(expected):
        raise ValueError(f"frame {number}: {sorted(shown)}, in the file {sorted(expected)}")
    for name, stored in expected.items():
        seen = particles[name][...]
        # Its own properties are f64 and i64, whatever the file has: nothing is lost.
        compare(f"frame {number}: {name}", seen, stored.astype(seen.dtype))


def check(options):
    frames = Frames(options.sidecar)
    files = sorted({file.filename for file, _ in frames.places})
    pipeline = import_file(files)
    count = pipeline.source.num_frames
    if count != len(frames) and not (options.killed and count == len(frames) + 1):
        raise ValueError(f"{count} frames, in the file {len(frames)}")
    return visit_frames(frames, frames.times, options.seed,
                        lambda *frame: compare_frame(pipeline, frames, *frame))


run_check(__doc__, f"OVITO {ovito.version_string}", check)
