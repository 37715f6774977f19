"""Which source a release is read from.

The first that has it: the folder that the user names, ``specs/`` in the current
folder (where ``kubestencil fetch`` puts documents), the embedded package.
"""

from __future__ import annotations

from pathlib import Path

from kubestencil.errors import SourceError, UsageError, nearest
from kubestencil.source import embedded, folder
from kubestencil.source.document import Source
from kubestencil.source.releases import order

#: Where ``kubestencil fetch`` puts documents, relative to the current folder.
FETCHED = Path("specs")


def available(specs: Path | None) -> dict[str, str]:
    """Every release that can be read without a network, and from where."""
    found: dict[str, str] = {}
    for release in embedded.releases():
        found[release] = "embedded"
    for place in _folders(specs):
        for release, path in folder.releases(place).items():
            found[release] = str(path)
    return dict(sorted(found.items(), key=lambda item: order(item[0])))


def locate(release: str, specs: Path | None) -> Source:
    """The document of ``release``.

    ``specs`` is the folder that the user named, if any. Raises UsageError where
    no source has the release, SourceError where its file cannot be read.
    """
    for place in reversed(_folders(specs)):
        path = folder.releases(place).get(release)
        if path is not None:
            return folder.read(release, path)
    if release in embedded.releases():
        return embedded.read(release)
    raise UsageError(
        f"no source has the release {release!r}",
        hint=nearest(release, available(specs)),
    )


def _folders(specs: Path | None) -> list[Path]:
    """The folders to look in, the one that wins last."""
    if specs is None:
        return [FETCHED]
    if not specs.is_dir():
        raise SourceError(
            "is not a folder", where=f"--specs {specs}", hint="name an existing folder"
        )
    return [FETCHED, specs]
