"""Edits of YAML texts by position: what is not changed keeps its bytes."""

from __future__ import annotations

import json
import re
from typing import Any

from kubestencil.checking.findings import Edit, Move, Path, Put
from kubestencil.source.yaml import resolve

_PLAIN = re.compile(r"[A-Za-z_./][\w./-]*\Z")
_WORDS = frozenset(["true", "false", "null", "yes", "no", "on", "off", "y", "n"])


class TextError(ValueError):
    """A text that cannot have an edit without doubt about its other bytes."""


def edited(text: str, edit: Edit) -> str:
    """The text of a document with an edit. Raises TextError where that is not sure."""
    root = _composed(text)
    if isinstance(edit, Put):
        return _put(text, root, edit)
    if not isinstance(edit, Move):
        raise TextError(edit)
    path, target = edit.path, edit.target
    if target == (*path, 0):
        return _into_list(text, _node(root, path))
    if path == (*target, 0):
        return _out_of_list(text, _node(root, target))
    if target[:-1] == path[:-1]:
        key = _key(root, path)
        return _spliced(text, key, _like(text, key, str(target[-1])))
    return _moved(text, root, path, target)


def _composed(text: str) -> Any:
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        node = yaml.compose(text, Loader=loader)
    except yaml.YAMLError as error:
        raise TextError(error) from error
    if node is None:
        raise TextError(text)
    return node


def _node(root: Any, path: Path) -> Any:
    """The value at a path."""
    node = root
    for step in path:
        if isinstance(step, int):
            if node.id != "sequence" or step >= len(node.value):
                raise TextError(path)
            node = node.value[step]
        else:
            node = _entry(node, step)[1]
    return node


def _key(root: Any, path: Path) -> Any:
    return _entry(_node(root, path[:-1]), path[-1])[0]


def _entry(node: Any, name: str | int) -> tuple[Any, Any]:
    if node.id == "mapping":
        for key, value in node.value:
            if key.id == "scalar" and key.value == name:
                return key, value
    raise TextError(name)


def _spliced(text: str, node: Any, new: str) -> str:
    return text[: node.start_mark.index] + new + text[node.end_mark.index :]


def _raw(text: str, node: Any) -> str:
    raw = text[node.start_mark.index : node.end_mark.index]
    if (
        node.id != "scalar"
        or node.style in ("|", ">")
        or "\n" in raw
        or raw[:1] in "!&"
    ):
        raise TextError(raw)
    return raw


def _like(text: str, node: Any, new: str) -> str:
    """A text in the quotes of a scalar, or plain where that had none."""
    raw = _raw(text, node)
    if raw[0] == "'" and "'" not in new:
        return f"'{new}'"
    return json.dumps(new) if raw[0] in "'\"" else _scalar(new)


def _put(text: str, root: Any, edit: Put) -> str:
    value = edit.value
    holder, name = _node(root, edit.path[:-1]), edit.path[-1]
    if holder.id == "mapping" and holder.value and not _has(holder, name):
        return _added(text, holder, str(name), value)
    node = _node(root, edit.path)
    raw = _raw(text, node)
    if isinstance(value, str):
        if raw[:1] not in "'\"" and not isinstance(resolve(raw), str):
            # 0644 and 1.10 are other texts than the numbers that they are read as.
            if raw.lower() != value:
                raise TextError(raw)
            return _spliced(text, node, json.dumps(raw))
        return _spliced(text, node, _like(text, node, value))
    if isinstance(value, bool | int):
        return _spliced(text, node, json.dumps(value))
    raise TextError(edit)


def _has(mapping: Any, name: str | int) -> bool:
    return any(key.value == name for key, _ in mapping.value)


def _added(text: str, mapping: Any, name: str, value: Any) -> str:
    """A text with a field before the last one of an object."""
    last = mapping.value[-1][0].start_mark
    at, column = last.index, last.column
    if mapping.flow_style:
        new = f"{_flow(name, value, text[at])}, "
    else:
        new = f"{_block(name, value, column)}\n".lstrip(" ") + " " * column
    return text[:at] + new + text[at:]


def _block(name: str, value: Any, column: int) -> str:
    """The lines of a field, whose value is a text or an object of such fields."""
    start = f"{' ' * column}{_scalar(name)}:"
    if isinstance(value, dict):
        fields = (_block(key, inner, column + 2) for key, inner in value.items())
        return "\n".join((start, *fields))
    return f"{start} {_scalar(value)}"


def _flow(name: str, value: Any, first: str) -> str:
    """The same inside of braces, in JSON where the first character before it is a
    quote."""
    if first == '"':
        return json.dumps({name: value})[1:-1]
    if isinstance(value, dict):
        fields = (_flow(key, inner, first) for key, inner in value.items())
        return f"{_scalar(name)}: {{{', '.join(fields)}}}"
    return f"{_scalar(name)}: {_scalar(value)}"


def _scalar(value: Any) -> str:
    if not isinstance(value, str):
        raise TextError(value)
    is_plain = _PLAIN.match(value) and value.lower() not in _WORDS
    return value if is_plain else json.dumps(value)


def _into_list(text: str, node: Any) -> str:
    start, end = node.start_mark.index, _content_end(text, node)
    if node.id == "scalar":
        return _spliced(text, node, f"[{_raw(text, node)}]")
    if node.flow_style:
        return _spliced(text, node, f"[{text[start:end]}]")
    column = node.start_mark.column
    if text[start - column : start].strip(" "):
        raise TextError(text)
    first, *others = text[start:end].split("\n")
    lines = [f"  {line}" if line.strip() else line for line in others]
    return text[:start] + "\n".join([f"- {first}", *lines]) + text[end:]


def _out_of_list(text: str, node: Any) -> str:
    start, end = node.start_mark.index, node.end_mark.index
    (item,) = node.value
    if node.flow_style:
        inner = text[item.start_mark.index : item.end_mark.index]
        return text[:start] + inner + text[end:]
    if text[start] != "-":
        raise TextError(text)
    return f"{text[:start]} {text[start + 1 :]}"


def _moved(text: str, root: Any, path: Path, target: Path) -> str:
    """The text with a field elsewhere: with its lines in another block, or in braces."""
    holder = _node(root, path[:-1])
    key, value = _entry(holder, path[-1])
    node, done = root, 0
    for end in range(len(target)):
        try:
            node, done = _node(root, target[:end]), end
        except TextError:
            break
    if node.id != "mapping" or any(isinstance(step, int) for step in target[done:]):
        raise TextError(target)
    if holder.flow_style:
        return _moved_in_braces(text, holder, path[-1], node, target[done:])
    start = key.start_mark.index - key.start_mark.column
    if text[start : key.start_mark.index].strip(" "):
        raise TextError(path)  # It is behind "- " or inside of braces.
    end = _end_of_lines(text, value)
    lines = text[start:end].splitlines(keepends=True)
    if node.flow_style:
        raise TextError(target)
    column = node.value[0][0].start_mark.column
    missing = [str(step) for step in target[done:-1]]
    if not lines[-1].endswith("\n"):
        lines[-1] += "\n"
    block: list[str] = []
    for depth, name in enumerate(missing):
        block.append(f"{' ' * (column + 2 * depth)}{name}:\n")
    shift = column + 2 * len(missing) - key.start_mark.column
    block += [_shifted(line, shift) for line in lines]
    name = str(target[-1])
    if name != path[-1]:
        first = block[len(missing)]
        indent = len(first) - len(first.lstrip(" "))
        block[len(missing)] = (
            first[:indent] + name + first[indent + len(str(path[-1])) :]
        )
    last = [part for _, part in node.value if not _is_inside(part, start, end)]
    at = _end_of_lines(text, last[-1]) if last else -1
    if at < 0 or start < at < end:
        raise TextError(target)
    new = "".join(block)
    if at and text[at - 1 : at] != "\n":
        raise TextError(target)
    if at >= end:
        return text[:start] + text[end:at] + new + text[at:]
    return text[:at] + new + text[at:start] + text[end:]


def _moved_in_braces(
    text: str, holder: Any, name: str | int, node: Any, steps: Path
) -> str:
    """The text with a field of ``holder`` at ``steps`` in ``node``, which both have
    braces."""
    index = [key.value for key, _ in holder.value].index(name)
    key, value = holder.value[index]
    start, end = key.start_mark.index, value.end_mark.index
    colon = text[key.end_mark.index : value.start_mark.index]
    if not node.flow_style or colon.strip() != ":":
        raise TextError(name)  # What is behind the colon may be an alias.
    names = ": {".join(_like(text, key, str(step)) for step in steps)
    new = names + text[key.end_mark.index : end] + "}" * (len(steps) - 1)
    if node is holder:
        return text[:start] + new + text[end:]
    if index:
        gap = holder.value[index - 1][1].end_mark.index, start
        start = gap[0]
    elif len(holder.value) > 1:
        gap = end, holder.value[1][0].start_mark.index
        end = gap[1]
    else:
        raise TextError(name)
    at = node.value[-1][1].end_mark.index
    if text[slice(*gap)].strip() != "," or start < at < end:
        raise TextError(name)
    new = f", {new}"
    if at >= end:
        return text[:start] + text[end:at] + new + text[at:]
    return text[:at] + new + text[at:start] + text[end:]


def _is_inside(node: Any, start: int, end: int) -> bool:
    return bool(start <= node.start_mark.index < end)


def _end_of_lines(text: str, node: Any) -> int:
    """The end of the last line of a value."""
    line_end = text.find("\n", _content_end(text, node))
    return len(text) if line_end < 0 else line_end + 1


def _content_end(text: str, node: Any) -> int:
    """The end of a value without the comments and blank lines after it, which the mark
    of a block includes."""
    while node.id != "scalar" and not node.flow_style and node.value:
        last = node.value[-1]
        node = last[1] if node.id == "mapping" else last
    end = int(node.end_mark.index)
    return len(text[:end].rstrip()) if node.id == "scalar" else end


def _shifted(line: str, shift: int) -> str:
    if not line.strip():
        return line
    if shift >= 0:
        return " " * shift + line
    if line[:-shift].strip(" "):
        raise TextError(line)
    return line[-shift:]
