"""The fast reader of block YAML gives what libyaml's events give, or leaves the text to
them."""

from __future__ import annotations

import contextlib
import json
from typing import Any

import pytest
import yaml as pyyaml
from hypothesis import example, given
from hypothesis import strategies as st

from kubestencil.errors import SpecError
from kubestencil.source import yaml
from kubestencil.source.yaml.block import BlockDocument, UnusualYamlError, read_block
from tests.growth import assert_proportional, processor_time
from tests.test_source_yaml import TEXT


def compose_piece(text: str) -> Any:
    try:
        document = yaml.compose(text, "", 1)
    except SpecError as error:
        raise UnusualYamlError from error
    if document is None or document.repeated:
        raise UnusualYamlError
    return document.value


def read(text: str) -> BlockDocument | None:
    """What the fast reader gives; None where it leaves the text to the other one."""
    with contextlib.suppress(UnusualYamlError):
        return read_block(text, compose_piece)
    return None


def check_equal(text: str) -> bool:
    """Compare both readers on the documents of a text; returns whether the fast one
    read any."""
    with contextlib.suppress(SpecError):
        parts = list(yaml.split_documents(text, "test.yaml"))
        blocks = [read(part) for _, part in parts]
        for (line, part), block in zip(parts, blocks, strict=True):
            if block is None:
                continue
            document = yaml.compose(part, "test.yaml", line)
            assert document is not None and not document.repeated, part
            # The representation tells 1 from True, and has the order of keys.
            assert repr(block.value) == repr(document.value), part
            assert line + block.line == document.line, part
        return any(block is not None for block in blocks)
    return False


KEYS = st.sampled_from(
    ["a", "b", "type", "y", "1", "1.0", "0x1", "null", ".nan", "-x", "3scale", "f:a",
     '"q"', "'s'", '""', "x-kubernetes-validations", "a b", "é", "<<", "=", "?", "~"]
)  # fmt: skip
SCALARS = st.one_of(
    st.sampled_from(
        ["", "x", "y", "1", "1.0", "1e3", ".5", ".inf", "0o17", "=", "~", "null", "-",
         "-1", "- a", "a b", "a: b", "a:", "a #b", "#b", "a#b", "'x'", "'it''s'", "''",
         "'a''", '"x"', '"a\\nb"', '"\\x41"', '"\\u00e9"', '"\\ud83d\\ude00"', '"a" b',
         "'a' #b", "[]", "{}", "[a, b]", "{a: 1}", "[a", "{a: 1, a: 2}", "[*a]", "&a b",
         "*a", "!!str 1", "@a", "`a", "%a", "|x", "a  ", "\u2028", "a\tb", "a\x85b",
         "\u00a0", "<<", "http://a:80/b", "? a", ": a", ", a", "] a", "...", "---"]
    ),
    TEXT.map(lambda text: json.dumps(text, ensure_ascii=False)),
    TEXT.map(json.dumps),
)  # fmt: skip
#: A line of a text: an indentation and what begins there.
PIECES = st.one_of(
    st.tuples(KEYS, SCALARS).map(lambda pair: f"{pair[0]}: {pair[1]}"),
    KEYS.map(lambda key: f"{key}:"),
    SCALARS.map(lambda scalar: f"- {scalar}"),
    st.tuples(KEYS, SCALARS).map(lambda pair: f"- {pair[0]}: {pair[1]}"),
    KEYS.map(lambda key: f"-   {key}:"),
    st.sampled_from(["-", "- -", "- - a", "- - a: b", "# c", "a", "b: c", "'", '"',
                     "a: 'b", 'a: "b', 'b\\"', "c'", "a: |", "a: |-", "a: |+", "a: >",
                     "a: >-", "a: |2", "- |", "a: | # c", "a: - b", "---", "--- #c",
                     "...", "%YAML 1.1"]),
    SCALARS,
)  # fmt: skip
INDENTS = st.sampled_from(["", "", "", "  ", "  ", "    ", "      ", " "])


@st.composite
def texts(draw: st.DrawFn) -> str:
    """Lines that begin at the indentation of others, so that many are YAML."""
    lines: list[str] = []
    for indent, piece in draw(st.lists(st.tuples(INDENTS, PIECES), max_size=12)):
        lines.append(f"{indent}{piece}" if lines or indent == "" else piece)
        lines += [""] * draw(st.sampled_from([0, 0, 0, 0, 1, 2]))
    return "\n".join(lines) + draw(st.sampled_from(["\n", "\n", "", "\n\n", " \n"]))


@given(text=texts())
@example("a: |\n  b")
@example("a: |+\n  b\n\n")
@example("a:\n  b: 1\n c: 2\n")
@example("a: 'b\nc'\n")
@example("a: x\n  y: z\n")
@example("a: x\n\n\n  y\nb: 1\n")
@example("a: x\n  # c\n  y\n")
@example("a:\n- b\n-\n  - c\n- d: e\n  f:\n  - g\nh:\n")
@example("1.0: a\n1: b\n")
def test_both_readers_agree_on_lines(text: str) -> None:
    check_equal(text)


@given(text=st.text(alphabet="ab:- \n'\"|>[]{}#\\1.&*!?%~\t,", max_size=60))
def test_both_readers_agree_on_any_text(text: str) -> None:
    check_equal(text)
    check_equal(f"a:\n  b: {text}\n")


WORDS = st.lists(
    st.sampled_from(["some", "words", "it's", "a:b", "#1", '"q"', "- x", "é"]),
    max_size=40,
).map(" ".join)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-99, 99) | st.floats(-9, 9) | WORDS,
    lambda inner: st.lists(inner, max_size=4)
    | st.dictionaries(KEYS | TEXT.filter(bool), inner, max_size=4),
    max_leaves=20,
)


@given(value=st.dictionaries(KEYS, VALUES, min_size=1, max_size=4), style=st.booleans())
def test_both_readers_agree_on_what_another_library_writes(
    value: dict[str, Any], style: bool
) -> None:
    """PyYAML wraps plain and quoted scalars at 80 columns, as Go's libraries do."""
    check_equal(
        pyyaml.safe_dump(value, allow_unicode=True, default_flow_style=False)
        if style
        else pyyaml.safe_dump(value, default_style='"')
    )


CRD = """\
# A comment
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  annotations:
    controller-gen.kubebuilder.io/version: v0.17.0
  name: things.example.com
spec:
  names: {kind: Thing, plural: things, categories: [all]}
  versions:
  - name: v1
    served: true
    schema:
      openAPIV3Schema:
        description: |-
          A thing: it has a block of text.

            Indented.
        properties:
          spec:
            description: A plain scalar that goes on
              in the next line.

              A paragraph.
            required:
            - a
            -  b
            x-kubernetes-validations:
            - message: 'it''s not
                valid'
              rule: "self.a == 'x' \\
                || self.b"
            -
              rule: >-
                self.a
                > 1
          status:
"""


def test_a_crd_is_read_by_the_fast_reader() -> None:
    assert check_equal(CRD)
    assert check_equal(f"---\n{CRD}")


@pytest.mark.parametrize(
    "text",
    ["a: &x 1\n", "a: *x\n", "a: !!str 1\n", "<<: {a: 1}\n", "a: 1\na: 2\n", "a: b: c\n",
     "a: .nan\n", "a:\tb\n", "- a\n", "a", "", "# a\n", "a: 1 # b\n", "? a\n: b\n",
     "null: a\n", "a: {b: 1, b: 2}\n", "a: |2\n  b\n", 'a: "\\ud83d\\ude00"\n'],
)  # fmt: skip
def test_unusual_yaml_is_left_to_libyaml(text: str) -> None:
    assert read(text) is None


def test_depth_is_limited() -> None:
    lines = [f"{' ' * depth}a:\n" for depth in range(1_000)]
    assert read("".join(lines)) is None
    with pytest.raises(SpecError, match="nested more than 500 deep"):
        list(yaml.documents("".join(lines), "test.yaml"))


@pytest.mark.parametrize(
    "line", ["  'b\n", '  "b\n', "  b\n", "\n", "- - -\n", "  |\n"]
)
def test_lines_that_do_not_end_are_read_in_linear_time(line: str) -> None:
    """A quoted scalar is not searched again for each of its lines."""

    def read_lines(count: int) -> None:
        for prefix in ("a: '", 'a: "', "a: x\n", "a: |\n  b\n"):
            read(prefix + line * count)

    assert_proportional(
        lambda count: processor_time(lambda: read_lines(count)), 20_000, short=0.5
    )
