"""Limits on what is read, which keep a hostile document from filling the memory, and the
environment variables that lift them."""

from __future__ import annotations

import os

from kubestencil.errors import SourceError, UsageError

#: The size limit of a document, which is read into memory as a whole. The largest
#: one that Kubernetes publishes is under 4 MB.
MAX_BYTES = 64 * 1024 * 1024
#: The environment variable with another limit.
MAX_BYTES_VARIABLE = "KUBESTENCIL_MAX_BYTES"


def max_bytes() -> int:
    """The size limit of a document; raises UsageError where the environment has no
    number."""
    limit = limit_of(MAX_BYTES_VARIABLE, "bytes")
    return MAX_BYTES if limit is None else limit


def too_large(where: str, size: str) -> SourceError:
    """The error of a document that exceeds ``max_bytes``. ``size`` says how large it
    is: ``70,000,000`` or ``more``."""
    return SourceError(
        f"has {size} bytes; the limit is {max_bytes():,}",
        where=where,
        hint=f"if you trust it, set {MAX_BYTES_VARIABLE} to a higher number of bytes",
    )


def limit_of(variable: str, unit: str) -> int | None:
    """The number of ``unit`` in an environment variable, None where it is not set;
    raises UsageError for anything else."""
    text = os.environ.get(variable, "")
    if not text:
        return None
    if not (text.isascii() and text.isdecimal() and len(text) < 19):
        raise UsageError(
            f"is {text[:40]!a}, not a number of {unit}",
            where=variable,
            hint="set it to a number, or unset it",
        )
    return int(text)
