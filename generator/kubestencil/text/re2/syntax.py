"""Parses regular expressions in the syntax of RE2, the one of Go and so of Kubernetes.

The syntax is described at https://github.com/google/re2/wiki/Syntax. What Go's package
``regexp`` does not support (references to groups, lookahead) is an error.
"""

from __future__ import annotations

import re
import sys
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping
from functools import cache, lru_cache
from itertools import groupby
from typing import Literal, NamedTuple

#: Inclusive ranges of code points, sorted, without overlap.
Ranges = tuple[tuple[int, int], ...]
#: ``$`` is the end of the text, unless the flag ``m`` makes it that of a line.
AssertionKind = Literal[
    "text-start", "text-end", "line-start", "line-end", "word", "no-word"
]

MAX_CODE_POINT = sys.maxunicode
# Go's limits are 1000 repetitions and 1000 nested groups. This parser is recursive.
_MAX_REPEAT = 1000
_MAX_DEPTH = 50


class PatternError(ValueError):
    """A pattern that is not valid, or that is not supported."""


class UnsupportedPatternError(PatternError):
    """A pattern that may be valid, but is too large, or has classes of Unicode that
    differ between versions of Go."""


class Chars(NamedTuple):
    """One character out of ``ranges``."""

    ranges: Ranges


class Sequence(NamedTuple):
    """One expression after the other."""

    items: tuple[Expression, ...]


class Choice(NamedTuple):
    """One of several expressions."""

    items: tuple[Expression, ...]


class Repeat(NamedTuple):
    """An expression that is repeated; ``most`` is None where there is no limit."""

    item: Expression
    least: int
    most: int | None


class Assertion(NamedTuple):
    """A condition on the position, which takes no character."""

    kind: AssertionKind


Expression = Chars | Sequence | Choice | Repeat | Assertion


def parse(pattern: str) -> Expression:
    """The expression of a pattern. Raises PatternError where it is not valid or not
    supported."""
    return _Parser(pattern).parse()


def mistake(pattern: str) -> str | None:
    """Why Go refuses a pattern; None where it does not, or that is not known."""
    try:
        parse(pattern)
    except UnsupportedPatternError:
        return None
    except PatternError as error:
        return str(error)
    return None


def complement(ranges: Ranges) -> Ranges:
    """All code points that are not in ``ranges``."""
    result = []
    start = 0
    for low, high in ranges:
        if start < low:
            result.append((start, low - 1))
        start = high + 1
    if start <= MAX_CODE_POINT:
        result.append((start, MAX_CODE_POINT))
    return tuple(result)


def _union(ranges: Iterable[tuple[int, int]]) -> Ranges:
    result: list[tuple[int, int]] = []
    for low, high in sorted(ranges):
        if result and low <= result[-1][1] + 1:
            result[-1] = result[-1][0], max(high, result[-1][1])
        else:
            result.append((low, high))
    return tuple(result)


def _class(text: str) -> Ranges:
    """Ranges from a text of pairs: ``"09az"``."""
    codes = [ord(char) for char in text]
    return _union(zip(codes[::2], codes[1::2], strict=True))


_DIGIT, _SPACE, _WORD = _class("09"), _class("\t\n\f\r  "), _class("09AZaz__")
_PERL_CLASSES = {"d": _DIGIT, "s": _SPACE, "w": _WORD}
_POSIX_CLASSES = {
    "alnum": _class("09AZaz"), "alpha": _class("AZaz"), "ascii": _class("\0\x7f"),
    "blank": _class("\t\t  "), "cntrl": _class("\0\x1f\x7f\x7f"), "digit": _DIGIT,
    "graph": _class("!~"), "lower": _class("az"), "print": _class(" ~"),
    "punct": _class("!/:@[`{~"), "space": _class("\t\r  "), "upper": _class("AZ"),
    "word": _WORD, "xdigit": _class("09AFaf"),
}  # fmt: skip
_ESCAPES = {"a": 7, "f": 12, "t": 9, "n": 10, "r": 13, "v": 11}
_ASSERTIONS: dict[str, AssertionKind] = {
    "A": "text-start", "z": "text-end", "b": "word", "B": "no-word"
}  # fmt: skip
_ANY: Ranges = ((0, MAX_CODE_POINT),)
_ANY_BUT_NEWLINE = complement(_class("\n\n"))
_REPEAT = re.compile(
    r"(?:(?P<sign>[*+?])|"
    r"\{(?P<least>0|[1-9]\d*)(?P<comma>,(?P<most>0|[1-9]\d*)?)?\})\??",
    re.ASCII,
)
_SIGNS = {"*": (0, None), "+": (1, None), "?": (0, 1)}
_GROUP = re.compile(r"\?(?:P?<(\w+)>|([imsU]*(?:-[imsU]+)?)([:)]))", re.ASCII)
_POSIX = re.compile(r"\[:(\^?)(.*?):\]", re.DOTALL)
_UNICODE = re.compile(r"(\w)|\{(\^?)([^}]*)\}")
_HEX = re.compile(r"[0-9A-Fa-f]{2}|\{([0-9A-Fa-f]{1,6})\}")
_QUOTED = re.compile(r"\\Q(.*?)(?:\\E|\Z)|\\.", re.DOTALL)
_TURKISH_LETTERS = "\u0130\u0131"
# The letters of no script beyond have cases.
_AFTER_LETTERS = 0x1F000
_OCTAL = re.compile(r"0[0-7]{0,2}|[1-7][0-7]{1,2}")


@lru_cache(maxsize=1)
def _categories() -> list[tuple[str, int, int]]:
    """The general categories of Unicode: each run of code points that have the same."""
    runs = []
    start = 0
    categories = map(unicodedata.category, map(chr, range(MAX_CODE_POINT + 1)))
    for category, codes in groupby(categories):
        end = start + sum(1 for _ in codes)
        runs.append((category, start, end - 1))
        start = end
    return runs


def _unicode_class(name: str) -> Ranges:
    """The code points of a general category: ``L``, ``Lu``. Scripts have none."""
    return _union(
        (low, high)
        for category, low, high in _categories()
        if category.startswith(name)
    )


@cache
def _letters() -> Mapping[int, list[int]]:
    """The code points that are one letter where case is ignored, by each of them, in
    their order: as ``unicode.SimpleFold`` of Go has them."""
    letters: dict[str, list[int]] = {}
    for code in range(_AFTER_LETTERS):
        char = chr(code)
        if char.lower() != char or char.upper() != char:
            letters.setdefault(_without_case(char), []).append(code)
    return {code: codes for codes in letters.values() for code in codes}


def _without_case(char: str) -> str:
    if char in _TURKISH_LETTERS:
        return char
    for other in (str.upper, str.lower):
        # Of some letters, such as ß, the other case has two.
        char = other(char) if len(other(char)) == 1 else char
    return char


def _with_both_cases(ranges: Ranges) -> Ranges:
    """``ranges`` with the other cases of letters."""
    both = list(ranges)
    letters = _letters()
    codes = sorted(letters)
    for low, high in ranges:
        for code in codes[bisect_left(codes, low) : bisect_right(codes, high)]:
            both += ((other, other) for other in letters[code])
    return _union(both)


def _count(digits: str) -> int:
    """A limit of a repetition. Python refuses to read the longest numbers."""
    return int(digits) if len(digits) <= len(str(_MAX_REPEAT)) else _MAX_REPEAT + 1


def _escape_quoted(match: re.Match[str]) -> str:
    """``\\Q…\\E`` with a backslash before each special character instead."""
    return match[0] if match[1] is None else re.escape(match[1])


class _Parser:
    """Parses one pattern by recursive descent. ``flags`` are those of the group that
    is being read."""

    def __init__(self, pattern: str) -> None:
        self.pattern = _QUOTED.sub(_escape_quoted, pattern)
        self.position = 0
        self.flags = frozenset[str]()

    def parse(self) -> Expression:
        expression = self.choice(0)
        if self.position < len(self.pattern):
            raise self.error("has an unmatched )")
        return expression

    def choice(self, depth: int) -> Expression:
        if depth > _MAX_DEPTH:
            raise UnsupportedPatternError(self.message("has too many nested groups"))
        branches = [self.sequence(depth)]
        while self.take("|"):
            branches.append(self.sequence(depth))
        return branches[0] if len(branches) == 1 else Choice(tuple(branches))

    def sequence(self, depth: int) -> Expression:
        items: list[Expression] = []
        while self.position < len(self.pattern) and self.next() not in "|)":
            item = self.atom(depth)
            if item is None and items:
                # What follows flags repeats what is before them.
                item = items.pop()
            if item is not None:
                items.append(self.repeated(item))
        return items[0] if len(items) == 1 else Sequence(tuple(items))

    def repeated(self, item: Expression) -> Expression:
        """``item`` with the repetition that follows it."""
        limits = self.repetition()
        if limits is None:
            return item
        if self.repetition() is not None:
            raise self.error("repeats a repetition")
        return item if limits == (1, 1) else Repeat(item, *limits)

    def repetition(self) -> tuple[int, int | None] | None:
        """Read a repetition; None, where there is none."""
        match = _REPEAT.match(self.pattern, self.position)
        if match is None:
            return None
        self.position = match.end()
        if match["sign"]:
            return _SIGNS[match["sign"]]
        least = _count(match["least"])
        most: int | None = least
        if match["comma"]:
            most = _count(match["most"]) if match["most"] else None
        if max(least, most or 0) > _MAX_REPEAT or (most or least) < least:
            raise self.error("has an invalid repetition")
        return least, most

    def atom(self, depth: int) -> Expression | None:
        """Read one expression; None for flags, ``(?i)``."""
        char = self.pattern[self.position]
        if _REPEAT.match(self.pattern, self.position):
            raise self.error("repeats nothing")
        self.position += 1
        if char == "(":
            return self.group(depth)
        if char == "[":
            return Chars(self.bracket())
        if char == ".":
            return Chars(_ANY if "s" in self.flags else _ANY_BUT_NEWLINE)
        if char == "^":
            return Assertion("line-start" if "m" in self.flags else "text-start")
        if char == "$":
            return Assertion("line-end" if "m" in self.flags else "text-end")
        if char == "\\":
            return self.escape()
        return self.literal(ord(char))

    def group(self, depth: int) -> Expression | None:
        outer = self.flags
        if self.pattern.startswith("?", self.position):
            match = _GROUP.match(self.pattern, self.position)
            if match is None:
                raise self.error("has a group that RE2 does not support")
            self.position = match.end()
            if match[1] is None:
                added, _, removed = match[2].partition("-")
                self.flags = (self.flags | set(added)) - set(removed)
                if match[3] == ")":
                    return None
        expression = self.choice(depth + 1)
        if not self.take(")"):
            raise self.error("has a group without )")
        self.flags = outer
        return expression

    def escape(self) -> Expression:
        char = self.next()
        if char in _ASSERTIONS:
            self.position += 1
            return Assertion(_ASSERTIONS[char])
        ranges = self.escaped_class()
        if ranges is not None:
            return Chars(ranges)
        return self.literal(self.escaped_char())

    def escaped_class(self) -> Ranges | None:
        """Read a class behind a backslash, ``d`` or ``pL``; None where there is none."""
        char = self.next()
        if char.lower() in _PERL_CLASSES:
            self.position += 1
            return self.named(_PERL_CLASSES[char.lower()], negated=char.isupper())
        if char not in ("p", "P"):
            return None
        match = _UNICODE.match(self.pattern, self.position + 1)
        if match is None:
            raise self.error(f"has a \\{char} without a class of Unicode")
        name = match[1] or match[3]
        ranges = _unicode_class(name) if len(name) in (1, 2) else ()
        if not ranges:
            message = self.message("has an unknown class of Unicode")
            raise UnsupportedPatternError(message)
        self.position = match.end()
        negated = (char == "P") != (match[2] == "^")
        return self.named(ranges, negated=negated)

    def named(self, ranges: Ranges, *, negated: bool) -> Ranges:
        """The code points of a class: with both cases of its letters, before it is
        negated, as Go has it."""
        ranges = self.in_both_cases(ranges)
        return complement(ranges) if negated else ranges

    def in_both_cases(self, ranges: Ranges) -> Ranges:
        """``ranges``, with the other cases of letters where case is ignored here."""
        return _with_both_cases(ranges) if "i" in self.flags else ranges

    def escaped_char(self) -> int:
        """Read one character behind a backslash."""
        char = self.next()
        octal = _OCTAL.match(self.pattern, self.position)
        if octal:
            self.position = octal.end()
            return int(octal[0], 8)
        self.position += 1
        if char == "x":
            code = _HEX.match(self.pattern, self.position)
            if code is None or int(code[1] or code[0], 16) > MAX_CODE_POINT:
                raise self.error("has an invalid \\x")
            self.position = code.end()
            return int(code[1] or code[0], 16)
        if char in _ESCAPES:
            return _ESCAPES[char]
        if char.isalnum() or ord(char) > 127:
            raise self.error(f"has the unknown escape \\{char}")
        return ord(char)

    def bracket(self) -> Ranges:
        """Read a class in brackets, behind the first one."""
        negated = self.take("^")
        ranges: list[tuple[int, int]] = []
        is_first = True
        while is_first or self.next() != "]":
            is_first = False
            ranges += self.bracket_item()
        self.position += 1
        union = _union(ranges)
        return complement(union) if negated else union

    def bracket_item(self) -> Ranges:
        match = _POSIX.match(self.pattern, self.position)
        if match:
            if match[2] not in _POSIX_CLASSES:
                raise self.error(f"has the unknown class {match[2]}")
            self.position = match.end()
            return self.named(_POSIX_CLASSES[match[2]], negated=bool(match[1]))
        if self.take("\\"):
            ranges = self.escaped_class()
            if ranges is not None:
                return ranges
            low = self.escaped_char()
        else:
            low = ord(self.next())
            self.position += 1
        if self.pattern.startswith("-", self.position) and not (
            self.pattern.startswith("-]", self.position)
        ):
            self.position += 1
            if self.take("\\"):
                high = self.escaped_char()
            else:
                high = ord(self.next())
                self.position += 1
            if high < low:
                raise self.error("has a range in the wrong order")
            return self.in_both_cases(((low, high),))
        return self.in_both_cases(((low, low),))

    def literal(self, code: int) -> Chars:
        return Chars(self.in_both_cases(((code, code),)))

    def next(self) -> str:
        """The next character."""
        if self.position >= len(self.pattern):
            raise self.error("ends too early")
        return self.pattern[self.position]

    def take(self, text: str) -> bool:
        """Skip ``text`` if it comes next."""
        if not self.pattern.startswith(text, self.position):
            return False
        self.position += len(text)
        return True

    def error(self, what: str) -> PatternError:
        return PatternError(self.message(what))

    def message(self, what: str) -> str:
        return f"the pattern {self.pattern[:80]!a} {what}"
