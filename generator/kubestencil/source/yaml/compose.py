"""Composes YAML documents from libyaml's events, as go-yaml v2 decodes them.

Nothing is recursive, so that neither depth nor aliases can exhaust the stack; both are
limited.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kubestencil.source.limits import limit_of
from kubestencil.source.yaml.document import Document, Repeated, YamlError, position_at
from kubestencil.source.yaml.scalars import (
    NOT_FINITE,
    NUMBER_START,
    WORDS,
    as_json_number,
    convert_tagged,
    float_key,
    key_text,
    resolve,
)

#: How deep a text may nest. A level of a schema takes two.
MAX_DEPTH = 500
#: The environment variable with the number of values that the aliases of one text may
#: stand for, in place of go-yaml's limit.
MAX_ALIASED_VARIABLE = "KUBESTENCIL_MAX_ALIASED"
# go-yaml's limit: the share of values that aliases may stand for, by the number of
# values, from which on it counts (goyaml.v2/decode.go: allowedAliasRatio, unmarshal).
_MIN_ALIASED, _MIN_VALUES = 101, 1001
_SHARE_OF_SMALL, _SHARE_OF_LARGE = 0.99, 0.10
_SMALL, _LARGE = 400_000, 4_000_000

_TAG = "tag:yaml.org,2002:"
_MERGE = object()
# The plain scalars that are no strings, but for numbers.
_SPECIAL = {*WORDS, "<<"}


def compose(text: str, where: str, line: int) -> Document | None:
    """The first document of ``text``, which begins on ``line`` of its file; None where
    it is empty. Raises as ``documents``, but for repeated keys."""
    import yaml

    parser = getattr(yaml.cyaml, "CParser", yaml.Loader)
    try:
        return _Composer(text, where, line).document(parser(text))
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        is_tab = mark is not None and text[mark.index : mark.index + 1] == "\t"
        problem = getattr(error, "problem", None) or getattr(error, "reason", None)
        raise YamlError(
            f"is not YAML: {problem or 'cannot be read'}",
            where=where,
            hint="indent with spaces: YAML does not take tabs" if is_tab else "",
            at=position_at(text, mark.index, line) if mark else None,
        ) from error


class _Anchor:
    """A value with an anchor, and how many values are in it; 0 until its end."""

    __slots__ = ("size", "value")

    def __init__(self, value: Any, size: int) -> None:
        self.value = value
        self.size = size


class _Node:
    """A mapping or sequence that is being composed.

    ``key`` is the key of a mapping whose value comes next, ``merged`` are the keys that
    it has from its ``<<`` only.
    """

    __slots__ = (
        "anchor", "container", "is_mapping", "key", "key_mark", "mark", "marks",
        "merged", "start",
    )  # fmt: skip

    def __init__(self, container: Any, marks: Any, event: Any, start: int) -> None:
        self.container = container
        self.marks = marks
        self.is_mapping = type(container) is dict
        self.anchor: _Anchor | None = None
        self.mark = event.start_mark
        self.start = start
        self.key: Any = None
        self.key_mark: Any = None
        self.merged: set[str] | None = None


def _allowed_share(values: int) -> float:
    """The share of a number of values that go-yaml lets aliases stand for."""
    excess = (min(max(values, _SMALL), _LARGE) - _SMALL) / (_LARGE - _SMALL)
    return _SHARE_OF_SMALL - (_SHARE_OF_SMALL - _SHARE_OF_LARGE) * excess


class _Composer:
    """Composes one document from events; counts what aliases stand for, not only
    aliases.

    ``count`` is the number of values so far, without open mappings and sequences,
    ``aliased`` how many of them aliases stand for, ``checked`` the number of values at
    which that was last compared with the limit.
    """

    def __init__(self, text: str, where: str, line: int) -> None:
        self.text = text
        self.where = where
        self.line = line
        self.count = 0
        self.aliased = self.checked = 0
        self.limit = limit_of(MAX_ALIASED_VARIABLE, "values")
        self.anchors: dict[str, _Anchor] = {}
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
        special, number_start = _SPECIAL, NUMBER_START
        texts: dict[str, str] = {}
        root: Any = None
        root_mark: Any = None
        start_line = self.line
        while True:
            event = next_event()
            kind = type(event)
            mark = event.start_mark
            size = 1
            if kind is scalar_event:
                # Each text once: a schema says "type" and "string" for every field.
                value: Any = texts.setdefault(event.value, event.value)
                if event.tag is not None:
                    value = self.tagged(event)
                elif event.implicit[0] and (
                    value in special or value[0] in number_start
                ):
                    value = self.plain(event)
                if event.anchor:
                    self.anchors[event.anchor] = _Anchor(value, 1)
            elif kind is mapping_start or kind is sequence_start:
                self.start(event, kind is mapping_start)
                continue
            elif kind is mapping_end or kind is sequence_end:
                node = stack.pop()
                value, mark = node.container, node.mark
                if node.anchor is not None:
                    node.anchor.size = self.count - node.start + 1
            elif kind is alias_event:
                value, size = self.alias(event)
            elif kind is yaml.DocumentStartEvent:
                start_line = self.line + mark.line
                continue
            elif kind is yaml.DocumentEndEvent or kind is yaml.StreamEndEvent:
                if self.aliased:
                    self.check_aliased(event)
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
                continue
            key = node.key
            if key is None:
                node.key_mark = mark
                # Of nearly all keys, nothing is left to be done.
                is_new = type(value) is str and value not in node.container
                node.key = value if is_new else self.key(value, event, node)
                continue
            node.key = None
            if key is _MERGE:
                self.merge(node, self.mergeable(value, event))
            else:
                node.container[key] = value
                node.marks[key] = node.key_mark, mark
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
        if stack and stack[-1].is_mapping and stack[-1].key is None:
            raise self.error("a key must be a scalar", event)
        container: Any = {} if is_mapping else []
        marks: Any = {} if is_mapping else []
        self.marks[id(container)] = marks
        node = _Node(container, marks, event, self.count)
        if event.anchor:
            self.anchors[event.anchor] = node.anchor = _Anchor(container, 0)
        stack.append(node)

    def alias(self, event: Any) -> tuple[Any, int]:
        if event.anchor not in self.anchors:
            raise self.error(f"the alias *{event.anchor} has no anchor", event)
        anchor = self.anchors[event.anchor]
        value, size = anchor.value, anchor.size
        if not size:
            raise self.error(f"the anchor &{event.anchor} contains itself", event)
        self.check_aliased(event)
        self.aliased += size
        self.checked += 1 + size
        self.check_aliased(event, 1 + size)
        return value, 1 + size

    def check_aliased(self, event: Any, added: int = 0) -> None:
        """Refuse a text whose aliases stand for more values than the limit allows.

        The share is greatest where go-yaml begins to count, at the last alias, and
        where the allowed share has become smaller since.
        """
        if self.limit is not None:
            if self.aliased > self.limit:
                raise self.error(
                    f"has aliases that stand for more than {self.limit:,} values",
                    event,
                    f"set {MAX_ALIASED_VARIABLE} to a higher number to read it",
                )
            return
        # The document itself counts as a value.
        count = 1 + len(self.stack) + self.count + added
        for values in (max(self.checked, _MIN_VALUES), _LARGE, count):
            if self.checked <= values <= count and self.aliased >= max(
                _MIN_ALIASED, values * _allowed_share(values)
            ):
                raise self.error(
                    f"has aliases that stand for {self.aliased:,} of {values:,} values,"
                    " which Kubernetes refuses",
                    event,
                    "write out what is repeated, or split the text",
                )
        self.checked = count

    def key(self, value: Any, event: Any, node: _Node) -> Any:
        """The key of a mapping that a value is."""
        if value is _MERGE:
            self.count -= 1  # go-yaml does not decode it.
            return value
        key = value if type(value) is str else key_text(value)
        if key is None:
            what = (
                "null"
                if value is None
                else (
                    f"the number {value}"
                    if isinstance(value, int)
                    else "a list or object"
                )
            )
            raise self.error(f"a key must be a scalar, not {what}", event)
        if node.merged is not None and key in node.merged:
            node.merged.remove(key)
        elif key in node.container:
            at, first = (
                position_at(self.text, mark.index, self.line)
                for mark in (event.start_mark, node.marks[key][0])
            )
            self.repeated.append(Repeated((*self.path(), key), at, first))
        return key

    def path(self) -> tuple[str | int, ...]:
        """The path of the mapping that is being composed."""
        return tuple(
            node.key if node.is_mapping else len(node.container)
            for node in self.stack[:-1]
        )

    def mergeable(self, value: Any, event: Any) -> list[Any]:
        """The mappings of a ``<<``; an alias of a list is none to go-yaml."""
        is_list = isinstance(value, list) and not hasattr(event, "anchor")
        values = value if is_list else [value]
        if not all(isinstance(item, dict) for item in values):
            raise self.error("<< merges a mapping, or a list of mappings", event)
        return values

    def merge(self, node: _Node, values: Sequence[Any]) -> None:
        """Add the keys of mappings, of which the first has precedence.

        They replace the keys above the ``<<``, and those below replace them
        (goyaml.v2/decode.go: mapping, merge).
        """
        node.merged = set() if node.merged is None else node.merged
        for value in reversed(values):
            node.merged |= value.keys() - node.container.keys()
            node.container.update(value)
            node.marks.update(self.marks[id(value)])

    def plain(self, event: Any) -> Any:
        """The value of a plain scalar."""
        text = event.value
        if text == "<<" and self.is_key():
            return _MERGE
        if text in NOT_FINITE:
            if self.is_key():
                return text.lower().removeprefix("+")
            raise self.error(f"{text} is not a JSON number", event)
        value = resolve(text)
        return self.number(value) if type(value) is float else value

    def tagged(self, event: Any) -> Any:
        """The value of a scalar with a tag."""
        tag = event.tag.removeprefix(_TAG)
        text = event.value
        if tag == "merge" and text == "<<" and self.is_key():
            return _MERGE
        try:
            value = convert_tagged(tag, text)
        except ValueError as error:
            raise self.error(f"{text!a} is not a !!{tag}", event) from error
        return self.number(value) if type(value) is float else value

    def number(self, value: float) -> Any:
        return float_key(value) if self.is_key() else as_json_number(value)

    def is_key(self) -> bool:
        """Whether the next scalar is the key of a mapping."""
        node = self.stack[-1] if self.stack else None
        return node is not None and node.is_mapping and node.key is None

    def error(self, what: str, event: Any, hint: str = "") -> YamlError:
        at = position_at(self.text, event.start_mark.index, self.line)
        return YamlError(what, where=self.where, hint=hint, at=at)
