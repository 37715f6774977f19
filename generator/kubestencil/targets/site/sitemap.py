"""The sitemap (https://www.sitemaps.org/protocol.html), and ``/latest/``: addresses that
stay when a release is added, such as ``/latest/apps/v1/Deployment/``.

Static hosts have no redirects in common, so each is a small page, which leads to the
newest release that has what the page is about.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Annotated

from kubestencil.engine.view import Each, FileContext
from kubestencil.targets.site.addresses import page_address
from kubestencil.targets.site.navigation import SHARED_VARIABLES
from kubestencil.targets.site.release_context import ReleasesByType

# The limit of the protocol.
_MAX_ADDRESSES = 50_000

_LATEST = "latest"

#: What this module generates, in the folder of the site.
EACH: Mapping[str, Each] = {
    "sitemap": Each(
        "the sitemap, and its parts where it has more than 50,000 addresses; nothing "
        "without the option url",
        {"path": "the name of the file: sitemap.xml, sitemap-1.xml"},
        {
            "addresses": Annotated[tuple[str, ...], "URLs of pages; empty in an index"],
            "sitemaps": Annotated[
                tuple[str, ...], "URLs of parts; empty but in an index"
            ],
            **SHARED_VARIABLES,
        },
    ),
    "latest": Each(
        "a page at /latest/ for each type, group and version, which leads to the newest "
        "release that has it",
        {"path": "the path of the file: latest/apps/v1/Deployment/index.html"},
        {
            "address": Annotated[str, "the address in the folder of the site"],
            **SHARED_VARIABLES,
        },
    ),
}


def sitemap_contexts(site_url: str, addresses: Sequence[str]) -> Iterator[FileContext]:
    """The contexts of the files of a sitemap of pages, whose addresses are below
    ``site_url``; none where that is empty."""
    if not site_url:
        return
    urls = [f"{site_url}{address}" for address in addresses]
    if len(urls) <= _MAX_ADDRESSES:
        yield _sitemap("sitemap.xml", urls)
        return
    names: list[str] = []
    for start in range(0, len(urls), _MAX_ADDRESSES):
        names.append(f"sitemap-{len(names) + 1}.xml")
        yield _sitemap(names[-1], urls[start : start + _MAX_ADDRESSES])
    yield _sitemap("sitemap.xml", (), [f"{site_url}{name}" for name in names])


def newest_addresses(
    releases: Sequence[str], releases_by_type: ReleasesByType
) -> Iterator[str]:
    """The address of each type, version and group in the newest of ``releases`` that
    has it: ``1.35/apps/v1/Deployment/``."""
    newest: dict[str, int] = {}
    for path, type_releases in releases_by_type.items():
        address = page_address(path)
        number = releases.index(type_releases[-1])
        for page in (path, address.group, address.group_version):
            newest[page] = max(newest.get(page, 0), number)
    yield from (f"{releases[number]}/{path}/" for path, number in newest.items())


def _sitemap(
    name: str, addresses: Sequence[str], sitemaps: Sequence[str] = ()
) -> FileContext:
    variables = {
        "root": "",
        "addresses": tuple(addresses),
        "sitemaps": tuple(sitemaps),
    }
    return FileContext(name, {"path": name}, variables)


def latest_contexts(
    addresses: Iterable[str], releases: Collection[str], site_url: str
) -> Iterator[FileContext]:
    """The contexts of the pages that lead to ``addresses``, which start with a release
    (``1.35/apps/v1/Deployment/``), and of ``/latest/`` itself.

    There are none where a release has the name of the folder, and one for addresses
    that differ only in case, which some file systems ignore.
    """
    if _LATEST in releases:
        return
    by_path: dict[str, str] = {}
    for address in addresses:
        by_path.setdefault(address.partition("/")[2].casefold(), address)
    for address in by_path.values():
        path = f"{_LATEST}/{address.partition('/')[2]}"
        variables = {
            "root": "../" * path.count("/"),
            "address": address,
            "canonical": f"{site_url}{address}" if site_url else "",
        }
        yield FileContext(f"/{path}", {"path": f"{path}index.html"}, variables)
