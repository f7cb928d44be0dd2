"""svg_text.py FILE: does a text of gnuplot's SVG lie on another, or leave the sheet? Text that is turned
is left out. Widths are counted with 0.5 of the size for a character, so that only real collisions
show."""
import re
import sys
import xml.etree.ElementTree as tree

root = tree.parse(sys.argv[1]).getroot()
space = "{http://www.w3.org/2000/svg}"
width, height = (float(root.get(k)) for k in ("width", "height"))
boxes = []
for group in root.iter(space + "g"):
    place = re.match(r"translate\(([-\d.]+),([-\d.]+)\)( rotate.*)?", group.get("transform") or "")
    text = group.find(space + "text")
    if place is None or text is None or (place.group(3) and "rotate(0" not in place.group(3)):
        continue
    words = "".join(text.itertext()).strip()
    size = float(group.get("font-size") or text.get("font-size") or 12)
    if not words:
        continue
    x, y, long = float(place.group(1)), float(place.group(2)), 0.5 * size * len(words)
    x -= {"middle": long / 2, "end": long}.get(group.get("text-anchor"), 0)
    boxes.append((x, y - 0.7 * size, x + long, y, words))
assert len(boxes) > 10, f"only {len(boxes)} texts were found"
problems = []
for i, (x0, y0, x1, y1, words) in enumerate(boxes):
    if x0 < -1 or y0 < -1 or x1 > width + 1 or y1 > height + 1:
        problems.append(f"'{words}' leaves the sheet: {x0:.0f} {y0:.0f} {x1:.0f} {y1:.0f}")
    for a0, b0, a1, b1, other in boxes[:i]:
        if x0 < a1 - 1 and a0 < x1 - 1 and y0 < b1 - 1 and b0 < y1 - 1:
            problems.append(f"'{words}' lies on '{other}'")
print("\n".join(problems))
sys.exit(1 if problems else 0)
