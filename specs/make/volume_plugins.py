"""The table ``volume-plugins``: when volume plugins were deprecated, handed over to a
CSI driver, and taken out.

The API server warns of most of them, with the releases. Which ones a CSI driver serves is
what feature gates said, the last one in 1.31: these rows continue.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from specs.make.checkouts import Checkout

_FILES = ("pkg/api/pod/warnings.go", "pkg/api/persistentvolume/util.go")
_WARNING = re.compile(
    r'"%s: deprecated in v([\d.]+)(?:, (?:non-functional|and disabled by default)'
    r' in v([\d.]+)\+)?".*\.Child\("(\w+)"\)'
)
# Names that the warnings spell otherwise than the documents do.
_SPELLING = {"storageOS": "storageos"}


def make_rows(
    checkout: Checkout, former: Iterable[Sequence[str]]
) -> Iterator[tuple[str, ...]]:
    """The rows of the table for a release, which continue those of its base."""
    rows = {row[0]: row for row in map(tuple, former)}
    for row in _warned(checkout):
        _, _, migrated, *_ = rows.get(row[0], ("",) * 5)
        if not migrated:
            rows[row[0]] = row
    yield from rows.values()


def _warned(checkout: Checkout) -> Iterator[tuple[str, ...]]:
    for name in _FILES:
        found: dict[str, tuple[str, str]] = {}
        source = (checkout.module("kubernetes") / name).read_text("utf-8")
        for deprecated, ended, field in _WARNING.findall(source):
            # A plugin that is off by default has a second warning, without that.
            _, known = found.get(field, ("", ""))
            found[field] = deprecated, ended or known
        for field, (deprecated, ended) in found.items():
            yield _SPELLING.get(field, field), deprecated, "", ended, name
