"""YAML scalars and keys, read back with PyYAML."""

from __future__ import annotations

import pytest
import yaml as pyyaml
from hypothesis import given
from hypothesis import strategies as st

from kubestencil.source.yaml import documents
from kubestencil.text import yaml
from tests.strategies import HOSTILE_TEXTS

SHORT_SCALARS = st.from_regex(r"[-+.0-9a-zA-Z_:$~]{1,6}", fullmatch=True)
PLAIN_SCALARS = st.from_regex(
    r"[-+.0-9a-zA-Z_:/ #=*<>()]{1,12}|[0-9]{1,3}(\.[0-9]{1,2}){0,3}[a-zA-Z]{0,2}",
    fullmatch=True,
)
NUMBERS = st.one_of(st.integers(), st.floats(allow_nan=False, allow_infinity=False))
JSON_VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), NUMBERS, HOSTILE_TEXTS),
    lambda nested: st.one_of(
        st.lists(nested, max_size=3),
        st.dictionaries(HOSTILE_TEXTS, nested, max_size=3),
    ),
    max_leaves=6,
)


@given(st.one_of(HOSTILE_TEXTS, SHORT_SCALARS))
def test_a_string_is_read_back_as_value_key_and_item(text: str) -> None:
    scalar = yaml.string(text)
    assert "\n" not in scalar
    document = f"a: {scalar}\n{yaml.key(text, '')} {scalar}\nz:\n- {scalar}\n"
    assert pyyaml.safe_load(document) == {"a": text, text: text, "z": [text]}


@given(st.one_of(HOSTILE_TEXTS, SHORT_SCALARS, PLAIN_SCALARS))
def test_a_string_on_its_own_line_is_read_back(text: str) -> None:
    scalar = yaml.block_string(text)
    assert "\n" not in scalar
    document = f"a: {scalar}\nz:\n- {scalar}\n- b: {scalar}\n"
    expected = {"a": text, "z": [text, {"b": text}]}
    assert pyyaml.safe_load(document) == expected
    assert [read.value for read in documents(document, "a.yaml")] == [expected]


@given(st.lists(st.one_of(HOSTILE_TEXTS, PLAIN_SCALARS), max_size=3).map("\n".join))
def test_a_text_of_several_lines_is_read_back(text: str) -> None:
    header, *lines = yaml.literal_lines(text) or [yaml.string(text)]
    document = "\n  ".join([f"a: {header}", *lines]) + "\nz: 1\n"
    assert pyyaml.safe_load(document) == {"a": text, "z": 1}
    assert [read.value for read in documents(document, "a.yaml")] == [
        {"a": text, "z": 1}
    ]


@given(NUMBERS)
def test_a_number_keeps_its_value_and_type(number: float) -> None:
    value = pyyaml.safe_load(yaml.value(number))
    assert (value, type(value)) == (number, type(number))


@given(JSON_VALUES)
def test_a_json_value_is_read_back_from_one_line(data: object) -> None:
    line = yaml.value(data)
    assert "\n" not in line
    assert pyyaml.safe_load(f"a: {line}\n") == {"a": data}


@pytest.mark.parametrize(
    ("text", "scalar"),
    [
        ("plain", "plain"),
        ("$ref", "$ref"),
        ("a/b-c.d_e", "a/b-c.d_e"),
        ("Yes", '"Yes"'),
        ("null", '"null"'),
        ("1.5", '"1.5"'),
        ("a b", '"a b"'),
        ("", '""'),
        ('"\\\n\t', '"\\"\\\\\\n\\t"'),
        ("\0\u202e\U000e0001", '"\\x00\\u202e\\U000e0001"'),
    ],
)
def test_only_unambiguous_strings_have_no_quotes(text: str, scalar: str) -> None:
    assert yaml.string(text) == scalar


@pytest.mark.parametrize(
    "text",
    [
        "nginx:1.29", "/var/log", "/", "100m", "1.5Gi", "30s", "10.0.0.1", "10.96.0.0/16",
        "1.2.0", "echo backing up", "object.spec.replicas <= 10", "A sentence.",
    ],
)  # fmt: skip
def test_common_values_have_no_quotes(text: str) -> None:
    assert yaml.block_string(text) == text


@pytest.mark.parametrize(
    "text",
    ["1", "1.5", "1e3", "0x1f", "010m", "12:30", "a: b", "a #b", "a:", "-c", "*"],
)
def test_ambiguous_values_have_quotes(text: str) -> None:
    assert yaml.block_string(text) == f'"{text}"'


def test_a_key_of_more_than_1024_characters_takes_two_lines() -> None:
    name = "x" * 1025
    assert yaml.key(name, "  ") == f"? {name}\n  :"
    assert pyyaml.safe_load(f"a:\n  {yaml.key(name, '  ')} 1\n") == {"a": {name: 1}}
