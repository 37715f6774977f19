"""JSON pointers (RFC 6901), which locate a value in a document."""

from __future__ import annotations

from collections.abc import Iterable

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
