"""How bad is what happens between two releases, whoever says it (``events.toml``)."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Literal, get_args

from kubestencil.errors import require_known

#: What an event means for those whom it concerns, worst first: manifests and components
#: fail; they work, and do something else, or should be changed; they work as before; only
#: words differ.
EventSeverity = Literal["breaking", "warning", "safe", "docs"]

_FILE = Path(__file__).with_name("events.toml")


def _read() -> Mapping[str, EventSeverity]:
    events: Mapping[str, EventSeverity] = tomllib.loads(_FILE.read_text("utf-8"))[
        "events"
    ]
    for event, severity in events.items():
        require_known(
            "severity", severity, get_args(EventSeverity), f"{_FILE}: {event}"
        )
    return events


#: The severity of each event.
EVENTS: Mapping[str, EventSeverity] = _read()


def severity_of(event: str, where: str) -> EventSeverity:
    """The severity of an event that a table names. Raises UsageError for one that is not
    known, with the place and what may be meant."""
    require_known("event", event, EVENTS, where)
    return EVENTS[event]
