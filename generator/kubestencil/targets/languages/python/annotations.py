"""Lays out type hints as black does: on one line, or over several where they are long.

black splits a hint from the outside in: a union at each ``|``, then the brackets of
a subscript, whose arguments share a line if they fit. It takes 12 ms for a class itself,
of which a release has 700.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection

#: The length of a line in generated Python, which is black's default.
LINE_LENGTH = 88

_STEP = "    "
#: What ``_base.py`` has for attributes that the API server always sends.
PRESENT, ABSENT = "Present", "ABSENT"
#: The builtin types in hints.
BUILTINS = frozenset(["bool", "dict", "float", "int", "list", "str"])
# A text, or a name.
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|\w+')


def names_in(annotation: str) -> set[str]:
    """The names in a type hint, which are not in its texts."""
    return {token for token in _TOKEN.findall(annotation) if token[0] != '"'}


def with_aliases(annotation: str, aliased: Collection[str]) -> str:
    """A type hint in which the builtins ``aliased`` begin with an underscore: the class
    has attributes that are called like them."""
    return _TOKEN.sub(
        lambda match: f"_{match[0]}" if match[0] in aliased else match[0], annotation
    )


def present(annotation: str) -> str:
    """The type hint of an attribute that is only None before it was sent."""
    name = annotation.strip('"')
    hint = f"{PRESENT}[{name.removesuffix(' | None')}]"
    return hint if name == annotation else f'"{hint}"'


def attribute_lines(name: str, annotation: str, default: str, indent: int) -> str:
    """An annotated attribute of a class: ``name: annotation = default``.

    ``default`` is empty where there is none; ``indent`` is the column of the attribute.
    The first line is not indented.
    """
    end = f" = {default}" if default else ""
    line = f"{name}: {annotation}{end}"
    if indent + len(line) <= LINE_LENGTH:
        return line
    margin = " " * indent
    if default and indent + len(f"{name}: {annotation} = (") <= LINE_LENGTH:
        return f"{name}: {annotation} = (\n{margin}{_STEP}{default}\n{margin})"
    source = annotation.encode()
    tree = ast.parse(source, mode="eval").body
    if not isinstance(tree, ast.BinOp | ast.Subscript):
        if len(margin + _STEP + annotation) <= LINE_LENGTH:
            return f"{name}: (\n{margin}{_STEP}{annotation}\n{margin}){end}"
        return f"{name}: {annotation}" + (f" = ({default})" if default else "")
    if isinstance(tree, ast.BinOp):
        lines = _lines(source, tree, margin + _STEP, "", "")
        return "\n".join([f"{name}: (", *lines, f"{margin}){end}"])
    lines = _bracket_lines(source, tree, margin, f"{name}: ", end)
    return "\n".join(lines).removeprefix(margin)


def alias_lines(name: str, annotation: str) -> str:
    """An alias of a type on the level of a module: ``name = annotation``."""
    start = f"{name} = "
    if len(start + annotation) <= LINE_LENGTH:
        return start + annotation
    tree = ast.parse(annotation, mode="eval").body
    return "\n".join(_bracket_lines(annotation.encode(), tree, "", start, ""))


def _lines(
    source: bytes, node: ast.expr, margin: str, before: str, after: str
) -> list[str]:
    """The lines of a type, with what is before it on the first and after it on the
    last one."""
    line = f"{margin}{before}{_text(source, node)}{after}"
    if len(line) <= LINE_LENGTH:
        return [line]
    if not isinstance(node, ast.BinOp):
        return _bracket_lines(source, node, margin, before, after)
    # a | b | c is (a | b) | c.
    members: list[ast.expr] = []
    left: ast.expr = node
    while isinstance(left, ast.BinOp):
        members.insert(0, left.right)
        left = left.left
    lines = _lines(source, left, margin, before, "")
    for member in members[:-1]:
        lines += _lines(source, member, margin, "| ", "")
    return lines + _lines(source, members[-1], margin, "| ", after)


def _bracket_lines(
    source: bytes, node: ast.expr, margin: str, before: str, after: str
) -> list[str]:
    """The lines of a type that is split at its brackets; one line if it has none."""
    if not isinstance(node, ast.Subscript):
        return [f"{margin}{before}{_text(source, node)}{after}"]
    deeper = margin + _STEP
    arguments = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    line = deeper + ", ".join(_text(source, argument) for argument in arguments)
    if len(line) <= LINE_LENGTH:
        lines = [line]
    else:
        # A comma would make a tuple of a single argument.
        comma = "," if len(arguments) > 1 else ""
        lines = [
            line
            for argument in arguments
            for line in _lines(source, argument, deeper, "", comma)
        ]
    name = _text(source, node.value)
    return [f"{margin}{before}{name}[", *lines, f"{margin}]{after}"]


def _text(source: bytes, node: ast.expr) -> str:
    """The text of a node in a hint, which has one line.

    ``ast.get_source_segment`` divides the whole text into lines for each node.
    """
    return source[node.col_offset : node.end_col_offset].decode()
