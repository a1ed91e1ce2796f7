#!/usr/bin/env python3
"""What ranks of many GPUs would cost: ghosts, letters, output, from what was measured on one and on two.

    tools/ranks_on_paper.py [--atoms 16384000] [--ranks 1024] [--precision single] [--network 50]

--atoms: on each GPU, in a cube; --network: GB/s that a GPU sends to another machine and gets from there at the same
time (an assumption: a port of 400 Gb/s each). Prints the tables of docs/ranks_on_paper.md.
"""
import argparse
import math

DENSITY, TEMPERATURE, TIMESTEP = 0.8442, 0.72, 0.005
NEIGHBOURS = 26  # of a cube among cubes
# Bytes of the rows of letters, and of a particle in a frame: app/ranks/step_letters.hpp, io.
ROW = {"single": {"ghost": 24, "emigrant": 64, "position": 12}, "mixed": {"ghost": 36, "emigrant": 96, "position": 24}}
FRAME = 12 + 12 + 8  # position and velocity in float, id
# Measured: docs/results/2026-11-25-h200-trimmed-rows.md (a step alone), docs/results/ranks.csv (through the host: what
# neighborhood-in-sm takes more for letters of 2,048,000 atoms on two ranks, single, than from device to device).
STEP_OF_ATOM = {"trimmed-rows": 1e-6 / 3290, "cluster-list": 1e-6 / 4153}
CELL = {"trimmed-rows": 2.5, "cluster-list": 3.0}
HOST_SECONDS, HOST_ATOMS, HOST_ROW = 702e-6, 2048000, 32  # bytes of a ghost at the time


def layer(atoms, cell):
    """Ghosts of a cube of so many atoms: those in one layer of cells around it."""
    side = (atoms / DENSITY) ** (1 / 3)
    return DENSITY * ((side + 2 * cell) ** 3 - side ** 3)


def emigrants(atoms):
    """That leave a cube in a step: the flux of an ideal gas through its faces."""
    side = (atoms / DENSITY) ** (1 / 3)
    return 6 * side ** 2 * DENSITY * math.sqrt(TEMPERATURE / (2 * math.pi)) * TIMESTEP


def host_rate():
    """Bytes a second of letters through pinned memory and MPI, there and back: two faces of a cube on two ranks."""
    side = (HOST_ATOMS / DENSITY) ** (1 / 3)
    return 2 * side ** 2 * CELL["trimmed-rows"] * DENSITY * HOST_ROW / HOST_SECONDS


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--atoms", type=int, default=16384000)
    parser.add_argument("--ranks", type=int, default=1024)
    parser.add_argument("--precision", choices=ROW, default="single")
    parser.add_argument("--network", type=float, default=50.0)
    options = parser.parse_args()
    row = ROW[options.precision]

    print(f"{options.ranks} GPUs with {options.atoms:,} atoms each, {options.precision}; letters through the host as measured: "
          f"{host_rate() / 1e9:.1f} GB/s\n")
    print("| back end | atoms a GPU | ghosts | of its own | letters of a step, MB | a neighbour's, KB | step alone, us | network, us "
          "| through the host, us |")
    print("| --- " * 9 + "|")
    for backend, of_atom in STEP_OF_ATOM.items():
        for atoms in (options.atoms, options.atoms // 8, options.atoms // 64):
            ghosts = layer(atoms, CELL[backend])
            size = ghosts * row["position"]
            if backend == "trimmed-rows":
                size = ghosts * row["ghost"] + emigrants(atoms) * row["emigrant"]
            print(f"| `{backend}` | {atoms:,} | {ghosts:,.0f} | {100 * ghosts / atoms:.1f} % | {size / 1e6:.2f} | "
                  f"{size / NEIGHBOURS / 1e3:.0f} | {1e6 * atoms * of_atom:.0f} | {size / options.network / 1e3:.0f} | "
                  f"{1e6 * size / host_rate():.0f} |")
    whole = options.atoms * options.ranks
    cells = whole / DENSITY / CELL["trimmed-rows"] ** 3
    print(f"\n| what | of all {whole:,} atoms |\n| --- | --- |")
    print(f"| a frame with positions, velocities and ids | {whole * FRAME / 1e9:.0f} GB |")
    print(f"| cells of the global grid | {cells:.3g} of at most {2 ** 31 - 1:.3g} |")
    print(f"| atoms | {whole:.3g} of at most {2 ** 31 - 1:.3g} ids |")


if __name__ == "__main__":
    main()
