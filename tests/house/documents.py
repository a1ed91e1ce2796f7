#!/usr/bin/env python3
"""documents.py ROOT: what a page shows is what was written. Checked for each page of Markdown:

blocks of code are closed, say what they hold (`sh`, `yaml`, ...) or hold no command; tables have a head, no
blank line within and as many cells in each row; links inside the tree lead to a file that is there, and to a
heading that it has.
"""

import pathlib
import re
import sys

FENCE = re.compile(r"^\s*(```+)(.*)$")
LINK = re.compile(r"(?<!!)\[[^\]^]+\]\(([^)\s]+)\)|!\[[^\]]*\]\(([^)\s]+)\)")
CODE = re.compile(r"`[^`]*`")
COMMAND = re.compile(r"^\s*\./pencilbox ")


def slug(heading):
    """As GitHub makes an anchor of a heading."""
    text = re.sub(r"[^\w\- ]", "", heading.replace("`", "").strip().lower())
    return text.replace(" ", "-")


def cells(row):
    """Of a row of a table: a bar in code is written `\\|` there."""
    return len(re.split(r"(?<!\\)\|", row.strip().strip("|")))


class Page:
    """A page in parts: what stands in blocks of code, and the rest by line."""

    def __init__(self, path):
        self.path, self.faults, self.prose, self.headings = path, [], {}, set()
        opened, language = 0, ""
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            fence = FENCE.match(line)
            if fence and opened and fence[2].strip():
                self.fault(number, f"a block begins, but that of line {opened} was not closed")
            if fence:
                opened, language = (0, "") if opened else (number, fence[2].strip())
            elif not opened:
                self.prose[number] = line
                if heading := re.match(r"#+ (.*)", line):
                    self.headings.add(slug(heading[1]))
            elif not language and COMMAND.match(line):
                self.fault(number, "a command in a block that does not say `sh`")
        if opened:
            self.fault(opened, "a block of code is not closed")

    def fault(self, number, words):
        self.faults.append(f"{self.path}:{number}: {words}")

    def check_commands(self):
        for number, line in self.prose.items():
            if COMMAND.match(line):
                self.fault(number, "a command outside of a block of code")

    def check_tables(self):
        width = None  # of the table that the line before belongs to
        for number, line in self.prose.items():
            if not line.lstrip().startswith("|"):
                width = None
                continue
            if width is None:
                width = cells(line)
                if not re.fullmatch(r"\s*\|[\s:|-]+\|?\s*", self.prose.get(number + 1, "")):
                    self.fault(number, "rows of a table without a head: is a blank line above them?")
            elif cells(line) != width:
                self.fault(number, f"{cells(line)} cells in a table of {width}")

    def check_links(self, pages):
        for number, line in self.prose.items():
            for link in LINK.finditer(CODE.sub("", line)):
                target = link[1] or link[2]
                if re.match(r"[a-z]+:", target):
                    continue
                name, _, anchor = target.partition("#")
                file = (self.path.parent / name).resolve() if name else self.path.resolve()
                if not file.exists():
                    self.fault(number, f"a link to {name}, which is not there")
                elif anchor and file in pages and anchor not in pages[file].headings:
                    self.fault(number, f"a link to #{anchor}, a heading that {file.name} has not")


def main():
    root = pathlib.Path(sys.argv[1])
    paths = [path for path in [*root.glob("*.md"), *root.glob("docs/**/*.md"), *root.glob("*/*.md"),
                               *root.glob("tests/**/*.md")] if "build" not in path.parts]
    pages = {path.resolve(): Page(path) for path in sorted(set(paths))}
    for page in pages.values():
        page.check_commands()
        page.check_tables()
        page.check_links(pages)
    faults = [fault for page in pages.values() for fault in page.faults]
    if not pages:
        faults = [f"{root}: no pages"]
    if faults:
        sys.exit("\n".join(faults))


main()
