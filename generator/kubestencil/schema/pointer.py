"""JSON pointers (RFC 6901), which locate a value in a document."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

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
    tokens = list(_tokens(pointer))
    return json_pointer(
        token if token.isprintable() else ascii(token)[1:-1]
        for token in reversed(tokens)
    )


def _tokens(pointer: Pointer | None) -> Iterator[str]:
    while pointer is not None:
        token, pointer = pointer
        yield token
