"""Adds problems to results: the texts of values, messages about types."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from kubestencil.checking.files.kustomize import is_directive
from kubestencil.checking.files.placeholders import reason_unknown
from kubestencil.checking.findings import Problem, Results
from kubestencil.checking.paths import Link, field_path, path_of
from kubestencil.checking.rules import RuleId

#: Adds what is wrong with a value at a path to the results.
Check = Callable[[Any, Link, Results], None]

_MAX_SHOWN = 60
_OF_PATCH = "a server refuses this object as it stands: apply it with kustomize"
_TYPE_NAMES: Mapping[type, str] = {
    str: "the string",
    bool: "the boolean",
    int: "the number",
    float: "the number",
    type(None): "null",
}


def shown(value: Any) -> str:
    """A value for a message: one line of at most 60 characters."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict | list):
        return "an object" if isinstance(value, dict) else "a list"
    text = repr(value)
    return text if len(text) <= _MAX_SHOWN else f"{text[: _MAX_SHOWN - 3]}..."


def refuse(
    rule: RuleId, message: str, hint: str, value: Any, at: Link, results: Results
) -> None:
    """Add that a value breaks a rule, unless it is not known what the value is."""
    if reason := reason_unknown(value):
        results.unchecked.append(reason)
    else:
        results.problems.append(Problem(rule, path_of(at), message, hint))


def refuse_type(expected: str, value: Any, at: Link, results: Results) -> None:
    """Add that a value is not of the type ``expected``: ``a string``."""
    if isinstance(value, dict | list) or value is None:
        given = "null" if value is None else shown(value)
    else:
        given = f"{_TYPE_NAMES[type(value)]} {shown(value)}"
    message = f"must be {expected}, not {given}"
    refuse("wrong-type", message, "", value, at, results)


def refuse_field(
    name: str, parent: Link, results: Results, *, is_dropped: bool
) -> None:
    """Add that a kind does not have a field, in the words of the API server, unless it is
    not known what its name is; ``is_dropped`` says that even strict decoding drops it.
    """
    path = path_of((name, parent))
    message = f'unknown field "{field_path(path)}"'
    rule: RuleId = "dropped-field" if is_dropped else "unknown-field"
    problem = Problem(rule, path, message, of_key=True)
    if is_directive(name):
        problem = Problem("patch-directive", path, message, _OF_PATCH, of_key=True)
    elif reason := reason_unknown(name):
        results.unchecked.append(reason)
        return
    results.problems.append(problem)


def missing_field(name: str, parent: Link, reason: str = "") -> Problem:
    """The problem of a required field that is absent or null."""
    message = f"required field {name!r} is missing{reason}"
    return Problem("missing-field", path_of((name, parent)), message, f"add {name}")
