"""JSON pointers (RFC 6901), which locate a value in a document."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import NamedTuple

#: A pointer as a linked list, innermost token first: cheap to extend while a document
#: is walked, and formatted only for an error message.
Pointer = tuple[str, "Pointer | None"]


def json_pointer(tokens: Iterable[str]) -> str:
    """The JSON pointer of reference tokens, outermost first."""
    return "".join(
        f"/{token.replace('~', '~0').replace('/', '~1')}" for token in tokens
    )


def printable_pointer(pointer: Pointer | None) -> str:
    """The JSON pointer for an error message: one line, whatever its tokens contain."""
    return json_pointer(
        token if token.isprintable() else ascii(token)[1:-1]
        for token in pointer_tokens(pointer)
    )


def pointer_tokens(pointer: Pointer | None) -> list[str]:
    """The tokens of a pointer, outermost first."""
    tokens: list[str] = []
    while pointer is not None:
        token, pointer = pointer
        tokens.append(token)
    return tokens[::-1]


def extended(pointer: Pointer | None, tokens: Iterable[str]) -> Pointer | None:
    """A pointer with further tokens, outermost first."""
    for token in tokens:
        pointer = (token, pointer)
    return pointer


_NONE: Mapping[str, Pointer] = MappingProxyType({})


class SourceMap(NamedTuple):
    """Where definitions are from, for errors.

    ``origin`` is the file of those that are not in ``origins``, and ``root`` where they are
    in it; ``pointers`` has another position for some of them, None for a whole file.
    ``inline`` has those that were made of a part of another one: a pointer whose first
    token is the name of that.
    """

    origin: str
    root: Pointer | None = ("definitions", None)
    origins: Mapping[str, str] = MappingProxyType({})
    pointers: Mapping[str, Pointer | None] = _NONE
    inline: Mapping[str, Pointer] = _NONE

    def locate(self, pointer: Pointer) -> str:
        """The file and the position in it of ``/definitions/<name>/…``."""
        _, *tokens = pointer_tokens(pointer)
        origin, position = self.origin, self.root
        if tokens:
            name, *inner = tokens
            if name in self.inline:
                name, *outer = pointer_tokens(self.inline[name])
                inner = [*outer, *inner]
            origin = self.origins.get(name, origin)
            start = self.pointers.get(name, (name, position))
            position = extended(start, inner)
        return f"{origin}#{printable_pointer(position)}"
