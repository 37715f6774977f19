"""Edits of YAML texts by position: what is not changed keeps its bytes.

A text is composed once, to values that know where they are written. Edits put these
elsewhere; what is then in another place, or new, is written again.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Any, NamedTuple

from kubestencil.checking.findings import Edit, Fix, Move, Path, Put
from kubestencil.source.yaml import resolve

_PLAIN = re.compile(r"[A-Za-z_./][\w./-]*\Z")
_WORDS = frozenset(["true", "false", "null", "yes", "no", "on", "off", "y", "n"])


class TextError(ValueError):
    """A text that cannot have an edit without doubt about its other bytes."""


@dataclass(eq=False, slots=True)
class _Value:
    """A value. ``node`` is where it is written, None of a new one, which is ``scalar``
    where it has no members; ``written`` are the members that the text has."""

    node: Any = None
    scalar: Any = None
    members: dict[str | int, _Member] = field(default_factory=dict)
    written: tuple[_Member, ...] = ()
    is_alias: bool = False

    @property
    def is_block(self) -> bool:
        return self.node.id != "scalar" and not self.node.flow_style


@dataclass(eq=False, slots=True)
class _Member:
    """A field of an object, or an item of a list, which has no ``key``. ``written`` is
    the value that the text has, None of a new member."""

    value: _Value
    key: Any = None
    written: _Value | None = None
    is_in_braces: bool = False


class _Splice(NamedTuple):
    """The characters from ``start`` to ``end`` become ``new``."""

    start: int
    end: int
    new: str


def edited(text: str, edits: Fix) -> str:
    """The text of a document with edits, each of what those before it have made. Raises
    TextError where that is not sure."""
    import yaml

    if not text.endswith("\n"):
        return edited(f"{text}\n", edits)[:-1]
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        node = yaml.compose(text, Loader=loader)
        if node is None:
            raise TextError(text)
        root = _composed(node, set())
        for edit in edits:
            _apply(root, edit)
        return _with(text, 0, len(text), _inside(text, root))
    except (yaml.YAMLError, KeyError, RecursionError) as error:
        raise TextError(error) from error


def _composed(node: Any, seen: set[int]) -> _Value:
    """A node as a value. What an alias stands for is written elsewhere."""
    value = _Value(node, is_alias=id(node) in seen)
    if value.is_alias or node.id == "scalar":
        seen.add(id(node))
        return value
    seen.add(id(node))
    for index, part in enumerate(node.value):
        key, inner = part if node.id == "mapping" else (None, part)
        content = _composed(inner, seen)
        member = _Member(content, key, content, bool(node.flow_style))
        value.members[index if key is None else str(key.value)] = member
    value.written = tuple(value.members.values())
    return value


def _at(root: _Value, path: Path) -> _Value:
    for step in path:
        root = root.members[step].value
    return root


def _apply(root: _Value, edit: Edit) -> None:
    """Edit values as ``hints.edits`` does objects."""
    members, name = _at(root, edit.path[:-1]).members, edit.path[-1]
    if isinstance(edit, Put):
        member = members.setdefault(name, _Member(_Value()))
        member.value = _new(edit.value)
    elif not isinstance(edit, Move):
        del members[name]
    elif edit.target == (*edit.path, 0):
        members[name].value = _Value(members={0: _Member(members[name].value)})
    elif edit.path == (*edit.target, 0):
        holder = _at(root, edit.target[:-1]).members[edit.target[-1]]
        holder.value = members[0].value
    else:
        member, place = members.pop(name), root
        for step in edit.target[:-1]:
            place = place.members.setdefault(step, _Member(_Value())).value
        if place.members.setdefault(edit.target[-1], member) is not member:
            raise TextError(edit)


def _new(value: Any) -> _Value:
    parts = value if isinstance(value, dict) else {}
    parts = dict(enumerate(value)) if isinstance(value, list) else parts
    members = {name: _Member(_new(part)) for name, part in parts.items()}
    return _Value(scalar=None if members else value, members=members)


def _with(text: str, start: int, end: int, splices: Iterable[_Splice]) -> str:
    """A part of a text with changes."""
    pieces = []
    for splice in sorted(splices, key=lambda splice: splice.start):
        if splice.start < start:
            raise TextError(splice)
        pieces += [text[start : splice.start], splice.new]
        start = splice.end
    return "".join([*pieces, text[start:end]])


def _inside(text: str, value: _Value) -> Iterator[_Splice]:
    """The changes in a value that stays where it is."""
    names = {id(member): name for name, member in value.members.items()}
    for member in value.written:
        if id(member) in names:
            yield from _in_place(text, member, names[id(member)])
    new, gone = _changes(value)
    if gone or new:
        if value.node.id != "mapping" or (len(gone) == len(value.written) and not new):
            raise TextError(value)
        yield from (_in_block if value.is_block else _in_braces)(text, value)


def _changes(value: _Value) -> tuple[dict[str | int, _Member], set[int]]:
    """The members that a value has got, and the ids of those that it has lost."""
    written = set(map(id, value.written))
    new = {
        name: part for name, part in value.members.items() if id(part) not in written
    }
    return new, written - set(map(id, value.members.values()))


def _in_place(text: str, member: _Member, name: str | int) -> Iterator[_Splice]:
    """The changes of a member that stays in its object or list, maybe with another
    name."""
    key, old, value = member.key, member.written, member.value
    if key is not None and key.value != name:
        yield _Splice(*_span(key), _like(text, key, str(name)))
    if old is value:
        yield from _inside(text, value)
        return
    if old is None or old.is_alias:
        raise TextError(name)
    start, end = old.node.start_mark.index, _end(text, old)
    if value.node is None and not value.members:
        yield _Splice(*_span(old.node), _instead(text, old.node, value.scalar))
    elif [part.value for part in value.members.values()] == [old]:
        yield _Splice(start, end, _into_list(text, old))
    elif [part.value for part in old.written] == [value]:
        if not old.is_block:
            inner = _span(value.node)
            yield _Splice(start, inner[0], "")
            yield _Splice(inner[1], end, "")
        else:
            yield _Splice(start, start + 1, " ")
        yield from _inside(text, value)
    else:
        raise TextError(name)


def _into_list(text: str, value: _Value) -> str:
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


def _in_block(text: str, value: _Value) -> Iterator[_Splice]:
    """The lines of fields that an object has lost, and those of others behind its last
    one."""
    new, gone = _changes(value)
    for member, following in zip_longest(value.written, value.written[1:]):
        if id(member) not in gone:
            continue
        start, end = member.key.start_mark.index, _end_of_lines(text, member)
        column = member.key.start_mark.column
        if not text[start - column : start].strip(" "):
            start -= column
        else:  # It is behind "- ".
            behind = following.key.start_mark.index if following else end
            if following is None or text[end:behind].strip():
                raise TextError(value)
            end = behind
        yield _Splice(start, end, "")
    at = _end_of_lines(text, value.written[-1])
    column = value.written[0].key.start_mark.column
    lines = (_block(text, name, member, column) for name, member in new.items())
    yield _Splice(at, at, "".join(lines))


def _block(text: str, name: str | int, member: _Member, column: int) -> str:
    """The lines of a field with its key at a column."""
    key, value, indent = member.key, member.value, " " * column
    if key is not None and not member.is_in_braces:
        end = _end_of_lines(text, member)
        changes = _in_place(text, member, name)
        lines = _with(text, key.start_mark.index, end, changes).split("\n")
        shift = column - key.start_mark.column
        return "\n".join(
            [indent + lines[0], *(_shifted(line, shift) for line in lines[1:])]
        )
    if value.node is not None or not value.members:
        return f"{indent}{_scalar(name)}: {_flow_value(text, value, quote='')}\n"
    if 0 not in value.members:
        fields = value.members.items()
        inner = "".join(_block(text, step, part, column + 2) for step, part in fields)
        return f"{indent}{_scalar(name)}:\n{inner}"
    items = [_item(text, part.value, column) for part in value.members.values()]
    return f"{indent}{_scalar(name)}:\n{''.join(items)}"


def _item(text: str, value: _Value, column: int) -> str:
    """The lines of an item of a new list."""
    fields = value.members.items() if value.node is None else ()
    lines = "".join(_block(text, name, part, column + 2) for name, part in fields)
    lines = lines or f"{' ' * (column + 2)}{_flow_value(text, value, quote='')}\n"
    return f"{lines[:column]}-{lines[column + 1 :]}"


def _in_braces(text: str, value: _Value) -> Iterator[_Splice]:
    """The same of an object in braces, and the commas."""
    new, gone = _changes(value)
    spans = [_member_span(member) for member in value.written]
    first = spans[0][0] if spans else value.node.start_mark.index + 1
    quote = '"' if text[first] == '"' else ""
    fields = ", ".join(_flow(text, name, part, quote) for name, part in new.items())
    kept = [
        span
        for span, member in zip(spans, value.written, strict=True)
        if id(member) not in gone
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


def _flow(text: str, name: str | int, member: _Member, quote: str) -> str:
    key = json.dumps(name) if quote else _scalar(name)
    return f"{key}: {_flow_value(text, member.value, quote)}"


def _flow_value(text: str, value: _Value, quote: str) -> str:
    """A value on its line, in braces where it is an object."""
    if value.is_alias or (value.node is not None and value.is_block):
        raise TextError(value)
    if value.node is not None:
        return _with(text, *_span(value.node), _inside(text, value))
    if 0 in value.members:
        parts = (
            _flow_value(text, part.value, quote) for part in value.members.values()
        )
        return f"[{', '.join(parts)}]"
    if value.members:
        fields = (
            _flow(text, name, part, quote) for name, part in value.members.items()
        )
        return f"{{{', '.join(fields)}}}"
    return json.dumps(value.scalar) if quote else _scalar(value.scalar)


def _span(node: Any) -> tuple[int, int]:
    return node.start_mark.index, node.end_mark.index


def _member_span(member: _Member) -> tuple[int, int]:
    if member.written is None or member.written.is_alias:
        raise TextError(member)
    return member.key.start_mark.index, member.written.node.end_mark.index


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


def _end_of_lines(text: str, member: _Member) -> int:
    """The end of the last line of a field."""
    return text.index("\n", _end_of(text, member)) + 1


def _end_of(text: str, member: _Member) -> int:
    assert member.written is not None
    is_alias = member.key is not None and member.written.is_alias
    return member.key.end_mark.index if is_alias else _end(text, member.written)


def _end(text: str, value: _Value) -> int:
    """The end of a value without the comments and blank lines after it, which the mark
    of a block includes."""
    if value.is_block and value.written:
        return _end_of(text, value.written[-1])
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
