"""How a page links to the rest of the site: root, breadcrumbs, other releases and
versions, and the data of the tree of groups and kinds.

``assets/navigation.js`` reads the data: a list of groups, each with its name and a list
of versions, each of which has a name and the names of its kinds.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, NamedTuple

from kubestencil.schema.kinds import precedence
from kubestencil.source.releases import newest_of, shown_name
from kubestencil.targets.site.addresses import page_address
from kubestencil.targets.site.data_scripts import data_script
from kubestencil.targets.site.listing import PROJECTS, ApiGroup
from kubestencil.targets.site.release_context import Availability, ReleaseContext


class Link(NamedTuple):
    """A link; ``href`` is empty where only the text is shown."""

    text: str
    href: str


class ReleaseLink(NamedTuple):
    """A link to the same page in another release: the ``address`` below the root of the
    site.

    ``is_current`` marks the page's own release; ``is_available`` is false where the
    release does not have what the page is about.
    """

    release: str
    address: str
    is_current: bool = False
    is_available: bool = True

    @property
    def text(self) -> str:
        """The name of the release for people."""
        return shown_name(self.release)


# The releases that Kubernetes supports; those before them are folded.
_RECENT_RELEASES = 3


class ReleaseMenu(NamedTuple):
    """The links to a page in all releases, newest first: those that are shown, and the
    ``older`` ones, which are folded unless the page is of one of them."""

    recent: tuple[ReleaseLink, ...]
    older: tuple[ReleaseLink, ...]
    is_open: bool


#: Variables of all page templates.
SHARED_VARIABLES: Mapping[str, object] = {
    "release": Annotated[str, "the release of the page, empty outside of releases"],
    "releases": Annotated[tuple[str, ...], "all releases of the site, oldest first"],
    "newest": Annotated[str, "the newest release, which is no preview"],
    "is_preview": Annotated[bool, "whether the page's release is not final"],
    "caveats": Annotated[
        tuple[str, ...],
        "sentences on what is not known of the page's release, none where all facts are",
    ],
    "logo": Annotated[str, "the file of the logo in assets/, empty without one"],
    "root": Annotated[str, "the path from the page to the root of the site"],
    "path": Annotated[
        str, "the page's path in its release (apps/v1/Deployment), or empty"
    ],
    "canonical": Annotated[
        str,
        "the URL of the page in the newest release that has it; empty without the "
        "option url, and for pages that search engines should not list",
    ],
    "breadcrumbs": tuple[Link, ...],
    "release_menu": ReleaseMenu,
    "newest_link": Annotated[
        ReleaseLink | None, "the page in the newest release; None in that release"
    ],
    "newer_version": Annotated[
        Link | None, "the most stable version of the type, where that is another one"
    ],
}


def shared_variables(releases: Sequence[str], logo: str) -> Mapping[str, Any]:
    """The variables of all pages of a site, those of navigation for pages outside of the
    folders of releases; ``logo`` is the file of the logo."""
    links = [ReleaseLink(release, f"{release}/") for release in releases]
    return {
        "release": "",
        "releases": tuple(releases),
        "newest": newest_of(releases),
        "is_preview": False,
        "caveats": (),
        "logo": logo,
        "path": "",
        "canonical": "",
        "breadcrumbs": (),
        "release_menu": _release_menu(links),
        "newest_link": None,
        "newer_version": None,
    }


def canonical(site_url: str, address: str) -> str:
    """The URL of a page at an address below the root; empty without that of the site."""
    return f"{site_url}{address}" if site_url else ""


@dataclass(frozen=True, slots=True)
class Navigation:
    """The navigation of the pages of one release.

    ``listed`` are the paths of its pages for groups (``apps``) and versions
    (``apps/v1``). ``site_url`` is the URL of the site, empty where that is unknown.
    """

    release: str
    context: ReleaseContext
    availability: Availability
    listed: Collection[str]
    site_url: str

    def page_variables(self, path: str, subpage: str = "") -> Mapping[str, Any]:
        """The navigation variables of the page ``path`` of the release.

        ``subpage`` is a folder below that (``all/``); the breadcrumbs lead to ``path``.
        """
        parts = path.split("/") if path else []
        depth = len(parts) + subpage.count("/")
        root = "../" * (depth + 1)
        release_links = tuple(self._release_links(path, subpage))
        newest = newest_of(self.context.releases)
        newest_link = next(link for link in release_links if link.release == newest)
        return {
            "root": root,
            "path": path,
            "canonical": self._canonical(release_links),
            "breadcrumbs": tuple(self._breadcrumbs(parts, depth)),
            "release_menu": _release_menu(release_links),
            "newest_link": None if newest_link.is_current else newest_link,
            "newer_version": self._newer_version(path, depth),
        }

    def _canonical(self, links: Sequence[ReleaseLink]) -> str:
        """The URL in the newest release that has the page, which search engines list;
        empty for the page of a type that the release does not have."""
        if not self.site_url or not any(
            link.is_current and link.is_available for link in links
        ):
            return ""
        addresses = {link.release: link.address for link in links if link.is_available}
        return self.site_url + addresses[newest_of([*addresses])]

    def _newer_version(self, path: str, depth: int) -> Link | None:
        """The version of a type that the release prefers, where that is not its own."""
        if path not in self.context.releases_by_type:
            return None
        address = page_address(path)
        preferred = self.availability.preferred_version(address, self.release)
        if preferred is None or precedence(preferred.version) <= precedence(
            address.version
        ):
            return None
        href = f"{'../' * depth}{preferred.path}/"
        return Link(f"{preferred.group_version} {address.kind}", href)

    def _breadcrumbs(self, parts: Sequence[str], depth: int) -> Iterator[Link]:
        """The release and each part of a path, without a link to the page itself and
        to pages that the release does not have."""
        yield Link(self.release, "../" * depth)
        for number, part in enumerate(parts, 1):
            is_type = number == 3
            is_page = is_type or "/".join(parts[:number]) in self.listed
            yield Link(part, "../" * (depth - number) if is_page else "")

    def _release_links(self, path: str, subpage: str) -> Iterator[ReleaseLink]:
        """Links to a page in all releases.

        A release has a page for a type that it has, or that older ones have. Where the
        page is missing, the link leads to another version of the type, or to the
        release's start page.
        """
        is_project = path.startswith(f"{PROJECTS}/")
        has_all = not path or is_project
        available_in = None if has_all else self.availability.releases(path)
        for release in self.context.releases:
            is_available = available_in is None or release in available_in
            if is_available:
                # Another release may have no project of this name.
                is_page = path and not (is_project and release != self.release)
                address = f"{path}/{subpage}" if is_page else ""
            elif path not in self.context.releases_by_type:
                address = ""
            elif self.context.is_added_later(path, release):
                versions = self.availability.replacements(path, release)
                address = f"{versions[0]}/" if versions else ""
            else:
                address = f"{path}/"
            is_current = release == self.release
            yield ReleaseLink(release, f"{release}/{address}", is_current, is_available)


def _release_menu(links: Sequence[ReleaseLink]) -> ReleaseMenu:
    newest_first = tuple(reversed(links))
    count = _RECENT_RELEASES if len(links) > _RECENT_RELEASES + 1 else len(links)
    older = newest_first[count:]
    is_open = any(link.is_current for link in older)
    return ReleaseMenu(newest_first[:count], older, is_open)


def tree_data(groups: Sequence[ApiGroup]) -> bytes:
    """The groups and kinds of a release, as a script that passes them to the page."""
    data = [
        (
            group.name,
            [
                (version.name, [kind.name for kind in version.kinds])
                for version in group.versions
            ],
        )
        for group in groups
    ]
    return data_script("kubestencilNavigation", data)
