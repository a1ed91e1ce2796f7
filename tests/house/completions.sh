#!/usr/bin/env bash
# completions.sh PROGRAM: the completions and the man page that it makes are what shells and man take.
# A shell that is not installed is named and left out; bash is always there.
set -euo pipefail

program=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
touch deck.yaml
for shell in bash zsh fish man; do "$program" generate "$shell" >"pencilbox.$shell"; done

failed=0
# expect WHAT GOT WANTED
expect() {
  if [[ $2 == "$3" ]]; then return 0; fi
  printf '%s: got "%s", wanted "%s"\n' "$1" "$2" "$3" >&2
  failed=1
}

# in_bash WORD...: what is offered for the last of them.
in_bash() {
  bash -c 'source ./pencilbox.bash; COMP_WORDS=(pencilbox "$@"); COMP_CWORD=$#; _pencilbox
    echo "${COMPREPLY[*]}"' - "$@"
}
expect "a command" "$(in_bash che)" check
expect "an option" "$(in_bash run deck.yaml --wall)" --wall-time
expect "another command's option" "$(in_bash check deck.yaml --wall)" ""
expect "a check's option" "$(in_bash validate --pre)" --precision
expect "a file" "$(in_bash run dec)" deck.yaml
expect "a benchmark" "$(in_bash bench fen)" fenns
expect "a benchmark's option" "$(in_bash bench fenns --rad)" --radii
expect "a back end" "$(in_bash backends x-pencil-)" x-pencil-reg

if command -v fish >/dev/null; then
  in_fish() { fish --no-config -c "source pencilbox.fish; complete -C '$1'" | cut -f1 | paste -sd ' '; }
  expect "fish: a command" "$(in_fish 'pencilbox che')" check
  expect "fish: an option" "$(in_fish 'pencilbox run deck.yaml --wall')" --wall-time
  expect "fish: a benchmark" "$(in_fish 'pencilbox bench fen')" fenns
  expect "fish: a back end" "$(in_fish 'pencilbox backends x-pencil-')" x-pencil-reg
else
  echo "no fish here"
fi

if command -v zsh >/dev/null; then
  zsh -n pencilbox.zsh || failed=1
  expect "zsh: who completes" \
    "$(zsh -fc 'autoload -U compinit; compinit -D -u; source ./pencilbox.zsh; echo $_comps[pencilbox]')" \
    _pencilbox
else
  echo "no zsh here"
fi

if command -v mandoc >/dev/null; then
  mandoc -T lint -W error pencilbox.man || failed=1
else
  echo "no mandoc here"
fi
exit "$failed"
