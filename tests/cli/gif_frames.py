"""gif_frames.py FILE WIDTH HEIGHT FRAMES DELAY: is this a GIF of that size with so many frames, each shown
for DELAY hundredths of a second, and do they differ?"""
import struct
import sys

path, width, height, frames, delay = sys.argv[1], *map(int, sys.argv[2:])
raw = open(path, "rb").read()
assert raw[:6] == b"GIF89a", raw[:6]
w, h, flags = struct.unpack("<HHB", raw[6:11])
assert (w, h) == (width, height), (w, h)
at = 13 + (3 << (flags & 7) + 1 if flags & 0x80 else 0)
delays, images = [], []


def blocks(start):
    """Data in sub-blocks and where it ends."""
    data = b""
    while raw[start]:
        data += raw[start + 1:start + 1 + raw[start]]
        start += 1 + raw[start]
    return data, start + 1


while raw[at] != 0x3B:  # until the trailer
    if raw[at] == 0x21:  # an extension
        data, end = blocks(at + 2)
        if raw[at + 1] == 0xF9:
            delays.append(struct.unpack("<H", data[1:3])[0])
        at = end
    else:
        assert raw[at] == 0x2C, hex(raw[at])
        local = raw[at + 9]
        data, at = blocks(at + 11 + (3 << (local & 7) + 1 if local & 0x80 else 0))
        images.append(data)
assert len(images) == frames, f"{len(images)} frames"
assert set(delays) == {delay}, set(delays)
assert len(set(images)) > frames / 2, "the frames do not differ"
