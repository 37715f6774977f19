"""The Python package of a hostile spec is refused, or harmless and usable."""

from __future__ import annotations

import ast
from typing import Any

import black
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jinja2.filters import do_indent

from kubestencil.engine.filters import comment
from kubestencil.errors import SpecError
from kubestencil.text.comments.directives import disarm
from kubestencil.text.languages import python_literal
from tests.conftest import make_release
from tests.packages import check_round_trips, generate_package

HOSTILE_TEXTS = [
    '"""', '"', "'''", "\\", "\\N{BULLET}", "\\x", "\\u12", "\0", "\x0c", "\r",
    "\u2028", "\u202e", "\n", "\t", " ", "#", "{{ 1 }}", "{% raw %}", "import os",
    '"""\nimport sys; sys.exit(7)\n"""', "\n    raise SystemExit(7)\n", "é", "🙂", "a",
    "word " * 30,
]  # fmt: skip
DESCRIPTIONS = st.lists(st.sampled_from(HOSTILE_TEXTS), max_size=6).map("".join)
JSON_NAMES = st.sampled_from(
    [
        "class", "self", "from_dict", "toJson", "to_json", "__init__", "__post_init__",
        "__struct_fields__", "__slots__", "__class__", "__doc__", "1st", "a-b", "a_b",
        "$ref", "", "$", "str", "int", "bool", "list", "dict", "float", "object", "type",
        "None", "True", "Any", "Model", "Time", "import", "_x", "__x", "attribute_map",
        "openapiTypes", "_NAMES", "_times", "replace", "é", "a b", "print", "builtins",
        "datetime", "msgspec", "mro", "copy", 'a"b', "a\\b", "a\nb", "\0", "\ud800", "x" * 150,
    ]
)  # fmt: skip
DEFINITION_NAMES = st.sampled_from(
    [
        "str", "int", "list", "dict", "None", "True", "class", "Any", "Model", "Time",
        "MicroTime", "Quantity", "TimedModel", "models", "Import", "Class", "A", "B", "C",
        "io.k8s.api.core.v1.Pod", "io.k8s.api.apps.v1.Pod", "com.example.v1.Thing-a",
        "Exception", "type", "ClassVar", "1st", "to_time", "TYPE_CHECKING", "x" * 190,
    ]
)  # fmt: skip
SIMPLE_SCHEMAS: st.SearchStrategy[dict[str, Any]] = st.sampled_from(
    [
        {"type": "string"},
        {"type": "integer"},
        {"type": "number"},
        {"type": "boolean"},
        {"type": "object"},
        {"type": "array"},
        {},
        {"type": "string", "format": "date-time"},
        {"type": "string", "format": "byte"},
        {"type": "string", "format": "int-or-string"},
        {"type": "object", "properties": {"a": {"type": "string"}}},
    ]
)


@st.composite
def definitions(draw: st.DrawFn) -> dict[str, Any]:
    names = draw(st.lists(DEFINITION_NAMES, min_size=1, max_size=6, unique=True))
    references = st.sampled_from(names).map(
        lambda name: {"$ref": f"#/definitions/{name}"}
    )
    schemas = st.recursive(
        SIMPLE_SCHEMAS | references,
        lambda inner: inner.map(lambda schema: {"type": "array", "items": schema})
        | inner.map(lambda schema: {"type": "object", "additionalProperties": schema}),
        max_leaves=2,
    )
    return {name: draw(object_definitions(name, schemas)) for name in names}


@st.composite
def object_definitions(
    draw: st.DrawFn, name: str, schemas: st.SearchStrategy[dict[str, Any]]
) -> dict[str, Any]:
    fields = draw(st.dictionaries(JSON_NAMES, schemas, max_size=5))
    required: st.SearchStrategy[list[str]] = st.just([])
    if fields:
        required = st.lists(st.sampled_from(sorted(fields)), max_size=2)
    return {
        "type": "object",
        "description": draw(DESCRIPTIONS),
        "properties": {
            json_name: {**schema, "description": draw(DESCRIPTIONS)}
            for json_name, schema in fields.items()
        },
        "required": draw(required),
        "x-kubernetes-group-version-kind": [
            {"group": draw(DESCRIPTIONS), "version": name, "kind": draw(DESCRIPTIONS)}
        ],
    }


@pytest.mark.nightly
@given(definitions=definitions())
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
def test_a_hostile_spec_is_refused_or_harmless(
    definitions: dict[str, Any], tmp_path_factory: pytest.TempPathFactory
) -> None:
    try:
        folder = generate_package(
            make_release(definitions), tmp_path_factory.mktemp("hostile"), "hostile"
        )
    except SpecError as error:
        assert error.what
        return
    check_round_trips(folder)


@given(DESCRIPTIONS | st.text())
@settings(max_examples=500, deadline=None)
def test_a_docstring_has_the_words_of_the_text(text: str) -> None:
    generated = do_indent(comment(text, "python", 84))
    if not text.strip():
        assert generated == ""
        return
    code = f"class A:\n    {generated}\n"
    assert black.format_str(code, mode=black.Mode()) == code
    class_node = ast.parse(code).body[0]
    evaluated = ast.get_docstring(class_node, clean=False) or ""  # type: ignore[arg-type]
    assert evaluated.split() == disarm(text, "python").split()
    assert all(line.isprintable() for line in code.split("\n"))


@given(DESCRIPTIONS | st.text())
def test_a_literal_evaluates_to_the_text(text: str) -> None:
    generated = python_literal(text)
    assert ast.literal_eval(generated) == text
    assert generated.isprintable()
