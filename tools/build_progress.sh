# shellcheck shell=bash
# Sourced by ./pencilbox: a build says before it starts how much it is, and then how far it has come.

seconds_between_lines=60 # in a log; on a terminal one line moves

# So long takes a file on one core, on the average of the program's and where ccache does not know it:
# measured with g++ 12 on Zen 3, several small sources to a file.
core_seconds_a_file=10

# files_to_build BUILD TARGET: the number of steps that are to be done; 0 where all is built.
files_to_build() {
  local plan
  plan=$(NINJA_STATUS='[%f/%t] ' ninja -C "$1" -n "$2" 2>/dev/null) || true
  sed -n 's/^\[[0-9]*\/\([0-9]*\)\] .*/\1/p' <<<"$plan" | tail -n 1 | grep . || echo 0
}

# expected_time FILES CORES: in words, for a build that finds nothing in ccache.
expected_time() {
  local seconds=$(($1 * core_seconds_a_file / $2))
  if ((seconds < 90)); then echo "about a minute"; else echo "about $(((seconds + 59) / 60)) minutes"; fi
}

# time_passed SECONDS: 75 becomes 1m15s.
time_passed() {
  if (($1 < 60)); then echo "${1}s"; else printf '%dm%02ds\n' $(($1 / 60)) $(($1 % 60)); fi
}

can_rewrite_a_line() { [[ -t 2 && ${TERM:-dumb} != dumb ]]; }

# show_line TEXT: in the place of the one before, cut so that it does not wrap.
show_line() {
  local columns
  columns=$(stty size <&2 2>/dev/null | cut -d' ' -f2) || true
  if ! ((${columns:-0} > 0)); then columns=80; fi
  printf '\r\033[K%s' "${1:0:columns-1}" >&2
}

# show_progress: reads what ninja prints, with NINJA_STATUS='[%f/%t] '.
show_progress() {
  local line status counter='' file='' told=$SECONDS start=$SECONDS moves=no
  if can_rewrite_a_line; then moves=yes; fi
  while true; do
    status=0
    IFS= read -r -t 1 line || status=$?
    if ((status > 0 && status <= 128)); then break; fi # above 128: nothing came for a second
    if ((status == 0)) && [[ $line =~ ^(\[[0-9]+/[0-9]+\])\ (.*)$ ]]; then
      counter=${BASH_REMATCH[1]} file=${BASH_REMATCH[2]##*.dir/}
      file=${file//__\//}
    fi
    if [[ -z $counter ]]; then continue; fi
    if [[ $moves == yes ]]; then
      show_line "pencilbox: $counter $(time_passed $((SECONDS - start)))  ${file##* }"
    elif ((SECONDS - told >= seconds_between_lines)); then
      echo "pencilbox: $counter $(time_passed $((SECONDS - start)))" >&2
      told=$SECONDS
    fi
  done
  if [[ $moves == yes ]]; then printf '\r\033[K' >&2; fi
}
