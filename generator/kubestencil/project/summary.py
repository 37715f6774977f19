"""What an update changes, as Markdown: the text of a pull request."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from kubestencil import diff
from kubestencil.checking import Finding, Report
from kubestencil.engine import Target, load_targets
from kubestencil.engine.rendering import report_formats
from kubestencil.engine.view import PublicName
from kubestencil.project.changelog import output_changes
from kubestencil.project.lock import Lock
from kubestencil.schema import Release
from kubestencil.schema.load import load_release
from kubestencil.source import Source
from kubestencil.targets import public_names
from kubestencil.targets.reports.view import comparison_contexts
from kubestencil.text import terminal
from kubestencil.text.controls import one_line
from kubestencil.text.markdown import literal_words

# The text of a pull request can have 65,536 characters.
MAX_CHARACTERS = 60_000
# Lines of a list.
_MAX_LINES = 150


class Update(NamedTuple):
    """What was updated of one table: its documents ``before`` and ``after``, oldest first,
    and its targets."""

    before: Sequence[Source]
    after: Sequence[Source]
    targets: Sequence[Target]

    def pairs(self) -> Iterator[tuple[Source, Source]]:
        """The documents to compare: those that were replaced, and new releases with the
        one before them. Where all are new, that of the first is the newest before."""
        known = {source.release: source for source in self.before}
        is_moved = known.keys().isdisjoint(source.release for source in self.after)
        previous = self.before[-1] if self.before and is_moved else None
        for source in self.after:
            same = known.get(source.release)
            if same is None and previous is not None:
                yield previous, source
            elif same is not None and same.sha256 != source.sha256:
                yield same, source
            previous = source


def summary(
    old: Lock,
    new: Lock,
    locations: Mapping[str, str],
    notes: Iterable[str],
    updates: Iterable[Update],
    report: Report | None,
) -> str:
    """What changed from one lock to the other, as Markdown.

    ``locations`` are addresses that were replaced by newer ones, ``notes`` say what could
    not be asked or compared. ``report`` is about the project's own manifests.
    """
    notes = [f"- {literal_words(note)}" for note in notes]
    if old == new:
        text = "Nothing changed: the lock has the newest specs.\n"
        return "\n".join([text, *notes, ""]) if notes else text
    lines = ["## Specs", "", *_document_changes(old, new, locations), *notes]
    pairs: dict[tuple[Source, Source], list[Target]] = {}
    updates = list(updates)
    for update in updates:
        for pair in update.pairs():
            targets = pairs.setdefault(pair, [])
            targets += [target for target in update.targets if target not in targets]
    sections = [
        (load_release(before), load_release(after), targets)
        for (before, after), targets in pairs.items()
    ]
    for before, after, _ in sections:
        lines += _api_changes(before, after)
    if report is not None:
        lines += _findings(report)
    for before, after, targets in sections:
        lines += _generated_changes(before, after, targets)
    if old.documents:
        targets = [target for update in updates for target in update.targets]
        changes = [*output_changes(old.version, new.version, targets)]
        lines += _list(f"## Generated code: kubestencil {new.version}", changes)
    text = "\n".join(lines) + "\n"
    if len(text) > MAX_CHARACTERS:
        text = text[:MAX_CHARACTERS].rpartition("\n")[0] + "\n\nAnd more.\n"
    return text


def _document_changes(
    old: Lock, new: Lock, locations: Mapping[str, str]
) -> Iterator[str]:
    for before, after in locations.items():
        yield f"- {_code(before)} → {_code(after)}"
    names = old.documents.keys() | new.documents.keys()
    for name in sorted(names - {*locations, *locations.values()}):
        documents = old.documents.get(name), new.documents.get(name)
        if documents[0] != documents[1]:
            states = (
                _code(document.origin) if document else "none" for document in documents
            )
            yield f"- {_code(name)}: {' → '.join(states)}"
    if old.version != new.version and old.documents:
        yield f"- kubestencil: {one_line(old.version)} → {new.version}"


def _api_changes(before: Release, after: Release) -> Iterator[str]:
    """The head of the report, and each breaking change."""
    comparison = diff.compare(before, after)
    formats = report_formats(load_targets(None), "diff", ("comparison",))
    contexts = comparison_contexts(comparison, [], terminal.plain)
    yield f"\n{formats['release-note'].render(contexts).strip()}"
    yield from _list(
        "### Breaking changes",
        [
            f"{_code(change.users_path)}: {literal_words(change.reason)}"
            for change in comparison.changes
            if change.severity == "breaking"
        ],
    )


def _findings(report: Report) -> Iterator[str]:
    """What is wrong with the manifests in the new release; first what is new in it."""
    findings = [item for item in report.findings if not item.is_gone]
    findings.sort(key=lambda finding: finding.change != "new")
    yield from _list("## In your manifests", list(map(_finding, findings)))
    if not findings:
        yield f"\n## In your manifests\n\nNo findings in {report.checked} objects."


def _finding(finding: Finding) -> str:
    change = f", {finding.change}" if finding.change else ""
    text = f"{finding.file}:{finding.line}: {finding.message}"
    return f"{finding.severity}{change}: {_code(text)}"


def _code(text: str) -> str:
    """``text`` as code, in which nothing is markup, a link or a mention."""
    return "`" + one_line(text).replace("`", "'") + "`"


class NameChanges(NamedTuple):
    """The names that differ, sorted.

    Of a class that was removed or added, only its own name is there. ``changed`` has the
    types before and after. ``required`` are those of an earlier class or method that have
    to be given now, ``added`` the others that are new.
    """

    removed: tuple[str, ...]
    changed: tuple[tuple[str, str, str], ...]
    required: tuple[str, ...]
    added: tuple[str, ...]


def compare_names(
    before: Mapping[str, PublicName], after: Mapping[str, PublicName]
) -> NameChanges:
    """What differs between the names of two releases."""
    removed = sorted(before.keys() - after.keys())
    added = sorted(after.keys() - before.keys())
    old, new = {None, *before}, {None, *after}
    both = sorted(before.keys() & after.keys())
    required = {
        name
        for name in after
        if after[name].required
        and (
            not before[name].required
            if name in before
            else _owner(name, after) in before
        )
    }
    return NameChanges(
        tuple(name for name in removed if _owner(name, before) in new),
        tuple(
            (name, before[name].type, after[name].type)
            for name in both
            if before[name].type != after[name].type and name not in required
        ),
        tuple(sorted(required)),
        tuple(
            name
            for name in added
            if name not in required and _owner(name, after) in old
        ),
    )


def _owner(name: str, names: Mapping[str, PublicName]) -> str | None:
    """The class of an attribute, or the method of an argument; None for a class."""
    for separator in (".", "::"):
        owner = name.rpartition(separator)[0]
        if owner in names:
            return owner
    return None


def _generated_changes(
    before: Release, after: Release, targets: Iterable[Target]
) -> Iterator[str]:
    for target in targets:
        if target.scope != "release":
            continue
        old, new = public_names(before, target), public_names(after, target)
        if old is None or new is None:
            continue
        changes = compare_names(old, new)
        if any(changes):
            names = f"from {before.name} to {after.name}"
            yield f"\n## Generated code: {target.name}, {names}"
            yield from _name_changes(changes)


def _name_changes(changes: NameChanges) -> Iterator[str]:
    yield from _list(
        "### Breaks code that uses it",
        [
            *(f"removed: {_code(name)}" for name in changes.removed),
            *(
                f"type changed: {_code(name)}: {_code(before or 'none')}"
                f" → {_code(after or 'none')}"
                for name, before, after in changes.changed
            ),
            *(f"must be given now: {_code(name)}" for name in changes.required),
        ],
    )
    yield from _list("### Added", list(map(_code, changes.added)))


def _list(heading: str, items: Sequence[str]) -> Iterator[str]:
    if not items:
        return
    yield f"\n{heading}\n"
    yield from (f"- {item}" for item in items[:_MAX_LINES])
    if len(items) > _MAX_LINES:
        yield f"- and {len(items) - _MAX_LINES} more"
