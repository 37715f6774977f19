"""The table ``resources``: the resources and subresources of each release, as its API server
lists them (api/discovery of k8s.io/kubernetes, since 1.28)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from kubestencil.errors import SourceError
from kubestencil.schema import GroupVersionKind
from specs.make.checkouts import Checkout, go_sources

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


def make_rows(checkout: Checkout) -> Iterator[tuple[str, ...]]:
    """The rows of the table for a release. Raises SourceError where a singular is not the
    kind in lower case."""
    columns = _columns(checkout)
    folder = checkout.module("kubernetes") / "api/discovery"
    for path in sorted(folder.glob("api*__v*")):
        discovered = json.loads(path.read_bytes())
        api_version = discovered["groupVersion"]
        for resource in discovered["resources"]:
            name, kind = resource["name"], resource["kind"]
            own = {} if "/" in name else resource
            if own and own["singularName"] != kind.lower():
                raise SourceError(
                    f"{name} has the singular {own['singularName']}; the table needs a "
                    "column for it",
                    where=str(path),
                )
            verbs = sorted(resource["verbs"])
            is_shown = own and "get" in verbs
            yield (
                api_version,
                name,
                _kind(resource, api_version),
                "namespaced" if resource["namespaced"] else "cluster",
                " ".join(verbs),
                " ".join(own.get("shortNames", ())),
                " ".join(own.get("categories", ())),
                (columns.get(name) or columns[kind]) if is_shown else "",
            )


def _kind(resource: Mapping[str, Any], api_version: str) -> str:
    """The kind that a resource takes and returns; with an apiVersion if that is another
    one."""
    if "version" not in resource:
        return str(resource["kind"])
    kind = GroupVersionKind(
        resource.get("group", ""), resource["version"], resource["kind"]
    )
    is_other = kind.api_version != api_version
    return f"{kind.api_version} {kind.kind}" if is_other else kind.kind


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
        sources = go_sources(checkout.module(module) / "pkg/registry" / folder)
        columns[kind] = _cells("".join(sources))
    for module in ("kubernetes", "apiextensions-apiserver"):
        for source in go_sources(checkout.module(module) / "pkg/registry"):
            for plural in _DEFAULT_COLUMNS.findall(source):
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
