#!/usr/bin/env bash
# Puts the programs that checks open trajectories with, in their current versions, into a virtual
# environment: VTK, OVITO, ASE, MDAnalysis and GSD, from PyPI.
#
#   tools/install_readers.sh [FOLDER=build/readers]
#
# Exit status 77, and a line with the reason, where the registry does not answer.
set -euo pipefail

root=$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")
folder=${1:-$root/build/readers}
exec "$root/tools/python_environment.sh" "$folder" "vtk, ovito, ase, MDAnalysis, h5py, gsd" vtk ovito ase MDAnalysis h5py gsd
