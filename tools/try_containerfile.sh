#!/usr/bin/env bash
# Builds packaging/Containerfile by buildah and runs the program in what comes out. The image that it begins from
# is a Debian that debootstrap makes, so no registry of images is asked.
#
#   tools/try_containerfile.sh FOLDER    e.g. build/ci/container
#
# PENCILBOX_CCACHE, a folder of ccache's, is lent to the build if it is given.
# Needs root, debootstrap and buildah (a package of Debian); returns 77, in words, where it has not.
set -euo pipefail

folder=$1
here=$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")

skip() {
  echo "SKIPPED: $*"
  exit 77
}
((EUID == 0)) || skip "only root may make a system to begin from"
for tool in debootstrap buildah; do
  command -v "$tool" >/dev/null || skip "no $tool here"
done

mkdir -p "$folder"
folder=$(readlink -f "$folder")
rm -rf --one-file-system "$folder/debian" "$folder/context" "$folder/storage" "$folder/run"
mkdir -p "$folder/context"
(cd "$here" && git ls-files -z --cached --others --exclude-standard |
  tar --null --ignore-failed-read -T - -c) | tar -x -C "$folder/context"
debootstrap --variant=minbase bookworm "$folder/debian" >"$folder/debootstrap.log" 2>&1 || {
  tail -n 20 "$folder/debootstrap.log"
  exit 1
}

# Storage of its own, without overlays; steps run in a chroot, as inside of another container.
export BUILDAH_ISOLATION=chroot
buildah_here() { buildah --root "$folder/storage" --runroot "$folder/run" --storage-driver vfs "$@"; }

base=$(buildah_here from scratch)
buildah_here copy --quiet "$base" "$folder/debian" /
if [[ -n ${PENCILBOX_CCACHE:-} ]]; then # which takes what was compiled in another locale for something else
  buildah_here config --env LANG="${LANG:-C.UTF-8}" "$base"
fi
buildah_here commit --quiet --rm "$base" localhost/debian:12
cache=()
if [[ -n ${PENCILBOX_CCACHE:-} ]]; then
  cache=(--volume "$(readlink -f "$PENCILBOX_CCACHE"):/root/.cache/ccache")
fi
buildah_here build --pull-never "${cache[@]}" --file "$folder/context/packaging/Containerfile" --tag pencilbox "$folder/context"

container=$(buildah_here from --pull-never localhost/pencilbox)
in_container() { buildah_here run "$container" -- pencilbox "$@"; }
in_container info
in_container run /usr/local/share/pencilbox/inputs/melt-small.yaml --set run.steps=20 --set output.directory=/data/out
in_container validate --only configurations
# The command of the image, and nothing of the compiler that built it.
buildah_here inspect --type image --format '{{.OCIv1.Config.Entrypoint}} {{.OCIv1.Config.Cmd}}' localhost/pencilbox |
  grep -xF '[pencilbox] [--help]'
if buildah_here run "$container" -- sh -c 'command -v g++ cmake' 2>/dev/null; then
  echo "the image holds a compiler"
  exit 1
fi
buildah_here images
