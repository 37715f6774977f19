"""The table ``go-fields.tsv``: what the fields of Kubernetes' Go types are called, and
their types, where neither follows from the OpenAPI document."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from specs.make.checkouts import Checkout
from specs.make.go_types import GoField, GoStruct, read_structs

HEADER = """
The fields of Kubernetes' Go types that differ from what the OpenAPI document says,
tab-separated:

  definition  the full name in the OpenAPI document
  field       its JSON name
  name        in Go, after the structs that it is embedded in; - for the JSON name with a
              capital letter, and for the embedded ObjectMeta or ListMeta
  type        in Go: * for a pointer to the document's type, or all of it, with packages as
              corev1, metav1; - for the document's type, or a string or number with a name

Made by `python -m specs.make go-fields` (specs/README.md) from k8s.io/api,
k8s.io/apimachinery, k8s.io/apiextensions-apiserver and k8s.io/kube-aggregator; of a type
that several releases have, from the newest.
"""

# Folders of types by the module that has them, with the prefix of their definitions.
_FOLDERS = {
    "api": ("*/v*", "io.k8s.api."),
    "apimachinery": ("pkg/apis/meta/v1", "io.k8s.apimachinery.pkg.apis."),
    "apiextensions-apiserver": (
        "pkg/apis/apiextensions/v1",
        "io.k8s.apiextensions-apiserver.pkg.apis.",
    ),
    "kube-aggregator": (
        "pkg/apis/apiregistration/v1",
        "io.k8s.kube-aggregator.pkg.apis.",
    ),
}
_IMPORT = re.compile(r'^\s*(?:import\s+)?(\w*)\s*"(k8s\.io/[^"]+)"\s*$', re.MULTILINE)
_COLLECTION = re.compile(r"^type (\w+) (?:\[\]|map\[)", re.MULTILINE)
_NAMES = re.compile(r"(?<![\w.])(?:(\w+)\.)?([A-Z]\w*)")
_METADATA = ("ObjectMeta", "ListMeta")
_BUILT_IN = ("string", "bool", "int32", "int64", "float64")
# Structs of packages that are not read.
_OTHER_STRUCTS = ("resource.Quantity", "intstr.IntOrString", "runtime.RawExtension")
# Structs in files that are not called types*.go.
_META = tuple(f"metav1.{name}" for name in ("Time", "MicroTime", "Duration"))


class _Package(NamedTuple):
    """The types of an API version. ``name`` is that of the package: ``corev1``."""

    prefix: str
    name: str
    structs: Mapping[str, GoStruct]
    collections: frozenset[str]
    imports: Mapping[str, str]


def make_rows(checkouts: Sequence[Checkout], *, append: bool) -> list[tuple[str, ...]]:
    """The rows of the table. ``append`` is not used: one run reads all releases."""
    del append
    rows: dict[tuple[str, str], tuple[str, str]] = {}
    for checkout in checkouts:
        packages = list(_packages(checkout))
        structs = {
            *(
                f"{package.name}.{name}"
                for package in packages
                for name in package.structs
            ),
            *_OTHER_STRUCTS,
            *_META,
        }
        for package in packages:
            for struct in package.structs.values():
                definition = f"{package.prefix}{struct.name}"
                for field, path in _fields(struct, package.structs, ""):
                    is_usual = (
                        path == _capitalised(field.json_name) or path in _METADATA
                    )
                    name = "" if is_usual else path
                    rows[definition, field.json_name] = name, _type(
                        field, package, structs
                    )
    return [(*key, *row) for key, row in sorted(rows.items()) if any(row)]


def _packages(checkout: Checkout) -> Iterator[_Package]:
    for module, (pattern, prefix) in _FOLDERS.items():
        root = checkout.module(module)
        for folder in sorted(path for path in root.glob(pattern) if path.is_dir()):
            source = "".join(_sources(folder))
            group, version = folder.parts[-2:]
            yield _Package(
                f"{prefix}{group}.{version}.",
                f"{group}{version}",
                read_structs(folder),
                frozenset(_COLLECTION.findall(source)),
                {
                    name or path.rpartition("/")[2]: _package_name(path)
                    for name, path in _IMPORT.findall(source)
                },
            )


def _sources(folder: Path) -> Iterator[str]:
    for path in sorted(folder.glob("types*.go")):
        yield path.read_text("utf-8")


def _package_name(path: str) -> str:
    """``corev1`` for k8s.io/api/core/v1, ``resource`` for …/pkg/api/resource."""
    *_, group, name = path.split("/")
    return f"{group}{name}" if re.match(r"v\d", name) else name


def _fields(
    struct: GoStruct, structs: Mapping[str, GoStruct], prefix: str
) -> Iterator[tuple[GoField, str]]:
    """The fields of a struct, and of those embedded in it, with their names in Go."""
    for field in struct.fields:
        if field.json_name:
            yield field, f"{prefix}{field.name}"
        elif field.element in structs:
            yield from _fields(
                structs[field.element], structs, f"{prefix}{field.name}."
            )


def _capitalised(name: str) -> str:
    return f"{name[:1].upper()}{name[1:]}"


def _type(field: GoField, package: _Package, structs: set[str]) -> str:
    """The type of a field as the table has it; empty where the document says it."""
    element = _qualified(field.element, package)
    is_plain = element in structs or element in _BUILT_IN
    shape = field.type.removesuffix(field.element)
    is_collection = field.element in package.collections
    if not is_collection and (
        not shape or (is_plain and shape in ("[]", "map[string]"))
    ):
        return ""
    if shape == "*" and is_plain:
        return "*"
    return _qualified(field.type, package)


def _qualified(text: str, package: _Package) -> str:
    """A type with the package of each name."""
    return _NAMES.sub(
        lambda match: (
            f"{package.imports.get(match[1], match[1]) if match[1] else package.name}"
            f".{match[2]}"
        ),
        text,
    )
