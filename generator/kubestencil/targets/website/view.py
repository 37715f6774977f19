"""The view ``website``: the pages of the API reference that kubernetes.io publishes.

gen-apidocs (https://github.com/kubernetes-sigs/reference-docs) generates them for Hugo
from an OpenAPI document. Here they are made from a release.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, NamedTuple

from kubestencil.engine.manifest import Target
from kubestencil.engine.options import read_options
from kubestencil.engine.view import Contexts, Each, FileContext
from kubestencil.schema import Release
from kubestencil.schema.operations.rebuilt_details import operation_details
from kubestencil.targets.website import text
from kubestencil.targets.website.facts import KnownFacts
from kubestencil.targets.website.links import (
    DEFINITIONS,
    Links,
    definition_page,
    resource_page,
)
from kubestencil.targets.website.operations import OperationIndex
from kubestencil.targets.website.pages import PageMaker, ReferencePage
from kubestencil.targets.website.quirks import (
    QUIRKS,
    escape_some_asterisks,
    group_order,
    version_text,
)
from kubestencil.targets.website.types import group_versions, make_reference

__all__ = ["EACH", "QUIRKS", "make_contexts"]

_STEP = 10


@dataclass(frozen=True, slots=True)
class WebsiteOptions:
    """The options of the view: whether facts are added, the address of a page in
    another release, with ``{release}`` and ``{page}`` in it, and whether the fixup
    ``literal-descriptions`` is for built-in types, too."""

    facts: bool = False
    releases: str = ""
    literal_descriptions: bool = False


class GroupRow(NamedTuple):
    """An API group and its versions, the newest first."""

    name: str
    versions: tuple[str, ...]


class Category(NamedTuple):
    """A folder of pages; ``slug`` is its name. ``weight`` orders the folders."""

    title: str
    slug: str
    weight: int


_PAGE = {"page": "the file without its suffix, such as config-map-v1"}

#: The values that ``each`` can have in a manifest.
EACH: Mapping[str, Each] = {
    "release": Each(
        "the release: its start page, the list of groups",
        variables={
            "title": Annotated[str, "the title of the spec"],
            "heading": Annotated[str, "the title, escaped for Markdown"],
            "kubernetes_version": Annotated[str, "the version of Kubernetes"],
            "categories": list[Category],
            "groups": list[GroupRow],
            "weight": Annotated[int, "the place of the list of groups"],
        },
    ),
    "category": Each(
        "a folder of pages: an API group, or definitions",
        placeholders={"category": "the folder, such as core"},
        variables={
            "category": Category,
            "hidden": Annotated[bool, "whether the folder is left out of navigation"],
        },
    ),
    "resource": Each(
        "a resource, in the folder of its group",
        placeholders={"category": "the folder, such as core", **_PAGE},
        variables={"page": ReferencePage},
    ),
    "definition": Each(
        "a type that belongs to no resource",
        placeholders={"category": "definitions", **_PAGE},
        variables={"page": ReferencePage},
    ),
}


def make_contexts(release: Release, target: Target) -> Contexts:
    """The contexts of the pages of a release.

    Raises SpecError where an operation of the document is not valid, TargetError for a
    mistake in the manifest.
    """
    pages = _WebsitePages(release, target)
    return Contexts(
        files={
            "release": pages.release,
            "category": pages.categories,
            "resource": pages.resources,
            "definition": pages.definitions,
        }
    )


class _WebsitePages:
    """Makes the contexts of the pages of a release for a target."""

    def __init__(self, release: Release, target: Target) -> None:
        quirks = target.quirks
        self._release, self._target = release, target
        options = read_options(target, WebsiteOptions)
        is_fixed = "literal-descriptions" in target.fixups
        index = OperationIndex(operation_details(release))
        self._reference = reference = make_reference(release, index, target)
        self._groups = group_order(reference.resources, target, release.name)
        links = Links(
            reference,
            self._groups,
            by_name="links-by-name" in quirks,
            nameless="nameless-types" in quirks,
        )
        self._pages = PageMaker(
            reference,
            links,
            escape_some_asterisks if "some-asterisks" in quirks else str,
            text.entities if "html-descriptions" in quirks else str,
            lambda type_: is_fixed
            and (options.literal_descriptions or type_.is_custom),
            KnownFacts(release, options.releases) if options.facts else None,
        )
        self._first_weight = 0
        if "continued-weights" in quirks:
            built_in = [group for group in self._groups if "." not in group]
            last = reference.resources[built_in[-1]] if built_in else ()
            self._first_weight = len(last) * _STEP

    def _folders(self) -> list[Category]:
        titles = [(text.title(group), text.slug(group)) for group in self._groups]
        titles.append((text.title(DEFINITIONS), DEFINITIONS))
        return [
            Category(text.name(title), slug, (position + 2) * _STEP)
            for position, (title, slug) in enumerate(titles)
        ]

    def release(self) -> Iterator[FileContext]:
        folders = self._folders()
        variables = {
            "title": self._release.stated_title or "Kubernetes",
            "heading": text.name(self._release.stated_title or "Kubernetes"),
            "kubernetes_version": version_text(self._release.name, self._target),
            # By title, and then that of the other types.
            "categories": sorted(
                folders, key=lambda item: (item.slug == DEFINITIONS, item.title)
            ),
            "groups": [
                GroupRow(text.name(group), tuple(map(text.name, versions)))
                for group, versions in group_versions(self._reference)
            ],
            "weight": _STEP,
        }
        yield FileContext(f"the release {self._release.name}", {}, variables)

    def categories(self) -> Iterator[FileContext]:
        for folder in self._folders():
            hidden = folder.slug == DEFINITIONS
            yield FileContext(
                folder.title,
                {"category": folder.slug},
                {"category": folder, "hidden": hidden},
            )

    def resources(self) -> Iterator[FileContext]:
        for group in self._groups:
            folder = text.slug(group)
            for place, type_ in enumerate(self._reference.resources[group], start=1):
                page = self._pages.page(type_, folder, place * _STEP)
                placeholders = {"category": folder, "page": resource_page(type_)}
                yield FileContext(type_.definition.name, placeholders, {"page": page})

    def definitions(self) -> Iterator[FileContext]:
        for place, type_ in enumerate(self._reference.standalone, start=1):
            weight = self._first_weight + place * _STEP
            page = self._pages.page(type_, DEFINITIONS, weight)
            placeholders = {"category": DEFINITIONS, "page": definition_page(type_)}
            yield FileContext(type_.definition.name, placeholders, {"page": page})
