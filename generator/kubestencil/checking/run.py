"""Checks files against releases, and against one that an upgrade starts from."""

from __future__ import annotations

import os
import sys
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import partial
from itertools import accumulate, chain, pairwise
from types import MappingProxyType
from typing import Any

from kubestencil.checking.files.find import ManifestFile, find_files
from kubestencil.checking.files.inline import inline_manifests
from kubestencil.checking.files.kustomize import (
    Kustomizations,
    has_directive,
    is_named_patch,
    may_have_directive,
    read_kustomizations,
)
from kubestencil.checking.files.manifests import (
    Manifest,
    Mistake,
    NoObject,
    ParsedManifests,
)
from kubestencil.checking.files.placeholders import ENCRYPTED, PLACEHOLDER
from kubestencil.checking.files.previous import PreviousObjects
from kubestencil.checking.findings import (
    Finding,
    Report,
    Skip,
    shorten,
    with_severities,
)
from kubestencil.checking.ignores import apply_ignores
from kubestencil.checking.judgement import kind_of
from kubestencil.checking.kind_findings import missing_kind, refused_document
from kubestencil.checking.release import prepare
from kubestencil.checking.rules import Change, Level
from kubestencil.checking.upgrade import ObjectResult, Upgrade, joined_by_origin
from kubestencil.diff.labels import coverage_of
from kubestencil.errors import KubestencilError, UsageError
from kubestencil.processes.parallel import parallel_map
from kubestencil.schema.knowledge.coverage import NO_COVERAGE, Aspect, Coverage
from kubestencil.schema.types import GroupVersionKind, Release
from kubestencil.shards import WHOLE, Shard
from kubestencil.source.crds import SUFFIXES
from kubestencil.source.releases import minor_version_in
from kubestencil.validator.process import REQUESTS_AHEAD, Validator, look_ahead

# A process takes some 50 ms until it has begun.
_BYTES_OF_PROCESS = 500_000
_NAME = "metadata", "name"
# spec, and spec.selector of a Deployment.
_OUTER = 2


def check(
    paths: Sequence[str],
    after: Release,
    before: Release | None = None,
    validators: Mapping[str, Validator | None] = MappingProxyType({}),
    previous: PreviousObjects | None = None,
    others: Iterable[ManifestFile] = (),
    releases: Sequence[Release] = (),
    severities: Mapping[str, Level] = MappingProxyType({}),
    shard: Shard = WHOLE,
    parsed: ParsedManifests | None = None,
) -> Report:
    """What is wrong with the manifests at ``paths`` in the release ``after``, and in
    ``before``, which an upgrade starts from; also in each of ``releases``.

    ``paths`` are files, folders and ``-`` for standard input. ``validators`` run the
    code of the API servers of releases, by name, None where that is not built. They
    decide about changes of the objects that ``previous`` has, too. ``others`` are texts
    that are in no file. ``severities`` are those of a configuration, by rule. Of all
    texts, those of ``shard`` are checked; the others are read for what they say of these.
    ``parsed`` has what is parsed already.

    Raises UsageError for a path that does not exist and where there is nothing to check,
    SourceError for a file that cannot be read.
    """
    files = list(find_files(paths))
    if not files and not others:
        raise UsageError(
            f"no {', '.join(SUFFIXES)} file",
            where=", ".join(paths) or "check",
            hint="name what has the manifests: hidden files, and those that .gitignore "
            "names, are read where they are named themselves",
        )
    first, *others_after = (
        prepare(release, validators.get(release.name)) for release in (after, *releases)
    )
    upgrade = Upgrade(
        prepare(before, validators.get(before.name)) if before else None,
        first,
        tuple(others_after),
    )
    run = partial(
        Run,
        upgrade,
        read_kustomizations(files),
        previous,
        severities,
        parsed or ParsedManifests(),
    )
    unread = previous.unread if previous else ()
    found = Found(skips=[skip for skip in unread if shard.has(skip.file)])
    parts = list(_parts([file for file in files if shard.has(file.name)]))
    others = (file for file in others if shard.has(file.name))
    with parallel_map(partial(_found_in, run), parts, len(parts)) as found_in_parts:
        for part in chain(found_in_parts, [_found_in(run, others)]):
            found.add(part)
    return Report(
        before=before.name if before else None,
        after=", ".join(release.name for release in (after, *releases)),
        findings=tuple(found.findings),
        files=found.files,
        documents=found.documents,
        objects=found.objects,
        checked=found.checked,
        skips=tuple(found.skips),
        ignored={"comments": found.ignored} if found.ignored else {},
        updated=found.updated if previous else None,
        validators={
            name: _version(validator, name) if validator and found.checked else None
            for name, validator in validators.items()
            if found.checked or validator is None
        },
        kinds=found.kinds,
        coverage=(
            _coverage((*([before] if before else []), after, *releases), validators)
            if found.checked
            else NO_COVERAGE
        ),
    )


# The facts that a judgement needs, and those that the API server's own code replaces.
_ALWAYS: frozenset[Aspect] = frozenset({"gates", "lifecycle", "rules"})
_BY_TABLES: frozenset[Aspect] = _ALWAYS | {
    *("limits", "values", "warnings", "configurations"),
}


def _coverage(
    releases: Sequence[Release], validators: Mapping[str, Validator | None]
) -> Coverage:
    is_exact = all(validators.get(release.name) for release in releases)
    return coverage_of(releases, _ALWAYS if is_exact else _BY_TABLES)


def _version(validator: Validator, release: str) -> str:
    """The version whose code a program has. Raises KubestencilError where it is of
    another release than its name says."""
    version = validator.version()
    if not f"{version}.".startswith(f"{minor_version_in(release) or version}."):
        raise KubestencilError(
            f"has the code of {version}",
            where=str(validator.program),
            hint=f"kubestencil validator build {release} makes it again",
        )
    return version


def _parts(files: Sequence[ManifestFile]) -> Iterator[Sequence[ManifestFile]]:
    """Files in a row for each process, of about the same size together: one part where
    there is little to do, and where processes cannot be forked with what is prepared.
    """
    sizes = list(accumulate(map(_size, files)))
    total = sizes[-1] if sizes else 0
    count = 1
    if sys.platform == "linux":
        count = max(1, min(len(os.sched_getaffinity(0)), total // _BYTES_OF_PROCESS))
    ends = [bisect_left(sizes, total * end / count) for end in range(1, count)]
    for start, end in pairwise((0, *ends, len(files))):
        yield files[start:end]


def _size(file: ManifestFile) -> int:
    try:
        return os.path.getsize(file.path)  # noqa: PTH202
    except OSError:
        return 0


def _found_in(new_run: Callable[[], Run], files: Iterable[ManifestFile]) -> Found:
    run = new_run()
    for finish in look_ahead(run.start(files), REQUESTS_AHEAD):
        finish()
    return run.found


@dataclass(slots=True)
class Found:
    """What was found and counts of what was read; the attributes are those of
    ``Report``."""

    findings: list[Finding] = field(default_factory=list)
    skips: list[Skip] = field(default_factory=list)
    updated: int = 0
    files: int = 0
    documents: int = 0
    objects: int = 0
    checked: int = 0
    ignored: int = 0
    kinds: set[GroupVersionKind] = field(default_factory=set)

    def add(self, other: Found) -> None:
        """Add what was found in other files."""
        self.kinds |= other.kinds
        for name in (count.name for count in fields(self) if count.name != "kinds"):
            setattr(self, name, getattr(self, name) + getattr(other, name))


@dataclass(frozen=True, slots=True)
class Run:
    """Checks files.

    ``kustomizations`` are those that include the files, ``previous`` has the objects as
    they were before, ``severities`` those of a configuration, by rule, and ``parsed`` what
    is parsed already. ``found`` is what is found.
    """

    upgrade: Upgrade
    kustomizations: Kustomizations
    previous: PreviousObjects | None = None
    severities: Mapping[str, Level] = field(default_factory=dict)
    parsed: ParsedManifests = field(default_factory=ParsedManifests)
    found: Found = field(default_factory=Found)

    def start(self, files: Iterable[ManifestFile]) -> Iterator[Callable[[], None]]:
        """Start the check of each object in files, and yield what waits for its result.

        To be finished in this order. Raises SourceError for a file that cannot be read.
        """
        for file in files:
            if file.reason_to_skip:
                self._skip(file.name, 0, file.reason_to_skip)
                continue
            self.found.files += 1
            data = file.read()
            is_patch = file.is_part or self.kustomizations.is_patch(file)
            depth = self._depth_of_missing(file)
            may_have_directives = may_have_directive(data)
            documents: set[int] = set()
            findings: list[Finding] = []
            others: list[NoObject] = []
            has_object = False
            for item in self.parsed.take(data, file.name):
                documents.add(item.subject.document)
                if isinstance(item, Manifest):
                    has_object = True
                    is_part = (
                        is_patch
                        or (may_have_directives and has_directive(item.value))
                        or (depth > 0 and self._lacks_field(item.value, depth))
                    )
                    for manifest in (item, *inline_manifests(item)):
                        finish = self._start(manifest, file, findings, is_part)
                        if finish is not None:
                            yield finish
                elif isinstance(item, NoObject):
                    problem = None if is_patch else missing_kind(item.value)
                    if problem is None:
                        others.append(item)
                    else:
                        mistake = Mistake(item.subject, problem, item.at)
                        yield partial(
                            findings.append, self._mistake(mistake, file.name)
                        )
                elif item.is_template:
                    self._skip(file.name, item.at.line, "unrendered template")
                else:
                    yield partial(findings.append, self._mistake(item, file.name))
            for item in others:
                problem = refused_document(item.value) if has_object else None
                if problem is None or is_patch:
                    self._skip(file.name, item.at.line, item.reason)
                else:
                    mistake = Mistake(item.subject, problem, item.at)
                    findings.append(self._mistake(mistake, file.name))
            if not documents and file.is_stream:
                self._skip(file.name, 0, "no object in it")
            self.found.documents += len(documents)
            yield partial(self._finish_file, file, data, findings)

    def _depth_of_missing(self, file: ManifestFile) -> int:
        """How deep a required field is at most whose absence makes an object of a file a
        patch that no kustomization lists; 0 where none does. Scripts may add what is left
        out by the kustomization beside it, which may also be forgotten."""
        if file.may_be_part or is_named_patch(file):
            return sys.maxsize
        return _OUTER if self.kustomizations.leaves_out(file) else 0

    def _lacks_field(self, value: Mapping[str, Any], depth: int) -> bool:
        return any(len(path) <= depth for path in self.upgrade.missing_fields(value))

    def _start(
        self,
        manifest: Manifest,
        file: ManifestFile,
        findings: list[Finding],
        is_part: bool,
    ) -> Callable[[], None] | None:
        """Start the check of an object; what is returned adds to the findings."""
        self.found.objects += 1
        kind = kind_of(manifest.value)
        reason = self.upgrade.reason_to_skip(kind)
        if reason is not None:
            is_known = reason not in (ENCRYPTED, PLACEHOLDER)
            detail = shorten(f"{kind.kind} of {kind.api_version}") if is_known else ""
            self._skip(file.name, manifest.position(()).line, reason, detail)
            return None
        self.found.checked += 1
        is_patch = is_part or manifest.is_patch
        if not is_patch:
            self.found.kinds.add(kind)
        old = None if is_patch else self._old(manifest, file.name)
        result = self.upgrade.start(manifest.value, kind, is_patch=is_patch, old=old)
        return partial(self._finish, manifest, file, findings, result)

    def _old(self, manifest: Manifest, file: str) -> Mapping[str, Any] | None:
        """What an object was before; None for a new one."""
        if self.previous is None:
            return None
        found = self.previous.find(manifest.value, file)
        if len(found) > 1:
            line = manifest.position(()).line
            self._skip(file, line, "changes of objects that were there more than once")
            return None
        self.found.updated += len(found)
        return found[0] if found else None

    def _finish(
        self,
        manifest: Manifest,
        file: ManifestFile,
        findings: list[Finding],
        wait: Callable[[], ObjectResult],
    ) -> None:
        result = wait()
        for reason, count in result.unchecked.items():
            if not file.is_part:
                line = manifest.position(()).line
                self._skip(file.name, line, reason, count=count)
        differences = joined_by_origin(result.differences, manifest.origin)
        for problem, releases, change in differences:
            if file.is_part and problem.rule == "newer-version":
                continue  # A program's choice, and none of the cluster's.
            is_known_patch = manifest.is_patch or self.kustomizations.is_patch(file)
            if problem.rule == "patch-directive" and is_known_patch:
                continue  # Nobody can take it for an object.
            if self.kustomizations.sets(file, manifest.subject.kind, problem.path):
                line = manifest.position(problem.path).line
                self._skip(file.name, line, "values that kustomizations set")
                continue
            if problem.path == _NAME and self.upgrade.may_be_of_program(manifest.value):
                line = manifest.position(()).line
                self._skip(
                    file.name, line, "names of what may be configuration of a program"
                )
                continue
            if manifest.is_encrypted:
                problem = problem._replace(fixes=())
            at = manifest.position(problem.path, of_key=problem.of_key)
            findings.append(
                Finding.of(problem, file.name, at, manifest.subject, releases, change)
            )

    def _skip(
        self, file: str, line: int, reason: str, detail: str = "", count: int = 1
    ) -> None:
        self.found.skips.append(Skip(file, line, reason, detail, count))

    def _mistake(self, item: Mistake, file: str) -> Finding:
        """The finding of a mistake in the text, which is the same in all releases."""
        change: Change | None = "both" if self.upgrade.before else None
        releases = self.upgrade.releases
        return Finding.of(item.problem, file, item.at, item.subject, releases, change)

    def _finish_file(
        self, file: ManifestFile, data: bytes, findings: list[Finding]
    ) -> None:
        if file.manager:
            by = shorten(file.manager)
            findings = [
                finding._replace(subject=finding.subject._replace(manager=by))
                for finding in findings
            ]
        releases = self.upgrade.releases
        kept, ignored = apply_ignores(file.name, data, findings, releases)
        with_severity = with_severities(kept, self.severities)
        self.found.findings += sorted(with_severity, key=lambda finding: finding.order)
        self.found.ignored += ignored
