"""Pages that people add to the site: a folder of Markdown."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from markupsafe import Markup

from kubestencil.engine.manifest import Target
from kubestencil.engine.view import FileContext
from kubestencil.errors import TargetError, UsageError
from kubestencil.text import commonmark


class Page(NamedTuple):
    """A page: its path below ``pages/``, its title, its text."""

    path: str
    title: str
    text: Markup


def pages(target: Target) -> Sequence[Page]:
    """The pages in the folder that the option names, by path.

    Raises UsageError where that is no folder, TargetError for a page that is not text
    or that leads to one that is not there.
    """
    given = str(target.options["pages"])
    if not given:
        return ()
    folder = Path(given)
    if not folder.is_dir():
        raise UsageError("is not a folder", where=f"--set {target.name}.pages={given}")
    found = sorted(path for path in folder.rglob("*.md") if path.is_file())
    names = [path.relative_to(folder).as_posix() for path in found]
    return [_page(folder, name, names) for name in names]


def items(found: Sequence[Page]) -> Iterator[FileContext]:
    """A file for each page."""
    for page in found:
        root = "../" * (page.path.count("/") + 2)
        values = {"page": page, "root": root, "crumbs": ()}
        yield FileContext(page.path, {"path": page.path}, values)


def _page(folder: Path, name: str, names: Collection[str]) -> Page:
    where = str(folder / name)
    try:
        text = (folder / name).read_text("utf-8")
    except UnicodeDecodeError as error:
        raise TargetError("is not UTF-8 text", where=where) from error
    printed = commonmark.render_page(text, _leading_from(name, names, where))
    path = name.removesuffix(".md")
    return Page(path, printed.title or path.rpartition("/")[2], printed.html)


def _leading_from(
    name: str, names: Collection[str], where: str
) -> Callable[[str], str]:
    """The address of another page, as one has to write it on the page ``name``."""
    here = posixpath.dirname(name)

    def address(link: str) -> str:
        wanted = posixpath.normpath(posixpath.join(here, link))
        if wanted not in names:
            raise TargetError(f"leads to {link}, which is not there", where=where)
        path = posixpath.relpath(wanted.removesuffix(".md"), name.removesuffix(".md"))
        return f"{quote(path)}/"

    return address
