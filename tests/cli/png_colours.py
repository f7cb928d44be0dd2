"""png_colours.py FILE WIDTH HEIGHT N: is this a PNG of that size (0: any) with at least N colours, most
of it background? Reads 8-bit RGB and RGBA without interlacing, with nothing but zlib."""
import struct
import sys
import zlib

path, width, height, least = sys.argv[1], *map(int, sys.argv[2:])
raw = open(path, "rb").read()
assert raw[:8] == b"\x89PNG\r\n\x1a\n", "not a PNG"
at, chunks = 8, []
while at < len(raw):
    size, kind = struct.unpack(">I4s", raw[at:at + 8])
    chunks.append((kind, raw[at + 8:at + 8 + size]))
    at += 12 + size
w, h, depth, colour, _, _, interlace = struct.unpack(">IIBBBBB", chunks[0][1])
assert (depth, interlace) == (8, 0) and colour in (2, 6), (depth, colour, interlace)
assert width in (0, w) and height in (0, h), (w, h)
n = 3 if colour == 2 else 4
lines = zlib.decompress(b"".join(data for kind, data in chunks if kind == b"IDAT"))
before, counts = bytearray(w * n), {}
for y in range(min(h, 260)):  # enough to judge by
    start = y * (w * n + 1)
    how, line = lines[start], bytearray(lines[start + 1:start + 1 + w * n])
    for i in range(w * n if how else 0):
        a = line[i - n] if i >= n else 0
        b, c = before[i], before[i - n] if i >= n else 0
        if how == 1:
            guess = a
        elif how == 2:
            guess = b
        elif how == 3:
            guess = (a + b) // 2
        else:
            guess = min((abs(b - c), 0, a), (abs(a - c), 1, b), (abs(a + b - 2 * c), 2, c))[2]
        line[i] = (line[i] + guess) & 255
    before = line
    if y % 3 == 0:
        for i in range(0, w * n, n):
            pixel = bytes(line[i:i + 3])
            counts[pixel] = counts.get(pixel, 0) + 1
total = sum(counts.values())
drawn = total - counts.get(b"\xff\xff\xff", 0)
assert len(counts) >= least, f"{len(counts)} colours, expected {least}"
assert 0.002 < drawn / total < 0.5, f"{drawn / total:.4f} of the figure is drawn on"
