"""What a check finds: values, without any formatting for people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple, TypeVar, cast

from kubestencil.checking.edits import Fix, edit_json
from kubestencil.checking.paths import Path, field_path
from kubestencil.checking.rules import (
    GONE,
    RULES,
    SEVERITIES,
    Change,
    CheckRule,
    Level,
    RuleId,
    Severity,
    at_least,
)
from kubestencil.schema.knowledge.coverage import NO_COVERAGE, Coverage
from kubestencil.schema.types import GroupVersionKind
from kubestencil.shards import Shard
from kubestencil.version import __version__

#: The version of the JSON format; a key that is removed or changes its meaning raises it.
SCHEMA = 1
#: The findings that a command fails on: those of a severity and of all that are worse,
#: or the errors that an upgrade brings.
FailOn = Severity | Literal["new"]
#: The name of standard input in findings.
STDIN = "<stdin>"
#: Findings of a file that are reported, and lines on what was not checked; characters
#: of each text of a finding.
MAX_FINDINGS = 1000
_MAX_CHARACTERS = 1000
#: How the reason begins why objects of a kind are not checked that no document defines.
NO_SCHEMA = "no schema of the custom resource"
_MAX_KINDS = 5
_COUNTS = "files", "documents", "objects", "checked", "updated"


class Problem(NamedTuple):
    """What is wrong with an object in one release.

    ``message`` says what, in the words of the API server where it has any; ``hint``
    says what to do. ``of_key`` says that the key is meant rather than its value.
    ``fixes`` are what the hint says as edits: one where that is sure, several where
    people have to choose.
    """

    rule: RuleId
    path: Path
    message: str
    hint: str = ""
    of_key: bool = False
    fixes: tuple[Fix, ...] = ()


@dataclass(frozen=True, slots=True)
class Results:
    """What is found while one object is checked, in the order of its values.

    ``unchecked`` has the reasons why rules were not applied to values: a placeholder
    stands for the value, or the rule cannot be evaluated. ``values`` are the problems
    that the API server's own code decides where it is at hand.
    """

    problems: list[Problem] = field(default_factory=list)
    unchecked: list[str] = field(default_factory=list)
    values: list[Problem] = field(default_factory=list)


class Subject(NamedTuple):
    """The object that a finding is about.

    ``source`` is the template that Helm made it from (its comment ``# Source:``),
    ``manager`` who wrote it to a cluster.
    ``document`` is the index of its document in the file, ``item`` its index in a list,
    both from 0. Of a text that cannot be read, ``kind`` and ``name`` are empty.
    """

    document: int = 0
    item: int = 0
    api_version: str = ""
    kind: str = ""
    name: str = ""
    namespace: str = ""
    source: str = ""
    manager: str = ""


class Finding(NamedTuple):
    """A problem with its position in a file.

    ``line`` and ``column`` count from 1, columns in characters. ``path`` leads from
    the object to the value. ``releases`` are those in which it is a problem, and
    ``change`` is what this means for an upgrade; None without a release to come from.
    ``fixes`` are edits that fix it: one where that is sure, several to choose from.
    ``severity`` is how bad it is: that of the rule, unless a configuration says otherwise.
    """

    rule_id: RuleId
    file: str
    line: int
    column: int
    subject: Subject
    path: Path
    message: str
    hint: str
    releases: tuple[str, ...]
    change: Change | None
    fixes: tuple[Fix, ...] = ()
    severity: Severity = "error"

    def to_dict(self) -> dict[str, Any]:
        """The finding as ``kubestencil check -f json`` has it."""
        subject = self.subject
        return {
            "rule": self.rule_id,
            "severity": self.severity,
            "change": self.change,
            "releases": list(self.releases),
            "file": self.file,
            "line": self.line,
            "column": self.column,
            "document": subject.document,
            "item": subject.item,
            "source": subject.source or None,
            "manager": subject.manager or None,
            "apiVersion": subject.api_version or None,
            "kind": subject.kind or None,
            "namespace": subject.namespace or None,
            "name": subject.name or None,
            "path": self.field_path,
            "message": self.message,
            "hint": self.hint or None,
            "fixes": [list(map(edit_json, fix)) for fix in self.fixes],
        }

    @classmethod
    def of(
        cls,
        problem: Problem,
        file: str,
        at: tuple[int, int],
        subject: Subject,
        releases: tuple[str, ...],
        change: Change | None = None,
    ) -> Finding:
        """A problem that is at a line and column; long texts of a manifest are cut."""
        return cls(
            problem.rule,
            file,
            *at,
            subject,
            tuple(
                shorten(step) if isinstance(step, str) else step
                for step in problem.path
            ),
            shorten(problem.message),
            shorten(problem.hint),
            releases,
            change,
            problem.fixes,
            # A rule that is off has none: ``with_severities`` leaves it out.
            cast(Severity, RULES[problem.rule].severity),
        )

    @property
    def rule(self) -> CheckRule:
        """The rule that the finding breaks."""
        return RULES[self.rule_id]

    @property
    def is_gone(self) -> bool:
        """Whether only the release that an upgrade starts from has it."""
        return self.change in GONE

    def is_failure(self, fail_on: FailOn) -> bool:
        """Whether the command fails because of it: never where it is gone."""
        if fail_on == "new":
            return self.change == "new" and self.severity == "error"
        return self.severity in at_least(fail_on) and not self.is_gone

    @property
    def origin(self) -> str:
        """The file to look at: the chart's template for what Helm rendered."""
        return (is_no_file(self.file) and self.subject.source) or self.file

    @property
    def line_of_origin(self) -> int:
        """The line in ``origin``: 1 for a template, whose lines are not known."""
        return self.line if self.origin == self.file else 1

    @property
    def field_path(self) -> str:
        """``path`` as the API server writes it: ``spec.containers[0].image``."""
        return field_path(self.path)

    @property
    def order(self) -> tuple[object, ...]:
        """What sorts the findings of a file: by position, object, place, rule and text."""
        at = self.line, self.column, self.subject.document, self.subject.item
        return *at, self.field_path, self.rule_id, self.message, self.change or ""

    @property
    def key(self) -> tuple[str, ...]:
        """What identifies the finding while lines are added or removed around it."""
        subject = self.subject
        return (
            self.rule_id,
            self.file,
            subject.api_version,
            subject.kind,
            subject.namespace,
            subject.name,
            self.field_path,
        )


class Skip(NamedTuple):
    """What was not checked in a file, or which rule was not applied to an object.

    ``line`` is that of the object, 0 of a file that was not read; ``times`` says how
    often.
    """

    file: str
    line: int
    reason: str
    detail: str = ""
    times: int = 1


_Item = TypeVar("_Item", Finding, Skip)


class PartOfRun(NamedTuple):
    """What the report of one shard has besides others, so that they can be joined.

    ``coverage`` is that of the shard, whole, and ``unused`` are the findings about entries
    of a configuration that ignore nothing in this shard.
    """

    shard: Shard
    coverage: Coverage
    unused: tuple[Finding, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The key ``shard`` of a report in JSON."""
        names, aspects, patches = self.coverage
        coverage = names, sorted(aspects), sorted(patches)
        return {
            "number": self.shard.number,
            "total": self.shard.total,
            "facts": dict(
                zip(
                    ("releases", "aspects", "patches"), map(list, coverage), strict=True
                )
            ),
            "unused": [finding.to_dict() for finding in self.unused],
        }


@dataclass(frozen=True, slots=True)
class Report:
    """The result of a check.

    ``before`` is the release that the upgrade starts from, None for a check of one
    release. ``files``, ``documents`` and ``objects`` count what was read; ``checked``
    counts the objects that were compared with a schema. ``skips`` are what was not;
    ``updated`` counts the objects that were compared with what they were before, None
    without that; ``validators`` has the version of the API server's own code that decided
    in a release, None where it is not built; ``coverage`` is how far the facts go that the
    releases were judged by;
    ``kinds`` are those of the objects that were checked as a whole, not as patches;
    ``ignored`` counts the findings that were left out, by what named them: ``comments``,
    ``configuration``, ``baseline``; ``part`` is that of a shard.
    """

    before: str | None
    after: str
    findings: tuple[Finding, ...]
    files: int
    documents: int
    objects: int
    checked: int
    skips: tuple[Skip, ...] = ()
    ignored: Mapping[str, int] = field(default_factory=dict)
    updated: int | None = None
    validators: Mapping[str, str | None] = field(default_factory=dict)
    kinds: Collection[GroupVersionKind] = ()
    coverage: Coverage = NO_COVERAGE
    part: PartOfRun | None = None

    @property
    def skipped(self) -> Mapping[tuple[str, str], int]:
        """How often something was not checked, by reason and detail."""
        counts = Counter[tuple[str, str]]()
        for skip in self.skips:
            counts[skip.reason, skip.detail] += skip.times
        return dict(sorted(counts.items()))

    def count(self, severity: Severity) -> int:
        """How many findings of a severity are left in ``after``."""
        return sum(
            finding.severity == severity and not finding.is_gone
            for finding in self.findings
        )

    def limited(self) -> Report:
        """The report with at most MAX_FINDINGS of each file: the most severe, and those
        that are gone after an upgrade last. The number of the others is in ``ignored``.
        What was not checked has as many lines of each file, and one for each reason of
        others. Both are in the order of files.
        """
        findings = most_severe(self.findings)
        skips = tuple(_limited(self.skips))
        dropped = _counts(self.skips) - _counts(skips)
        others = (Skip(*key, "others", count) for key, count in dropped.items())
        limit = f"the limit of {MAX_FINDINGS:,} findings per file"
        count = len(self.findings) - len(findings)
        ignored = {**self.ignored, **({limit: count} if count else {})}
        limited = replace(self, findings=findings, ignored=ignored)
        return replace(limited, skips=(*skips, *others)).sorted()

    def sorted(self) -> Report:
        """The report in the order of files, and of lines that were not checked: the same
        from any number of processes and shards."""
        return replace(
            self,
            findings=tuple(sorted(self.findings, key=lambda item: _place(item.file))),
            skips=tuple(
                sorted(self.skips, key=lambda skip: (_place(skip.file), skip[1:]))
            ),
        )

    def validator_lines(self) -> tuple[str, ...]:
        """Whether the API server's own code decided, for people."""
        versions = [version for version in self.validators.values() if version]
        missing = [name for name, version in self.validators.items() if version is None]
        used = f"Decided by the API server's own code of {' and '.join(versions)}"
        build = " ".join(("kubestencil validator build", *missing))
        unused = (
            f"Without the API server's own code of {' and '.join(missing)}: {build}"
        )
        return (*((used,) if versions else ()), *((unused,) if missing else ()))

    def skipped_lines(self) -> tuple[str, ...]:
        """What was not checked, and what was ignored, for people: a line for each
        reason and detail."""
        counts = self._counts(
            lambda skip: f"{skip.reason}, {skip.detail}" if skip.detail else skip.reason
        )
        return (
            *(f"Not checked: {count:,} ({text})" for text, count in counts.items()),
            *self._ignored_lines(),
        )

    def skipped_reasons(self) -> tuple[str, ...]:
        """``skipped_lines`` in at most four lines: one of the reasons and one of the kinds
        that lack a schema, both most objects first, and how to name one."""
        kinds = Counter[str]()
        for skip in self.skips:
            if skip.reason.startswith(NO_SCHEMA):
                kinds[skip.detail] += skip.times
        most = [f"{count:,} {kind}" for kind, count in kinds.most_common(_MAX_KINDS)]
        if len(kinds) > _MAX_KINDS:
            most.append(f"{len(kinds) - _MAX_KINDS:,} other kinds (--show-skipped)")
        hint = (
            "To check them, name their CustomResourceDefinitions: --crds FILE|DIR|URL"
        )
        counts = self._counts(lambda skip: skip.reason)
        reasons = [f"{count:,} ({text})" for text, count in counts.most_common()]
        return (
            *((f"Not checked: {', '.join(reasons)}",) if reasons else ()),
            *self._ignored_lines(),
            *((f"Without a schema: {', '.join(most)}", hint) if most else ()),
        )

    def _counts(self, text_of: Callable[[Skip], str]) -> Counter[str]:
        """How often each text is the reason of a skip, by name."""
        counts = Counter[str]()
        for skip in sorted(self.skips, key=text_of):
            counts[text_of(skip)] += skip.times
        return counts

    def _ignored_lines(self) -> tuple[str, ...]:
        return tuple(
            f"Ignored: {count:,} (by {by})" for by, count in self.ignored.items()
        )

    def to_dict(self) -> dict[str, Any]:
        """The report as ``kubestencil check -f json`` has it: a published format, whose
        keys differ from attributes. ``rules`` has each rule that was broken, once."""
        broken = {finding.rule_id for finding in self.findings}
        return {
            "schema": SCHEMA,
            "tool": {"name": "kubestencil", "version": __version__},
            "from": self.before,
            "to": self.after,
            "summary": {severity: self.count(severity) for severity in SEVERITIES},
            "checked": {name: getattr(self, name) for name in _COUNTS},
            "validators": dict(self.validators),
            "coverage": self.coverage.to_dict(),
            "skipped": [
                {"reason": reason, "detail": detail, "count": count}
                for (reason, detail), count in self.skipped.items()
            ],
            "notChecked": [
                {"file": file, "line": line, "reason": reason, "detail": detail}
                for file, line, reason, detail, _ in self.skips
            ],
            "ignored": dict(self.ignored),
            **({"shard": self.part.to_dict()} if self.part else {}),
            "findings": [finding.to_dict() for finding in self.findings],
            "rules": {
                name: {"severity": rule.severity, "reason": rule.reason}
                for name, rule in RULES.items()
                if name in broken
            },
        }


def with_severities(
    findings: Iterable[Finding], severities: Mapping[str, Level]
) -> Iterator[Finding]:
    """Findings with the severities of their rules, or those that a configuration has by
    rule, without those of rules that are off."""
    for finding in findings:
        severity = severities.get(finding.rule_id, finding.rule.severity)
        if severity != "off":
            yield finding._replace(severity=severity)


def most_severe(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """At most MAX_FINDINGS findings of each file, in their order: the most severe, and
    those that are gone after an upgrade last."""
    kept = {id(item) for item in _limited(sorted(findings, key=_importance))}
    return tuple(item for item in findings if id(item) in kept)


def _importance(finding: Finding) -> tuple[bool, int]:
    return finding.is_gone, SEVERITIES.index(finding.severity)


def _counts(skips: Iterable[Skip]) -> Counter[tuple[str, int, str]]:
    """How often something was not checked, by file and reason."""
    counts = Counter[tuple[str, int, str]]()
    for skip in skips:
        counts[skip.file, 0, skip.reason] += skip.times
    return counts


def _limited(items: Iterable[_Item]) -> Iterator[_Item]:
    """The first items of each file."""
    counts = Counter[str]()
    for item in items:
        counts[item.file] += 1
        if counts[item.file] <= MAX_FINDINGS:
            yield item


def _place(name: str) -> tuple[bool, list[str]]:
    """What sorts files as folders list them, and texts that are in no file behind them."""
    return is_no_file(name), name.split("/")


def is_no_file(name: str) -> bool:
    """Whether a text is in no file: it is from standard input, a program, a cluster."""
    return name.startswith("<")


def shorten(text: str) -> str:
    """A text of a manifest as it is shown: its beginning, where it is long."""
    return text if len(text) <= _MAX_CHARACTERS else f"{text[:_MAX_CHARACTERS]}…"
