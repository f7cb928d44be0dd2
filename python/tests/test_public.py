"""Everything public is documented and has types; everything in the headers is reachable."""
import inspect
import re
import typing
import unittest
from pathlib import Path

import tendril
from tendril import _core
from tendril.fields import words
from parts import SOURCE


def public(owner):
    return {name: value for name, value in vars(owner).items() if not name.startswith("_")}


def functions():
    """Every public function and method, with its name."""
    for name in tendril.__all__:
        value = getattr(tendril, name)
        if inspect.ismodule(value):
            for inner, function in public(value).items():
                if inspect.isfunction(function) and function.__module__ == value.__name__:
                    yield f"{name}.{inner}", function
        elif inspect.isclass(value):
            for inner, member in public(value).items():
                plain = member.fget if isinstance(member, property) else member
                plain = plain.__func__ if isinstance(plain, (classmethod, staticmethod)) else plain
                if inspect.isfunction(plain):
                    yield f"{name}.{inner}", plain
        elif callable(value):
            yield name, value


class Actuators(unittest.TestCase):
    def test_every_kind_of_the_library_has_its_lists(self):
        robot = tendril.Robot.load(SOURCE / "examples" / "cantilever.yaml")
        state = tendril.System(robot).state()
        kinds = [tendril._core.lib.td_actuator_kind_at(i)
                 for i in range(tendril._core.lib.td_n_actuator_kinds())]
        self.assertGreaterEqual(len(kinds), 2)
        for kind in kinds:
            word, plural = (tendril._core.ffi.string(text).decode()
                            for text in (kind.word, kind.plural))
            with self.subTest(word):
                for owner in (robot, state.system, state, tendril.Result()):
                    self.assertEqual(list(getattr(owner, plural)), [])
                self.assertTrue(callable(getattr(robot, f"add_{word}")))


class Documented(unittest.TestCase):
    def test_every_public_name_has_a_docstring(self):
        for name in tendril.__all__:
            with self.subTest(name):
                self.assertTrue(inspect.getdoc(getattr(tendril, name)))
        for name, function in functions():
            with self.subTest(name):
                self.assertTrue(function.__doc__, name)

    def test_every_argument_and_result_has_a_type(self):
        for name, function in functions():
            hints = function.__annotations__
            parameters = [p for p in inspect.signature(function).parameters.values()
                          if p.name not in ("self", "cls")]
            with self.subTest(name):
                self.assertIn("return", hints)
                self.assertEqual([p.name for p in parameters if p.name not in hints], [])

    def test_the_types_can_be_resolved(self):
        for name, function in functions():
            with self.subTest(name):
                names = {**vars(inspect.getmodule(function)), "State": tendril.State,
                         "Linearisation": tendril.Linearisation}
                try:
                    typing.get_type_hints(function, names)
                except TypeError as error:  # "int | str" in Python before 3.10
                    self.assertIn("unsupported operand", str(error))

    def test_the_package_says_that_it_has_types(self):
        self.assertTrue((Path(tendril.__file__).parent / "py.typed").is_file())

    def test_every_public_name_is_in_the_guide(self):
        guide = (SOURCE / "docs" / "python.md").read_text()
        missing = [name for name in tendril.__all__ if not re.search(rf"\b{name}\b", guide)]
        self.assertEqual(missing, [])


class Headers(unittest.TestCase):
    def declared(self):
        text = "".join(path.read_text() for path in (SOURCE / "include" / "tendril").glob("*.h"))
        return set(re.findall(r"^TD_API[^;(]*?\b(td_\w+)\(", text, re.MULTILINE))

    def test_every_function_of_the_headers_is_known_to_cffi(self):
        self.assertGreater(len(self.declared()), 80)
        self.assertEqual([name for name in self.declared() if not hasattr(_core.lib, name)], [])

    def test_every_function_that_the_package_calls_is_in_the_headers(self):
        package = Path(tendril.__file__).parent
        text = "".join(path.read_text() for path in package.glob("*.py"))
        called = set(re.findall(r"\blib\.(td_[a-z_]+)\b", text))
        self.assertGreater(len(called), 50)
        self.assertEqual(sorted(called - self.declared()), [])

    def test_options_follow_the_struct(self):
        known = tendril.Options().keys()
        fields = [name for name, _ in _core.ffi.typeof("td_options").fields]
        self.assertEqual(known, fields)
        self.assertEqual(tendril.Options().scheme, "bdf-alpha")
        self.assertIn("static", tendril.Robot().scenario.start)

    def test_words_of_options_are_those_of_the_file(self):
        """Whatever word a field takes, the library's table has it for one option, and no other changes."""
        def check(fields, options):
            for name in fields.keys():
                kind, start = fields._field(name).type, getattr(fields, name)
                if kind.kind == "struct":
                    check(start, options)
                for word in words(kind) if kind.kind == "enum" else ():
                    if word == start:
                        continue
                    before = everything(options)
                    setattr(fields, name, word)
                    changed = {now for path, now in everything(options).items() if now != before[path]}
                    self.assertEqual(changed, {word}, name)
                    setattr(fields, name, start)
                    self.assertIn(start, before.values())

        def everything(options):
            room = _core.ffi.new("char[]", 160)
            get = _core.lib.td_get_option
            return {path: _core.ffi.string(room).decode() for path in options.known()
                    if get(options._struct, path.encode(), room, 160) != _core.ffi.NULL}

        options = tendril.Options()
        self.assertGreater(len(everything(options)), 40)
        check(options, options)

    def test_a_model_says_which_options_it_reads(self):
        options = tendril.Options()
        self.assertEqual(options.read()["simulation.space.nodes"], "8")
        options.model, options.lumped.segments = "eba", 5
        self.assertEqual(options.read()["simulation.lumped.segments"], "5")
        self.assertNotIn("simulation.space.nodes", options.read())
        self.assertIn("segments", tendril.Options.known()["simulation.constant_curvature.segments"])

    def test_constants_of_the_headers_are_known(self):
        self.assertEqual(_core.lib.TD_COARSE, 0.01)
        self.assertEqual(_core.lib.TD_WORLD, -1)
        self.assertLessEqual({"bodies", "chambers", "energy", "inputs", "pose", "strain", "tendons",
                              "velocity", "wrench"}, set(tendril.Scenario.known_fields()))

    def test_models_are_those_of_the_library(self):
        models = tendril.models()
        self.assertEqual(len(models), _core.lib.td_n_models())
        self.assertIn("Till", models["cosserat"].reference)
        self.assertTrue(models["cosserat"].supports("tendon friction"))
        self.assertEqual(tendril.version(), tendril.__version__)


if __name__ == "__main__":
    unittest.main()
