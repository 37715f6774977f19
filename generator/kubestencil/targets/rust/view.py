"""The view of a Rust crate: a module for each package of the document, a file for each
type, and one for each custom kind.

Names, types, traits and what is left out (list kinds, and ``apiVersion`` and ``kind`` of
a kind) are those of k8s-openapi. The traits are implemented by macros and generics in
the templates, so that the file of a type has little more than its fields.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Annotated, NamedTuple

from kubestencil.engine.manifest import Target
from kubestencil.engine.view import Contexts, Each, FileContext, PublicName
from kubestencil.schema import GroupVersionKind, Release
from kubestencil.schema.kinds import shown_kind
from kubestencil.targets.languages.rust.crate import Crate, plan_crate
from kubestencil.targets.languages.rust.fixups import correct
from kubestencil.targets.languages.rust.layout import (
    ModuleListing,
    RustPath,
    list_modules,
)
from kubestencil.targets.languages.rust.lists import GenericList
from kubestencil.targets.languages.rust.package import CargoPackage, make_package
from kubestencil.targets.rust.resources import CrateResource, make_resources
from kubestencil.targets.rust.types import LIST, RustType, make_type

_POD = "io.k8s.api.core.v1.Pod"


class CrateFeatures(NamedTuple):
    """What not every crate has.

    ``generic_list`` has the types that ``List<T>`` is made of; it is None for a crate
    without this type, which is one without list kinds. ``has_endpoints`` says whether
    the trait ``CrateResource`` has the plural and the scope of kinds, ``has_unknown_scopes``
    whether there are kinds of which these are not known. ``has_custom_kinds`` says
    whether there are types of CustomResourceDefinitions. ``package`` is the Cargo
    package.
    """

    generic_list: GenericList | None
    has_endpoints: bool
    has_unknown_scopes: bool
    has_custom_kinds: bool
    package: CargoPackage


_MODULE_VARIABLES: Mapping[str, object] = {
    "types": tuple[RustPath, ...],
    "modules": tuple[str, ...],
    "kinds": tuple[str, ...],
}

#: The values that ``each`` can have in a manifest.
EACH: Mapping[str, Each] = {
    "types": Each(
        "a file of types: a definition, which is no list kind and no part of a custom kind; "
        "a custom kind, with the types that are part of it; or the generic type List<T> "
        "for list kinds",
        placeholders={
            "path": "the file in src/, without .rs: api/core/v1/pod, "
            "api/cert_manager_io/v1/certificate"
        },
        variables={
            "types": tuple[RustType, ...],
            "kind": Annotated[
                GroupVersionKind | None, "the custom kind; none for other types"
            ],
            "needs_btree_map": Annotated[
                bool, "whether the file has to import BTreeMap"
            ],
            "crate": CrateFeatures,
        },
    ),
    "drop-in": Each(
        "the crate, if it stands in for k8s-openapi", variables={"crate": CrateFeatures}
    ),
    "module": Each(
        "a module that has types or modules, except for the root of the crate; kinds "
        "are the modules of custom kinds",
        placeholders={"path": "the folder of the module in src/: api/core/v1"},
        variables={**_MODULE_VARIABLES, "crate": CrateFeatures},
    ),
    "release": Each(
        "the crate; types and modules are those at its root",
        variables={
            **_MODULE_VARIABLES,
            "shown_kind": Annotated[
                RustPath | None, "the kind that the README shows, none without kinds"
            ],
            "crate": CrateFeatures,
        },
    ),
}


def make_contexts(release: Release, target: Target) -> Contexts:
    """The contexts of the crate of ``release``.

    Raises SpecError where names collide or a type has no finite value, TargetError for
    options that cannot be met and for corrections that do not apply.
    """
    package = make_package(release.name, target)
    crate = plan_crate(correct(release, target))
    modules = list_modules(crate.paths.values())
    resources = make_resources(crate)
    scopes = {resource.scope for resource in resources.values()}
    return Contexts(
        files={
            "types": lambda: _type_contexts(crate, resources),
            "drop-in": lambda: (
                [FileContext(release.name, {}, {})] if package.drop_in else []
            ),
            "module": lambda: _module_contexts(modules),
            "release": lambda: [_release_context(crate, modules[()])],
        },
        shared_variables={
            "crate": CrateFeatures(
                generic_list=crate.generic_list,
                has_endpoints=any(scopes),
                has_unknown_scopes="UnknownResourceScope" in scopes,
                has_custom_kinds=any(path.kind for path in crate.paths.values()),
                package=package,
            )
        },
    )


def _release_context(crate: Crate, root: ModuleListing) -> FileContext:
    kind = crate.paths.get(shown_kind(crate.release, _POD) or "")
    variables = {**root._asdict(), "shown_kind": kind}
    return FileContext(crate.release.name, {}, variables)


def public_names(release: Release, target: Target) -> Mapping[str, PublicName]:
    """The types with their paths, fields and variants. A struct literal has all fields,
    or ends in ``..Default::default()``."""
    names: dict[str, PublicName] = {}
    for context in make_contexts(release, target).files["types"]():
        names.update(_names_of(context, context.variables["types"]))
    return names


def _names_of(
    context: FileContext, types: Iterable[RustType]
) -> Iterator[tuple[str, PublicName]]:
    module = context.placeholders["path"].split("/")[:-1]
    for type_ in types:
        path = "::".join([*module, type_.name])
        yield path, PublicName(type_.inner)
        for field in type_.fields:
            declaration = " ".join(field.declaration.split())
            type_text = declaration.removeprefix(f"pub {field.name}: ").rstrip(",")
            yield f"{path}.{field.name}", PublicName(type_text, required=True)
        for variant in type_.variants:
            yield f"{path}::{variant.name}", PublicName()


def _type_contexts(
    crate: Crate, resources: Mapping[str, CrateResource]
) -> Iterator[FileContext]:
    """The files, each with the types that it declares."""
    files: dict[str, list[str]] = {}
    for name, path in crate.paths.items():
        files.setdefault(path.source, []).append(name)
    for source, names in files.items():
        types = tuple(
            make_type(crate.definitions[name], crate, resources.get(name))
            for name in names
        )
        yield _file_context(source, types, crate.paths[names[0]].kind)
    if crate.generic_list is not None:
        yield _file_context("list", (LIST,), None)


def _file_context(
    path: str, types: tuple[RustType, ...], kind: GroupVersionKind | None
) -> FileContext:
    return FileContext(
        f"{kind.api_version} {kind.kind}" if kind else types[0].definition,
        {"path": path},
        {
            "kind": kind,
            "types": types,
            "needs_btree_map": any(type_.needs_btree_map for type_ in types),
        },
    )


def _module_contexts(
    modules: Mapping[tuple[str, ...], ModuleListing],
) -> Iterator[FileContext]:
    for module, listing in modules.items():
        if module:
            yield FileContext(
                "::".join(module),
                {"path": "/".join(module)},
                listing._asdict(),
            )
