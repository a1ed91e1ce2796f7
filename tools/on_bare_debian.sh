#!/usr/bin/env bash
# A newcomer's machine: a Debian with nothing in it, and the README's commands from top to bottom.
#
#   on_bare_debian.sh SUITE FOLDER    e.g. trixie build/ci/trixie
#
# FOLDER/root becomes the system (anew each time), FOLDER/ccache keeps what was compiled; or PENCILBOX_CCACHE
# does: with the cache of a machine that has the same compiler, next to nothing is compiled again. Pictures and
# MDAnalysis are left out: they would install more than all the rest, and other stages of CI have them.
# Needs root and debootstrap; returns 77, in words, where it has not.
set -euo pipefail

suite=$1 folder=$2
here=$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")

skip() {
  echo "SKIPPED: $*"
  exit 77
}
((EUID == 0)) || skip "only root may make a system to change into"
command -v debootstrap >/dev/null || skip "no debootstrap here"

cache=${PENCILBOX_CCACHE:-$folder/ccache}
mkdir -p "$folder" "$cache"
folder=$(readlink -f "$folder") cache=$(readlink -f "$cache")
system=$folder/root

leave() {
  local place
  for place in "$system/root/.cache/ccache" "$system/proc"; do
    if mountpoint -q "$place"; then umount "$place"; fi
  done
}
leave
trap leave EXIT

# A mirror that does not answer for once is no fault of ours.
make_system() {
  local attempt
  for attempt in 1 2 3; do
    rm -rf --one-file-system "$system"
    debootstrap --variant=minbase "$suite" "$system" >"$folder/debootstrap.log" 2>&1 && return
    echo "debootstrap failed, attempt $attempt of 3:"
    tail -n 20 "$folder/debootstrap.log"
  done
  return 1
}
make_system

mount -t proc proc "$system/proc"
mkdir -p "$system/root/.cache/ccache" "$system/pencilbox"
mount --bind "$cache" "$system/root/.cache/ccache"
(cd "$here" && git ls-files -z --cached --others --exclude-standard |
  tar --null --ignore-failed-read -T - -c) | tar -x -C "$system/pencilbox"

# ccache takes what was compiled in another locale for something else.
newcomer=(env -i HOME=/root TERM=dumb PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
  ${CI:+CI="$CI"} ${LANG:+LANG="$LANG"} ${LC_ALL:+LC_ALL="$LC_ALL"})
"${newcomer[@]}" "$(command -v python3)" "$here/tools/replay_readme.py" /pencilbox README.md --chroot "$system" \
  --no-python --leave-out './pencilbox test' \
  --leave-out './pencilbox view melt-small --field potential_energy --overwrite'

# What this system's compiler and libraries made of every back end: the forces of a liquid against the reference.
# (Those of a crystal are zero, and hide much.)
in_system() { "${newcomer[@]}" chroot "$system" /pencilbox/build/host/app/pencilbox "$@"; }
for precision in single mixed double; do
  in_system run /pencilbox/inputs/melt-small.yaml --quiet --overwrite --set run.steps=200 --set "run.precision=$precision" \
    --set output.checkpoint.every=100 --set output.directory=/liquid
  in_system compare /pencilbox/inputs/melt-small.yaml --from /liquid --set "run.precision=$precision" --steps 2 --repeats 1 \
    --overwrite --output /liquid-compare
done
