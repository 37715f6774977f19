"""Long type hints are laid out as black does it."""

from __future__ import annotations

import time

import black
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kubestencil.targets.languages.python.annotations import attribute_lines
from kubestencil.text.languages import python_literal

# Lengths matter, letters do not.
NAMES = st.integers(1, 100).map(lambda length: "N" * length)
LITERALS = st.lists(
    st.text(st.characters(max_codepoint=0xFF), max_size=30).map(python_literal)
    | st.integers().map(str),
    min_size=1,
    max_size=12,
).map(lambda values: f"Literal[{', '.join(values)}]")
ANNOTATIONS = st.recursive(
    st.sampled_from(["str", "int", "Any"]) | NAMES | LITERALS,
    lambda inner: inner.map(lambda annotation: f"list[{annotation}]")
    | inner.map(lambda annotation: f"dict[str, {annotation}]")
    | inner.map(lambda annotation: f"{annotation} | None"),
    max_leaves=3,
)
QUOTED = NAMES.map(lambda name: f'"{name} | None"')


@pytest.mark.nightly
@given(st.integers(1, 70), ANNOTATIONS | QUOTED, st.booleans())
@settings(max_examples=500)
def test_black_leaves_attributes_unchanged(
    length: int, annotation: str, optional: bool
) -> None:
    if optional and not annotation.endswith(("None", 'None"')):
        annotation += " | None"
    default = "None" if optional else ""
    lines = attribute_lines("n" * length, annotation, default, indent=4)
    code = f"class A(B):\n    {lines}\n"
    assert black.format_str(code, mode=black.Mode()) == code


@pytest.mark.growth
def test_the_time_of_a_long_hint_grows_with_its_length() -> None:
    values = ", ".join(f'"value{number}"' for number in range(20_000))
    start = time.process_time()
    lines = attribute_lines("a", f"Literal[{values}]", "", indent=4)
    # It took minutes where each value divided the text into lines.
    assert time.process_time() - start < 5
    assert lines.count("\n") == 20_001
