"""Reads a generated site as a browser without scripts does, and follows its links."""

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
_ASSET = re.compile(r'<(?:script|link|img)\b[^>]*? (?:src|href)="([^"]*)"')
_ID = re.compile(r' id="([^"]*)"')
_NESTED_TYPE = re.compile(
    r'<ul class=tree id="([^"]*)">(.*?)(?=<ul class=tree id=|</noscript>)',
    re.DOTALL,
)
# A link to another list of fields on the page, which a script makes a link to its page.
_TYPE_LINK = re.compile(r'href="#([^"]*)"')
# What changed inside of a kind: a script makes it a link to its own text.
_INNER_CHANGE = re.compile(r"<li(?: data-event=\w+)?><a>([^<]*)</a> ")
_FIELD = re.compile(
    r'<li(?: (?:id|data-path)="([^"]*)")?(?: class=quiet)?><p>'
    r'<a(?: href="#[^"]*")?>([^<]*)</a> '
    r'(?:<a href="([^"]*)">)?'
)


@dataclass(frozen=True)
class Page:
    """A page: ``text`` is its HTML, ``path`` its folder below the site's root."""

    path: str
    text: str

    @cached_property
    def _split(self) -> tuple[str, list[tuple[str, str]]]:
        types = [
            (f"../../../{path}/", _TYPE_LINK.sub(r'href="../../../\1/"', text))
            for path, text in _NESTED_TYPE.findall(self.text)
        ]
        return _NESTED_TYPE.sub("", self.text), types

    @property
    def visible_text(self) -> str:
        """The HTML without the types that scripts expand fields to."""
        return self._split[0]

    @property
    def links(self) -> list[str]:
        """The links of the page, including those of fields that can be expanded; a
        script rewrites the links of the latter to themselves."""
        visible_text, templates = self._split
        links = _HREF.findall(visible_text)
        links += (f"#{path}" for path in _INNER_CHANGE.findall(visible_text))
        for _, text in templates:
            links += (href for href in _HREF.findall(text) if href[0] != "#")
        return [unescape(href) for href in dict.fromkeys(links)]

    @property
    def assets(self) -> list[str]:
        """The scripts, styles and images that the page loads."""
        return [unescape(href) for href in _ASSET.findall(self.text)]

    @cached_property
    def ids(self) -> set[str]:
        """The ids of elements outside of these types."""
        return {unescape(name) for name in _ID.findall(self.visible_text)}

    @cached_property
    def types(self) -> dict[str, dict[str, str]]:
        """The fields of each type on the page, each with the link to the field's type;
        the page's own type has the key ''."""
        fields = {href: _fields(text) for href, text in self._split[1]}
        return {**fields, "": _fields(self.visible_text)}

    def has(self, anchor: str) -> bool:
        """Whether an anchor is on the page, or can be expanded."""
        anchor = unquote(anchor)
        if anchor in self.ids:
            return True
        return self._has_field(self.types[""], anchor)

    def continued(self, path: str) -> str:
        """The link to a field on the page of a type that is not expanded here, for the
        path of a field in it; empty where there is none."""
        fields = self.types[""]
        while outer := [name for name in fields if path.startswith(f"{name}.")]:
            nearest = max(outer, key=len)
            path = path.removeprefix(f"{nearest}.")
            if fields[nearest] not in self.types:
                return f"{fields[nearest]}#{path}" if fields[nearest] else ""
            fields = self.types[fields[nearest]]
        return ""

    def _has_field(self, fields: Mapping[str, str], path: str) -> bool:
        """Whether a path leads to one of these fields, or to one inside of its type."""
        if path in fields:
            return True
        outer = [name for name in fields if path.startswith(f"{name}.")]
        if not outer:
            return False
        # The fields of an inline object, or of a spec, have paths with several names.
        nearest = max(outer, key=len)
        types = self.types.get(fields[nearest], {})
        return self._has_field(types, path.removeprefix(f"{nearest}."))


def _fields(text: str) -> dict[str, str]:
    return {
        unescape(path or name): unescape(href)
        for path, name, href in _FIELD.findall(text)
    }


class Site:
    """The pages below a folder, by their address without the site's URL.

    ``base`` is the path of the site on its server, which absolute links start with.
    """

    def __init__(self, folder: Path, base: str = "/") -> None:
        files = (path for path in sorted(folder.rglob("*")) if path.is_file())
        paths = {path.relative_to(folder).as_posix(): path for path in files}
        self.base = base
        self.files = set(paths)
        self.pages: dict[str, Page] = {}
        for name, path in paths.items():
            if name.endswith(".html"):
                self._add(name, path.read_bytes())

    @classmethod
    def in_memory(cls, files: Mapping[str, bytes]) -> Site:
        """A site that was not written to a disk."""
        site = cls(Path("/nonexistent"))
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

    def broken_links(self, page: Page) -> list[str]:
        """The links and assets of a page that the site does not have."""
        return [
            href
            for href in [*page.links, *page.assets]
            if not href.startswith(("http://", "https://"))
            and not self._exists(page, href)
        ]

    def _exists(self, page: Page, href: str) -> bool:
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
        found = self.pages[target]
        if target == "compare/" and ".." in anchor:
            # What is compared: two releases, and a type.
            return f"{anchor.partition('..')[2]}/" in self.pages
        if not hash_sign or found.has(anchor):
            return True
        # The page shows the field that links to the page of its type.
        link = found.continued(unquote(anchor))
        return bool(link) and self._exists(found, link)


class Tags(HTMLParser):
    """The tags of a page with their attributes, and its texts."""

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
