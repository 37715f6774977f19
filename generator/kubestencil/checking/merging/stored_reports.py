"""Reads reports that ``kubestencil check`` wrote as JSON, and those of shards also as SARIF
and JUnit, in which they are whole."""

from __future__ import annotations

import html
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple, cast, get_args

from kubestencil.checking.edits import Edit, Move, Put, Remove
from kubestencil.checking.findings import (
    SCHEMA,
    Finding,
    PartOfRun,
    Report,
    Skip,
    Subject,
)
from kubestencil.checking.rules import RULES, SEVERITIES, Change
from kubestencil.errors import SourceError, UsageError
from kubestencil.schema.knowledge.coverage import NO_COVERAGE, Aspect, Coverage
from kubestencil.shards import Shard
from kubestencil.source.folder import read_file

# Nothing else in a JUnit report, whose quotes are escaped.
_IN_JUNIT = re.compile(rb'<property name="report" value="([^"]*)" />')
_SUBJECT = "apiVersion", "kind", "name", "namespace", "source", "manager"
_CHANGES = (*get_args(Change), None)


class StoredReport(NamedTuple):
    """A report in a file. ``version`` is that of the kubestencil that wrote it, and ``gaps``
    has the release whose facts were used, by aspect, where it is another one."""

    file: str
    report: Report
    version: str
    gaps: Mapping[str, str]


def read_report(file: str) -> StoredReport:
    """The report in a file, which anybody may have written.

    Raises UsageError where there is no such file, or a rule is unknown, SourceError where
    it cannot be read or is no such report.
    """
    try:
        raw = _document(read_file(file).data)
        if raw["schema"] != SCHEMA:
            raise ValueError
        gaps = {_text(key): _text(value) for key, value in raw["coverage"].items()}
        version = _text(raw["tool"]["version"])
        return StoredReport(file, _report(raw), version, gaps)
    except _UnknownRuleError as error:
        raise UsageError(
            f"has the rule {error.args[0]!a}, which this version does not know",
            where=file,
            hint="use the version of kubestencil that wrote the report, or a newer one",
        ) from error
    except (
        ValueError,
        LookupError,
        TypeError,
        AttributeError,
        RecursionError,
    ) as error:
        raise SourceError(
            "is no report of kubestencil check in JSON, nor of a shard in SARIF or JUnit",
            where=file,
            hint=f"make one: kubestencil check … -f json -o {file}; kubestencil merge "
            "writes the other formats",
        ) from error


def _document(data: bytes) -> Any:
    if data.startswith(b"<?xml"):
        [text] = _IN_JUNIT.findall(data)
        return json.loads(html.unescape(text.decode()))
    raw = json.loads(data)
    return raw["runs"][0]["properties"]["report"] if "runs" in raw else raw


class _UnknownRuleError(ValueError):
    """A rule that this version does not have."""


def _report(raw: Any) -> Report:
    counts = raw["checked"]
    updated = counts["updated"]
    part = _part(raw["shard"]) if "shard" in raw else None
    return Report(
        _text_or_none(raw["from"]),
        _text(raw["to"]),
        tuple(map(_finding, raw["findings"])),
        files=_number(counts["files"]),
        documents=_number(counts["documents"]),
        objects=_number(counts["objects"]),
        checked=_number(counts["checked"]),
        skips=tuple(_skips(raw)),
        ignored={_text(by): _number(count) for by, count in raw["ignored"].items()},
        updated=None if updated is None else _number(updated),
        validators={
            _text(name): _text_or_none(version)
            for name, version in raw["validators"].items()
        },
        coverage=part.coverage if part else NO_COVERAGE,
        part=part,
    )


def _part(raw: Any) -> PartOfRun:
    facts = raw["facts"]
    coverage = Coverage(
        _texts(facts["releases"]),
        frozenset(cast("Iterable[Aspect]", _texts(facts["aspects"]))),
        frozenset(_texts(facts["patches"])),
    )
    number, total = _number(raw["number"]), _number(raw["total"])
    if not (1 <= number <= total and coverage.aspects <= {*get_args(Aspect)}):
        raise ValueError
    return PartOfRun(
        Shard(number, total), coverage, tuple(map(_finding, raw["unused"]))
    )


def _finding(raw: Any) -> Finding:
    if raw["rule"] not in RULES:
        raise _UnknownRuleError(_text(raw["rule"]))
    if raw["severity"] not in SEVERITIES or raw["change"] not in _CHANGES:
        raise ValueError
    names = (_text_or_none(raw[name]) or "" for name in _SUBJECT)
    path = _text(raw["path"])
    return Finding(
        raw["rule"],
        _text(raw["file"]),
        _number(raw["line"]),
        _number(raw["column"]),
        Subject(_number(raw["document"]), _number(raw["item"]), *names),
        # One step, which is written as all of them are.
        (path,) if path else (),
        _text(raw["message"]),
        _text_or_none(raw["hint"]) or "",
        _texts(raw["releases"]),
        raw["change"],
        tuple(tuple(map(_edit, fix)) for fix in raw["fixes"]),
        raw["severity"],
    )


def _edit(raw: Any) -> Edit:
    path = _tokens(raw["path"])
    match raw["op"]:
        case "move":
            return Move(_tokens(raw["from"]), path)
        case "put":
            return Put(path, raw["value"])
        case "remove":
            return Remove(path)
    raise ValueError


def _tokens(pointer: Any) -> tuple[str, ...]:
    """The tokens of a JSON pointer: ``/a~1b`` is a/b."""
    tokens = _text(pointer).split("/")[1:]
    return tuple(token.replace("~1", "/").replace("~0", "~") for token in tokens)


def _skips(raw: Any) -> Iterator[Skip]:
    """What was not checked. The first place of a reason stands for the times that are
    not listed, so that all together are as many as the report says."""
    places = [
        Skip(
            _text(place["file"]),
            _number(place["line"]),
            _text(place["reason"]),
            _text(place["detail"]),
        )
        for place in raw["notChecked"]
    ]
    more = Counter[tuple[str, str]](
        {
            (_text(row["reason"]), _text(row["detail"])): _number(row["count"])
            for row in raw["skipped"]
        }
    )
    more.subtract((place.reason, place.detail) for place in places)
    for place in places:
        yield place._replace(times=1 + more.pop((place.reason, place.detail), 0))


def _number(value: Any) -> int:
    if type(value) is not int or value < 0:
        raise TypeError
    return value


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError
    value.encode()  # Half a character cannot be printed.
    return value


def _text_or_none(value: Any) -> str | None:
    return None if value is None else _text(value)


def _texts(value: Any) -> tuple[str, ...]:
    return tuple(map(_text, value))
