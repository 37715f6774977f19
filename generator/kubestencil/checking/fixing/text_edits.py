"""Edits of YAML texts by position: what is not changed keeps its bytes.

A text is composed once, to values that know where they are written (``written``). Edits
put these elsewhere; what is then in another place, or new, is written again.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import zip_longest
from typing import Any, NamedTuple

from kubestencil.checking.edits import Fix
from kubestencil.checking.fixing.written import (
    WrittenDocument,
    WrittenValue,
    value_parts,
)
from kubestencil.source.yaml import resolve

_PLAIN = re.compile(r"[A-Za-z_./][\w./-]*\Z")
_WORDS = frozenset(["true", "false", "null", "yes", "no", "on", "off", "y", "n"])


class TextError(ValueError):
    """A text that cannot have an edit without doubt about its other bytes."""


class _Splice(NamedTuple):
    """The characters from ``start`` to ``end`` become ``new``."""

    start: int
    end: int
    new: str


def edited(text: str, edits: Fix) -> str:
    """The text of a document with edits, each of what those before it have made. Raises
    TextError where that is not sure."""
    import yaml

    if "\r" in text.replace("\r\n", ""):
        raise TextError("a carriage return ends a line")
    if text.startswith("\ufeff"):
        return f"\ufeff{edited(text[1:], edits)}"
    if not text.endswith("\n"):
        return edited(f"{text}\n", edits)[:-1]
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        node = yaml.compose(text, Loader=loader)
        if node is None:
            raise TextError(text)
        document = WrittenDocument(node)
        for edit in edits:
            document.apply(edit)
        return _with(text, 0, len(text), _inside(text, document.root[""]))
    except (yaml.YAMLError, KeyError, RecursionError) as error:
        raise TextError(error) from error


def _only(value: Any) -> Any:
    """The item of a list that has one."""
    return value[0] if isinstance(value, list) and len(value) == 1 else None


def _with(text: str, start: int, end: int, splices: Iterable[_Splice]) -> str:
    """A part of a text with changes."""
    pieces = []
    for splice in sorted(splices, key=lambda splice: splice.start):
        if splice.start < start:
            raise TextError(splice)
        pieces += [text[start : splice.start], splice.new]
        start = splice.end
    return "".join([*pieces, text[start:end]])


def _inside(text: str, value: WrittenValue) -> Iterator[_Splice]:
    """The changes in a value that stays where it is."""
    new, gone = value_parts(value), set[int]()
    names = {id(part): name for name, part in new.items()}
    for name, old in sorted(
        value.written.items(), key=lambda part: id(part[1]) not in names
    ):
        place = names.get(id(old), name)
        if place in new:
            yield from _in_place(text, old, new.pop(place), place)
        else:
            gone.add(id(old))
    if gone or new:
        if value.node.id != "mapping" or (len(gone) == len(value.written) and not new):
            raise TextError(value)
        yield from (_in_block if value.is_block else _in_braces)(text, value, new, gone)


def _in_place(
    text: str, old: WrittenValue, value: Any, name: str | int
) -> Iterator[_Splice]:
    """The changes of a value that stays in its object or list, maybe with another name,
    or that another one replaces."""
    if old.key is not None and old.key.value != name:
        yield _Splice(*_span(old.key), _like(text, old.key, str(name)))
    if old is value:
        yield from _inside(text, old)
        return
    if old.is_alias:
        raise TextError(name)
    start, end = old.node.start_mark.index, _end(text, old)
    if _only(value) is old:
        yield _Splice(start, end, _into_list(text, old))
    elif isinstance(value, WrittenValue) and _only(old) is value:
        if not old.is_block:
            inner = _span(value.node)
            yield _Splice(start, inner[0], "")
            yield _Splice(inner[1], end, "")
        else:
            yield _Splice(start, start + 1, " ")
        yield from _inside(text, value)
    elif isinstance(value, dict | list | WrittenValue):
        raise TextError(name)
    else:
        yield _Splice(*_span(old.node), _instead(text, old.node, value))


def _into_list(text: str, value: WrittenValue) -> str:
    node = value.node
    if not value.is_block:
        start, end = _span(node)
        inner = _with(text, start, end, _inside(text, value))
        return f"[{_raw(text, node) if node.id == 'scalar' else inner}]"
    start = node.start_mark.index
    if text[start - node.start_mark.column : start].strip(" "):
        raise TextError(value)
    lines = _with(text, start, _end(text, value), _inside(text, value))
    return "- " + re.sub(r"\n(?=[^\n])", "\n  ", lines)


def _in_block(
    text: str, value: WrittenValue, new: Mapping[str | int, Any], gone: set[int]
) -> Iterator[_Splice]:
    """The lines of fields that an object has lost, and those of others behind its last
    one."""
    written = list(value.written.values())
    for old, following in zip_longest(written, written[1:]):
        if id(old) not in gone:
            continue
        start, end = old.key.start_mark.index, _end_of_lines(text, old)
        column = old.key.start_mark.column
        if not text[start - column : start].strip(" "):
            start -= column
        else:  # It is behind "- ".
            behind = following.key.start_mark.index if following is not None else end
            if following is None or text[end:behind].strip():
                raise TextError(value)
            end = behind
        yield _Splice(start, end, "")
    at = _end_of_lines(text, written[-1])
    column = written[0].key.start_mark.column
    lines = (_block(text, name, part, column) for name, part in new.items())
    yield _Splice(at, at, "".join(lines))


def _block(text: str, name: str | int, value: Any, column: int) -> str:
    """The lines of a field with its key at a column."""
    indent = " " * column
    if (
        isinstance(value, WrittenValue)
        and value.key is not None
        and not value.is_in_braces
    ):
        start, end = value.key.start_mark, _end_of_lines(text, value)
        changes = _in_place(text, value, value, name)
        lines = _with(text, start.index, end, changes).split("\n")
        rest = (_shifted(line, column - start.column) for line in lines[1:])
        return "\n".join([indent + lines[0], *rest])
    if isinstance(value, WrittenValue) or not value_parts(value):
        return f"{indent}{_scalar(name)}: {_flow_value(text, value, quote='')}\n"
    if isinstance(value, dict):
        fields = (_block(text, key, part, column + 2) for key, part in value.items())
        return f"{indent}{_scalar(name)}:\n{''.join(fields)}"
    items = [_item(text, part, column) for part in value]
    return f"{indent}{_scalar(name)}:\n{''.join(items)}"


def _item(text: str, value: Any, column: int) -> str:
    """The lines of an item of a new list."""
    fields = value.items() if type(value) is dict else ()
    lines = "".join(_block(text, name, part, column + 2) for name, part in fields)
    lines = lines or f"{' ' * (column + 2)}{_flow_value(text, value, quote='')}\n"
    return f"{lines[:column]}-{lines[column + 1 :]}"


def _in_braces(
    text: str, value: WrittenValue, new: Mapping[str | int, Any], gone: set[int]
) -> Iterator[_Splice]:
    """The same of an object in braces, and the commas."""
    written = list(value.written.values())
    if any(part.is_alias for part in written):
        raise TextError(value)
    spans = [(part.key.start_mark.index, part.node.end_mark.index) for part in written]
    first = spans[0][0] if spans else value.node.start_mark.index + 1
    quote = '"' if text[first] == '"' else ""
    fields = _fields(text, new, quote)
    kept = [
        span for span, part in zip(spans, written, strict=True) if id(part) not in gone
    ]
    if not kept:
        yield _Splice(first, spans[-1][1] if spans else first, fields)
        return
    for index, (start, end) in enumerate(spans):
        if (start, end) in kept:
            continue
        is_behind = start > kept[0][0]
        before, after = spans[index - is_behind][1], spans[index + 1 - is_behind][0]
        if text[before:after].strip() != ",":
            raise TextError(value)
        yield _Splice(before, end, "") if is_behind else _Splice(start, after, "")
    if fields:
        yield _Splice(kept[-1][1], kept[-1][1], f", {fields}")


def _fields(text: str, parts: Mapping[str | int, Any], quote: str) -> str:
    """Fields in braces, with their names in quotes where others have some."""
    return ", ".join(
        f"{json.dumps(name) if quote else _scalar(name)}: "
        f"{_flow_value(text, part, quote)}"
        for name, part in parts.items()
    )


def _flow_value(text: str, value: Any, quote: str) -> str:
    """A value on its line, in braces where it is an object."""
    if isinstance(value, WrittenValue):
        if value.is_alias or value.is_block:
            raise TextError(value)
        return _with(text, *_span(value.node), _inside(text, value))
    if isinstance(value, list) and value:
        return f"[{', '.join(_flow_value(text, part, quote) for part in value)}]"
    if isinstance(value, dict) and value:
        return f"{{{_fields(text, value, quote)}}}"
    return json.dumps(value) if quote else _scalar(value)


def _span(node: Any) -> tuple[int, int]:
    return node.start_mark.index, node.end_mark.index


def _raw(text: str, node: Any) -> str:
    raw = text[slice(*_span(node))]
    is_block = node.id != "scalar" or node.style in ("|", ">")
    if is_block or "\n" in raw or raw[:1] in "!&":
        raise TextError(raw)
    return raw


def _instead(text: str, node: Any, value: Any) -> str:
    """A scalar in the place of another one."""
    raw = _raw(text, node)
    if isinstance(value, bool | int):
        return json.dumps(value)
    if not isinstance(value, str):
        raise TextError(value)
    if raw[:1] in "'\"" or isinstance(resolve(raw), str):
        return _like(text, node, value)
    # 0644 and 1.10 are other texts than the numbers that they are read as.
    if raw.lower() != value:
        raise TextError(raw)
    return json.dumps(raw)


def _like(text: str, node: Any, new: str) -> str:
    """A text in the quotes of a scalar, or plain where that had none."""
    raw = _raw(text, node)
    if raw[:1] == "'" and "'" not in new:
        return f"'{new}'"
    return json.dumps(new) if raw[:1] in "'\"" else _scalar(new)


def _scalar(value: Any) -> str:
    if isinstance(value, bool | int):
        return json.dumps(value)
    if not isinstance(value, str):
        raise TextError(value)
    is_plain = _PLAIN.match(value) and value.lower() not in _WORDS
    return value if is_plain else json.dumps(value)


def _end_of_lines(text: str, value: WrittenValue) -> int:
    """The end of the last line of a field."""
    return text.index("\n", _end_of(text, value)) + 1


def _end_of(text: str, value: WrittenValue) -> int:
    is_alias = value.key is not None and value.is_alias
    return value.key.end_mark.index if is_alias else _end(text, value)


def _end(text: str, value: WrittenValue) -> int:
    """The end of a value without the comments and blank lines after it, which the mark
    of a block includes."""
    if value.is_block and value.written:
        return _end_of(text, [*value.written.values()][-1])
    start, end = _span(value.node)
    while end > start and text[end - 1].isspace():
        end -= 1
    return int(end)


def _shifted(line: str, shift: int) -> str:
    if not line.strip() or shift >= 0:
        return " " * (shift if line.strip() else 0) + line
    if line[:-shift].strip(" "):
        raise TextError(line)
    return line[-shift:]
