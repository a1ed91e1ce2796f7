#!/usr/bin/env bash
# Every C++ file is formatted as .clang-format says. The verdict belongs to one version: others format
# differently. Returns 77 (skipped) where that version is missing.
set -euo pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../.."

version=14
for candidate in clang-format-$version clang-format; do
  if command -v "$candidate" >/dev/null && "$candidate" --version | grep -q "version $version\."; then
    tool=$candidate
  fi
done
if [[ -z ${tool:-} ]]; then
  echo "SKIPPED: no clang-format $version here"
  exit 77
fi

# What is in the repository or about to be; a file that was just deleted is neither.
mapfile -d '' files < <(git ls-files -z --cached --others --exclude-standard -- '*.hpp' '*.cpp')
present=()
for file in "${files[@]}"; do
  if [[ -f $file ]]; then present+=("$file"); fi
done
if ((${#present[@]} == 0)); then
  echo "no C++ files found: is this the repository?"
  exit 1
fi
"$tool" --dry-run -Werror "${present[@]}"
echo "format: ${#present[@]} files are as they should be"
