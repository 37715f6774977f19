"""Reads the YAML that programs write for CustomResourceDefinitions, without libyaml's
events, which take up to twice as long.

This is block YAML: mappings and lists by indentation, plain and quoted scalars, literal
blocks, and flow collections on one line. Anything else, and whatever is wrong or
unusual, is left to ``yaml.compose``, whose value is the same and whose errors have a
position: anchors and aliases, tags, merge keys, comments behind values, tabs and other
characters that do not print, duplicate keys.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from json.decoder import scanstring  # type: ignore[attr-defined]
from typing import Any, NamedTuple

from kubestencil.source.yaml.lines import (
    Form,
    Line,
    UnusualYamlError,
    check_plain,
    parse_line,
    parsed_line,
    plain_text,
    plain_value,
)

__all__ = ["BlockDocument", "Compose", "UnusualYamlError", "read_block"]

# Below libyaml's limit of 1,024 characters, and the depth that yaml.MAX_DEPTH allows.
_MAX_DEPTH = 200
_MAX_BRACKETS = 50

_DASH = re.compile(r"- *")
_SINGLE_QUOTED = re.compile(r"'(?:[^']|'')*'(?!')")
_DOUBLE_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")

#: Composes a piece of YAML that has no references to the rest, such as ``[a, b]``.
Compose = Callable[[str], Any]


class BlockDocument(NamedTuple):
    """The JSON value of a document, and the index of the line that it begins on."""

    value: Any
    line: int


def read_block(text: str, compose: Compose) -> BlockDocument:
    """The mapping that is the only document of ``text``.

    ``compose`` reads folded scalars and flow collections. Raises UnusualYamlError for all
    other YAML.
    """
    if not text.replace("\n", "").isprintable():
        raise UnusualYamlError
    return _Reader(text, compose).read()


class _Reader:
    """Reads a document line by line.

    ``containers`` and ``columns`` are the mappings and lists that the current line is
    in, and the columns of their entries. ``key`` is the last key of a mapping. After
    an entry without a value, ``is_pending`` says that the next line may begin a mapping
    or list; after one with a plain scalar, ``plain`` is its text, and ``plain_index``
    the index of the line behind it, which may continue it.
    """

    def __init__(self, text: str, compose: Compose) -> None:
        self.lines = text.split("\n")
        self.compose = compose
        self.index = 0
        self.containers: list[Any] = [{}]
        self.columns = [0]
        self.key = ""
        self.is_pending = False
        self.plain = ""
        self.plain_index = 0

    def read(self) -> BlockDocument:
        lines, containers, columns = self.lines, self.containers, self.columns
        root = containers[0]
        is_explicit = lines[0].startswith("---")
        self.index = int(is_explicit)
        first = -1
        count = len(lines)
        # Attributes of the enum, and of the class, take time to look up.
        key_form, field_form, comment_form = Form.KEY, Form.FIELD, Form.COMMENT
        # This loop is the time that it takes to read a catalogue: fewer calls are
        # worth its length.
        while self.index < count:
            text = lines[self.index]
            line = parsed_line(text) or parse_line(text)
            self.index += 1
            form, column, _, _, name, plain, value = line
            if form <= comment_form:
                if form == comment_form:
                    self.plain = ""
                continue
            if first < 0:
                first = self.index - 1
            last_column = columns[-1]
            if column > last_column and not self.is_pending:
                self.continue_plain()
                continue
            if form != field_form and form != key_form:
                self.add(line)
                continue
            mapping = containers[-1]
            if column != last_column or type(mapping) is list:
                self.enter(column)
                mapping = containers[-1]
            if name in mapping:
                raise UnusualYamlError
            mapping[name] = value
            self.key = name  # type: ignore[assignment]
            self.is_pending = form == key_form
            self.plain = plain
            self.plain_index = self.index
        if first < 0:
            raise UnusualYamlError
        return BlockDocument(root, 0 if is_explicit else first)

    def add(self, line: Line) -> None:
        """Add a line that is no key with a scalar or without a value."""
        if line.form == Form.TEXT:
            raise UnusualYamlError
        has_key = line.key is not None
        if line.dashes:
            self.add_items(line.column, line.dashes, has_key)
        else:
            self.enter(line.column)
        container = self.containers[-1]
        if has_key:
            if line.name is None or line.name in container:
                raise UnusualYamlError
            self.key = line.name
            container[line.name] = self.value(line.text) if line.text else None
            self.is_pending = not line.text
        elif line.form == Form.ITEM:
            container[-1] = line.value
            self.is_pending = False
            self.plain = line.text
            self.plain_index = self.index
        elif line.text:
            container[-1] = self.value(line.text)
            self.is_pending = False

    def enter(self, column: int) -> None:
        """Continue or begin the mapping that has its keys at ``column``."""
        containers, columns = self.containers, self.columns
        if column > columns[-1]:
            self.begin({}, column)
            return
        while columns[-1] > column:
            del containers[-1], columns[-1]
        # The dashes of a list may be in the column of the key that it belongs to.
        if type(containers[-1]) is list and columns[-1] == column:
            containers.pop()
            columns.pop()
        if columns[-1] != column or type(containers[-1]) is not dict:
            raise UnusualYamlError

    def push(self, container: Any, column: int) -> None:
        if len(self.columns) > _MAX_DEPTH:
            raise UnusualYamlError
        self.containers.append(container)
        self.columns.append(column)

    def begin(self, container: Any, column: int) -> None:
        """Make ``container`` the value of the last entry."""
        parent = self.containers[-1]
        if type(parent) is list:
            parent[-1] = container
        else:
            parent[self.key] = container
        self.is_pending = False
        self.push(container, column)

    def add_items(self, column: int, dashes: str, has_key: bool) -> None:
        """Add the items that the dashes of a line begin, of which the last one is a
        mapping with ``has_key``."""
        containers, columns = self.containers, self.columns
        for dash in _DASH.findall(dashes):
            if self.is_pending and (
                column > columns[-1]
                or (column == columns[-1] and type(containers[-1]) is dict)
            ):
                self.begin([], column)
            else:
                while columns[-1] > column:
                    containers.pop()
                    columns.pop()
                if columns[-1] != column or type(containers[-1]) is not list:
                    raise UnusualYamlError
            containers[-1].append(None)
            self.is_pending = True
            column += len(dash)
        if has_key:
            self.begin({}, column)

    def value(self, text: str) -> Any:
        """The scalar or flow collection that begins with ``text`` on the line before
        the current one; of a plain scalar, what is on that line."""
        first = text[0]
        self.plain = ""
        if first == '"':
            return self.double_quoted(text)
        if first == "'":
            return self.single_quoted(text)
        if first in "|>":
            return self.block_scalar(text)
        if first in "[{":
            return self.flow(text)
        self.plain = plain_text(text)
        self.plain_index = self.index
        return plain_value(self.plain)

    def continue_plain(self) -> None:
        """Add the current line, and those after it that belong to it, to the plain
        scalar of the last entry."""
        if not self.plain:
            raise UnusualYamlError
        parts = [self.plain]
        column = self.columns[-1]
        breaks = 1
        for index in range(self.plain_index, len(self.lines)):
            text = self.lines[index]
            line = parsed_line(text) or parse_line(text)
            if line.form == Form.EMPTY:
                breaks += 1
                continue
            if line.column <= column or line.form == Form.COMMENT:
                break
            text = text.strip(" ")
            check_plain(text)
            parts += (_folded(breaks), text)
            breaks = 1
            self.index = index + 1
        self.plain = ""
        container = self.containers[-1]
        last = -1 if type(container) is list else self.key
        container[last] = plain_value("".join(parts))

    def double_quoted(self, text: str) -> Any:
        if text.find('"', 1) == len(text) - 1 and "\\" not in text:
            return text[1:-1]
        try:
            value, end = scanstring(text, 1)
        except ValueError:
            return self.quoted(text, _DOUBLE_QUOTED)
        if end != len(text) and text[end:].strip(" "):
            raise UnusualYamlError
        if "\\" in text and _SURROGATE.search(text):
            raise UnusualYamlError
        return value

    def single_quoted(self, text: str) -> Any:
        if text.find("'", 1) == len(text) - 1:
            return text[1:-1]
        match = _SINGLE_QUOTED.match(text)
        if match is None:
            return self.single_quoted_lines(text)
        if match.end() != len(text) and text[match.end() :].strip(" "):
            raise UnusualYamlError
        return text[1 : match.end() - 1].replace("''", "'")

    def single_quoted_lines(self, text: str) -> str:
        """A single-quoted scalar of several lines."""
        parts = [text[1:].rstrip(" ")]
        margin = " " * (self.columns[-1] + 1)
        breaks = 1
        lines = self.lines
        for index in range(self.index, len(lines)):
            line = lines[index]
            text = line.strip(" ")
            if not text:
                breaks += 1
                continue
            if not line.startswith(margin):
                break
            parts += (_folded(breaks), text)
            breaks = 1
            if "'" in text and "'" in text.replace("''", ""):
                # The quote that ends the scalar is not one of a pair.
                parts[-1] = text[:-1]
                if text[-1] != "'" or "'" in parts[-1].replace("''", ""):
                    break
                self.index = index + 1
                return "".join(parts).replace("''", "'")
        raise UnusualYamlError

    def quoted(self, text: str, pattern: re.Pattern[str]) -> Any:
        """A quoted scalar of several lines, or with escapes that JSON does not have."""
        pieces = [text]
        quote = text[0]
        column = " " * (self.columns[-1] + 1)
        while True:
            # Without this, the text so far would be matched for each of its lines.
            if quote in pieces[-1][len(pieces) == 1 :]:
                match = pattern.match("\n".join(pieces))
                if match is not None:
                    break
            if self.index >= len(self.lines):
                raise UnusualYamlError
            line = self.lines[self.index]
            if line.strip(" ") and not line.startswith(column):
                raise UnusualYamlError
            pieces.append(line)
            self.index += 1
        joined = "\n".join(pieces)
        if joined[match.end() :].strip(" "):
            raise UnusualYamlError
        return self.compose(match[0])

    def flow(self, text: str) -> Any:
        """A list or mapping on one line."""
        if any(sign in text for sign in "&*!#<?") or (
            text.count("[") + text.count("{") > _MAX_BRACKETS
        ):
            raise UnusualYamlError
        stripped = text.rstrip(" ")
        if stripped == "{}":
            return {}
        if stripped == "[]":
            return []
        return self.compose(text)

    def block_scalar(self, text: str) -> Any:
        """A literal block (``|``), or a folded one."""
        header = text.rstrip(" ")
        if header not in ("|", "|-", "|+", ">", ">-", ">+"):
            raise UnusualYamlError
        lines = self.block_lines()
        if header[0] == ">":
            return self.compose("\n".join([header, *lines, ""]))
        indent = len(lines[0]) - len(lines[0].lstrip(" "))
        content = "".join(f"{line[indent:]}\n" for line in lines)
        if header == "|+":
            return content
        return content.rstrip("\n") + ("" if header == "|-" else "\n")

    def block_lines(self) -> list[str]:
        """The lines of a block scalar, which ends before a line that is not indented
        as much as its first one."""
        lines = self.lines
        start = self.index
        if start >= len(lines):
            raise UnusualYamlError
        first = lines[start]
        indent = len(first) - len(first.lstrip(" "))
        # Leading empty lines have rules of their own.
        if indent == len(first) or indent <= self.columns[-1]:
            raise UnusualYamlError
        margin = first[:indent]
        index = start + 1
        while index < len(lines) and (
            lines[index].startswith(margin) or not lines[index].strip(" ")
        ):
            index += 1
        if index == len(lines):
            # The text ends in the scalar; its last line is empty if it has a line
            # break.
            if lines[-1]:
                raise UnusualYamlError
            index -= 1
        self.index = index
        return lines[start:index]


def _folded(breaks: int) -> str:
    """What a number of line breaks are in a scalar: one is a space, and more of them
    are one less."""
    return " " if breaks == 1 else "\n" * (breaks - 1)
