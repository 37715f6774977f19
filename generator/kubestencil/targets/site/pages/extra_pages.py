"""The user's own pages: a folder of Markdown files, with pictures and other files.

A page may begin with front matter, of which ``title`` and ``order`` are read.
``index.md`` is shown on the start page, too. ``notes/<group>/<Kind>.md`` is no page: it is
shown on the pages of a kind. Links between files name the files, and those to types their
names: ``k8s:Pod``, ``k8s:Widget.spec.size``.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from markupsafe import Markup

from kubestencil.checking.release import CheckedRelease, prepare
from kubestencil.checking.rules import RULES
from kubestencil.engine.view import FileContext
from kubestencil.errors import KubestencilError, TargetError, UsageError
from kubestencil.schema import Release
from kubestencil.schema.kinds import precedence
from kubestencil.schema.lookup import find_types
from kubestencil.schema.types import group_version_kind
from kubestencil.source.decoding import decode
from kubestencil.targets.site.addresses import PageAddress, anchor
from kubestencil.targets.site.data_scripts import data_script
from kubestencil.targets.site.examples.highlight import highlight
from kubestencil.targets.site.fields.paths import has_field
from kubestencil.text import commonmark

#: The scheme of links to types and fields.
TYPE_SCHEME = "k8s:"

_NOTES = "notes/"
_INDEX = "index.md"
_FRONT_MATTER = re.compile(r"---[ \t]*\n(.*?\n|)---[ \t]*(?:\n|\Z)", re.DOTALL)
_DOCUMENT_END = re.compile(r"^---(?:\s.*)?$", re.MULTILINE)
_API_VERSION = re.compile(r"""^apiVersion:\s*["']?([^\s"'#]+)""", re.MULTILINE)
# What the search shows and looks through of a page.
_MAX_SEARCHED = 5_000


class ExtraPage(NamedTuple):
    """A page: its path below ``pages/``, its title, its text as HTML. ``order`` sorts
    pages, those without one are last."""

    path: str
    title: str
    text: Markup
    order: float = float("inf")


@dataclass(frozen=True, slots=True)
class TypeLinks:
    """The addresses of types and fields in a release, below the root of the site."""

    release: Release
    addresses: Mapping[str, PageAddress]

    def address(self, query: str) -> str:
        """The page of a type or field: ``1.35/core/v1/Pod/#spec``.

        Raises UsageError where the release has none of that name.
        """
        match = find_types([self.release], query)[0]
        definitions = [
            name
            for name, address in self.addresses.items()
            if match.includes(address.kind, address.group, address.version)
        ]
        path = match.field_path or ""
        for name in sorted(
            definitions,
            key=lambda name: precedence(self.addresses[name].version),
            reverse=True,
        ):
            if not path or has_field(self.release, name, path):
                fragment = f"#{anchor(path)}" if path else ""
                return f"{self.release.name}/{self.addresses[name].path}/{fragment}"
        raise UsageError(f"{match.kind} has no field {path} in {self.release.name}")


class UserFiles:
    """The files of the folder that the option ``pages`` names, which may be empty."""

    def __init__(self, option: str) -> None:
        self._folder = Path(option)
        files = self._folder.rglob("*") if option else ()
        self._names = sorted(
            path.relative_to(self._folder).as_posix()
            for path in files
            if path.is_file()
            and not any(
                part.startswith(".") for part in path.relative_to(self._folder).parts
            )
        )

    def check(self) -> None:
        """Check what needs no release. Raises TargetError for a file that is not UTF-8
        text or has front matter that cannot be read, and for a link to a page or file that
        does not exist."""
        for name in self._names:
            if name.endswith(".md"):
                resolve = partial(self._address, name=name, links=None)
                self._render(self._text(name)[1], name, resolve)

    def pages(self, links: TypeLinks) -> Sequence[ExtraPage]:
        """The pages, by their order and path.

        Raises TargetError for a page that is not UTF-8 text, or links to a page, a file
        or a type that does not exist.
        """
        pages = (
            self._page(name, name.removesuffix(".md"), links)
            for name in self._names
            if name.endswith(".md") and not name.startswith(_NOTES)
        )
        return sorted(pages, key=lambda page: (page.order, page.path))

    def home(self, links: TypeLinks) -> ExtraPage | None:
        """The page that is part of the start page, with links from there."""
        return self._page(_INDEX, None, links) if _INDEX in self._names else None

    def other_files(self) -> Iterator[FileContext]:
        """The contexts of the pictures and other files beside the pages."""
        for name in self._names:
            if not name.endswith(".md"):
                data = (self._folder / name).read_bytes()
                yield FileContext(name, {"path": name}, {}, data)

    def note(self, address: PageAddress, root: str, links: TypeLinks) -> Markup:
        """The text about a kind, for a page whose path to the root of the site is
        ``root``; empty without one. Links to types that an older release lacks lead to
        the site's start page."""
        name = f"{_NOTES}{address.group}/{address.kind}.md"
        if name not in self._names:
            return Markup("")

        def resolve(link: str) -> str:
            try:
                return f"{root}{self._address(link, name, links)}"
            except UsageError:
                return root

        return commonmark.render_page(
            self._text(name)[1], resolve, "note-", code_html=_highlighted
        ).html

    def check_examples(
        self, release: Release, addresses: Mapping[str, PageAddress]
    ) -> None:
        """Check the objects in the examples of pages and notes, and the notes about kinds.

        Raises TargetError for notes about a kind that the release lacks, for links in
        them to what does not exist, and for an example that the release refuses. In a
        page may be pieces of objects, templates, and kinds of other programs.
        """
        kinds = {(address.group, address.kind) for address in addresses.values()}
        groups = {group for group, _ in kinds}
        links = TypeLinks(release, addresses)
        checked = prepare(release)
        for name in self._names:
            if not name.endswith(".md"):
                continue
            where, text = str(self._folder / name), self._text(name)[1]
            is_note = name.startswith(_NOTES)
            group, _, kind = name.removesuffix(".md")[len(_NOTES) :].rpartition("/")
            if is_note and (group, kind) not in kinds:
                raise TargetError(
                    f"is about no kind of {release.name}: its path has to be "
                    "notes/<group>/<Kind>.md",
                    where=where,
                )
            if is_note:
                self._render(text, name, partial(self._address, name=name, links=links))
            for example in commonmark.code_blocks(text, ("yaml", "yml")):
                documents = [example] if is_note else _objects(example, groups)
                for document in documents:
                    _check_example(document, checked, where)

    def _page(self, name: str, path: str | None, links: TypeLinks) -> ExtraPage:
        """A page at ``path`` below ``pages/``, or with links from the start page."""
        front_matter, text = self._text(name)
        start = "" if path is None else f"pages/{path}"

        def resolve(link: str) -> str:
            target, slash, fragment = self._address(link, name, links).partition("/#")
            if path is None:
                return f"{target}{slash}{fragment}"
            is_folder = target.endswith("/")
            relative = posixpath.relpath(target, start)
            return f"{relative}{'/' if is_folder or slash else ''}" + (
                f"#{fragment}" if slash else ""
            )

        page = self._render(text, name, resolve)
        title = front_matter.get("title") or page.title
        order = front_matter.get("order")
        return ExtraPage(
            path or "",
            str(title or posixpath.basename(name).removesuffix(".md")),
            page.html,
            order if isinstance(order, int | float) else float("inf"),
        )

    def _render(
        self, text: str, name: str, resolve: Callable[[str], str]
    ) -> commonmark.Page:
        try:
            return commonmark.render_page(text, resolve, code_html=_highlighted)
        except UsageError as error:
            raise TargetError(
                f"has a link to a type that does not exist: {error}",
                where=str(self._folder / name),
            ) from error

    def _text(self, name: str) -> tuple[Mapping[str, object], str]:
        """The front matter of a file, and what follows it."""
        where = str(self._folder / name)
        try:
            text = (self._folder / name).read_text("utf-8")
        except UnicodeDecodeError as error:
            raise TargetError("is not UTF-8 text", where=where) from error
        match = _FRONT_MATTER.match(text)
        if match is None:
            return {}, text
        if not match[1].strip():
            return {}, text[match.end() :]
        try:
            return decode(match[1].encode(), where), text[match.end() :]
        except KubestencilError as error:
            raise TargetError(
                f"has front matter that cannot be read: {error}", where=where
            ) from error

    def _address(self, link: str, name: str, links: TypeLinks | None) -> str:
        """What a link in a file leads to, below the root of the site; without ``links``
        to types, these lead nowhere."""
        if link.startswith(TYPE_SCHEME):
            return links.address(link.removeprefix(TYPE_SCHEME)) if links else ""
        linked = posixpath.normpath(posixpath.join(posixpath.dirname(name), link))
        if linked not in self._names and linked.endswith((".html", ".htm")):
            return link
        if linked not in self._names or linked.startswith(_NOTES):
            raise TargetError(
                f"links to {link}, which does not exist",
                where=str(self._folder / name),
            )
        path = quote(linked.removesuffix(".md"))
        return f"pages/{path}/" if linked.endswith(".md") else f"pages/{path}"


def page_contexts(pages: Sequence[ExtraPage]) -> Iterator[FileContext]:
    """The context of the file of each page."""
    for page in pages:
        root = "../" * (page.path.count("/") + 2)
        variables = {"page": page, "root": root}
        yield FileContext(page.path, {"path": page.path}, variables)


def pages_script(folders: Iterable[PageFolder]) -> bytes:
    """The pages for the navigation and the search: address, title, text and folder of
    each."""
    data = [
        (
            f"pages/{quote(page.path)}/",
            page.title,
            page.text.striptags()[:_MAX_SEARCHED],
            folder.title,
        )
        for folder in folders
        for page in folder.pages
    ]
    return data_script("kubestencilPages", data)


class PageFolder(NamedTuple):
    """The user's pages of a folder, whose ``title`` is empty for those in none."""

    title: str
    pages: tuple[ExtraPage, ...]


def page_folders(pages: Iterable[ExtraPage]) -> Iterator[PageFolder]:
    """The pages by their folders: those in none come first, and the others in the order of
    their first pages."""
    by_folder: dict[str, list[ExtraPage]] = {"": []}
    for page in pages:
        by_folder.setdefault(posixpath.dirname(page.path), []).append(page)
    for folder, members in by_folder.items():
        title = folder.rpartition("/")[2].replace("-", " ").replace("_", " ")
        if members:
            yield PageFolder(f"{title[:1].upper()}{title[1:]}", tuple(members))


_LANGUAGES = {"yaml": "YAML", "yml": "YAML", "python": "Python", "rust": "Rust"}
_LANGUAGES |= {"jsonnet": "Jsonnet", "typescript": "TypeScript", "ts": "TypeScript"}
_SHORT = {"yml": "yaml", "ts": "typescript"}


def _highlighted(code: str, language: str) -> Markup:
    """A block of code as HTML: with colours where its language is known."""
    return Markup(
        '<div class="block"><pre tabindex="0" aria-label="{}"><code>{}</code>'
        "</pre></div>\n"
    ).format(
        _LANGUAGES.get(language, "Code"),
        highlight(_SHORT.get(language, language), code),
    )


def _objects(text: str, groups: Collection[str]) -> Iterator[str]:
    """The documents of an example that are whole objects of some groups."""
    for document in _DOCUMENT_END.split(text):
        match = _API_VERSION.search(document)
        has_kind = re.search(r"^kind:", document, re.MULTILINE)
        group = (match[1].rpartition("/")[0] or "core") if match else ""
        if has_kind and group in groups and "{{" not in document:
            yield document


def _check_example(text: str, release: CheckedRelease, where: str) -> None:
    """Check the objects of an example, each of which has an apiVersion and a kind."""
    for document in _DOCUMENT_END.split(text):
        value = decode(document.encode(), where) if document.strip() else {}
        api_version, kind = value.get("apiVersion"), value.get("kind")
        if not isinstance(api_version, str) or not isinstance(kind, str):
            continue
        results = release.examine(value, group_version_kind(api_version, kind))
        found = (*results.problems, *results.values) if results else ()
        errors = (
            problem.message
            for problem in found
            if RULES[problem.rule].severity == "error"
        )
        error = next(errors, "") if results else "is no kind of the release"
        if error:
            raise TargetError(
                f"has an example that {release.name} refuses, {api_version} {kind}: "
                f"{error}",
                where=where,
            )
