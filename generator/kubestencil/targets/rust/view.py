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
    "definition": Each(
        "a type: each definition but list kinds and those of custom kinds, and the "
        "generic type List<T> for list kinds",
        placeholders={"path": "the file in src/, without .rs: api/core/v1/pod"},
        variables={"type": RustType, "crate": CrateFeatures},
    ),
    "custom-kind": Each(
        "a custom kind, with the types that are part of it",
        placeholders={
            "path": "the file in src/, without .rs: api/cert_manager_io/v1/certificate"
        },
        variables={
            "kind": GroupVersionKind,
            "types": tuple[RustType, ...],
            "needs_btree_map": Annotated[
                bool, "whether the file has to import BTreeMap"
            ],
            "crate": CrateFeatures,
        },
    ),
    "custom-kinds": Each(
        "the crate, if it has custom kinds", variables={"crate": CrateFeatures}
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
        variables={**_MODULE_VARIABLES, "crate": CrateFeatures},
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
            "definition": lambda: _type_contexts(crate, resources),
            "custom-kind": lambda: _custom_kind_contexts(crate, resources),
            "custom-kinds": lambda: (
                [FileContext(release.name, {}, {})] if crate.custom_types else []
            ),
            "drop-in": lambda: (
                [FileContext(release.name, {}, {})] if package.drop_in else []
            ),
            "module": lambda: _module_contexts(modules),
            "release": lambda: [FileContext(release.name, {}, modules[()]._asdict())],
        },
        shared_variables={
            "crate": CrateFeatures(
                generic_list=crate.generic_list,
                has_endpoints=any(scopes),
                has_unknown_scopes="UnknownResourceScope" in scopes,
                has_custom_kinds=bool(crate.custom_types),
                package=package,
            )
        },
    )


def public_names(release: Release, target: Target) -> Mapping[str, PublicName]:
    """The types with their paths, fields and variants. A struct literal has all fields,
    or ends in ``..Default::default()``."""
    files = make_contexts(release, target).files
    names: dict[str, PublicName] = {}
    for context in files["definition"]():
        names.update(_names_of(context, [context.variables["type"]]))
    for context in files["custom-kind"]():
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
    for name, definition in crate.definitions.items():
        if name not in crate.custom_types:
            yield FileContext(
                name,
                {"path": crate.paths[name].source},
                {"type": make_type(definition, crate, resources.get(name))},
            )
    if crate.generic_list is not None:
        yield FileContext(LIST.definition, {"path": "list"}, {"type": LIST})


def _custom_kind_contexts(
    crate: Crate, resources: Mapping[str, CrateResource]
) -> Iterator[FileContext]:
    kinds: dict[GroupVersionKind, list[str]] = {}
    for name, custom_type in crate.custom_types.items():
        kinds.setdefault(custom_type.kind, []).append(name)
    for kind, names in kinds.items():
        types = tuple(
            make_type(crate.definitions[name], crate, resources.get(name))
            for name in names
        )
        yield FileContext(
            f"{kind.api_version} {kind.kind}",
            {"path": crate.paths[names[0]].source},
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
