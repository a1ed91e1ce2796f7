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
packages=(vtk ovito ase MDAnalysis h5py gsd)

modules=$(printf 'import vtk, ovito, ase, MDAnalysis, h5py, gsd\n')
if [[ -x $folder/bin/python ]] && "$folder/bin/python" -W ignore -c "$modules" 2>/dev/null; then exit 0; fi
/usr/bin/python3 -m venv "$folder"
if ! "$folder/bin/pip" install --quiet --disable-pip-version-check --retries 1 --timeout 20 \
  "${packages[@]}" >"$folder/install.log" 2>&1; then
  echo "SKIPPED: pip cannot install ${packages[*]}: $(grep -v '^$' "$folder/install.log" | tail -n 1)"
  exit 77
fi
