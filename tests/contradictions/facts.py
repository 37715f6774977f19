"""What commands say of kinds and fields, compared with each other."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from kubestencil.checking.decoding.remarks import remarks_on
from kubestencil.checking.files.find import ManifestFile
from kubestencil.checking.files.uses import uses_of_manifests
from kubestencil.checking.findings import Problem
from kubestencil.checking.paths import field_path, keys_of
from kubestencil.checking.release import CheckedRelease, prepare
from kubestencil.checking.rules import RULES
from kubestencil.diff import Change, compare, history
from kubestencil.diff.comparison import Comparison
from kubestencil.diff.selection import for_audience, touching
from kubestencil.errors import UsageError
from kubestencil.lsp.cursor import Cursor
from kubestencil.lsp.fields import describe
from kubestencil.schema.graph import breadth_first, reference_graph
from kubestencil.schema.kinds import definitions_of_kinds
from kubestencil.schema.knowledge.conditions import refused_fields
from kubestencil.schema.knowledge.fields import KnownField, known_field
from kubestencil.schema.knowledge.places import is_unvalidated, known_place
from kubestencil.schema.knowledge.words import field_in_words, rules_in_words
from kubestencil.schema.types import GroupVersionKind, Release
from kubestencil.targets.site.addresses import page_addresses
from kubestencil.targets.site.fields.rows import FieldRow, ReleaseFields
from tests.contradictions.model import Contradiction, Group
from tests.contradictions.objects import Case, FieldPlace, fields_of
from tests.contradictions.verdicts import Judged

_LIMITS = ("minimum", "maximum", "min_length", "max_length", "max_items", "format")
_WORSE = ("breaking", "warning")


class _Pages(NamedTuple):
    """What the site and the language server have of a release."""

    checked: CheckedRelease
    fields: ReleaseFields

    @classmethod
    def of(cls, release: Release) -> _Pages:
        fields = ReleaseFields(release, page_addresses(release), {})
        return cls(prepare(release), fields)

    def row(self, definition: str, known: KnownField, path: str) -> FieldRow | None:
        """The field at a path of a kind, on the page of the kind or that of its type."""
        rows = self.fields.of(known.definition).rows
        at_place = [row for row in self.fields.places(definition) if row.path == path]
        own = [row for row in self.fields.of(definition).rows if row.name == "spec"]
        own = [row for spec in own for row in spec.fields if row.path == path]
        of_type = [row for row in rows if row.name == known.name]
        return next(iter((*at_place, *own, *of_type)), None)


def of_fields(
    releases: tuple[Release, Release], cases: Sequence[Case]
) -> Iterator[Contradiction]:
    """Where hover, pages, history and the Python API differ about the fields of objects."""
    for release in releases:
        pages = _Pages.of(release)
        seen: set[tuple[GroupVersionKind, str]] = set()
        for case in cases:
            for place in fields_of(release, case):
                key = case.kind, place.names
                if key not in seen:
                    seen.add(key)
                    for kind, detail in _of_field(pages, case.kind, place):
                        where = f"{case.kind.api_version} {case.kind.kind} {place.names} in {release.name}"
                        yield Contradiction("fact", kind, where, detail)
    yield from _of_histories(releases, cases)


def _of_field(
    pages: _Pages, kind: GroupVersionKind, place: FieldPlace
) -> Iterator[tuple[str, str]]:
    release = pages.checked.release
    definition = pages.checked.kinds[kind]
    known = known_place(release, definition, kind, place.names.split("."))
    row = pages.row(definition, known, place.names) if known else None
    if known is None or row is None:
        return
    steps = tuple(0 if type(step) is int else step for step in place.path)
    cursor = Cursor(
        steps[:-1], known.name, False, frozenset(), kind.api_version, kind.kind
    )
    _, *lines = describe(cursor, pages.checked).partition("\n\n")[0].split("\n")
    siblings = [field.name for field in release.definitions[known.definition].fields]
    phrases = *field_in_words(known, siblings), *rules_in_words(known)
    told = [str(phrase) for phrase in phrases]
    if len(steps) > 1 and lines != told:
        yield "hover and facts", f"{lines} | {told}"
    facts = row.facts
    beside = (facts.beside,) if facts.beside else ()
    page = {str(phrase) for phrase in (*beside, *facts.lines)}
    page |= {"Required"} if facts.required else set()
    page |= {f"Default {facts.default}"} if facts.default else set()
    stages = {stage.capitalize() for stage in facts.stages}
    for phrase in field_in_words(known, siblings):
        is_told = str(phrase) in page or phrase.title in stages
        if phrase.fact not in ("added", "removed", "gate") and not is_told:
            yield f"hover says of {phrase.fact}, not the page", f"{phrase} | {page}"
    gates = [item for item in facts.details if item.name.startswith("feature gate")]
    gate = known.gate
    if gate and not any(gate.gate in item.name for item in gates):
        yield "hover has a gate, not the page", f"{gate} | {gates}"
    if _is_marked(known) != bool(stages & {"Deprecated", "No effect"}):
        yield "deprecated for check or the page alone", f"{stages}"


def _of_histories(
    releases: tuple[Release, Release], cases: Sequence[Case]
) -> Iterator[Contradiction]:
    """Where the history of a kind differs from what is known of its fields."""
    kinds = [definitions_of_kinds(release) for release in releases]
    for kind in sorted({case.kind for case in cases}):
        try:
            found = history(releases, f"{kind.api_version}/{kind.kind}")
        except UsageError:
            continue
        for one in found:
            for index, column in enumerate(one.columns):
                position = 0 if column.release == releases[0].name else 1
                release = releases[position]
                if kinds[position].get(kind) != column.definition:
                    continue
                for row in one.rows:
                    known = known_place(
                        release, column.definition, kind, row.field.split(".")
                    )
                    cell = row.cells[index]
                    where = (
                        f"{kind.api_version} {kind.kind} {row.field} in {release.name}"
                    )
                    if known is None or cell is None:
                        continue
                    if cell.required != known.required:
                        detail = f"history: {cell.required}, hover: {known.required}"
                        yield Contradiction(
                            "fact", "history and hover: required", where, detail
                        )
                    if cell.gate != known.gate:
                        detail = f"history: {cell.gate}, hover: {known.gate}"
                        yield Contradiction(
                            "fact", "history and hover: gate", where, detail
                        )


def of_changes(releases: tuple[Release, Release]) -> Iterator[Contradiction]:
    """Where a report of what changed differs from what is known of both releases."""
    old, new = releases
    comparison = for_audience(compare(old, new), "apply")
    told: dict[tuple[str, str], list[Change]] = defaultdict(list)
    for change in (*comparison.changes, *comparison.notices):
        told[change.definition, change.field or ""].append(change)
    gated = _behind_gates(new, comparison)
    for name, definition in new.definitions.items():
        if name in gated:
            continue  # All of it was dropped before.
        before = old.definitions.get(name)
        for field in definition.fields:
            former = (
                next((f for f in before.fields if f.name == field.name), None)
                if before
                else None
            )
            if former is None:
                continue
            pair = known_field(old.name, name, former), known_field(
                new.name, name, field
            )
            for kind, detail in _of_change(*pair, told[name, field.name]):
                yield Contradiction("fact", kind, f"{name} {field.name}", detail)


def _behind_gates(release: Release, comparison: Comparison) -> frozenset[str]:
    """The types of fields whose stages changed, with what is inside of them."""
    graph = reference_graph(release.definitions)
    types: set[str] = set()
    for change in comparison.all_changes:
        definition = release.definitions.get(change.definition)
        field = definition and definition.schema.field(change.field or "")
        if change.stage and field and (name := field.innermost().ref):
            types |= {name, *(inner for _, inner in breadth_first(graph, name))}
    return frozenset(types)


def _of_change(
    before: KnownField, after: KnownField, changes: Collection[Change]
) -> Iterator[tuple[str, str]]:
    names = {change.change for change in changes}
    rules = {change.rule.name for change in changes}
    pair = before, after
    text = str([(change.change, change.severity) for change in changes])
    required = before.required, after.required
    if "field-required" in rules and required != (False, True):
        yield "diff: required now, hover does not say so", f"{required} {text}"
    if "field-optional" in rules and required != (True, False):
        yield "diff: optional now, hover does not say so", f"{required} {text}"
    stated = [known.server.required for known in pair]
    if stated == [False, True] and "field-required" not in names:
        yield "hover: required now, diff does not say so", f"{stated} {text}"
    for name in ("enum", *_LIMITS, "default"):
        values = [getattr(known.server.enforced, name) for known in pair]
        spelling = "text-format" if name == "format" else name.replace("_", "-")
        is_told = any(other.startswith(f"{spelling}-") for other in names)
        is_known = all(value not in (None, ()) for value in values)
        is_object = any("{" in str(value) for value in values)
        if is_known and values[0] != values[1] and not (is_told or is_object):
            yield f"hover: another {name}, diff does not say so", f"{values} {text}"
        if is_known and values[0] == values[1] and f"{spelling}-changed" in names:
            yield f"diff: another {name}, hover has the same", f"{values} {text}"
    deprecated = [_is_marked(known) for known in pair]
    deprecates = [change for change in changes if change.rule.deprecates]
    of_field = [c for c in deprecates if not c.detail.startswith("Its value")]
    if of_field and not deprecated[1]:
        yield "diff: deprecated, check does not say so", text
    is_told = any(change.stage or change.severity in _WORSE for change in changes)
    if deprecated == [False, True] and not is_told:
        yield "check: deprecated now, diff does not say so", text
    gates = [known.gate for known in pair]
    on = [gate is None or gate.enabled for gate in gates]
    # A deprecated gate brings back what was before.
    is_ending = any(gate.is_deprecated for gate in gates if gate)
    is_refused = (after.definition, after.name) in refused_fields(after.release)
    if on[0] != on[1] and not (is_told or is_refused or is_ending):
        yield "hover: a gate is on or off now, diff does not say so", f"{gates} {text}"


def _is_marked(known: KnownField) -> bool:
    """Whether ``check`` says that a field is deprecated, or does nothing."""
    remarks = {remark.rule for remark in remarks_on([known]).get(known.name, ())}
    return bool(remarks & {"deprecated-field", "no-effect"})


class ForObjects:
    """What ``diff --for`` says of each of some objects."""

    def __init__(
        self, releases: tuple[Release, Release], cases: Sequence[Case]
    ) -> None:
        self._releases = releases
        files = [
            ManifestFile(f"<{index}>", content=json.dumps(case.value).encode())
            for index, case in enumerate(cases)
        ]
        uses = uses_of_manifests(files, releases).uses
        full = for_audience(compare(*releases), "apply")
        self._comparison: Comparison = touching(full, uses)
        self._cases = cases

    @cached_property
    def _by_object(self) -> Mapping[int, list[tuple[str, str, str, str]]]:
        """Severity, rule, definition and field of all that touches an object."""
        found: dict[int, list[tuple[str, str, str, str]]] = defaultdict(list)
        for change in self._comparison.all_changes:
            told = (
                change.severity,
                change.rule.name,
                change.definition,
                change.field or "",
            )
            for file in {use.file for use in change.uses}:
                found[int(file[1:-1])].append(told)
        for gate in self._comparison.gates:
            for file in {use.file for use in gate.uses}:
                found[int(file[1:-1])].append(
                    (gate.severity, gate.event, "", gate.gate)
                )
        return found

    def contradictions(self, index: int, judged: Judged) -> Iterator[Contradiction]:
        """Where ``diff --for`` and ``check`` by tables differ about an object."""
        if judged.before.state == judged.after.state == "unserved":
            return  # No report has a kind that neither release serves.
        told = self._by_object.get(index, [])
        text = str(told[:4])
        differences = judged.results["tables"].differences
        # A report has what worked before: no new field that is off by default.
        new = [
            item.problem
            for item in differences
            if item.change == "new" and item.problem.rule != "gated-field"
        ]
        present = [item.problem for item in differences if item.change != "not-found"]
        errors = [one for one in new if RULES[one.rule].severity == "error"]
        worst = next(
            (name for name in _WORSE if any(one[0] == name for one in told)), ""
        )
        if errors and not worst:
            yield self._found(
                "check: a new error, diff --for: nothing of weight",
                judged,
                errors[0],
                text,
            )
        if not errors and new and not worst:
            yield self._found(
                "check: a new warning, diff --for: nothing of weight",
                judged,
                new[0],
                text,
            )
        for severity, rule, definition, field in told:
            if (
                severity == "breaking"
                and rule in _WHATEVER_THE_VALUE
                and not errors
                and not present
            ):
                detail = f"{rule} {definition} {field}"
                yield Contradiction(
                    "fact",
                    "diff --for: breaking, check: nothing",
                    judged.case.name,
                    detail,
                )

    def _found(
        self, kind: str, judged: Judged, problem: Problem, text: str
    ) -> Contradiction:
        detail = f"{problem.rule} {field_path(problem.path)}: {problem.message[:200]} | {text}"
        kind_of_object = judged.case.kind
        release, path = self._releases[0].name, keys_of(problem.path)
        # Reports have neither combinations of fields nor what was not looked into before.
        is_unseen = is_unvalidated(release, kind_of_object, path)
        is_gap = problem.rule in _OF_COMBINATIONS or is_unseen
        group: Group = "gap" if is_gap else "fact"
        return Contradiction(group, kind, judged.case.name, detail)


# Rules of check that a combination of fields can break.
_OF_COMBINATIONS = {"missing-field", "forbidden-field", "out-of-range"}
# Rules of diff about fields and kinds, whatever an object has there.
_WHATEVER_THE_VALUE = {"field-removed", "kind-removed", "removed-with-replacement"}
