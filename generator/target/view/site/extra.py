"""Pages that people add to the site: a folder of Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from markupsafe import Markup

from generator.errors import UsageError
from generator.language import commonmark
from generator.target.manifest import Target
from generator.target.view import Item

_SUFFIX = ".md"


class Page(NamedTuple):
    """A page: its path below ``pages/``, its title, its text."""

    path: str
    title: str
    text: Markup


def pages(target: Target) -> Sequence[Page]:
    """The pages in the folder that the option names, by path.

    Raises UsageError where that is no folder, or a page is not text.
    """
    given = str(target.options["pages"])
    if not given:
        return ()
    folder = Path(given)
    if not folder.is_dir():
        raise UsageError("is not a folder", where=f"--set {target.name}.pages={given}")
    found = sorted(path for path in folder.rglob(f"*{_SUFFIX}") if path.is_file())
    names = {path.relative_to(folder).as_posix(): _path(path, folder) for path in found}
    return [
        _page(
            folder / name,
            path,
            commonmark.page(_text(folder / name), _links(name, names)),
        )
        for name, path in names.items()
    ]


def items(found: Sequence[Page]) -> Iterator[Item]:
    """A file for each page."""
    for page in found:
        root = "../" * (page.path.count("/") + 2)
        yield Item(page.path, {"path": page.path}, {"page": page, "root": root})
