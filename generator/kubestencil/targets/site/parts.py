"""Which part of the site prints a file for what."""

from __future__ import annotations

_RELEASE = frozenset(
    ["absent", "definition", "example", "listing", "release", "search"]
)
_REPORTS = frozenset(["report"])
_COMMON = frozenset(["asset", "extra-page", "not-found", "site"])

#: What the other parts print files for, seen from each.
NOT_OF_A_RELEASE = _REPORTS | _COMMON
NOT_OF_THE_REPORTS = _RELEASE | _COMMON
NOT_COMMON = _RELEASE | _REPORTS
