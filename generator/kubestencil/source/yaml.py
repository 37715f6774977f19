"""Reads YAML as Kubernetes does.

kubectl and the API server read YAML with go-yaml v2 (sigs.k8s.io/yaml,
goyaml.v2/resolve.go and decode.go), whose scalars are those of YAML 1.1 with
exceptions: ``=`` is a string, ``12:30:45`` is no sexagesimal number, timestamps stay
strings. Keys become strings, duplicate keys are refused. A text is split into documents
before it is parsed, at lines that begin with ``---`` (apimachinery,
pkg/util/yaml/decoder.go), so that a mistake in one document leaves the others readable.

Documents are composed from libyaml's events without recursion, so that neither depth
nor aliases can exhaust the stack, and both are limited.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from kubestencil.errors import SpecError, UsageError
from kubestencil.source.yaml_scalars import (
    NOT_FINITE,
    as_json_number,
    convert_tagged,
    key_text,
    resolve,
)

__all__ = [
    "MAX_ALIASED",
    "MAX_ALIASED_VARIABLE",
    "MAX_DEPTH",
    "Document",
    "Position",
    "Repeated",
    "YamlError",
    "compose",
    "documents",
    "resolve",
    "split_documents",
]

#: How deep a text may nest. A level of a schema takes two.
MAX_DEPTH = 500
#: How many values the aliases of one text may stand for, and the environment variable
#: that lifts the limit. Published catalogues have no alias at all.
MAX_ALIASED = 1_000_000
MAX_ALIASED_VARIABLE = "KUBESTENCIL_MAX_ALIASED"

_TAG = "tag:yaml.org,2002:"
_SEPARATOR = re.compile(r"^---([^\n]*)\n?", re.MULTILINE)
_LINE_BREAK = re.compile(r"\r\n|\r|\n")
# The anchor and the tag before a value, and what may stand between them.
_PROPERTIES = re.compile(r"(?:[&!]\S*(?:[ \t]+#[^\n]*)?[ \t\r\n]+)+")


class Position(NamedTuple):
    """A place in a text. Lines and columns count from 1, columns in characters."""

    line: int
    column: int


class YamlError(SpecError):
    """A text that is not YAML, with the position of the mistake."""

    def __init__(
        self, what: str, *, where: str = "", hint: str = "", at: Position | None = None
    ) -> None:
        self.at = at or Position(1, 1)
        self.origin = where
        position = f"{where}:{at.line}:{at.column}" if at else where
        super().__init__(what, where=position, hint=hint)


class Repeated(NamedTuple):
    """A key that a mapping has twice. ``path`` leads to the second one."""

    path: tuple[str | int, ...]
    at: Position


@dataclass(frozen=True, slots=True, eq=False)
class Document:
    """One document of a YAML text.

    ``value`` is its JSON value, ``line`` the line that it begins on. Of a key that is
    repeated, the last value counts.
    """

    value: Any
    line: int
    repeated: tuple[Repeated, ...] = ()
    text: str = field(default="", repr=False)
    first_line: int = field(default=1, repr=False)
    # By the identity of a mapping, the marks of its keys and values by key; by that of
    # a sequence, the marks of its items.
    marks: Mapping[int, Any] = field(default_factory=dict, repr=False)
    root: Any = field(default=None, repr=False)

    def position(self, path: Sequence[str | int], *, of_key: bool = False) -> Position:
        """Where the value at ``path`` begins, after its anchor and tag, or its key.

        Of a path that the document does not have, the last value on the way. A value
        that an alias stands for has the position of the alias; what is inside of it,
        or comes from a merge, that of its own text.
        """
        container, mark = self.value, self.root
        for depth, step in enumerate(path):
            marks = self.marks.get(id(container))
            try:
                mark = marks[step]  # type: ignore[index]
                container = container[step]
            except (KeyError, IndexError, TypeError):
                break
            if isinstance(mark, tuple):
                mark = mark[0 if of_key and depth == len(path) - 1 else 1]
        return self._at(mark)

    def _at(self, mark: Any) -> Position:
        if mark is None:
            return Position(self.line, 1)
        properties = _PROPERTIES.match(self.text, mark.index)
        index = properties.end() if properties else mark.index
        return _position(self.text, index, self.first_line)


def documents(text: str, where: str) -> Iterator[Document]:
    """The documents of a YAML text, as JSON values; empty documents are left out.

    ``where`` names the text in errors. Raises YamlError for a text that is not YAML,
    has a value that JSON does not have, duplicate keys, or more depth or nodes than
    the limits allow.
    """
    for line, part in split_documents(text, where):
        document = compose(part, where, line)
        if document is None:
            continue
        for repeated in document.repeated:
            key = repeated.path[-1]
            raise YamlError(
                f"the key {key!a} is duplicated", where=where, at=repeated.at
            )
        yield document


def split_documents(text: str, where: str) -> Iterator[tuple[int, str]]:
    """The documents of a text before they are parsed, each with its first line.

    Raises YamlError for a line that begins with ``---`` and goes on with anything but
    a comment, which Kubernetes refuses.
    """
    start = content = 0
    line = 1
    is_separated = False
    for separator in _SEPARATOR.finditer(text):
        end = separator.start()
        # Of two separators in a row, the second one belongs to the next document.
        if end > content or is_separated:
            yield line, text[start:end]
            is_separated = False
        else:
            is_separated = True
        line += text.count("\n", start, end)
        start, content = end, separator.end()
        rest = separator[1].strip()
        if rest and not rest.startswith("#"):
            raise YamlError(
                f"{rest[:40]!a} follows --- on its line, which Kubernetes does not read",
                where=where,
                at=Position(line, 4),
                hint="write it on the next line",
            )
    if content < len(text):
        yield line, text[start:]


def compose(text: str, where: str, line: int) -> Document | None:
    """The first document of ``text``, which begins on ``line`` of its file; None where
    it is empty. Raises as ``documents``, but for repeated keys."""
    import yaml

    parser = getattr(yaml.cyaml, "CParser", yaml.Loader)
    try:
        return _Composer(text, where, line).document(parser(text))
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        problem = getattr(error, "problem", None) or getattr(error, "reason", None)
        raise YamlError(
            f"is not YAML: {problem or 'cannot be read'}",
            where=where,
            at=_position(text, mark.index, line) if mark else None,
        ) from error


class _Node:
    """A mapping or sequence that is being composed.

    ``key`` is the pending key of a mapping, ``merges`` the values of its ``<<``.
    """

    __slots__ = (
        "anchor", "container", "has_key", "is_mapping", "is_merge", "key", "key_mark",
        "mark", "marks", "merges", "start",
    )  # fmt: skip

    def __init__(self, container: Any, marks: Any, event: Any, start: int) -> None:
        self.container = container
        self.marks = marks
        self.is_mapping = type(container) is dict
        self.anchor = event.anchor
        self.mark = event.start_mark
        self.start = start
        self.key = ""
        self.key_mark: Any = None
        self.has_key = False
        self.is_merge = False
        self.merges: list[Any] | None = None


def _max_aliased() -> int:
    """The limit of the environment, or MAX_ALIASED; raises UsageError for no number."""
    text = os.environ.get(MAX_ALIASED_VARIABLE, "")
    if not text:
        return MAX_ALIASED
    if not (text.isascii() and text.isdecimal() and len(text) < 19):
        raise UsageError(
            f"is {text[:40]!a}, not a number of values",
            where=MAX_ALIASED_VARIABLE,
            hint=f"set it to a number above {MAX_ALIASED}, or unset it",
        )
    return int(text)


class _Composer:
    """Composes one document from events; counts what aliases stand for, not only
    aliases."""

    def __init__(self, text: str, where: str, line: int) -> None:
        self.text = text
        self.where = where
        self.line = line
        self.count = 0
        self.aliased = 0
        self.limit = _max_aliased()
        self.anchors: dict[str, tuple[Any, int]] = {}
        self.marks: dict[int, Any] = {}
        self.repeated: list[Repeated] = []
        self.stack: list[_Node] = []

    def document(self, parser: Any) -> Document | None:
        import yaml

        scalar_event, alias_event = yaml.ScalarEvent, yaml.AliasEvent
        mapping_start, sequence_start = yaml.MappingStartEvent, yaml.SequenceStartEvent
        mapping_end, sequence_end = yaml.MappingEndEvent, yaml.SequenceEndEvent
        stack = self.stack
        next_event = parser.get_event
        root: Any = None
        root_mark: Any = None
        start_line = self.line
        while True:
            event = next_event()
            kind = type(event)
            mark = event.start_mark
            size = 1
            if kind is scalar_event:
                value: Any = event.value
                if event.tag is not None or event.implicit[0]:
                    value = self.scalar(event)
                if event.anchor:
                    self.anchors[event.anchor] = value, 1
            elif kind is mapping_start or kind is sequence_start:
                self.start(event, kind is mapping_start)
                continue
            elif kind is mapping_end or kind is sequence_end:
                node = stack.pop()
                value, mark = node.container, node.mark
                if node.merges is not None:
                    self.merge(node)
                if node.anchor:
                    self.anchors[node.anchor] = value, self.count - node.start + 1
            elif kind is alias_event:
                value, size = self.alias(event)
            elif kind is yaml.DocumentStartEvent:
                start_line = self.line + mark.line
                continue
            elif kind is yaml.DocumentEndEvent or kind is yaml.StreamEndEvent:
                break
            else:
                continue
            self.count += size
            if not stack:
                root, root_mark = value, mark
                continue
            node = stack[-1]
            if not node.is_mapping:
                node.container.append(value)
                node.marks.append(mark)
            elif not node.has_key:
                self.add_key(value, event, node)
            elif node.is_merge:
                node.has_key = node.is_merge = False
                node.merges = [*(node.merges or ()), *self.mergeable(value, event)]
            else:
                node.has_key = False
                node.container[node.key] = value
                node.marks[node.key] = node.key_mark, mark
        if root is None:
            return None
        return Document(
            root,
            start_line,
            tuple(self.repeated),
            self.text,
            self.line,
            self.marks,
            root_mark,
        )

    def start(self, event: Any, is_mapping: bool) -> None:
        stack = self.stack
        if len(stack) >= MAX_DEPTH:
            raise self.error(f"is nested more than {MAX_DEPTH} deep", event)
        if stack and stack[-1].is_mapping and not stack[-1].has_key:
            raise self.error("a key must be a scalar", event)
        container: Any = {} if is_mapping else []
        marks: Any = {} if is_mapping else []
        self.marks[id(container)] = marks
        stack.append(_Node(container, marks, event, self.count))

    def alias(self, event: Any) -> tuple[Any, int]:
        if event.anchor not in self.anchors:
            raise self.error(f"the alias *{event.anchor} has no anchor", event)
        value, size = self.anchors[event.anchor]
        self.aliased += size
        if self.aliased > self.limit:
            raise self.error(
                f"has aliases that stand for more than {self.limit:,} values",
                event,
                f"set {MAX_ALIASED_VARIABLE} to a higher number to read it",
            )
        return value, size

    def add_key(self, value: Any, event: Any, node: _Node) -> None:
        node.has_key = True
        if value is _MERGE:
            node.is_merge = True
            return
        key = key_text(value)
        if key is None:
            what = "null" if value is None else "a list or object"
            raise self.error(f"a key must be a scalar, not {what}", event)
        node.key = key
        node.key_mark = event.start_mark
        if key in node.container:
            position = _position(self.text, event.start_mark.index, self.line)
            self.repeated.append(Repeated((*self.path(), key), position))
        else:
            # Reserve the place, so that a merge does not change the order of keys.
            node.container[key] = None

    def path(self) -> tuple[str | int, ...]:
        """The path of the mapping that is being composed."""
        return tuple(
            node.key if node.is_mapping else len(node.container)
            for node in self.stack[:-1]
        )

    def mergeable(self, value: Any, event: Any) -> list[Any]:
        values = value if isinstance(value, list) else [value]
        if not all(isinstance(item, dict) for item in values):
            raise self.error("<< merges a mapping, or a list of mappings", event)
        return values

    def merge(self, node: _Node) -> None:
        for merged in node.merges or ():
            marks = self.marks[id(merged)]
            for key, value in merged.items():
                if key not in node.container:
                    node.container[key] = value
                    node.marks[key] = marks[key]

    def scalar(self, event: Any) -> Any:
        text = event.value
        if event.tag is None:
            if text == "<<":
                node = self.stack[-1] if self.stack else None
                return _MERGE if node and node.is_mapping and not node.has_key else text
            if text in NOT_FINITE:
                raise self.error(f"{text} is not a JSON number", event)
            value = resolve(text)
        else:
            tag = event.tag.removeprefix(_TAG)
            try:
                value = convert_tagged(tag, text)
            except ValueError as error:
                raise self.error(f"{text!a} is not a !!{tag}", event) from error
        return as_json_number(value) if type(value) is float else value

    def error(self, what: str, event: Any, hint: str = "") -> YamlError:
        at = _position(self.text, event.start_mark.index, self.line)
        return YamlError(what, where=self.where, hint=hint, at=at)


_MERGE = object()


def _position(text: str, index: int, first_line: int) -> Position:
    # libyaml's own lines also end at U+2028 and the like, where no editor ends them.
    line, start = first_line, 0
    for line_break in _LINE_BREAK.finditer(text, 0, index):
        if line_break.end() > index:
            break
        line += 1
        start = line_break.end()
    return Position(line, index - start + 1)
