# shellcheck shell=bash
# Sourced by ./pencilbox and .ci/run: installs what is missing by the distribution's package manager.

# missing_packages PACKAGE...: prints those that are not installed, one a line. One call of dpkg-query,
# so that it costs next to nothing when all is there.
missing_packages() {
  comm -13 \
    <(dpkg-query -W -f='${db:Status-Status} ${Package}\n' "$@" 2>/dev/null |
      sed -n 's/^installed //p' | LC_ALL=C sort -u) \
    <(printf '%s\n' "$@" | LC_ALL=C sort -u)
}

# install_missing PACKAGE...: installs those that are missing; says on stderr what it does.
# Returns 4 where that is not possible, after naming the command to type.
install_missing() {
  local -a missing as_root=()
  if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    echo "pencilbox: not a Debian or Ubuntu system, so nothing is installed here; the build needs" \
      "what these packages hold: $*" >&2
    return 0
  fi
  mapfile -t missing < <(missing_packages "$@")
  if ((${#missing[@]} == 0)); then return 0; fi

  if ((EUID != 0)); then
    if command -v sudo >/dev/null && { [[ -t 0 ]] || sudo -n true 2>/dev/null; }; then
      as_root=(sudo)
    else
      echo "pencilbox: packages are missing and only root may install them. Type, as root:" >&2
      echo "  apt-get update && apt-get install -y ${missing[*]}" >&2
      return 4
    fi
  fi
  as_root+=(env DEBIAN_FRONTEND=noninteractive)
  local -r apt_get=(apt-get -q -o Acquire::Retries=3) # a mirror may be busy for once

  local log
  log=$(mktemp)
  echo "pencilbox: installing ${missing[*]}" >&2
  # Lists that cannot be refreshed may still do; what is then missing, the installation says.
  "${as_root[@]}" "${apt_get[@]}" update </dev/null >"$log" 2>&1 ||
    echo "pencilbox: apt-get update failed, going on with the lists that are here" >&2
  if ! "${as_root[@]}" "${apt_get[@]}" -y --no-install-recommends install "${missing[@]}" \
    </dev/null >>"$log" 2>&1; then
    tail -n 40 "$log" >&2
    echo "pencilbox: apt-get install failed (whole log: $log)" >&2
    return 4
  fi
  rm -f "$log"
}
