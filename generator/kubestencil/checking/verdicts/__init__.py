"""What the API server's own code says about an object (``kubestencil.validator``), and in
``changes`` about a change of one that is there; ``internal_paths`` finds the places that
it names."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from kubestencil.checking.files.placeholders import (
    ENCRYPTED,
    PLACEHOLDER,
    reason_unknown,
)
from kubestencil.checking.findings import Problem, Results
from kubestencil.checking.paths import Path, parts_of, value_at
from kubestencil.checking.rules import RULES, RuleId
from kubestencil.checking.values.relations import pods_of
from kubestencil.checking.verdicts.internal_paths import (
    STEP,
    WHOLE,
    as_written,
    located,
    written_field,
)
from kubestencil.schema.types import group_version_kind
from kubestencil.validator.process import PendingAnswer, Validator
from kubestencil.validator.protocol import Answer, Cause, Request

# Reasons of k8s.io/apimachinery/pkg/util/validation/field/errors.go; others are about
# values, and do not say what is wrong with them.
_RULES: Mapping[str, RuleId] = {
    "FieldValueRequired": "missing-field",
    "FieldValueNotSupported": "invalid-enum",
    "FieldValueDuplicate": "duplicate-item",
    "FieldValueForbidden": "forbidden-field",
    "FieldValueTypeInvalid": "wrong-type",
}

_NOT_SERVED = (
    "custom resources whose CustomResourceDefinition is missing, refused by the API "
    "server, or does not serve their version"
)

# What apiextensions-apiserver says beside the causes for which it left out rules.
_INCOMPLETE = "some validation rules were not checked because the object was invalid"

# A warning of 1.37 and later about a CustomResourceDefinition.
_FORMAT = re.compile(r'unrecognized format "([^"]*)"')
_MAX_DEPTH = 100

# Fields of containers.
_OF_SHELLS = ("command", "args")

# What a server quotes that keeps a value to itself (field.OmitValueType of apimachinery).
_OMITTED = "<value omitted>"
# Characters of a message, and of what an object lacks of a path: brackets that nothing
# closes take quadratic time.
_MAX_MESSAGE = 400


def ask_verdict(
    problems: list[Problem],
    value: Mapping[str, Any],
    validator: Validator,
    *,
    is_custom: bool,
) -> PendingAnswer | None:
    """Ask what a server says about an object with these problems.

    What it cannot decode, a server does not look at: there, the problems say more. Of
    custom resources, it decodes the metadata, and looks for unknown fields.
    """
    for problem in problems:
        is_decoded = (
            not is_custom
            or problem.rule == "unknown-field"
            or problem.path[:1] == ("metadata",)
        )
        if is_decoded and RULES[problem.rule].severity == "error":
            return None
    return validator.submit(Request("create", value))


def add_verdict(
    results: Results,
    known: Sequence[Problem],
    value: Mapping[str, Any],
    answer: Answer,
    *,
    is_custom: bool,
) -> None:
    """Add to the values of an object what a server finds; what is required, and what a
    schema refuses, is the server's to say.

    ``known`` is what tables have of it: a problem has the same rule and place with it.
    """
    is_error = any(RULES[one.rule].severity == "error" for one in results.problems)
    if answer.code == 400 and is_error:
        # It says in one sentence what is known place by place.
        return
    if answer.is_verdict:
        results.problems[:] = [
            problem
            for problem in results.problems
            if RULES[problem.rule].severity != "error"
        ]
    results.values.extend(_refusals(answer, known, value))
    results.values.extend(_warnings(answer, value))
    results.values.extend(_pod_security(answer, value))
    results.values.extend(denials(answer.policies, value))
    if is_custom and answer.is_verdict:
        # Rules in CEL, formats and patterns have been applied.
        reasons = [one for one in results.unchecked if one in (ENCRYPTED, PLACEHOLDER)]
        results.unchecked[:] = reasons
    elif is_custom and answer.code == 404:
        results.unchecked.append(_NOT_SERVED)
    results.unchecked.extend(_failures(answer, value))


def _failures(answer: Answer, value: Mapping[str, Any]) -> Iterator[str]:
    """Why there is no verdict, where the server's code failed, or where what a
    placeholder stands for decides."""
    if (answer.policies or _is_unreadable(answer)) and _has_placeholders(value):
        yield PLACEHOLDER
    if answer.has_failed and not answer.policies:
        yield "the API server's own code failed"


def _refusals(
    answer: Answer, known: Sequence[Problem], value: Mapping[str, Any]
) -> Iterator[Problem]:
    is_admitted = not answer.pod_security and not answer.policies
    if answer.accepted or not answer.is_verdict or not is_admitted:
        return
    if _is_unreadable(answer) and _has_placeholders(value):
        return
    causes = [cause for cause in answer.causes if _INCOMPLETE not in cause.message]
    causes = causes or [Cause("", "", answer.message)]
    # The server's code goes through maps, whose order differs each time.
    written = (as_written(cause, value) for cause in sorted(causes))
    places = ((cause, *located(cause.field, value)) for cause in written)
    # One mistake can have several causes.
    refusals = dict.fromkeys(
        _problem(cause, path, rest, known)
        for cause, path, rest in places
        if not reason_unknown(value_at(value, path)) and not _has_unknown(cause)
    )
    yield from refusals
    yield from _unnamed(known, refusals)


def _unnamed(
    known: Sequence[Problem], refusals: Collection[Problem]
) -> Iterator[Problem]:
    """The absent fields of which a server names what follows only: of a DaemonSet without a
    selector it says that this does not match the labels."""
    for problem in known:
        outer, path = problem.path[:-1], problem.path
        is_named = any(one.path[: len(path)] == path for one in refusals)
        is_beside = any(one.path[: len(outer)] == outer != one.path for one in refusals)
        if problem.rule == "missing-field" and is_beside and not is_named:
            yield problem


def _is_unreadable(answer: Answer) -> bool:
    """Whether a server cannot read an object, and does not say where: a quantity or a time
    is none."""
    return answer.code == 400 and not answer.causes


def _has_unknown(cause: Cause) -> bool:
    """Whether what the server quotes is a placeholder: it names the map of a label."""
    try:
        value = json.loads(cause.bad_value or "null")
    except ValueError:
        return False
    return value != _OMITTED and bool(reason_unknown(value))


def refused_places(answer: Answer, value: Mapping[str, Any]) -> frozenset[Path]:
    """The places that a server names as causes of its refusal."""
    written = (as_written(cause, value).field for cause in answer.causes)
    return frozenset(_whole(*located(field, value)) for field in written)


def _whole(path: Path, rest: str) -> Path:
    """A path with the end that the object does not have."""
    return (*path, *(name or key for name, key in STEP.findall(rest[:_MAX_MESSAGE])))


def _problem(cause: Cause, path: Path, rest: str, known: Sequence[Problem]) -> Problem:
    """``rest`` is the end of the path that the object does not have."""
    message = message_of(cause)
    rule = _RULES.get(cause.reason, "invalid-value")
    whole = _whole(path, rest)
    # Of owners, a server leaves out the index.
    places = {_keys(problem.path): problem for problem in known}
    places |= {problem.path: problem for problem in known}
    if whole in places:
        return places[whole]._replace(message=message)
    # Of an object that is absent, a server names what would be in it.
    for problem in known:
        end = len(problem.path)
        is_outside = len(path) < end < len(whole) and whole[:end] == problem.path
        if is_outside and problem.rule == "missing-field":
            return problem
    for problem in known:
        # A server names a map or list as a whole where one of its members is wrong.
        is_same = rule in (problem.rule, "invalid-value")
        if problem.path[:-1] == whole and is_same:
            return problem._replace(message=message)
    # Where a text or map is absent, a server may find that the empty one is wrong.
    is_empty = cause.bad_value in ('""', "null")
    is_absent = rest and (rule == "missing-field" or is_empty)
    hint = f"add {rest.lstrip('.')}" if rest and rule == "missing-field" else ""
    return Problem(rule, whole if is_absent else path, message, hint)


def _keys(path: Path) -> Path:
    return tuple(step for step in path if isinstance(step, str))


def message_of(cause: Cause) -> str:
    """What the server says of a cause, without the middle of a long value in it."""
    text = cause.message
    if len(text) > _MAX_MESSAGE:
        text = f"{text[: _MAX_MESSAGE // 2]} … {text[-_MAX_MESSAGE // 2 :]}"
    return text if cause.field in ("", WHOLE) else f"{cause.field}: {text}"


def _warnings(answer: Answer, value: Mapping[str, Any]) -> Iterator[Problem]:
    for warning in dict.fromkeys(answer.warnings):
        field, colon, _ = warning.partition(": ")
        field = written_field(field, value) if colon else field
        path, rest = located(field, value) if colon else ((), field)
        if match := _FORMAT.fullmatch(warning):
            path, rest = _place_of_format(match[1], value), ""
        yield Problem("server-warning", () if rest else path, warning, "")


def _place_of_format(name: str, value: Mapping[str, Any]) -> Path:
    """Where a CustomResourceDefinition has a format first."""
    places: list[tuple[Path, Any]] = [((), value)]
    for path, part in places:
        if isinstance(part, Mapping) and part.get("format") == name:
            return (*path, "format")
        if len(path) < _MAX_DEPTH:
            places += (((*path, step), inner) for step, inner in parts_of(part))
    return ()


def denials(messages: Sequence[str], value: Mapping[str, Any]) -> Iterator[Problem]:
    """What admission policies deny: not where a placeholder stands in a place that they
    may look at."""
    if messages and not _has_placeholders(value):
        for message in messages:
            yield Problem("denied-by-policy", (), message, "")


def _has_placeholders(value: Any) -> bool:
    """Whether an object has a placeholder. What looks like one in a script, in a command
    or its arguments is a variable of a shell or of Kubernetes."""
    values = [value]
    for current in values:
        is_script = isinstance(current, str) and "\n" in current.strip()
        if not is_script and reason_unknown(current):
            return True
        values += (part for name, part in parts_of(current) if name not in _OF_SHELLS)
    return False


def _pod_security(answer: Answer, value: Mapping[str, Any]) -> Iterator[Problem]:
    """What the Pod Security Standards forbid: also of a template of pods, which a server
    stores before it refuses each of its pods."""
    if answer.pod_security:
        path = pods_of(group_version_kind(value["apiVersion"], value["kind"])) or ()
        yield Problem("pod-security", path, answer.pod_security, "")
