"""Is what a run left, killed or not, a trajectory whose every complete frame is good?

    python3 tools/check_trajectory_h5py.py RUN/trajectory.h5md EVERY

A frame is complete when every dataset has it. The steps must be 0, EVERY, 2 EVERY, ... over all files
of the trajectory, positions inside the box, and a dataset at most one row longer than the others.
Prints the number of frames and of incomplete ones; exit status 1 if anything is wrong. Needs h5py.
"""
import sys
from pathlib import Path

import h5py
import numpy

from h5md_frames import data_files, row_datasets


def check_file(file, every, first):
    """(complete frames, rows beyond them)"""
    lengths = [len(data) for data in row_datasets(file)]
    frames, longest = min(lengths), max(lengths)
    if longest > frames + 1:
        raise ValueError(f"lengths from {frames} to {longest}")
    particles = file["particles/all"]
    steps = particles["position/step"][:frames]
    if not numpy.array_equal(steps, every * numpy.arange(first, first + frames)):
        raise ValueError(f"steps {steps} from frame {first} on")
    low = particles["box"].attrs["origin"]
    for row in range(frames):
        position = particles["position/value"][row]
        high = low + particles["box/edges/value"][row].diagonal()
        if not (position >= low - 1e-4).all() or not (position <= high + 1e-4).all():
            raise ValueError(f"frame {first + row}: positions outside the box")
        for name, element in particles.items():
            if isinstance(element, h5py.Group) and name != "box":
                if not numpy.isfinite(element["value"][row]).all():
                    raise ValueError(f"frame {first + row}: {name} is not finite")
    return frames, longest - frames


def check(path, every):
    files = data_files(path)
    if not files:
        raise ValueError("no such file")
    frames = incomplete = 0
    for part in files:
        with h5py.File(part, "r") as file:
            more, beyond = check_file(file, every, frames)
            frames, incomplete = frames + more, incomplete + beyond
    return f"{frames} frames, {incomplete} incomplete"


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    try:
        print(check(Path(sys.argv[1]), int(sys.argv[2])))
    except (OSError, LookupError, ValueError, RuntimeError) as error:
        sys.exit(f"{sys.argv[1]}: {error}")


main()
