"""The table ``go-fields``: what the fields of Kubernetes' Go types are called, and
their types, where neither follows from the OpenAPI document."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from specs.make.checkouts import Checkout
from specs.make.go_types import API_FOLDERS, ApiPackage, GoField, api_packages

_FOLDERS = {
    **API_FOLDERS,
    "kube-aggregator": (
        "pkg/apis/apiregistration/v1",
        "io.k8s.kube-aggregator.pkg.apis.",
    ),
}
_COLLECTION = re.compile(r"^type (\w+) (?:\[\]|map\[)", re.MULTILINE)
_ALIAS = re.compile(r"^type (\w+) = ([\w.]+)$", re.MULTILINE)
_METADATA = ("ObjectMeta", "ListMeta")
_BUILT_IN = ("string", "bool", "int32", "int64", "float64")
# Structs of packages that are not read.
_OTHER_STRUCTS = (
    *("resource.Quantity", "intstr.IntOrString", "runtime.RawExtension"),
    # In files that are not called types*.go.
    *("metav1.Time", "metav1.MicroTime", "metav1.Duration"),
)


# The structs of all packages, by their names with the package.
_Structs = Mapping[str, tuple[Sequence[GoField], ApiPackage]]


def make_rows(
    checkout: Checkout, former: Iterable[Sequence[str]]
) -> Iterator[tuple[str, ...]]:
    """The rows of the table for a release, and for types that its base has and it has not."""
    rows = {
        (definition, field): (name, go_type)
        for definition, field, name, go_type in former
    }
    packages = list(api_packages(checkout, _FOLDERS))
    structs = _all_structs(packages)
    collections = {
        f"{package.name}.{name}"
        for package in packages
        for name in _COLLECTION.findall(package.source)
    }
    for package in packages:
        for name, fields in package.structs.items():
            definition = f"{package.prefix}{name}"
            for field, owner, path in _fields(fields, package, structs, ""):
                usual_names = (_capitalised(field.json_name), *_METADATA)
                rows[definition, field.json_name] = (
                    "" if path in usual_names else path,
                    _type(field, owner, structs, collections),
                )
    return ((*key, *row) for key, row in rows.items() if any(row))


def _all_structs(packages: Sequence[ApiPackage]) -> _Structs:
    structs = {
        f"{package.name}.{name}": (fields, package)
        for package in packages
        for name, fields in package.structs.items()
    }
    for package in packages:
        for name, target in _ALIAS.findall(package.source):
            if found := structs.get(package.qualified(target)):
                structs[f"{package.name}.{name}"] = found
    return structs


def _fields(
    fields: Sequence[GoField], package: ApiPackage, structs: _Structs, prefix: str
) -> Iterator[tuple[GoField, ApiPackage, str]]:
    """The fields of a struct, and of those embedded in it, with the package of the struct
    and their names in Go; without apiVersion and kind, which typed clients do not need.
    """
    for field in fields:
        embedded = structs.get(package.qualified(field.element))
        if field.json_name:
            yield field, package, f"{prefix}{field.name}"
        elif embedded is not None and field.name != "TypeMeta":
            yield from _fields(*embedded, structs, f"{prefix}{field.name}.")


def _capitalised(name: str) -> str:
    return f"{name[:1].upper()}{name[1:]}"


def _type(
    field: GoField, package: ApiPackage, structs: _Structs, collections: set[str]
) -> str:
    """The type of a field as the table has it; empty where the document says it."""
    element = package.qualified(field.element)
    is_plain = element in (*_BUILT_IN, *_OTHER_STRUCTS) or element in structs
    shape = field.type.removesuffix(field.element)
    if element not in collections and (
        not shape or (is_plain and shape in ("[]", "map[string]"))
    ):
        return ""
    return "*" if shape == "*" and is_plain else package.qualified(field.type)
