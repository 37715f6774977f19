"""The files outside of the release folders: start page, sitemap, page for unknown
addresses, assets, and the user's own pages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated
from urllib.parse import urlsplit

from kubestencil.engine.manifest import Target
from kubestencil.engine.view import Contexts, Each, FileContext
from kubestencil.errors import UsageError
from kubestencil.schema import Release
from kubestencil.schema.kinds import kind_definitions
from kubestencil.targets.site import extra_pages, search_index, start_page
from kubestencil.targets.site.addresses import PageAddress, page_addresses
from kubestencil.targets.site.assets import asset_files
from kubestencil.targets.site.extra_pages import ExtraPage
from kubestencil.targets.site.listing import api_groups
from kubestencil.targets.site.navigation import SHARED_VARIABLES
from kubestencil.targets.site.options import logo_name
from kubestencil.targets.site.release_context import ReleaseContext

_OTHER_RELEASES_INDEX = "other-releases.js"

#: What this part generates, in the folder of the site.
EACH: Mapping[str, Each] = {
    "site": Each(
        "the start page of the site, which shows the newest release, and the sitemap",
        {},
        {
            **start_page.VARIABLES,
            "addresses": Annotated[tuple[str, ...], "all pages of all releases"],
            "url": Annotated[str, "the option url, with a slash at the end"],
            **SHARED_VARIABLES,
        },
    ),
    "not-found": Each(
        "the page that a server shows for an unknown address", {}, SHARED_VARIABLES
    ),
    "extra-page": Each(
        "a page for each Markdown file in the folder that the option pages names",
        {"path": "the file's path in the folder, without .md"},
        {"page": ExtraPage, **SHARED_VARIABLES},
    ),
    "asset": Each(
        "the files that pages load, without a template",
        {"path": "the file's path below assets/"},
    ),
}


def make_contexts(
    releases: Sequence[Release], context: ReleaseContext, target: Target
) -> Contexts:
    """The contexts of the files outside of the release folders.

    ``releases`` come oldest first; ``context`` is that of the newest.
    """
    addresses = [page_addresses(release) for release in releases]
    index = search_index.other_releases_index(
        releases, addresses, context.releases_by_type
    )
    pages = extra_pages.read_pages(target)
    start = _start_page(releases[-1], context, pages, target, addresses)
    return Contexts(
        files={
            "site": lambda: [start],
            "not-found": lambda: [_not_found_page(target)],
            "extra-page": lambda: extra_pages.page_contexts(pages),
            "asset": lambda: _assets(target, index),
        },
        shared_variables={
            "release": "",
            "releases": context.releases,
            "newest": releases[-1].name,
            "release_links": (),
            "logo": logo_name(target),
        },
    )


def _start_page(
    release: Release,
    context: ReleaseContext,
    pages: Sequence[ExtraPage],
    target: Target,
    addresses_by_release: Sequence[Mapping[str, PageAddress]],
) -> FileContext:
    kinds = kind_definitions(release).keys()
    groups = api_groups(release, addresses_by_release[-1], kinds)
    variables = {
        **start_page.start_variables(release, context, groups),
        "root": "",
        "prefix": f"{release.name}/",
        "breadcrumbs": (),
        "pages": pages,
        "addresses": tuple(_all_addresses(context.releases, addresses_by_release)),
        "url": _site_url(target),
    }
    return FileContext("the start page", {}, variables)


def _not_found_page(target: Target) -> FileContext:
    """The page for an unknown address, where a server shows it: its links are
    absolute."""
    path = urlsplit(_site_url(target)).path
    return FileContext(
        "the page for unknown addresses", {}, {"root": path, "breadcrumbs": ()}
    )


def _site_url(target: Target) -> str:
    """The URL of the site, which ends in a slash.

    Raises UsageError for an option that is not such a URL.
    """
    url = str(target.options["url"])
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.netloc or parts.query:
        raise UsageError(
            "must be the URL of the site, such as https://example.com/kubernetes/",
            where=f"--set {target.name}.url={url}",
        )
    return url if url.endswith("/") else f"{url}/"


def _assets(target: Target, index: bytes) -> Iterator[FileContext]:
    yield from (_asset(path, data) for path, data in asset_files(target))
    yield _asset(_OTHER_RELEASES_INDEX, index)


def _asset(path: str, data: bytes) -> FileContext:
    return FileContext(path, {"path": path}, {}, data)


def _all_addresses(
    names: Sequence[str], addresses_by_release: Sequence[Mapping[str, PageAddress]]
) -> Iterator[str]:
    """The addresses of the pages of all releases, newest release first."""
    for name, addresses in reversed(
        list(zip(names, addresses_by_release, strict=True))
    ):
        paths = {""}
        for address in addresses.values():
            paths |= {
                f"{address.group}/",
                f"{address.group_version}/",
                address.path + "/",
            }
        yield from (f"{name}/{path}" for path in sorted(paths))
