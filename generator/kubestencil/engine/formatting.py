"""Formats what users' templates generate. Results are cached.

black takes milliseconds for a file, and most files are the same as in the run before.
The formatted text is kept in the user's cache folder, under the digest of the text and
of black's version.
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Callable
from functools import cache
from pathlib import Path

from kubestencil import atomic
from kubestencil.engine.manifest import Formatter
from kubestencil.errors import TargetError


def make_formatter(
    name: Formatter, path: str, template: str
) -> Callable[[str, str], str]:
    """The function that formats the files that ``template`` generates to ``path``.

    It takes a text and its subject, and raises TargetError for a text that cannot be
    parsed.
    """
    format_text = _FORMATTERS[name]
    stub = path.endswith(".pyi")

    def formatted(text: str, subject: str) -> str:
        try:
            return format_text(text, stub)
        except ValueError as error:
            raise TargetError(
                f"{name} cannot format the output for {subject}: {error}",
                where=template,
            ) from error

    return formatted


def _format_with_black(text: str, stub: bool) -> str:
    """``text`` as black formats it. Raises ValueError where it is not Python."""
    cached = _cache_path(text, stub)
    with contextlib.suppress(OSError, UnicodeError):
        return cached.read_text("utf-8")
    import black

    formatted = black.format_str(text, mode=black.Mode(is_pyi=stub))
    # A cache folder that cannot be written costs time, not correctness.
    with contextlib.suppress(OSError):
        atomic.write(cached, formatted.encode())
    return formatted


_FORMATTERS: dict[Formatter, Callable[[str, bool], str]] = {"black": _format_with_black}


def _cache_path(text: str, stub: bool) -> Path:
    """The file with the formatted ``text``; it exists if it was formatted before."""
    key = f"{_black_version()}\0{stub}\0{text}"
    digest = hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()
    return _cache_folder() / digest[:2] / digest[2:]


@cache
def _black_version() -> str:
    from importlib.metadata import version

    return version("black")


@cache
def _cache_folder() -> Path:
    from platformdirs import user_cache_path

    return user_cache_path("kubestencil") / "black"
