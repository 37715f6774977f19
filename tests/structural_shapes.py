"""One CustomResourceDefinition with each shape that a structural schema can have, and
objects of it that a server stores as they are.

Each target of a language reads and writes the objects (tests/test_round_trips.py): what
it writes is what it read.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from tests.crd_schemas import definition, version

API_VERSION, KIND = "example.com/v1", "Shape"

_STRING = {"type": "string"}
_PRESERVE = {"x-kubernetes-preserve-unknown-fields": True}
_OPEN = {"type": "object", **_PRESERVE}
_INT_OR_STRING = {"x-kubernetes-int-or-string": True}
_EMBEDDED = {"type": "object", "x-kubernetes-embedded-resource": True}
_POD = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}}
_ANY = [0, "", False, None, [], {}, {"a": [None, {"b": 2**60}], "": None}]
# Beyond 2**53, a double has not every integer.
_LARGEST = 2**63 - 1

# Fields of no schema, whose names are those of what keeps such fields.
_OTHERS = dict.fromkeys(
    ["additionalFields", "AdditionalFields", "unknown_fields", "set", "read", ""], 0
)


def _object(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


#: The schemas of single values with values of each; the first is the zero value.
_VALUES: Mapping[str, tuple[dict[str, Any], list[Any]]] = {
    "boolean": ({"type": "boolean"}, [False, True]),
    "integer": ({"type": "integer"}, [0, _LARGEST, -(2**63)]),
    "int32": ({"type": "integer", "format": "int32"}, [0, -(2**31), 2**31 - 1]),
    "int64": ({"type": "integer", "format": "int64"}, [0, _LARGEST]),
    "number": ({"type": "number"}, [0, -1.5, 1e300]),
    "double": ({"type": "number", "format": "double"}, [0, 0.1]),
    "string": (_STRING, ["", 'a"\\\n\u2028é\U0001f600</script>']),
    "enum": ({"type": "string", "enum": ["", "a b", "A_3", "a", "A"]}, ["", "a b"]),
    "numbers": ({"type": "integer", "enum": [0, 5]}, [0, 5]),
    "byte": ({"type": "string", "format": "byte"}, ["", "AP+/"]),
    "time": (
        {"type": "string", "format": "date-time"},
        [
            "0001-01-01T00:00:00Z",
            "2024-02-29T12:00:00.123456789+01:00",
            "9999-12-31T23:59:59.999999999Z",
        ],
    ),
    "date": ({"type": "string", "format": "date"}, ["2024-02-29"]),
    "duration": ({"type": "string", "format": "duration"}, ["0s", "1h2m"]),
    "quantity": (
        {**_INT_OR_STRING, "pattern": "^[0-9.]+[A-Za-z]*$"},
        [0, "100m", 2**40],
    ),
    "port": (_INT_OR_STRING, [0, "", "80%"]),
    "any": (_PRESERVE, _ANY),
    "open": (_OPEN, [{}, {"a": {"b": [1, None, "c"]}}]),
    "closed": ({"type": "object"}, [{}]),
    "fields": (_object(a=_STRING, b=_object(c=_STRING)), [{}, {"b": {}}]),
    "openFields": (
        {**_object(a={"type": "integer"}), **_PRESERVE},
        [{}, {"a": 0}, {"a": 1, "A": "b", "c": {"d": [None]}, "e": None, **_OTHERS}],
    ),
    "valuesAndFields": (
        {**_object(a={"type": "integer"}), "additionalProperties": True},
        [{}, {"a": 1, "b": {"c": None}}],
    ),
    "embedded": ({**_EMBEDDED, "properties": {"spec": _object(a=_STRING)}}, [_POD]),
    "openEmbedded": (
        {**_EMBEDDED, **_PRESERVE},
        [_POD, {**_POD, "spec": {"containers": []}, "data": {"k": 2**60}}],
    ),
    "openParts": (
        {**_EMBEDDED, **_PRESERVE, "properties": {"spec": {**_OPEN, **_object(a=_STRING)}}},
        [{**_POD, "spec": {"a": "", "b": 1}, "status": {}}],
    ),
    "union": (
        {
            **_object(a=_STRING, b={"type": "object"}),
            "oneOf": [{"required": ["a"]}, {"required": ["b"]}],
        },
        [{"a": ""}, {"b": {}}],
    ),
}  # fmt: skip

_SET = {"x-kubernetes-list-type": "set"}
_LIST_MAP = {
    "type": "array",
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["name"],
    "items": {**_object(name=_STRING, value=_PRESERVE), "required": ["name"]},
}

# Names that mean something to a language, its libraries, or to what is generated for it.
_WORDS = """
    builder toBuilder build Builder of value values with withA get set put
    clone equals finalize getClass hashCode notify notifyAll toString wait
    toJSON marshalJSON unmarshalJSON MarshalJSON UnmarshalJSON String
    additionalFields additionalProperties AdditionalFields other extra
    __proto__ prototype constructor hasOwnProperty valueOf then default
    self this super class type kind apiVersion metadata spec status
    None True False null true false nil undefined NaN any unknown never
    int str dict list set float bool bytes object string number integer
    json copy schema validate construct parse_obj model_config model_fields
    from_dict to_dict to_json fields keys items pop update __class__ __dict__
    fn impl crate r#type async await yield move union dyn match mod pub use
    import package module function local assert error if else for in is let
    record enum interface void var goto const final static native throws
    check mixin schema rule protocol lambda filter map all not regex len
    amends extends hidden external abstract open outer new typealias read
"""

#: These, pairs that differ in case only or that become one name in a language, and names
#: that no language can have.
NAMES = [
    " ", "-", "--", ".", "..", "a.b", "a-b", "a_b", "a_b_2", "a_b_3", "a b", "a/b",
    "a,b", "n,string", "a,omitempty", ",", 'a"b', "a'b", "a`b", "a\\b", "\\u0041",
    "a\tb", "a\nb", "a\rb", "a\0b", "a\x7fb", "a\x85b", "a\u2028b", "*/", "//", "#", "%s",
    "$", "$ref", "$$", "${x}", "#{x}", "\\(x)", "{{x}}", "{%x%}", "<b>", "&amp;", "@id",
    "é", "e\u0301", "日本", "\U0001f600", "0", "3scale", "-1", "_", "__", "_x", "__x",
    "__x__", "case", "Case", "CASE", "k", "\u212a", "s", "\u017f", "x" * 300,
    *_WORDS.split(), "",
]  # fmt: skip


def _containers(schema: dict[str, Any], values: list[Any]) -> Iterator[tuple[Any, ...]]:
    """Each way that a value can be in lists and maps: its name, schema and values."""
    items = {"type": "array", "items": schema}
    pairs = {"type": "object", "additionalProperties": schema}
    keyed = {f"k{index}": value for index, value in enumerate(values)}
    keyed |= {"": values[0], 'a.b/c"': values[-1]}
    yield "plain", schema, values
    yield "list", items, [[], values]
    yield "lists", {"type": "array", "items": items}, [[], [[]], [values, []]]
    yield "map", pairs, [{}, keyed]
    yield (
        "maps",
        {"type": "object", "additionalProperties": pairs},
        [{}, {"a": {}}, {"a": keyed}],
    )
    yield (
        "mapOfLists",
        {"type": "object", "additionalProperties": items},
        [{}, {"a": []}, {"a": values}],
    )


def _cases() -> Iterator[tuple[str, str, dict[str, Any], list[Any]]]:
    """The group, the name, the schema and the values of each property."""
    for name, (schema, values) in _VALUES.items():
        nullable = {**schema, "nullable": True}
        for group, contained, items in _containers(schema, values):
            yield group, name, contained, items
        for group, contained, items in _containers(nullable, [*values, None]):
            if group in ("plain", "list", "map"):
                yield f"{group}OfNullable", name, contained, items
        if name not in ("embedded", "openEmbedded", "openParts"):
            default = {"default": values[-1]}
            yield "defaulted", name, {**schema, **default}, values
            yield "defaultedNullable", name, {**nullable, **default}, [*values, None]
    yield "merged", "set", {"type": "array", "items": _STRING, **_SET}, [[], ["a"]]
    yield "merged", "map", _LIST_MAP, [[], [{"name": "", "value": None}]]
    long = _object(**{"y" * 60: {"type": "string", "enum": ["a"]}})
    yield "merged", "z" * 60, _object(**{"x" * 60: long}), [{"x" * 60: {"y" * 60: "a"}}]
    yield "merged", "atomic", {
        **_object(a=_STRING),
        "x-kubernetes-map-type": "atomic",
    }, [{}]
    for index in range(300):
        nullable = {"nullable": True} if index % 2 else {}
        yield "many", f"p{index}", {**_STRING, **nullable}, ["", "a"]
    for name in dict.fromkeys(NAMES):
        yield "names", name, {"type": "integer"}, [0, 1]
        yield "openNames", name, {"type": "integer", "nullable": True}, [1, None]
        yield "anyNames", name, _PRESERVE, [{}, "a"]


# The groups that have a twin below `required`.
_REQUIRED = ("plain", "plainOfNullable", "list", "map", "names", "openNames", "many")


def crd() -> dict[str, Any]:
    """The CustomResourceDefinition. Below spec, each group of properties is an object,
    in which none is required; some have another below ``required``, in which all are.
    """
    groups: dict[str, dict[str, Any]] = {}
    for group, name, schema, _ in _cases():
        groups.setdefault(group, {})[name] = schema
    optional = {name: _object(**properties) for name, properties in groups.items()}
    for name in ("openNames", "many"):
        optional[name] |= _PRESERVE
    required = {
        name: {**optional[name], "required": list(optional[name]["properties"])}
        for name in _REQUIRED
    }
    spec = {**_object(**optional, required=_object(**required)), "nullable": True}
    return definition(
        KIND, version("v1", _object(spec=spec), storage=True), scope="Cluster"
    )


def objects() -> Iterable[dict[str, Any]]:
    """Objects of the kind: one that is empty, and some that have each value of each
    property at least once, among optional and among required ones."""
    yield _named({})
    yield _named({"spec": None})
    yield _named({"spec": {}})
    yield _named({"spec": {group: {} for group, *_ in _cases()}})
    count = max(len(values) for *_, values in _cases())
    for index in range(count):
        groups: dict[str, dict[str, Any]] = {}
        for group, name, _, values in _cases():
            groups.setdefault(group, {})[name] = values[index % len(values)]
        others = {"Builder_": None, "another": {"": [index]}}
        groups["openNames"] = {**others, **groups["openNames"]}
        groups["many"] |= _OTHERS
        # Of names that something may take for each other, one is there without the other.
        optional = {
            group: dict(list(fields.items())[index % 3 :: index + 1])
            for group, fields in groups.items()
        }
        required = {group: groups[group] for group in _REQUIRED}
        yield _named({"spec": {**optional, "required": required}})


def _named(fields: dict[str, Any]) -> dict[str, Any]:
    # Objects of one process share no parts.
    value = {
        "apiVersion": API_VERSION,
        "kind": KIND,
        "metadata": {"name": "a"},
        **fields,
    }
    copied: dict[str, Any] = json.loads(json.dumps(value))
    return copied
