"""Does ASE read from an extended XYZ file of `pencilbox convert` what the H5MD files hold?

    python3 tools/check_converted_ase.py RUN/trajectory.h5md CONVERTED.extxyz

The file has all frames, written with --elements, one for each type. Compares step, time, box,
periodicity, positions, velocities, images, masses, ids and types of every frame with the HDF5 data.
Prints one line; exit status 1 on any difference, 77 where there is no ASE.
"""
import sys
from pathlib import Path

try:
    import ase
    import ase.io
except ImportError:
    print("SKIPPED: no ASE here")
    sys.exit(77)

import numpy
from h5md_frames import Frames, compare


def wrapped(position, image, box, row):
    """A coordinate that rounding has put on the upper face is written at the lower one."""
    low, edges = box.attrs["origin"], box["edges/value"][row].diagonal()
    periodic = numpy.array([word == b"periodic" for word in box.attrs["boundary"]])
    over = (periodic & (position >= low + edges)).astype(int)
    under = (periodic & (position < low)).astype(int)
    return position + edges * (under - over), image + over - under


def compare_frame(number, atoms, frames):
    arrays = frames[number]
    file, row = frames.places[number]
    box = file["particles/all/box"]

    def same(what, seen, stored):
        seen = numpy.asarray(seen)
        compare(f"frame {number}: {what}", seen, numpy.asarray(stored).astype(seen.dtype))

    same("step", atoms.info["step"], file["particles/all/position/step"][row])
    same("time", atoms.info["time"], frames.times[number])
    same("edges", atoms.cell.array, box["edges/value"][row])
    same("periodicity", atoms.pbc, [word == b"periodic" for word in box.attrs["boundary"]])
    position, image = wrapped(arrays["position"].astype(float), arrays.get("image", 0), box, row)
    same("position", atoms.positions, position)
    if "image" in arrays:
        same("image", atoms.arrays["image"], image)
    if "velocity" in arrays:
        same("velocity", atoms.arrays["velo"], arrays["velocity"])
    same("mass", atoms.get_masses().astype(arrays["mass"].dtype), arrays["mass"])
    same("id", atoms.arrays["id"], arrays.get("id", numpy.arange(1, len(atoms) + 1)))
    symbols = numpy.array(atoms.get_chemical_symbols())
    for kind in set(arrays["species"]):
        if len(set(symbols[arrays["species"] == kind])) != 1:
            raise ValueError(f"frame {number}: type {kind} has several elements")
    if len(set(symbols)) != len(set(arrays["species"])):
        raise ValueError(f"frame {number}: elements {set(symbols)}")


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    try:
        frames = Frames(Path(sys.argv[1]))
        seen = ase.io.read(sys.argv[2], ":")
        if len(seen) != len(frames):
            raise ValueError(f"{len(seen)} frames, in the file {len(frames)}")
        for number, atoms in enumerate(seen):
            compare_frame(number, atoms, frames)
        print(f"{sys.argv[2]}: ASE {ase.__version__}: {len(seen)} frames, {len(seen[0])} particles: "
              "equal")
    except (OSError, LookupError, ValueError) as error:
        sys.exit(f"{sys.argv[2]}: ASE: {error}")


main()
