"""YAML as Kubernetes reads it (go-yaml v2), bounded for every input."""

from __future__ import annotations

import contextlib
import json
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from kubestencil.errors import SpecError, UsageError
from kubestencil.source.yaml import documents, resolve


def read(text: str) -> list[Any]:
    return [document.value for document in documents(text, "test.yaml")]


# What gopkg.in/yaml.v2 resolves; each was compared with goyaml.v2/resolve.go.
@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("=", "="),
        ("y", True),
        ("N", False),
        ("on", True),
        ("Off", False),
        ("yEs", "yEs"),
        ("~", None),
        ("NULL", None),
        ("0644", 420),
        ("0o17", 15),
        ("0x1F", 31),
        ("-0b11", -3),
        ("08", 8.0),
        ("1_000", 1000),
        ("+1", 1),
        ("1e3", 1000.0),
        (".5", 0.5),
        ("1.", 1.0),
        (".", "."),
        ("-x", "-x"),
        ("12:30:45", "12:30:45"),
        ("2001-01-01", "2001-01-01"),
        ("18446744073709551615", 2**64 - 1),
        ("1.2.3", "1.2.3"),
    ],
)
def test_plain_scalars_are_those_of_go_yaml(text: str, value: object) -> None:
    resolved = resolve(text)
    assert (resolved, type(resolved)) == (value, type(value))
    assert read(f"a: {text}") == [{"a": value}]


def test_quoted_and_tagged_scalars_are_what_they_say() -> None:
    text = (
        """{a: "y", b: 'null', c: !!str 12, d: !!int "3", e: !!binary aGk=, f: !x y}"""
    )
    assert read(text) == [
        {"a": "y", "b": "null", "c": "12", "d": 3, "e": "hi", "f": "y"}
    ]


def test_keys_are_strings() -> None:
    assert read("{1: a, true: b, 1.5: d, x: e}") == [
        {"1": "a", "true": "b", "1.5": "d", "x": "e"}
    ]


def test_documents_come_with_their_lines() -> None:
    text = "# comment\n---\na: 1\n---\n---\n# nothing\n---\nb: 2\n"
    values = [(document.value, document.line) for document in documents(text, "x")]
    assert values == [({"a": 1}, 2), ({"b": 2}, 7)]


# What sigs.k8s.io/yaml 1.3.0 (Kubernetes 1.29) and 1.6.0 (1.35) print for each.
@pytest.mark.parametrize(
    ("text", "value"),
    [
        # A merge replaces the keys above it, and those below replace its keys.
        ("{b: 5, <<: *x}", {"a": 1, "b": 2}),
        ("{<<: *x, b: 5}", {"a": 1, "b": 5}),
        ("{b: 5, <<: *x, a: 6}", {"a": 6, "b": 2}),
        # Of several mappings, the first one counts; of several merges, the last one.
        ("{<<: [*x, *y]}", {"a": 1, "b": 2, "c": 4}),
        ("{<<: *x, <<: *y}", {"a": 1, "b": 3, "c": 4}),
        ("{!!merge <<: *x}", {"a": 1, "b": 2}),
        ("{'<<': *x}", {"<<": {"a": 1, "b": 2}}),
    ],
)
def test_merge_keys_are_those_of_go_yaml(text: str, value: object) -> None:
    anchors = "x: &x {a: 1, b: 2}\ny: &y {b: 3, c: 4}\n"
    assert read(f"{anchors}z: {text}\n")[0]["z"] == value


@pytest.mark.parametrize(
    ("key", "text"),
    [
        ("1.10", "1.1"),
        ("1e5", "100000"),
        ("1e6", "1e+06"),
        ("123456.789", "123456.79"),
        ("0.00001", "1e-05"),
        ("16777217.0", "1.6777216e+07"),
        ("3.5e38", ".inf"),
        ("-.Inf", "-.inf"),
        ("9223372036854775807", "9223372036854775807"),
        ("-0.0", "-0"),
        ("yes", "true"),
        ("0x1F", "31"),
    ],
)
def test_numbers_as_keys_are_spelled_as_go_spells_them(key: str, text: str) -> None:
    assert read(f"{{{key}: x}}") == [{text: "x"}]


@pytest.mark.parametrize(
    ("text", "message", "place"),
    [
        ("a: 1\nb: 2\na: 3\n", "'a' is duplicated", "test.yaml:3:1"),
        ("{1: a, '1': b}", "'1' is duplicated", "test.yaml:1:8"),
        ("a: [1, 2", "did not find expected", "test.yaml:1:9"),
        ("a: *nothing", "no anchor", "test.yaml:1:4"),
        ("&a [*a]", "contains itself", "test.yaml:1:5"),
        ("a: &a x\nb: &a {c: *a}", "contains itself", "test.yaml:2:11"),
        ("a: &a [{b: c}]\n<<: *a", "<< merges a mapping", "test.yaml:2:5"),
        ("9223372036854775808: a", "not the number", "test.yaml:1:1"),
        ("a: !!timestamp x", "is not a !!timestamp", "test.yaml:1:4"),
        ("a: 1\n~: 2", "not null", "test.yaml:2:1"),
        ("a: 1\n--- b: 2", "follows ---", "test.yaml:2:4"),
        ("? [a]\n: b\n", "a key must be a scalar", "test.yaml:1:3"),
        ("a: .inf", "not a JSON number", "test.yaml:1:4"),
        ("a: !!int x", "is not a !!int", "test.yaml:1:4"),
        ("<<: 3", "<< merges a mapping", "test.yaml:1:5"),
        ("a: \0", "not YAML", "test.yaml"),
        ("[" * 600, "nested more than 500 deep", "test.yaml:1:501"),
        # Some versions of libyaml have a limit of their own.
        ("[" * 100_000, "nest", "test.yaml:1:"),
    ],
)
def test_what_is_not_yaml_is_said_with_its_line(
    text: str, message: str, place: str
) -> None:
    with pytest.raises(SpecError) as error:
        read(text)
    assert message in str(error.value)
    assert error.value.where.startswith(place)


def test_aliases_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nine lines that stand for a thousand million values."""
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    for level in range(1, 9):
        items = ", ".join([f"*a{level - 1}"] * 10)
        lines.append(f"a{level}: &a{level} [{items}]")
    with pytest.raises(SpecError, match="4,983 of 5,026 values, which Kubernetes"):
        read("\n".join(lines))
    monkeypatch.setenv("KUBESTENCIL_MAX_ALIASED", "100")
    assert read("a: &a [1, 2]\nb: *a") == [{"a": [1, 2], "b": [1, 2]}]
    with pytest.raises(SpecError, match="more than 100 values"):
        read("a: &a [" + "1, " * 60 + "1]\nb: *a\nc: *a\n")


@pytest.mark.parametrize(("others", "limit"), [(0, 110), (100_000, 744)])
def test_the_limit_of_aliases_is_that_of_go_yaml(others: int, limit: int) -> None:
    """How often sigs.k8s.io/yaml repeats a list of 999 values in a document with so
    many others."""

    def text(aliases: int) -> str:
        repeated = ", ".join(["*a"] * aliases)
        values = ", ".join("x" * 999)
        return f"a: &a [{values}]\no: [{', '.join('x' * others)}]\nb: [{repeated}]"

    assert len(read(text(limit))[0]["b"]) == limit
    with pytest.raises(SpecError, match="which Kubernetes refuses"):
        read(text(limit + 1))


@pytest.mark.parametrize("limit", ["many", "-1", "1e6", "²"])
def test_a_limit_that_is_no_number_is_a_usage_error(
    limit: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KUBESTENCIL_MAX_ALIASED", limit)
    with pytest.raises(UsageError, match="not a number of values"):
        read("a: &b 1")


# JSON's escapes for other characters are pairs, which YAML does not know, and a key of
# YAML has at most 1,024 characters.
TEXT = st.text(
    st.characters(max_codepoint=0xFFFF, exclude_categories=["Cs"]), max_size=40
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | TEXT,
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=8,
)


@given(value=JSON.filter(lambda value: value is not None))
def test_json_is_read_as_it_is(value: Any) -> None:
    assert read(json.dumps(value)) == [value]


@given(value=JSON.filter(lambda value: value is not None))
def test_what_another_library_writes_is_read(value: Any) -> None:
    # Quoted, since other libraries take other plain scalars for numbers (0E0).
    text = yaml.safe_dump(value, allow_unicode=False, default_style='"')
    assert read(text) == [value]


@given(text=st.text(alphabet="[]{}:,-&*!?|>'\"\n a1#%@`~<\t", max_size=60))
def test_any_text_is_read_or_refused(text: str) -> None:
    with contextlib.suppress(SpecError):
        json.dumps(read(text))


def test_depth_is_limited() -> None:
    lines = [f"{' ' * depth}a:\n" for depth in range(1_000)]
    with pytest.raises(SpecError, match="nested more than 500 deep"):
        read("".join(lines))
