"""pdf_size.py FILE: width and height of the first page in whole points."""
import re
import sys
import zlib

raw = open(sys.argv[1], "rb").read()
parts = [raw]
for match in re.finditer(rb"stream\r?\n", raw):  # pages may lie in compressed object streams
    try:
        parts.append(zlib.decompressobj().decompress(raw[match.end():]))
    except zlib.error:
        pass
box = re.search(rb"/MediaBox *\[([^\]]*)\]", b"\n".join(parts)).group(1).split()
print(*(round(float(box[k + 2]) - float(box[k])) for k in range(2)))
