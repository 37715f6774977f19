"""The variables of the report that ``kubestencil merge`` prints of many repositories or
clusters: what is wrong in how many of them, who owns it, and who can be upgraded."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import PurePath, PurePosixPath
from typing import Annotated, Literal, NamedTuple, TypedDict

from kubestencil.checking import RULES, SEVERITIES, Finding, Severity
from kubestencil.checking.findings import FailOn
from kubestencil.checking.merging.stored_reports import StoredReport
from kubestencil.engine.view import Contexts, FileContext
from kubestencil.source.releases import release_order
from kubestencil.text.controls import one_line
from kubestencil.text.terminal import PAINT_MEANING, Paint, plain

# Names in a line of text; pages and tables have all.
_MAX_NAMES = 12

#: Whether a repository or cluster can be upgraded: it has no failure, or some; or none of
#: its objects was checked.
Verdict = Literal["safe", "not safe", "not checked"]


class Member(NamedTuple):
    """A repository or cluster, called as the file with its report, in one release.

    ``failures`` is the number of findings that fail the command, ``skipped`` that of what
    was not checked.
    """

    name: str
    before: str
    release: str
    verdict: Verdict
    failures: int
    skipped: int

    @property
    def label(self) -> str:
        """The name, with what is in the way of the upgrade and what was not checked."""
        notes = []
        if self.failures:
            notes.append(f"{self.failures:,} in the way")
        if self.skipped:
            notes.append(f"{self.skipped:,} not checked")
        return f"{self.name} ({', '.join(notes)})" if notes else self.name


class Names(NamedTuple):
    """Names, the first of them in a line, and how many ``more`` there are."""

    all: tuple[str, ...]
    shown: str
    more: int

    @classmethod
    def of(cls, names: Iterable[str]) -> Names:
        """The names, in their order, each once."""
        texts = tuple(dict.fromkeys(map(one_line, names)))
        shown = ", ".join(texts[:_MAX_NAMES])
        return cls(texts, shown, max(0, len(texts) - _MAX_NAMES))

    @classmethod
    def counted(cls, counts: Mapping[str, int]) -> Names:
        """The same with their numbers, the largest first."""
        ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
        return cls.of(f"{name} ({count:,})" for name, count in ordered)


class UpgradeRow(NamedTuple):
    """An upgrade from ``before``, which is empty without one, to ``release``: for
    which of ``total`` members it is safe or not, and of which nothing was checked."""

    before: str
    release: str
    safe: Names
    unsafe: Names
    unchecked: Names
    total: int


class RuleRow(NamedTuple):
    """The findings of a rule in a release, in ``members``: their kinds, and who owns them,
    which is the manager of an object in a cluster, and the folder of a file."""

    rule: str
    severity: Severity
    reason: str
    release: str
    findings: int
    members: Names
    kinds: Names
    owners: Names


class MemberFinding(NamedTuple):
    """A finding in a release; without one, ``finding`` is None and the others are empty."""

    member: Member
    finding: Finding | None
    owner: str = ""


class FleetVariables(TypedDict):
    """The variables of a report on many repositories or clusters."""

    title: Annotated[str, "the title of the report"]
    paint: Annotated[Paint, PAINT_MEANING]
    count: Annotated[int, "how many reports there are"]
    upgrades: Annotated[tuple[UpgradeRow, ...], "for whom each upgrade is safe"]
    rules: Annotated[
        tuple[RuleRow, ...],
        "what is wrong, by rule and release, the most severe and most frequent first",
    ]
    findings: Annotated[
        tuple[MemberFinding, ...],
        "each finding in each release, and an entry for each report without any",
    ]
    caveats: Annotated[
        tuple[str, ...], "sentences on what is not known of the releases"
    ]
    skipped: Annotated[Names, "what was not checked, and how often"]


def fleet_contexts(
    stored: Sequence[StoredReport], fail_on: FailOn, paint: Paint = plain
) -> Contexts:
    """The context of the report on many reports; ``fail_on`` says which findings stand in
    the way of an upgrade."""
    title = "Check of many repositories or clusters"
    rows = list(_findings(stored, fail_on))
    variables: FleetVariables = {
        "title": title,
        "paint": paint,
        "count": len(stored),
        "upgrades": tuple(_upgrades(rows)),
        "rules": tuple(_rules(rows)),
        "findings": tuple(rows),
        "caveats": tuple(_caveats(stored)),
        "skipped": Names.counted(_skipped(stored)),
    }
    context = FileContext(title, {}, variables)
    return Contexts(files={"fleet": lambda: [context]})


def _findings(
    stored: Sequence[StoredReport], fail_on: FailOn
) -> Iterator[MemberFinding]:
    for name, item in zip(_names(stored), stored, strict=True):
        report = item.report
        skipped = sum(report.skipped.values())
        for release in report.after.split(", "):
            findings = [
                finding
                for finding in report.findings
                if release in finding.releases and not finding.is_gone
            ]
            failures = sum(finding.is_failure(fail_on) for finding in findings)
            unfailed: Verdict = "safe" if report.checked else "not checked"
            member = Member(
                one_line(name),
                one_line(report.before or ""),
                one_line(release),
                "not safe" if failures else unfailed,
                failures,
                skipped,
            )
            if not findings:
                yield MemberFinding(member, None)
            for finding in findings:
                yield MemberFinding(member, _plain(finding), _owner(finding))


def _names(stored: Sequence[StoredReport]) -> list[str]:
    """The paths of reports, without their suffix and the folder that has all of them."""
    paths = [PurePath(os.path.abspath(item.file)) for item in stored]  # noqa: PTH100
    common = os.path.commonpath([path.parent for path in paths])
    return [path.relative_to(common).with_suffix("").as_posix() for path in paths]


def _plain(finding: Finding) -> Finding:
    """A finding whose texts are lines."""
    return finding._replace(
        file=one_line(finding.file),
        message=one_line(finding.message),
        hint=one_line(finding.hint),
        path=tuple(
            one_line(step) if isinstance(step, str) else step for step in finding.path
        ),
        subject=finding.subject._replace(
            api_version=one_line(finding.subject.api_version),
            kind=one_line(finding.subject.kind),
            name=one_line(finding.subject.name),
            namespace=one_line(finding.subject.namespace),
            source=one_line(finding.subject.source),
            manager=one_line(finding.subject.manager),
        ),
    )


def _owner(finding: Finding) -> str:
    """Who has to change what a finding is about: its manager, else its folder."""
    folder = PurePosixPath(finding.origin).parent
    return one_line(finding.subject.manager or str(folder))


def _upgrades(rows: Iterable[MemberFinding]) -> Iterator[UpgradeRow]:
    members: dict[tuple[str, str], dict[str, Member]] = {}
    for row in rows:
        key = row.member.release, row.member.before
        members.setdefault(key, {})[row.member.name] = row.member
    for release, before in sorted(
        members, key=lambda key: (release_order(key[0]), release_order(key[1]))
    ):
        of_upgrade = members[release, before].values()

        def labels(verdict: Verdict, of: Iterable[Member] = of_upgrade) -> Names:
            return Names.of(member.label for member in of if member.verdict == verdict)

        safe, unsafe = labels("safe"), labels("not safe")
        unchecked, total = labels("not checked"), len(of_upgrade)
        yield UpgradeRow(before, release, safe, unsafe, unchecked, total)


def _rules(rows: Iterable[MemberFinding]) -> Iterator[RuleRow]:
    groups: dict[tuple[str, Severity, str], list[MemberFinding]] = {}
    for row in rows:
        if row.finding is not None:
            key = row.finding.rule_id, row.finding.severity, row.member.release
            groups.setdefault(key, []).append(row)
    found = [_rule(group) for group in groups.values()]
    yield from sorted(found, key=_importance)


def _rule(rows: Sequence[MemberFinding]) -> RuleRow:
    findings = [row.finding for row in rows if row.finding is not None]
    first = findings[0]
    return RuleRow(
        first.rule_id,
        first.severity,
        RULES[first.rule_id].reason,
        rows[0].member.release,
        len(rows),
        Names.of(row.member.name for row in rows),
        Names.counted(
            Counter(
                f"{finding.subject.kind} of {finding.subject.api_version}"
                for finding in findings
                if finding.subject.kind
            )
        ),
        Names.counted(Counter(row.owner for row in rows)),
    )


def _importance(row: RuleRow) -> tuple[object, ...]:
    severity = SEVERITIES.index(row.severity)
    return severity, -len(row.members.all), -row.findings, row.rule, row.release


def _skipped(stored: Iterable[StoredReport]) -> Mapping[str, int]:
    counts = Counter[str]()
    for item in stored:
        for (reason, _), times in item.report.skipped.items():
            counts[reason] += times
    return counts


def _caveats(stored: Iterable[StoredReport]) -> Iterator[str]:
    """What is not known, in a sentence for each release whose facts stand for others."""
    aspects: dict[str, dict[str, None]] = {}
    for item in stored:
        for aspect, release in item.gaps.items():
            aspects.setdefault(one_line(release), {})[one_line(aspect)] = None
    for release, names in aspects.items():
        yield f"Of {', '.join(names)}, the facts are those of {release}"
    without = {
        name
        for item in stored
        for name, version in item.report.validators.items()
        if version is None
    }
    if without:
        names_of = ", ".join(map(one_line, sorted(without, key=release_order)))
        yield f"Some were checked without the API server's own code of {names_of}"
