"""Reports: a comparison, a history or a timeline in one of the ``FORMATS``."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import generator
from generator.diff import data, view
from generator.diff.comparison import Comparison, compare
from generator.diff.history import History, Timeline, timeline
from generator.model import Release
from generator.resources import resource
from generator.template import Templates

FORMATS = ("text", "markdown", "html", "json")

_SUFFIXES = {"text": "txt", "markdown": "md", "html": "html"}
_MARKS = {"del": "[-{}-]", "ins": "{{+{}+}}"}
#: The formats that ``render`` prints, with the ends of the files' names.
_PRINTED = {"markdown": "md", "html": "html", "json": "json"}


def comparison(found: Comparison, form: str, *, colour: bool = False) -> str:
    """A comparison in one of ``FORMATS``; ``colour`` is for a terminal's text."""
    if form == "json":
        return data.dumps(data.comparison(found))
    values = view.report(found, _escape(form))
    title = f"{found.before} → {found.after}"
    return _render("report", form, title, values, colour)


def histories(found: Sequence[History], form: str, *, colour: bool = False) -> str:
    """The histories of one name, a group each, in one of ``FORMATS``."""
    if form == "json":
        return data.dumps([data.history(each) for each in found])
    escape = _escape(form)
    matrices = [view.history(each, escape) for each in found]
    title = f"History of {found[0].kind}"
    return _render("history", form, title, {"matrices": matrices}, colour)


def times(found: Timeline, form: str, *, colour: bool = False) -> str:
    """A timeline in one of ``FORMATS``."""
    if form == "json":
        return data.dumps(data.timeline(found))
    matrices = [view.timeline(found, _escape(form))]
    return _render(
        "history", form, "Kinds and versions", {"matrices": matrices}, colour
    )


def report_files(releases: Sequence[Release]) -> Iterator[tuple[str, bytes]]:
    """The files of ``generated/diff/``: path and bytes.

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
        for form, suffix in _PRINTED.items():
            yield f"{name}.{suffix}", comparison(found, form).encode()
    served = timeline(releases)
    for form, suffix in _PRINTED.items():
        yield f"history.{suffix}", times(served, form).encode()
    values = {
        "pairs": [
            (name, found.before, found.after, tuple(found.summary.items()))
            for name, found in listed
        ]
    }
    for form, name in (("markdown", "README.md"), ("html", "index.html")):
        yield name, _render("index", form, "What changed", values, False).encode()


def _escape(form: str) -> Callable[[str], str]:
    if form == "markdown":
        from generator.language import markdown

        return markdown.literal
    if form == "text":
        from generator.language import terminal

        return terminal.plain
    # Jinja2 escapes for HTML where the text is printed.
    return str


def _render(
    name: str, form: str, title: str, values: Mapping[str, Any], colour: bool
) -> str:
    from generator.language import terminal

    folder = resource("templates") / "diff"
    common: dict[str, Any] = {"version": generator.__version__}
    if form == "text":
        common["paint"] = terminal.painted if colour else _unpainted
    if form == "html":
        common["page"] = _page(folder)
    templates = Templates((folder,), common, str(folder), html=form == "html")
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
def _page(folder: Path) -> _Page:
    from markupsafe import Markup

    style = (folder / "page.css").read_text("utf-8")
    script = (folder / "page.js").read_text("utf-8")
    policy = (
        f"default-src 'none'; style-src {_hash(style)}; script-src {_hash(script)}; "
        "base-uri 'none'; form-action 'none'"
    )
    return _Page(Markup(style), Markup(script), policy)


def _hash(text: str) -> str:
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    return f"'sha256-{digest}'"


def _unpainted(text: str, role: str) -> str:
    """Without colours, words that went and came are marked as ``git diff
    --word-diff`` does."""
    return _MARKS.get(role, "{}").format(text)
