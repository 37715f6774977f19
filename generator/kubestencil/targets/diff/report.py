"""Reports: a comparison, a history or a timeline in one of the ``FORMATS``."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path
from types import MappingProxyType
from typing import Any

from kubestencil.data_files import data_file
from kubestencil.diff import data
from kubestencil.diff.comparison import Comparison, compare
from kubestencil.diff.history import History, Timeline, timeline
from kubestencil.engine.templates import Templates
from kubestencil.errors import TargetError
from kubestencil.schema import Release
from kubestencil.targets.diff import formatting as view
from kubestencil.version import __version__

FORMATS = ("text", "markdown", "html", "json")

_SUFFIXES = {"text": "txt", "markdown": "md", "html": "html"}
_MARKS = {"del": "[-{}-]", "ins": "{{+{}+}}"}

#: The formats that ``render`` prints, with the ends of the files' names.
PRINTED = {"markdown": "md", "html": "html", "json": "json"}
_LABELS = {"markdown": "Markdown", "json": "JSON"}
_LISTS = {"markdown": "README.md", "html": "index.html"}
_NOTHING: Mapping[str, Any] = MappingProxyType({})

#: Where the templates of reports are.
BUILT_IN = (data_file("templates") / "diff",)

Folders = tuple[Path, ...]


def folders(user: Path | None) -> Folders:
    """Where to look for templates: in the folder ``diff`` of the user's first, so
    that a template there shadows the built-in one of its name."""
    own = () if user is None else (user / "diff",)
    return (*(folder for folder in own if folder.is_dir()), *BUILT_IN)


def comparison(
    found: Comparison,
    form: str,
    *,
    colour: bool = False,
    templates: Folders = BUILT_IN,
    common: Mapping[str, Any] = _NOTHING,
    pages: view.Pages = view.NOWHERE,
) -> str:
    """A comparison in one of ``FORMATS``; ``colour`` is for a terminal's text,
    ``common`` what a user's own templates need besides, ``pages`` what a page of HTML
    links to.

    Raises TargetError for a mistake in a template.
    """
    if form == "json":
        return data.dumps(data.comparison(found))
    values = view.report(found, _escape(form), pages)
    title = f"{found.before} → {found.after}"
    return _render(templates, "report", form, title, {**values, **common}, colour)


def histories(
    found: Sequence[History],
    form: str,
    *,
    colour: bool = False,
    templates: Folders = BUILT_IN,
) -> str:
    """The histories of one name, a group each, in one of ``FORMATS``."""
    if form == "json":
        return data.dumps([data.history(each) for each in found])
    escape = _escape(form)
    matrices = [view.history(each, escape) for each in found]
    title = f"History of {found[0].kind}"
    return _render(templates, "history", form, title, {"matrices": matrices}, colour)


def times(
    found: Timeline,
    form: str,
    *,
    colour: bool = False,
    templates: Folders = BUILT_IN,
    common: Mapping[str, Any] = _NOTHING,
    pages: view.Pages = view.NOWHERE,
) -> str:
    """A timeline in one of ``FORMATS``."""
    if form == "json":
        return data.dumps(data.timeline(found))
    matrices = [view.timeline(found, _escape(form), pages)]
    values = {"matrices": matrices, **common}
    return _render(templates, "history", form, "Kinds and versions", values, colour)


def report_files(
    releases: Sequence[Release],
    templates: Folders = BUILT_IN,
    forms: Collection[str] = PRINTED,
    common: Mapping[str, Any] = _NOTHING,
    pages: view.Pages = view.NOWHERE,
) -> Iterator[tuple[str, bytes]]:
    """The files of ``generated/diff/``: path and bytes, in ``forms``.

    They are the comparison of each release with the next, of the first with the
    last, the timeline, and a list of them all. ``releases`` come in the order of
    time, two at least.
    """
    pairs = list(pairwise(releases))
    if len(releases) > 2:
        pairs.insert(0, (releases[0], releases[-1]))
    listed = []
    for before, after in pairs:
        found = compare(before, after)
        name = f"{before.name}-{after.name}"
        listed.append((name, found))
        for form in forms:
            text = comparison(
                found, form, templates=templates, common=common, pages=pages
            )
            yield f"{name}.{PRINTED[form]}", text.encode()
    served = timeline(releases)
    for form in forms:
        text = times(served, form, templates=templates, common=common, pages=pages)
        yield f"history.{PRINTED[form]}", text.encode()
    values = {
        "pairs": [
            (name, found.before, found.after, tuple(found.summary.items()))
            for name, found in listed
        ],
        "also": tuple(
            (_LABELS[form], PRINTED[form]) for form in forms if form in _LABELS
        ),
        **common,
    }
    for form in forms:
        if form in _LISTS:
            text = _render(templates, "index", form, "What changed", values, False)
            yield _LISTS[form], text.encode()


def _escape(form: str) -> Callable[[str], str]:
    if form == "markdown":
        from kubestencil.text import markdown

        return markdown.literal
    if form == "text":
        from kubestencil.text import terminal

        return terminal.plain
    # Jinja2 escapes for HTML where the text is printed.
    return str


def _render(
    folders: Folders,
    name: str,
    form: str,
    title: str,
    values: Mapping[str, Any],
    colour: bool,
) -> str:
    from kubestencil.text import terminal

    common: dict[str, Any] = {"version": __version__}
    if form == "text":
        common["paint"] = terminal.painted if colour else _unpainted
    if form == "html":
        common["page"] = _page(folders)
    templates = Templates(folders, common, str(folders[0]))
    return templates.render(
        f"{name}.{_SUFFIXES[form]}.j2", title, {"title": title, **values}
    )


@dataclass(frozen=True, slots=True)
class _Page:
    """What makes a page whole by itself: its style and its script.

    ``policy`` allows a browser these two and nothing else, not even the network.
    """

    style: Any
    script: Any
    policy: str


@cache
def _page(folders: Folders) -> _Page:
    from markupsafe import Markup

    style, script = (_read(folders, name) for name in ("page.css", "page.js"))
    policy = (
        f"default-src 'none'; style-src {_hash(style)}; script-src {_hash(script)}; "
        "base-uri 'none'; form-action 'none'"
    )
    return _Page(Markup(style), Markup(script), policy)


def _read(folders: Folders, name: str) -> str:
    """A file of the first folder that has it."""
    path = next(folder / name for folder in folders if (folder / name).is_file())
    try:
        return path.read_text("utf-8")
    except UnicodeDecodeError as error:
        raise TargetError("is not UTF-8 text", where=str(path)) from error


def _hash(text: str) -> str:
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    return f"'sha256-{digest}'"


def _unpainted(text: str, role: str) -> str:
    """Without colours, words that went and came are marked as ``git diff
    --word-diff`` does."""
    return _MARKS.get(role, "{}").format(text)
