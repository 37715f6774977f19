"""Addresses that stay when a release is added: ``/latest/apps/v1/Deployment/``.

Static hosts have no redirects in common, so each is a small page, which leads to the
newest release that has what the page is about.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import Annotated

from kubestencil.engine.view import Each, FileContext
from kubestencil.targets.site.navigation import SHARED_VARIABLES

#: The folder of these pages.
FOLDER = "latest"

#: What this module generates, in the folder of the site.
EACH: Each = Each(
    "a page at /latest/ for each type, group and version, which leads to the newest "
    "release that has it",
    {"path": "the path of the file: latest/apps/v1/Deployment/index.html"},
    {
        "address": Annotated[str, "the address in the folder of the site"],
        **SHARED_VARIABLES,
    },
)


def latest_contexts(
    addresses: Iterable[str], releases: Collection[str], site_url: str
) -> Iterator[FileContext]:
    """The contexts of the pages that lead to ``addresses``, which start with a release
    (``1.35/apps/v1/Deployment/``), and of ``/latest/`` itself.

    There are none where a release has the name of the folder, and one for addresses
    that differ only in case, which some file systems ignore.
    """
    if FOLDER in releases:
        return
    by_path: dict[str, str] = {}
    for address in addresses:
        by_path.setdefault(address.partition("/")[2].casefold(), address)
    for address in by_path.values():
        path = f"{FOLDER}/{address.partition('/')[2]}"
        variables = {
            "root": "../" * path.count("/"),
            "address": address,
            "canonical": f"{site_url}{address}" if site_url else "",
        }
        yield FileContext(f"/{path}", {"path": f"{path}index.html"}, variables)
