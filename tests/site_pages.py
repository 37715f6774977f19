"""A printed site, read as a browser without scripts reads it, and its links followed."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

_HREF = re.compile(r'<a\b[^>]*? href="([^"]*)"')
_LOADED = re.compile(r'<(?:script|link|img)\b[^>]*? (?:src|href)="([^"]*)"')
_ID = re.compile(r' id="([^"]*)"')
_TEMPLATE = re.compile(r'<template data-type="([^"]*)">(.*?)</template>', re.DOTALL)
_FIELD = re.compile(
    r'<li id="([^"]*)"><div class=line><a class=name href="#[^"]*">[^<]*</a> '
    r'(?:<a class=type href="([^"]*)">)?'
)


@dataclass(frozen=True)
class Page:
    """One page: ``text`` is its HTML, ``path`` its folder below the site's root."""

    path: str
    text: str

    @cached_property
    def _split(self) -> tuple[str, list[tuple[str, str]]]:
        return _TEMPLATE.sub("", self.text), _TEMPLATE.findall(self.text)

    @property
    def shown(self) -> str:
        """The page without what scripts unfold."""
        return self._split[0]

    @property
    def links(self) -> list[str]:
        """Where the page leads, what can be unfolded included: there, a field's link to
        itself is made when it is."""
        shown, folded = self._split
        found = _HREF.findall(shown)
        for _, text in folded:
            found += (each for each in _HREF.findall(text) if each[0] != "#")
        return [unescape(each) for each in dict.fromkeys(found)]

    @property
    def loads(self) -> list[str]:
        return [unescape(each) for each in _LOADED.findall(self.text)]

    @cached_property
    def ids(self) -> set[str]:
        return {unescape(each) for each in _ID.findall(self.shown)}

    @cached_property
    def types(self) -> dict[str, dict[str, str]]:
        """The fields of each type on the page, each with its own type's address; the
        page's own type has an empty address."""
        found = {address: _fields(text) for address, text in self._split[1]}
        return {**found, "": _fields(self.shown)}

    def has(self, anchor: str) -> bool:
        """Whether an anchor is on the page, or can be unfolded."""
        anchor = unquote(anchor)
        if anchor in self.ids:
            return True
        fields = self.types[""]
        steps = anchor.split(".")
        for number, step in enumerate(steps, 1):
            if step not in fields:
                return False
            address = fields[step]
            if number == len(steps):
                return True
            if address not in self.types:
                return False
            fields = self.types[address]
        return False


def _fields(text: str) -> dict[str, str]:
    return {unescape(name): unescape(kind) for name, kind in _FIELD.findall(text)}


class Site:
    """All pages below a folder, by the path that their address ends in.

    ``base`` is where a server has them: the page for what is not there needs it.
    """

    def __init__(self, folder: Path, base: str = "/") -> None:
        found = (path for path in sorted(folder.rglob("*")) if path.is_file())
        paths = {path.relative_to(folder).as_posix(): path for path in found}
        self.base = base
        self.files = set(paths)
        self.pages: dict[str, Page] = {}
        for name, path in paths.items():
            if name.endswith(".html"):
                self._add(name, path.read_bytes())

    @classmethod
    def printed(cls, files: Mapping[str, bytes]) -> Site:
        """A site that is on no disk."""
        site = cls(Path("/nowhere"))
        site.files = set(files)
        for name, data in files.items():
            if name.endswith(".html"):
                site._add(name, data)
        return site

    def _add(self, name: str, data: bytes) -> None:
        address = name.removesuffix("index.html")
        self.pages[address] = Page(address, data.decode())

    def page(self, address: str) -> Page:
        return self.pages[address]

    def broken(self, page: Page) -> list[str]:
        """The links and files of a page that lead nowhere in the site."""
        return [
            href
            for href in [*page.links, *page.loads]
            if not href.startswith(("http://", "https://"))
            and not self._leads(page, href)
        ]

    def _leads(self, page: Page, href: str) -> bool:
        path, hash_sign, anchor = href.partition("#")
        if path.startswith(self.base):
            path, page = f"./{path.removeprefix(self.base)}", Page("", "")
        folder = page.path.rpartition("/")[0]
        target = posixpath.normpath(posixpath.join(folder, unquote(path)))
        if path == "":
            target = page.path
        elif path.endswith(("/", "./", "../")):
            target = "" if target == "." else f"{target}/"
        if target.startswith(".."):
            return False
        if target not in self.pages:
            return target in self.files
        return not hash_sign or self.pages[target].has(anchor)


class Tags(HTMLParser):
    """Every tag of a page with its attributes, and all that is text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text.append(data)
