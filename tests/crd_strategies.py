"""Generated CustomResourceDefinitions whose parts have few values each, so that two of
them have much in common: for tests of comparisons."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from tests.crd_schemas import definition, version
from tests.crd_validation import errors

# What the schemas of custom resources say of the values of a type.
_CONSTRAINTS: dict[str, dict[str, st.SearchStrategy[Any]]] = {
    "string": {
        "minLength": st.integers(0, 3),
        "maxLength": st.integers(0, 3),
        "pattern": st.sampled_from(["^a", "b$", "(?i)^x"]),
        "enum": st.lists(st.sampled_from(["a", "b", ""]), min_size=1, unique=True),
        "default": st.sampled_from(["a", "b"]),
        "format": st.sampled_from(["date-time", "uuid"]),
    },
    "integer": {
        "minimum": st.integers(-2, 2),
        "maximum": st.integers(-2, 2),
        "exclusiveMinimum": st.booleans(),
        "exclusiveMaximum": st.booleans(),
        "multipleOf": st.integers(1, 4),
        "enum": st.lists(st.integers(0, 2), min_size=1, unique=True),
        "default": st.integers(0, 2),
    },
    "array": {
        "minItems": st.integers(0, 2),
        "maxItems": st.integers(0, 2),
        "x-kubernetes-list-type": st.sampled_from(["atomic", "set"]),
    },
    "object": {
        "minProperties": st.integers(0, 2),
        "maxProperties": st.integers(0, 2),
        "x-kubernetes-preserve-unknown-fields": st.just(True),
        "x-kubernetes-map-type": st.sampled_from(["atomic", "granular"]),
    },
}
_BRANCHES = st.lists(
    st.one_of(
        st.fixed_dictionaries({"minimum": st.integers(-1, 2)}),
        st.fixed_dictionaries({"maxLength": st.integers(0, 2)}),
        st.fixed_dictionaries(
            {"required": st.lists(st.sampled_from("ab"), unique=True)}
        ),
    ),
    min_size=1,
    max_size=3,
)
_ANY_TYPE: dict[str, st.SearchStrategy[Any]] = {
    "description": st.sampled_from(["One.", "Two."]),
    "nullable": st.booleans(),
    "allOf": _BRANCHES,
    "anyOf": _BRANCHES,
    "oneOf": _BRANCHES,
    "not": _BRANCHES.map(lambda branches: branches[0]),
    "x-kubernetes-validations": st.lists(
        st.fixed_dictionaries(
            {"rule": st.sampled_from(["self == self", "true"])},
            optional={"message": st.sampled_from(["One.", "Two."])},
        ),
        max_size=2,
    ),
}
#: The names of fields in structural schemas.
FIELD_NAMES = st.sampled_from(["a", "b", "a.b", "a_b", "A/b", "é", "$ref"])


def constrained(kind: str, **more: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Structural schemas of a type with constraints, and required keywords besides.

    A default that breaks the constraints is left out, as the API server demands.
    """
    return st.fixed_dictionaries(
        {"type": st.just(kind), **more}, optional={**_ANY_TYPE, **_CONSTRAINTS[kind]}
    ).map(_without_wrong_default)


def _without_wrong_default(schema: dict[str, Any]) -> dict[str, Any]:
    if "default" not in schema or not errors(schema, schema["default"]):
        return schema
    return {key: value for key, value in schema.items() if key != "default"}


def structural_schemas() -> st.SearchStrategy[Any]:
    """Structural schemas, as CustomResourceDefinitions have them."""
    leaf = st.one_of(
        constrained("string"),
        constrained("integer"),
        st.just({"type": "boolean"}),
        st.just({"x-kubernetes-int-or-string": True}),
        constrained("object"),
    )
    return st.recursive(
        leaf,
        lambda nested: st.one_of(
            constrained("array", items=nested).filter(has_allowed_list_type),
            constrained("object", additionalProperties=nested),
            structural_objects(nested),
        ),
        max_leaves=6,
    )


def has_allowed_list_type(schema: dict[str, Any]) -> bool:
    """Whether the items of a set are scalar or atomic, and not null, as the API server
    demands."""
    items = schema["items"]
    if schema.get("x-kubernetes-list-type") == "set" and items.get("nullable"):
        return False
    keyword = {
        "array": "x-kubernetes-list-type",
        "object": "x-kubernetes-map-type",
    }.get(items.get("type"))
    if schema.get("x-kubernetes-list-type") != "set" or keyword is None:
        return True
    # A list is atomic by default, a map is not.
    default = "atomic" if items["type"] == "array" else "granular"
    return bool(items.get(keyword, default) == "atomic")


def structural_objects(fields: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Structural schemas of objects with these fields."""
    return st.builds(
        lambda schema, required: {**schema, **required},
        constrained(
            "object", properties=st.dictionaries(FIELD_NAMES, fields, max_size=3)
        ),
        st.fixed_dictionaries(
            {}, optional={"required": st.lists(FIELD_NAMES, unique=True)}
        ),
    )


_SERVING = st.fixed_dictionaries(
    {"served": st.booleans()},
    optional={
        "deprecated": st.booleans(),
        "deprecationWarning": st.sampled_from(["Use v2.", "Use v3."]),
        "subresources": st.dictionaries(
            st.sampled_from(["status", "scale"]), st.just({})
        ),
        "additionalPrinterColumns": st.lists(
            st.fixed_dictionaries(
                {
                    "name": st.sampled_from(["Age", "Size"]),
                    "type": st.just("string"),
                    "jsonPath": st.sampled_from([".a", ".b"]),
                }
            ),
            max_size=2,
        ),
        "selectableFields": st.lists(
            st.fixed_dictionaries(
                {"jsonPath": st.sampled_from([".spec.a", ".spec.b"])}
            ),
            max_size=2,
        ),
    },
)


@st.composite
def crds(draw: st.DrawFn) -> dict[str, Any]:
    """CustomResourceDefinitions of one kind, Widget of example.com, or of another."""
    kind = draw(st.sampled_from(["Widget", "Gadget"]))
    names = draw(
        st.lists(st.sampled_from(["v1", "v1beta1", "v2"]), min_size=1, unique=True)
    )
    stored = draw(st.sampled_from([*names, None]))
    versions = [
        version(
            name,
            {"type": "object", "properties": {"spec": draw(structural_schemas())}},
            storage=name == stored,
            **draw(_SERVING),
        )
        for name in names
    ]
    return definition(
        kind,
        *versions,
        scope=draw(st.sampled_from(["Namespaced", "Cluster"])),
        shortNames=draw(st.lists(st.sampled_from(["w", "wi"]), unique=True)),
        categories=draw(st.lists(st.sampled_from(["all"]), max_size=1)),
    )
