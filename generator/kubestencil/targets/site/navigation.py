"""How a page links to the rest of the site: root, breadcrumbs, other releases."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Annotated, Any, NamedTuple

from kubestencil.targets.site.availability import Availability
from kubestencil.targets.site.release_context import ReleaseContext


class Link(NamedTuple):
    """A link; ``href`` is empty where only the text is shown."""

    text: str
    href: str


class ReleaseLink(NamedTuple):
    """A link to the same page in another release.

    ``is_current`` marks the page's own release; ``is_available`` is false where the
    release does not have what the page is about.
    """

    release: str
    href: str
    is_current: bool
    is_available: bool


#: Variables of all page templates.
SHARED_VARIABLES: Mapping[str, object] = {
    "release": Annotated[str, "the release of the page, empty outside of releases"],
    "releases": Annotated[tuple[str, ...], "all releases of the site, oldest first"],
    "newest": Annotated[str, "the newest release"],
    "logo": Annotated[str, "the file of the logo in assets/, empty without one"],
    "root": Annotated[str, "the path from the page to the root of the site"],
    "breadcrumbs": tuple[Link, ...],
    "release_links": tuple[ReleaseLink, ...],
}


class Navigation:
    """The navigation of the pages of one release.

    ``listed`` are the paths of its pages for groups (``apps``) and versions
    (``apps/v1``).
    """

    def __init__(
        self,
        release: str,
        context: ReleaseContext,
        availability: Availability,
        listed: Collection[str],
    ) -> None:
        self._release = release
        self._context = context
        self._availability = availability
        self._listed = listed

    def page_variables(self, path: str, subpage: str = "") -> Mapping[str, Any]:
        """The navigation variables of the page ``path`` of the release.

        ``subpage`` is a folder below that (``all/``); the breadcrumbs lead to ``path``.
        """
        parts = path.split("/") if path else []
        depth = len(parts) + subpage.count("/")
        root = "../" * (depth + 1)
        return {
            "root": root,
            "breadcrumbs": tuple(self._breadcrumbs(parts, depth)),
            "release_links": tuple(self._release_links(path, root, subpage)),
        }

    def _breadcrumbs(self, parts: Sequence[str], depth: int) -> Iterator[Link]:
        """The release and each part of a path, without a link to the page itself and
        to pages that the release does not have."""
        yield Link(self._release, "../" * depth)
        for number, part in enumerate(parts, 1):
            is_type = number == 3
            is_page = is_type or "/".join(parts[:number]) in self._listed
            yield Link(part, "../" * (depth - number) if is_page else "")

    def _release_links(
        self, path: str, root: str, subpage: str
    ) -> Iterator[ReleaseLink]:
        """Every release has a page for a type that any of them has. Where a group or
        version is missing, the link leads to the release's start page."""
        for release in self._context.releases:
            is_available = not path or release in self._availability.releases(path)
            has_page = is_available or path in self._context.releases_by_type
            address = "/".join(filter(None, (release, path if has_page else "")))
            yield ReleaseLink(
                release,
                f"{root}{address}/{subpage if is_available else ''}",
                release == self._release,
                is_available,
            )
