"""The output of a user's own template, put into shape by a formatter.

black takes milliseconds for a file, and most files are as they were in the run
before. What it made of a text is kept in the user's cache folder, under the digest
of the text and of black's version.
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Callable
from functools import cache
from pathlib import Path

from kubestencil import atomic as whole
from kubestencil.errors import TargetError


def formatter(name: str, path: str, template: str) -> Callable[[str, str], str]:
    """The function that formats what ``template`` prints to files like ``path``.

    ``name`` is one of ``kubestencil.engine.manifest.FORMATS``; the function gets a
    text and its subject, and raises TargetError for a text that is no code.
    """
    formats = {"black": _black}
    apply = formats[name]
    stub = path.endswith(".pyi")

    def formatted(text: str, subject: str) -> str:
        try:
            return apply(text, stub)
        except ValueError as error:
            raise TargetError(
                f"{name} cannot format what is printed of {subject}: {error}",
                where=template,
            ) from error

    return formatted


def _black(text: str, stub: bool) -> str:
    kept = _kept(text, stub)
    with contextlib.suppress(OSError, UnicodeError):
        return kept.read_text("utf-8")
    import black
    from black.parsing import InvalidInput

    try:
        shaped = black.format_str(text, mode=black.Mode(is_pyi=stub))
    except InvalidInput as error:
        raise ValueError(str(error)) from error
    # A cache folder that cannot be written costs time, not correctness.
    with contextlib.suppress(OSError):
        whole.write(kept, shaped.encode())
    return shaped


def _kept(text: str, stub: bool) -> Path:
    """Where the formatted ``text`` is, if it was formatted before."""
    parts = f"{_black_version()}\0{stub}\0{text}"
    digest = hashlib.sha256(parts.encode("utf-8", "surrogatepass")).hexdigest()
    return _folder() / digest[:2] / digest[2:]


@cache
def _black_version() -> str:
    from importlib.metadata import version

    return version("black")


@cache
def _folder() -> Path:
    from platformdirs import user_cache_path

    return user_cache_path("kubestencil") / "black"
