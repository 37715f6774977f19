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
from specs.make.go_types import GoField, api_packages
from specs.make.values.questions import Candidate

_ENUM = re.compile(
    r"^// \+(?:k8s:(?:\w+\([^)]*\)=\+k8s:)?)?enum\s*\n(?:^//.*\n)*^type (\w+) string",
    re.M,
)
_CONSTANT = re.compile(
    r'^\s*(?:const\s+)?\w+\s+(\w+)\s*=\s*"([^"]*)"'
    r'|^\s*(?:const\s+)?\w+\s*=\s*(\w+)\("([^"]*)"\)',
    re.M,
)
_TAG = re.compile(r"\+k8s:(\w+)(?:\([^)]*\))?(?:=(.*))?\Z")
# What the package core/v1 is called where it is imported.
_CORE = ("v1", "corev1", "core")
# What says when a tag holds: a stage of it, or a gate.
_CONDITIONS = ("alpha", "beta", "ifEnabled", "ifDisabled")
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
    names = set(_ENUM.findall(source))
    values: dict[str, list[str]] = {name: [] for name in names}
    for match in _CONSTANT.finditer(source):
        name, value = match[1] or match[3], match[2] if match[1] else match[4]
        if name in names and value not in values[name]:
            values[name].append(value)
    return {name: tuple(sorted(found)) for name, found in values.items()}


def _limits(field: GoField) -> Iterator[Candidate]:
    keys = []
    for comment in field.tags:
        tag, _, _ = comment.partition(" #")
        part = ""
        while (match := _TAG.match(tag.strip())) and match[1] in (
            *_CONDITIONS,
            "eachKey",
            "eachVal",
        ):
            part = match[1] if match[1] not in _CONDITIONS else part
            tag = match[2] or ""
        if match is None:
            continue
        name, value = match[1], (match[2] or "").strip('"')
        if name in _RULES and part != "eachKey" and value.isdigit():
            yield _RULES[name], value
        elif name == "format" and value in _FORMATS:
            yield "key_format" if part == "eachKey" else "format", _FORMATS[value]
        elif name == "required":
            yield "required", "true"
        elif name == "listMapKey":
            keys.append(value)
        elif (name, value) in (("listType", "set"), ("unique", "set")):
            yield "unique", '""'
    if keys:
        yield "unique", " ".join(sorted(keys))
