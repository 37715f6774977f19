"""Timelines as JSON, and the text of JSON values: what ``-f json`` prints."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from kubestencil.diff.timeline import Timeline


def timeline_json(timeline: Timeline) -> dict[str, Any]:
    """Which releases serve each kind, as a JSON object."""
    return {
        "releases": list(timeline.releases),
        "kinds": [
            {
                "group": kind.group,
                "kind": kind.kind,
                "versions": [
                    {
                        "version": version.version,
                        "stability": version.stability,
                        "first": version.releases[0],
                        "last": version.releases[-1],
                        "releases": list(version.releases),
                    }
                    for version in kind.versions
                ],
            }
            for kind in timeline.kinds
        ],
    }


def json_text(value: Any) -> str:
    """The text of a JSON value: keys in their order, ASCII only.

    The elements of the outer two levels have a line each, such as every change. Python
    indents text only with an encoder that is ten times as slow.
    """
    return "".join(_lines(value, 0)) + "\n"


_EXPANDED_LEVELS = 2


def _lines(value: Any, level: int) -> Iterator[str]:
    if level == _EXPANDED_LEVELS or not value or not isinstance(value, dict | list):
        yield json.dumps(value)
        return
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    indent = " " * (level + 1)
    separator = f"{opening}\n{indent}"
    for element in value:
        yield separator
        if isinstance(value, dict):
            yield f"{json.dumps(element)}: "
            yield from _lines(value[element], level + 1)
        else:
            yield from _lines(element, level + 1)
        separator = f",\n{indent}"
    yield f"\n{' ' * level}{closing}"
