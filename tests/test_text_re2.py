"""Patterns in the syntax of RE2: what they match, and texts that are made up for them."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubestencil.text.re2 import Pattern
from kubestencil.text.re2.syntax import PatternError

# Expressions that mean the same in RE2 and in Python.
# fmt: off
_ATOMS = st.sampled_from([
    "a", "b", "-", ".", r"\.", r"\d", r"\W", "[ab]", "[^a]", "[a-c0-9_-]", "^", "$",
    r"\b", r"\B", r"\x61", "[]a]", "(?i:a)", "(?:)",
])
_INVALID = [
    "(", ")", "a**", "a{2}{3}", "*", "[b-a]", "[a", r"\8", r"(a)\1", "(?=a)", "(?<!a)",
    "a\\", r"\xZ", r"\x{110000}", "a{1001}", "((a{1000}){1000}){9}", r"\p{Nonsense}",
    "[[:nonsense:]]", r"\q", "(?", "a{2,1}", "(" * 9999,
]
# fmt: on
PATTERNS = st.recursive(
    _ATOMS,
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=4).map("".join),
        st.lists(inner, min_size=2, max_size=3).map(lambda e: f"({'|'.join(e)})"),
        st.tuples(inner, st.sampled_from(["*", "+", "?", "{2}", "{1,3}", "*?"])).map(
            lambda parts: f"(?:{parts[0]}){parts[1]}"
        ),
    ),
    max_leaves=12,
)


def _python(pattern: str, text: str) -> bool:
    # At the end of a pattern, RE2's $ is Python's \Z.
    return re.search(re.sub(r"(?<!\\)\$", r"\\Z", pattern), text, re.ASCII) is not None


@given(PATTERNS, st.text("abcB1-_. \n", max_size=8))
def test_a_pattern_matches_what_it_matches_in_python(pattern: str, text: str) -> None:
    # Until 3.14, Python's \\B did not match an empty text.
    assert text == "" or Pattern(pattern).search(text) == _python(pattern, text)


@given(PATTERNS, st.integers(0, 4), st.integers(0, 8))
def test_an_example_matches_and_has_the_length(
    pattern: str, least: int, more: int
) -> None:
    example = Pattern(pattern).example(least, least + more)
    if example is not None:
        assert least <= len(example) <= least + more
        # Until 3.14, Python's \\B did not match an empty text.
        assert example == "" or _python(pattern, example)


@given(PATTERNS, st.text("abcB1-_. \n", max_size=8))
def test_what_can_be_matched_has_an_example(pattern: str, text: str) -> None:
    if (
        text
        and r"\b" not in pattern
        and r"\B" not in pattern
        and _python(pattern, text)
    ):
        assert Pattern(pattern).example(len(text), len(text)) is not None


@pytest.mark.parametrize(
    ("pattern", "matching", "others"),
    [
        ("^(?i)(abort|warn)?$", ["", "Abort", "WARN"], ["warning"]),
        ("^((?i)sun|mon)day$", ["Sunday", "MONday"], ["sunDAY"]),
        # Letters have the cases of Unicode, classes before they are negated.
        ("(?i)^é[ck]$", ["Éc", "é\u212a"], ["ec"]),
        ("(?i)^[s-tß]$", ["\u017f", "\u1e9e"], ["ss", "e"]),
        ("(?i)^[i]$", ["I"], ["\u0130", "\u0131"]),
        (r"(?i)^\w[^\W]$", ["K\u212a", "\u017fs"], ["É1"]),
        (r"(?i)^\P{Lu}$", ["1"], ["a"]),
        (r"^[[:alpha:]]+[[:^digit:]]\z", ["ab", "a-"], ["a1", "1a", "ab1"]),
        (r"^\pL\p{Lu}\P{L}[\p{Nd}]$", ["éÀ-5", "ab"[:1] + "B?٣"], ["éà-5"]),
        (r"^\Qa.b*\E+$", ["a.b*", "a.b**"], ["aXb*"]),
        (r"^\x60\x{1F600}\101\t$", ["`\U0001f600A\t"], ["`"]),
        ("(?P<name>a)(?<other>b)$", ["xab"], ["abx"]),
        ("(?m)^b$", ["a\nb\nc"], ["ab"]),
        ("a{,2}", ["a{,2}"], ["aa"]),
        ("(?s)^.$", ["\n"], ["", "ab"]),
        ("^[^a]$", ["\n", "b"], ["a"]),
        ("^[0-9a-zA-Z-.]+$", ["a-.0"], ["a/"]),
    ],
)
def test_the_syntax_is_that_of_re2(
    pattern: str, matching: list[str], others: list[str]
) -> None:
    compiled = Pattern(pattern)
    assert [text for text in (*matching, *others) if compiled.search(text)] == matching
    example = compiled.example()
    assert example is not None and compiled.search(example)


@pytest.mark.parametrize("pattern", _INVALID)
def test_a_pattern_that_is_not_valid_is_refused(pattern: str) -> None:
    with pytest.raises(PatternError):
        Pattern(pattern)


def test_a_pattern_that_nothing_matches_has_no_example() -> None:
    for pattern in ("^a$b", r"a\zb", "b^a", r"^a\bb$", r"[^\x{0}-\x{10FFFF}]"):
        assert Pattern(pattern).example() is None
    assert Pattern("^a{5}$").example(max_length=4) is None
    assert Pattern("^a{2,5}$").example(min_length=6) is None
    assert Pattern("^a{200}b{200}$").example() is None


@pytest.mark.growth
@pytest.mark.parametrize(
    "pattern",
    ["^(a+)+$", "^(a|a)*$", "(x+x+)+y", "((a{30}){30}){3}b", "(((){999}){999})"],
)
def test_no_pattern_takes_exponential_time(pattern: str) -> None:
    start = time.process_time()
    compiled = Pattern(pattern)
    compiled.search("a" * 50 + "x" * 50)
    compiled.example(0, 300)
    assert time.process_time() - start < 10


@pytest.mark.growth
@pytest.mark.parametrize(
    "pattern",
    [
        "a{1000}",
        " " * 1000,
        "(a?b?){400}c",
        "(a|b)?a(a|b){500}c",
        r"(\pL?\pN?\pP?){100}",
        "^.{0,1000}$",
    ],
)
def test_large_patterns_and_long_texts_take_a_bounded_time(pattern: str) -> None:
    start = time.process_time()
    compiled = Pattern(pattern)
    for text in (" " * 2000, "a" * 2000, "ab" * 1000, "aab" * 2000):
        compiled.search(text)
    compiled.example(0, 300)
    compiled.example(290, 300)
    assert time.process_time() - start < 5
