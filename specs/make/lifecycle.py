"""The table ``lifecycle.tsv``: one row for each kind of Kubernetes.

A release continues the table of those before it, whose history does not change: it begins
with 1.3. What the document of a release has decides what is served; upstream's own
lifecycle methods add what is deprecated, planned and replaced.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import groupby

from kubestencil.schema.kinds import precedence
from kubestencil.schema.knowledge.kinds import lifecycles
from kubestencil.schema.types import GroupVersionKind, group_version_kind
from kubestencil.source.releases import (
    ReleaseRange,
    previous_minor_version,
    release_order,
)
from specs.make.checkouts import Checkout
from specs.make.default_server import default_kinds
from specs.make.documents import operated_kinds
from specs.make.program import program_rows

HEADER = """
The lifecycle of the kinds of Kubernetes, one row for each, tab-separated:

  apiVersion, kind
  introduced   the first release that can serve it
  deprecated   the release from which the API server warns of it
  removed      the first release that does not serve it; later releases are planned
  default      the releases whose server serves it without flags: FIRST..LAST, or
               FIRST.. until the newest release
  replacement  apiVersion and kind

Made by `python -m specs.make lifecycle` (specs/README.md) from sources of Kubernetes:
the OpenAPI document, DefaultAPIResourceConfigSource and the gates of resources of
k8s.io/kubernetes, and the APILifecycle methods of k8s.io/api,
k8s.io/apiextensions-apiserver and k8s.io/kube-aggregator.
"""

# Methods that return a kind that there is not: that of the list, or one that was never
# in the version.
_WRONG_REPLACEMENTS = {
    GroupVersionKind("networking.k8s.io", "v1", "IngressClassList"): GroupVersionKind(
        "networking.k8s.io", "v1", "IngressClass"
    ),
    GroupVersionKind("apps", "v1", "DeploymentRollback"): None,
}


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


def make_rows(checkouts: Sequence[Checkout], *, append: bool) -> list[tuple[str, ...]]:
    """The rows of the table for these releases, oldest first.

    With ``append`` they continue the table that there is.
    """
    rows = _existing() if append else {}
    for checkout in checkouts:
        _advance(rows, checkout)
    _replace_removed(rows)
    return [_cells(rows[kind]) for kind in sorted(rows)]


def _existing() -> dict[GroupVersionKind, Row]:
    """The rows of the present table."""
    return {
        kind: Row(
            kind=kind,
            introduced=facts.introduced,
            deprecated=facts.deprecated,
            planned=facts.removed,
            gone=facts.removed,
            default=list(facts.served_by_default),
            replacement=facts.replacement,
        )
        for kind, facts in lifecycles().items()
    }


def _advance(rows: dict[GroupVersionKind, Row], checkout: Checkout) -> None:
    """Add the facts of the next release."""
    release = checkout.release
    present = set(operated_kinds(checkout.document))
    default = default_kinds(checkout)
    for kind in present:
        row = rows.setdefault(kind, Row(kind, release))
        row.gone = None
        _extend(row, release, served=kind in default)
    for kind, row in rows.items():
        if kind not in present and (row.gone is None or _before(release, row.gone)):
            row.gone = release
            _extend(row, release, served=False)
    _add_upstream(rows, checkout)


def _extend(row: Row, release: str, *, served: bool) -> None:
    """Open or close the last range of releases with a default server."""
    is_open = bool(row.default) and row.default[-1].last is None
    if served and not is_open:
        row.default.append(ReleaseRange(release))
    if not served and is_open:
        first = row.default.pop().first
        row.default.append(ReleaseRange(first, previous_minor_version(release)))


def _add_upstream(rows: dict[GroupVersionKind, Row], checkout: Checkout) -> None:
    """Add what the methods of types return: nothing where a type has no such method."""
    for name, deprecated, removed, replacement in program_rows(
        checkout, "types", "lifecycle"
    ):
        if row := rows.get(_kind(name)):
            row.deprecated, row.planned = deprecated or None, removed or None
            row.replacement = _kind(replacement) if replacement else None
            if row.replacement in _WRONG_REPLACEMENTS:
                row.replacement = _WRONG_REPLACEMENTS[row.replacement]


def _kind(name: str) -> GroupVersionKind:
    """The kind that ``apps/v1 Deployment`` is."""
    return group_version_kind(*name.split(" "))


def _replace_removed(rows: dict[GroupVersionKind, Row]) -> None:
    """Name the replacements that upstream does not: the preferred version of the same
    kind in the same group that is still served."""

    def name(kind: GroupVersionKind) -> tuple[str, str]:
        return kind.group, kind.kind

    for _, group in groupby(sorted(rows, key=name), key=name):
        versions = sorted(group, key=lambda kind: precedence(kind.version))
        preferred = [kind for kind in versions if rows[kind].gone is None][-1:]
        for kind in versions:
            row = rows[kind]
            if row.replacement is None and row.removed is not None:
                row.replacement = next(
                    (other for other in preferred if other != kind), None
                )


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
