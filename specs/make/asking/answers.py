"""Objects are put to a server, and its answers say of each whether it is accepted, or
which of its values are refused."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

from kubestencil.checking.paths import Path, field_path, keys_of
from kubestencil.validator.process import Validator
from kubestencil.validator.protocol import Answer, Cause, Request
from specs.make.asking.objects import Position

Verdict = Literal["accepted", "refused", "unknown"]

_LISTED = re.compile(r"(?:supported|valid) values: (.*)\Z", re.S)
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"')
# Paths of the server that are not those of the field that it means.
_SERVER_PATHS = {
    "metadata.taints": "spec.taints",
    "spec.LoadBalancerSourceRanges": "spec.loadBalancerSourceRanges",
}


def created(
    validator: Validator,
    objects: Iterable[Any],
    gates: Mapping[str, bool] = MappingProxyType({}),
) -> list[Answer]:
    """The answers to new objects, with some feature gates."""
    requests = (Request("create", value, feature_gates=gates) for value in objects)
    return [*validator.ask(requests)]


def stored(validator: Validator, objects: Iterable[Any]) -> list[Answer]:
    """The answers to new objects as they are stored, with what is filled in."""
    return [*validator.ask(Request("default", value) for value in objects)]


def reapplied(validator: Validator, objects: Sequence[Any]) -> list[Any]:
    """Those of some objects that can be applied again."""
    answers = validator.ask(Request("update", value, old=value) for value in objects)
    return [
        value for value, answer in zip(objects, answers, strict=True) if answer.accepted
    ]


def listed_values(cause: Cause) -> list[str]:
    """The values that a server says are supported; none where it lists none."""
    listed = _LISTED.search(cause.message)
    return _QUOTED.findall(listed[1]) if listed else []


def accepted(
    validator: Validator,
    objects: Sequence[Any],
    gates: Mapping[str, bool] = MappingProxyType({}),
) -> list[Any]:
    """Those of some objects that can be created, with some feature gates."""
    answers = created(validator, objects, gates)
    return [
        value for value, answer in zip(objects, answers, strict=True) if answer.accepted
    ]


class Target(NamedTuple):
    """A value in an object that a server may refuse; of an item its list may be named
    instead, and so may what a type is of: ``is_part``."""

    path: Path
    is_part: bool = False

    @classmethod
    def of(cls, position: Position) -> Target:
        """The value at a position."""
        return cls(position.path, position.is_item)

    def causes(self, answer: Answer) -> list[Cause]:
        """The causes of a refusal that name the value."""
        names = set(_server_paths(self.path))
        if self.is_part:
            names.add(field_path(self.path[:-1]))
        return [cause for cause in answer.causes if field_of(cause) in names]

    def causes_inside(self, answer: Answer) -> list[Cause]:
        """Those that name what is in the value."""
        field = field_path(self.path)
        inside = (f"{field}.", f"{field}[")
        return [cause for cause in answer.causes if field_of(cause).startswith(inside)]

    def is_refused(self, answer: Answer) -> bool:
        """Whether a server refuses the value, or what is in it."""
        causes = (*self.causes(answer), *self.causes_inside(answer))
        return answer.code == 422 and len(causes) > 0

    def verdict(self, answer: Answer) -> Verdict:
        """What an answer says of the value itself: one that names other paths says
        nothing about it."""
        if answer.accepted:
            return "accepted"
        is_named = answer.code == 422 and self.causes(answer)
        return "refused" if is_named else "unknown"


def _server_paths(path: Path) -> tuple[str, ...]:
    """How a server may write a path: of an item as one of a map, without the indexes of
    lists, or without the list that has an item (``downwardAPI.mode`` of its ``items``).
    """
    *outer, last = path
    names = [field_path(path), f"{field_path(tuple(outer))}[{last}]", keys_of(path)]
    if len(path) > 3 and isinstance(path[-2], int):
        names.append(field_path((*path[:-3], last)))
    return tuple(names)


def field_of(cause: Cause) -> str:
    """The path that a server means."""
    for wrong, right in _SERVER_PATHS.items():
        if cause.field.partition("[")[0] == wrong:
            return right + cause.field.removeprefix(wrong)
    return cause.field
