#!/usr/bin/env python3
"""Draws the icons of an installed gallery from icon.svg, as PNG: browsers install no page whose icon is a drawing alone.

    tools/icons.py          writes them beside icon.svg
    tools/icons.py --check  fails where one of them is not what icon.svg makes it

It draws what icon.svg is made of: a field with round corners, a closed line of straight parts, and a circle.
"""

import math
import re
import struct
import sys
import zlib
from pathlib import Path

FOLDER = Path(__file__).resolve().parent.parent / "Sources/Gallery/Pages/Assets"
# Name, edge, and whether the field fills all of it: a system cuts such an icon to its own shape, and shows at least a
# circle of four fifths of it (https://www.w3.org/TR/appmanifest/#icon-masks).
ICONS = [("icon-192", 192, False), ("icon-512", 512, False), ("full-192", 192, True), ("full-512", 512, True)]
# How much of the drawing's own size is left of it where it may be cut.
INSIDE = 0.86
# Steps of an edge between two colours.
STEPS = 127


class Drawing:
    def __init__(self, text):
        self.view = float(re.search(r'viewBox="0 0 (\d+) \1"', text).group(1))
        field = re.search(r'<rect [^>]*rx="([\d.]+)" fill="#([0-9a-f]{6})"', text)
        self.corner, self.colour = float(field.group(1)), bytes.fromhex(field.group(2))
        path = re.search(r'<path d="([^"]+)"[^>]*stroke-width="([\d.]+)"', text)
        self.line, self.half = self.points(path.group(1)), float(path.group(2)) / 2
        circle = re.search(r'<circle cx="([\d.]+)" cy="([\d.]+)" r="([\d.]+)"', text)
        self.centre, self.radius = (float(circle.group(1)), float(circle.group(2))), float(circle.group(3))

    @staticmethod
    def points(path):
        """The corners of a path of M, l, h, v, H and z."""
        found = []
        x = y = 0.0
        for letter, numbers in re.findall(r"([A-Za-z])([^A-Za-z]*)", path):
            values = [float(value) for value in re.findall(r"-?[\d.]+", numbers)]
            if letter == "M":
                x, y = values
            elif letter == "l":
                x, y = x + values[0], y + values[1]
            elif letter == "h":
                x += values[0]
            elif letter == "v":
                y += values[0]
            elif letter == "H":
                x = values[0]
            elif letter != "z":
                raise SystemExit(f"icon.svg has a '{letter}' in its path, which is not drawn here")
            if letter != "z":
                found.append((x, y))
        return found

    def outside_field(self, x, y):
        """How far a point lies outside of the field; below zero inside."""
        middle = self.view / 2
        across, down = abs(x - middle) - middle + self.corner, abs(y - middle) - middle + self.corner
        return math.hypot(max(across, 0), max(down, 0)) + min(max(across, down), 0) - self.corner

    def outside_lines(self, x, y):
        """The same of the lines."""
        nearest = abs(math.hypot(x - self.centre[0], y - self.centre[1]) - self.radius)
        for (ax, ay), (bx, by) in zip(self.line, self.line[1:] + self.line[:1]):
            dx, dy = bx - ax, by - ay
            part = ((x - ax) * dx + (y - ay) * dy) / (dx * dx + dy * dy)
            part = min(max(part, 0), 1)
            nearest = min(nearest, math.hypot(x - ax - part * dx, y - ay - part * dy))
        return nearest - self.half


def covered(outside, scale):
    """How much of a pixel is covered by what lies so far from its middle, in steps."""
    return round(min(max(0.5 - outside * scale, 0), 1) * STEPS)


def rows(drawing, edge, is_full):
    """Each pixel as a number of the palette: up to STEPS the field over nothing, from there on the lines over the field."""
    scale = edge / drawing.view
    shrink = INSIDE if is_full else 1
    middle = drawing.view / 2
    for row in range(edge):
        line = bytearray()
        for column in range(edge):
            x, y = (column + 0.5) / scale, (row + 0.5) / scale
            inner = (middle + (x - middle) / shrink, middle + (y - middle) / shrink)
            lines = covered(drawing.outside_lines(*inner) * shrink, scale)
            field = STEPS if is_full else covered(drawing.outside_field(x, y), scale)
            line.append(STEPS + lines if lines else field)
        yield bytes(line)


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(drawing, edge, is_full):
    """https://www.w3.org/TR/png-3/: a palette of a byte a pixel, with how opaque each of its colours is."""
    palette = [drawing.colour] * (STEPS + 1)
    palette += [
        bytes(round(part + (255 - part) * step / STEPS) for part in drawing.colour) for step in range(1, STEPS + 1)
    ]
    opacity = bytes(round(255 * step / STEPS) for step in range(STEPS + 1))
    body = b"".join(b"\0" + row for row in rows(drawing, edge, is_full))
    parts = [(b"IHDR", struct.pack(">IIBBBBB", edge, edge, 8, 3, 0, 0, 0)), (b"PLTE", b"".join(palette))]
    if not is_full:
        parts.append((b"tRNS", opacity))
    parts += [(b"IDAT", zlib.compress(body, 9)), (b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunk(*part) for part in parts)


def main():
    drawing = Drawing((FOLDER / "icon.svg").read_text())
    for name, edge, is_full in ICONS:
        path = FOLDER / f"{name}.png"
        made = png(drawing, edge, is_full)
        if "--check" not in sys.argv[1:]:
            path.write_bytes(made)
        elif path.read_bytes() != made:
            raise SystemExit(f"{path.name} is not what icon.svg makes it; run tools/icons.py")


main()
