"""Patterns of RE2 in the syntax of JSON Schema."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubestencil.text.re2 import Pattern
from kubestencil.text.re2.ecma import ecma_pattern
from tests.test_text_re2 import PATTERNS


@given(PATTERNS, st.text("abcB1-_. \n", min_size=1, max_size=8))
def test_a_translated_pattern_matches_the_same(pattern: str, text: str) -> None:
    # The group with flags has the pattern translated, not taken as it is.
    translated = ecma_pattern(f"(?i:{pattern})")
    assert translated is not None
    # At the end of a pattern, ECMA's $ is Python's \Z.
    python = re.sub(r"(?<!\\)\$", r"\\Z", translated)
    found = re.search(python, text, re.ASCII) is not None
    assert found == Pattern(f"(?i:{pattern})").search(text)


@pytest.mark.parametrize(
    ("pattern", "translated"),
    [
        (r"^[a-z]([-a-z0-9]*[a-z0-9])?$", r"^[a-z]([-a-z0-9]*[a-z0-9])?$"),
        ("^(?i)(on|Off)$", "^(?:[Oo][Nn]|[Oo][Ff][Ff])$"),
        (r"\A[[:digit:]]{2,}\z", "^(?:[0-9]){2,}$"),
        ("(?P<name>a)+?", "(?:a)+"),
        (r"\x{1F600}(?s).", r"[^\s\S][\s\S]"),
        ("^[]a]+[^]b]$", r"^(?:[\u005da])+[^\u005db]$"),
        (r"(?i)[^a\n]", r"[^\u000aAa]"),
        (r"\QA.b\E", r"A\u002eb"),
        ("(?i", None),
    ],
)
def test_only_what_ecma_has_not_is_translated(
    pattern: str, translated: str | None
) -> None:
    assert ecma_pattern(pattern) == translated
