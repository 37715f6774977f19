"""Reports as SARIF 2.1.0, which code scanning services show beside the lines.

Source: https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import PurePath
from typing import Any
from urllib.parse import quote

from kubestencil.checking.findings import Finding, Report, Skip
from kubestencil.checking.rules import RULES, CheckRule
from kubestencil.version import __version__

_SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/"
    "sarif-schema-2.1.0.json"
)

# The kinds of results of what is gone after an upgrade.
_KINDS = {"fixed": "pass", "not-found": "open"}
# Those of ``Subject`` behind the place in the file.
_PROPERTIES = "apiVersion", "kind", "name", "namespace", "source", "manager"


def report_sarif(report: Report) -> dict[str, Any]:
    """A report as a SARIF log of one run, whose levels have the names of severities.

    Findings that an upgrade fixes have the kind ``pass``, and ``open`` those that tables
    no longer find after it. What was not checked, and what is not known of the releases, is
    a notification of the run.
    """
    indexes = {name: index for index, name in enumerate(RULES)}
    lines = (
        *report.skipped_lines(),
        *report.validator_lines(),
        *report.coverage.sentences,
    )
    notes = [{"level": "note", "message": {"text": text}} for text in lines]
    driver = {"name": "kubestencil", "version": __version__, "rules": list(_rules())}
    servers = [
        {"name": "kube-apiserver", "version": version}
        for version in filter(None, report.validators.values())
    ]
    invocation = {
        "executionSuccessful": True,
        "toolExecutionNotifications": [*notes, *map(_skip, report.skips)],
    }
    run = {
        "tool": {"driver": driver, "extensions": servers},
        "columnKind": "unicodeCodePoints",
        "invocations": [invocation],
        "results": [
            _result(finding, indexes[finding.rule_id]) for finding in report.findings
        ],
        "properties": {
            "coverage": report.coverage.to_dict(),
            # What a shard's results lack of its report, of which one of all is made.
            **({"report": report.to_dict()} if report.part else {}),
        },
    }
    return {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}


def _rules() -> Iterator[dict[str, Any]]:
    for rule in RULES.values():
        yield {
            "id": rule.id,
            "shortDescription": {"text": rule.reason},
            "fullDescription": {"text": rule.reason},
            "help": {"text": _help(rule), "markdown": _help(rule)},
            "defaultConfiguration": (
                {"enabled": False}
                if rule.severity == "off"
                else {"level": rule.severity}
            ),
        }


def _help(rule: CheckRule) -> str:
    """What a code scanning service shows beside a finding."""
    return (
        f"{rule.severity.capitalize()}: {rule.reason} The hint of a finding says what to "
        f"write instead. To leave out one finding, write `# kubestencil: ignore "
        f"{rule.id} REASON` behind the value or on the line before it."
    )


def _skip(skip: Skip) -> dict[str, Any]:
    text = f"Not checked: {', '.join(filter(None, (skip.reason, skip.detail)))}"
    return {
        "level": "note",
        "message": {"text": text},
        "locations": [_location(skip.file, startLine=skip.line)],
    }


def _location(file: str, **region: int) -> dict[str, Any]:
    """A place in a file, whose lines and columns count from 1."""
    return {
        "physicalLocation": {
            "artifactLocation": {"uri": _uri(file)},
            "region": {name: max(number, 1) for name, number in region.items()},
        }
    }


def _result(finding: Finding, rule_index: int) -> dict[str, Any]:
    subject, path = finding.subject, finding.field_path
    hint = f". Hint: {finding.hint}" if finding.hint else ""
    line, column = finding.line_of_origin, finding.column
    location = _location(finding.origin, startLine=line, startColumn=column)
    member = {
        "name": path or subject.name,
        "fullyQualifiedName": "/".join(filter(None, (*subject[2:6], path))),
        "kind": "member",
    }
    return {
        "ruleId": finding.rule_id,
        "ruleIndex": rule_index,
        "kind": _KINDS.get(finding.change or "", "fail"),
        "level": "none" if finding.is_gone else finding.severity,
        "message": {"text": f"{finding.message}{hint}"},
        "locations": [{**location, "logicalLocations": [member]}],
        "partialFingerprints": {"finding/v1": _fingerprint(finding)},
        "properties": {
            **dict(zip(_PROPERTIES, subject[2:], strict=True)),
            "path": path,
            "releases": list(finding.releases),
            "change": finding.change,
        },
    }


def _fingerprint(finding: Finding) -> str:
    """What stays the same when lines are added above a finding."""
    return hashlib.sha256("\0".join(map(str, finding.key)).encode()).hexdigest()[:32]


def _uri(file: str) -> str:
    """A file as a relative reference (RFC 3986), or as an absolute URI."""
    path = PurePath(file)
    if path.is_absolute():
        return path.as_uri()
    return quote(path.as_posix(), errors="surrogateescape")
