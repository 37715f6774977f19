"""Removes the findings that a configuration file or a baseline names from a report.

A baseline is an earlier report in JSON.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from kubestencil.checking.files.ignored_paths import make_spec
from kubestencil.checking.findings import (
    Finding,
    Problem,
    Report,
    Subject,
    with_severities,
)
from kubestencil.checking.rules import LEVELS, RULES, Level
from kubestencil.errors import SourceError, UsageError, require_known
from kubestencil.source.folder import read_file

# What a report has of ``Finding.key``.
_KEY_OF_FINDING = "rule", "file", "apiVersion", "kind", "namespace", "name", "path"
_KEYS = ("rule", "path", "kind", "reason")
_ENTRY = re.compile(r"\s*(?:\[\[\s*ignore\s*\]\]|ignore\s*=)")


@dataclass(frozen=True, slots=True)
class IgnoreEntry:
    """An entry ``[[ignore]]`` of a configuration file.

    It holds for the findings of ``rule`` (empty for all) in the files that ``path``
    matches, in the syntax of .gitignore (empty for all), about objects of ``kind``:
    ``Deployment``, ``apps/v1/Deployment`` (empty for all). It is on ``line`` of the file.
    """

    rule: str
    path: str
    kind: str
    reason: str
    line: int = 1

    def __str__(self) -> str:
        parts = ("rule", self.rule), ("path", self.path), ("kind", self.kind)
        named = [f"{name} {value}" for name, value in parts if value]
        return ", ".join(named) or "all findings"


class Configuration(NamedTuple):
    """A configuration file at ``path``: its entries, and the severities of rules."""

    path: str
    ignores: tuple[IgnoreEntry, ...] = ()
    severities: Mapping[str, Level] = MappingProxyType({})


def read_configuration(path: Path) -> Configuration:
    """The configuration in a file.

    Raises UsageError where there is no such file, for an unknown key or an unknown rule,
    SourceError for a file that cannot be read or is no TOML.
    """
    try:
        text = read_file(str(path)).data.decode()
        config = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise SourceError(f"is no TOML: {error}", where=str(path)) from error
    for key in config:
        require_known("key", key, ("ignore", "severity"), str(path))
    entries, severities = config.get("ignore", []), config.get("severity", {})
    if not isinstance(entries, list) or not isinstance(severities, Mapping):
        raise UsageError(
            "ignore must be a list, and severity a table",
            where=str(path),
            hint="write [[ignore]] before each entry, and [severity] once",
        )
    for rule, severity in severities.items():
        require_known("rule", rule, RULES, str(path))
        require_known("severity", severity, LEVELS, str(path))
    lines = _lines_of_entries(text)
    if len(lines) != len(entries):
        # Tables in a list: ignore = [{…}].
        lines = lines[:1] * len(entries) or [1] * len(entries)
    named = (
        _entry(entry, f"{path}: ignore {i}", line)
        for i, (entry, line) in enumerate(zip(entries, lines, strict=True))
    )
    return Configuration(str(path), tuple(named), severities)


def _lines_of_entries(text: str) -> list[int]:
    """The lines on which entries begin, or the list of them."""
    return [
        number for number, line in enumerate(text.splitlines(), 1) if _ENTRY.match(line)
    ]


def _entry(entry: Any, where: str, line: int) -> IgnoreEntry:
    if not isinstance(entry, Mapping):
        raise UsageError("must be a table", where=where)
    for key, value in entry.items():
        require_known("key", key, _KEYS, where)
        if not isinstance(value, str):
            raise UsageError(f"{key} must be a string", where=where)
    if not entry.get("reason"):
        raise UsageError("has no reason", where=where, hint='add reason = "…"')
    if entry.get("rule"):
        require_known("rule", entry["rule"], RULES, where)
    path = entry.get("path", "")
    try:
        make_spec([path])
    except ValueError as error:
        raise UsageError(
            f"path {path!a} is not a pattern",
            where=where,
            hint="write it as in a .gitignore file: legacy/, *.yaml",
        ) from error
    return IgnoreEntry(**{key: entry.get(key, "") for key in _KEYS}, line=line)


def apply_configuration(report: Report, configuration: Configuration) -> Report:
    """``report`` without the findings that a configuration ignores, and with one for each
    of its entries that ignores none."""
    patterns = {
        entry: make_spec([entry.path or "*"]) for entry in configuration.ignores
    }
    used: set[IgnoreEntry] = set()
    kept: list[Finding] = []
    for finding in report.findings:
        covering = [
            entry
            for entry, files in patterns.items()
            if _covers(entry, finding) and files.match_file(finding.file.lstrip("/"))
        ]
        used.update(covering)
        if not covering:
            kept.append(finding)
    dropped = len(report.findings) - len(kept)
    unused = []
    for entry in patterns:
        if entry not in used:
            message = f"the entry for {entry} ignores no finding"
            problem = Problem("unused-ignore", (), message, "remove the entry")
            releases = tuple(report.after.split(", "))
            at = configuration.path, (entry.line, 1), Subject(), releases
            unused.append(Finding.of(problem, *at))
    return replace(
        report,
        findings=(*kept, *with_severities(unused, configuration.severities)),
        ignored=_added(report, "configuration", dropped),
    )


def _covers(entry: IgnoreEntry, finding: Finding) -> bool:
    subject = finding.subject
    kinds = ("", subject.kind, f"{subject.api_version}/{subject.kind}")
    return entry.rule in ("", finding.rule_id) and entry.kind in kinds


def apply_baseline(report: Report, path: Path) -> Report:
    """``report`` without the findings of an earlier report in JSON.

    Lines and columns may have changed. A finding that is there more often than in the
    baseline is kept. Raises UsageError where there is no such file, SourceError for one
    that cannot be read or is no such report.
    """
    try:
        remaining = Counter(
            tuple(entry[name] or "" for name in _KEY_OF_FINDING)
            for entry in json.loads(read_file(str(path)).data)["findings"]
        )
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise SourceError(
            "is no report of kubestencil check in JSON",
            where=str(path),
            hint=f"make one: kubestencil check … -f json -o {path}",
        ) from error
    kept: list[Finding] = []
    for finding in report.findings:
        if remaining[finding.key] > 0:
            remaining[finding.key] -= 1
        else:
            kept.append(finding)
    dropped = len(report.findings) - len(kept)
    return replace(
        report, findings=tuple(kept), ignored=_added(report, "baseline", dropped)
    )


def _added(report: Report, by: str, count: int) -> Mapping[str, int]:
    return {**report.ignored, by: count} if count else report.ignored
