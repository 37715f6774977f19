"""The sitemap (https://www.sitemaps.org/protocol.html), and addresses that stay when a
release is added: ``/latest/apps/v1/Deployment/``, and ``/k/deploy/`` for people to type.

Static hosts have no redirects in common, so each is a small page, which leads to the
newest release that has what the page is about.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Annotated

from kubestencil.engine.view import Each, FileContext
from kubestencil.schema import Release
from kubestencil.schema.kinds import kind_definitions, precedence
from kubestencil.source.releases import latest_of
from kubestencil.targets.site.addresses import PageAddress, page_address
from kubestencil.targets.site.navigation import SHARED_VARIABLES, canonical
from kubestencil.targets.site.release_context import ReleasesByType

# The limit of the protocol.
_MAX_ADDRESSES = 50_000

_LATEST = "latest"
_SHORT = "k"
_PLAIN = re.compile(r"[a-z0-9]+(?:[.-][a-z0-9]+)*\Z")

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
        "release that has it, without types inside of custom resources, and one at /k/ "
        "for each kind and short name",
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
    by_page: dict[str, set[str]] = {}
    for path, type_releases in releases_by_type.items():
        address = page_address(path)
        for page in (path, address.group, address.group_version):
            by_page.setdefault(page, set()).update(type_releases)
    for page, names in by_page.items():
        yield f"{latest_of([name for name in releases if name in names])}/{page}/"


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
        yield _redirect(f"{_LATEST}/{address.partition('/')[2]}", address, site_url)


def short_contexts(
    release: Release,
    addresses: Mapping[str, PageAddress],
    releases: Collection[str],
    site_url: str,
) -> Iterator[FileContext]:
    """The contexts of the pages for kinds and their short names (``hpa``), in the newest
    release; of kinds with one name, the one whose group comes first."""
    if _SHORT in releases:
        return
    by_name: dict[str, str] = {}
    kinds = kind_definitions(release)
    for name in sorted(
        kinds, key=lambda name: precedence(addresses[name].version), reverse=True
    ):
        kind = addresses[name].kind.lower()
        resource = release.resources.get(kinds[name])
        names = resource.short_names if resource else ()
        for short in (kind, *names):
            if _PLAIN.match(short):
                by_name.setdefault(short, f"{release.name}/{addresses[name].path}/")
    for short, address in sorted(by_name.items()):
        yield _redirect(f"{_SHORT}/{short}/", address, site_url)


def _redirect(path: str, address: str, site_url: str) -> FileContext:
    variables = {
        "root": "../" * path.count("/"),
        "address": address,
        "canonical": canonical(site_url, address),
    }
    return FileContext(f"/{path}", {"path": f"{path}index.html"}, variables)
