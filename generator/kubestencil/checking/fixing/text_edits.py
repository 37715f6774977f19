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
    if raw[0] in "'\"" or not _PLAIN.match(new) or new.lower() in _WORDS:
        return json.dumps(new)
    return new


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
    """A text with a field before the first one of an object."""
    first = mapping.value[0][0].start_mark
    if not isinstance(value, str) or not _PLAIN.match(name):
        raise TextError(name)
    written = value if _PLAIN.match(value) else json.dumps(value)
    between = ", " if mapping.flow_style else "\n" + " " * first.column
    before, after = text[: first.index], text[first.index :]
    return f"{before}{name}: {written}{between}{after}"


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
    """The text with the lines of a field in another block."""
    key, value = _entry(_node(root, path[:-1]), path[-1])
    start = key.start_mark.index - key.start_mark.column
    if text[start : key.start_mark.index].strip(" "):
        raise TextError(path)  # It is behind "- " or inside of braces.
    end = _end_of_lines(text, value)
    lines = text[start:end].splitlines(keepends=True)
    steps = target
    node = root
    done = 0
    for _ in steps[:-1]:
        try:
            node = _node(root, steps[: done + 1])
        except TextError:
            break
        done += 1
    if done < len(steps) - 1:
        node = _node(root, steps[:done])
    if (
        node.id != "mapping"
        or node.flow_style
        or any(isinstance(step, int) for step in steps[done:])
    ):
        raise TextError(target)
    column = node.value[0][0].start_mark.column
    missing = [str(step) for step in steps[done:-1]]
    if not lines[-1].endswith("\n"):
        lines[-1] += "\n"
    block: list[str] = []
    for depth, name in enumerate(missing):
        block.append(f"{' ' * (column + 2 * depth)}{name}:\n")
    shift = column + 2 * len(missing) - key.start_mark.column
    block += [_shifted(line, shift) for line in lines]
    name = str(steps[-1])
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
