"""The view of the pages of a Jsonnet library, as docsonnet prints them.

docsonnet evaluates the whole library to find what is documented. Here the pages
are made from the same builders as the library, and only what an overlay changes
is evaluated. The rules are those of https://github.com/jsonnet-libs/docsonnet
(pkg/docsonnet, pkg/render, pkg/slug).
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from kubestencil.engine.manifest import Target
from kubestencil.engine.view import Contexts, Each, FileContext
from kubestencil.errors import TargetError
from kubestencil.schema import Release
from kubestencil.targets.jsonnet import overlay
from kubestencil.targets.jsonnet import spelling as jsonnet
from kubestencil.targets.jsonnet import view as jsonnet_view
from kubestencil.targets.jsonnet.view import (
    Function,
    Library,
    Member,
    Members,
    Nested,
    Type,
)
from kubestencil.text import markdown

_Path = tuple[str, ...]


class Doc(NamedTuple):
    """What a field is documented as: ``form`` is ``fn``, ``obj`` or the type of a
    value; ``arguments`` are a function's, spelled."""

    form: str
    name: str
    arguments: str
    help: str
    default: str
    inside: Docs | None


@dataclass(frozen=True, slots=True, eq=False)
class Docs:
    """The documented fields of one object, in the order of the pages."""

    entries: tuple[Doc, ...]


class Link(NamedTuple):
    """A package in a list, and its page."""

    name: str
    page: str


class IndexLine(NamedTuple):
    """A line of a page's index. An object with nothing inside is followed by a
    line with no ``label``."""

    pad: str
    form: str
    label: str
    title: str
    anchor: str


class Section(NamedTuple):
    """A part of a page; ``title`` is the path to the field."""

    form: str
    title: str
    signature: str
    help: str
    default: str


@dataclass(frozen=True, slots=True)
class Package:
    """A page: of the library, a group, a version or a type."""

    path: tuple[str, ...]
    url: str
    help: str
    packages: tuple[Link, ...]
    docs: Docs


#: What targets can print files for.
EACH: Mapping[str, Each] = {}

#: The quirks of the library, which its pages document.
QUIRKS = jsonnet_view.QUIRKS


def make_contexts(release: Release, target: Target) -> Contexts:
    """The pages of the library of ``release``.

    Raises what ``kubestencil.targets.jsonnet.view.make`` raises, and TargetError
    for an overlay whose documentation cannot be read.
    """
    return Contexts(
        files=_Pages(release, target).files(),
    )


class _Pages:
    def __init__(self, release: Release, target: Target) -> None:
        self.library = Library(release, target)
        self.generated = _Generated(
            frozenset(target.quirks.get("open-tags", {}).get("elements", ()))
        )
        self.printed: dict[
            tuple[Docs, str, str], tuple[list[IndexLine], list[Section]]
        ] = {}
        files = overlay.read(target, self.library.skeleton())
        self.packages = (
            tuple(_with_overlay(self.library, self.generated, target, files))
            if files
            else tuple(_without_overlay(self.library, self.generated))
        )

    def files(self) -> Mapping[str, Callable[[], Iterable[FileContext]]]:
        """The library's page, those of its packages, and those with nothing below."""

        def items(wanted: Callable[[Package], bool]) -> Iterable[FileContext]:
            return map(self.item, filter(wanted, self.packages))

        return {
            "release": lambda: items(lambda each: not each.path),
            "package": lambda: items(lambda each: bool(each.path and each.packages)),
            "page": lambda: items(lambda each: bool(each.path) and not each.packages),
        }

    def item(self, package: Package) -> FileContext:
        index, sections = self.lines(package.docs, "", "")
        name = ".".join(package.path)
        values = {
            "permalink": "/".join(("", self.library.release.name, *package.path, "")),
            "name": name or self.library.name,
            "local": self.library.name,
            "url": package.url,
            "help": package.help,
            "packages": package.packages,
            "index": _numbered(index),
            "sections": sections,
        }
        return FileContext(
            name or self.library.name, {"path": "/".join(package.path)}, values
        )

    def lines(
        self, docs: Docs, path: str, pad: str
    ) -> tuple[list[IndexLine], list[Section]]:
        """The index and the sections of an object's fields."""
        known = self.printed.get((docs, path, pad))
        if known is not None:
            return known
        index: list[IndexLine] = []
        sections: list[Section] = []
        for form, name, arguments, help_, default, inside in docs.entries:
            title = f"{path}{name}"
            anchor = markdown.anchor(f"{form} {title}").lower()
            if form == "fn":
                signature = f"{name}({arguments})"
                index.append(IndexLine(pad, form, signature, title, anchor))
                sections.append(Section(form, title, signature, help_, default))
                continue
            index.append(IndexLine(pad, form, title, title, anchor))
            sections.append(Section(form, title, "", help_, default))
            if inside is not None:
                below = self.lines(inside, f"{title}.", f"{pad}  ")
                index += below[0] or [IndexLine(f"{pad}  ", "", "", "", "")]
                sections += below[1]
        self.printed[docs, path, pad] = index, sections
        return index, sections


class _Generated:
    """The documentation of builders, each object once."""

    def __init__(self, open_tags: frozenset[str]) -> None:
        self.open_tags = open_tags
        self.known: dict[Members, Docs] = {}

    def help(self, text: str) -> str:
        return markdown.inline(text, self.open_tags)

    def docs(self, members: Members) -> Docs:
        known = self.known.get(members)
        if known is None:
            known = self.known[members] = _ordered(map(self.doc, members.entries))
        return known

    def doc(self, each: Any) -> Doc:
        name = jsonnet.shown(each.name)
        if isinstance(each, Nested):
            inside = self.docs(each.members)
            return Doc("obj", name, "", self.help(each.help), "", inside)
        return Doc("fn", name, each.argument, self.help(each.help), "", None)

    def source(self, each: Type, nested: str = "") -> str:
        """The documentation of a type, or of an object at its top, as the library
        has it: ``#…`` fields."""
        place = (each.group, each.version, each.name)
        if nested:
            return json.dumps(self.fields(_nested(each, nested)))
        package = {"name": each.name, "import": "", "help": self.help(each.help)}
        members = [f"'#': {json.dumps(package)}"]
        for member in each.members.entries:
            about = json.dumps(self.about(member))
            members.append(f"{jsonnet.string(f'#{member.name}')}: {about}")
            if isinstance(member, Nested):
                members.append(overlay.imported(member.name, (*place, member.name)))
        return f"{{ {', '.join(members)} }}"

    def fields(self, members: Members) -> Mapping[str, Any]:
        fields: dict[str, Any] = {}
        for each in members.entries:
            fields[f"#{each.name}"] = self.about(each)
            if isinstance(each, Nested):
                fields[each.name] = self.fields(each.members)
        return fields

    def about(self, each: Member) -> Mapping[str, Any]:
        help_ = self.help(each.help)
        if isinstance(each, Nested):
            return {"object": {"help": help_, "fields": {}}}
        type_ = each.type if isinstance(each, Function) else "string"
        argument = {"name": each.argument, "type": type_, "default": None}
        arguments = [argument] if each.argument else []
        return {"function": {"help": help_, "args": arguments}}


def _nested(each: Type, name: str) -> Members:
    """The members of the object ``name`` at the top of a type."""
    return next(
        member.members
        for member in each.members.entries
        if isinstance(member, Nested) and member.name == name
    )


def _without_overlay(library: Library, generated: _Generated) -> Iterator[Package]:
    groups = tuple(library.groups())
    listed = tuple(Link(group, f"{group}/index.md") for group, _ in groups)
    yield Package((), library.url, library.description, listed, _NOTHING)
    for group, versions in groups:
        listed = tuple(Link(version, f"{version}/index.md") for version in versions)
        yield Package((group,), "", "", listed, _NOTHING)
    for group, version, types in library.versions():
        listed = tuple(Link(each.name, f"{each.name}.md") for each in types)
        yield Package((group, version), "", "", listed, _NOTHING)
        for each in types:
            yield _page(each, generated)


def _page(each: Type, generated: _Generated) -> Package:
    return Package(
        path=(each.group, each.version, each.name),
        url="",
        help=generated.help(each.help),
        packages=(),
        docs=generated.docs(each.members),
    )


def _with_overlay(
    library: Library,
    generated: _Generated,
    target: Target,
    files: tuple[overlay.OverlayFile, ...],
) -> Iterator[Package]:
    types = {(each.group, each.version, each.name): each for each in library.types}
    tree = overlay.documentation(
        target,
        files,
        library.skeleton(),
        lambda place: generated.source(types[place[0], place[1], place[2]], *place[3:]),
    )
    package = {
        "name": library.name,
        "import": library.url,
        "help": library.description,
    }
    root = {"#": package, **tree}
    yield from _Evaluated(types, generated, target).package(root, (), ())


class _Evaluated:
    """Packages from the ``#…`` fields that an engine found."""

    def __init__(
        self,
        types: Mapping[tuple[str, str, str], Type],
        generated: _Generated,
        target: Target,
    ) -> None:
        self.types = types
        self.generated = generated
        self.target = target

    def package(
        self, fields: Mapping[str, Any], path: _Path, place: _Path
    ) -> Iterator[Package]:
        """The page of a package and those inside; ``path`` has the names by which
        packages call themselves, ``place`` those of the fields they are in."""
        about = self.about(fields["#"], place)
        inner: dict[str, list[Package]] = {}
        for name, field in fields.items():
            if name[0:1] == "#":
                continue
            if field is None:
                if len(place) == _TYPE_DEPTH:
                    page = _page(self.types[place[0], place[1], name], self.generated)
                    inner[name] = [replace(page, path=(*path, name))]
            elif "#" in field:
                below = (*place, name)
                called = self.about(field["#"], below)["name"]
                inner[called] = list(self.package(field, (*path, called), below))
        yield Package(
            path=path,
            url=about["import"],
            help=about["help"],
            packages=tuple(
                Link(
                    jsonnet.shown(name),
                    f"{name}/index.md" if pages[0].packages else f"{name}.md",
                )
                for name, pages in sorted(inner.items())
            ),
            docs=self.docs(fields, place),
        )
        for pages in inner.values():
            yield from pages

    def docs(self, fields: Mapping[str, Any], place: _Path) -> Docs:
        found: list[Doc] = []
        for name, field in fields.items():
            if name[0:1] == "#" and len(name) > 1:
                found.append(self.doc(name[1:], field, fields, place))
            elif (
                name[0:1] != "#"
                and field is not None
                and "#" not in field
                and f"#{name}" not in fields
            ):
                inside = self.docs(field, (*place, name))
                found.append(Doc("obj", jsonnet.shown(name), "", "", "", inside))
        return _ordered(found)

    def doc(
        self, name: str, about: Any, fields: Mapping[str, Any], place: _Path
    ) -> Doc:
        shown = jsonnet.shown(name)
        try:
            (kind, described), *_ = about.items()
            help_ = _text(described["help"])
            if kind == "object":
                return Doc(
                    "obj", shown, "", help_, "", self.inside(name, fields, place)
                )
            if kind == "function":
                arguments = ", ".join(map(_argument, described["args"] or ()))
                return Doc("fn", shown, arguments, help_, "", None)
            default = described.get("default")
            spelled = "" if default is None else jsonnet.value(default)
            return Doc(_text(described["type"]), shown, "", help_, spelled, None)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise self.mistake((*place, f"#{name}")) from error

    def inside(self, name: str, fields: Mapping[str, Any], place: _Path) -> Docs:
        if name in fields and fields[name] is None:
            group, version, type_ = place
            return self.generated.docs(_nested(self.types[group, version, type_], name))
        return self.docs(fields.get(name, {}), (*place, name))

    def about(self, package: Any, place: _Path) -> Mapping[str, str]:
        about = package if isinstance(package, dict) else {}
        if not all(
            isinstance(about.get(key), str) for key in ("name", "import", "help")
        ):
            raise self.mistake((*place, "#"))
        return about

    def mistake(self, place: _Path) -> TargetError:
        return TargetError(
            f"{'.'.join(place)} is not documentation as doc-util makes it",
            where=f"the overlay {self.target.options['overlay']}",
            hint="use d.fn, d.obj, d.val or d.pkg",
        )


_NOTHING = Docs(())
# Types are in a version, which is in a group.
_TYPE_DEPTH = 2


def _ordered(entries: Iterable[Doc]) -> Docs:
    """``new…`` first, then functions, then the rest, each by name."""

    def place(each: Doc) -> tuple[bool, bool, str]:
        return not each.name.lower().startswith("new"), each.form != "fn", each.name

    return Docs(tuple(sorted(entries, key=place)))


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


def _argument(argument: Mapping[str, Any]) -> str:
    name = jsonnet.shown(_text(argument["name"]))
    default = argument.get("default")
    return name if default is None else f"{name}={jsonnet.value(default)}"


def _numbered(index: list[IndexLine]) -> list[IndexLine]:
    """``index`` with a number at the end of an anchor that came before.

    docsonnet compares them before it makes them small, so ``withAB`` and
    ``withAb`` share one.
    """
    if len({each.anchor for each in index}) == len(index):
        return index
    seen: Counter[str] = Counter()
    numbered: list[IndexLine] = []
    for each in index:
        anchor = markdown.anchor(f"{each.form} {each.title}")
        suffix = f"-{seen[anchor]}" if seen[anchor] else ""
        seen[anchor] += 1
        numbered.append(each._replace(anchor=f"{each.anchor}{suffix}"))
    return numbered
