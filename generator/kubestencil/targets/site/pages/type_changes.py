"""What changed in a type and, for a kind, anywhere inside of it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Literal, NamedTuple

from kubestencil.schema import Release
from kubestencil.targets.site.addresses import PageAddress
from kubestencil.targets.site.fields.paths import fields_of
from kubestencil.targets.site.pages.usage import Usage
from kubestencil.targets.site.release_context import ReleaseContext, TypeChange

# More than any kind of Kubernetes has over seven releases. Without a limit, a site would
# grow with the number of kinds times that of changes.
_MAX_INNER_CHANGES = 200


class InnerChange(NamedTuple):
    """A change inside of a kind.

    ``path`` leads from the kind to what changed (``spec.template.spec.workloadRef``);
    ``is_present`` says whether this release has the field. ``label`` says what happened,
    ``event`` the same of a field as a whole (``TypeChange.event``).
    """

    path: str
    is_present: bool
    label: str
    event: Literal["added", "removed", ""]


class ReleaseChanges(NamedTuple):
    """The changes of a type in one release, and those inside of it."""

    release: str
    changes: tuple[TypeChange, ...]
    inner_changes: tuple[InnerChange, ...]


InnerChanges = Mapping[str, Mapping[str, Sequence[InnerChange]]]


def change_history(
    name: str, path: str, context: ReleaseContext, inner_changes: InnerChanges
) -> tuple[ReleaseChanges, ...]:
    """The changes of a definition, whose page is at ``path``, the newest release first."""
    changes: dict[str, list[TypeChange]] = defaultdict(list)
    for change in context.changes.get(path, ()):
        changes[change.release].append(change)
    inner = inner_changes.get(name, {})
    return tuple(
        ReleaseChanges(
            release,
            tuple(changes.get(release, ())),
            tuple(sorted(inner.get(release, ()))),
        )
        for release in reversed(context.releases)
        if release in changes or release in inner
    )


def find_inner_changes(
    release: Release,
    context: ReleaseContext,
    addresses: Mapping[str, PageAddress],
    usage: Usage,
) -> InnerChanges:
    """The changes inside of each kind of a release, by its definition and the release
    that changed it."""
    inner: dict[str, dict[str, list[InnerChange]]] = defaultdict(
        partial(defaultdict, list)
    )
    counts: Counter[str] = Counter()
    for name, address in addresses.items():
        changes = [
            change
            for change in context.changes.get(address.path, ())
            if shows_inside(change)
        ]
        if not changes:
            continue
        fields = {field.name for field in fields_of(release.definitions[name].schema)}
        for kind, paths, _ in usage.used_in.get(name, ()):
            counts[kind] += len(changes)
            for change in changes if counts[kind] <= _MAX_INNER_CHANGES else ():
                path, is_present = f"{paths[0]}.{change.path}", change.field in fields
                inner[kind][change.release].append(
                    InnerChange(path, is_present, change.label, change.event)
                )
    return inner


def shows_inside(change: TypeChange) -> bool:
    """Whether the pages of kinds show a change of a type inside of them."""
    return bool(change.badge and change.field)
