#!/usr/bin/env bash
# Puts physical-validation, from PyPI, into a virtual environment for tools/check_physical_validation.py.
#
#   tools/install_physical_validation.sh [FOLDER=build/physical-validation]
#
# Exit status 77, and a line with the reason, where the registry does not answer.
set -euo pipefail

root=$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")
folder=${1:-$root/build/physical-validation}
exec "$root/tools/python_environment.sh" "$folder" "physical_validation, h5py" physical-validation==1.0.5 h5py
