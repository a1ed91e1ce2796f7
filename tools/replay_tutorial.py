#!/usr/bin/env python3
"""Does what docs/tutorial.md tells its reader to do, and compares what comes out.

    python3 tools/replay_tutorial.py PAGE FOLDER [--program build/host/app/pencilbox]

FOLDER is made anew. In order: a `yaml` block is saved under the name that the line above it gives, each
line of a `sh` block is typed into a shell there, a `python` block is run with the Python of build/readers,
where it is. Each line of a `text` block must be among what the block before it printed: words to the letter, whole numbers
exactly, others within 3 %. What needs a program that is not here is left out and said. Exits with 1
at the first difference.
"""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
BLOCK = re.compile(r"^```(sh|yaml|python|text)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
NAME = re.compile(r"[Ss]ave this as `([^`/]+)`:\s*$")
TOLERANCE = 0.03
# As the script ./pencilbox has it: threads that wait by spinning would take the cores of others.
ENVIRONMENT = {**os.environ, "OMP_WAIT_POLICY": "passive"}


def same_word(shown, printed):
    try:
        if re.fullmatch(r"-?\d+", shown):
            return shown == printed
        return abs(float(shown) - float(printed)) <= TOLERANCE * abs(float(shown))
    except ValueError:
        return shown == printed


def same_line(shown, printed):
    shown, printed = (re.split(r"[\s,]+", line.strip()) for line in (shown, printed))
    return len(shown) == len(printed) and all(map(same_word, shown, printed))


class Replay:
    def __init__(self, folder, program):
        self.folder, self.program = folder, program
        self.printed = ""
        self.left_out = []

    def shell(self, words):
        print("===", words[-1].splitlines()[0], flush=True)
        done = subprocess.run(words, cwd=self.folder, stdin=subprocess.DEVNULL, text=True,
                              stdout=subprocess.PIPE, env=ENVIRONMENT, check=False)
        if done.returncode != 0:
            sys.exit(f"{done.stdout}exit code {done.returncode}")
        self.printed += done.stdout

    def why_left_out(self, line):
        if line.startswith("./pencilbox view") and not shutil.which("pvbatch"):
            return "no ParaView here"
        if " --from " in line:
            options = subprocess.run([self.program, "compare", "--help"], text=True,
                                     stdout=subprocess.PIPE, check=True).stdout
            return None if "--from" in options else "this program has no --from yet"
        return None

    def do_sh(self, text):
        self.printed = ""
        for line in text.replace("\\\n", " ").splitlines():
            if why := self.why_left_out(line):
                self.left_out.append(f"{why}: {line}")
            else:
                self.shell(["bash", "-euo", "pipefail", "-c", line])

    def do_python(self, text):
        python = ROOT / "build/readers/bin/python"
        module = text.split()[1].split(".")[0]
        there = python.exists() and subprocess.run(
            [python, "-c", f"import {module}"], stderr=subprocess.DEVNULL, check=False).returncode == 0
        self.printed = ""
        if there:
            self.shell([str(python), "-c", text])
        else:
            self.printed = None
            self.left_out.append(f"no {module} here: {text.splitlines()[0]}")

    def do_text(self, text):
        if self.printed is None:
            return
        printed = self.printed.splitlines()
        for line in text.splitlines():
            if not any(same_line(line, other) for other in printed):
                sys.exit(f"the page shows\n{line}\nbut this came out:\n{self.printed}")

    def do(self, language, text, before):
        if language == "yaml":
            (self.folder / NAME.search(before).group(1)).write_text(text, encoding="utf-8")
        else:
            {"sh": self.do_sh, "python": self.do_python, "text": self.do_text}[language](text)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("page", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--program", type=pathlib.Path, default=ROOT / "build/host/app/pencilbox")
    options = parser.parse_args()
    shutil.rmtree(options.folder, ignore_errors=True)
    options.folder.mkdir(parents=True)
    (options.folder / "pencilbox").symlink_to(options.program.resolve())
    page = options.page.read_text(encoding="utf-8")
    replay = Replay(options.folder, options.program.resolve())
    for block in BLOCK.finditer(page):
        replay.do(*block.groups(), page[:block.start()])
    for line in replay.left_out:
        print("left out,", line)
    print(f"{options.page}: every other command works, and prints what the page shows")
    if replay.left_out:
        print("SKIPPED:", *sorted({line.split(":")[0] for line in replay.left_out}), sep=" ")
        sys.exit(77)


main()
