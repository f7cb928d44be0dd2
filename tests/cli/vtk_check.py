"""vtk_check.py FOLDER RESULT_JSON: are the files that a .pvd in FOLDER names what the VTK XML formats ask for?

Follows the description of the formats: well-formed XML; arrays that lie where their offsets say, as long as
number of bytes, components and tuples demand; connectivity within the points; offsets that grow to the length
of connectivity; times that grow. Then what is in them, from the polygons alone: a tube is closed, its normals
point outwards, its volume is that of a cylinder of the radius given, and its middle runs along the centre
line. Prints what it found as JSON."""
import base64
import json
import math
import os
import struct
import sys
import xml.etree.ElementTree as tree

SIZES = {"Float32": ("f", 4), "Int32": ("i", 4)}


def read_collection(path):
    root = tree.parse(path).getroot()
    assert root.tag == "VTKFile" and root.get("type") == "Collection", path
    sets = root.find("Collection").findall("DataSet")
    assert sets, "an empty collection"
    times = [float(s.get("timestep")) for s in sets]
    assert times == sorted(times), "times do not grow"
    for s in sets:
        assert os.path.isfile(os.path.join(os.path.dirname(path), s.get("file"))), s.get("file")
    return [(float(s.get("timestep")), s.get("name"), s.get("file"), int(s.get("part"))) for s in sets]


def read_array(element, text, order, used):
    kind, size = SIZES[element.get("type")]
    assert element.get("format") == "appended" and element.get("Name"), element.attrib
    start = int(element.get("offset"))
    length = struct.unpack(order + "Q", base64.b64decode(text[start:start + 12])[:8])[0]
    characters = 4 * ((8 + length + 2) // 3)
    data = base64.b64decode(text[start:start + characters], validate=True)
    assert len(data) == 8 + length and length % size == 0, (element.attrib, len(data), length)
    used.append((start, start + characters))
    return struct.unpack(f"{order}{length // size}{kind}", data[8:])


def tuples(values, n):
    return [values[i:i + n] for i in range(0, len(values), n)]


def read_piece(path):
    root = tree.parse(path).getroot()
    assert root.get("type") == "PolyData" and root.get("header_type") == "UInt64", root.attrib
    order = {"LittleEndian": "<", "BigEndian": ">"}[root.get("byte_order")]
    appended = root.find("AppendedData")
    assert appended.get("encoding") == "base64"
    text = appended.text.strip()
    assert text[0] == "_"
    text, used = text[1:], []
    piece = root.find("PolyData").find("Piece")
    counts = {k: int(piece.get("NumberOf" + k)) for k in ("Points", "Verts", "Lines", "Strips", "Polys")}
    n_cells = counts["Lines"] + counts["Polys"]

    def arrays(section, n):
        out = {}
        for element in piece.find(section):
            values = read_array(element, text, order, used)
            width = int(element.get("NumberOfComponents"))
            assert n is None or len(values) == n * width, (path, element.attrib, len(values), n)
            out[element.get("Name")] = values if width == 1 else tuples(values, width)
        return out

    point_data, cell_data = arrays("PointData", counts["Points"]), arrays("CellData", n_cells)
    points = arrays("Points", counts["Points"])["points"]
    cells = arrays("Lines" if counts["Lines"] else "Polys", None)
    ends, corners = cells["offsets"], cells["connectivity"]
    assert len(ends) == n_cells and list(ends) == sorted(set(ends)) and ends[-1] == len(corners), path
    assert 0 <= min(corners) and max(corners) < counts["Points"], path
    used.sort()
    assert used[0][0] == 0 and used[-1][1] == len(text), "data that no array names"
    assert all(a[1] == b[0] for a, b in zip(used, used[1:])), "arrays overlap or leave gaps"
    for values in list(point_data.values()) + list(cell_data.values()) + [points]:
        flat = (x for v in values for x in (v if isinstance(v, tuple) else (v,)))
        assert all(math.isfinite(x) for x in flat), path
    faces = [corners[a:b] for a, b in zip((0,) + tuple(ends), ends)]
    return points, faces, point_data, cell_data


def sub(a, b):
    return [x - y for x, y in zip(a, b)]


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def volume(points, faces):
    """By the divergence theorem about a point of the surface: positive when all normals point outwards. Every
    edge must be there once in each direction."""
    edges = {}
    total, o = 0.0, points[faces[0][0]]
    for face in faces:
        for a, b in zip(face, face[1:] + face[:1]):
            edges[a, b] = edges.get((a, b), 0) + 1
        for b, c in zip(face[1:], face[2:]):
            total += dot(sub(points[face[0]], o), cross(sub(points[b], o), sub(points[c], o))) / 6
    assert all(n == 1 and edges.get((b, a)) == 1 for (a, b), n in edges.items()), "the surface is not closed"
    return total


folder = sys.argv[1]
found = {}
for time, name, file, part in read_collection(os.path.join(folder, "robot.pvd")):
    points, faces, on_points, on_cells = read_piece(os.path.join(folder, file))
    entry = found.setdefault(name, {"times": [], "fields": sorted(on_points) + sorted(on_cells)})
    entry["times"].append(time)
    entry["points"], entry["cells"] = len(points), len(faces)
    if name == "rods":
        entry["volumes"] = []
        for rod in sorted(set(on_cells["rod"])):
            mine = [f for f, r in zip(faces, on_cells["rod"]) if r == rod]
            entry["volumes"].append(volume(points, mine))
    if name == "obstacles":
        entry["boxes"] = []
        for which in sorted(set(on_cells["obstacle"])):
            mine = {i for f, o in zip(faces, on_cells["obstacle"]) if o == which for i in f}
            entry["boxes"].append([[f(points[i][k] for i in mine) for k in range(3)] for f in (min, max)])
    if name == "bodies":
        entry["volume"] = volume(points, faces)
for time, name, file, part in read_collection(os.path.join(folder, "lines.pvd")):
    points, faces, on_points, on_cells = read_piece(os.path.join(folder, file))
    entry = found.setdefault("lines", {"times": [], "fields": sorted(on_points) + sorted(on_cells)})
    entry["times"].append(time)
    ends = [face[-1] for face in faces]
    entry["tips"] = [points[i] for i in ends]
    entry["lengths"] = [sum(math.dist(points[a], points[b]) for a, b in zip(f, f[1:])) for f in faces]
    for field in ("force", "radius", "velocity"):
        if field in on_points:
            entry[field] = [on_points[field][i] for i in ends]
print(json.dumps(found))
