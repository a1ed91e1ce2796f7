#!/usr/bin/env python3
"""Does what a page of documentation tells its reader to do, from top to bottom.

  replay_readme.py TREE PAGE [--chroot DIR] [--leave-out COMMAND ...] [--no-python | --only-python]
                   [--python PROGRAM=/usr/bin/python3]

TREE is a copy of the source tree that nothing was built in, PAGE a file of it. In order: each line of
a `sh` block is typed into a shell in TREE, each `yaml` block is saved under the name that the line
above it gives ("Save this as `first-melt.yaml`:"), each `python` block is run. The page's commands have to
work one after the other, and those that replace their outputs (--overwrite) a second time, too.
With --chroot, TREE is a path in DIR, where all of it happens. --leave-out names a line that another check
runs, word for word; --no-python and --only-python, whole kinds of blocks. Exits with 1 at the first command that fails.
"""

import argparse
import pathlib
import re
import subprocess
import sys
import time

BLOCK = re.compile(r"^```(sh|yaml|python)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
NAME = re.compile(r"[Ss]ave (?:this|it) as `([^`/]+)`:\s*$")


def steps_of(page):
    """(kind, text) of each thing to do: a line of shell, a file to save, a script of Python."""
    for block in BLOCK.finditer(page):
        language, text = block.groups()
        if language == "sh":
            for line in text.replace("\\\n", " ").splitlines():
                if line.strip() and not line.lstrip().startswith("#"):
                    yield "shell", line
        elif language == "python":
            yield "python", text
        elif name := NAME.search(page[: block.start()]):
            yield name.group(1), text


class Replay:
    def __init__(self, tree, chroot, python):
        self.tree, self.chroot, self.python = tree, chroot, python

    def run(self, words):
        script = 'cd "$1"; shift; exec "$@"'
        command = ["bash", "-euc", script, "-", str(self.tree), *words]
        if self.chroot:
            command = ["chroot", self.chroot, *command]
        return subprocess.run(command, stdin=subprocess.DEVNULL, check=False).returncode

    def save(self, name, text):
        tree = pathlib.Path(self.chroot, str(self.tree).lstrip("/")) if self.chroot else self.tree
        (tree / name).write_text(text, encoding="utf-8")

    def do(self, kind, text):
        print(f"=== {kind}: {text.splitlines()[0]}", flush=True)
        start = time.monotonic()
        if kind == "shell":
            code = self.run(["bash", "-euo", "pipefail", "-c", text])
        elif kind == "python":
            code = self.run([self.python, "-c", text])
        else:
            self.save(kind, text)
            code = 0
        print(f"    exit code {code}, {time.monotonic() - start:.0f} s", flush=True)
        return code


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tree", type=pathlib.Path)
    parser.add_argument("page")
    parser.add_argument("--chroot")
    parser.add_argument("--leave-out", action="append", default=[])
    parser.add_argument("--python", default="/usr/bin/python3")
    kinds = parser.add_mutually_exclusive_group()
    kinds.add_argument("--no-python", action="store_true")
    kinds.add_argument("--only-python", action="store_true")
    arguments = parser.parse_args()
    inside = arguments.tree
    outside = (
        pathlib.Path(arguments.chroot, str(inside).lstrip("/")) if arguments.chroot else inside
    )
    steps = list(steps_of((outside / arguments.page).read_text(encoding="utf-8")))
    if arguments.no_python or arguments.only_python:
        steps = [step for step in steps if (step[0] == "python") == arguments.only_python]
    if not steps:
        sys.exit(f"{arguments.page}: nothing to replay")
    left_out = set()
    replay = Replay(inside, arguments.chroot, arguments.python)
    again = []
    for kind, text in steps:
        bare = text.split("#")[0].strip()
        if bare in arguments.leave_out:
            left_out.add(bare)
            print(f"=== left out, another check runs it: {bare}", flush=True)
            continue
        if replay.do(kind, text) != 0:
            sys.exit(1)
        if kind == "shell" and ("--overwrite" in text or "--resume" in text):
            again.append((kind, text))
    for kind, text in again:
        if replay.do(kind, text) != 0:
            sys.exit(1)
    if missing := set(arguments.leave_out) - left_out:
        sys.exit(f"{arguments.page}: --leave-out names what is not there: {', '.join(missing)}")


if __name__ == "__main__":
    main()
