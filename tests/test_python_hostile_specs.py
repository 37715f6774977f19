"""The Python package of a hostile spec is harmless and usable."""

from __future__ import annotations

import ast
import itertools
from pathlib import Path
from typing import Any

import black
from hypothesis import given, settings
from hypothesis import strategies as st
from jinja2.filters import do_indent

from kubestencil.engine.filters import comment
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
#: Names of fields that the package keeps; others are refused (test_python_package.py).
JSON_NAMES = [
    "class", "self", "from_dict", "toJson", "to_json", "__init__", "__post_init__",
    "__struct_fields__", "__slots__", "__class__", "__doc__", "1st", "a-b", "a_b",
    "$ref", "", "$", "str", "int", "bool", "list", "dict", "float", "object", "type",
    "None", "True", "Any", "Model", "Time", "import", "_x", "__x", "attribute_map",
    "openapiTypes", "_NAMES", "_times", "replace", "é", "a b", "print", "builtins",
    "datetime", "msgspec", "mro", "copy", "x" * 150,
]  # fmt: skip
DEFINITION_NAMES = [
    "str", "int", "list", "dict", "None", "True", "class", "Any", "Model", "Time",
    "MicroTime", "Quantity", "TimedModel", "models", "Import", "A", "B", "C",
    "io.k8s.api.core.v1.Pod", "com.example.v1.Thing-a",
    "Exception", "type", "ClassVar", "1st", "to_time", "TYPE_CHECKING", "x" * 190,
]  # fmt: skip
SCHEMAS: list[dict[str, Any]] = [
    *({"type": type_} for type_ in ("string", "integer", "number", "boolean")),
    *({"type": type_} for type_ in ("object", "array")),
    {},
    *(
        {"type": "string", "format": format_}
        for format_ in ("date-time", "byte", "int-or-string")
    ),
    {"type": "object", "properties": {"a": {"type": "string"}}},
]


def test_hostile_names_and_texts_are_harmless(tmp_path: Path) -> None:
    references = [{"$ref": f"#/definitions/{name}"} for name in DEFINITION_NAMES[::5]]
    parts = [*SCHEMAS, *references]
    schemas = itertools.cycle(
        [
            *parts,
            *({"type": "array", "items": schema} for schema in parts),
            *({"type": "object", "additionalProperties": item} for item in parts),
        ]
    )
    texts = itertools.cycle([*HOSTILE_TEXTS, "".join(HOSTILE_TEXTS)])
    definitions = {
        name: {
            "type": "object",
            "description": next(texts),
            "properties": {
                field: {**next(schemas), "description": next(texts)}
                for field in JSON_NAMES[number % 4 :: 4]
            },
            "x-kubernetes-group-version-kind": [
                {"group": next(texts), "version": name, "kind": next(texts)}
            ],
        }
        for number, name in enumerate(DEFINITION_NAMES)
    }
    folder = generate_package(make_release(definitions), tmp_path, "hostile")
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
