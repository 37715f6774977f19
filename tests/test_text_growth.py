"""Text of a document is processed in time that grows with its length, not with the
square of it, whatever the text is."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator
from functools import partial

import pytest

from kubestencil.checking.files import placeholders
from kubestencil.checking.values import scalars
from kubestencil.diff import labels
from kubestencil.schema.knowledge.descriptions import (
    deprecation,
    loss_of_effect,
    stated_default,
    stated_values,
)
from kubestencil.targets.languages.jsonnet import spelling as jsonnet
from kubestencil.targets.languages.rust import spelling as rust
from kubestencil.targets.reports.word_diff import diff_words
from kubestencil.targets.site.examples.highlight import highlight
from kubestencil.text import (
    casing,
    comments,
    controls,
    html,
    languages,
    markdown,
    wrapping,
    yaml,
)
from tests.conftest import SMALL, make_release
from tests.growth import assert_proportional, processor_time

pytestmark = pytest.mark.growth

LENGTH = 10_000


def document_label(version: str) -> str:
    """The name of a document that states this version."""
    release = make_release(SMALL, info={"title": "test", "version": version})
    return labels.document_label(release)


FUNCTIONS: dict[str, Callable[[str], object]] = {
    **{
        f"highlight {language}": partial(highlight, language)
        for language in ("jsonnet", "kubectl", "python", "rust", "typescript", "yaml")
    },
    "casing.snake": casing.snake,
    "casing.identifier": casing.identifier,
    "languages.comment //": lambda text: languages.comment(text, "//", 80),
    "languages.comment /** */": lambda text: languages.comment(text, "/** */", 80),
    "html.prose": html.prose,
    "html.summary": html.summary,
    "deprecation": deprecation,
    "loss_of_effect": loss_of_effect,
    "jsonnet.go_quoted": jsonnet.go_quoted,
    "jsonnet.string_literal": jsonnet.string_literal,
    "jsonnet.title_case": jsonnet.title_case,
    "labels.document_label": document_label,
    "markdown.anchor": markdown.anchor,
    "markdown.cell": markdown.cell,
    "markdown.inline": markdown.inline,
    "markdown.literal": markdown.literal,
    "markdown.paragraph": markdown.paragraph,
    "placeholders.has_placeholder": placeholders.has_placeholder,
    "placeholders.kept_texts": placeholders.kept_texts,
    "placeholders.is_template": placeholders.is_template,
    "comments.docstring": lambda text: comments.docstring(text, 84),
    "languages.python_literal": languages.python_literal,
    "rust.doc_comment": rust.doc_comment,
    "rust.field_name": rust.field_name,
    "rust.string_literal": rust.string_literal,
    "scalars.base64_error": scalars.base64_error,
    "scalars.is_duration": scalars.is_duration,
    "scalars.is_quantity": scalars.is_quantity,
    "scalars.is_time": scalars.is_time,
    "stated_default": stated_default,
    "stated_values": stated_values,
    "controls.one_line": controls.one_line,
    "wrapping.wrap": lambda text: wrapping.wrap(text, 80),
    "yaml.string": yaml.string,
}  # fmt: skip

# A beginning, what is repeated, and an end that keeps an expression from matching.
NEAR_MISSES = [
    ("", "One of A", ","),
    ("One of A", ", A", "!"),
    ("", "Defaults to ", "x"),
    ("Defaults to ", "A", "!"),
    ("Possible values are: - A:", " - B", "!"),
    ("Possible values are:", " ", "- A"),
    ("", '\\"', ""),
    ('"', "\\", ""),
    ("", "a:", " "),
    ("", "a", "="),
    ("", "1.", "x"),
    ("a: ", "'", " "),
    ("", "](", ""),
    ("](", " ", "x"),
    ("](a", "-", "x"),
    ("<", "a", ""),
    ("<a", " ", ""),
    ("x", " ", "y"),
    ("x\n    y\n", " ", "z"),
    ("\n", " ", "z\n    y"),
    ("1", " ", "x"),
    ("+", "0", "x"),
    ("1.", "1", "x"),
    ("v1.", "1", "\0"),
    ("2026-01-31T12:00:00.", "0", "x"),
    ("- ", " ", "x"),
    ("Deprecated", "\n", "x"),
    ("deprecated. ", " ", "x"),
    ("", "`a", " "),
    ("`a", " ", "b"),
    ("", "[a](https://a(", ""),
    ("", '"a": {\n ', "x"),
    ("", "```\n", "x"),
    ("| |", " a|", "x"),
    ("a: ", "- a ", "x"),
    ("", "a b a c ", ""),
    ("", "{{", "x"),
    ("", "{%", "x"),
    ("", "<%", "x"),
    ("", "${", "x"),
    ("", "$(a", "x"),
]

TOKENS = (
    "a", "A", "1", " ", "\n", "\n ", "     ", "<", "<a", "</", ">", "`", "```", "[",
    "](", "![", "(", ")", "http://a", "*", "**", "_", "- ", "* ", "1. ", "# ", "|",
    '"', "\\", ".", ": ", "{", "}", "=", "\t", "e.g. ", "Deprecated:", "é", "*/", "$",
)  # fmt: skip


def near_misses() -> Iterator[tuple[str, str, str]]:
    yield from NEAR_MISSES
    chosen = random.Random(1)
    for _ in range(40):
        start = "".join(chosen.choices(TOKENS, k=chosen.randrange(3)))
        unit = "".join(chosen.choices(TOKENS, k=chosen.randrange(1, 3)))
        yield start, unit, chosen.choice(TOKENS)


def check_growth(
    function: Callable[[str], object], start: str, unit: str, end: str
) -> None:
    calls = itertools.count()

    def seconds(length: int) -> float:
        # Functions remember texts, so each has another end.
        text = start + unit * (length // len(unit)) + end + " " * next(calls)
        return processor_time(lambda: function(text))

    assert_proportional(seconds, LENGTH, short=0.2)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_twice_the_text_takes_at_most_two_and_a_half_times_as_long(name: str) -> None:
    for start, unit, end in near_misses():
        check_growth(FUNCTIONS[name], start, unit, end)


@pytest.mark.parametrize("unit", ["a b a c ", "a", "a, ", "Deprecated: "])
def test_the_time_of_a_word_diff_is_bounded(unit: str) -> None:
    check_growth(lambda text: diff_words(text, text[::-1]), "", unit, "x")
