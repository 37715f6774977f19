"""What ``assets/languages.js`` has to know for the code of a field: the names and types
that follow from no page."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace

from kubestencil.engine.manifest import Target
from kubestencil.errors import SpecError
from kubestencil.schema import Release
from kubestencil.schema.frozen import FrozenObject
from kubestencil.schema.knowledge.configurations import configuration_types
from kubestencil.schema.knowledge.fields import go_fields
from kubestencil.schema.well_known import is_built_in
from kubestencil.targets.examples.rust import CrateNames
from kubestencil.targets.languages.python.package import PythonPackage
from kubestencil.targets.languages.rust import spelling
from kubestencil.targets.languages.rust.crate import Crate, StructField
from kubestencil.targets.languages.rust.lists import has_one_kind
from kubestencil.targets.languages.rust.value_types import value_type
from kubestencil.targets.site.addresses import PageAddress
from kubestencil.targets.site.data_scripts import data_script
from kubestencil.targets.site.options import site_options


def go_fields_script(addresses: Sequence[Mapping[str, PageAddress]]) -> bytes:
    """The names and types in Go, ``NAME TYPE``, of fields by the path of their type's page
    and their name; ``addresses`` are those of all releases."""
    fields: dict[str, dict[str, str]] = defaultdict(dict)
    pages = {
        name: address.path for release in addresses for name, address in release.items()
    }
    for row in go_fields():
        if row.definition in pages:
            text = f"{row.name} {row.type}".rstrip()
            fields[pages[row.definition]][row.field] = text
    return data_script("kubestencilGoFields", fields)


def python_names_script(
    release: Release,
    addresses: Mapping[str, PageAddress],
    target: Target,
) -> bytes:
    """The package of classes in Python, empty without one, the groups of Kubernetes' own
    types, the classes that are not called ``V1Pod`` (empty for types without), and the
    attributes of fields whose names are reserved."""
    module = site_options(target).python_module
    own = {name: address for name, address in addresses.items() if is_built_in(name)}
    python = _dependency(target, "python")
    package, classes, attributes = "", {}, {}
    models = None
    if python is not None:
        with suppress(SpecError):
            models = PythonPackage(release, python)
    if models is not None:
        package = module or models.options.package
        for name, address in own.items():
            location = models.classes.get(name)
            class_name = location.name if location else ""
            version = address.version.removeprefix("unversioned")
            if class_name != f"{version[:1].upper()}{version[1:]}{address.kind}":
                classes[address.path] = class_name
        for definition in release.definitions.values():
            for field in definition.fields:
                attribute = models.spelling.attribute(field.name)
                if attribute.startswith("_"):
                    attributes[field.name] = attribute
    data = {
        "package": package,
        "isOfficial": bool(module),
        "groups": sorted({address.group for address in own.values()}),
        "classes": classes,
        "attributes": attributes,
    }
    return data_script("kubestencilPythonNames", data)


def rust_names_script(
    release: Release, addresses: Mapping[str, PageAddress], target: Target
) -> bytes:
    """What the code of a field in Rust needs to know of the crate.

    ``crate`` is its name, empty without one. The rest is of Kubernetes' own types, which
    are called by the paths of their pages: ``modules`` are the API versions as code
    imports them, ``fields`` the names that are not those of the document in snake case.
    ``values`` are the types that are no structs, with their form or what they wrap. Of
    structs there are the ``required`` fields, the ``boxed`` ones, the ``kinds``, which
    have no fields ``apiVersion`` and ``kind``, and those ``withoutDefault``: all of their
    fields, each with its type where this has no default either.
    """
    rust = _dependency(target, "rust")
    data: dict[str, object] = {"crate": ""}
    if rust is not None:
        with suppress(SpecError):
            data = _rust_names(CrateNames.of(_own_types(release), rust), addresses)
    return data_script("kubestencilRustNames", data)


def _dependency(target: Target, name: str) -> Target | None:
    """The target of a language; None for a user's target of the same name, which may
    generate something else."""
    language = target.dependency(name)
    return language if language is not None and language.view == name else None


def _own_types(release: Release) -> Release:
    """A release without custom resources and configuration files: to plan their types in
    Rust takes a second for some hundred."""
    others = configuration_types()
    own = {
        name: definition
        for name, definition in release.definitions.items()
        if is_built_in(name) and name not in others
    }
    return replace(
        release, definitions=FrozenObject(own), custom_kinds=FrozenObject({})
    )


def _rust_names(
    names: CrateNames, addresses: Mapping[str, PageAddress]
) -> dict[str, object]:
    crate = names.crate
    modules, fields = {}, {}
    values: dict[str, str] = {}
    required: dict[str, list[str]] = defaultdict(list)
    boxed: dict[str, list[str]] = defaultdict(list)
    kinds = []
    for name, path in crate.paths.items():
        page = addresses[name].path
        modules[page.rpartition("/")[0]] = names.imported(path.module)
        if name in crate.hand_written:
            values[page] = crate.hand_written[name].form
        elif name not in crate.fields:
            values[page] = value_type(crate.definitions[name].schema, crate, ())
        elif has_one_kind(crate.definitions[name]):
            kinds.append(page)
        for field in crate.fields.get(name, {}).values():
            if field.name != spelling.snake_case(field.field.name):
                fields[field.field.name] = field.name
            if not field.is_option:
                required[page].append(field.field.name)
            if field.boxed:
                boxed[page].append(field.field.name)
    return {
        "crate": names.crate_name,
        "modules": modules,
        "values": values,
        "fields": fields,
        "required": required,
        "boxed": boxed,
        "kinds": kinds,
        "withoutDefault": {
            addresses[name].path: {
                field.field.name: _type_without_default(field, crate, addresses)
                for field in fields_of_type.values()
            }
            for name, fields_of_type in crate.fields.items()
            if name in crate.without_default
        },
    }


def _type_without_default(
    field: StructField, crate: Crate, addresses: Mapping[str, PageAddress]
) -> str:
    """The path of the page of a field's type; empty where this has a default."""
    name = field.field.schema.ref or ""
    return addresses[name].path if name in crate.without_default else ""
