"""The table ``resources``: the resources and subresources of each release."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from kubestencil.errors import SourceError
from kubestencil.schema import GroupVersionKind, parse
from kubestencil.schema.resources.operation import operations
from kubestencil.schema.resources.paths import resources_in_paths
from kubestencil.schema.types import Resource
from kubestencil.source import Source
from kubestencil.source.releases import release_order
from specs.make.checkouts import Checkout

_FIRST_DISCOVERY = "1.28"
_COLUMN = re.compile(r'\{Name: "([^"]+)", Type: "(\w+)"(?:.*?Priority: (\d))?')
_COLUMNS = re.compile(
    r"(\w+) :?= (?:append\(\w+, )?\[\]metav1\.TableColumnDefinition\{\n(.*?)^\t\}",
    re.M | re.S,
)
_HANDLER = re.compile(r"TableHandler\((\w+), (\w+)\)")
_PRINTER = re.compile(r"^func (\w+)\(\w+ \*\w+\.(\w+),", re.M)
_DEFAULT_COLUMNS = re.compile(r'NewDefaultTableConvertor\(\w+\.Resource\("(\w+)"\)')
# Kinds whose columns stand beside the code that stores them.
_OWN_COLUMNS = {
    "APIService": ("kube-aggregator", "apiservice"),
    "CustomResourceDefinition": ("apiextensions-apiserver", "customresourcedefinition"),
}
_SCOPES = {True: "namespaced", False: "cluster"}


class _Key(NamedTuple):
    api_version: str
    plural: str
    subresource: str


class _Names(NamedTuple):
    short_names: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    columns: str = ""


def make_rows(checkout: Checkout) -> Iterator[tuple[str, ...]]:
    """The rows of the table for a release."""
    for key, values in _facts(checkout).items():
        name = f"{key.plural}/{key.subresource}" if key.subresource else key.plural
        yield key.api_version, name, *values


def _facts(checkout: Checkout) -> dict[_Key, tuple[str, ...]]:
    """The cells of each resource and subresource of a release."""
    names = _discovered_names(checkout)
    columns = _columns(checkout)
    facts = {}
    for resource in _resources(checkout):
        own_names = names.get((resource.kind.group, resource.plural), _Names())
        if "get" in resource.verbs:
            shown = columns.get(resource.plural) or columns[resource.kind.kind]
            own_names = own_names._replace(columns=shown)
        key = _Key(resource.kind.api_version, resource.plural, "")
        facts[key] = _values(
            key, resource.kind, resource.namespaced, resource.verbs, own_names
        )
        for subresource in resource.subresources:
            sub_key = key._replace(subresource=subresource.name)
            kind = subresource.kind or resource.kind
            facts[sub_key] = _values(
                sub_key, kind, resource.namespaced, subresource.verbs, _Names()
            )
    return facts


def _resources(checkout: Checkout) -> list[Resource]:
    path = checkout.module("kubernetes") / "api/openapi-spec/swagger.json"
    release = parse(Source(checkout.release, str(path), path.read_bytes()))
    return [
        replace(resource, short_names=(), categories=())
        for resource in resources_in_paths(operations(release))
    ]


def _columns(checkout: Checkout) -> dict[str, str]:
    """The columns of each kind by its name, and by its plural where those are shown that
    any object has.

    Descriptions are sentences, and are left out.
    """
    text = (
        checkout.module("kubernetes") / "pkg/printers/internalversion/printers.go"
    ).read_text("utf-8")
    definitions: dict[str, str] = {}
    for variable, body in _COLUMNS.findall(text):
        before = definitions.get(variable)
        definitions[variable] = "; ".join(filter(None, (before, _cells(body))))
    kinds = dict(_PRINTER.findall(text))
    columns = {
        kinds[printer]: definitions[variable]
        for variable, printer in _HANDLER.findall(text)
    }
    for kind, (module, folder) in _OWN_COLUMNS.items():
        sources = (checkout.module(module) / "pkg/registry" / folder).rglob("*.go")
        columns[kind] = _cells("".join(path.read_text("utf-8") for path in sources))
    for module in ("kubernetes", "apiextensions-apiserver"):
        for path in (checkout.module(module) / "pkg/registry").rglob("*.go"):
            for plural in _DEFAULT_COLUMNS.findall(path.read_text("utf-8")):
                columns[plural] = "Name; Created At:date"
    return columns


def _cells(source: str) -> str:
    return "; ".join(
        name
        + ("" if column_type == "string" else f":{column_type}")
        + (f"/{priority}" if priority else "")
        for line in source.splitlines()
        for name, column_type, priority in _COLUMN.findall(line)
    )


def _discovered_names(checkout: Checkout) -> dict[tuple[str, str], _Names]:
    """The short names and categories by group and plural.

    Raises SourceError where a singular is not the kind in lower case.
    """
    if release_order(checkout.release) < release_order(_FIRST_DISCOVERY):
        checkout = replace(checkout, release=_FIRST_DISCOVERY)
    names = {}
    for path in sorted(
        (checkout.module("kubernetes") / "api/discovery").glob("api*__v*")
    ):
        resource_list = json.loads(path.read_bytes())
        group = resource_list["groupVersion"].rpartition("/")[0]
        for resource in resource_list["resources"]:
            if "/" in resource["name"]:
                continue
            if resource["singularName"] != resource["kind"].lower():
                raise SourceError(
                    f"{resource['name']} has the singular {resource['singularName']}; "
                    "the table needs a column for it",
                    where=str(path),
                )
            names[group, resource["name"]] = _Names(
                tuple(resource.get("shortNames", ())),
                tuple(resource.get("categories", ())),
            )
    return names


def _values(
    key: _Key,
    kind: GroupVersionKind,
    namespaced: bool,
    verbs: Sequence[str],
    names: _Names,
) -> tuple[str, ...]:
    other = "" if kind.api_version == key.api_version else f"{kind.api_version} "
    return (
        f"{other}{kind.kind}",
        _SCOPES[namespaced],
        " ".join(verbs),
        " ".join(names.short_names),
        " ".join(names.categories),
        names.columns,
    )
