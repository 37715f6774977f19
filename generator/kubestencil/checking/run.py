"""Checks files against one release, or against two that an upgrade leads from and to."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from kubestencil.checking.files.find import ManifestFile, find_files
from kubestencil.checking.files.kustomize import (
    DIRECTIVE_START,
    has_directive,
    listed_patches,
)
from kubestencil.checking.files.manifests import (
    Manifest,
    NoObject,
    RepeatedKey,
    Unreadable,
    read_manifests,
)
from kubestencil.checking.findings import (
    Finding,
    Problem,
    Report,
    Skipped,
    Subject,
    field_path,
)
from kubestencil.checking.ignores import apply_ignores
from kubestencil.checking.release import prepare
from kubestencil.checking.upgrade import Upgrade, UpgradeDifference
from kubestencil.checking.validate import kind_of
from kubestencil.errors import UsageError
from kubestencil.schema.types import Release
from kubestencil.source.crds import SUFFIXES


@dataclass(frozen=True, slots=True)
class FileResult:
    """What was found in one file, and counts of what was read."""

    findings: tuple[Finding, ...]
    skipped: tuple[Skipped, ...]
    documents: int
    objects: int
    checked: int
    ignored: int


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
    upgrade = Upgrade(prepare(before) if before else None, prepare(after, before))
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
    if file.reason_to_skip:
        skipped = Skipped(file.reason_to_skip, file.name)
        return FileResult((), (skipped,), 0, 0, 0, 0)
    data = file.read()
    is_patch = os.path.abspath(file.path) in patches  # noqa: PTH100
    return _FileCheck(file.name, upgrade, is_patch).result(data)


class _FileCheck:
    """Checks the objects in one file, and collects what is found and skipped."""

    def __init__(self, name: str, upgrade: Upgrade, is_patch: bool) -> None:
        self.name = name
        self.upgrade = upgrade
        self.is_patch = is_patch
        self.may_be_patch = True
        self.findings: list[Finding] = []
        self.skipped: list[Skipped] = []
        self.documents: set[int] = set()
        self.objects = 0
        self.checked = 0

    def result(self, data: bytes) -> FileResult:
        self.may_be_patch = DIRECTIVE_START in data
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
        outcome = apply_ignores(self.name, data, findings, self.upgrade.releases)
        return FileResult(
            outcome.findings,
            tuple(self.skipped),
            len(self.documents),
            self.objects,
            self.checked,
            outcome.ignored,
        )

    def check_manifest(self, manifest: Manifest) -> None:
        kind = kind_of(manifest.value)
        reason = self.upgrade.reason_to_skip(kind)
        if reason is not None:
            detail = f"{kind.kind} of {kind.api_version}"
            self.skipped.append(Skipped(reason, self.name, manifest.subject, detail))
            return
        self.checked += 1
        is_patch = self.is_patch or (
            self.may_be_patch and has_directive(manifest.value)
        )
        result = self.upgrade.check(manifest.value, kind, is_patch=is_patch)
        for difference in result.differences:
            self.add(manifest, difference)
        for reason, count in result.unchecked.items():
            self.skipped += [Skipped(reason, self.name, manifest.subject)] * count

    def add(self, manifest: Manifest, difference: UpgradeDifference) -> None:
        problem = difference.problem
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
                difference.releases,
                difference.change,
            )
        )

    def add_repeated_key(self, item: RepeatedKey) -> None:
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
        files=sum(not file.reason_to_skip for file in files),
        documents=documents,
        objects=objects,
        checked=checked,
        skipped=dict(sorted(skipped.items())),
        ignored={"comments": ignored} if ignored else {},
    )
