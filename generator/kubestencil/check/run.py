"""Checks files against one release, or against two that an upgrade leads from and to."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from kubestencil.check.explain import explained
from kubestencil.check.files import SUFFIXES, ManifestFile, find_files
from kubestencil.check.findings import Finding, Problem, Report, Skipped, Subject
from kubestencil.check.ignores import apply_ignores
from kubestencil.check.kinds import (
    is_configuration,
    is_of_kubernetes,
    kind_problem,
    remarks_on_kind,
)
from kubestencil.check.kustomize import (
    has_directive,
    is_kustomize_kind,
    listed_patches,
)
from kubestencil.check.manifests import (
    Manifest,
    NoObject,
    RepeatedKey,
    Unreadable,
    read_manifests,
)
from kubestencil.check.release import CheckedRelease, prepare
from kubestencil.check.rules import Change
from kubestencil.check.validate import kind_of, problems_of
from kubestencil.errors import SourceError, UsageError
from kubestencil.schema.types import GroupVersionKind, Release


@dataclass(frozen=True, slots=True)
class FileResult:
    """What was found in one file, and counts of what was read."""

    findings: tuple[Finding, ...]
    skipped: tuple[Skipped, ...]
    documents: int
    objects: int
    checked: int
    ignored: int


@dataclass(frozen=True, slots=True)
class Upgrade:
    """The releases to check against; ``before`` is None where only one is given."""

    before: CheckedRelease | None
    after: CheckedRelease

    @property
    def releases(self) -> tuple[str, ...]:
        """The names of the releases, the older one first."""
        names = (self.before.name,) if self.before else ()
        return (*names, self.after.name)


def check(
    paths: Sequence[str], after: Release, before: Release | None = None
) -> Report:
    """What is wrong with the manifests at ``paths`` in the release ``after``, and in
    ``before``, which an upgrade starts from.

    ``paths`` are files, folders and ``-`` for standard input. Raises UsageError for a
    path that does not exist and where there is nothing to check, SourceError for a
    file that cannot be read.
    """
    files = list(find_files(paths))
    if not files:
        raise UsageError(
            f"no {', '.join(SUFFIXES)} file", where=", ".join(paths) or "check"
        )
    upgrade = Upgrade(prepare(before) if before else None, prepare(after))
    return _report(upgrade, files, check_files(files, upgrade))


def check_files(
    files: Sequence[ManifestFile], upgrade: Upgrade
) -> Iterator[FileResult]:
    """The result of each file, in their order."""
    patches = listed_patches(files)
    for file in files:
        yield check_file(file, upgrade, patches)


def check_file(
    file: ManifestFile, upgrade: Upgrade, patches: frozenset[str]
) -> FileResult:
    """Check one file; ``patches`` are the absolute paths of kustomize patches.

    Raises SourceError where it cannot be read.
    """
    try:
        data = file.read()
    except OSError as error:
        raise SourceError(
            f"cannot be read: {error.strerror}", where=file.name
        ) from error
    is_patch = os.path.abspath(file.path) in patches  # noqa: PTH100
    return _FileCheck(file.name, upgrade, is_patch).result(data)


class _FileCheck:
    """Checks the objects in one file, and collects what is found and skipped."""

    def __init__(self, name: str, upgrade: Upgrade, is_patch: bool) -> None:
        self.name = name
        self.upgrade = upgrade
        self.is_patch = is_patch
        self.findings: list[Finding] = []
        self.skipped: list[Skipped] = []
        self.documents: set[int] = set()
        self.objects = 0
        self.checked = 0

    def result(self, data: bytes) -> FileResult:
        for item in read_manifests(data, self.name):
            if isinstance(item, Manifest):
                self.documents.add(item.subject.document)
                self.objects += 1
                self.check_manifest(item)
            elif isinstance(item, RepeatedKey):
                self.add_repeated_key(item)
            elif isinstance(item, Unreadable):
                self.documents.add(item.document)
                self.add_unreadable(item)
            else:
                self.documents.add(item.document)
                self.skip_document(item)
        findings = tuple(sorted(self.findings, key=lambda finding: finding[2:4]))
        left = apply_ignores(self.name, data, findings, self.upgrade.releases)
        return FileResult(
            left.findings,
            tuple(self.skipped),
            len(self.documents),
            self.objects,
            self.checked,
            left.ignored,
        )

    def check_manifest(self, manifest: Manifest) -> None:
        kind = kind_of(manifest.value)
        reason = _reason_to_skip(kind, self.upgrade)
        if reason is not None:
            detail = f"{kind.kind} of {kind.api_version}"
            self.skipped.append(Skipped(reason, self.name, manifest.subject, detail))
            return
        self.checked += 1
        is_patch = self.is_patch or has_directive(manifest.value)
        after = _problems(manifest, kind, self.upgrade.after, is_patch)
        if self.upgrade.before is None:
            for problem in after:
                self.add(manifest, kind, problem, (self.upgrade.after,), None)
            return
        before = _problems(manifest, kind, self.upgrade.before, is_patch)
        self.merge(manifest, kind, before, after)

    def merge(
        self,
        manifest: Manifest,
        kind: GroupVersionKind,
        before: Sequence[Problem],
        after: Sequence[Problem],
    ) -> None:
        """Add the problems of both releases, each once."""
        assert self.upgrade.before is not None
        earlier = {(problem.rule, problem.path) for problem in before}
        later = {(problem.rule, problem.path) for problem in after}
        both = (self.upgrade.before, self.upgrade.after)
        for problem in after:
            if (problem.rule, problem.path) in earlier:
                self.add(manifest, kind, problem, both, "both")
            else:
                self.add(manifest, kind, problem, both[1:], "new")
        for problem in before:
            if (problem.rule, problem.path) not in later:
                self.add(manifest, kind, problem, both[:1], "fixed")

    def add(
        self,
        manifest: Manifest,
        kind: GroupVersionKind,
        problem: Problem,
        releases: Sequence[CheckedRelease],
        change: Change | None,
    ) -> None:
        release = releases[-1]
        problem = explained(problem, kind, release)
        at = manifest.position(problem.path, of_key=problem.of_key)
        self.findings.append(
            Finding(
                problem.rule,
                self.name,
                at.line,
                at.column,
                manifest.subject,
                problem.path,
                problem.message,
                problem.hint,
                tuple(release.name for release in releases),
                change,
            )
        )

    def add_repeated_key(self, item: RepeatedKey) -> None:
        from kubestencil.check.findings import field_path

        path, at = item.repeated
        self.add_text_finding(
            Problem(
                "duplicate-key",
                path,
                f'duplicate field "{field_path(path)}"',
                "remove one of the two",
            ),
            item.document,
            at.line,
            at.column,
        )

    def add_unreadable(self, item: Unreadable) -> None:
        if item.is_template:
            self.skipped.append(
                Skipped("unrendered template", self.name, Subject(item.document))
            )
            return
        problem = Problem("syntax", (), item.message, item.hint)
        self.add_text_finding(problem, item.document, item.at.line, item.at.column)

    def add_text_finding(
        self, problem: Problem, document: int, line: int, column: int
    ) -> None:
        """Add a finding about the text, which is the same in all releases."""
        self.findings.append(
            Finding(
                problem.rule,
                self.name,
                line,
                column,
                Subject(document),
                problem.path,
                problem.message,
                problem.hint,
                self.upgrade.releases,
                "both" if self.upgrade.before else None,
            )
        )

    def skip_document(self, item: NoObject) -> None:
        self.skipped.append(Skipped(item.reason, self.name, Subject(item.document), ""))


def _reason_to_skip(kind: GroupVersionKind, upgrade: Upgrade) -> str | None:
    """Why objects of a kind are not checked; None for those that are."""
    releases = (upgrade.before, upgrade.after)
    if any(release is not None and kind in release.kinds for release in releases):
        return None
    if is_kustomize_kind(kind.group):
        return "kustomize configuration"
    if is_configuration(kind):
        return "configuration of a program"
    return None if is_of_kubernetes(kind) else "no schema of the custom resource"


def _problems(
    manifest: Manifest,
    kind: GroupVersionKind,
    release: CheckedRelease,
    is_patch: bool,
) -> list[Problem]:
    problems = problems_of(manifest.value, kind, release)
    if problems is None:
        if not is_of_kubernetes(kind):
            return []
        return [kind_problem(kind, release)]
    if is_patch:
        problems = [problem for problem in problems if problem.rule != "missing-field"]
    problems += remarks_on_kind(kind, release)
    return problems


def _report(
    upgrade: Upgrade, files: Sequence[ManifestFile], results: Iterable[FileResult]
) -> Report:
    findings: list[Finding] = []
    skipped: Counter[tuple[str, str]] = Counter()
    documents = objects = checked = ignored = 0
    for result in results:
        findings += result.findings
        skipped.update((entry.reason, entry.detail) for entry in result.skipped)
        documents += result.documents
        objects += result.objects
        checked += result.checked
        ignored += result.ignored
    return Report(
        before=upgrade.before.name if upgrade.before else None,
        after=upgrade.after.name,
        findings=tuple(findings),
        files=len(files),
        documents=documents,
        objects=objects,
        checked=checked,
        skipped=dict(sorted(skipped.items())),
        ignored={"comments": ignored} if ignored else {},
    )
