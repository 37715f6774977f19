"""The printed package as source code: its looks, its types, and hostile specs."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kubestencil.engine import load_targets
from kubestencil.errors import SpecError, TargetError, UsageError
from kubestencil.targets import print_files
from kubestencil.targets.python.literals import docstring, literal
from tests.conftest import load, release
from tests.packages import print_package

SAMPLE = """\
from datetime import datetime

from typed_models import CoreV1Event, V1Container, V1LeaseSpec, V1Pod, V1PodSpec
from typed_models import ModelError, dump, load, model_for, models
from typed_models.models.v1_object_meta import V1ObjectMeta

pod = V1Pod(
    api_version="v1",
    metadata=V1ObjectMeta(name="a", creation_timestamp=datetime.now()),
    spec=V1PodSpec(containers=[models.V1Container(name="a")]),
)
again: V1Pod = V1Pod.from_json(pod.to_json(), strict=True).replace(kind="Pod")
if again.spec is not None:
    names: list[str] = [each.name for each in again.spec.containers]
lease = V1LeaseSpec(renew_time=datetime.now())
moment: datetime | None = lease.renew_time
for each in load("kind: Pod"):
    if isinstance(each, CoreV1Event):
        print(each.involved_object.name, dump(each))
found = model_for("v1", "Pod")
types: dict[str, str] = V1Pod.attribute_map
try:
    V1Pod.from_dict({})
except ModelError as error:
    print(error.problems[0].path)
"""

MISTAKES = {
    "an unknown attribute": "pod.specs",
    "an unknown attribute, set": "lease.renew = None",
    "a wrong type, set": 'lease.renew_time = "now"',
    "an unknown argument": 'V1Container(name="a", imagee="b")',
    "a missing argument": "V1Container()",
    "an argument without its name": 'V1Container("a")',
    "an argument of a wrong type": "V1Container(name=1)",
    "a list of something else": "V1PodSpec(containers=[V1Pod()])",
    "an optional value as a value": "pod.spec.containers",
    "an unknown class": "models.V1Pot",
}


@pytest.fixture(scope="module")
def typed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("typed")
    print_package(load("1.35"), folder, "typed_models")
    (folder / "good.py").write_text(SAMPLE)
    for number, mistake in enumerate(MISTAKES.values()):
        (folder / f"bad{number}.py").write_text(f"{SAMPLE}{mistake}\n")
    return folder


CHECKERS = {
    "mypy": ["--strict", "--no-error-summary", "--python-executable", sys.executable],
    "pyright": ["--pythonpath", sys.executable],
}


@pytest.mark.parametrize("checker", CHECKERS)
def test_type_checkers_accept_the_package_and_see_mistakes(
    typed: Path, checker: str
) -> None:
    pytest.importorskip(checker, reason=f"{checker} is not installed")
    lines = check_types(typed, checker)
    wrong = {Path(line.split(":")[0]).stem for line in lines}
    assert wrong == {f"bad{number}" for number in range(len(MISTAKES))}, lines
    last = SAMPLE.count("\n") + 1
    assert all(int(line.split(":")[1]) == last for line in lines), lines


def check_types(folder: Path, checker: str) -> list[str]:
    """The errors of a type checker, one a line: file, line, message."""
    done = subprocess.run(
        [sys.executable, "-m", checker, *CHECKERS[checker], "."],
        cwd=folder,
        env={**os.environ, "MYPY_CACHE_DIR": str(folder / ".cache")},
        capture_output=True,
        text=True,
        timeout=400,
    )
    if "Traceback" in done.stderr or "rror: could not" in done.stderr.lower():
        pytest.skip(f"{checker} does not run here: {done.stderr[-300:]}")
    places = re.findall(
        r"^\s*(\S+\.pyi?:\d+)[:\d]*(?: -)? error: (.*)$", done.stdout, re.M
    )
    return [f"{place}: {text}" for place, text in places]


# What hostile specs are made of.

NASTY = [
    '"""',
    '"',
    "'''",
    "\\",
    "\\N{BULLET}",
    "\\x",
    "\\u12",
    "\0",
    "\x0c",
    "\r",
    "\u2028",
    "\u202e",
    "\n",
    "\t",
    " ",
    "#",
    "{{ 1 }}",
    "{% raw %}",
    "import os",
    '"""\nimport sys; sys.exit(7)\n"""',
    "\n    raise SystemExit(7)\n",
    "é",
    "🙂",
    "a",
    "word " * 30,
]
DESCRIPTIONS = st.lists(st.sampled_from(NASTY), max_size=6).map("".join)
NAMES = st.sampled_from(
    [
        "class", "self", "from_dict", "toJson", "to_json", "__init__", "__post_init__",
        "__struct_fields__", "__slots__", "__class__", "__doc__", "1st", "a-b", "a_b",
        "$ref", "", "$", "str", "int", "bool", "list", "dict", "float", "object", "type",
        "None", "True", "Any", "Model", "Time", "import", "_x", "__x", "attribute_map",
        "openapiTypes", "_NAMES", "_times", "replace", "é", "a b", "print", "builtins",
        "datetime", "msgspec", "mro", "copy", 'a"b', "a\\b", "a\nb", "\0", "\ud800", "x" * 150,
    ]
)  # fmt: skip
DEFINITIONS = st.sampled_from(
    [
        "str", "int", "list", "dict", "None", "True", "class", "Any", "Model", "Time",
        "MicroTime", "Quantity", "TimedModel", "models", "Import", "Class", "A", "B", "C",
        "io.k8s.api.core.v1.Pod", "io.k8s.api.apps.v1.Pod", "com.example.v1.Thing-a",
        "Exception", "type", "ClassVar", "1st", "to_time", "TYPE_CHECKING", "x" * 190,
    ]
)  # fmt: skip
PLAIN = st.sampled_from(
    [
        {"type": "string"},
        {"type": "integer"},
        {"type": "number"},
        {"type": "boolean"},
        {"type": "object"},
        {"type": "array"},
        {},
        {"type": "string", "format": "date-time"},
        {"type": "string", "format": "byte"},
        {"type": "string", "format": "int-or-string"},
        {"type": "object", "properties": {"a": {"type": "string"}}},
    ]
)


@st.composite
def specs(draw: st.DrawFn) -> dict[str, Any]:
    names = draw(st.lists(DEFINITIONS, min_size=1, max_size=6, unique=True))
    references = st.sampled_from(names).map(lambda n: {"$ref": f"#/definitions/{n}"})
    schemas = st.recursive(
        PLAIN | references,
        lambda inner: inner.map(lambda each: {"type": "array", "items": each})
        | inner.map(lambda each: {"type": "object", "additionalProperties": each}),
        max_leaves=2,
    )
    definitions = {}
    for name in names:
        fields = draw(st.dictionaries(NAMES, schemas, max_size=5))
        definitions[name] = {
            "type": "object",
            "description": draw(DESCRIPTIONS),
            "properties": {
                key: {**schema, "description": draw(DESCRIPTIONS)}
                for key, schema in fields.items()
            },
            "required": (
                draw(st.lists(st.sampled_from(sorted(fields)), max_size=2))
                if fields
                else []
            ),
            "x-kubernetes-group-version-kind": [
                {
                    "group": draw(DESCRIPTIONS),
                    "version": name,
                    "kind": draw(DESCRIPTIONS),
                }
            ],
        }
    return definitions


# Run in a process of its own: imports everything, and takes an object of each class
# through all that a class can do. "ran" would be printed by nothing but the spec.
ROUND_TRIP = """\
import copy, json, pickle, sys
import msgspec
sys.path.insert(0, sys.argv[1])
import hostile
from hostile import _kinds

def value(kind, depth):
    import datetime, types, typing
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if kind is typing.Any:
        return {"any": [1, None]}
    if origin in (types.UnionType, typing.Union):
        return value(arguments[0], depth)
    if origin is list:
        return [value(arguments[0], depth - 1)] if depth > 0 else []
    if origin is dict:
        return {"key": value(arguments[1], depth - 1)} if depth > 0 else {}
    if issubclass(kind, msgspec.Struct):
        return example(kind, depth - 1)
    if issubclass(kind, datetime.datetime):
        return "2024-01-31T12:00:00Z"
    return {str: "text", int: 1, float: 0.5, bool: True}[kind]

def example(model, depth):
    return {
        field.encode_name: value(field.type, depth)
        for field in msgspec.structs.fields(model)
        if field.required or depth > 0
    }

for name in hostile.models.__all__:
    model = getattr(hostile, name)
    try:
        raw = example(model, 2)
    except RecursionError:
        continue  # a type that needs itself has no values
    read = model.from_dict(raw, strict=True)
    assert read.to_dict() == raw, (name, raw, read.to_dict())
    assert model.from_json(read.to_json(), strict=True) == read
    assert pickle.loads(pickle.dumps(copy.deepcopy(read))) == read
    assert set(model.attribute_map) == set(model.openapi_types)
    assert read.replace() == read and repr(read) and model.__doc__
    assert hostile.load(hostile.dump(read)) == [raw]
    assert set(msgspec.structs.asdict(read)) == set(model.attribute_map)
for kinds in _kinds.KINDS.values():
    for name in kinds.values():
        assert name in hostile.models.__all__
print("fine")
"""


def round_trip(folder: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", ROUND_TRIP, str(folder)],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (done.returncode, done.stdout) == (0, "fine\n"), done.stderr[-2000:]


@given(definitions=specs())
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
def test_a_hostile_spec_is_refused_or_harmless(
    definitions: dict[str, Any], tmp_path_factory: pytest.TempPathFactory
) -> None:
    try:
        found = release(definitions)
        folder = print_package(found, tmp_path_factory.mktemp("hostile"), "hostile")
    except SpecError as error:
        assert error.what
        return
    round_trip(folder)


def thing(**fields: Any) -> dict[str, Any]:
    return {"type": "object", "description": "A thing.", "properties": fields}


def ref(name: str) -> dict[str, str]:
    return {"$ref": f"#/definitions/{name}"}


@pytest.mark.parametrize("name", NASTY)
def test_every_hostile_text_by_itself(name: str, tmp_path: Path) -> None:
    text = {"type": "string", "description": name}
    definition = {**thing(a=text), "description": name}
    folder = print_package(release({"A": definition}), tmp_path, "hostile")
    round_trip(folder)


def test_circles_between_definitions(tmp_path: Path) -> None:
    many = {
        "A": thing(b=ref("B"), me=ref("A"), str=ref("C")),
        "B": thing(c={"type": "array", "items": ref("C")}),
        "C": thing(a={"type": "object", "additionalProperties": ref("A")}, d=ref("D")),
        "D": thing(str={"type": "string"}),
    }
    round_trip(print_package(release(many), tmp_path, "hostile"))


def test_a_field_named_like_what_its_class_uses(tmp_path: Path) -> None:
    time = {"type": "string", "format": "date-time"}
    definition = thing(toDatetime=time, str={"type": "array", "items": time}, toTime={})
    round_trip(print_package(release({"A": definition}), tmp_path, "hostile"))


def test_names_that_are_taken_get_another(tmp_path: Path) -> None:
    fields = {
        name: {"type": "string"}
        for name in ["class", "self", "from_dict", "__init__", "1st", "a-b", "$ref", ""]
    }
    definitions = {
        "Model": thing(**fields),
        "Any": thing(x=ref("None")),
        "None": thing(),
    }
    folder = print_package(release(definitions), tmp_path, "hostile")
    round_trip(folder)
    text = (folder / "hostile/models/model_model.py").read_text()
    names = re.findall(r"^    (\w+): str \| None = None$", text, re.M)
    assert names == [
        "_",
        "ref",
        "_1st",
        "init__",
        "a_b",
        "_class",
        "_from_dict",
        "_self",
    ]


@pytest.mark.parametrize(
    ("definitions", "what"),
    [
        ({"A": thing(**{"a-b": {}, "a_b": {}})}, "two fields get the attribute a_b"),
        ({"A": thing(**{'a"': {}})}, "has a name that cannot be an attribute's"),
        (
            {"A.b": thing(), "Ab": thing(), "A-b": thing()},
            "two definitions get the name",
        ),
        (
            {f"A{n}": thing(a=ref(f"A{n + 1}")) for n in range(200)}
            | {"A200": thing()},
            "more than 100 deep",
        ),
        (
            {
                n: {
                    **thing(),
                    "x-kubernetes-group-version-kind": [
                        {"group": "", "version": "v1", "kind": "K"}
                    ],
                }
                for n in "AB"
            },
            "A and B are both 'K' of 'v1'",
        ),
    ],
)
def test_what_cannot_be_a_package_is_refused(
    definitions: dict[str, Any], what: str, tmp_path: Path
) -> None:
    with pytest.raises(SpecError, match=re.escape(what)):
        print_package(release(definitions), tmp_path, "hostile")


@pytest.mark.parametrize(
    "change", [{"package": "a-b"}, {"package": "class"}, {"project": "a\nb"}]
)
def test_options_that_cannot_be_are_refused(change: dict[str, str]) -> None:
    target = load_targets(None)["python"].with_options(change)
    with pytest.raises((TargetError, UsageError)):
        list(print_files(load("1.35"), target))


@given(DESCRIPTIONS | st.text())
@settings(max_examples=500, deadline=None)
def test_a_docstring_says_what_the_spec_says(text: str) -> None:
    import ast

    import black

    said = docstring(text, 4)
    if not text.strip():
        return
    code = f"class A:\n    {said}\n"
    assert black.format_str(code, mode=black.Mode()) == code
    kept = ast.get_docstring(ast.parse(code).body[0], clean=False) or ""  # type: ignore[arg-type]
    assert kept.split() == text.split()
    assert all(line.isprintable() for line in code.split("\n"))


@given(DESCRIPTIONS | st.text())
def test_a_literal_is_its_text(text: str) -> None:
    import ast

    said = literal(text)
    assert ast.literal_eval(said) == text
    assert said.isprintable()


def test_acronyms_are_an_option_of_the_target(tmp_path: Path) -> None:
    """kubernetes_asyncio, and kubernetes from 36 on, have pod_cidrs."""
    folder = tmp_path / "templates" / "python"
    folder.mkdir(parents=True)
    text = (load_targets(None)["python"].manifest).read_text()
    (folder / "target.toml").write_text(text.replace('"split"', '"whole"'))
    target = load_targets(tmp_path / "templates")["python"]
    files = {file.path: file.data for file in print_files(load("1.35"), target)}
    assert (
        b'"pod_cidrs": "podCIDRs"' in files["kubernetes_models/models/v1_node_spec.py"]
    )


def test_the_project_can_be_built_and_installed(tmp_path: Path) -> None:
    """The metadata are read by the same tools that pip uses."""
    import tomllib

    folder = print_package(load("1.35"), tmp_path, "models_of_ours")
    project = tomllib.loads((folder / "pyproject.toml").read_text())["project"]
    assert project["version"] == "1.35.0"
    assert json.dumps(project["dependencies"])
    assert (folder / "models_of_ours" / "py.typed").exists()
