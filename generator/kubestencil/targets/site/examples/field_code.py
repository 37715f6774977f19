"""What ``assets/languages.js`` has to know for the code of a field: the names and types
that follow from no page."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import NamedTuple

from kubestencil.engine.manifest import Target
from kubestencil.errors import SpecError
from kubestencil.schema import Release
from kubestencil.schema.facts.tables import rows
from kubestencil.schema.well_known import is_built_in
from kubestencil.targets.python.package import PythonPackage
from kubestencil.targets.site.addresses import PageAddress
from kubestencil.targets.site.data_scripts import data_script
from kubestencil.targets.site.options import site_options


class _GoField(NamedTuple):
    """A row of ``specs/go-fields.tsv``."""

    definition: str
    field: str
    name: str
    type: str


def go_fields_script(addresses: Sequence[Mapping[str, PageAddress]]) -> bytes:
    """The names and types in Go, ``NAME TYPE``, of fields by the path of their type's page
    and their name; ``addresses`` are those of all releases."""
    fields: dict[str, dict[str, str]] = defaultdict(dict)
    pages = {
        name: address.path for release in addresses for name, address in release.items()
    }
    for row in rows("go-fields", _GoField):
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
    python = target.dependency("python")
    package, classes, attributes = "", {}, {}
    # A user's target of the same name may generate something else.
    models = None
    if python is not None and python.view == "python":
        with suppress(SpecError):
            models = PythonPackage(release, python)
    if models is not None:
        package = module or models.options.package
        for name, address in own.items():
            is_class = release.definitions[name].is_object
            class_name = models.classes[name] if is_class else ""
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
