"""The table ``configurations``: the configuration files of programs.

Their kinds are in no OpenAPI document. A program has the schemes of those that read them,
which know their types, and fill in what is missing; which fields are required, and which
texts there are, only the sources of the types say.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

from specs.make.checkouts import Checkout
from specs.make.go_types import structs_in
from specs.make.program import program_rows

# Versions that kubeadm reads only with a flag, and those that it warns of.
_KUBEADM_STAGES = "cmd/kubeadm/app/util/config/common.go"
_KUBEADM = "kubeadm.k8s.io/"
_VERSIONS = r"{}APIVersions := map\S+\{{\n(.*?)^\t\}}"
# Types of libraries whose texts are no closed list.
_OPEN = ("", "api", "apimachinery")
_VALUE = re.compile(r'^\s*(?:const )?\w+ (\w+) += "([^"]+)"', re.MULTILINE)


def make_rows(checkout: Checkout) -> Iterator[tuple[str, ...]]:
    """The rows of the table for a release."""
    experimental, deprecated = map(
        set,
        (
            _kubeadm_versions(checkout, stage)
            for stage in ("experimental", "deprecated")
        ),
    )
    in_document = checkout.document["definitions"]
    left_out = {
        definition.rpartition(".")[0]
        for definition, field, type_name, *_ in _printed(checkout)
        if not field and type_name.partition(" ")[0] in experimental
    }
    for definition, field, type_name, default, *names in _printed(checkout):
        owner, struct, element, element_name = names
        # What a version refers to is of the version; libraries are in documents.
        is_left_out = definition.rpartition(".")[0] in left_out
        if is_left_out or f"io.k8s.{definition}" in in_document:
            continue
        if field:
            required = field in _required(_folder(checkout, owner), struct)
            values = _values(checkout, element).get(element_name, ())
            yield (
                definition,
                field,
                type_name,
                "required" if required else "",
                " ".join(values) if len(values) > 1 else "",
                json.dumps(json.loads(default), sort_keys=True) if default else "",
            )
        else:
            is_deprecated = type_name.partition(" ")[0] in deprecated
            state = "deprecated" if is_deprecated else ""
            yield definition, "", type_name, state, "", ""


def _printed(checkout: Checkout) -> Iterator[list[str]]:
    return program_rows(checkout, "configurations", "configurations")


def _kubeadm_versions(checkout: Checkout, stage: str) -> Sequence[str]:
    text = (checkout.module("kubernetes") / _KUBEADM_STAGES).read_text("utf-8")
    listed = re.search(_VERSIONS.format(stage), text, re.MULTILINE | re.DOTALL)
    return re.findall(rf'"({re.escape(_KUBEADM)}\w+)"', listed[1]) if listed else ()


def _folder(checkout: Checkout, package: str) -> Path:
    module, _, path = package.removeprefix("k8s.io/").partition("/")
    return checkout.module(module) / path


@cache
def _required(folder: Path, struct: str) -> frozenset[str]:
    """The fields of a struct that a marker calls required."""
    files = sorted(folder.glob("types*.go"))
    found = structs_in("\n".join(path.read_text("utf-8") for path in files)).get(struct)
    fields = found.fields if found else ()
    return frozenset(
        field.json_name for field in fields if ("required", "") in field.markers
    )


def _values(checkout: Checkout, package: str) -> dict[str, list[str]]:
    """The constants of each named text of a package; none of a library."""
    if package.removeprefix("k8s.io/").partition("/")[0] in _OPEN:
        return {}
    return constants_of(_folder(checkout, package))


@cache
def constants_of(folder: Path) -> dict[str, list[str]]:
    values: dict[str, dict[str, None]] = {}
    for path in sorted(folder.glob("*.go")):
        if not path.name.endswith(("_test.go", "_windows.go")):
            for type_name, value in _VALUE.findall(path.read_text("utf-8")):
                values.setdefault(type_name, {})[value] = None
    return {type_name: list(found) for type_name, found in values.items()}
