"""JSON values that a structural schema allows, for property tests."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from hypothesis import strategies as st

STRINGS = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
_NO_OBJECTS = (
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | STRINGS
)
#: Values below ``additionalProperties: true``, where servers drop the fields of objects.
WITHOUT_FIELDS: st.SearchStrategy[Any] = st.recursive(
    _NO_OBJECTS | st.just({}), lambda inner: st.lists(inner, max_size=3), max_leaves=5
)
JSON = st.recursive(
    _NO_OBJECTS,
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(STRINGS, inner, max_size=3),
    max_leaves=5,
)
TIMES = st.builds(
    "{:%Y-%m-%dT%H:%M:%S}{}{}".format,
    st.datetimes(datetime(1000, 1, 1), datetime(9998, 1, 1)),
    st.sampled_from(["", ".0", ".000", ".5", ".000001", ".123456789"]),
    st.sampled_from(["Z", "+00:00", "-07:30"]),
)
_INTEGERS = st.integers(-(2**63), 2**63 - 1)
_SCALARS = {
    "string": STRINGS,
    "boolean": st.booleans(),
    "integer": _INTEGERS,
    "number": _INTEGERS | st.floats(allow_nan=False, allow_infinity=False),
}


def values(schema: Mapping[str, Any]) -> st.SearchStrategy[Any]:
    """The values that a schema allows, as far as types, enums and null go."""
    if schema.get("nullable"):
        return st.none() | _values(schema)
    return _values(schema)


def _values(schema: Mapping[str, Any]) -> st.SearchStrategy[Any]:
    type_ = schema.get("type")
    if schema.get("enum"):
        return st.sampled_from(
            [value for value in schema["enum"] if _is_of_type(value, type_)]
        )
    if schema.get("x-kubernetes-int-or-string"):
        return _INTEGERS | STRINGS
    if type_ == "array":
        return st.lists(values(schema["items"]), max_size=3)
    if type_ == "object":
        return objects(schema)
    if schema.get("format") == "date-time":
        return TIMES
    return _SCALARS.get(type_, JSON)  # type: ignore[arg-type]


def _is_of_type(value: Any, type_: str | None) -> bool:
    return type_ != "string" or isinstance(value, str)


def objects(schema: Mapping[str, Any]) -> st.SearchStrategy[dict[str, Any]]:
    """The objects that a schema allows, with other fields where they are kept."""
    properties = {**(schema.get("properties") or {})}
    required = set(schema.get("required") or ())
    embedded = schema.get("x-kubernetes-embedded-resource")
    if embedded:
        text = {"type": "string"}
        properties |= {"apiVersion": text, "kind": text}
        properties.pop("metadata", None)
        required |= {"apiVersion", "kind"}
    inner = schema.get("additionalProperties")
    if inner and not properties:
        item = values(inner) if isinstance(inner, Mapping) else WITHOUT_FIELDS
        return st.dictionaries(STRINGS, item, max_size=3)
    known = st.fixed_dictionaries(
        {name: values(properties[name]) for name in properties if name in required},
        optional={
            name: values(properties[name])
            for name in properties
            if name not in required
        },
    )
    if not schema.get("x-kubernetes-preserve-unknown-fields"):
        return known
    # Metadata of an embedded resource is an ObjectMeta.
    others = STRINGS.filter(lambda name: name not in {*properties, "metadata"})
    return st.builds(
        lambda extra, values: {**extra, **values},
        st.dictionaries(others, JSON, max_size=2),
        known,
    )
