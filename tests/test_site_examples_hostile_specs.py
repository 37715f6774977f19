"""The examples of the site quote hostile text from a document in each language."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import black
import pytest

from kubestencil.schema import Release
from tests.cargo import Cargo
from tests.conftest import make_release
from tests.site_examples import (
    TARGET,
    PrintedExamples,
    assert_jsonnet,
    assert_python,
    assert_typescript,
    assert_yaml,
    compare_in_rust,
    with_package,
)

# Texts that end a literal, or have a special meaning, in one of the languages.
NASTY = [
    '"', "'", "\\", '"""', "'''", "\n", "\r", "\t", "\0", "\x7f", "\x85", "\u2028",
    "\u2029", "\u202e", "\ufeff", "\ufffe", "\U0001f642", "é", "|||", "/*", "*/", "//",
    "#", '"#', 'r#"', "${x}", "$(x)", "{x}", "{{ x }}", "{% x %}", "%s", "\\u0041", "\\x41",
    ": ", " #", "- ", "? ", "&a", "*a", "!!int ", "<<", "=", "~", ",", "[", "]", "{", "}",
    " ", "a", "</script>", "import os", "std", "self", "word " * 30,
]  # fmt: skip
WORDS = [
    "on", "off", "yes", "NO", "y", "null", "Null", "true", "False", "1", "0x1f", "1e3",
    "1_000", ".inf", ".nan", "+1", "-1", "0o7", "2001-01-01", "12:30:45", "=", "<<", "~",
    "", "---", "...", "local", "error", "type", "class", "None", "x" * 1100,
]  # fmt: skip
PART, THING = "io.k8s.api.x.v1.Part", "io.k8s.api.x.v1.Thing"
TEXT = {"type": "string"}


def hostile(
    fields: Mapping[str, Any], group: str = "", kind: str = "Thing", required: int = 0
) -> Release:
    """A release with a kind and a supporting type that both have these fields."""
    kind_keys = {"group": group, "version": "v1", "kind": kind}
    type_meta = {"apiVersion": TEXT, "kind": TEXT}
    part = {"part": {"$ref": f"#/definitions/{PART}"}}
    return make_release(
        {
            THING: {
                "type": "object",
                "properties": {**fields, **type_meta, **part},
                "required": list(fields)[:required],
                "x-kubernetes-group-version-kind": [kind_keys],
            },
            PART: {"type": "object", "properties": fields},
        }
    )


def texts() -> Release:
    """Each text as a default in a field, whose name has it, and values of other types."""
    defaults: dict[str, Any] = {
        f"{number} {text}": {"type": "string", "default": text}
        for number, text in enumerate([*WORDS, *NASTY])
    }
    others = {
        "nested": {"type": "object", "properties": {'"#\n*/': {"type": "boolean"}}},
        "float": {"type": "number", "default": 1e300},
        "int": {"type": "integer", "format": "int32", "default": 1 - 2**31},
        "large": {"type": "integer", "default": 2**60},
        "when": {"type": "string", "format": "date-time"},
        "bytes": {"type": "string", "format": "byte"},
        "anything": {},
        "maps": {
            "type": "object",
            "additionalProperties": {
                "type": "array",
                "items": {"$ref": f"#/definitions/{THING}"},
            },
        },
    }
    return hostile({**defaults, **others}, '"#\n', "*/", required=40)


def test_hostile_text_is_quoted_in_yaml_and_jsonnet(tmp_path: Path) -> None:
    """Both allow any text as a field name."""
    pytest.importorskip("rjsonnet")
    generated = PrintedExamples(texts(), TARGET, THING)
    assert all("jsonnet" in code for code in generated.code.values())
    assert_yaml(generated)
    assert_jsonnet(generated, tmp_path)


def test_hostile_text_is_quoted_in_python(tmp_path: Path) -> None:
    """Its package refuses names of fields with some of the characters."""
    fields: dict[str, Any] = {
        f"field{number}": {"type": "string", "default": text, "enum": [text, "a"]}
        for number, text in enumerate([*WORDS, *NASTY])
    }
    target = with_package(tmp_path / "templates", "hostile_examples")
    spec = hostile({**fields, "a b": TEXT, "é": TEXT, "*/": TEXT}, '"#\n', "*/")
    generated = PrintedExamples(spec, target, THING)
    assert_python(generated, tmp_path, "hostile_examples")
    for code in generated.code.values():
        text = code["python"]
        assert black.format_str(text, mode=black.Mode()) == text


@pytest.mark.peer("node")
def test_hostile_text_is_quoted_in_typescript() -> None:
    assert_typescript(PrintedExamples(texts(), TARGET, THING))


@pytest.mark.nightly
def test_hostile_text_is_quoted_in_rust(cargo: Cargo) -> None:
    compare_in_rust(PrintedExamples(texts(), TARGET, THING), cargo, "hostile")


@pytest.mark.parametrize(
    "kind, code",
    [
        # A required field gets a valid time where its kind is none.
        ("Thing", "kind=datetime(2006, 1, 2, 15, 4, 5, tzinfo=timezone.utc),"),
        (
            "2025-01-02T03:04:05.5+02:00",
            "kind=datetime(2025, 1, 2, 1, 4, 5, 500000, tzinfo=timezone.utc),",
        ),
        # What the API server accepts is not always what Python reads.
        ("2025-01-02T03:04:05x5Z", 'kind="2025-01-02T03:04:05x5Z",'),
        ("0001-01-01T00:00:00+02:00", 'kind="0001-01-01T00:00:00+02:00",'),
    ],
)
def test_a_kind_that_must_be_a_time_is_written_in_python(kind: str, code: str) -> None:
    time = {"type": "string", "format": "date-time"}
    schema = {
        "type": "object",
        "properties": {"apiVersion": TEXT, "kind": time},
        "required": ["kind"],
        "x-kubernetes-group-version-kind": [
            {"group": "", "version": "v1", "kind": kind}
        ],
    }
    generated = PrintedExamples(make_release({THING: schema}), TARGET, THING)
    assert f"    {code}\n" in generated.code[THING, "starter"]["python"]


def test_a_field_with_a_quote_in_its_name_is_generated_in_all_languages() -> None:
    generated = PrintedExamples(hostile({'a"b': TEXT}), TARGET)
    for code in generated.code.values():
        assert list(code) == ["yaml", "python", "jsonnet", "rust", "typescript"]
