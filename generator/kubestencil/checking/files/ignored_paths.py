"""Patterns of ``.gitignore`` files, matched in time that any pattern and path bounds.

pathspec translates a pattern to a regular expression, in which each ``*`` is a repetition
that backtracks into those before it: a line such as ``*a*a*a*a*b`` takes hours for one
long name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING, Any, Literal

from kubestencil.errors import SourceError

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec
    from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern

# Others that pathspec uses where they are installed do not have all expressions.
_BACKEND: Literal["simple"] = "simple"
# The group of an expression of pathspec that captures a slash behind a folder.
_SLASH = "ps_d"
# What pathspec makes of ? and of *.
_ANY, _STAR = "[^/]", "[^/]*"
# Folders of any depth in a pattern: ``**``.
_FOLDERS = re.compile(r"\(\?:\.\+/\)\?|\(\?:/\.\+\)\?")
_MAX_FOLDERS = 2
# Paths are no longer on Linux, and a pattern seldom is longer than what it matches.
_MAX_LENGTH = 4096
# Each line is a regular expression, which takes 0.1 ms to compile.
_MAX_BYTES = 1024 * 1024
_MAX_LINES = 10_000


def split_lines(data: bytes, where: str) -> tuple[str, ...]:
    """The lines of a ``.gitignore`` file.

    Raises SourceError where there are more than any that people write has.
    """
    lines = data.decode(errors="replace").split("\n")
    if len(data) > _MAX_BYTES or len(lines) > _MAX_LINES:
        raise SourceError(
            f"has {len(data):,} bytes in {len(lines):,} lines; "
            f"the limits are {_MAX_BYTES:,} and {_MAX_LINES:,}",
            where=where,
            hint="name files instead of their folder, and it is not read",
        )
    return tuple(line.removesuffix("\r") for line in lines)


def make_valid_spec(lines: Iterable[str]) -> GitIgnoreSpec:
    """The patterns in the lines that are valid ones."""
    from pathspec import GitIgnoreSpec

    patterns: list[Any] = []
    for line in lines:
        with suppress(ValueError):
            patterns += make_spec([line]).patterns
    return GitIgnoreSpec(patterns, backend=_BACKEND)


def make_spec(lines: Iterable[str]) -> GitIgnoreSpec:
    """The patterns in the lines; raises ValueError where one is not a pattern, which Git
    ignores: it has more than two ``**`` between slashes, or is longer than a path."""
    from pathspec import GitIgnoreSpec

    texts = list(lines)
    if max(map(len, texts), default=0) > _MAX_LENGTH:
        raise ValueError("is too long")
    try:
        return GitIgnoreSpec.from_lines(texts, _pattern_class(), backend=_BACKEND)
    except (re.error, RecursionError, OverflowError) as error:
        raise ValueError(str(error)) from error


def verdict_on(spec: GitIgnoreSpec, path: str, *, is_folder: bool) -> bool | None:
    """Whether the last pattern that is about a path itself ignores it; None where none is.

    What a pattern says of a folder says nothing here of what is in it: that is only
    looked at where the folder is not ignored (gitignore(5)).
    """
    for pattern in reversed(list(spec.patterns)):
        regex, include = pattern.regex, pattern.include
        if regex is not None and _is_about(regex, path, is_folder):
            return include
    return None


def _is_about(regex: re.Pattern[str], path: str, is_folder: bool) -> bool:
    """Whether an expression of pathspec matches a path, and not a folder that it is in:
    of what a folder has, it captures the slash behind the folder."""
    match = regex.search(path)
    if match and not match.groupdict().get(_SLASH):
        return True
    end = len(path) + 1
    return is_folder and any(
        match.groupdict().get(_SLASH) and match.end(_SLASH) == end
        for match in regex.finditer(f"{path}/")
    )


@cache
def _pattern_class() -> type[GitIgnoreSpecPattern]:
    """The class of patterns, made where pathspec is needed."""
    from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern

    class Pattern(GitIgnoreSpecPattern):
        @classmethod
        def pattern_to_regex(cls, pattern: Any) -> tuple[Any, bool | None]:
            regex, include = super().pattern_to_regex(pattern)
            return (regex if regex is None else without_backtracking(regex)), include

    return Pattern


def without_backtracking(regex: str) -> str:
    """An expression of pathspec in which a ``*`` that another one of the same name
    follows matches as little as possible, once and for all.

    What comes between two of them has one length, so that its first match leaves most
    for the rest. Raises ValueError where there are too many ``**``.
    """
    if len(_FOLDERS.findall(regex)) > _MAX_FOLDERS:
        raise ValueError("has too many **")
    first, *parts = regex.split(_STAR)
    translated = [first]
    for index, part in enumerate(parts):
        is_last_of_name = "/" in part.replace(_ANY, "")
        is_followed = index < len(parts) - 1 and not is_last_of_name
        translated.append(f"(?>{_STAR}?{part})" if is_followed else f"{_STAR}{part}")
    return "".join(translated)
