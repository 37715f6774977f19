"""What the Go types of k8s.io/api declare of the values of fields: enums (the marker
``+enum``), and limits (declarative validation tags: ``+k8s:maxItems=100``).

Tags are candidates only. They are declared for releases that do not enforce them yet, and
many that are new were enforced by written code long before.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from specs.make.checkouts import Checkout
from specs.make.go_types import GoField, api_packages, string_constants
from specs.make.values.questions import Candidate

_ENUM = re.compile(
    r"^// \+(?:k8s:(?:\w+\([^)]*\)=\+k8s:)?)?enum\s*\n(?:^//.*\n)*^type (\w+) string",
    re.M,
)
# What the package core/v1 is called where it is imported.
_CORE = ("v1", "corev1", "core")
_RULES = {
    "minimum": "minimum",
    "maximum": "maximum",
    "maxItems": "max_items",
    "maxLength": "max_length",
    # Texts of more characters have more bytes.
    "maxBytes": "max_length",
}
# Formats of tags (k8s.io/apimachinery/pkg/api/validate/content) by those of
# specs/formats.tsv.
_FORMATS = {
    "k8s-label-key": "qualified-name",
    "k8s-label-value": "label-value",
    "k8s-long-name": "dns-subdomain",
    "k8s-long-name-caseless": "dns-subdomain-caseless",
    "k8s-path-segment-name": "path-segment",
    "k8s-prefixed-label-key": "qualified-name-with-prefix",
    "k8s-resource-fully-qualified-name": "qualified-identifier",
    "k8s-resource-pool-name": "dns-subdomain-path",
    "k8s-short-name": "dns-label",
    "k8s-uuid": "uuid",
}


class Declared(NamedTuple):
    """What is declared of fields, by definition and field."""

    enums: Mapping[tuple[str, str], tuple[str, ...]]
    limits: Mapping[tuple[str, str], tuple[Candidate, ...]]


def declared(checkout: Checkout) -> Declared:
    """The enums and the limits of a release in all API versions."""
    enums: dict[tuple[str, str], tuple[str, ...]] = {}
    limits: dict[tuple[str, str], tuple[Candidate, ...]] = {}
    for name, field, values in _fields(checkout):
        if values:
            enums[name, field.json_name] = values
        if candidates := tuple(_limits(field)):
            limits[name, field.json_name] = candidates
    return Declared(enums, limits)


def _fields(checkout: Checkout) -> Iterator[tuple[str, GoField, tuple[str, ...]]]:
    """Each field with the definition that has it, and the values of its type."""
    packages = list(api_packages(checkout))
    enums = {package.folder: _enums(package.source) for package in packages}
    core = enums.get(checkout.module("api") / "core/v1", {})
    for package in packages:
        # Types of another package, such as v1.Protocol or corev1.Protocol, are of that.
        by_package = {"": enums[package.folder], **dict.fromkeys(_CORE, core)}
        for definition, field in package.fields():
            qualifier, _, name = field.element.rpartition(".")
            yield definition, field, by_package.get(qualifier, {}).get(name, ())


def _enums(source: str) -> dict[str, tuple[str, ...]]:
    values: dict[str, set[str]] = {name: set() for name in _ENUM.findall(source)}
    for _, name, value in string_constants(source):
        if name in values:
            values[name].add(value)
    return {name: tuple(sorted(found)) for name, found in values.items()}


def _limits(field: GoField) -> Iterator[Candidate]:
    keys = []
    for *outer, (name, _, text) in field.tags:
        parts, value = [tag.name for tag in outer], text.strip('"')
        if not {*parts} <= {"eachKey", "eachVal"}:
            continue
        is_of_keys = parts[-1:] == ["eachKey"]
        if name in _RULES and not is_of_keys and value.isdigit():
            yield _RULES[name], value
        elif name == "format" and value in _FORMATS:
            yield "key_format" if is_of_keys else "format", _FORMATS[value]
        elif name == "required":
            yield "required", "true"
        elif name == "listMapKey":
            keys.append(value)
        elif (name, value) in (("listType", "set"), ("unique", "set")):
            yield "unique", '""'
    if keys:
        yield "unique", " ".join(sorted(keys))
