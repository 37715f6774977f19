"""The targets ``python-dicts``, ``pydantic``, ``zod``, ``cue``, ``kcl``, ``pkl`` and
``java``: the compiler of each language accepts what they generate, runs the program of its
README, and refuses mistakes.

Each release and all custom resources are compiled with ``KUBESTENCIL_COMPILERS=all``, else
the newest release and a sixth of the custom resources.
``KUBESTENCIL_JARS`` is a folder with the jars of Jackson (databind, core, annotations).
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from kubestencil.schema import Release
from kubestencil.targets.model.values import LinkedDefinition, make_model
from tests.cluster import load_crds, stored_crds
from tests.conftest import (
    ALL_IS_COMPILED,
    RELEASES,
    load,
    load_with_crds,
    make_release,
)
from tests.languages import (
    PKL_CATCH,
    generated,
    pkl_object,
    write,
)
from tests.test_crd_examples import widget
from tests.test_language_rules import compile_zod, link_npm_packages, run_kcl

_RELEASES = RELEASES if ALL_IS_COMPILED else RELEASES[-1:]
_EVERY_CRD = 1 if ALL_IS_COMPILED else 10

JARS = Path(os.environ.get("KUBESTENCIL_JARS", "/nowhere"))

_POD = {
    "metadata": {"name": "a"},
    "spec": {"containers": [{"name": "a", "image": "b"}]},
}
#: The parts of objects that are right, as calls.
_CALLS = {
    "metadata": 'meta.ObjectMeta(name="a")',
    "spec": 'core.PodSpec(containers=[core.Container(name="a", image="b")])',
    "selector": "meta.LabelSelector()",
    "template": "core.PodTemplateSpec()",
}

#: Objects with one mistake each, by kind, after those that are right.
RIGHT = 3
OBJECTS: list[tuple[str, Any]] = [
    ("core.Pod", _POD),
    # As API servers send times that were never set.
    ("meta.ObjectMeta", {"creationTimestamp": None}),
    (
        "meta.Condition",
        {
            **{"type": "A", "status": "True", "reason": "B", "message": "c"},
            "lastTransitionTime": None,
        },
    ),
    ("core.Pod", {**_POD, "specs": None}),
    ("core.Pod", {**_POD, "apiVersion": "v2"}),
    ("core.Pod", {**_POD, "kind": "Pods"}),
    ("core.Pod", {**_POD, "metadata": "a"}),
    ("core.PodSpec", {"containers": {}}),
    ("core.PodSpec", {"containers": [], "hostNetwork": "true"}),
    ("core.PodSpec", {"containers": [], "restartPolicy": "always"}),
    ("core.PodSpec", {"containers": [], "terminationGracePeriodSeconds": "30"}),
    ("core.ContainerPort", {"containerPort": "80"}),
    ("core.ContainerPort", {"containerPort": [80]}),
    ("core.ContainerPort", {"containerPort": 80, "protocol": "tcp"}),
    ("core.EnvVar", {"name": 1}),
    ("core.EnvVar", {"name": "A", "value": 1}),
    ("core.ServicePort", {"port": [80]}),
    ("core.ServiceSpec", {"type": "Loadbalancer"}),
    ("core.ServiceSpec", {"ports": {"port": 80}}),
    ("core.Secret", {"metadata": {"name": "a"}, "data": ["a"]}),
    ("core.ConfigMap", {"metadata": {"name": "a"}, "data": {"a": 1}}),
    ("apps.DeploymentSpec", {"selector": {}, "template": {}, "replicas": "2"}),
    ("apps.DeploymentSpec", {"selector": {}, "template": []}),
    ("meta.ObjectMeta", {"labels": ["app"]}),
    ("meta.LabelSelector", {"matchLabels": {"app": True}}),
]


class Language(NamedTuple):
    """A target, the files below its folder that hold code, and its compiler.

    ``check`` compiles a folder, and returns what the compiler says, nothing where all is
    right. ``mistakes`` is the text of a file with ``OBJECTS``, one on each line, after
    ``first`` other lines.
    """

    target: str
    check: Callable[[Path], str]
    file: str
    head: str
    line: Callable[[int, str, Any], str]
    foot: str = ""

    def text(self) -> str:
        """The program with ``OBJECTS``."""
        lines = (
            self.line(index, kind, value) for index, (kind, value) in enumerate(OBJECTS)
        )
        return "\n".join([self.head, *lines, self.foot]) + "\n"


def _run(folder: Path, *command: str) -> str:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    return (done.stdout + done.stderr).strip() if done.returncode else ""


def check_python(folder: Path) -> str:
    (folder / "mypy.ini").write_text("[mypy]\nstrict = True\n")
    mypy = _run(folder, sys.executable, "-m", "mypy", ".")
    return mypy or _run(folder, sys.executable, "-m", "pyright", ".")


def check_zod(folder: Path) -> str:
    done = compile_zod(folder)
    return done.stdout if done.returncode else ""


def _check_cue(folder: Path) -> str:
    return _run(folder, "cue", "vet", "-E", "-c=false", "./...") or _run(
        folder, "cue", "fmt", "--check", "./..."
    )


def _check_kcl(folder: Path) -> str:
    imports = "".join(
        f"import {path.parent.parent.name}.{path.parent.name} as i{index}\n"
        for index, path in enumerate(sorted(folder.glob("*/*/types.k")))
    )
    write(folder, {"all.k": imports})
    return "\n".join(run_kcl(path, folder)[1] for path in folder.glob("*.k"))


def _check_pkl(folder: Path) -> str:
    modules = sorted(folder.glob("*/*.pkl"))
    text = 'import "pkl:reflect"\n' + "".join(
        f'import "{path.relative_to(folder)}" as i{index}\n'
        for index, path in enumerate(modules)
    )
    # Types of properties are looked up when they are needed.
    for index in range(len(modules)):
        text += (
            f"m{index} = reflect.Module(i{index}).classes.values.map((c) -> "
            "c.properties.values.map((p) -> p.type.getClass().toString()))\n"
        )
    write(folder, {"all.pkl": text})
    said = ""
    for path in folder.glob("*.pkl"):
        done = subprocess.run(
            ["pkl", "eval", "-f", "json", path.name],
            cwd=folder,
            capture_output=True,
            text=True,
        )
        if done.returncode:
            return done.stderr
        said += "".join(
            f'"{key[1:]}" {message}\n'
            for key, message in json.loads(done.stdout).items()
            if isinstance(message, str)
        )
    return said


def _pkl_line(index: int, kind: str, value: Mapping[str, Any]) -> str:
    package, _, name = kind.partition(".")
    text = pkl_object(package, _definition(package, name), value)
    return f"m{index} = {PKL_CATCH.format(text)}"


@cache
def _definition(group: str, kind: str) -> LinkedDefinition:
    return next(
        definition
        for definition in make_model(load("1.35")).definitions
        if (definition.group, definition.version, definition.kind)
        == (group, "v1", kind)
    )


def check_java(folder: Path) -> str:
    sources = [str(path.relative_to(folder)) for path in folder.rglob("*.java")]
    (folder / "sources").write_text("\n".join(sources))
    options = "-Xmaxerrs 9999 -Xlint:all,-deprecation,-classfile -Werror -d classes"
    return _run(folder, "javac", *options.split(), "-cp", f"{JARS}/*", "@sources")


def _is_right(key: str, value: Any) -> bool:
    return key in _CALLS and value in ({}, _POD.get(key))


def _arguments(value: Mapping[str, Any]) -> str:
    return ", ".join(
        f"{key}={_CALLS[key] if _is_right(key, item) else repr(item)}"
        for key, item in value.items()
    )


def _java_value(value: Any) -> str:
    if isinstance(value, dict):
        items = ", ".join(f'"{key}", {_java_value(value[key])}' for key in value)
        return f"java.util.Map.of({items})"
    if isinstance(value, list):
        return f"java.util.List.of({', '.join(map(_java_value, value))})"
    return json.dumps(value)


def _java_line(index: int, kind: str, value: Mapping[str, Any]) -> str:
    package, _, name = kind.partition(".")
    setters = "".join(
        f".{key}({_java_value(item)})"
        for key, item in value.items()
        # Objects inside have builders of their own.
        if not _is_right(key, item)
    )
    return f"Object m{index} = example.kubernetes.{package}.v1.{name}.builder(){setters}.build();"


_PYTHON = "".join(
    f"from {{}}.{group} import v1 as {group}\n" for group in ("core", "apps", "meta")
)
LANGUAGES = {
    "python-dicts": Language(
        "python-dicts",
        check_python,
        "mistakes.py",
        _PYTHON.format(*["kubernetes_dicts"] * 3),
        lambda index, kind, value: f"m{index}: {kind} = {value!r}",
    ),
    "pydantic": Language(
        "pydantic",
        check_python,
        "mistakes.py",
        _PYTHON.format(*["kubernetes_pydantic"] * 3),
        lambda index, kind, value: f"m{index} = {kind}({_arguments(value)})",
    ),
    "zod": Language(
        "zod",
        check_zod,
        "mistakes.ts",
        "".join(
            f'import type * as {group} from "./{group}/v1.ts";\n'
            for group in ("core", "apps", "meta")
        ),
        lambda index, kind, value: f"export const m{index}: {kind} = {json.dumps(value)};",
    ),
    "cue": Language(
        "cue",
        _check_cue,
        "mistakes/mistakes.cue",
        "package mistakes\n"
        + "".join(
            f'import {group} "kubernetes.example/api/{group}/v1"\n'
            for group in ("core", "apps", "meta")
        ),
        lambda index, kind, value: f'"{index}": {kind.replace(".", ".#")} & '
        + json.dumps(value),
        "_uses: [meta.#ObjectMeta, apps.#Deployment]",
    ),
    "kcl": Language(
        "kcl",
        _check_kcl,
        "mistakes.k",
        "".join(
            f"import {group}.v1 as {group}\n" for group in ("core", "apps", "meta")
        ),
        lambda index, kind, value: f"m{index} = {kind} {value!r}",
    ),
    "pkl": Language(
        "pkl",
        _check_pkl,
        "mistakes.pkl",
        'import "pkl:test"\n'
        + "".join(
            f'import "{group}/v1.pkl" as {group}\n'
            for group in ("core", "apps", "meta")
        ),
        _pkl_line,
    ),
    "java": Language(
        "java", check_java, "Mistakes.java", "class Mistakes {", _java_line, "}"
    ),
}
_PROGRAMS = {
    "python-dicts": ("mypy", "pyright"),
    "pydantic": ("mypy", "pyright"),
    "zod": ("tsc", "node"),
    "cue": ("cue",),
    "kcl": (),
    "pkl": ("pkl",),
    "java": ("javac",),
}
EACH_LANGUAGE = [
    pytest.param(name, marks=pytest.mark.compiler(*programs))
    for name, programs in _PROGRAMS.items()
]


def _generate(target: str, release: Release, folder: Path) -> Path:
    if target == "java" and not JARS.is_dir():
        pytest.skip("KUBESTENCIL_JARS names no folder with the jars of Jackson")
    if target == "kcl":
        pytest.importorskip("kcl_lib")
    return write(folder, generated(target, release))


@pytest.mark.nightly
@pytest.mark.parametrize("target", EACH_LANGUAGE)
@pytest.mark.parametrize("release", _RELEASES)
def test_each_release_compiles(release: str, target: str, tmp_path: Path) -> None:
    folder = _generate(target, load(release), tmp_path)
    assert LANGUAGES[target].check(folder) == ""


@pytest.mark.nightly
@pytest.mark.parametrize("target", EACH_LANGUAGE)
def test_custom_resources_compile(target: str, tmp_path: Path) -> None:
    folder = _generate(target, load_crds(*stored_crds()[::_EVERY_CRD]), tmp_path)
    assert LANGUAGES[target].check(folder) == ""


@pytest.mark.parametrize("target", EACH_LANGUAGE)
def test_texts_and_names_of_any_document_are_code(target: str, tmp_path: Path) -> None:
    names = ["a-b", "", "3scale", "_x", "__y", "`", 'q"', "class", "$ref", "é", "int"]
    release = make_release(
        {
            "com.example.v1.Foo": {
                "description": '*/ """ }\n#package evil\n{{ 7 * 7 }} \\',
                "properties": {
                    name: {"type": "string", "description": '""" */ \'', "enum": ["a"]}
                    for name in names
                },
            }
        }
    )
    folder = _generate(target, release, tmp_path)
    assert LANGUAGES[target].check(folder) == ""


@pytest.mark.nightly
@pytest.mark.parametrize("target", EACH_LANGUAGE)
def test_the_compiler_refuses_each_mistake(target: str, tmp_path: Path) -> None:
    language = LANGUAGES[target]
    folder = _generate(target, load("1.35"), tmp_path)
    write(folder, {language.file: language.text()})
    said = language.check(folder)
    number = r"^\"(\d+)\"" if target in ("cue", "pkl") else rf"{language.file}\D(\d+)"
    found = set(map(int, re.findall(number, said, re.MULTILINE)))
    first = 0 if target in ("cue", "pkl") else language.head.count("\n") + 2
    assert found == {first + index for index in range(RIGHT, len(OBJECTS))}, said


@pytest.mark.nightly
@pytest.mark.compiler("mypy", "pyright")
@pytest.mark.parametrize("target", ["python-dicts", "pydantic"])
def test_the_program_of_the_readme_is_typed_and_runs(
    target: str, tmp_path: Path
) -> None:
    folder = _generate(target, load("1.35"), tmp_path)
    write(folder, {"program.py": _program(folder, "python")})
    assert check_python(folder) == ""
    assert _run(folder, sys.executable, "program.py") == ""


@pytest.mark.nightly
@pytest.mark.compiler("tsc", "node")
def test_the_program_of_the_readme_of_zod_names_mistakes(tmp_path: Path) -> None:
    """With the package installed, as npm does it."""
    link_npm_packages(tmp_path)
    folder = _generate("zod", load("1.35"), tmp_path / "node_modules/kubernetes-zod")
    program = _program(folder, "typescript")
    write(tmp_path, {"program.ts": program, "package.json": '{"type": "module"}'})
    # The package has to pass with the settings of the program.
    options = "--strict --module nodenext --target es2022 --noUnusedLocals"
    options += " --verbatimModuleSyntax --exactOptionalPropertyTypes"
    assert _run(tmp_path, "tsc", *options.split(), "program.ts") == ""
    done = subprocess.run(
        ["node", "program.js"], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    paths = {line.partition(":")[0] for line in done.stdout.splitlines()}
    assert paths == {"spec.replicas", "spec.selector", "spec.template"}


def _program(folder: Path, language: str) -> str:
    """The program in the README of what was generated; docs/targets/ has it, too."""
    readme = (folder / "README.md").read_text()
    return readme.partition(f"```{language}\n")[2].partition("```")[0]


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("target", "file", "command"),
    [
        pytest.param("kcl", "main.k", (), marks=pytest.mark.compiler()),
        pytest.param(
            *("pkl", "main.pkl", ("pkl", "eval", "-f", "json", "main.pkl")),
            marks=pytest.mark.compiler("pkl"),
        ),
        pytest.param(
            *("cue", "web/web.cue", ("cue", "export", "./web")),
            marks=pytest.mark.compiler("cue"),
        ),
        pytest.param(
            *("java", "Example.java", ("java", "-cp", f"classes:{JARS}/*", "Example")),
            marks=pytest.mark.compiler("javac", "java"),
        ),
    ],
)
def test_the_program_of_the_readme_prints_a_deployment(
    target: str, file: str, command: Sequence[str], tmp_path: Path
) -> None:
    folder = _generate(target, load("1.35"), tmp_path)
    # That of Pkl says itself that it prints YAML.
    program = _program(folder, target).replace("new YamlRenderer", "new JsonRenderer")
    write(folder, {file: program})
    if target == "java":
        assert check_java(folder) == ""
    if target == "kcl":
        printed, said = run_kcl(folder / file, folder)
        assert said == ""
    else:
        printed = subprocess.run(
            command, cwd=folder, capture_output=True, text=True, check=True
        ).stdout
    shown = json.loads(printed)
    assert shown.get("deployment", shown)["spec"]["replicas"] == 2


@pytest.mark.nightly
@pytest.mark.compiler("javac")
def test_java_compiles_whatever_kinds_are_called_and_however_many_fields_there_are(
    tmp_path: Path,
) -> None:
    any_value = {"x-kubernetes-preserve-unknown-fields": True}
    fields = {
        "": any_value, "equals": any_value, "builder": {"type": "string"},
        "toBuilder": {"type": "string", "nullable": True}, "build": any_value,
        "mode": {"type": "string", "enum": ["a"]},
        # Those that begin the names of packages.
        "example": any_value, "java": any_value, "com": any_value,
    }  # fmt: skip
    names = "record var class "
    names += "Builder Deprecated JsonAnySetter JsonCreator JsonInclude JsonProperty JsonValue"
    names += (
        " List Long Map Nullable Object Override Record String Builder_ Value_1 Arrays"
    )
    definitions = {
        f"com.example.v1.{name}": {"type": "object", "properties": fields}
        for name in names.split()
    }
    many = {f"p{index}": {"type": "integer"} for index in range(5_001)}
    definitions["com.example.v1.Many"] = {"type": "object", "properties": many}
    release = make_release(definitions)
    assert LANGUAGES["java"].check(_generate("java", release, tmp_path)) == ""


@pytest.mark.parametrize(
    ("target", "first", "second"),
    [
        ("go", "source_labels", "sourceLabels"),
        ("java", "source_labels", "source-labels"),
        ("pydantic", "source_labels", "source-labels"),
        ("python", "source_labels", "sourceLabels"),
        ("rust", "source_labels", "sourceLabels"),
        ("jsonnet", "sourceLabels", "SourceLabels"),
    ],
)
def test_another_field_changes_no_name(target: str, first: str, second: str) -> None:
    """Also where two fields would be called alike."""

    def names(*fields: str) -> set[str]:
        properties = {name: {"type": "string"} for name in fields}
        kind = {"group": "example.com", "version": "v1", "kind": "A"}
        definition = {
            "type": "object",
            "x-kubernetes-group-version-kind": [kind],
            "properties": properties,
        }
        release = make_release({"com.example.v1.A": definition})
        texts = generated(target, release).values()
        return set(re.findall(r"source_?labels\w*", "\n".join(texts), re.IGNORECASE))

    assert len(names(first, second)) > len(names(first))
    assert names(first, second) == names("a", "b", first, "c", second)


#: More levels of objects than compilers infer the type of at once.
_LEVELS = 24


@pytest.mark.compiler("tsc")
def test_the_types_of_zod_are_those_that_compilers_infer(tmp_path: Path) -> None:
    """Also of a custom kind with many levels, by all threads of a compiler: TypeScript 7 has
    several, of which each infers types in another order."""
    schema: dict[str, Any] = {"type": "string", "nullable": True}
    for _ in range(_LEVELS):
        inner = {"type": "object", "properties": {"inner": schema}, "nullable": True}
        schema = {"type": "array", "items": inner}
    spec = {"type": "object", "properties": {"inner": schema}}
    files = generated("zod", load_with_crds("1.35", [widget(spec)]))
    lines = ['import { z } from "zod";']
    for number, (path, text) in enumerate(sorted(files.items())):
        names = re.findall(r"^export interface (\w+) ", text, re.MULTILINE)
        if path.endswith(".ts") and names:
            lines.append(f'import * as m{number} from "./{path}";')
        for name in names:
            schema_type, type_ = (
                f"z.infer<typeof m{number}.{name}>",
                f"m{number}.{name}",
            )
            lines.append(f"export const {name}{number} = [")
            lines.append(f"  (value: {schema_type}): {type_} => value,")
            lines.append(f"  (value: {type_}): {schema_type} => value,")
            lines.append(f"  (): {type_} => m{number}.{name}.parse({{}}),")
            lines.append(f"  m{number}.{name}.shape, m{number}.{name}.extend({{}}),")
            lines.append("];")
    assert len(lines) > 4_000
    # First in the order of modules: what compilers see before the modules themselves.
    write(tmp_path, {**files, "a.ts": "\n".join(lines)})
    assert check_zod(tmp_path) == ""


def test_lists_and_maps_that_zod_has_inside_of_others_are_no_arguments() -> None:
    """TypeScript calls the type of such an argument excessively deep where it may be null
    and much is in it: the steps of Argo's WorkflowTemplate."""
    item = {"type": "object", "properties": {"a": {"type": "string"}}}
    items = {"type": "array", "items": item}
    properties = {
        "lists": {"type": "array", "items": items},
        "map": {"type": "object", "additionalProperties": items},
    }
    definition = {"type": "object", "properties": properties}
    files = generated("zod", make_release({"com.example.v1.A": definition}))
    text = "".join(files.values())
    assert ").nullable().array().nullish()" in text
    assert "z.array(z.array(" not in text
    assert ".or(z.null())).nullish()" in text


def test_each_custom_kind_has_a_module_of_pydantic_models() -> None:
    """Pyright calls a module with the models of Argo's kinds too complex. The module of the
    group and version has all names."""
    part = {"properties": {"size": {"type": "integer"}}}

    def kind(name: str, properties: Mapping[str, Any]) -> dict[str, Any]:
        served = {"group": "example.com", "version": "v1", "kind": name}
        return {"properties": properties, "x-kubernetes-group-version-kind": [served]}

    def reference(name: str) -> dict[str, str]:
        return {"$ref": f"#/definitions/com.example.v1.{name}"}

    items = {"type": "array", "items": reference("Cat")}
    definitions = {
        "CatList": kind("CatList", {"items": items}),
        "Cat": kind("Cat", {"tail": reference("Tail")}),
        "Dog": kind("Dog", {"name": {"type": "string"}}),
        "Tail": part,
    }
    release = make_release({f"com.example.v1.{n}": d for n, d in definitions.items()})
    files = generated("pydantic", release)
    assert {
        path: re.findall(r"^class (\w+)", text, re.MULTILINE)
        for path, text in files.items()
        if "example_com/" in path and "class " in text
    } == {
        "kubernetes_pydantic/example_com/_v1_Cat.py": ["CatList", "Cat", "Tail"],
        "kubernetes_pydantic/example_com/_v1_Dog.py": ["Dog"],
    }
    module = files["kubernetes_pydantic/example_com/v1.py"]
    assert re.findall(r"(\w+) as \1,", module) == ["CatList", "Cat", "Tail", "Dog"]


@pytest.mark.parametrize("target", ["kcl", "pkl"])
def test_limits_that_no_integer_reaches_are_left_out(target: str) -> None:
    """The integers of these languages have 64 bits."""
    whole = {"type": "integer", "minimum": 0, "maximum": 2**64 - 1}
    number = {"type": "number", "maximum": 2**64}
    properties = {"whole": whole, "number": number}
    definition = {"type": "object", "properties": properties}
    release = make_release({"com.example.v1.A": definition})
    text = "".join(generated(target, release).values())
    assert ">= 0" in text and "<= 1.8446744073709552e+19" in text
    assert str(2**64) not in text and str(2**64 - 1) not in text
