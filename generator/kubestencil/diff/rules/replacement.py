"""What becomes of something that is deprecated or removed."""

from __future__ import annotations

from typing import NamedTuple


class Outlook(NamedTuple):
    """What becomes of something: when it was or will be deprecated and removed, and
    what replaces it. Each is None where it is not known."""

    deprecated_in: str | None = None
    removed_in: str | None = None
    replacement: str | None = None


#: Nothing is known.
NO_OUTLOOK = Outlook()
