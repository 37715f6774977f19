"""Objects go through what a target generates: the compiler of the language accepts the
files, objects are read with their types, and written again."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from kubestencil.engine import load_targets
from kubestencil.schema import Release
from kubestencil.targets.languages.jsonnet.members import (
    Function,
    Members,
    NestedObject,
)
from kubestencil.targets.languages.rust.crate import plan_crate
from kubestencil.targets.languages.rust.fixups import correct
from kubestencil.targets.model.values import LinkedDefinition
from kubestencil.text.casing import identifier
from tests import jsonnet_library, test_go
from tests.cargo import Cargo, write_crate, write_if_changed
from tests.languages import generated, kcl_value, kinds, pkl_object, write
from tests.packages import generate_package
from tests.test_go import normal
from tests.test_jsonschema import errors, generate_schemas
from tests.test_language_rules import compile_zod, link_npm_packages, run_kcl
from tests.test_language_targets import (
    JARS,
    check_java,
    check_python,
)

#: Of a release, a folder for its files and objects: what is written of each object.
RoundTrip = Callable[[Release, Path, Sequence[Any]], list[Any]]


def _definitions(release: Release, objects: Sequence[Any]) -> list[LinkedDefinition]:
    known = kinds(release)
    return [known[item["apiVersion"], item["kind"]] for item in objects]


def _aliases(definitions: Sequence[LinkedDefinition]) -> dict[str, str]:
    """Names for the modules of definitions, by group and version."""
    names = dict.fromkeys(item.group_version.name for item in definitions)
    return {name: f"p{index}" for index, name in enumerate(names)}


def _types(definitions: Sequence[LinkedDefinition], separator: str) -> Iterator[str]:
    """The type of each definition in its module."""
    aliases = _aliases(definitions)
    for item in definitions:
        yield f"{aliases[item.group_version.name]}{separator}{item.kind}"


def _printed(folder: Path, *command: str, text: str = "") -> Any:
    """The JSON that a program prints."""
    done = subprocess.run(
        command, cwd=folder, input=text, capture_output=True, text=True
    )
    assert done.returncode == 0, (done.stdout + done.stderr)[-5000:]
    return json.loads(done.stdout)


def _in_order(printed: Mapping[str, Any]) -> list[Any]:
    return [printed[f"m{index}"] for index in range(len(printed))]


def _cue(release: Release, folder: Path, objects: Sequence[Any]) -> list[Any]:
    write(folder, generated("cue", release))
    definitions = _definitions(release, objects)
    lines = [
        "package objects",
        *(
            f'import {alias} "kubernetes.example/api/{name}"'
            for name, alias in _aliases(definitions).items()
        ),
        *(
            f"m{index}: {type_} & {json.dumps(objects[index])}"
            for index, type_ in enumerate(_types(definitions, ".#"))
        ),
    ]
    write(folder, {"objects/objects.cue": "\n".join(lines)})
    return _in_order(_printed(folder, "cue", "export", "./objects"))


def _kcl(release: Release, folder: Path, objects: Sequence[Any]) -> list[Any]:
    write(folder, generated("kcl", release))
    definitions = _definitions(release, objects)
    lines = [
        *(
            f"import {'.'.join(map(identifier, name.split('/')))} as {alias}"
            for name, alias in _aliases(definitions).items()
        ),
        *(
            f"m{index} = {type_} {kcl_value(objects[index])}"
            for index, type_ in enumerate(_types(definitions, "."))
        ),
    ]
    write(folder, {"main.k": "\n".join(lines)})
    printed, said = run_kcl(folder / "main.k", folder)
    assert said == ""
    return _in_order(json.loads(printed))


def _pkl(release: Release, folder: Path, objects: Sequence[Any]) -> list[Any]:
    write(folder, generated("pkl", release))
    definitions = _definitions(release, objects)
    aliases = _aliases(definitions)
    lines = [
        *(f'import "{name}.pkl" as {alias}' for name, alias in aliases.items()),
        *(
            f"m{index} = {pkl_object(aliases[item.group_version.name], item, value)}"
            for index, (item, value) in enumerate(
                zip(definitions, objects, strict=True)
            )
        ),
    ]
    write(folder, {"main.pkl": "\n".join(lines)})
    return _in_order(_printed(folder, "pkl", "eval", "-f", "json", "main.pkl"))


_PARSE = """
import { readFileSync } from "node:fs";
const written = [];
for (const [module, kind, value] of JSON.parse(readFileSync(0, "utf8")))
  written.push((await import(`./compiled/${module}.js`))[kind].parse(value));
console.log(JSON.stringify(written));
"""


def _zod(release: Release, folder: Path, objects: Sequence[Any]) -> list[Any]:
    write(folder, {**generated("zod", release), "parse.mjs": _PARSE})
    write(folder, {"main.ts": _typed_objects(release, objects, "ts")})
    done = compile_zod(folder)
    assert done.returncode == 0, done.stdout[-5000:]
    link_npm_packages(folder)
    named = [
        (item.group_version.name, item.kind, value)
        for item, value in zip(_definitions(release, objects), objects, strict=True)
    ]
    return list(_printed(folder, "node", "parse.mjs", text=json.dumps(named)))


def _typed_objects(release: Release, objects: Sequence[Any], suffix: str) -> str:
    """Constants with the types of objects, from modules with a suffix."""
    definitions = _definitions(release, objects)
    lines = [
        *(
            f'import type * as {alias} from "./{name}.{suffix}";'
            for name, alias in _aliases(definitions).items()
        ),
        *(
            f"export const m{index}: {type_} = {json.dumps(objects[index])};"
            for index, type_ in enumerate(_types(definitions, "."))
        ),
    ]
    return "\n".join(lines)


def _typescript(release: Release, folder: Path, objects: Sequence[Any]) -> list[Any]:
    write(folder, generated("typescript", release))
    text = _typed_objects(release, objects, "js")
    write(folder, {"main.ts": text, "package.json": '{"type": "module"}'})
    options = "--strict --module nodenext --target es2022 --noEmit main.ts"
    done = subprocess.run(
        ["tsc", *options.split()], cwd=folder, capture_output=True, text=True
    )
    assert done.stdout == ""
    return list(objects)


def _python_dicts(release: Release, folder: Path, objects: Sequence[Any]) -> list[Any]:
    write(folder, generated("python-dicts", release))
    definitions = _definitions(release, objects)
    aliases = {}
    for name, alias in _aliases(definitions).items():
        group, version = map(identifier, name.split("/"))
        aliases[f"from kubernetes_dicts.{group} import {version} as {alias}"] = alias
    lines = [
        *aliases,
        *(
            f"m{index}: {type_} = {objects[index]!r}"
            for index, type_ in enumerate(_types(definitions, "."))
        ),
    ]
    write(folder, {"main.py": "\n".join(lines)})
    assert check_python(folder) == ""
    return list(objects)


#: A program that reads and writes pairs of the path of a class and an object.
PYDANTIC_TRIP = """
import importlib, json, sys

written = []
for (group, version, kind), value in json.load(sys.stdin):
    model = getattr(importlib.import_module(f"kubernetes_pydantic.{group}.{version}"), kind)
    read = model.model_validate(value)
    assert model.model_validate_json(json.dumps(value)) == read
    written.append(read.to_dict())
json.dump(written, sys.stdout)
"""


def _pydantic(release: Release, folder: Path, objects: Sequence[Any]) -> list[Any]:
    write(folder, generated("pydantic", release))
    assert check_python(folder) == ""
    write(folder, {"trip.py": PYDANTIC_TRIP})
    named = [
        ([*map(identifier, item.group_version.name.split("/")), item.kind], value)
        for item, value in zip(_definitions(release, objects), objects, strict=True)
    ]
    return list(_printed(folder, sys.executable, "trip.py", text=json.dumps(named)))


_PYTHON_TRIP = """
import json, sys
import kubernetes_models as models

written = []
for value in json.load(sys.stdin):
    model = models.model_for(value["apiVersion"], value["kind"])
    read = model.from_dict(value, strict=True)
    assert json.loads(read.to_json()) == read.to_dict()
    written.append(read.to_dict())
json.dump(written, sys.stdout)
"""


def _python(release: Release, folder: Path, objects: Sequence[Any]) -> list[Any]:
    generate_package(release, folder, "kubernetes_models")
    assert check_python(folder) == ""
    write(folder, {"trip.py": _PYTHON_TRIP})
    return list(_printed(folder, sys.executable, "trip.py", text=json.dumps(objects)))


_JAVA_TRIP = """
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;

class Trip {
  public static void main(String[] arguments) throws Exception {
    ObjectMapper mapper = new ObjectMapper();
    var written = mapper.createArrayNode();
    for (JsonNode item : mapper.readTree(System.in)) {
      Class<?> type = Class.forName(item.get(0).textValue());
      Object read = mapper.treeToValue(item.get(1), type);
      Object builder = type.getMethod("toBuilder").invoke(read);
      Object copy = builder.getClass().getMethod("build").invoke(builder);
      if (!copy.equals(read) || copy.hashCode() != read.hashCode()) throw new Error();
      written.add(mapper.valueToTree(copy));
    }
    mapper.writeValue(System.out, written);
  }
}
"""


def _java(release: Release, folder: Path, objects: Sequence[Any]) -> list[Any]:
    if not JARS.is_dir():
        pytest.skip("KUBESTENCIL_JARS names no folder with the jars of Jackson")
    write(folder, {**generated("java", release), "Trip.java": _JAVA_TRIP})
    assert check_java(folder) == ""
    named = []
    for item, value in zip(_definitions(release, objects), objects, strict=True):
        package = ".".join(map(identifier, item.group_version.name.split("/")))
        named.append([f"example.kubernetes.{package}.{item.kind}", value])
    command = ("java", "-cp", f"classes:{JARS}/*", "Trip")
    return list(_printed(folder, *command, text=json.dumps(named)))


def _go(release: Release, folder: Path, objects: Sequence[Any]) -> list[Any]:
    write(folder, generated("go", release))
    test_go.check(folder)
    named = {
        f"{item['apiVersion']} {item['kind']} {index}": item
        for index, item in enumerate(objects)
    }
    write(folder, {"cmd/trip/main.go": test_go.round_trip(named)})
    done = test_go.go(folder, "run", "./cmd/trip", text=json.dumps(named))
    assert done.returncode == 0, done.stderr
    printed = json.loads(done.stdout)
    return [printed[name] for name in named]


_RUST_TRIP = """
fn written<T: serde::Serialize + serde::de::DeserializeOwned>(text: &str) -> String {
    serde_json::to_string(&serde_json::from_str::<T>(text).expect(text)).unwrap()
}

fn main() {
    for line in std::io::stdin().lines() {
        let line = line.unwrap();
        let (number, text) = line.split_once(' ').unwrap();
        println!("{}", match number {
ARMS            _ => panic!("{number}"),
        });
    }
}
"""


def _rust(release: Release, folder: Path, objects: Sequence[Any]) -> list[Any]:
    write_crate(release, folder / "crate", name="custom")
    paths = plan_crate(correct(release, load_targets(None)["rust"])).paths
    arms = ""
    for index, item in enumerate(_definitions(release, objects)):
        path = paths[item.name]
        type_ = "::".join(("custom", *path.module, path.name))
        arms += f'            "{index}" => written::<{type_}>(text),\n'
    write_if_changed(
        folder / "Cargo.toml",
        '[package]\nname = "trip"\nversion = "0.0.0"\nedition = "2021"\n'
        '[dependencies]\ncustom = { path = "crate" }\n'
        'serde = "1"\nserde_json = "1"\n[profile.dev]\ndebug = false\n[workspace]\n',
    )
    write_if_changed(folder / "src/main.rs", _RUST_TRIP.replace("ARMS", arms))
    cargo = Cargo(folder.parent / "cargo")
    output = cargo(folder, "build", "--quiet", timeout=3600)
    assert "warning" not in output, output[:3000]
    lines = (f"{index} {json.dumps(value)}" for index, value in enumerate(objects))
    done = subprocess.run(
        [str(cargo.build / "debug/trip")],
        input="\n".join(lines),
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return list(map(json.loads, done.stdout.splitlines()))


def _jsonnet(release: Release, folder: Path, objects: Sequence[Any]) -> list[Any]:
    """Each object as the sum of calls of functions, as far as they reach."""
    files = jsonnet_library.files(release, "jsonnet")
    main = jsonnet_library.write(folder, files)
    types = {
        item.definition: item for item in jsonnet_library.library_of(release).types
    }
    expressions = []
    for item, value in zip(_definitions(release, objects), objects, strict=True):
        library_type = types[item.name]
        access = "k" + "".join(f"[{name!r}]" for name in library_type.path)
        head = {"apiVersion": value["apiVersion"], "kind": value["kind"]}
        calls = _calls(library_type.members, access, value)
        expressions.append(" + ".join([json.dumps(head), *calls]))
    return jsonnet_library.results(main, expressions)


def _calls(
    members: Members, access: str, value: Mapping[str, Any], path: tuple[str, ...] = ()
) -> Iterator[str]:
    """The calls that set what is in an object, which is at ``path``. Fields that no
    function sets, such as unknown ones, are objects."""
    nested = {
        item.json_name: item
        for item in members.entries
        if isinstance(item, NestedObject) and item.path is not None
    }
    setters = {
        item.field[-1]: item.name
        for item in members.entries
        if isinstance(item, Function) and not item.appends
    }
    for name, field in value.items():
        if name in nested and isinstance(field, dict) and field:
            inner = f"{access}[{json.dumps(nested[name].name)}]"
            yield from _calls(nested[name].members, inner, field, (*path, name))
        elif name in setters:
            yield f"{access}[{json.dumps(setters[name])}]({json.dumps(field)})"
        elif path or name not in ("apiVersion", "kind"):
            text = f"{{{json.dumps(name)}: {json.dumps(field)}}}"
            for outer in reversed(path):
                text = f"{{{json.dumps(outer)}+: {text}}}"
            yield text


def _jsonschema(release: Release, folder: Path, objects: Sequence[Any]) -> list[Any]:
    schemas = generate_schemas(release, "editor")
    for value in objects:
        group, version = value["apiVersion"].split("/")
        path = f"{group}/{value['kind'].lower()}_{version}.json"
        assert errors(schemas, path, value) == [], path
    return list(objects)


#: The programs that each needs.
ROUND_TRIPS: Mapping[str, tuple[RoundTrip, tuple[str, ...]]] = {
    "cue": (_cue, ("cue",)),
    "kcl": (_kcl, ()),
    "pkl": (_pkl, ("pkl",)),
    "zod": (_zod, ("tsc", "node")),
    "typescript": (_typescript, ("tsc",)),
    "python": (_python, ("mypy", "pyright")),
    "python-dicts": (_python_dicts, ("mypy", "pyright")),
    "pydantic": (_pydantic, ("mypy", "pyright")),
    "java": (_java, ("javac", "java")),
    "go": (_go, ("go", "gofmt")),
    "rust": (_rust, ("cargo",)),
    "jsonnet": (_jsonnet, ()),
    "jsonschema": (_jsonschema, ()),
}


def round_trips(*targets: str, marks: Sequence[pytest.MarkDecorator] = ()) -> list[Any]:
    """Targets as parameters of a test."""
    return [
        pytest.param(name, marks=[pytest.mark.compiler(*ROUND_TRIPS[name][1]), *marks])
        for name in sorted(targets)
    ]


def _like(printed: Any, value: Any) -> Any:
    """``printed`` without what says of an object inside what kind it is, where ``value``
    does not."""
    if isinstance(printed, list) and isinstance(value, list):
        return list(map(_like, printed, value))
    if isinstance(printed, dict) and isinstance(value, dict):
        return {
            key: _like(item, value.get(key))
            for key, item in printed.items()
            if key in value or key not in ("apiVersion", "kind")
        }
    return printed


def assert_kept(target: str, release: Release, folder: Path, values: list[Any]) -> None:
    """Nothing is lost but what is absent anyway."""
    round_trip, _ = ROUND_TRIPS[target]
    written = round_trip(release, folder, values)
    for printed, value in zip(written, values, strict=True):
        assert _like(normal(printed), value) == normal(value)
