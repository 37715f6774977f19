"""Links from reports to pages that document what they name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from kubestencil.schema import GroupVersionKind


class LinkResolver(NamedTuple):
    """Finds the pages that document what a report names.

    ``field_link`` takes a definition's full name, the JSON name of a field, or an
    empty string for the definition itself, and the names of releases; it returns the
    URL of the page in the first of these releases that has the field.
    ``kind_link`` takes a kind and the name of a release that serves it. Both return an
    empty string where there is no page.
    """

    field_link: Callable[[str, str, Sequence[str]], str]
    kind_link: Callable[[GroupVersionKind, str], str]


def _no_link(*_: object) -> str:
    return ""


#: Resolves nothing: for reports that stand alone.
NO_LINKS = LinkResolver(_no_link, _no_link)
