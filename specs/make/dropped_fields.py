"""The fields whose values the API server drops while a feature gate is off.

``if !utilfeature.DefaultFeatureGate.Enabled(features.X) && … { podSpec.Field = nil }``
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from specs.make.checkouts import Checkout
from specs.make.gates import gate_names
from specs.make.go_types import GoField, GoStruct, json_fields, read_structs

_BLOCK = re.compile(
    r"^(?P<indent>\t+)if (?:[^{}]*?&&\s+)?"
    r"!utilfeature\.DefaultFeatureGate\.Enabled\(\w+\.(?P<gate>\w+)\)"
    r"[^{}]*\{\n(?P<body>.*?)^(?P=indent)\}",
    re.M | re.S,
)
_ASSIGNMENT = re.compile(
    r'^\s*(\w+)((?:\[\w+\])?(?:\.\w+(?:\[\w+\])?)*)\.(\w+) = (?:nil|false|0|""|[\w.]+\{\})$',
    re.M,
)
_INDEX = re.compile(r"\[\w+\]")
# A field that is dropped only with a value that needs the gate: the namespace in it
# (pkg/api/persistentvolumeclaim/util.go).
_VALUES = frozenset({("dataSourceRef", "CrossNamespaceVolumeDataSource")})
# pkg/api/pod, pkg/api/persistentvolume and the like are of the core group.
_CORE = "core"


def dropped_fields(checkout: Checkout) -> Iterator[tuple[str, str, str]]:
    """The definition and the JSON name of each field, with its gate."""
    names = gate_names(checkout)
    for path, group in _files(checkout):
        versions = {
            f"io.k8s.api.{group}.{folder.name}": read_structs(folder)
            for folder in sorted(checkout.module("api").glob(f"{group}/v*"))
        }
        for dropped in _assignments(path.read_text("utf-8")):
            gate = names.get(dropped.gate, dropped.gate)
            for package, structs in versions.items():
                for struct, json_name in _resolve(dropped, structs):
                    if (json_name, gate) not in _VALUES:
                        yield f"{package}.{struct}", json_name, gate


class _Assignment(NamedTuple):
    """``variable.steps.field = nil``, with the type of the variable."""

    gate: str
    struct: str
    steps: tuple[str, ...]
    field: str


def _assignments(source: str) -> Iterator[_Assignment]:
    for block in _BLOCK.finditer(source):
        for variable, steps, field in _ASSIGNMENT.findall(block["body"]):
            yield _Assignment(
                gate=block["gate"],
                struct=_type_of(variable, source[: block.end()]),
                steps=tuple(filter(None, _INDEX.sub("", steps).split("."))),
                field=field,
            )


def _files(checkout: Checkout) -> Iterator[tuple[Path, str]]:
    """The files that drop fields, each with the package of its group."""
    root = checkout.module("kubernetes") / "pkg"
    api = root.glob("api/*/util.go")
    registry = root.glob("registry/*/*/strategy.go")
    for path in sorted(chain(api, registry)):
        relative = path.relative_to(root).parts
        yield path, relative[1] if relative[0] == "registry" else _CORE


def _type_of(variable: str, source: str) -> str:
    """The type of a variable: that of its last declaration; "" where there is none."""
    declarations = re.findall(
        rf"\b{variable}(?:, \w+)* (?:\*|\[\])*(?:\w+\.)?([A-Z]\w*)\b"
        rf"|\b{variable} :?= \w+\.\(\*(?:\w+\.)?(\w+)\)",
        source,
    )
    return next((first or second for first, second in reversed(declarations)), "")


def _resolve(
    dropped: _Assignment, structs: Mapping[str, GoStruct]
) -> Iterator[tuple[str, str]]:
    """The struct and JSON name of the field at the end of a path of Go names.

    It is in one of the structs on the way where the internal types, which the API
    server works with, have a struct more (SecurityContext.HostUsers).
    """
    owners = [dropped.struct]
    for step in dropped.steps:
        member = _member(owners[-1], step, structs)
        owners.append(member.element if member else "")
    for owner in reversed(owners):
        member = _member(owner, dropped.field, structs)
        if member is not None:
            yield owner, member.json_name
            return


def _member(struct: str, name: str, structs: Mapping[str, GoStruct]) -> GoField | None:
    if struct not in structs:
        return None
    fields = json_fields(structs[struct], structs)
    return next((field for field in fields if field.name == name), None)
