"""Checks files against one release, or against two that an upgrade leads from and to."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from types import MappingProxyType
from typing import Any

from kubestencil.checking.files.find import ManifestFile, find_files
from kubestencil.checking.files.kustomize import (
    DIRECTIVE_START,
    has_directive,
    listed_patches,
)
from kubestencil.checking.files.manifests import (
    Manifest,
    Mistake,
    NoObject,
    read_manifests,
)
from kubestencil.checking.files.previous import PreviousObjects
from kubestencil.checking.findings import Finding, Report
from kubestencil.checking.ignores import apply_ignores
from kubestencil.checking.release import prepare
from kubestencil.checking.rules import Change
from kubestencil.checking.upgrade import ObjectResult, Upgrade, kind_of
from kubestencil.errors import UsageError
from kubestencil.schema.types import Release
from kubestencil.source.crds import SUFFIXES
from kubestencil.validator.process import REQUESTS_AHEAD, Validator, look_ahead


def check(
    paths: Sequence[str],
    after: Release,
    before: Release | None = None,
    validators: Mapping[str, Validator | None] = MappingProxyType({}),
    previous: PreviousObjects | None = None,
) -> Report:
    """What is wrong with the manifests at ``paths`` in the release ``after``, and in
    ``before``, which an upgrade starts from.

    ``paths`` are files, folders and ``-`` for standard input. ``validators`` run the
    code of the API servers of releases, by name, None where that is not built. They
    decide about changes of the objects that ``previous`` has, too. Raises UsageError for
    a path that does not exist and where there is nothing to check, SourceError for a
    file that cannot be read.
    """
    files = list(find_files(paths))
    if not files:
        raise UsageError(
            f"no {', '.join(SUFFIXES)} file", where=", ".join(paths) or "check"
        )
    upgrade = Upgrade(
        prepare(before, None, validators.get(before.name)) if before else None,
        prepare(after, before, validators.get(after.name)),
    )
    run = Run(upgrade, listed_patches(files), previous)
    for reason, count in previous.unread.items() if previous else ():
        run.skipped[reason, ""] += count
    for finish in look_ahead(run.start(files), REQUESTS_AHEAD):
        finish()
    return Report(
        before=before.name if before else None,
        after=after.name,
        findings=tuple(run.findings),
        files=sum(not file.reason_to_skip for file in files),
        documents=run.documents,
        objects=run.objects,
        checked=run.checked,
        skipped=dict(sorted(run.skipped.items())),
        ignored={"comments": run.ignored} if run.ignored else {},
        updated=run.updated if previous else None,
        validators={
            name: validator.version() if validator and run.checked else None
            for name, validator in validators.items()
            if run.checked or validator is None
        },
    )


@dataclass(slots=True)
class Run:
    """Checks files, and collects what is found and counts of what was read; the other
    attributes are those of ``Report``.

    ``patches`` are the absolute paths of kustomize patches, ``previous`` has the objects
    as they were before.
    """

    upgrade: Upgrade
    patches: frozenset[str]
    previous: PreviousObjects | None = None
    findings: list[Finding] = field(default_factory=list)
    skipped: Counter[tuple[str, str]] = field(default_factory=Counter)
    updated: int = 0
    documents: int = 0
    objects: int = 0
    checked: int = 0
    ignored: int = 0

    def start(self, files: Iterable[ManifestFile]) -> Iterator[Callable[[], None]]:
        """Start the check of each object in files, and yield what waits for its result.

        To be finished in this order. Raises SourceError for a file that cannot be read.
        """
        for file in files:
            if file.reason_to_skip:
                self.skipped[file.reason_to_skip, ""] += 1
                continue
            data = file.read()
            is_patch = os.path.abspath(file.path) in self.patches  # noqa: PTH100
            may_be_patch = DIRECTIVE_START in data
            documents: set[int] = set()
            findings: list[Finding] = []
            for item in read_manifests(data, file.name):
                documents.add(item.subject.document)
                if isinstance(item, Manifest):
                    is_part = is_patch or (may_be_patch and has_directive(item.value))
                    finish = self._start(item, file.name, findings, is_part)
                    if finish is not None:
                        yield finish
                elif isinstance(item, NoObject):
                    self.skipped[item.reason, ""] += 1
                elif item.is_template:
                    self.skipped["unrendered template", ""] += 1
                else:
                    yield partial(findings.append, self._mistake(item, file.name))
            self.documents += len(documents)
            yield partial(self._finish_file, file.name, data, findings)

    def _start(
        self, manifest: Manifest, file: str, findings: list[Finding], is_patch: bool
    ) -> Callable[[], None] | None:
        """Start the check of an object; what is returned adds to the findings."""
        self.objects += 1
        kind = kind_of(manifest.value)
        reason = self.upgrade.reason_to_skip(kind)
        if reason is not None:
            self.skipped[reason, f"{kind.kind} of {kind.api_version}"] += 1
            return None
        self.checked += 1
        old = None if is_patch else self._old(manifest, file)
        result = self.upgrade.start(manifest.value, kind, is_patch=is_patch, old=old)
        return partial(self._finish, manifest, file, findings, result)

    def _old(self, manifest: Manifest, file: str) -> Mapping[str, Any] | None:
        """What an object was before; None for a new one."""
        if self.previous is None:
            return None
        found = self.previous.find(manifest.value, file)
        if len(found) > 1:
            self.skipped["changes of objects that were there more than once", ""] += 1
            return None
        self.updated += len(found)
        return found[0] if found else None

    def _finish(
        self,
        manifest: Manifest,
        file: str,
        findings: list[Finding],
        wait: Callable[[], ObjectResult],
    ) -> None:
        result = wait()
        for reason, count in result.unchecked.items():
            self.skipped[reason, ""] += count
        for problem, releases, change in result.differences:
            at = manifest.position(problem.path, of_key=problem.of_key)
            findings.append(
                Finding.of(problem, file, at, manifest.subject, releases, change)
            )

    def _mistake(self, item: Mistake, file: str) -> Finding:
        """The finding of a mistake in the text, which is the same in all releases."""
        change: Change | None = "both" if self.upgrade.before else None
        releases = self.upgrade.releases
        return Finding.of(item.problem, file, item.at, item.subject, releases, change)

    def _finish_file(self, file: str, data: bytes, findings: list[Finding]) -> None:
        findings.sort(key=lambda finding: (finding.line, finding.column))
        outcome = apply_ignores(file, data, findings, self.upgrade.releases)
        self.findings += outcome.findings
        self.ignored += outcome.ignored
