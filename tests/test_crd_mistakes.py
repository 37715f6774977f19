"""What an API server refuses in the schemas of CustomResourceDefinitions is refused with
its pointer, and nothing else is. The same cases are put to a real server."""

from __future__ import annotations

import json
from typing import Any

import pytest

from kubestencil.errors import SpecError
from kubestencil.schema.load import load_release
from kubestencil.source.document import CrdSet, SourceFile
from kubestencil.source.inputs import crds_alone
from tests.api_server import Client
from tests.crd_schemas import definition, version

TEXT: dict[str, Any] = {"type": "string"}
NUMBER: dict[str, Any] = {"type": "integer"}
LIST: dict[str, Any] = {"type": "array", "items": TEXT}
PRESERVE = {"x-kubernetes-preserve-unknown-fields": True}
EMBEDDED = {"type": "object", "x-kubernetes-embedded-resource": True}
INT_OR_STRING = {"x-kubernetes-int-or-string": True}
WRONG = {**TEXT, "default": 1}


def fields(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


def values(schema: Any) -> dict[str, Any]:
    return {"type": "object", "additionalProperties": schema}


def listed(list_type: str, items: dict[str, Any]) -> dict[str, Any]:
    schema = {"type": "array", "items": items, "x-kubernetes-list-type": list_type}
    if list_type == "map":
        schema["x-kubernetes-list-map-keys"] = ["a"]
    return schema


def patterned(pattern: str) -> dict[str, Any]:
    return {**TEXT, "pattern": pattern}


#: Schemas of ``spec``, each with the pointer of its mistake, None where there is none.
DEFAULTS: tuple[tuple[dict[str, Any], str | None], ...] = (
    ({**TEXT, "default": "a"}, None),
    ({**TEXT, "default": None}, None),
    (WRONG, "/default"),
    ({**NUMBER, "default": 1.0}, None),
    ({**NUMBER, "default": 1.5}, "/default"),
    ({**NUMBER, "default": True}, "/default"),
    ({**NUMBER, "default": 2**63}, "/default"),
    ({**NUMBER, "default": 2**31, "format": "int32"}, None),
    ({**NUMBER, "default": 2.0**53}, "/default"),
    ({**NUMBER, "default": 1e300}, "/default"),
    ({**NUMBER, "multipleOf": 5, "default": 10}, None),
    ({**NUMBER, "multipleOf": 5, "default": 12}, "/default"),
    ({**LIST, "uniqueItems": False, "default": ["a", "a"]}, None),
    ({"type": "number", "default": 1}, None),
    ({"type": "boolean", "default": "true"}, "/default"),
    ({**TEXT, "enum": ["a"], "default": "b"}, "/default"),
    ({"type": "number", "enum": [1], "default": 1.0}, None),
    ({**patterned("a"), "default": "bab"}, None),
    ({**patterned("^a$"), "default": "b"}, "/default"),
    ({**patterned("\\p{Greek}"), "default": "λ"}, None),
    ({**TEXT, "minLength": 2, "default": "a"}, "/default"),
    ({**NUMBER, "minimum": 2, "exclusiveMinimum": True, "default": 2}, "/default"),
    ({**NUMBER, "minimum": 2, "default": 2}, None),
    ({**TEXT, "format": "date-time", "default": "x"}, "/default"),
    ({**TEXT, "format": "made-up", "default": "x"}, None),
    ({**LIST, "default": ["a"]}, None),
    ({**LIST, "default": ["a", 1]}, "/default/1"),
    ({**LIST, "default": [None]}, "/default/0"),
    ({**LIST, "minItems": 1, "default": []}, "/default"),
    ({**listed("set", TEXT), "default": ["a", "a"]}, None),
    ({"type": "array", "items": {**TEXT, "nullable": True}, "default": [None]}, None),
    ({"type": "array", "items": WRONG}, "/items/default"),
    ({**fields(a=TEXT), "default": {"a": "x"}}, None),
    ({**fields(a=TEXT), "default": {"a": 1}}, "/default/a"),
    ({**fields(a=TEXT), "default": {"b": "x"}}, "/default/b"),
    ({**fields(a=fields(b=TEXT)), "default": {"a": {"c": 1}}}, "/default/a/c"),
    ({**fields(a=TEXT), **PRESERVE, "default": {"b": "x"}}, None),
    ({**fields(a=TEXT), **PRESERVE, "default": {"a": 1}}, "/default/a"),
    ({**fields(a=TEXT), "required": ["a"], "default": {}}, "/default"),
    ({**fields(a=TEXT), "oneOf": [{"required": ["a"]}], "default": {}}, "/default"),
    ({"type": "object", "default": {"a": 1}}, "/default/a"),
    ({**values(TEXT), "default": {"a": "x"}}, None),
    ({**values(TEXT), "default": {"a": 1}}, "/default/a"),
    ({**values(True), "default": {"a": 1}}, None),
    ({**values(False), "default": {"a": 1}}, "/default/a"),
    # The server does not look at defaults below additionalProperties.
    (values(WRONG), None),
    (values(fields(a=WRONG)), None),
    (values({"type": "array", "items": WRONG}), None),
    (fields(a=values(WRONG), b=WRONG), "/properties/b/default"),
    ({**INT_OR_STRING, "default": "1"}, None),
    # It does not ask for either type, too.
    ({**INT_OR_STRING, "default": True}, None),
    ({**INT_OR_STRING, "pattern": "^a$", "default": "b"}, "/default"),
    ({**PRESERVE, "default": [1, {"a": 1}]}, None),
    ({**PRESERVE, "properties": {"a": TEXT}, "default": {"a": 1}}, "/default/a"),
    ({**PRESERVE, "properties": {"a": TEXT}, "default": "x"}, None),
    ({**EMBEDDED, **PRESERVE, "default": {"apiVersion": "v1", "kind": "A"}}, None),
    ({**EMBEDDED, "properties": {"a": WRONG}}, "/properties/a/default"),
    ({**EMBEDDED, "properties": {"a": TEXT, "kind": {**TEXT, "default": "A"}}}, None),
)
PATTERNS: tuple[tuple[dict[str, Any], str | None], ...] = (
    *((patterned(text), None) for text in (
        "", "(?i)a", "a(?i)*", "(?P<n>a)", "(?<n>a)", "a{,3}", "a{01}", "[]a]", "[a&&b]",
        "[[.a.]]", "\\Q(\\E", "\\z", "\\_", "\\08", "[\\d-z]", "\\pN", "\\p{Greek}",
    )),
    *((patterned(text), "/pattern") for text in (
        "(", "a)", "[a", "[", "\\", "*a", "a**", "a{1}{2}", "{2}", "a{2,1}", "a{1001}",
        "a{9999999999}", "(?=a)", "(?!a)", "(?<=a)", "(?>a)", "(?#c)", "(?x)a", "\\1",
        "\\8", "\\Z", "\\C", "\\u0041", "\\xg", "\\x{110000}", "\\p", "[z-a]", "[a-\\d]",
        "[[:foo:]]", "[[:a-b:]]",
    )),
    ({**NUMBER, "pattern": "("}, "/pattern"),
    ({**INT_OR_STRING, "pattern": "("}, "/pattern"),
    (values(patterned("(")), "/additionalProperties/pattern"),
    ({**TEXT, "anyOf": [{}, {"pattern": "("}]}, "/anyOf/1/pattern"),
    (
        {**fields(a=TEXT), "not": {"properties": {"a": {"pattern": "("}}}},
        "/not/properties/a/pattern",
    ),
    ({**LIST, "allOf": [{"items": {"pattern": "("}}]}, "/allOf/0/items/pattern"),
)  # fmt: skip
OTHERS: tuple[tuple[dict[str, Any], str | None], ...] = (
    (listed("atomic", {**TEXT, "nullable": True}), None),
    (listed("set", {**TEXT, "nullable": True}), "/items/nullable"),
    (listed("map", {**fields(a=TEXT), "required": ["a"], "nullable": True}), "/items/nullable"),
    (listed("map", {**fields(a={**TEXT, "nullable": True}), "required": ["a"]}), "/items/properties/a/nullable"),
    (listed("map", fields(a={**TEXT, "default": None})), "/items/properties/a"),
    ({"type": "object", "x-kubernetes-preserve-unknown-fields": False}, "/x-kubernetes-preserve-unknown-fields"),
    ({**fields(a=TEXT), "additionalProperties": True}, None),
    ({**fields(a=TEXT), "additionalProperties": False}, "/additionalProperties"),
    ({**fields(a=TEXT), "additionalProperties": TEXT}, "/additionalProperties"),
    (fields(metadata=fields(a=WRONG)), "/properties/metadata/properties/a/default"),
    (fields(metadata={**fields(a=TEXT), "description": "Any."}), None),
    (
        {
            **fields(metadata=fields(a=TEXT)),
            "allOf": [{"properties": {"metadata": {"required": ["a"]}}}],
        },
        "/allOf/0/properties/metadata",
    ),
)  # fmt: skip
CASES = (*DEFAULTS, *PATTERNS, *OTHERS)

#: Schemas of a kind with the pointers of their mistakes.
ROOTS: tuple[tuple[dict[str, Any], str | None], ...] = (
    (fields(metadata=fields(name={**TEXT, "maxLength": 3})), None),
    ({**fields(spec=TEXT), "nullable": True}, "/nullable"),
    (fields(kind={**TEXT, "default": "A"}), "/properties/kind/default"),
    (
        fields(metadata=fields(name={**TEXT, "default": "a"})),
        "/properties/metadata/properties/name/default",
    ),
    *(
        (fields(metadata={"type": "object", key: value}), f"/properties/metadata/{key}")
        for key, value in (
            ("default", {}), ("description", "Any."), ("nullable", True),
            ("required", ["name"]), ("x-kubernetes-preserve-unknown-fields", True),
        )
    ),
)  # fmt: skip
STORAGE = (
    ((True,), None),
    ((True, False), None),
    ((False, True, True), "/spec/versions/2/storage"),
)


def crd_of_spec(schema: dict[str, Any]) -> dict[str, Any]:
    return definition("Misfit", version("v1", fields(spec=schema), storage=True))


def crd_of_kind(schema: dict[str, Any]) -> dict[str, Any]:
    return definition("Misfit", version("v1", schema, storage=True))


def crd_of_storage(*is_stored: bool) -> dict[str, Any]:
    versions = [
        version(f"v{number}", fields(spec=TEXT), storage=storage)
        for number, storage in enumerate(is_stored, start=1)
    ]
    return definition("Misfit", *versions)


def refusal(crd: dict[str, Any]) -> str | None:
    """The pointer of what is refused in a CustomResourceDefinition."""
    file = SourceFile("crd.json", json.dumps(crd).encode())
    try:
        load_release(crds_alone("test", CrdSet(("crd.json",), (file,))))
    except SpecError as error:
        assert error.where is not None
        origin, _, pointer = error.where.partition("#")
        assert origin == "crd.json:1"
        return pointer
    return None


SCHEMA = "/spec/versions/0/schema/openAPIV3Schema"
ALL_CASES = [
    *(
        (crd_of_spec(schema), f"{SCHEMA}/properties/spec{pointer}" if pointer else None)
        for schema, pointer in CASES
    ),
    *(
        (crd_of_kind(schema), f"{SCHEMA}{pointer}" if pointer else None)
        for schema, pointer in ROOTS
    ),
    *((crd_of_storage(*is_stored), pointer) for is_stored, pointer in STORAGE),
]


def test_mistakes_are_refused_with_their_pointers() -> None:
    for crd, pointer in ALL_CASES:
        assert refusal(crd) == pointer, json.dumps(crd["spec"]["versions"])


def test_the_api_server_refuses_the_same(api_server: Client) -> None:
    replies = api_server.submit_all(crd for crd, _ in ALL_CASES)
    for (crd, pointer), reply in zip(ALL_CASES, replies, strict=True):
        assert reply.status in (201, 422), reply.message
        assert reply.accepted == (pointer is None), (
            json.dumps(crd["spec"]["versions"]),
            reply.message,
        )


def test_no_storage_version_is_accepted() -> None:
    """Catalogues publish a file for each version, most of which are not stored."""
    assert refusal(crd_of_storage(False)) is None


@pytest.mark.parametrize("digits", [5, 5000])
def test_long_repetitions_are_refused(digits: int) -> None:
    crd = crd_of_spec(patterned(f"a{{{'9' * digits}}}"))
    assert refusal(crd) == f"{SCHEMA}/properties/spec/pattern"


def test_all_mistakes_are_listed() -> None:
    crd = crd_of_spec(fields(a=WRONG, b={**NUMBER, "default": "x"}))
    with pytest.raises(SpecError) as caught:
        file = SourceFile("crd.json", json.dumps(crd).encode())
        load_release(crds_alone("test", CrdSet(("crd.json",), (file,))))
    assert caught.value.what == "must be of type string, as the schema says"
    assert "spec/properties/b/default: must be of type integer" in caught.value.hint
