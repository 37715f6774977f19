"""The pages of a documented library: one for each package, with an index and sections.

The rules are those of https://github.com/jsonnet-libs/docsonnet (pkg/render, pkg/slug).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from kubestencil.text import markdown


class FieldDocs(NamedTuple):
    """The documentation of a field of an object.

    ``form`` is ``fn`` for a function, ``obj`` for an object, else the type of the
    value (``string``). ``parameters`` are a function's, separated by commas, and
    ``default`` the value of any other field, both spelled as in Jsonnet. ``help`` is
    Markdown. ``inner`` documents the fields of an object.
    """

    form: str
    name: str
    parameters: str
    help: str
    default: str
    inner: ObjectDocs | None


#: The documented fields of an object, in the order of its page.
ObjectDocs = tuple[FieldDocs, ...]


class PackageLink(NamedTuple):
    """A package in the list of those inside of another; ``page`` is the path of its
    page, relative to the page with the list."""

    name: str
    page: str


@dataclass(frozen=True, slots=True)
class LibraryPackage:
    """A documented package: the library, a group, a version or a type.

    ``path`` has the names of the packages that lead to it, and is empty for the
    library. ``url`` is what it is imported from, empty where it is not. ``help`` is
    Markdown.
    """

    path: tuple[str, ...]
    url: str
    help: str
    packages: tuple[PackageLink, ...]
    docs: ObjectDocs


class PageEntry(NamedTuple):
    """A line in the index of a page.

    ``indent`` is the white space before it. ``label`` is what the line shows: ``obj``
    and the path of an object in the package, or ``fn`` and a function with its
    parameters. An object without documented fields is followed by a line with an empty
    ``label``. ``heading`` is the heading of the field's section, ``anchor`` its
    fragment.
    """

    indent: str
    label: str
    heading: str
    anchor: str


class FieldSection(NamedTuple):
    """The section of a page about one field.

    ``form`` is ``fn`` for a function, ``obj`` for an object, else the type of the
    value. ``title`` is the path of the field in the package. ``signature`` is a
    function with its parameters, ``default`` the default of a value in Jsonnet, and
    ``help`` the description in Markdown.
    """

    form: str
    title: str
    signature: str
    help: str
    default: str


class PageBody(NamedTuple):
    """The index of a page, and the sections of its fields."""

    entries: list[PageEntry]
    sections: list[FieldSection]


def page_body(docs: ObjectDocs) -> PageBody:
    """The body of the page about an object."""
    body = _object_body(docs, "", "")
    return PageBody(_with_distinct_anchors(body.entries), body.sections)


def _object_body(docs: ObjectDocs, prefix: str, indent: str) -> PageBody:
    """The part of a body about an object; ``prefix`` is its path and a dot, or empty."""
    entries: list[PageEntry] = []
    sections: list[FieldSection] = []
    for form, name, parameters, help_, default, inner in docs:
        title = f"{prefix}{name}"
        heading = f"{form} {title}"
        anchor = markdown.anchor(heading).lower()
        signature = f"{name}({parameters})" if form == "fn" else ""
        label = f"fn {signature}" if signature else heading
        entries.append(PageEntry(indent, label, heading, anchor))
        sections.append(FieldSection(form, title, signature, help_, default))
        if inner is not None:
            inner_indent = f"{indent}  "
            body = _object_body(inner, f"{title}.", inner_indent)
            entries += body.entries or [PageEntry(inner_indent, "", "", "")]
            sections += body.sections
    return PageBody(entries, sections)


def sort_fields(fields: Iterable[FieldDocs]) -> ObjectDocs:
    """The documentation of an object in the order of its page: functions whose names
    begin with ``new``, then other functions, then the rest, each sorted by name."""

    def sort_key(field: FieldDocs) -> tuple[bool, bool, str]:
        is_new = field.name.lower().startswith("new")
        return not is_new, field.form != "fn", field.name

    return tuple(sorted(fields, key=sort_key))


def _with_distinct_anchors(entries: list[PageEntry]) -> list[PageEntry]:
    """``entries`` with a number appended to each anchor that occurred before.

    docsonnet compares anchors before it converts them to lower case, so ``withAB`` and
    ``withAb`` have the same.
    """
    if len({entry.anchor for entry in entries}) == len(entries):
        return entries
    counts: Counter[str] = Counter()
    distinct: list[PageEntry] = []
    for entry in entries:
        anchor = markdown.anchor(entry.heading)
        suffix = f"-{counts[anchor]}" if counts[anchor] else ""
        counts[anchor] += 1
        distinct.append(entry._replace(anchor=f"{entry.anchor}{suffix}"))
    return distinct
