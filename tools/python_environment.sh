#!/usr/bin/env bash
# Makes a virtual environment with packages from PyPI, unless it is there and imports them:
#
#   tools/python_environment.sh FOLDER "MODULE, MODULE" PACKAGE ...
#
# Exit status 77, and a line with the reason, where the registry does not answer.
set -euo pipefail

folder=$1 modules=$2
packages=("${@:3}")

if [[ -x $folder/bin/python ]] && "$folder/bin/python" -W ignore -c "import $modules" 2>/dev/null; then exit 0; fi
/usr/bin/python3 -m venv "$folder"
if ! "$folder/bin/pip" install --quiet --disable-pip-version-check --retries 1 --timeout 20 \
  "${packages[@]}" >"$folder/install.log" 2>&1; then
  echo "SKIPPED: pip cannot install ${packages[*]}: $(grep -v '^$' "$folder/install.log" | tail -n 1)"
  exit 77
fi
