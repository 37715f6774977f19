"""The table ``gitops``: the types of the kinds of Flux and Argo CD, as ``configurations`` has
those of Kubernetes' programs.

They have releases of their own, in which versions of a kind only get fields: the newest types
are right for all. Versions that Flux's controllers no longer serve are left out, and so is
what controllers write (``status``, ``operation``). No field is required: patches fill in what
the objects that they apply to lack.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from specs.make.checkouts import imports
from specs.make.go_types import GoField, structs_in
from specs.make.tables import write_rows
from specs.make.type_tables import (
    RELEASES,
    SCALARS,
    newest_module,
    source_of,
    type_rows,
)

#: The first words of Flux's controllers, each of which has kinds.
CONTROLLERS = (
    "source",
    "kustomize",
    "helm",
    "notification",
    "image-reflector",
    "image-automation",
)
_SHARED = ("acl", "kustomize", "meta")
_ARGO_CD = "argoproj/argo-cd/v3"
_HOST = "github.com/"
_OF_PATHS = re.compile(r"-controller/api|(?:argo-cd/v\d+/)?pkg/apis/")
_SERVED = re.compile(r"\+kubebuilder:(?:storageversion|deprecatedversion)\b")
_GROUP = re.compile(r"\+groupName=(\S+)")
_NAMED = re.compile(
    r"^type (\w+) (?:= )?((?:\*|\[\]|map\[string\])*[\w.]+)$", re.MULTILINE
)
_NAME = re.compile(r"(?<![\w.])(?:(\w+)\.)?([A-Z]\w*)")
_MACHINERY = "apimachinery.pkg."
_META_V1 = f"{_MACHINERY}apis.meta.v1."
_INT_OR_STRING = f"{_MACHINERY}util.intstr.IntOrString"
_OF_KUBERNETES = {
    **{name: name for name in (f"{_META_V1}ObjectMeta", f"{_META_V1}LabelSelector")},
    _INT_OR_STRING: _INT_OR_STRING,
    f"{_META_V1}Duration": "duration",
    f"{_META_V1}GroupKind": "any",
    f"{_MACHINERY}runtime.RawExtension": "any",
    "apiextensions-apiserver.pkg.apis.apiextensions.v1.JSON": "any",
}
_WRITTEN = ("Status", ".Operation")
_ENUM = "kubebuilder:validation:Enum"


def make_rows(modules: Path) -> Iterator[tuple[str, ...]]:
    """The rows of the table, from the newest modules in a folder."""
    sources = dict(_sources(modules))
    structs: dict[str, list[GoField]] = {}
    named: dict[str, str] = {}
    for package, source in sources.items():
        names = {name: _package(path) for name, path in imports(source).items()}
        qualify = partial(_NAME.sub, _prefixed({**names, "": package}))
        for name, struct in structs_in(source).items():
            structs[f"{package}.{name}"] = [
                _with_type(field, qualify(field.type)) for field in struct
            ]
        for name, type_name in _NAMED.findall(source):
            named[f"{package}.{name}"] = qualify(type_name)
    structs = {
        name: [_with_type(field, _resolved(field.type, named)) for field in struct]
        for name, struct in structs.items()
    }
    written = [name for name in structs if name.endswith(_WRITTEN)]
    scalars = {**SCALARS, **_OF_KUBERNETES, **dict.fromkeys(written, "any")}
    read = {name: structs[name] for name in structs if name not in scalars}
    reached: set[str] = set()
    for name, struct in read.items():
        parts = {field.name for field in struct}
        if "TypeMeta" in parts and "ListMeta" not in parts:
            package, _, kind = name.rpartition(".")
            group = _GROUP.search(sources[package])
            assert group is not None
            version = package.rpartition(".")[2]
            yield name, "", f"{group[1]}/{version} {kind}", "", "", ""
            yield from type_rows(name, struct, read, scalars, _values, reached)


def _sources(modules: Path) -> Iterator[tuple[str, str]]:
    """The sources of the packages with the kinds that are served, and of those that they
    share, by name."""
    for name in _SHARED:
        path = f"{_HOST}fluxcd/pkg/apis/{name}"
        yield _package(path), source_of(newest_module(modules, path))
    for name in CONTROLLERS:
        path = f"{_HOST}fluxcd/{name}-controller/api"
        for folder in sorted(newest_module(modules, path).glob("v*")):
            source = source_of(folder)
            if _SERVED.search(source):
                yield _package(f"{path}/{folder.name}"), source
    path = "pkg/apis/application/v1alpha1"
    module = newest_module(modules, f"{_HOST}{_ARGO_CD}")
    yield _package(f"{_HOST}{_ARGO_CD}/{path}"), source_of(module / path)


def _package(path: str) -> str:
    """The name of a package: ``fluxcd.source.v1``, and of Kubernetes as its definitions
    have it."""
    if path.startswith(_HOST):
        path = _OF_PATHS.sub("", path)
    return path.removeprefix(_HOST).removeprefix("k8s.io/").replace("/", ".")


def _prefixed(packages: dict[str, str]) -> Callable[[re.Match[str]], str]:
    """What writes a name with its package, by what files call that; their own is ""."""
    return lambda match: f"{packages[match[1] or '']}.{match[2]}"


def _resolved(type_name: str, named: dict[str, str]) -> str:
    """A type without the name of another one that is no struct: a text, a list, an alias."""
    name = _element(type_name)
    if name not in named:
        return type_name
    return _resolved(type_name.replace(name, named[name]), named)


def _with_type(field: GoField, type_name: str) -> GoField:
    return field._replace(type=type_name, element=_element(type_name))


def _element(type_name: str) -> str:
    """The name of a type without pointers, slices and maps."""
    return re.split(r"[\]*]", type_name)[-1]


def _values(field: GoField) -> str:
    """The values of a field by its marker, but for kinds: Flux's operator adds its own."""
    markers = {name.rstrip(":"): value for name, value in field.markers}
    return "" if field.json_name == "kind" else markers.get(_ENUM, "").replace(";", " ")


if __name__ == "__main__":
    rows = ((RELEASES, *row) for row in make_rows(Path(sys.argv[1])))
    write_rows("gitops", rows)
