"""What a check finds: values, without any formatting for people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from kubestencil.checking.rules import RULES, Change, CheckRule, RuleId, Severity

#: The steps from an object to a value inside of it: keys, and indexes of lists.
Path = tuple[str | int, ...]


class Problem(NamedTuple):
    """What is wrong with an object in one release.

    ``message`` says what, in the words of the API server where it has any; ``hint``
    says what to do. ``of_key`` says that the key is meant rather than its value.
    """

    rule: RuleId
    path: Path
    message: str
    hint: str = ""
    of_key: bool = False


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

    ``source`` is the template that Helm made it from (its comment ``# Source:``).
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


class FindingKey(NamedTuple):
    """What identifies a finding while lines are added or removed around it."""

    rule_id: RuleId
    file: str
    api_version: str
    kind: str
    namespace: str
    name: str
    field_path: str


class Finding(NamedTuple):
    """A problem with its position in a file.

    ``line`` and ``column`` count from 1, columns in characters. ``path`` leads from
    the object to the value. ``releases`` are those in which it is a problem, and
    ``change`` is what this means for an upgrade; None without a release to come from.
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
        """A problem that is at a line and column."""
        rule, path, message, hint, _ = problem
        return cls(rule, file, *at, subject, path, message, hint, releases, change)

    @property
    def rule(self) -> CheckRule:
        """The rule that the finding breaks."""
        return RULES[self.rule_id]

    @property
    def severity(self) -> Severity:
        """How bad it is."""
        return self.rule.severity

    @property
    def field_path(self) -> str:
        """``path`` as the API server writes it: ``spec.containers[0].image``."""
        return field_path(self.path)

    @property
    def key(self) -> FindingKey:
        """What identifies the finding in another report."""
        subject = self.subject
        return FindingKey(
            self.rule_id,
            self.file,
            subject.api_version,
            subject.kind,
            subject.namespace,
            subject.name,
            self.field_path,
        )


@dataclass(frozen=True, slots=True)
class Report:
    """The result of a check.

    ``before`` is the release that the upgrade starts from, None for a check of one
    release. ``files``, ``documents`` and ``objects`` count what was read; ``checked``
    counts the objects that were compared with a schema. ``skipped`` counts what was
    not, by reason and detail; ``updated`` counts the objects that were compared with
    what they were before, None without that; ``validators`` has the version of the API
    server's own code that decided in a release, None where it is not built; ``ignored`` counts the findings that were left out, by
    what named them: ``comments``, ``configuration``, ``baseline``.
    """

    before: str | None
    after: str
    findings: tuple[Finding, ...]
    files: int
    documents: int
    objects: int
    checked: int
    skipped: Mapping[tuple[str, str], int]
    ignored: Mapping[str, int] = field(default_factory=dict)
    updated: int | None = None
    validators: Mapping[str, str | None] = field(default_factory=dict)

    def count(self, severity: Severity) -> int:
        """How many findings of a severity are left in ``after``."""
        return sum(
            finding.severity == severity and finding.change != "fixed"
            for finding in self.findings
        )

    def validator_lines(self) -> tuple[str, ...]:
        """Whether the API server's own code decided, for people."""
        versions = [version for version in self.validators.values() if version]
        used = f"Decided by the API server's own code of {' and '.join(versions)}"
        return (
            *((used,) if versions else ()),
            *(
                f"Without the API server's own code of {release}: "
                f"kubestencil validator build {release}"
                for release, version in self.validators.items()
                if version is None
            ),
        )

    def skipped_lines(self) -> tuple[str, ...]:
        """What was not checked, and what was ignored, for people: a line for each
        reason."""
        return (
            *(
                f"Not checked: {count:,} ({reason}{f', {detail}' if detail else ''})"
                for (reason, detail), count in self.skipped.items()
            ),
            *self._ignored_lines(),
        )

    def skipped_reasons(self) -> tuple[str, ...]:
        """``skipped_lines`` without details, so that each reason has one line."""
        counts: dict[str, int] = {}
        for (reason, _), count in self.skipped.items():
            counts[reason] = counts.get(reason, 0) + count
        return (
            *(f"Not checked: {count:,} ({name})" for name, count in counts.items()),
            *self._ignored_lines(),
        )

    def _ignored_lines(self) -> Iterator[str]:
        return (f"Ignored: {count:,} (by {by})" for by, count in self.ignored.items())


def field_path(path: Path) -> str:
    """A path as the API server writes it in errors of strict decoding
    (sigs.k8s.io/json, kubernetes_patch.go)."""
    text = ""
    for step in path:
        if isinstance(step, int):
            text += f"[{step}]"
        else:
            text += f".{step}" if text else step
    return text
