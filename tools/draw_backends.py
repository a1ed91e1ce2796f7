#!/usr/bin/env python3
"""The drawings of docs/backends.md: one SVG for each back end.

    python3 tools/draw_backends.py [DIRECTORY]      writes them; docs/pictures/backends by default
    python3 tools/draw_backends.py --check          says which file is not what this script draws

Needs nothing but Python. A drawing that puts one label over another, or anything outside the
picture, is an error.
"""
import sys
from pathlib import Path

WIDTH = 640
FONT = "Verdana, 'DejaVu Sans', sans-serif"
SMALL, NORMAL = 11, 12  # sizes of text in pixels; nothing is smaller

INK, FAINT, LINE = "#1f1f1f", "#5a5a5a", "#b4b4b4"
TARGET, SOURCE, GHOST, EMPTY = "#8ab8e6", "#f8c98a", "url(#ghost)", "#ffffff"
SHARED_LINE, SHARED_FILL = "#2b7a3d", "#eef7ef"
REGISTER_LINE, REGISTER_FILL = "#2f5f9e", "#eef4fb"
RED = "#b3261e"
NAMES = {TARGET: "target", SOURCE: "source", GHOST: "ghost: only a source"}

HEAD = """<svg xmlns="http://www.w3.org/2000/svg" width="{w}" height="{h}" viewBox="0 0 {w} {h}" \
font-family="{font}" role="img">
<title>{title}</title>
<defs>
<pattern id="ghost" width="7" height="7" patternUnits="userSpaceOnUse" \
patternTransform="rotate(45)"><rect width="7" height="7" fill="#fdebd2"/>\
<rect width="2" height="7" fill="#e3a04b"/></pattern>
<marker id="tip" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" \
orient="auto-start-reverse"><path d="M0 0 L10 5 L0 10 z" fill="#1f1f1f"/></marker>
</defs>
<rect width="{w}" height="{h}" fill="#ffffff"/>
"""

# Widths of characters in the widest of the fonts, in units of its size.
NARROW = {**dict.fromkeys("ijlI.,:;'|!", 0.36), **dict.fromkeys("ftr()[] -", 0.46),
          **dict.fromkeys("mwMW", 0.98)}


def text_width(text, size, bold):
    width = sum(NARROW.get(c, 0.70 if c.isupper() else 0.63) for c in text) * size
    return width * (1.1 if bold else 1.0)


class Picture:
    """An SVG that knows where its labels are."""

    def __init__(self, name, title, height):
        self.name, self.title, self.height = name, title, height
        self.parts, self.labels, self.used = [], [], []

    def put(self, part):
        self.parts.append(part)

    def inside(self, *points):
        for x, y in points:
            if not (0 <= x <= WIDTH and 0 <= y <= self.height):
                raise ValueError(f"{self.name}: ({x:g}, {y:g}) is outside the picture")

    def label_box(self, left, top, right, bottom, text):
        self.inside((left, top), (right, bottom))
        for other in self.labels:
            if left < other[2] and other[0] < right and top < other[3] and other[1] < bottom:
                raise ValueError(f"{self.name}: '{text}' lies over '{other[4]}'")
        self.labels.append((left, top, right, bottom, text))

    def rect(self, x, y, w, h, fill=EMPTY, line=LINE, width=1.0, dash=None, radius=0):
        self.inside((x, y), (x + w, y + h))
        if fill in NAMES and fill not in self.used:
            self.used.append(fill)
        dashed = f' stroke-dasharray="{dash}"' if dash else ""
        round_corners = f' rx="{radius}"' if radius else ""
        self.put(f'<rect x="{x:g}" y="{y:g}" width="{w:g}" height="{h:g}" fill="{fill}" '
                 f'stroke="{line}" stroke-width="{width:g}"{dashed}{round_corners}/>')

    def text(self, x, y, text, size=NORMAL, anchor="start", bold=False, color=INK):
        """Text with its baseline at y."""
        width = text_width(text, size, bold)
        left = x - {"start": 0, "middle": width / 2, "end": width}[anchor]
        self.label_box(left, y - 0.8 * size, left + width, y + 0.22 * size, text)
        weight = ' font-weight="bold"' if bold else ""
        escaped = text.replace("&", "&amp;").replace("<", "&lt;")
        self.put(f'<text x="{x:g}" y="{y:g}" font-size="{size}" text-anchor="{anchor}" '
                 f'fill="{color}"{weight}>{escaped}</text>')

    def lines(self, x, y, texts, size=NORMAL, color=INK):
        for k, text in enumerate(texts):
            self.text(x, y + k * (size + 5), text, size, color=color)

    def line(self, x1, y1, x2, y2, color=INK, width=1.2, dash=None, arrow=False):
        self.inside((x1, y1), (x2, y2))
        dashed = f' stroke-dasharray="{dash}"' if dash else ""
        tip = ' marker-end="url(#tip)"' if arrow else ""
        self.put(f'<line x1="{x1:g}" y1="{y1:g}" x2="{x2:g}" y2="{y2:g}" stroke="{color}" '
                 f'stroke-width="{width:g}"{dashed}{tip}/>')

    def arrow(self, x1, y1, x2, y2):
        self.line(x1, y1, x2, y2, arrow=True)

    def circle(self, x, y, radius, fill="none", line=INK, width=1.2, dash=None):
        self.inside((x - radius, y - radius), (x + radius, y + radius))
        dashed = f' stroke-dasharray="{dash}"' if dash else ""
        self.put(f'<circle cx="{x:g}" cy="{y:g}" r="{radius:g}" fill="{fill}" stroke="{line}" '
                 f'stroke-width="{width:g}"{dashed}/>')

    def number(self, x, y, n):
        """A number in the order of loading."""
        self.circle(x, y, 10, fill="#3a3a3a", line="#3a3a3a")
        self.label_box(x - 10, y - 10, x + 10, y + 10, str(n))
        self.put(f'<text x="{x:g}" y="{y + 4:g}" font-size="{SMALL}" text-anchor="middle" '
                 f'fill="#ffffff" font-weight="bold">{n}</text>')

    def particle(self, x, y, target=False, hollow=False):
        if target:
            self.circle(x, y, 4.5, fill="#123a6b", line="#ffffff", width=1.5)
        else:
            self.circle(x, y, 2.6, fill="#ffffff" if hollow else INK, line=INK, width=1)

    def brace(self, x1, x2, y, depth=5):
        """Under a stretch of a strip."""
        self.put(f'<path d="M{x1:g} {y:g} v{depth} H{x2:g} v{-depth}" fill="none" '
                 f'stroke="{INK}" stroke-width="1.2"/>')

    def legend(self, extra=()):
        """What the colours mean, in the last line."""
        x, y = 16, self.height - 14
        self.line(16, y - 20, WIDTH - 16, y - 20, LINE, 1)
        for fill in [f for f in NAMES if f in self.used]:
            self.rect(x, y - 11, 16, 13, fill, FAINT)
            self.text(x + 22, y, NAMES[fill], SMALL, color=FAINT)
            x += 22 + text_width(NAMES[fill], SMALL, False) + 14
        for draw, text in extra:
            draw(x + 8, y - 4)
            self.text(x + 22, y, text, SMALL, color=FAINT)
            x += 22 + text_width(text, SMALL, False) + 14

    def order_mark(self):
        return (lambda x, y: self.circle(x, y, 6, fill="#3a3a3a", line="#3a3a3a"),
                "order of loading")

    def barrier_mark(self):
        return lambda x, y: self.line(x, y - 8, x, y + 8, RED, 2, "4 2"), "barrier"

    def barrier(self, x, top, bottom):
        self.line(x, top, x, bottom, RED, 2, "4 2")

    def svg(self):
        head = HEAD.format(w=WIDTH, h=self.height, font=FONT, title=self.title)
        return head + "\n".join(self.parts) + "\n</svg>\n"


class Grid:
    """Cells of one layer: x to the right, y upwards."""

    def __init__(self, picture, x, y, columns, rows, side):
        self.p, self.x, self.y = picture, x, y
        self.columns, self.rows, self.side = columns, rows, side
        for column in range(columns):
            for row in range(rows):
                self.fill(column, row, EMPTY)

    def corner(self, column, row):
        return self.x + column * self.side, self.y + (self.rows - 1 - row) * self.side

    def centre(self, column, row):
        left, top = self.corner(column, row)
        return left + self.side / 2, top + self.side / 2

    def fill(self, column, row, fill):
        left, top = self.corner(column, row)
        self.p.rect(left, top, self.side, self.side, fill)

    def fill_all(self, columns, rows, fill):
        for column in columns:
            for row in rows:
                self.fill(column, row, fill)

    def outline(self, column, row, columns, rows, color=INK, width=2.2, dash=None):
        left, top = self.corner(column, row + rows - 1)
        self.p.rect(left, top, columns * self.side, rows * self.side, "none", color, width, dash)

    def number(self, column, row, n):
        self.p.number(*self.centre(column, row), n)

    def particles(self, column, row, count=3, hollow=False, low=False):
        """Dots at places that look random; `low` leaves the upper part of the cell to a number.
        `hollow` may say so of each place."""
        left, top = self.corner(column, row)
        for k in range(count):
            u = (0.37 + 0.618 * (k + 1) + 0.271 * column + 0.443 * row) % 1.0
            v = (0.11 + 0.755 * (k + 1) + 0.569 * column + 0.129 * row) % 1.0
            v = 0.62 + 0.24 * v if low else 0.14 + 0.72 * v
            x, y = left + self.side * (0.14 + 0.72 * u), top + self.side * v
            self.p.particle(x, y, hollow=hollow(x, y) if callable(hollow) else hollow)

    def axes(self):
        bottom = self.y + self.rows * self.side + 8
        self.p.arrow(self.x, bottom, self.x + 30, bottom)
        self.p.text(self.x + 34, bottom + 4, "x", SMALL, color=FAINT)
        self.p.arrow(self.x - 8, bottom - 8, self.x - 8, bottom - 38)
        self.p.text(self.x - 12, bottom - 41, "y", SMALL, color=FAINT)


def strip(p, x, y, segments, height=20, dots=0):
    """Memory from left to right: (width, fill, label). Returns where each segment begins."""
    places = []
    for width, fill, label in segments:
        p.rect(x, y, width, height, fill)
        if label:
            p.text(x + width / 2, y + height / 2 + 4, label, SMALL, "middle")
        for k in range(dots):
            p.particle(x + width * (k + 0.5) / dots, y + height / 2)
        places.append(x)
        x += width
    return places + [x]


def frame(p, x, y, w, h, name, line, fill):
    """The framed strip of a memory that belongs to a block."""
    p.rect(x, y, w, h, fill, line, 2.5, radius=4)
    p.text(x + 8, y + 15, name, SMALL, bold=True, color=line)


def shared_memory(p, x, y, w, h, name="shared memory"):
    frame(p, x, y, w, h, name, SHARED_LINE, SHARED_FILL)


def registers(p, x, y, w, h, name="registers"):
    frame(p, x, y, w, h, name, REGISTER_LINE, REGISTER_FILL)


def heading(p, x, y, text):
    p.text(x, y, text, NORMAL, bold=True)


def words():
    p = Picture("words", "The words used, and the order of memory", 440)
    heading(p, 24, 22, "one target, nine of its 27 cells")
    g = Grid(p, 24, 34, 6, 5, 42)
    g.fill_all(range(1, 4), range(1, 4), SOURCE)
    g.fill(2, 2, TARGET)
    for row in range(5):
        for column in range(6):
            left, top = g.corner(column, row)
            p.text(left + 3, top + 12, str(row * 6 + column), SMALL, color=FAINT)
    x, y = g.centre(2, 2)
    x, y = x + 3, y + 6
    p.circle(x, y, 42, line=INK, dash="4 3")
    p.particle(x, y, target=True)
    for dx, dy, hollow in [(-33, 4, False), (12, -34, False), (29, -7, False), (-4, 29, False),
                           (50, -17, True), (-42, -46, True), (52, 38, True), (-38, 40, True),
                           (12, 7, False), (53, 6, True)]:
        p.particle(x + dx, y + dy, hollow=hollow)
    p.particle(320, 60, target=True)
    p.text(332, 64, "the target, in its target cell")
    p.particle(320, 82)
    p.text(332, 86, "a partner: within the cutoff")
    p.particle(320, 104, hollow=True)
    p.text(332, 108, "a candidate that is no partner")
    p.circle(320, 127, 7, dash="3 2")
    p.text(332, 131, "the cutoff")
    heading(p, 312, 160, "a sub-box of 3 x 2 target cells")
    s = Grid(p, 316, 172, 7, 4, 18)
    s.fill_all(range(1, 6), range(4), GHOST)
    s.fill_all(range(2, 5), range(1, 3), TARGET)
    s.outline(1, 1, 5, 1, RED, 2.5)
    p.lines(456, 185, ["its ghosts are hatched", "framed in red: a pencil,",
                       "one row of it, ghosts", "at both ends"], SMALL)
    p.text(24, 276, "device memory, x fastest: cells of this layer in the order of their numbers",
           NORMAL, bold=True)
    near = {7, 8, 9, 13, 15, 19, 20, 21}
    strip(p, 24, 288, [(19.7, TARGET if c == 14 else SOURCE if c in near else EMPTY, str(c))
                       for c in range(30)], 24)
    for first in (7, 13, 19):
        p.brace(24 + 19.7 * first + 2, 24 + 19.7 * (first + 3) - 2, 317)
        p.text(24 + 19.7 * (first + 1.5), 337, "run", SMALL, "middle")
    p.lines(24, 362, ["Three cells that are neighbours along x are one run of particles. The rows",
                      "above and below are other runs, the layers z - 1 and z + 1 have three",
                      "each: 9 runs for 27 cells."], SMALL)
    p.legend()
    return p


def reference():
    p = Picture("reference", "reference: all pairs and all images", 300)
    heading(p, 24, 22, "the box and its images")
    side, left, top = 66, 40, 38
    for column in range(3):
        for row in range(3):
            home = column == row == 1
            p.rect(left + column * side, top + row * side, side, side, SOURCE if home else GHOST,
                   INK if home else LINE, 2 if home else 1)
    p.rect(left + side, top + side, side, side, "none", INK, 2)
    dots = [(12, 15), (50, 12), (22, 50), (55, 45)]
    for column in range(3):
        for row in range(3):
            for x, y in dots + [(33, 32)]:
                if (x, y) != (33, 32) or (column, row) != (1, 1):
                    p.particle(left + column * side + x, top + row * side + y)
    x, y = left + side + 33, top + side + 32
    for dx, dy in dots:
        p.arrow(x, y, left + side + dx, top + side + dy)
    p.arrow(x, y, left + 55, top + side + 45)
    p.arrow(x, y, left + side + 50, top + 12)
    p.particle(x, y, target=True)
    p.text(left, top + 3 * side + 18, "no cells; each image is another source", SMALL, color=FAINT)
    heading(p, 280, 22, "one thread owns one target")
    p.text(280, 50, "device memory, n particles in double", SMALL, color=FAINT)
    strip(p, 280, 58, [(21, TARGET if k == 5 else SOURCE, None) for k in range(16)], 22, dots=1)
    p.arrow(280, 92, 616, 92)
    p.number(290, 110, 1)
    p.text(306, 114, "from source 0 to source n - 1, by every thread")
    p.lines(280, 148, ["for each source the nearest image, or, where", "the cutoff exceeds half a "
                       "side, all images in reach;", "one sum a target; stored once"])
    p.text(280, 214, "n - 1 candidates, and their images")
    p.legend()
    return p


def walk_panel(p, x, y, side=54, first=10):
    """A target's nine cells of one layer, numbered as they are walked."""
    g = Grid(p, x, y, 3, 3, side)
    g.fill_all(range(3), range(3), SOURCE)
    g.fill(1, 1, TARGET)
    is_small = side < 50
    for row in range(3):
        for column in range(3):
            left, top = g.corner(column, row)
            middle = side / 2 if is_small else 14
            p.number(left + middle, top + middle, first + 3 * row + column)
            if not is_small and (column, row) != (1, 1):
                g.particles(column, row, 2, low=True)
    if not is_small:
        x, y = g.centre(1, 1)
        p.particle(x + 6, y + 8, target=True)
    return g


def par_part_no_loop():
    p = Picture("par-part-no-loop", "par-part-no-loop: one thread walks 27 cells", 320)
    heading(p, 24, 22, "one thread, one target, 27 cells")
    walk_panel(p, 40, 36, 62).axes()
    p.lines(24, 262, ["layer z; cells 1-9 are in z - 1,", "19-27 in z + 1"], SMALL, FAINT)
    heading(p, 290, 22, "what the thread reads of device memory")
    for k, name in enumerate(["row y - 1", "row y", "row y + 1"]):
        top = 40 + 54 * k
        p.text(290, top + 16, name, SMALL, color=FAINT)
        strip(p, 364, top, [(32, EMPTY, None)] + [
            (48, TARGET if (k, c) == (1, 1) else SOURCE, None) for c in range(3)] +
            [(32, EMPTY, None)], 24)
        for c in range(3):
            p.number(364 + 32 + 48 * c + 24, top + 12, 10 + 3 * k + c)
        p.brace(398, 538, top + 28)
    p.text(290, 212, "runs: cells", bold=True)
    p.text(396, 212, "a loop for each cell: 27")
    p.text(290, 232, "runs: merged", bold=True)
    p.text(396, 232, "a loop for each row: 9")
    p.text(290, 264, "no shared memory, no barrier")
    p.legend([p.order_mark()])
    return p


def par_part_loop():
    p = Picture("par-part-loop", "par-part-loop: a thread takes several targets", 300)
    heading(p, 24, 22, "particles, and the thread that owns each; blocks x block = 6 threads")
    shades = ["#8ab8e6", "#a9cbee", "#6ba3dc", "#bcd7f2", "#7fb0e2", "#99c1ea"]
    places = strip(p, 24, 62, [(36.5, shades[k % 6], f"t{k % 6}") for k in range(16)], 26)
    p.used.append(TARGET)
    for k in (2, 8):
        x1, x2 = places[k] + 18, places[k + 6] + 18
        p.put(f'<path d="M{x1:g} 60 C{x1:g} 34 {x2:g} 34 {x2:g} 58" fill="none" stroke="{INK}" '
              'stroke-width="1.2" marker-end="url(#tip)"/>')
    p.text(24, 106, "t2 takes particles 2, 8, 14: the stride is the number of all threads", SMALL,
           color=FAINT)
    heading(p, 24, 140, "for each of its targets")
    walk_panel(p, 40, 150, 34)
    p.lines(290, 160, ["the thread walks 27 cells in device memory,", "as in par-part-no-loop,",
                       "stores the sums, and takes the next target"])
    p.text(290, 226, "blocks: particles", NORMAL, bold=True)
    p.text(418, 226, "the loop is passed once")
    p.legend([p.order_mark()])
    return p


def par_cell():
    p = Picture("par-cell", "par-cell: one block for each cell", 310)
    heading(p, 24, 22, "one block, one target cell")
    g = Grid(p, 40, 34, 3, 3, 62)
    g.fill_all(range(3), range(3), SOURCE)
    g.fill(1, 1, TARGET)
    for row in range(3):
        for column in range(3):
            left, top = g.corner(column, row)
            p.number(left + 14, top + 14, 10 + 3 * row + column)
            if (column, row) != (1, 1):
                g.particles(column, row, 3, low=True)
    left, top = g.corner(1, 1)
    spots = [(40, 12), (52, 30), (14, 44), (30, 50), (46, 52)]
    for x, y in spots:
        p.particle(left + x, top + y, target=True)
    g.axes()
    p.text(24, 258, "layer z of three", SMALL, color=FAINT)
    heading(p, 280, 22, "the threads of the block")
    places = strip(p, 280, 60, [(20, TARGET, None) for _ in range(5)] +
                   [(20, "#ededed", None) for _ in range(11)], 24)
    for k in range(5):
        p.particle(places[k] + 10, 72, target=True)
    p.text(280, 52, "5 own a target", SMALL, color=FAINT)
    p.text(384, 52, "the others idle, up to 128", SMALL, color=FAINT)
    p.brace(282, 378, 90)
    p.arrow(330, 96, 330, 146)
    p.lines(342, 116, ["all of them read the same source", "at the same time"], SMALL, FAINT)
    places = strip(p, 280, 150, [(27, EMPTY, None)] + [
        (46, TARGET if c == 1 else SOURCE, None) for c in range(3)] + [(27, EMPTY, None)], 26)
    for c in range(3):
        p.number(places[c + 1] + 23, 163, 13 + c)
    p.text(484, 168, "device memory", SMALL, color=FAINT)
    p.lines(280, 206, ["a cell with more particles than threads:",
                       "each thread takes several targets"])
    p.text(280, 258, "no shared memory, no barrier")
    p.legend([p.order_mark()])
    return p


def par_cell_sm():
    p = Picture("par-cell-sm", "par-cell-sm: source cells pass through shared memory", 350)
    heading(p, 24, 22, "one block, one target cell")
    g = Grid(p, 40, 34, 3, 3, 62)
    g.fill_all(range(3), range(3), SOURCE)
    g.fill(1, 1, TARGET)
    for row in range(3):
        for column in range(3):
            left, top = g.corner(column, row)
            p.number(left + 14, top + 14, 10 + 3 * row + column)
            g.particles(column, row, 3, low=True)
    g.axes()
    p.text(24, 258, "layer z of three", SMALL, color=FAINT)
    registers(p, 280, 34, 340, 50, "registers of the block's threads: the targets")
    strip(p, 290, 56, [(22, TARGET, None) for _ in range(5)], 20, dots=1)
    shared_memory(p, 280, 106, 340, 82, "shared memory: 512 particles")
    places = strip(p, 290, 130, [(64, SOURCE, None), (64, SOURCE, None), (64, SOURCE, None),
                                 (64, SOURCE, None), (64, TARGET, None)], 24)
    for k in range(5):
        p.number(places[k] + 32, 142, 10 + k)
    for k in range(1, 6):
        p.barrier(places[k], 126, 160)
    p.text(290, 178, "each piece beside the one before it", SMALL, color=FAINT)
    p.lines(280, 212, ["All threads load a piece, meet at the barrier,",
                       "and add its sources. A thread that is done loads",
                       "the next piece beside it. A cell that exceeds",
                       "the buffer comes in several pieces."])
    p.text(24, 298, "runs: merged", bold=True)
    p.text(130, 298, "the cells of a row are one piece: 9 in place of 27")
    p.legend([p.order_mark(), p.barrier_mark()])
    return p


def all_in_sm():
    p = Picture("all-in-sm", "all-in-sm: a sub-box with its ghosts in shared memory", 400)
    heading(p, 24, 22, "one block, one sub-box (a layer of it)")
    g = Grid(p, 40, 34, 7, 5, 38)
    g.fill_all(range(1, 6), range(4), GHOST)
    g.fill_all(range(2, 5), range(1, 3), TARGET)
    g.outline(1, 0, 5, 4, SHARED_LINE, 2.5)
    for row in range(4):
        x, y = g.centre(6, row)
        p.number(x, y, row + 1)
        for column in range(1, 6):
            g.particles(column, row, 2)
    g.axes()
    heading(p, 340, 22, "loaded once, all of it")
    p.lines(340, 46, ["a warp for each row of the sub-box;", "then one barrier; then every target",
                      "adds its 27 cells from shared memory"])
    p.lines(340, 108, ["what describes the cells, in shared memory:"], SMALL, FAINT)
    for k, (name, what) in enumerate([("global", "first particle of a cell"),
                                      ("local", "the same, in shared memory"),
                                      ("left out", "global - local, of a run"),
                                      ("particle", "shared index to global index")]):
        p.text(340, 130 + 18 * k, name, SMALL, bold=True)
        p.text(408, 130 + 18 * k, what, SMALL)
    p.lines(340, 212, ["left out: a prefix sum over the runs", "(a row is 1 to 3 of them)"],
            SMALL, FAINT)
    shared_memory(p, 24, 256, 592, 60, "shared memory: every cell of the sub-box, in its order")
    x = 34
    for row in range(4):
        for column in range(5):
            inner = 1 <= column <= 3 and 1 <= row <= 2
            p.rect(x, 280, 28.3, 24, TARGET if inner else GHOST)
            p.particle(x + 9, 289)
            p.particle(x + 19, 296)
            x += 28.3
        p.number(x - 70.7, 292, row + 1)
        x += 1.5
    p.text(24, 342,
           "a sub-box that holds more than it has room for: its targets read device memory")
    p.legend([p.order_mark()])
    return p


def x_pencil():
    p = Picture("x-pencil", "x-pencil: nine source pencils pass through shared memory", 420)
    heading(p, 24, 22, "one block, one pencil of 3 target cells")
    g = Grid(p, 40, 34, 7, 5, 40)
    for row in range(1, 4):
        g.fill_all((1, 5), (row,), GHOST)
        g.fill_all(range(2, 5), (row,), SOURCE)
        for column in range(1, 6):
            g.particles(column, row, 2)
    g.fill_all(range(2, 5), (2,), TARGET)
    for column in range(2, 5):
        g.particles(column, 2, 2)
    for row, n in [(1, 5), (2, 1), (3, 6)]:
        g.outline(1, row, 5, 1, INK, 2)
        x, y = g.centre(0, row)
        p.number(x, y, n)
    g.axes()
    heading(p, 380, 22, "seen along x")
    s = Grid(p, 390, 48, 3, 3, 44)
    order = {(1, 1): 1, (0, 0): 2, (1, 0): 3, (2, 0): 4, (0, 1): 5, (2, 1): 6, (0, 2): 7,
             (1, 2): 8, (2, 2): 9}
    for (y_, z_), n in order.items():
        s.fill(y_, z_, TARGET if n == 1 else SOURCE)
        s.number(y_, z_, n)
    p.arrow(390, 190, 420, 190)
    p.text(424, 194, "y", SMALL, color=FAINT)
    p.arrow(382, 180, 382, 150)
    p.text(366, 156, "z", SMALL, color=FAINT)
    p.lines(536, 74, ["9 pencils,", "one after", "the other,", "own first"], SMALL)
    p.text(380, 222, "2 barriers a pencil, 18 in all")
    registers(p, 24, 262, 250, 52, "registers: one target a thread")
    strip(p, 36, 285, [(26, TARGET, None) for _ in range(6)], 20, dots=1)
    shared_memory(p, 300, 262, 316, 76, "shared memory: one source pencil")
    strip(p, 310, 286, [(44, GHOST, None), (60, SOURCE, None), (60, SOURCE, None),
                        (60, SOURCE, None), (44, GHOST, None)], 24, dots=2)
    p.number(597, 298, 5)
    p.text(310, 330, "column by column, ghosts at both ends", SMALL, color=FAINT)
    p.arrow(298, 298, 277, 298)
    p.text(24, 342, "a target in column x adds", SMALL)
    p.text(24, 358, "columns x - 1, x and x + 1 of each pencil", SMALL)
    p.legend([p.order_mark()])
    return p


def x_pencil_reg():
    p = Picture("x-pencil-reg", "x-pencil-reg: sources that are targets come from registers", 424)
    heading(p, 24, 22, "one block, one sub-box of 3 x 2 x 2 target cells")
    g = Grid(p, 40, 34, 7, 4, 44)
    g.fill_all(range(1, 6), range(4), GHOST)
    g.fill_all(range(2, 5), range(1, 3), TARGET)
    for row in range(4):
        g.outline(1, row, 5, 1, INK, 2)
        g.number(0, row, row + 1)
        for column in range(1, 6):
            g.particles(column, row, 2)
    g.axes()
    p.lines(372, 56, ["pencils pass in the order of z, then y", "(here the second layer of four)",
                      "", "pencils 2 and 3 hold targets:", "those are copied from registers",
                      "", "after pencil 1 the targets of row 3", "wait: it is not beside them"],
            SMALL)
    p.text(372, 206, "2 barriers a pencil,")
    p.text(372, 224, "4 x 4 pencils here")
    registers(p, 24, 246, 592, 44, "registers: all targets")
    strip(p, 240, 258, [(30, TARGET, None) for _ in range(12)], 20, dots=1)
    shared_memory(p, 24, 330, 592, 44, "shared memory: pencil")
    p.number(204, 352, 2)
    strip(p, 240, 340, [(60, GHOST, None), (80, TARGET, None), (80, TARGET, None),
                        (80, TARGET, None), (60, GHOST, None)], 24, dots=2)
    p.arrow(420, 280, 420, 338)
    p.text(428, 318, "from registers", SMALL)
    p.arrow(270, 310, 270, 338)
    p.text(270, 306, "from device memory", SMALL, "middle")
    p.arrow(570, 310, 570, 338)
    p.text(612, 306, "from device memory", SMALL, "end")
    p.legend([p.order_mark()])
    return p


def neighborhood_in_sm():
    p = Picture("neighborhood-in-sm", "neighborhood-in-sm: a source a lane, four targets at a time", 372)
    heading(p, 24, 22, "one block, one target cell")
    g = Grid(p, 40, 34, 3, 3, 66)
    g.fill_all(range(3), range(3), SOURCE)
    g.fill(1, 1, TARGET)
    reach, left, top, side = 52, 40 + 66 + 6, 34 + 66 + 6, 54
    p.rect(left - reach, top - reach, side + 2 * reach, side + 2 * reach, "none", INK, 1.4, "5 3", reach)
    p.rect(left, top, side, side, "none", INK, 1, "2 2")

    def is_out_of_reach(x, y):
        return (max(left - x, x - left - side, 0) ** 2 + max(top - y, y - top - side, 0) ** 2) > reach ** 2

    for row in range(3):
        for column in range(3):
            g.particles(column, row, 4, hollow=is_out_of_reach)
    g.axes()
    p.lines(24, 272, ["layer z of three; dashed: the box of the", "targets, and what is in its reach.",
                      "White: out of reach, left out"], SMALL, FAINT)
    shared_memory(p, 280, 34, 340, 80, "shared memory: all that is in reach")
    strip(p, 290, 58, [(20, SOURCE, None) for _ in range(16)], 22, dots=1)
    p.brace(290, 446, 84)
    p.text(368, 104, "32 lanes", SMALL, "middle")
    p.brace(450, 606, 84)
    p.text(528, 104, "the next 32", SMALL, "middle")
    registers(p, 280, 128, 340, 76, "registers of each team of 32 lanes")
    strip(p, 290, 152, [(24, TARGET, None) for _ in range(4)], 22, dots=1)
    p.text(396, 167, "four targets, in every lane", SMALL)
    p.text(290, 194, "four sums, a share of each in every lane", SMALL)
    p.lines(280, 232, ["Each lane takes a source and adds it to four", "sums, in range or not: what is not is",
                       "dropped without a branch. In the end half", "of the sums goes to the other half of the",
                       "lanes, twice: 18 shuffles for four forces."])
    p.legend()
    return p


def fenns():
    p = Picture("fenns", "fenns: coarse cells, and in each a fine grid in shared memory", 470)
    heading(p, 24, 22, "one block, one coarse cell")
    side, left, top = 20, 32, 36
    g = Grid(p, left, top, 12, 12, side)
    g.fill_all(range(3, 9), range(3, 9), GHOST)
    g.fill_all(range(4, 8), range(4, 8), TARGET)
    for line in (0, 4, 8):
        for other in (0, 4, 8):
            g.outline(line, other, 4, 4, INK, 2.4)
    g.outline(3, 3, 6, 6, SHARED_LINE, 2.4, "6 3")
    p.rect(left + 4 * side + 18, top + 4 * side + 18, 4 * side - 36, 4 * side - 36, "none",
           REGISTER_LINE, 1.6, "3 2")
    for column, row, n in [(4, 4, 2), (6, 6, 3), (5, 7, 2), (7, 5, 2), (3, 6, 1), (8, 7, 2),
                           (5, 8, 2), (6, 3, 1), (3, 3, 1), (8, 4, 1)]:
        g.particles(column, row, n)
    p.lines(24, 298, ["thick lines: coarse cells (4 x 4 cells here)",
                      "green, dashed: the local grid, one cell wider",
                      "blue, dashed: inner particles within, border",
                      "particles (within the cutoff of a face) outside"], SMALL)
    heading(p, 318, 22, "step 1: order in device memory")
    strip(p, 318, 34, [(58, EMPTY, None), (96, TARGET, "border"), (86, "#c9def4", "inner"),
                       (58, EMPTY, None)], 24)
    p.arrow(378, 72, 420, 72)
    p.text(424, 76, "filled", SMALL, color=FAINT)
    p.arrow(556, 72, 514, 72)
    p.brace(377, 557, 82)
    p.text(467, 102, "one coarse cell", SMALL, "middle")
    heading(p, 318, 132, "step 2: batches of sources")
    registers(p, 318, 142, 302, 46, "registers: targets of the coarse cell")
    strip(p, 330, 163, [(24, TARGET, None) for _ in range(8)], 18, dots=1)
    shared_memory(p, 318, 206, 302, 98, "shared memory: one batch, as a fine grid")
    strip(p, 330, 228, [(20, "#ffffff", str(k)) for k in (0, 2, 2, 5, 6, 9)], 20)
    p.text(460, 242, "offsets of local cells", SMALL, color=FAINT)
    batch = [GHOST] * 2 + [TARGET] * 3 + [GHOST] + [TARGET] * 3 + [GHOST] * 2
    strip(p, 330, 254, [(25, fill, None) for fill in batch], 20, dots=1)
    p.text(330, 294, "sorted by local cell, at every batch", SMALL, color=FAINT)
    p.number(328, 326, 1)
    p.text(346, 330, "the particles of the coarse cell", SMALL)
    p.number(328, 350, 2)
    p.text(346, 354, "border particles of the 26 neighbours,", SMALL)
    p.text(346, 370, "a warp for each neighbour", SMALL)
    p.lines(24, 390, ["A target looks the batch up in its 27 local cells. All batches pass, then "
                      "the next targets follow.", "Border particles come first: a round of inner "
                      "particles alone needs no neighbour."], SMALL)
    p.legend([p.order_mark()])
    return p


def green():
    p = Picture("green", "green: pairs of cell and particle, sorted at every step", 380)
    heading(p, 24, 22, "every step, in device memory")
    cells = [4, 1, 4, 0, 2, 1, 4, 2]
    width = 30
    p.number(34, 52, 1)
    p.text(52, 56, "a key for each particle", SMALL)
    p.text(214, 46, "cell", SMALL, color=FAINT)
    p.text(214, 66, "particle", SMALL, color=FAINT)
    strip(p, 280, 32, [(width, "#e6e6e6", str(c)) for c in cells], 20)
    strip(p, 280, 52, [(width, EMPTY, str(k)) for k in range(8)], 20)
    p.arrow(400, 78, 400, 102)
    p.text(410, 95, "radix sort of the pairs", SMALL, color=FAINT)
    order = sorted(range(8), key=lambda k: (cells[k], k))
    p.number(34, 126, 2)
    p.text(52, 130, "sorted by cell", SMALL)
    p.text(214, 120, "cell", SMALL, color=FAINT)
    p.text(214, 140, "particle", SMALL, color=FAINT)
    strip(p, 280, 106, [(width, "#e6e6e6", str(cells[k])) for k in order], 20)
    strip(p, 280, 126, [(width, EMPTY, str(k)) for k in order], 20)
    p.text(528, 120, "where two", SMALL, color=FAINT)
    p.text(528, 136, "keys differ a", SMALL, color=FAINT)
    p.text(528, 152, "cell starts", SMALL, color=FAINT)
    p.number(34, 182, 3)
    p.text(52, 178, "positions gathered;", SMALL)
    p.text(52, 194, "start and end of cells", SMALL)
    p.text(214, 182, "start", SMALL, color=FAINT)
    p.text(214, 202, "end", SMALL, color=FAINT)
    strip(p, 280, 168, [(width, "#e6e6e6" if s != "-" else EMPTY, s) for s in "013-5"], 20)
    strip(p, 280, 188, [(width, "#e6e6e6" if s != "-" else EMPTY, s) for s in "135-8"], 20)
    p.text(440, 192, "one entry a cell, empty too", SMALL, color=FAINT)
    p.line(24, 222, 616, 222, LINE, 1)
    heading(p, 24, 244, "then one thread, one target, 27 cells")
    walk_panel(p, 60, 254, 28)
    p.lines(214, 266, ["from a reordered copy of its own;",
                       "the sums go back to where the particle came from"])
    p.text(214, 318, "cell: 2r", bold=True)
    p.text(290, 318, "cells twice as wide: 8 times the candidates")
    p.legend([p.order_mark()])
    return p


def hoetzlein():
    p = Picture("hoetzlein", "hoetzlein: counters, prefix sum, reorder at every step", 380)
    heading(p, 24, 22, "every step, in device memory")
    cells = [4, 1, 4, 0, 2, 1, 4, 2]
    rank = [cells[:k].count(cells[k]) for k in range(8)]
    width = 30
    p.number(34, 52, 1)
    p.text(52, 48, "an atomic on the cell's", SMALL)
    p.text(52, 64, "counter gives the rank", SMALL)
    p.text(218, 46, "cell", SMALL, color=FAINT)
    p.text(218, 66, "rank", SMALL, color=FAINT)
    strip(p, 280, 32, [(width, "#e6e6e6", str(c)) for c in cells], 20)
    strip(p, 280, 52, [(width, EMPTY, str(r)) for r in rank], 20)
    p.text(532, 58, "particles", SMALL, color=FAINT)
    counts = [cells.count(c) for c in range(5)]
    offsets = [sum(counts[:c]) for c in range(6)]
    p.number(34, 118, 2)
    p.text(52, 114, "prefix sum over", SMALL)
    p.text(52, 130, "all cells", SMALL)
    p.text(218, 112, "count", SMALL, color=FAINT)
    p.text(218, 136, "offset", SMALL, color=FAINT)
    strip(p, 280, 98, [(width, "#e6e6e6", str(c)) for c in counts], 20)
    strip(p, 280, 122, [(width, "#e6e6e6", str(o)) for o in offsets], 20)
    p.text(476, 122, "cells, empty ones too", SMALL, color=FAINT)
    p.number(34, 182, 3)
    p.text(52, 178, "each particle moves to", SMALL)
    p.text(52, 194, "offset + rank", SMALL)
    slots = [offsets[cells[k]] + rank[k] for k in range(8)]
    moved = sorted(range(8), key=lambda k: slots[k])
    p.text(218, 188, "particle", SMALL, color=FAINT)
    strip(p, 280, 174, [(width, EMPTY, str(k)) for k in moved], 20)
    p.text(532, 188, "slots", SMALL, color=FAINT)
    p.line(24, 222, 616, 222, LINE, 1)
    heading(p, 24, 244, "then one thread, one target, 27 cells")
    walk_panel(p, 60, 254, 28)
    p.lines(214, 266, ["from a reordered copy of its own;",
                       "the sums go back to where the particle came from"])
    p.text(214, 318, "cell: 2r", bold=True)
    p.text(290, 318, "cells twice as wide: 8 times the candidates")
    p.legend([p.order_mark()])
    return p


def groups_in_reach(p):
    heading(p, 24, 22, "groups of 3 x 3 cells of one layer")
    g = Grid(p, 32, 36, 9, 9, 21)
    g.fill_all(range(3, 9), range(3, 6), SOURCE)
    g.fill_all(range(3, 6), range(3, 6), TARGET)
    for column in range(0, 9, 3):
        for row in range(0, 9, 3):
            g.outline(column, row, 3, 3)
    for column, row in [(1, 1), (0, 4), (2, 7), (7, 1), (4, 8), (8, 7), (3, 3), (4, 1), (6, 4)]:
        g.particles(column, row, 1)
    x, y = g.centre(5, 4)
    p.circle(x, y, 19, dash="4 3")
    p.particle(x, y, target=True)
    p.lines(24, 246, ["cells are as narrow as the cutoff;", "a group has a particle or so"],
            SMALL, FAINT)


def sort_and_search():
    p = Picture("sort-and-search", "sort-and-search: groups of cells, and those in reach", 400)
    groups_in_reach(p)
    heading(p, 276, 22, "every step, in device memory")
    p.number(286, 50, 1)
    p.text(302, 54, "an atomic on the group's counter: the rank")
    p.number(286, 78, 2)
    p.text(302, 82, "prefix sum over all groups")
    p.number(286, 106, 3)
    p.text(302, 110, "each is put down in its slot, in one piece")
    strip(p, 302, 122, [(150, EMPTY, "where in the box, id"),
                        (150, EMPTY, "where in its cell, type")], 22)
    heading(p, 276, 194, "then one thread, one target")
    p.number(286, 216, 4)
    p.text(302, 220, "notes the runs of groups that are in reach")
    p.number(286, 244, 5)
    p.text(302, 248, "passes them as one row; who is near is noted")
    strip(p, 302, 258, [(60, SOURCE, None), (26, SOURCE, None), (94, SOURCE, None)], 20, dots=2)
    p.text(494, 272, "however many rows", SMALL, color=FAINT)
    p.number(286, 300, 6)
    p.text(302, 304, "adds up those, by where they are in their cells")
    p.lines(24, 330, ["Where forces fit no cache they stay in the order of slots, each pair is taken",
                      "once, for both ends, and all are fetched in the order of particles."], SMALL)
    p.legend([p.order_mark()])
    return p


def linked_cells():
    p = Picture("linked-cells", "linked-cells: a head for each group of cells, a link for each particle", 350)
    groups_in_reach(p)
    heading(p, 276, 22, "every step, in one launch")
    p.number(286, 50, 1)
    p.text(302, 54, "a particle puts itself down at its group's head;")
    p.text(302, 72, "its link is who stood there")
    strip(p, 302, 84, [(60, SOURCE, "head"), (60, SOURCE, "9"), (60, SOURCE, "7"), (60, SOURCE, "2")], 22)
    p.text(302, 124, "9 came last: 9, 7, 2", SMALL, color=FAINT)
    p.text(302, 142, "A head of a round before is one of nobody:", SMALL)
    p.text(302, 158, "nothing is cleared, counted or moved.", SMALL)
    heading(p, 276, 190, "then one thread, one target")
    p.number(286, 212, 2)
    p.text(302, 216, "notes the heads of groups that are in reach")
    p.number(286, 240, 3)
    p.text(302, 244, "follows their links, all as one list; who is near")
    p.text(302, 262, "is noted and added up in fours")
    p.lines(24, 290, ["Who comes first in a list is chance, and so is the order of sums."], SMALL)
    p.legend([p.order_mark()])
    return p


def all_pairs():
    p = Picture("all-pairs", "all-pairs: tiles of sources pass through shared memory", 370)
    heading(p, 130, 22, "sources, in tiles of as many as a block has threads")
    left, top, tile, row = 130, 62, 116, 34
    for k in range(4):
        p.number(left + tile * k + tile / 2, 46, k + 1)
    for r in range(4):
        p.rect(90, top + row * r + 6, 22, row - 12, TARGET)
        p.particle(101, top + row * r + row / 2, target=True)
        p.text(82, top + row * r + row / 2 + 4, f"thread {r}", SMALL, "end")
        for k in range(4):
            for s in range(4):
                own = k == 1 and s == r
                p.rect(left + tile * k + 29 * s, top + row * r, 29, row,
                       EMPTY if own else SOURCE if k == 1 else "#fdf3e4")
    for k in range(4):
        p.barrier(left + tile * k, top - 4, top + 4 * row + 8)
        p.barrier(left + tile * (k + 1) - 3, top - 4, top + 4 * row + 8)
    p.arrow(left, top + 4 * row + 20, left + 4 * tile, top + 4 * row + 20)
    p.text(left + 2 * tile, top + 4 * row + 36, "time", SMALL, "middle", color=FAINT)
    shared_memory(p, 130, 250, 300, 54, "shared memory: tile")
    p.number(284, 262, 2)
    strip(p, 142, 274, [(69, SOURCE, None) for _ in range(4)], 22, dots=1)
    p.lines(446, 262, ["barrier; all threads add the", "tile; barrier; the next tile.",
                       "White: the target itself"], SMALL)
    p.text(24, 324, "one target a thread, in registers; no list; every source is a candidate")
    p.legend([p.order_mark(), p.barrier_mark()])
    return p


def cluster_list():
    p = Picture("cluster-list", "cluster-list: four targets share a row of single sources", 372)
    heading(p, 24, 22, "one cell, along a curve")
    x, y, side = 40, 40, 200
    p.rect(x, y, side, side, TARGET, INK, 1.4)
    column, height = side / 2, side / 4
    for k in range(1, 4):
        p.line(x, y + k * height, x + side, y + k * height, LINE, 0.8)
    p.line(x + column, y, x + column, y + side, LINE, 0.8)
    path = [(x + column / 2, y + side - height / 2), (x + column / 2, y + height / 2),
            (x + 3 * column / 2, y + height / 2), (x + 3 * column / 2, y + side - height / 2)]
    for begin, end in zip(path, path[1:]):
        p.line(*begin, *end, FAINT, 1.2, "5 3")
    places = [(22, 186), (70, 158), (36, 128), (64, 96), (30, 62), (74, 40), (24, 14), (118, 22), (168, 34), (130, 74),
              (178, 92), (126, 124), (172, 150)]
    for place in places:
        p.particle(x + place[0], y + place[1], target=True)
    for first, last in ((0, 4), (4, 8), (8, 12), (12, 13)):
        for a, b in zip(places[first:last], places[first + 1:last]):
            p.line(x + a[0], y + a[1], x + b[0], y + b[1], INK, 2.2)
    p.lines(24, 266, ["two of the cell's four columns, four", "parts each. Joined: a cluster of four;",
                      "the last of a cell may lack some"], SMALL, FAINT)
    heading(p, 280, 22, "the row of a cluster, in device memory")
    strip(p, 290, 40, [(20, SOURCE, None) for _ in range(16)], 22, dots=1)
    p.brace(290, 366, 66)
    p.text(328, 86, "4 lanes,", SMALL, "middle")
    p.text(328, 98, "turn 1", SMALL, "middle")
    p.brace(370, 446, 66)
    p.text(408, 86, "turn 2", SMALL, "middle")
    p.text(536, 86, "chunks of a read a lane", SMALL, "middle")
    registers(p, 280, 118, 340, 76, "registers of each lane")
    strip(p, 290, 142, [(24, TARGET, None) for _ in range(4)], 22, dots=1)
    p.text(396, 157, "the four targets of its cluster", SMALL)
    p.text(290, 184, "four sums, over this lane's sources", SMALL)
    p.lines(280, 222, ["In the row is what is within cutoff plus skin of", "any of the four. A lane gathers a source, adds",
                       "its shift, and adds it to four sums, in range or", "not. In the end a lane gets the whole sum of one",
                       "target, and moves it."])
    p.legend()
    return p


def vector_list():
    p = Picture("vector-list", "vector-list, vector-cells: four targets along one row of vectors", 372)
    heading(p, 24, 22, "a pencil, and what is around it")
    x, y, side = 34, 42, 40
    for row in range(3):
        for column in range(6):
            own = row == 1 and 0 < column < 5
            p.rect(x + side * column, y + side * row, side, side, TARGET if own else SOURCE)
    for column, row, dx, dy in ((0, 0, 12, 24), (1, 0, 28, 10), (2, 0, 10, 30), (3, 0, 24, 18), (4, 0, 14, 12),
                                (5, 0, 26, 28), (0, 1, 26, 12), (5, 1, 12, 20), (0, 2, 14, 30), (1, 2, 24, 14),
                                (2, 2, 12, 20), (3, 2, 30, 26), (4, 2, 18, 16), (5, 2, 14, 28)):
        p.particle(x + side * column + dx, y + side * row + dy)
    for column, dx, dy in ((1, 10, 12), (1, 26, 30), (2, 12, 14), (2, 18, 24), (2, 28, 12), (2, 26, 32), (3, 20, 20),
                           (4, 12, 28), (4, 28, 14)):
        p.particle(x + side * column + dx, y + side + dy, target=True)
    p.rect(x + 2 * side + 6, y + side + 6, 30, 32, "none", INK, 1.6)
    p.lines(24, 186, ["Cells in a row and the cells next to them,", "fetched once by a thread, relative to the",
                      "middle. Framed: the four targets of a row"], SMALL, FAINT)
    heading(p, 310, 22, "a row: single sources")
    strip(p, 320, 40, [(20, SOURCE, None) for _ in range(14)], 22, dots=1)
    p.arrow(330, 66, 330, 100)
    p.arrow(474, 66, 474, 100)
    registers(p, 310, 104, 310, 128, "memory nearest to a core")
    for k, name in enumerate(("x", "y", "z")):
        p.text(316, 146 + 26 * k, name, SMALL)
        strip(p, 330, 130 + 26 * k, [(17, SOURCE, None) for _ in range(16)], 20)
    p.rect(330, 128, 68, 78, "none", INK, 1.6)
    p.text(330, 224, "framed: a vector", SMALL)
    p.lines(310, 256, ["A row's sources are gathered once, coordinate", "by coordinate. Each of the four targets goes",
                       "along them, a vector of sources at a time."])
    p.legend()
    return p


def around_panel(p, x, y, side, own=(), width=3):
    """A cell and the eight around it in one layer, each with its number; `own`: that have one."""
    g = Grid(p, x, y, width, 3, side)
    for row in range(3):
        for column in range(width):
            number = row * width + column
            is_used = not own or number in own
            g.fill(column, row, TARGET if (column, row) == (1, 1) else SOURCE if is_used else EMPTY)
            if is_used:
                g.number(column, row, number)
    return g


def rows_in_lanes():
    p = Picture("rows-in-lanes", "rows-in-lanes: lanes for each row of a target's sources", 318)
    heading(p, 24, 22, "nine rows, from their ends")
    around_panel(p, 40, 36, 48)
    p.text(24, 202, "each is three cells deep", SMALL, color=FAINT)
    heading(p, 230, 22, "nine lanes, or 27: each has one of nine rows")
    registers(p, 230, 34, 386, 96, "registers: four sources of the row at a time")
    for k in range(9):
        left = 242 + 41 * k
        p.number(left + 17, 70, k)
        for slot in range(4):
            p.rect(left + 17 * (slot % 2), 84 + 17 * (slot // 2), 16, 16, SOURCE if slot < 3 else EMPTY)
            if slot < 3:
                p.particle(left + 8 + 17 * (slot % 2), 92 + 17 * (slot // 2))
    heading(p, 230, 156, "all lanes have the same target")
    p.rect(242, 168, 40, 22, TARGET)
    p.particle(262, 179, target=True)
    p.lines(230, 214, ["A lane looks its row up by itself, and adds what", "four sources at a time do to the target. In the end",
                       "shuffles bring the sums together in a fixed order.", "Nobody waits for another before."])
    p.legend()
    return p


def trimmed_rows():
    p = Picture("trimmed-rows", "trimmed-rows: rows of cells as far as the cutoff goes through them", 322)
    heading(p, 24, 22, "one layer of cells: each row from slice to slice")
    side, left, top = 80, 30, 40
    at_x, at_y = left + 1.3 * side, top + 1.62 * side
    for row in range(3):
        above, below = top + row * side, top + (row + 1) * side
        gap = max(above - at_y, at_y - below, 0)
        half = max(side * side - gap * gap, 0) ** 0.5
        slice_width = side / 12
        first, last = int((at_x - half - left) // slice_width), int((at_x + half - left) // slice_width)
        for k in range(36):
            is_read = first <= k <= last
            p.rect(left + k * slice_width, above, slice_width, side, SOURCE if is_read else EMPTY, "#dcdcdc", 0.6)
    for k in range(4):
        p.line(left, top + k * side, left + 3 * side, top + k * side, FAINT, 1)
        p.line(left + k * side, top, left + k * side, top + 3 * side, FAINT, 1)
    p.circle(at_x, at_y, side, dash="5 3")
    p.particle(at_x, at_y, target=True)
    p.lines(300, 62, ["A thread has one target.", "Cells are sorted in 12 slices across x, so a", "row of three cells is 36 slices, one behind the",
                      "other in memory."])
    p.lines(300, 142, ["The circle is the cutoff around the target. How", "far it goes through a row follows from how far", "the target is from that row: there the thread",
                       "begins and ends."])
    p.lines(300, 222, ["Four sources are read at a time, each a word of", "16 bytes. Along x they are whole numbers, which", "know nothing of cells."])
    p.legend()
    return p


def group_of_lanes(p, x, y, lanes, targets, step, carries_sums):
    """Lanes of a group side by side: targets that stay, and a source that goes round."""
    for lane in range(lanes):
        left = x + step * lane
        p.text(left + 38, y - 6, f"lane {lane}", SMALL, "middle", color=FAINT)
        for t in range(targets):
            p.rect(left + 19 * t, y, 18, 20, TARGET)
            p.particle(left + 19 * t + 9, y + 10, target=True)
        p.rect(left + 19, y + 40, 38, 22, SOURCE)
        p.particle(left + (29 if carries_sums else 38), y + 51)
        if carries_sums:
            p.text(left + 40, y + 55, "+", SMALL, bold=True)
        for t in range(targets):
            p.line(left + 38, y + 40, left + 19 * t + 9, y + 21, FAINT, 0.8)
        if lane < lanes - 1:
            p.arrow(left + 59, y + 51, left + step + 17, y + 51)
    right = x + step * (lanes - 1) + 38
    p.line(right, y + 63, right, y + 76)
    p.line(right, y + 76, x + 38, y + 76)
    p.arrow(x + 38, y + 76, x + 38, y + 64)


def rotating_sources():
    p = Picture("rotating-sources", "rotating-sources: sources go round past targets that stay", 372)
    heading(p, 24, 22, "a group of four lanes, four targets in the registers of each")
    registers(p, 24, 34, 592, 122, "registers")
    group_of_lanes(p, 60, 70, 4, 4, 140, False)
    p.lines(24, 180, ["Each lane fetches a source. At each turn it adds what the source it has does to its four targets,",
                      "and hands it on by a shuffle; after four turns all have met all. A warp has eight such groups:",
                      "the same targets, other sources. In the end their sums come together in a fixed order."], SMALL)
    heading(p, 24, 250, "the sources: 27 cells laid end to end")
    counts = [3, 1, 0, 4, 2, 3, 1, 4, 2]
    strip(p, 24, 262, [(26 * c, SOURCE, None) for c in counts if c > 0], 22)
    for k in range(sum(counts)):
        p.particle(24 + 26 * k + 13, 273)
    p.lines(24, 306, ["A prefix sum over lanes, one for each cell, numbers them; source k is found by five shuffles.",
                      "No lane idles because a cell holds few, and nothing is copied."], SMALL)
    p.legend()
    return p


def half_shell():
    p = Picture("half-shell", "half-shell: a pair once, for both its ends", 320)
    heading(p, 24, 22, "half of the cells around")
    g = Grid(p, 40, 36, 3, 3, 48)
    g.fill_all(range(3), [2], SOURCE)
    g.fill(2, 1, SOURCE)
    g.fill(1, 1, TARGET)
    for column, row in ((0, 2), (1, 2), (2, 2), (2, 1)):
        g.particles(column, row, 2)
    p.lines(24, 202, ["of this layer four; of the one", "above all nine. The others come", "here in their turn"], SMALL, FAINT)
    heading(p, 262, 22, "a source carries a sum of its own")
    registers(p, 262, 34, 354, 122, "registers")
    group_of_lanes(p, 290, 70, 2, 4, 170, True)
    p.lines(262, 180, ["The force of a pair is evaluated once. One end's share", "stays with the target, the other's travels with the",
                       "source (+). When it is at home again, its lane adds", "the sum to memory by an atomic: in no fixed order."])
    p.legend()
    return p


DRAWINGS = [words, reference, par_part_no_loop, par_part_loop, par_cell, par_cell_sm, all_in_sm,
            x_pencil, x_pencil_reg, neighborhood_in_sm, rows_in_lanes, trimmed_rows, rotating_sources, half_shell, fenns, green, hoetzlein, sort_and_search,
            linked_cells, all_pairs, cluster_list, vector_list]


def main(arguments):
    root = Path(__file__).resolve().parent.parent
    check = "--check" in arguments
    names = [a for a in arguments if a != "--check"]
    folder = Path(names[0]) if names else root / "docs" / "pictures" / "backends"
    if not check:
        folder.mkdir(parents=True, exist_ok=True)
    stale = []
    for draw in DRAWINGS:
        picture = draw()
        file = folder / f"{picture.name}.svg"
        if check and (not file.exists() or file.read_text(encoding="utf-8") != picture.svg()):
            stale.append(str(file))
        if not check:
            file.write_text(picture.svg(), encoding="utf-8")
    for file in stale:
        print(f"{file}: not what tools/draw_backends.py draws", file=sys.stderr)
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
