"""The user's own pages: a folder of Markdown files."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from markupsafe import Markup

from kubestencil.engine.view import FileContext
from kubestencil.errors import TargetError
from kubestencil.text import commonmark


class ExtraPage(NamedTuple):
    """A page: its path below ``pages/``, its title, its text as HTML."""

    path: str
    title: str
    text: Markup


def read_pages(option: str) -> Sequence[ExtraPage]:
    """The pages in the folder that the option ``pages`` names, sorted by path.

    Raises TargetError for a page that is not UTF-8 text or links to a page that does not
    exist.
    """
    if not option:
        return ()
    folder = Path(option)
    files = sorted(path for path in folder.rglob("*.md") if path.is_file())
    names = [path.relative_to(folder).as_posix() for path in files]
    return [_read_page(folder, name, names) for name in names]


def page_contexts(pages: Sequence[ExtraPage]) -> Iterator[FileContext]:
    """The context of the file of each page."""
    for page in pages:
        root = "../" * (page.path.count("/") + 2)
        variables = {"page": page, "root": root}
        yield FileContext(page.path, {"path": page.path}, variables)


def _read_page(folder: Path, name: str, names: Collection[str]) -> ExtraPage:
    where = str(folder / name)
    try:
        text = (folder / name).read_text("utf-8")
    except UnicodeDecodeError as error:
        raise TargetError("is not UTF-8 text", where=where) from error
    generated = commonmark.render_page(text, _link_resolver(name, names, where))
    path = name.removesuffix(".md")
    return ExtraPage(path, generated.title or path.rpartition("/")[2], generated.html)


def _link_resolver(
    name: str, names: Collection[str], where: str
) -> Callable[[str], str]:
    """A function that turns a link to another Markdown file into one to its page, for
    links on the page ``name``."""
    folder = posixpath.dirname(name)

    def resolve(link: str) -> str:
        linked = posixpath.normpath(posixpath.join(folder, link))
        if linked not in names:
            raise TargetError(f"links to {link}, which does not exist", where=where)
        path = posixpath.relpath(linked.removesuffix(".md"), name.removesuffix(".md"))
        return f"{quote(path)}/"

    return resolve
