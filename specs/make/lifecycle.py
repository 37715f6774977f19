"""The table ``lifecycle``: one row for each kind that Kubernetes has or had.

The rows of a release continue those of the one before. What its document has decides what
is served; upstream's own lifecycle methods, which the newest sources have in their best
version, add what is deprecated, planned and replaced.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from kubestencil.schema.kinds import precedence
from kubestencil.schema.types import GroupVersionKind, group_version_kind
from kubestencil.source.releases import (
    ReleaseRange,
    previous_minor_version,
    release_order,
)
from specs.make.checkouts import Checkout
from specs.make.default_server import default_kinds
from specs.make.documents import operated_kinds
from specs.make.go_types import group_of

_MODULES = ("api", "apiextensions-apiserver", "kube-aggregator")
_METHOD = re.compile(
    r"^func \(in \*(\w+)\) APILifecycle(\w+)\(\).*\{\s*return (.*)", re.M
)
_TEXT = re.compile(r'"(.*?)"')

#: What methods of a kind return, as Go expressions, by the ends of their names
#: (``APILifecycleRemoved``).
_Stated = Mapping[str, str]


@dataclass
class Row:
    """A row of the table. ``gone`` is the first release whose document lacks the
    kind; ``planned`` is the removal that upstream states."""

    kind: GroupVersionKind
    introduced: str
    deprecated: str | None = None
    planned: str | None = None
    gone: str | None = None
    default: list[ReleaseRange] = field(default_factory=list)
    replacement: GroupVersionKind | None = None

    @property
    def removed(self) -> str | None:
        """The first release that does not serve the kind.

        Some kinds could still be enabled for two releases after a default server had
        stopped to serve them, which is what upstream calls their removal.
        """
        if self.gone is None or self.planned is None or not self.default:
            return self.gone or self.planned
        last_default = self.default[-1].last
        stopped = last_default is not None and _before(last_default, self.planned)
        return (
            self.planned if stopped and _before(self.planned, self.gone) else self.gone
        )


def make_rows(
    checkout: Checkout, former: Iterable[Sequence[str]]
) -> Iterator[tuple[str, ...]]:
    """The rows of the table for a release, which continue those of its base."""
    rows = {row.kind: row for row in map(_row, former)}
    _advance(rows, checkout)
    return map(_cells, rows.values())


def _row(cells: Sequence[str]) -> Row:
    api_version, kind, introduced, deprecated, removed, default, replacement = cells
    return Row(
        kind=group_version_kind(api_version, kind),
        introduced=introduced,
        deprecated=deprecated or None,
        planned=removed or None,
        gone=removed or None,
        default=[*map(ReleaseRange.parse, default.split())],
        replacement=group_version_kind(*replacement.split()) if replacement else None,
    )


def _advance(rows: dict[GroupVersionKind, Row], checkout: Checkout) -> None:
    """Add the facts of the next release."""
    release = checkout.minor_version
    present = operated_kinds(checkout.document).keys()
    default = default_kinds(checkout)
    for kind in present:
        row = rows.setdefault(kind, Row(kind, release))
        row.gone = None
        _extend(row, release, served=kind in default)
    for kind, row in rows.items():
        if kind not in present and not (row.gone and _before(row.gone, release)):
            row.gone = release
            _extend(row, release, served=False)
    _add_upstream(rows, _stated(checkout))


def _extend(row: Row, release: str, *, served: bool) -> None:
    """Open or close the last range of releases with a default server."""
    is_open = bool(row.default) and row.default[-1].last is None
    if served and not is_open:
        row.default.append(ReleaseRange(release))
    if not served and is_open:
        first = row.default.pop().first
        row.default.append(ReleaseRange(first, previous_minor_version(release)))


def _add_upstream(
    rows: dict[GroupVersionKind, Row],
    stated: Mapping[GroupVersionKind, _Stated],
) -> None:
    """Add what upstream states, and the replacements that it does not name: the preferred
    version of the same kind in the same group that is still served."""

    def name(kind: GroupVersionKind) -> tuple[str, str]:
        return kind.group, kind.kind

    for kind in stated.keys() & rows.keys():
        rows[kind].deprecated = _release(stated[kind].get("Deprecated", ""))
        rows[kind].planned = _release(stated[kind].get("Removed", ""))
    for _, group in groupby(sorted(rows, key=name), key=name):
        versions = sorted(group, key=lambda kind: precedence(kind.version))
        preferred = [kind for kind in versions if rows[kind].gone is None][-1:]
        for kind in versions:
            row = rows[kind]
            replacement = _replacement(stated.get(kind, {}).get("Replacement", ""))
            if replacement in rows:
                row.replacement = replacement
            elif row.deprecated or row.removed:
                others = (other for other in preferred if other != kind)
                row.replacement = next(others, row.replacement)


def _stated(checkout: Checkout) -> Mapping[GroupVersionKind, _Stated]:
    """What the sources of a release state of each kind."""
    stated: dict[GroupVersionKind, dict[str, str]] = defaultdict(dict)
    for module in filter(checkout.has_module, _MODULES):
        for path in sorted(checkout.module(module).rglob("*lifecycle.go")):
            version, parent = path.parent, path.parent.parent
            # The folder of the group may name it.
            named = (group_of(version), group_of(parent), parent.name)
            group = next(name for name in named if name is not None)
            for name, event, value in _METHOD.findall(path.read_text("utf-8")):
                stated[GroupVersionKind(group, version.name, name)][event] = value
    return stated


def _replacement(expression: str) -> GroupVersionKind | None:
    """The kind that a method returns; that of the items where it is a list."""
    if not expression:
        return None
    group, version, kind = _TEXT.findall(expression)
    return GroupVersionKind(group, version, kind.removesuffix("List"))


def _release(expression: str) -> str | None:
    """The release that a method returns: ``1, 31``."""
    return expression.replace(", ", ".") or None


def _cells(row: Row) -> tuple[str, ...]:
    removed = row.removed
    deprecated = row.deprecated
    if deprecated and removed and not _before(deprecated, removed):
        deprecated = None  # It was removed before the release that upstream planned.
    return (
        row.kind.api_version,
        row.kind.kind,
        row.introduced,
        deprecated or "",
        removed or "",
        " ".join(map(str, row.default)),
        (
            f"{row.replacement.api_version} {row.replacement.kind}"
            if row.replacement
            else ""
        ),
    )


def _before(release: str, other: str) -> bool:
    return release_order(release) < release_order(other)
