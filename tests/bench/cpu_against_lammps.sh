#!/usr/bin/env bash
# The melt on a plain CPU, this program against the distribution's LAMMPS: installs that, builds this,
# runs both in turn and prints the ratios. Arguments go on to cpu_against_lammps.py.
set -euo pipefail
root=$(dirname "$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")")
cd "$root"
# shellcheck source=tools/install_missing.sh
source tools/install_missing.sh
install_missing lammps openmpi-bin python3
PENCILBOX_PRESET=host ./pencilbox info >/dev/null
exec python3 tests/bench/cpu_against_lammps.py build/host/app/pencilbox "$@"
