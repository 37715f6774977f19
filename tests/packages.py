"""Generates the Python package for tests, imports it, and uses its classes."""

from __future__ import annotations

import importlib
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from types import ModuleType

from kubestencil.engine import load_targets
from kubestencil.schema import Release
from kubestencil.targets import generate_files

#: The name of the package that most tests of generated classes share.
PACKAGE = "behaviour_models"
#: The same of generated clients, which begins the names of their packages.
CLIENT = "behaviour"


def generate_package(release: Release, folder: Path, package: str) -> Path:
    """Print the Python package of a release into ``folder``, named ``package``."""
    target = load_targets(None)["python"].with_options({"package": package})
    for file in generate_files(release, target):
        path = folder / file.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(file.data)
    return folder


def generate_client(release: Release, folder: Path, prefix: str) -> Path:
    """Print the Python client of a release and its models into ``folder``: the packages
    ``<prefix>_client`` and ``<prefix>_models``."""
    models = f"{prefix}_models"
    generate_package(release, folder, models)
    target = replace(
        load_targets(None)["python-client"].with_options(
            {"package": f"{prefix}_client"}
        ),
        dependency_options={"python": {"package": models}},
    )
    for file in generate_files(release, target):
        path = folder / file.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(file.data)
    return folder


def import_client(folder: Path, prefix: str) -> tuple[ModuleType, ModuleType]:
    """The package of a generated client, and its module for asyncio. The models, which
    it imports when they are first used, are imported, too."""
    import_package(folder, f"{prefix}_models")
    client = import_package(folder, f"{prefix}_client")
    return client, import_package(folder, f"{prefix}_client.aio")


def import_package(folder: Path, package: str) -> ModuleType:
    """Import a generated package, or a module of it, into this process."""
    sys.path.insert(0, str(folder))
    try:
        return importlib.import_module(package)
    finally:
        sys.path.remove(str(folder))


# Run in a process of its own: imports every class of the package "hostile", and uses an
# object of each in every way that a class supports. The spec's own code, if any of it
# ran, would change the output or the exit status.
ROUND_TRIP = """\
import copy, datetime, importlib, json, pickle, sys, types, typing
import msgspec
sys.path.insert(0, sys.argv[1])
import hostile
from hostile import _kinds
try:
    from hostile import _custom
except ImportError:
    _custom = None

def value(annotation, depth):
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if annotation is typing.Any:
        return {"any": [1, None]}
    if origin in (types.UnionType, typing.Union):
        return value(arguments[0], depth)
    if origin is typing.Annotated:
        return {} if "no fields" in arguments else value(arguments[0], depth)
    if origin is typing.Literal:
        return arguments[0]
    if origin is list:
        return [value(arguments[0], depth - 1)] if depth > 0 else []
    if annotation is dict:
        return {"any": [1, None]}
    if origin is dict:
        return {"key": value(arguments[1], depth - 1)} if depth > 0 else {}
    if _custom and origin is _custom.Open:
        return example(arguments[0], depth - 1)
    if _custom and annotation is _custom.EmbeddedObject:
        return {"apiVersion": "v1", "kind": "Unknown", "other": None}
    if issubclass(annotation, msgspec.Struct):
        return example(annotation, depth - 1)
    if issubclass(annotation, datetime.datetime):
        return "2024-01-31T12:00:00Z"
    return {str: "text", int: 1, float: 0.5, bool: True}[annotation]

def example(model, depth):
    fields = [
        field for field in msgspec.structs.fields(model) if field.name != "unknown_fields"
    ]
    values = {
        field.encode_name: value(field.type, depth)
        for field in fields
        if field.required or depth > 0
    }
    if getattr(model, "_keeps_unknown", False):
        values["unknown"] = {"a": None}
    return values

modules = [hostile.models]
for group in getattr(hostile, "_GROUPS", ()):
    package = importlib.import_module(f"hostile.{group}")
    modules += [getattr(package, version) for version in package.__all__]
for module in modules:
    for name in module.__all__:
        model = getattr(module, name)
        try:
            raw = example(model, 2)
        except RecursionError:
            continue  # a type that requires itself has no finite value
        read = model.from_dict(raw, strict=True)
        written = read.to_dict()
        assert {**written, **raw} == written, (name, raw, written)
        assert written.keys() - raw.keys() <= {"apiVersion", "kind"}
        assert model.from_json(read.to_json(), strict=True) == read
        assert model.from_dict(read.to_dict(names="python")) == read, (name, raw)
        assert pickle.loads(pickle.dumps(copy.deepcopy(read))) == read
        assert set(model.attribute_map) == set(model.openapi_types)
        assert read.replace() == read and repr(read) and model.__doc__
        assert hostile.load(hostile.dump(read)) == [written] or "apiVersion" in written
        names = set(msgspec.structs.asdict(read)) - {"unknown_fields"}
        assert names == set(model.attribute_map)
for kinds in _kinds.KINDS.values():
    for name in kinds.values():
        assert name in hostile.models.__all__
for api_version, kinds in getattr(_kinds, "CUSTOM_KINDS", {}).items():
    for kind in kinds:
        assert hostile.model_for(api_version, kind)
print("done")
"""


def check_round_trips(folder: Path) -> None:
    """Check that every class of the package ``hostile`` in ``folder`` can be used."""
    process = subprocess.run(
        [sys.executable, "-c", ROUND_TRIP, str(folder)],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (process.returncode, process.stdout) == (0, "done\n"), process.stderr[-2000:]
