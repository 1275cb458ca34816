"""Colours by the specifications' own arithmetic, and charts of them, for prove-colour.

Reads ICC profiles of three primaries and three curves by itself (ICC.1:2010), so that what a picture means is known without
any library; compares colours as CIEDE2000 does (Sharma, Wu and Dalal 2005).
"""
import math
import struct
import zlib

# The connection space's white (ICC.1:2010, 7.2.16).
D50 = (0.9642, 1.0, 0.8249)
D65 = (0.3127, 0.3290)
SRGB = ((0.64, 0.33), (0.30, 0.60), (0.15, 0.06))
ADOBE = ((0.64, 0.33), (0.21, 0.71), (0.15, 0.06))
P3 = ((0.680, 0.320), (0.265, 0.690), (0.150, 0.060))
BT2020 = ((0.708, 0.292), (0.170, 0.797), (0.131, 0.046))


def srgb_light(v):
    return v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4


def srgb_sample(v):
    return v * 12.92 if v <= 0.0031308 else 1.055 * v ** (1 / 2.4) - 0.055


def times(matrix, vector):
    return [sum(a * b for a, b in zip(row, vector)) for row in matrix]


def product(a, b):
    return list(zip(*[times(a, column) for column in zip(*b)]))


def inverse(m):
    def minor(a, b, c, d):
        return m[a][c] * m[b][d] - m[a][d] * m[b][c]

    n = [[minor((j + 1) % 3, (j + 2) % 3, (i + 1) % 3, (i + 2) % 3) for j in range(3)] for i in range(3)]
    size = sum(m[0][i] * n[i][0] for i in range(3))
    return [[value / size for value in row] for row in n]


def xyz(point):
    return (point[0] / point[1], 1.0, (1 - point[0] - point[1]) / point[1])


def matrix_of(primaries, white=D65):
    """From light of these primaries to the connection space, by Bradford's cone responses."""
    columns = list(zip(*[xyz(point) for point in primaries]))
    gains = times(inverse(columns), xyz(white))
    scaled = [[value * gain for value, gain in zip(row, gains)] for row in columns]
    cones = [(0.8951, 0.2664, -0.1614), (-0.7502, 1.7135, 0.0367), (0.0389, -0.0685, 1.0296)]
    ratios = [a / b for a, b in zip(times(cones, D50), times(cones, xyz(white)))]
    adapt = product(inverse(cones), [[value * ratio for value in row] for row, ratio in zip(cones, ratios)])
    return product(adapt, scaled)


class Space:
    """Samples of three primaries, each by its curve."""

    def __init__(self, matrix, curves):
        self.matrix, self.curves = matrix, curves
        self.back = inverse(matrix)

    @classmethod
    def named(cls, primaries, light=srgb_light, white=D65):
        return cls(matrix_of(primaries, white), [light] * 3)

    def light(self, samples):
        return times(self.matrix, [curve(v) for curve, v in zip(self.curves, samples)])

    def samples(self, light):
        """By halving: a curve need not be one that can be turned round."""
        result = []
        for curve, wanted in zip(self.curves, times(self.back, light)):
            low, high = 0.0, 1.0
            if not -1e-4 <= wanted <= 1.0001:
                return None
            for _ in range(40):
                middle = (low + high) / 2
                low, high = (middle, high) if curve(middle) < wanted else (low, middle)
            result.append(low)
        return result

    def seen(self, samples):
        """As samples of sRGB, which may lie outside of 0 to 1."""
        return [math.copysign(srgb_sample(abs(v)), v) for v in times(SCREEN.back, self.light(samples))]


SCREEN = Space.named(SRGB)


def light_of(lightness):
    """Y of L*."""
    return ((lightness + 16) / 116) ** 3 if lightness > 8 else lightness * 27 / 24389


# The weights of red and blue in luma, by ITU-T H.273's number of the matrix.
LUMA = {1: (0.2126, 0.0722), 6: (0.299, 0.114), 9: (0.2627, 0.0593)}


def coded(samples, matrix, is_full):
    """What an encoder has to be given that knows matrix 6 and the full range only, so that these samples come out of what it writes by
    another matrix and range. Nothing where that is no colour."""
    red, blue = LUMA[matrix]
    luma = red * samples[0] + (1 - red - blue) * samples[1] + blue * samples[2]
    differences = [(samples[2] - luma) / (2 - 2 * blue), (samples[0] - luma) / (2 - 2 * red)]
    if not is_full:
        luma, differences = (16 + 219 * luma) / 255, [224 * v / 255 for v in differences]
    red, blue = LUMA[6]
    b, r = luma + differences[0] * (2 - 2 * blue), luma + differences[1] * (2 - 2 * red)
    result = (r, (luma - red * r - blue * b) / (1 - red - blue), b)
    return result if all(0 <= v <= 1 for v in result) else None


class Profile:
    """An ICC profile's header and tags; a Space where it is one of primaries and curves."""

    def __init__(self, data):
        self.data = data
        self.kind, self.space = data[12:16].decode(), data[16:20].decode()
        count = struct.unpack_from(">I", data, 128)[0]
        self.tags = {}
        for index in range(count):
            name, offset, size = struct.unpack_from(">4sII", data, 132 + 12 * index)
            self.tags[name.decode("latin1")] = data[offset:offset + size]

    def arithmetic(self):
        if self.space == "RGB " and "A2B0" not in self.tags and "rXYZ" in self.tags:
            columns = [[v / 65536 for v in struct.unpack_from(">3i", self.tags[name], 8)] for name in ("rXYZ", "gXYZ", "bXYZ")]
            return Space(list(zip(*columns)), [self.curve(name) for name in ("rTRC", "gTRC", "bTRC")])
        if self.space == "GRAY" and "kTRC" in self.tags:
            curve = self.curve("kTRC")
            if self.data[20:24] == b"Lab ":
                # The curve leads to L* then (ICC.1:2010, F.2).
                return Space(matrix_of(SRGB), [lambda v: light_of(100 * curve(v))] * 3)
            return Space(matrix_of(SRGB), [curve] * 3)
        return None

    def curve(self, name):
        tag = self.tags[name]
        if tag[:4] == b"curv":
            count = struct.unpack_from(">I", tag, 8)[0]
            table = struct.unpack_from(f">{count}H", tag, 12)
            if count == 0:
                return lambda v: v
            if count == 1:
                return lambda v: v ** (table[0] / 256)

            def look(v):
                place = v * (count - 1)
                at = min(int(place), count - 2)
                return (table[at] + (table[at + 1] - table[at]) * (place - at)) / 65535

            return look
        function = struct.unpack_from(">H", tag, 8)[0]
        g, a, b, c, d, e, f = ([v / 65536 for v in struct.unpack_from(f">{(1, 3, 4, 5, 7)[function]}i", tag, 12)] + [0] * 6)[:7]
        # ICC.1:2010, 10.15, functions 0 to 4.
        if function == 0:
            return lambda v: v ** g
        if function in (1, 2):
            return lambda v: (a * v + b) ** g + c if v >= -b / a else c
        return lambda v: (a * v + b) ** g + e if v >= d else c * v + f


def profile(primaries, gamma, name):
    """A small profile of that space, of version 2."""
    matrix = matrix_of(primaries)
    number = lambda v: struct.pack(">i", round(v * 65536))
    point = lambda values: b"XYZ \0\0\0\0" + b"".join(map(number, values))
    text = name.encode() + b"\0"
    described = b"desc\0\0\0\0" + struct.pack(">I", len(text)) + text + bytes(8 + 3 + 67)
    curve = b"curv\0\0\0\0" + (struct.pack(">IH", 1, round(gamma * 256)) if gamma else struct.pack(
        ">I1024H", 1024, *[round(srgb_light(i / 1023) * 65535) for i in range(1024)]))
    columns = list(zip(*matrix))
    tags = [(b"desc", described), (b"wtpt", point(D50)), (b"rXYZ", point(columns[0])), (b"gXYZ", point(columns[1])),
            (b"bXYZ", point(columns[2])), (b"rTRC", curve), (b"gTRC", curve), (b"bTRC", curve)]
    table, content, start = struct.pack(">I", len(tags)), b"", 132 + 12 * len(tags)
    for tag, data in tags:
        table += struct.pack(">4sII", tag, start + len(content), len(data))
        content += data + bytes(-len(data) % 4)
    header = struct.pack(">II4s", start + len(content), 0, b"\x02\x10\0\0") + b"mntrRGB XYZ " + bytes(12) + b"acsp" + bytes(28)
    return (header + b"".join(map(number, D50))).ljust(128, b"\0") + table + content


def lab(samples):
    light = times(SCREEN.matrix, [srgb_light(v) for v in samples])
    f = [v ** (1 / 3) if v > 216 / 24389 else (24389 / 27 * v + 16) / 116 for v in (a / b for a, b in zip(light, D50))]
    return 116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])


def difference(one, other):
    """CIEDE2000 of two colours of L*, a* and b*."""
    (l1, a1, b1), (l2, a2, b2) = one, other
    mean = ((math.hypot(a1, b1) + math.hypot(a2, b2)) / 2) ** 7
    g = 1 + (1 - math.sqrt(mean / (mean + 25 ** 7))) / 2
    c1, c2 = math.hypot(g * a1, b1), math.hypot(g * a2, b2)
    h1, h2 = math.degrees(math.atan2(b1, g * a1)) % 360, math.degrees(math.atan2(b2, g * a2)) % 360
    turn, h = h2 - h1, h1 + h2
    if c1 * c2 == 0:
        turn = 0
    else:
        turn -= 360 * (turn > 180) - 360 * (turn < -180)
        h = h / 2 if abs(h1 - h2) <= 180 else (h + 360) / 2 if h < 360 else (h - 360) / 2
    l, c = (l1 + l2) / 2, (c1 + c2) / 2
    cos = lambda v: math.cos(math.radians(v))
    t = 1 - 0.17 * cos(h - 30) + 0.24 * cos(2 * h) + 0.32 * cos(3 * h + 6) - 0.20 * cos(4 * h - 63)
    lightness = (l2 - l1) / (1 + 0.015 * (l - 50) ** 2 / math.sqrt(20 + (l - 50) ** 2))
    chroma = (c2 - c1) / (1 + 0.045 * c)
    hue = 2 * math.sqrt(c1 * c2) * math.sin(math.radians(turn / 2)) / (1 + 0.015 * c * t)
    rotation = -2 * math.sqrt(c ** 7 / (c ** 7 + 25 ** 7)) * math.sin(math.radians(60 * math.exp(-((h - 275) / 25) ** 2)))
    return math.sqrt(lightness ** 2 + chroma ** 2 + hue ** 2 + rotation * chroma * hue)


class Chart:
    """Even patches, wide enough that neither a JPEG's blocks nor its coarse colours are what is measured."""

    COLUMNS = 12

    def __init__(self, patches, side=32):
        self.patches, self.side = patches, side
        self.width, self.height = self.COLUMNS * side, -(-len(patches) // self.COLUMNS) * side

    @classmethod
    def within(cls, space, side=32):
        """Colours of all of sRGB and its greys, as far as the space has them, rounded to bytes of it."""
        levels = (20, 90, 160, 235)
        wanted = [(r, g, b) for r in levels for g in levels for b in levels]
        wanted += [(v, v, v) for v in (12, 32, 64, 128, 192, 224, 250)]
        found = [space.samples(SCREEN.light([v / 255 for v in colour])) for colour in wanted]
        return cls([[round(v * 255) / 255 for v in samples] for samples in found if samples], side)

    def rows(self, deep=False):
        pixels = [b"".join(struct.pack(">H", round(v * 65535)) if deep else bytes([round(v * 255)]) for v in patch)
                  for patch in self.patches]
        for top in range(0, len(pixels), self.COLUMNS):
            row = pixels[top:top + self.COLUMNS]
            row += [pixels[-1]] * (self.COLUMNS - len(row))
            for _ in range(self.side):
                yield b"".join(pixel * self.side for pixel in row)

    def portable(self):
        kind = "P5" if len(self.patches[0]) == 1 else "P6"
        return f"{kind}\n{self.width} {self.height}\n255\n".encode() + b"".join(self.rows())

    def png(self, chunks=(), deep=False):
        def chunk(name, data):
            return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

        colour = 0 if len(self.patches[0]) == 1 else 2
        header = struct.pack(">IIBBBBB", self.width, self.height, 16 if deep else 8, colour, 0, 0, 0)
        image = zlib.compress(b"".join(b"\0" + row for row in self.rows(deep)))
        said = b"".join(chunk(name, data) for name, data in chunks)
        return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + said + chunk(b"IDAT", image) + chunk(b"IEND", b"")

    def read(self, portable):
        """The mean of each patch without its edges, of a picture of any size that shows the chart."""
        kind, width, height, most = portable[:40].split(maxsplit=4)[:4]
        width, height, channels = int(width), int(height), 1 if kind == b"P5" else 3
        assert most == b"255", most
        pixels = portable[len(portable) - width * height * channels:]
        scale = width / self.width
        result = []
        for index in range(len(self.patches)):
            left, top = index % self.COLUMNS * self.side * scale, index // self.COLUMNS * self.side * scale
            xs = range(int(left + self.side * scale * 0.3), int(left + self.side * scale * 0.7))
            ys = range(int(top + self.side * scale * 0.3), int(top + self.side * scale * 0.7))
            sums = [0] * channels
            for y in ys:
                for x in xs:
                    at = (y * width + x) * channels
                    for channel in range(channels):
                        sums[channel] += pixels[at + channel]
            mean = [v / len(xs) / len(ys) / 255 for v in sums]
            result.append(mean * 3 if channels == 1 else mean)
        return result


def in_icc_segments(jpeg, data, count=1, backwards=False):
    """A JPEG with that profile in so many pieces behind its beginning."""
    size = -(-len(data) // count)
    pieces = [data[at:at + size] for at in range(0, len(data), size)]
    segments = [b"\xff\xe2" + struct.pack(">H", 16 + len(piece)) + b"ICC_PROFILE\0" + bytes([number + 1, len(pieces)]) + piece
                for number, piece in enumerate(pieces)]
    return jpeg[:2] + b"".join(reversed(segments) if backwards else segments) + jpeg[2:]
