"""JSON pointers (RFC 6901) to places in a document."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

#: A pointer as a linked list, innermost step first: cheap to extend while a document
#: is walked, and formatted only for an error message.
Pointer = tuple[str, "Pointer | None"]


def json_pointer(steps: Iterable[str]) -> str:
    """Steps, outermost first, as a JSON pointer."""
    return "".join(f"/{step.replace('~', '~0').replace('/', '~1')}" for step in steps)


def printable_pointer(pointer: Pointer | None) -> str:
    """A pointer for an error message: whatever its steps contain, it is one line."""
    steps = list(_steps(pointer))
    return json_pointer(
        step if step.isprintable() else ascii(step)[1:-1] for step in reversed(steps)
    )


def _steps(pointer: Pointer | None) -> Iterator[str]:
    while pointer is not None:
        step, pointer = pointer
        yield step
