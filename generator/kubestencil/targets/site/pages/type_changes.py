"""What changed in a type and, for a kind, anywhere inside of it, and what differs between
the versions of a custom resource in one release."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Literal, NamedTuple

from kubestencil.diff.compare import changes_between_versions
from kubestencil.schema import GroupVersionKind, Release
from kubestencil.schema.kinds import precedence
from kubestencil.targets.reports.changes import FormattedChange, format_change
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

    @property
    def summary(self) -> str:
        """What happened how often: ``17 fields added, 1 removed, 5 to another stage``."""
        own = [change.label for change in self.changes]
        labels = [*own, *(change.label for change in self.inner_changes)]
        words = (_WORDS.get(_SUBJECT.sub("", label), "other") for label in labels)
        (first, count), *others = sorted(Counter(words).items(), key=_word_order)
        texts = [f"{count} {first}" for first, count in others]
        noun = "change" if first == "other" else "field"
        what = f"other {noun}" if first == "other" else noun
        start = f"{count} {what}{'s' * (count != 1)}"
        return ", ".join([start if first == "other" else f"{start} {first}", *texts])


# What a label says comes after the kind of a value, and before the details.
_SUBJECT = re.compile(r"^(?:items|values): | \(.*")
_WORDS = {
    "field added": "added",
    "field removed": "removed",
    "now required": "now required",
    "now listed as required": "now required",
    "now optional": "no longer required",
    "no longer listed as required": "no longer required",
    "no longer works": "without effect",
    "deprecated": "deprecated",
    "stage changed": "to another stage",
    "enum changed": "with other values",
    "default changed": "with another default",
    "can be changed": "can be changed now",
    **dict.fromkeys(
        (
            *("minimum changed", "maximum changed", "text format changed"),
            *("min length changed", "max length changed", "max items changed"),
        ),
        "with other limits",
    ),
    "other": "other",
}
_ORDER = tuple(dict.fromkeys(_WORDS.values()))


def _word_order(item: tuple[str, int]) -> int:
    return _ORDER.index(item[0])


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


# More than anybody reads, of a kind: changes, and versions.
_MAX_CHANGES, _MAX_VERSIONS = 200, 5


class VersionChanges(NamedTuple):
    """What differs in a kind from one version to another, by the path of users."""

    before: str
    after: str
    changes: tuple[FormattedChange, ...]


def version_changes(
    release: Release,
) -> Mapping[GroupVersionKind, Sequence[VersionChanges]]:
    """Each version of a custom resource compared with its most stable one; that has the
    comparisons with the most stable others."""
    versions: dict[tuple[str, str], list[str]] = defaultdict(list)
    for group, version, kind in release.custom_kinds:
        versions[group, kind].append(version)
    pairs: dict[tuple[str, str], list[tuple[str, str]]] = defaultdict(list)
    for (group, kind), names in sorted(versions.items()):
        *others, newest = sorted(names, key=precedence)
        for version in reversed(others[-_MAX_VERSIONS:]):
            pairs[f"{group}/{version}", f"{group}/{newest}"].append((group, kind))
    found: dict[GroupVersionKind, list[VersionChanges]] = defaultdict(list)
    changes = changes_between_versions(release, pairs)
    for (sides, kinds), pair_changes in zip(pairs.items(), changes, strict=True):
        before, after = (side.rpartition("/")[2] for side in sides)
        for group, kind in kinds:
            formatted = tuple(
                format_change(change)
                for change in pair_changes
                if change.owner and change.owner.kind == kind
                # Their fields say it.
                if not change.change.startswith("definition-")
                if change.severity != "docs"
            )
            comparison = VersionChanges(before, after, formatted[:_MAX_CHANGES])
            for version in (before, after) if formatted else ():
                found[GroupVersionKind(group, version, kind)].append(comparison)
    return found
