#!/usr/bin/env bash
# Puts physical-validation, from PyPI, into a virtual environment for tools/check_physical_validation.py.
#
#   tools/install_physical_validation.sh [FOLDER=build/physical-validation]
#
# Exit status 77, and a line with the reason, where the registry does not answer.
set -euo pipefail

root=$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")
folder=${1:-$root/build/physical-validation}
packages=(physical-validation==1.0.5 h5py)

if [[ -x $folder/bin/python ]] && "$folder/bin/python" -W ignore -c 'import physical_validation, h5py' 2>/dev/null; then exit 0; fi
/usr/bin/python3 -m venv "$folder"
if ! "$folder/bin/pip" install --quiet --disable-pip-version-check --retries 1 --timeout 20 \
  "${packages[@]}" >"$folder/install.log" 2>&1; then
  echo "SKIPPED: pip cannot install ${packages[*]}: $(grep -v '^$' "$folder/install.log" | tail -n 1)"
  exit 77
fi
