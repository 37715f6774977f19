"""The view ``jsonnet-docs``: the pages that docsonnet generates for a library.

docsonnet (https://github.com/jsonnet-libs/docsonnet) evaluates the whole library to
find what it documents. Here the pages are made from the same builders as the library,
and only what an overlay changes is evaluated.

The options are those of ``kubestencil.targets.jsonnet.view``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import partial

from kubestencil.engine.manifest import Target
from kubestencil.engine.view import Contexts, Each, FileContext
from kubestencil.schema import Release
from kubestencil.targets.jsonnet_docs.documentation import (
    GeneratedDocs,
    library_packages,
)
from kubestencil.targets.jsonnet_docs.pages import (
    FieldSection,
    LibraryPackage,
    PackageLink,
    PageEntry,
    page_body,
)
from kubestencil.targets.languages.jsonnet.library import (
    LIBRARY_QUIRKS,
    Library,
    make_library,
)
from kubestencil.targets.languages.jsonnet.overlay import read_overlay

#: The accidents of the published pages that this view can reproduce.
QUIRKS: Mapping[str, str] = {
    **LIBRARY_QUIRKS,
    "open-tags": "the listed HTML elements, without attributes, are not escaped",
}

# The variables of each page: ``help`` is Markdown; ``local`` is the variable that the
# library is imported as, ``url`` from where, empty but for the library itself.
_VARIABLES: Mapping[str, object] = {
    "permalink": str,
    "name": str,
    "local": str,
    "url": str,
    "help": str,
    "packages": tuple[PackageLink, ...],
    "index": list[PageEntry],
    "sections": list[FieldSection],
}

_PLACEHOLDERS = {"path": "the names of the packages that lead to it, with slashes"}

#: The values that ``each`` can have in a manifest.
EACH: Mapping[str, Each] = {
    "release": Each(summary="the library", variables=_VARIABLES),
    "package": Each(
        summary="a package with packages inside, such as apps and apps.v1",
        placeholders=_PLACEHOLDERS,
        variables=_VARIABLES,
    ),
    "page": Each(
        summary="a package without packages inside, such as apps.v1.deployment",
        placeholders=_PLACEHOLDERS,
        variables=_VARIABLES,
    ),
}


def make_contexts(release: Release, target: Target) -> Contexts:
    """The contexts of the pages of a library.

    Raises what ``kubestencil.targets.jsonnet.view.make_contexts`` raises, and
    TargetError for documentation in the overlay that is not as doc-util returns it.
    """
    library = make_library(release, target)
    open_tags = target.quirks.get("open-tags", {}).get("elements", ())
    generated = GeneratedDocs(library, frozenset(open_tags))
    overlay = read_overlay(target, library.object_tree()).files
    packages = tuple(library_packages(library, generated, target, overlay))
    return Contexts(
        files={each: partial(_page_contexts, each, packages, library) for each in EACH}
    )


def _page_contexts(
    each: str, packages: Iterable[LibraryPackage], library: Library
) -> Iterator[FileContext]:
    """The contexts of the packages for which a rule generates pages."""
    for package in packages:
        of_package = "package" if package.packages else "page"
        if each == (of_package if package.path else "release"):
            yield _page_context(package, library)


def _page_context(package: LibraryPackage, library: Library) -> FileContext:
    name = ".".join(package.path) or library.name
    body = page_body(package.docs)
    variables = {
        "permalink": "/".join(("", library.release, *package.path, "")),
        "name": name,
        "local": library.name,
        "url": package.url,
        "help": package.help,
        "packages": package.packages,
        "index": body.entries,
        "sections": body.sections,
    }
    placeholders = {"path": "/".join(package.path)} if package.path else {}
    return FileContext(name, placeholders, variables)
