"""What the checks of trajectories share: the frames that the H5MD files hold, and an exact comparison."""
import argparse
import random
import re
import sys
from pathlib import Path

import h5py
import numpy


def data_files(path):
    """The H5MD files of a trajectory, given by any of its names, in their order."""
    whole = path.with_suffix(".h5md")
    return [whole] if whole.exists() else sorted(path.parent.glob(f"{path.stem}-*.h5md"))


def row_datasets(file):
    """All that gain a row with each frame: not what observables find, which has steps of its own."""
    found = []

    def visit(name, item):
        if isinstance(item, h5py.Dataset) and item.maxshape[:1] == (None,) \
                and not re.match("observables/[^/]+/(table|numbers)/", name):
            found.append(item)

    file.visititems(visit)
    return found


def complete_frames(file):
    """Those that every dataset has: a killed run may leave a row more in some."""
    return min(len(data) for data in row_datasets(file))


class Frames:
    """Times, and for each frame name -> values of all that has a value for each particle."""

    def __init__(self, path):
        self.files = [h5py.File(part, "r") for part in data_files(path)]
        if not self.files:
            raise OSError("no trajectory here")
        self.places = [(file, row) for file in self.files for row in range(complete_frames(file))]
        self.times = numpy.array([file["particles/all/position/time"][row]
                                  for file, row in self.places])

    def __len__(self):
        return len(self.places)

    def __getitem__(self, number):
        file, row = self.places[number]
        arrays = {}
        for name, element in file["particles/all"].items():
            if isinstance(element, h5py.Dataset):
                arrays[name] = element[...]
            elif name != "box":
                arrays[name] = element["value"][row]
        return arrays


def compare(what, seen, stored):
    """seen, stored: arrays of one shape and type that must be equal, NaN where NaN."""
    if seen.shape != stored.shape:
        raise ValueError(f"{what}: shape {seen.shape}, in the file {stored.shape}")
    if seen.dtype != stored.dtype:
        raise ValueError(f"{what}: type {seen.dtype}, in the file {stored.dtype}")
    if not numpy.array_equal(seen, stored, equal_nan=stored.dtype.kind == "f"):
        raise ValueError(f"{what}: {numpy.count_nonzero(seen != stored)} values differ")


def shown_times(seen, stored, killed):
    """The times that a sidecar shows, compared; after a kill it may lack the last frame."""
    seen = numpy.atleast_1d(numpy.array(seen, dtype=float))
    lacks_one = killed and len(seen) == len(stored) - 1
    compare("times", seen, stored[:-1] if lacks_one else stored)
    return seen


def compare_arrays(number, data, frame, to_numpy):
    """data: vtkPointData of a frame, which must show every array of the file but the position."""
    shown = {data.GetArrayName(i) for i in range(data.GetNumberOfArrays())}
    expected = set(frame) - {"position"}
    if shown != expected:
        raise ValueError(f"frame {number}: arrays {sorted(shown)}, in the file {sorted(expected)}")
    for name in sorted(expected):
        compare(f"frame {number}: {name}", to_numpy(data.GetArray(name)), frame[name])


def visit_frames(frames, times, seed, visit):
    """Calls visit(number, time, frame) for every frame twice, in random order; says what was seen."""
    visits = 2 * list(range(len(times)))
    random.Random(seed).shuffle(visits)
    for number in visits:
        visit(number, times[number], frames[number])
    return f"{len(times)} frames, {len(frames[0]['position'])} particles, " \
        f"{len(frames[0])} arrays: equal"


def run_check(documentation, reader, check):
    """The command line of a check of a sidecar: one line, exit status 1 on any difference."""
    parser = argparse.ArgumentParser(description=documentation.splitlines()[0])
    parser.add_argument("sidecar", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--killed", action="store_true")
    options = parser.parse_args()
    try:
        print(f"{options.sidecar}: {reader}: {check(options)}")
    except (OSError, LookupError, ValueError) as error:
        sys.exit(f"{options.sidecar}: {reader}: {error}")
