#!/usr/bin/env python3
"""Has the compiler read each source by itself, with the options of a build, and write nothing.

    tools/read_sources.py COMPILE_COMMANDS    compile_commands.json of a build directory

Prints what the compiler says of a source that it does not accept; exits 1 if there is one.
"""
import concurrent.futures
import json
import os
import shlex
import subprocess
import sys


def read(entry):
    """The source's name, and the compiler's words where it does not accept it."""
    words = shlex.split(entry["command"])
    at = words.index("-o")
    del words[at:at + 2]
    done = subprocess.run(words + ["-fsyntax-only"], cwd=entry["directory"], capture_output=True, text=True)
    return entry["file"], None if done.returncode == 0 else done.stderr


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        entries = json.load(file)
    if not entries:
        sys.exit("read_sources: nothing to read")
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for name, words in pool.map(read, entries):
            if words is not None:
                failed += 1
                print(f"{name}\n{words}")
    print(f"{len(entries)} sources read, {failed} not accepted")
    sys.exit(failed > 0)


main()
