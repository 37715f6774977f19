"""Reads YAML as Kubernetes does.

kubectl and the API server read YAML with go-yaml v2 (sigs.k8s.io/yaml,
goyaml.v2/resolve.go and decode.go), whose scalars are those of YAML 1.1 with
exceptions: ``=`` is a string, ``12:30:45`` is no sexagesimal number, timestamps stay
strings. Keys become strings, duplicate keys are refused.

Documents are composed from libyaml's events without recursion, so that neither depth
nor aliases can exhaust the stack, and both are limited.
"""

from __future__ import annotations

import base64
import binascii
import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from kubestencil.errors import SpecError

#: How deep a text may nest. A level of a schema takes two.
MAX_DEPTH = 500
#: How many values the aliases of one text may stand for, and the environment variable
#: that lifts the limit. Published catalogues have no alias at all.
MAX_ALIASED = 1_000_000
MAX_ALIASED_VARIABLE = "KUBESTENCIL_MAX_ALIASED"

_TRUE = frozenset(
    ["y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"]
)
_FALSE = frozenset(
    ["n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"]
)
_NULL = frozenset(["", "~", "null", "Null", "NULL"])
_NOT_FINITE = frozenset(
    [
        ".nan", ".NaN", ".NAN", ".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF",
        "-.inf", "-.Inf", "-.INF",
    ]
)  # fmt: skip
# strconv.ParseInt with base 0: a prefix decides the base, and 0 alone means octal.
_INTEGER = re.compile(
    r"([-+]?)(?:0[xX]([0-9a-fA-F]+)|0[bB]([01]+)|0[oO]?([0-7]+)|(0|[1-9][0-9]*))\Z"
)
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?\Z")
_NUMBER_START = frozenset("+-.0123456789")
_MAX_UINT64 = 2**64 - 1
_MIN_INT64 = -(2**63)
_TAG = "tag:yaml.org,2002:"


@dataclass(frozen=True, slots=True)
class Document:
    """One document of a YAML text: its JSON value, and the line that it begins on."""

    value: Any
    line: int


def documents(text: str, where: str) -> Iterator[Document]:
    """The documents of a YAML text, as JSON values; empty documents are left out.

    ``where`` names the text in errors. Raises SpecError, with line and column, for a
    text that is not YAML, has a value that JSON does not have, duplicate keys, or
    more depth or nodes than the limits allow.
    """
    import yaml

    loader = getattr(yaml, "CLoader", yaml.Loader)
    try:
        yield from _Composer(where).documents(yaml.parse(text, Loader=loader))
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        problem = getattr(error, "problem", None) or "cannot be read"
        raise SpecError(f"is not YAML: {problem}", where=_at(where, mark)) from error


@dataclass(slots=True)
class _Node:
    """A mapping or sequence that is being composed.

    ``key`` is the pending key of a mapping, ``merges`` the values of its ``<<``.
    """

    container: Any
    anchor: str | None
    start: int
    key: str | None = None
    has_key: bool = False
    is_merge: bool = False
    merges: list[Any] = field(default_factory=list)


class _Composer:
    """Composes values from events; counts what aliases stand for, not only aliases."""

    def __init__(self, where: str) -> None:
        self.where = where
        self.count = 0
        self.aliased = 0
        self.limit = int(os.environ.get(MAX_ALIASED_VARIABLE, MAX_ALIASED))
        self.anchors: dict[str, tuple[Any, int]] = {}

    def documents(self, events: Iterator[Any]) -> Iterator[Document]:
        import yaml

        stack: list[_Node] = []
        root: list[Any] = []
        line = 0
        for event in events:
            kind = type(event)
            if kind is yaml.ScalarEvent:
                value = self.scalar(event, stack)
                if event.anchor:
                    self.anchors[event.anchor] = value, 1
                self.add(value, 1, event, stack, root)
            elif kind is yaml.MappingStartEvent or kind is yaml.SequenceStartEvent:
                if len(stack) >= MAX_DEPTH:
                    raise self.error(f"is nested more than {MAX_DEPTH} deep", event)
                if (
                    stack
                    and type(stack[-1].container) is dict
                    and not stack[-1].has_key
                ):
                    raise self.error("a key must be a scalar", event)
                container: Any = {} if kind is yaml.MappingStartEvent else []
                stack.append(_Node(container, event.anchor, self.count))
            elif kind is yaml.MappingEndEvent or kind is yaml.SequenceEndEvent:
                node = stack.pop()
                for merged in node.merges:
                    for key, value in merged.items():
                        node.container.setdefault(key, value)
                size = self.count - node.start + 1
                if node.anchor:
                    self.anchors[node.anchor] = node.container, size
                self.add(node.container, 1, event, stack, root)
            elif kind is yaml.AliasEvent:
                if event.anchor not in self.anchors:
                    raise self.error(f"the alias *{event.anchor} has no anchor", event)
                value, size = self.anchors[event.anchor]
                self.count_alias(size, event)
                self.add(value, size, event, stack, root)
            elif kind is yaml.DocumentStartEvent:
                line = event.start_mark.line + 1
                root.clear()
                self.anchors.clear()
            elif kind is yaml.DocumentEndEvent and root and root[0] is not None:
                yield Document(root[0], line)

    def add(
        self, value: Any, size: int, event: Any, stack: list[_Node], root: list[Any]
    ) -> None:
        """Put a finished value where it belongs: into its parent, as key or value."""
        self.count += size
        if not stack:
            root.append(value)
            return
        node = stack[-1]
        if type(node.container) is list:
            node.container.append(value)
        elif not node.has_key:
            self.add_key(value, event, node)
        else:
            node.has_key = False
            if node.is_merge:
                node.is_merge = False
                node.merges += self.mergeable(value, event)
            else:
                node.container[node.key] = value

    def count_alias(self, size: int, event: Any) -> None:
        self.aliased += size
        if self.aliased > self.limit:
            raise self.error(
                f"has aliases that stand for more than {self.limit:,} values",
                event,
                f"set {MAX_ALIASED_VARIABLE} to a higher number to read it",
            )

    def add_key(self, value: Any, event: Any, node: _Node) -> None:
        node.has_key = True
        if value is _MERGE:
            node.is_merge = True
            return
        node.key = _key(value)
        if node.key is None:
            raise self.error("a key must be a scalar", event)
        if node.key in node.container:
            raise self.error(f"the key {node.key!a} is duplicated", event)
        # Reserve the place, so that a merge does not change the order of keys.
        node.container[node.key] = None

    def mergeable(self, value: Any, event: Any) -> list[Any]:
        values = value if isinstance(value, list) else [value]
        if not all(isinstance(item, dict) for item in values):
            raise self.error("<< merges a mapping, or a list of mappings", event)
        return values

    def scalar(self, event: Any, stack: list[_Node]) -> Any:
        text = event.value
        if event.tag is None:
            if not event.implicit[0]:
                return text
            if text == "<<":
                node = stack[-1] if stack else None
                is_key = node and type(node.container) is dict and not node.has_key
                return _MERGE if is_key else text
            if text in _NOT_FINITE:
                raise self.error(f"{text} is not a JSON number", event)
            return resolve(text)
        tag = event.tag.removeprefix(_TAG)
        convert = _TAGGED.get(tag)
        if convert is None:
            return text
        try:
            return convert(text)
        except (ValueError, binascii.Error) as error:
            raise self.error(f"{text!a} is not a !!{tag}", event) from error

    def error(self, what: str, event: Any, hint: str = "") -> SpecError:
        return SpecError(what, where=_at(self.where, event.start_mark), hint=hint)


def resolve(text: str) -> Any:
    """The JSON value of a plain scalar, as go-yaml v2 resolves it."""
    if text in _NULL:
        return None
    if text[0] in _NUMBER_START:
        return _number(text)
    if text in _TRUE:
        return True
    if text in _FALSE:
        return False
    return text


def _number(text: str) -> int | float | str:
    plain = text.replace("_", "")
    match = _INTEGER.match(plain)
    if match is not None:
        sign, hexadecimal, binary, octal, decimal = match.groups()
        number = (
            int(hexadecimal, 16)
            if hexadecimal
            else int(binary, 2) if binary else int(octal, 8) if octal else int(decimal)
        )
        number = -number if sign == "-" else number
        if _MIN_INT64 <= number <= _MAX_UINT64:
            return number
    if _FLOAT.match(plain):
        value = float(plain)
        return value if abs(value) != float("inf") else text
    return text


def _key(value: Any) -> str | None:
    """A key as JSON has it (sigs.k8s.io/yaml, yaml.go: convertToJSONableObject)."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None:
        return "null"
    if isinstance(value, int | float):
        return str(value)
    return None


def _binary(text: str) -> str:
    return base64.b64decode(text, validate=False).decode("utf-8", "replace")


def _typed(kind: type | tuple[type, ...]) -> Callable[[str], Any]:
    def convert(text: str) -> Any:
        value = resolve(text)
        if not isinstance(value, kind) or (
            isinstance(value, bool) and kind is not bool
        ):
            raise ValueError(text)
        return value

    return convert


_MERGE = object()
_TAGGED: dict[str, Callable[[str], Any]] = {
    "str": str,
    "binary": _binary,
    "int": _typed(int),
    "float": lambda text: float(_typed((int, float))(text)),
    "bool": _typed(bool),
    "null": _typed(type(None)),
}


def _at(where: str, mark: Any) -> str:
    return f"{where}:{mark.line + 1}:{mark.column + 1}" if mark else where
