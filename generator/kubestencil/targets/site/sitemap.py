"""The sitemap: the addresses that search engines should list.

https://www.sitemaps.org/protocol.html
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated

from kubestencil.engine.view import Each, FileContext
from kubestencil.targets.site.addresses import page_address
from kubestencil.targets.site.navigation import SHARED_VARIABLES
from kubestencil.targets.site.release_context import ReleasesByType

# The limit of the protocol.
_MAX_ADDRESSES = 50_000

#: What this module generates, in the folder of the site.
EACH: Each = Each(
    "the sitemap, and its parts where it has more than 50,000 addresses; nothing without "
    "the option url",
    {"path": "the name of the file: sitemap.xml, sitemap-1.xml"},
    {
        "addresses": Annotated[tuple[str, ...], "URLs of pages; empty in an index"],
        "sitemaps": Annotated[tuple[str, ...], "URLs of parts; empty but in an index"],
        **SHARED_VARIABLES,
    },
)


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
