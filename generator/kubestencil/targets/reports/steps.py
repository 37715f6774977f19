"""The lists of a report by what an upgrade does: it stops a component, breaks manifests,
changes behaviour, or announces a removal."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import groupby
from typing import Literal, NamedTuple

from kubestencil.diff.comparison import Comparison
from kubestencil.diff.rules.table import UpgradeTopic
from kubestencil.source.releases import release_order
from kubestencil.targets.reports.changes import Item, ItemList, ItemName

StepName = Literal["stops", "breaks", "differs", "deprecated"]


class StepEntry(NamedTuple):
    """Kinds, fields, gates or flags to which the same happens: ``about`` are their API
    versions or components, ``text`` is what happens, and what to do, ``uses`` are the
    places in manifests that were read."""

    names: tuple[ItemName, ...]
    about: str
    text: str
    releases: str
    uses: str


class StepRow(NamedTuple):
    """Entries with what they are at the left (``18 flags of kubelet``). With a ``summary``
    they are folded; the names of flags are code."""

    label: str
    entries: tuple[StepEntry, ...]
    summary: str = ""
    is_of_flags: bool = False


class UpgradeStep(NamedTuple):
    """What an upgrade does: ``number`` is that of what it does that to."""

    name: StepName
    title: str
    about: str
    number: int
    noun: str
    rows: tuple[StepRow, ...]

    @property
    def is_severe(self) -> bool:
        """Whether something fails."""
        return self.name in ("stops", "breaks")


_STEPS: Mapping[StepName, tuple[str, str, str]] = {
    "stops": (
        "What stops",
        "stop",
        "A component started with one of these exits, and objects of these kinds are "
        "no longer served.",
    ),
    "breaks": ("What breaks manifests", "break manifests", "Refused, or dropped."),
    "differs": (
        "What behaves differently",
        "behave differently",
        "With the same manifests and flags, by default.",
    ),
    "deprecated": (
        "What is deprecated",
        "deprecated",
        "It still works. Removal is planned for the release named.",
    ),
}


def upgrade_steps(
    comparison: Comparison, lists: Iterable[ItemList]
) -> tuple[UpgradeStep, ...]:
    """The steps in which something happens; ``lists`` are those of the head of a report."""
    items = {one.topic: one.items for one in lists}
    rows: dict[StepName, list[StepRow]] = {name: [] for name in _STEPS}
    counts = dict.fromkeys(_STEPS, 0)
    # A kind has no dot in its name: a field has the path from its kind.
    removed = items.pop("removed", ())
    items["removed-fields"] = tuple(item for item in removed if _is_field(item))
    items["removed-kinds"] = tuple(item for item in removed if not _is_field(item))
    limits = items.pop("limits", ())
    items["breaking-limits"] = tuple(filter(_is_breaking, limits))
    items["other-limits"] = tuple(item for item in limits if not _is_breaking(item))
    for name, topic, make_rows in _topics(comparison):
        found = items.get(topic, ())
        if found:
            rows[name] += make_rows(found)
        counts[name] += sum(len(item.paths) for item in found)
    rows["deprecated"] = list(_by_removal(items))
    counts["deprecated"] = sum(
        len(item.paths) for topic in _DEPRECATIONS for item in items.get(topic, ())
    )
    return tuple(
        UpgradeStep(name, title, about, counts[name], noun, tuple(_joined(rows[name])))
        for name, (title, noun, about) in _STEPS.items()
        if rows[name]
    )


def other_lists(
    comparison: Comparison, lists: Iterable[ItemList]
) -> tuple[ItemList, ...]:
    """The lists that are in none of the steps."""
    in_steps = {topic for _, topic, _ in _topics(comparison)} | {
        *_DEPRECATIONS,
        "removed",
        "limits",
    }
    return tuple(one for one in lists if one.topic not in in_steps)


def _is_field(item: Item) -> bool:
    return "." in item.paths[0].path


def _is_breaking(item: Item) -> bool:
    return item.severity == "breaking"


def _joined(rows: Iterable[StepRow]) -> Iterator[StepRow]:
    """Rows, those of one label as one."""
    for (label, summary, is_of_flags), same in groupby(
        rows, lambda row: (row.label, row.summary, row.is_of_flags)
    ):
        entries = tuple(entry for row in same for entry in row.entries)
        yield StepRow(label, entries, summary, is_of_flags)


def _entries(items: Iterable[Item]) -> Iterator[StepEntry]:
    """Items, those of which the same is said as one; a replacement in the same group is
    named by its version."""

    def said(item: Item) -> tuple[str, str, str, str]:
        return item.about, _text(item), item.releases, item.uses

    by_text: dict[tuple[str, str, str, str], list[ItemName]] = {}
    for item in items:
        by_text.setdefault(said(item), []).extend(item.paths)
    for (about, text, releases, uses), names in by_text.items():
        yield StepEntry(tuple(names), about, text, releases, uses)


def _text(item: Item) -> str:
    if not item.replacement:
        return item.guards_in_words or item.text
    group_version, _, kind = item.replacement.rpartition("/")
    is_renamed = kind != item.paths[0].path
    group, _, version = group_version.rpartition("/")
    is_moved = group != item.about.rpartition("/")[0]
    target = item.replacement if is_renamed or is_moved else version
    return "; ".join(filter(None, (f"→ {target}", item.caution)))


def _all(label: str) -> Callable[[Sequence[Item]], Iterable[StepRow]]:
    """All items below one label."""
    return lambda items: [StepRow(label, tuple(_entries(items)))]


def _number_of(
    noun: str, summary: str = ""
) -> Callable[[Sequence[Item]], Iterable[StepRow]]:
    """All items below their number, folded where there is a ``summary``."""

    def rows(items: Sequence[Item]) -> Iterable[StepRow]:
        return [StepRow(_counted(items, noun), tuple(_entries(items)), summary)]

    return rows


def _folded(noun: str, summary: str) -> Callable[[Sequence[Item]], Iterable[StepRow]]:
    def rows(items: Sequence[Item]) -> Iterable[StepRow]:
        names = dict.fromkeys(name.path for item in items for name in item.paths)
        return _number_of(noun, f"{summary}: {', '.join(names)}")(items)

    return rows


def _flags(items: Sequence[Item]) -> Iterable[StepRow]:
    by_component: dict[str, list[Item]] = {}
    for item in items:
        by_component.setdefault(item.about, []).append(item)
    for component, flags in by_component.items():
        entries = tuple(_entries(flag._replace(about="") for flag in flags))
        label = f"{_counted(flags, 'flag')} of {component}"
        yield StepRow(label, entries, is_of_flags=True)


def _removed_gates(comparison: Comparison, items: Sequence[Item]) -> Iterable[StepRow]:
    """The gates that are gone: those that could still be switched first."""
    free = [
        gate.gate
        for gate in comparison.gates
        if gate.event == "removed" and gate.before and not gate.before.locked
    ]
    locked = len(items) - len(free)
    summary = "Take them out of --feature-gates"
    if locked and free:
        summary += f": {locked} were locked already, not so {', '.join(free)}"
    return _number_of("feature gate", summary)(items)


def _counted(items: Sequence[Item], noun: str) -> str:
    count = sum(len(item.paths) for item in items)
    word, comma, rest = noun.partition(",")
    return f"{count} {word}{'s' * (count != 1)}{comma}{rest}"


def _topics(
    comparison: Comparison,
) -> Sequence[tuple[StepName, str, Callable[[Sequence[Item]], Iterable[StepRow]]]]:
    """The lists of a report, with the step that each is in and how its rows are made."""
    return (
        ("stops", "flags-removed", _flags),
        ("stops", "removed-kinds", _number_of("kind")),
        ("stops", "gate-removed", partial(_removed_gates, comparison)),
        (
            "stops",
            "removed-optional",
            _folded("kind, off by default", "Only where you had turned them on"),
        ),
        ("breaks", "removed-fields", _all("removed")),
        ("breaks", "required", _all("newly required")),
        ("breaks", "breaking-limits", _all("defaults and limits")),
        ("breaks", "other", _all("other changes")),
        ("breaks", "required-unknown", _all("listed as required")),
        ("breaks", "migrated", _all("needs a CSI driver")),
        ("differs", "other-limits", _all("defaults and limits")),
        ("differs", "gate-effective", _all("gates, on now")),
        ("differs", "gate-off", _all("gates, off now")),
        ("differs", "flags-default-changed", _all("flags")),
        (
            "differs",
            "gate-on",
            _number_of("feature gate", "On now, inside of components"),
        ),
        (
            "differs",
            "gate-new",
            _number_of("feature gate", "New and on: what they guard is new, too"),
        ),
        (
            "differs",
            "gate-locked",
            _number_of("feature gate", "Can no longer be switched"),
        ),
    )


_DEPRECATIONS: Sequence[UpgradeTopic] = ("deprecated", "soon", "flags-deprecated")


def _by_removal(items: Mapping[str, Sequence[Item]]) -> Iterator[StepRow]:
    """What is deprecated, by the release that is to remove it; last what names none."""
    by_release: dict[str, list[Item]] = {}
    for topic in _DEPRECATIONS:
        for item in items.get(topic, ()):
            # The label says when: the text would repeat it.
            is_said = item.removed_in and not item.replacement
            item = item._replace(text="") if is_said else item
            by_release.setdefault(item.removed_in, []).append(item)
    for release in sorted(filter(None, by_release), key=release_order):
        entries = tuple(_entries(by_release[release]))
        yield StepRow(f"removal in {release}", entries)
    if rest := by_release.get(""):
        yield StepRow("no release named", tuple(_entries(rest)))
