"""description.py FOLDER: does modelDescription.xml hold what the standard asks for?

What the schemas of FMI 2.0 and 3.0 and the rules beside them say of co-simulation: elements in their order, attributes that
must be there, names and references that are there once, units that are defined, indices that point at outputs.
"""
import re
import sys
import xml.etree.ElementTree as tree
from pathlib import Path

folder = Path(sys.argv[1])
root = tree.parse(folder / "modelDescription.xml").getroot()
two = root.get("fmiVersion") == "2.0"


def need(holds, what):
    if not holds:
        sys.exit(f"{folder}/modelDescription.xml: {what}")


need(root.tag == "fmiModelDescription", "the root")
need(two or re.fullmatch(r"3\.\d+(\.\d+)?(-.+)?", root.get("fmiVersion")), "fmiVersion")
need(root.get("modelName"), "modelName")
token = root.get("guid" if two else "instantiationToken")
need(token and re.fullmatch(r"\{[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\}", token), "token")
need([child.tag for child in root] == ["CoSimulation", "UnitDefinitions", "LogCategories", "DefaultExperiment",
                                       "ModelVariables", "ModelStructure"], "order of the elements")

identifier = root.find("CoSimulation").get("modelIdentifier")
need(re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", identifier), "modelIdentifier is a name in C")
library = folder / "binaries" / ("linux64" if two else "x86_64-linux") / f"{identifier}.so"
need(library.read_bytes()[:4] == b"\x7fELF", "the library lies where it is looked for")
booleans = {"canHandleVariableCommunicationStepSize", "canNotUseMemoryManagementFunctions", "canGetAndSetFMUstate",
            "canSerializeFMUstate", "providesDirectionalDerivative", "canGetAndSetFMUState", "canSerializeFMUState",
            "providesDirectionalDerivatives", "providesAdjointDerivatives"}
for name, value in root.find("CoSimulation").attrib.items():
    need(name == "modelIdentifier" or (name in booleans and value in ("true", "false")), name)

units = [unit.get("name") for unit in root.iter("Unit")]
need(len(units) == len(set(units)), "a unit is defined once")
for base in root.iter("BaseUnit"):
    need(set(base.attrib) <= {"kg", "m", "s", "A", "K", "mol", "cd", "rad", "factor", "offset"}, "base units")

kinds = {"independent": ("continuous", None), "input": ("continuous", None), "parameter": ("fixed", "exact"),
         "output": (("continuous", "discrete"), "calculated")}
variables = list(root.find("ModelVariables"))
need([int(v.get("valueReference")) for v in variables] == list(range(len(variables))), "value references")
need(len({v.get("name") for v in variables}) == len(variables), "names are there once")
need(sum(v.get("causality") == "independent" for v in variables) == 1, "one independent variable")
for v in variables:
    need(v.tag == ("ScalarVariable" if two else "Float64"), v.tag)
    variability, initial = kinds[v.get("causality")]
    need(v.get("variability") in variability and v.get("initial") == initial, v.get("name"))
    value = v.find("Real") if two else v
    need(value.get("unit") is None or value.get("unit") in units, f"unit of {v.get('name')}")
    need((value.get("start") is not None) == (v.get("causality") in ("input", "parameter")), f"start of {v.get('name')}")

structure = root.find("ModelStructure")
outputs = [i for i, v in enumerate(variables) if v.get("causality") == "output"]
if two:
    lists = [[int(u.get("index")) - 1 for u in structure.find(name)] for name in ("Outputs", "InitialUnknowns")]
else:
    lists = [[int(u.get("valueReference")) for u in structure.findall(name)] for name in ("Output", "InitialUnknown")]
need(lists == [outputs, outputs], "the structure lists the outputs")
need(float(root.find("DefaultExperiment").get("stepSize")) > 0, "stepSize")
for name in ("robot.yaml", "variables.txt"):
    need((folder / "resources" / name).is_file(), name)
