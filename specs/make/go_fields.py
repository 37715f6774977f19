"""The table ``go-fields``: what the fields of Kubernetes' Go types are called, and
their types, where neither follows from the OpenAPI document."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from specs.make.checkouts import Checkout, imports
from specs.make.go_types import API_FOLDERS, GoField, GoStruct, api_packages

_FOLDERS = {
    **API_FOLDERS,
    "kube-aggregator": (
        "pkg/apis/apiregistration/v1",
        "io.k8s.kube-aggregator.pkg.apis.",
    ),
}
_COLLECTION = re.compile(r"^type (\w+) (?:\[\]|map\[)", re.MULTILINE)
_ALIAS = re.compile(r"^type (\w+) = ([\w.]+)$", re.MULTILINE)
_NAMES = re.compile(r"(?<![\w.])(?:(\w+)\.)?([A-Z]\w*)")
_METADATA = ("ObjectMeta", "ListMeta")
_BUILT_IN = ("string", "bool", "int32", "int64", "float64")
# Structs of packages that are not read.
_OTHER_STRUCTS = (
    *("resource.Quantity", "intstr.IntOrString", "runtime.RawExtension"),
    # In files that are not called types*.go.
    *("metav1.Time", "metav1.MicroTime", "metav1.Duration"),
)


class _Package(NamedTuple):
    """The types of an API version. ``name`` is that of the package: ``corev1``."""

    prefix: str
    name: str
    structs: Mapping[str, GoStruct]
    collections: frozenset[str]
    aliases: Mapping[str, str]
    imports: Mapping[str, str]

    def qualified(self, text: str) -> str:
        """A type with the package of each name."""
        return _NAMES.sub(
            lambda match: (
                f"{self.imports.get(match[1], match[1]) if match[1] else self.name}"
                f".{match[2]}"
            ),
            text,
        )


# The structs of all packages, by their names with the package.
_Structs = Mapping[str, tuple[GoStruct, _Package]]


def make_rows(
    checkout: Checkout, former: Iterable[Sequence[str]]
) -> Iterator[tuple[str, ...]]:
    """The rows of the table for a release, and for types that its base has and it has not."""
    rows = {
        (definition, field): (name, go_type)
        for definition, field, name, go_type in former
    }
    packages = list(_packages(checkout))
    structs = _all_structs(packages)
    collections = {
        f"{package.name}.{name}" for package in packages for name in package.collections
    }
    for package in packages:
        for struct in package.structs.values():
            definition = f"{package.prefix}{struct.name}"
            for field, owner, path in _fields(struct, package, structs, ""):
                usual_names = (_capitalised(field.json_name), *_METADATA)
                rows[definition, field.json_name] = (
                    "" if path in usual_names else path,
                    _type(field, owner, structs, collections),
                )
    return ((*key, *row) for key, row in rows.items() if any(row))


def _all_structs(packages: Sequence[_Package]) -> _Structs:
    structs = {
        f"{package.name}.{name}": (struct, package)
        for package in packages
        for name, struct in package.structs.items()
    }
    for package in packages:
        for name, target in package.aliases.items():
            if found := structs.get(package.qualified(target)):
                structs[f"{package.name}.{name}"] = found
    return structs


def _packages(checkout: Checkout) -> Iterator[_Package]:
    for package in api_packages(checkout, _FOLDERS):
        yield _Package(
            f"{package.name}.",
            "".join(package.folder.parts[-2:]),
            package.structs,
            frozenset(_COLLECTION.findall(package.source)),
            dict(_ALIAS.findall(package.source)),
            {
                name: _package_name(path)
                for name, path in imports(package.source).items()
                if path.startswith("k8s.io/")
            },
        )


def _package_name(path: str) -> str:
    """``corev1`` for k8s.io/api/core/v1, ``resource`` for …/pkg/api/resource."""
    *_, group, name = path.split("/")
    return f"{group}{name}" if re.match(r"v\d", name) else name


def _fields(
    struct: GoStruct, package: _Package, structs: _Structs, prefix: str
) -> Iterator[tuple[GoField, _Package, str]]:
    """The fields of a struct, and of those embedded in it, with the package of the struct
    and their names in Go; without apiVersion and kind, which typed clients do not need.
    """
    for field in struct.fields:
        embedded = structs.get(package.qualified(field.element))
        if field.json_name:
            yield field, package, f"{prefix}{field.name}"
        elif embedded is not None and field.name != "TypeMeta":
            yield from _fields(*embedded, structs, f"{prefix}{field.name}.")


def _capitalised(name: str) -> str:
    return f"{name[:1].upper()}{name[1:]}"


def _type(
    field: GoField, package: _Package, structs: _Structs, collections: set[str]
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
