#!/usr/bin/env python3
"""Steps of ranks with a list as a picture: which kernels of which GPU ran when.

    tools/draw_timeline.py PICTURE.svg CSV [CSV ...] [--steps 2] [--after 0.6] [--title TEXT]

CSV: what tools/kernel_timeline.cpp wrote, one file a process. Drawn are so many steps of the first process's, from
those that lie behind this part of what was noted, in which no list is made and no region timed. A GPU has a line for each stream that has kernels
there: the interior's, and the border's with its letters. Prints how long each kind of kernel took of these steps. Needs
nothing but Python.
"""
import argparse
import csv
import re
from pathlib import Path

# What is looked for in a kernel's name, what it is called, colour.
KINDS = [("TakePositions", "copies take positions", "#c98bdb"), ("SendPositions", "positions go", "#e58f5b"),
         ("ClosePositions|WaitForLetters", "are they there? told and heard", "#a23b3b"),
         ("HearIfDue|TellIfDue", "is a list due? told and heard", "#6d6d6d"),
         ("KickAndDrift", "forces and move", "#5b8fd9"), ("PairSumsView", "forces", "#8ab8e6"),
         ("WatchOwn", "move", "#5bb59b")]
WIDTH, LEFT, RIGHT, ROW, TOP = 1000, 210, 20, 34, 56


def kind_of(name):
    for number, (word, _, _) in enumerate(KINDS):
        if re.search(word, name):
            return number
    return None


def is_called(kernel, word):
    return kernel[4] is not None and word in KINDS[kernel[4]][0]


def kernels_of(path):
    rows = []
    with open(path, newline="") as file:
        for row in csv.DictReader(file):
            rows.append((int(row["start_ns"]), int(row["end_ns"]), int(row["device"]), int(row["stream"]),
                         kind_of(row["kernel"])))
    return sorted(rows)


def steps_without_a_list(kernels, wanted, after):
    """From when to when: between the words with which ranks end a step, with nothing else in it."""
    ends = [k for k in range(len(kernels)) if is_called(kernels[k], "HearIfDue")]
    for first in range(int(after * len(ends)), len(ends) - wanted):
        begin, end = ends[first], ends[first + wanted]
        inside = kernels[begin + 1:end + 1]
        vain = any(kernel[1] - kernel[0] < 3000 and is_called(kernel, "KickAndDrift") for kernel in inside)
        sampled = any(is_called(kernel, "WatchOwn") for kernel in inside)
        if not vain and not sampled and all(kernel[4] is not None for kernel in inside):
            return kernels[begin][1], kernels[end][1]
    raise SystemExit("no steps without a list")


def tick_of(microseconds):
    for tick in (5, 10, 20, 25, 50, 100, 200, 500, 1000):
        if microseconds / tick <= 12:
            return tick
    return 2000


def draw(lines, begin, end, title):
    height = TOP + ROW * len(lines) + 84
    scale = (WIDTH - LEFT - RIGHT) / (end - begin)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}" '
           f'font-family="Verdana, \'DejaVu Sans\', sans-serif" font-size="12" role="img"><title>{title}</title>',
           f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>',
           f'<text x="{LEFT}" y="24" font-size="14">{title}</text>']
    bottom = TOP + ROW * len(lines)
    tick = tick_of((end - begin) / 1000)
    for microseconds in range(0, (end - begin) // 1000 + 1, tick):
        x = LEFT + 1000 * microseconds * scale
        out.append(f'<line x1="{x:.1f}" y1="{TOP - 8}" x2="{x:.1f}" y2="{bottom}" stroke="#e4e4e4"/>')
        out.append(f'<text x="{x:.1f}" y="{bottom + 16}" text-anchor="middle">{microseconds}</text>')
    out.append(f'<text x="{WIDTH - RIGHT}" y="{bottom + 32}" text-anchor="end">microseconds</text>')
    used = set()
    for number, (name, kernels) in enumerate(lines):
        y = TOP + ROW * number
        out.append(f'<text x="{LEFT - 10}" y="{y + 16}" text-anchor="end">{name}</text>')
        for start_ns, end_ns, _, _, kind in kernels:
            x = LEFT + max(0, start_ns - begin) * scale
            width = max(1.0, (min(end_ns, end) - max(start_ns, begin)) * scale)
            used.add(kind)
            out.append(f'<rect x="{x:.1f}" y="{y}" width="{width:.1f}" height="{ROW - 12}" fill="{KINDS[kind][2]}"/>')
    x = LEFT
    y = bottom + 46
    for kind in sorted(used):
        label = KINDS[kind][1]
        if x + 24 + 7.6 * len(label) > WIDTH - RIGHT:
            x, y = LEFT, y + 20
        out.append(f'<rect x="{x}" y="{y}" width="12" height="12" fill="{KINDS[kind][2]}"/>')
        out.append(f'<text x="{x + 17}" y="{y + 11}">{label}</text>')
        x += 34 + 7.6 * len(label)
    return "\n".join(out + ["</svg>", ""])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("picture", type=Path)
    parser.add_argument("csv", type=Path, nargs="+")
    parser.add_argument("--steps", type=int, default=2)
    parser.add_argument("--after", type=float, default=0.6)
    parser.add_argument("--title", default="Steps of ranks with a list")
    options = parser.parse_args()
    processes = sorted((kernels_of(path) for path in options.csv), key=lambda rows: min(row[2] for row in rows))
    begin, end = steps_without_a_list(processes[0], options.steps, options.after)
    lines = []
    for rank, kernels in enumerate(processes):
        here = [k for k in kernels if k[1] > begin and k[0] < end and k[4] is not None]
        has_letters = {k[3] for k in here if is_called(k, "SendPositions")}
        for stream in sorted({k[3] for k in here}, key=lambda s: s in has_letters):
            name = f"rank {rank}, " + ("border, letters" if stream in has_letters else "interior")
            lines.append((name, [k for k in here if k[3] == stream]))
    for name, kernels in lines:
        for kind, (_, label, _) in enumerate(KINDS):
            took = [min(k[1], end) - max(k[0], begin) for k in kernels if k[4] == kind]
            if took:
                print(f"{name:28} {label:24} {len(took):3} kernels {sum(took) / 1000 / options.steps:8.1f} us a step")
    print(f"a step: {(end - begin) / 1000 / options.steps:.1f} us")
    options.picture.write_text(draw(lines, begin, end, options.title))


if __name__ == "__main__":
    main()
