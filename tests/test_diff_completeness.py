"""A comparison reports every difference, and no other.

An independent comparison, which flattens both documents and shares no code with the
first, finds the same differences. Applied as a patch, the changes turn one document
into the other. Comparing in the other direction gives the inverse changes.

CEL rules are reported one by one: what was removed and added is each in one change.
"""

from __future__ import annotations

import copy
import json
from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kubestencil.diff import compare
from kubestencil.schema import Release
from kubestencil.schema.knowledge.configurations import with_configurations
from tests.conftest import SOME_RELEASES
from tests.diff_specs import EACH_PAIR, PAIRS, document, release

Key = tuple[str, str, str | None, str | None]


# Its elements are reported one by one; an order is no difference if they differ, too.
BY_ELEMENT = ("x-kubernetes-validations",)


def fragments(release: Release) -> dict[str, Any]:
    """The schemas by name."""
    return {
        name: definition.schema.raw for name, definition in release.definitions.items()
    }


def json_changes(before: Release, after: Release) -> list[dict[str, Any]]:
    """The changes as another program reads them."""
    comparison = compare(before, after).to_dict()
    changes: list[dict[str, Any]] = json.loads(json.dumps(comparison))["changes"]
    return changes


# --- the independent comparison


def flattened(documents: dict[str, Any]) -> dict[Key, str]:
    """The content of a document by (definition, pointer, field, keyword)."""
    content: dict[Key, str] = {}

    def walk(name: str, at: str, field: str | None, schema: dict[str, Any]) -> None:
        content[name, at, field, None] = "present"
        for keyword, value in schema.items():
            if keyword == "properties":
                content[name, at, field, "properties"] = "present"
                for inner, child in value.items():
                    step = inner.replace("~", "~0").replace("/", "~1")
                    path = inner if field is None else f"{field}.{inner}"
                    walk(name, f"{at}/properties/{step}", path, child)
            elif keyword == "required":
                content[name, at, field, "required"] = json.dumps(value)
                for inner in value:
                    path = inner if field is None else f"{field}.{inner}"
                    content[name, at, path, "required of"] = "yes"
            elif keyword in ("items", "additionalProperties") and isinstance(
                value, dict
            ):
                # Schemas of another type are compared as a whole.
                signature = [value.get("type"), value.get("$ref")]
                content[name, at, field, keyword] = json.dumps(signature)
                walk(name, f"{at}/{keyword}", field, value)
            else:
                content[name, at, field, keyword] = json.dumps(value, sort_keys=True)

    for name, schema in documents.items():
        walk(name, "", None, schema)
    return content


def differing_keys(before: dict[str, Any], after: dict[str, Any]) -> set[Key]:
    old, new = flattened(before), flattened(after)
    differing = {key for key in old.keys() | new.keys() if old.get(key) != new.get(key)}
    replaced = {
        (name, f"{at}/{keyword}")
        for name, at, _, keyword in differing
        if keyword in ("items", "additionalProperties")
    }
    differing = {key for key in differing if not is_inside(key, replaced)}
    whole_schemas = {key[:2] for key in differing if key[3] is None}
    reported: set[tuple[str, str, str | None, str | None]] = set()
    for name, at, field, keyword in differing:
        steps = at.split("/")
        ancestors = [(name, "/".join(steps[:end])) for end in range(1, len(steps) + 1)]
        added_or_removed = [schema for schema in ancestors if schema in whole_schemas]
        # What is inside of an added or removed schema is not reported again.
        if added_or_removed and (
            keyword is not None or added_or_removed != [(name, at)]
        ):
            continue
        if keyword == "required of":
            reported.add((name, at, field, "required"))
        elif keyword == "required":
            old_list, new_list = (
                set(json.loads(content.get((name, at, field, keyword), "[]")))
                for content in (old, new)
            )
            if old_list == new_list:
                reported.add((name, at, field, "required"))
        else:
            reported.add((name, at, field, keyword))
    return reported


def is_inside(key: Key, schemas: set[tuple[str, str]]) -> bool:
    """Whether a key is that of one of the schemas, or inside of one."""
    name, at, *_ = key
    steps = at.split("/")
    return any(
        (name, "/".join(steps[:end])) in schemas for end in range(1, len(steps) + 1)
    )


def keys(changes: list[dict[str, Any]]) -> list[Key]:
    return [(c["definition"], c["at"], c["field"], c["keyword"]) for c in changes]


# --- the changes as a patch, and their inverse


def apply_changes(
    before: dict[str, Any], changes: list[dict[str, Any]]
) -> dict[str, Any]:
    result = copy.deepcopy(before)
    for change in changes:
        steps = [
            step.replace("~1", "/").replace("~0", "~")
            for step in change["at"].split("/")[1:]
        ]
        node, last = result, change["definition"]
        path = [change["definition"], *steps]
        if change["keyword"] in BY_ELEMENT and not change["change"].startswith(
            "validations-"
        ):
            replace_element(result, path, change)
            continue
        if change["keyword"] is None:
            *path, last = path
            value = change["after"]
        else:
            last = change["keyword"]
            value = None if change["after"] is None else change["after"][last]
        for step in path:
            node = node[step]
        if change["after"] is not None:
            node[last] = copy.deepcopy(value)
        else:
            # Fields that all became optional share one removed list.
            assert last in node or last == "required"
            node.pop(last, None)
    return result


def replace_element(result: Any, path: list[str], change: dict[str, Any]) -> None:
    """Replace one element of a list, or append or remove one."""
    keyword = change["keyword"]
    for step in path:
        result = result[step]
    elements = [*result.get(keyword, ())]
    for element in (change["before"] or {}).get(keyword, ()):
        elements.remove(element)
    elements += (change["after"] or {}).get(keyword, ())
    result[keyword] = elements
    if not elements:
        del result[keyword]


def in_any_order(value: Any) -> Any:
    """Definitions in which the lists of BY_ELEMENT are sorted, and left out if empty."""
    if isinstance(value, list):
        return [in_any_order(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {
        key: (
            sorted(item, key=lambda element: json.dumps(element, sort_keys=True))
            if key in BY_ELEMENT and isinstance(item, list)
            else in_any_order(item)
        )
        for key, item in value.items()
        if not (key in BY_ELEMENT and item == [])
    }


_INVERSE_SUFFIX = {
    "added": "removed",
    "removed": "added",
    "required": "optional",
    "optional": "required",
}


def inverse(change: dict[str, Any]) -> tuple[Any, ...]:
    noun, _, suffix = change["change"].rpartition("-")
    return (
        f"{noun}-{_INVERSE_SUFFIX.get(suffix, suffix)}",
        *keys([change])[0],
        json.dumps(change["after"], sort_keys=True),
        json.dumps(change["before"], sort_keys=True),
        tuple(change["kinds"]),
    )


def as_tuple(change: dict[str, Any]) -> tuple[Any, ...]:
    return (
        change["change"],
        *keys([change])[0],
        json.dumps(change["before"], sort_keys=True),
        json.dumps(change["after"], sort_keys=True),
        tuple(change["kinds"]),
    )


def check_elements(
    changes: list[dict[str, Any]], old: dict[str, Any], new: dict[str, Any]
) -> None:
    """Each element that only one side has is in one change; a change of the order is
    reported only where there is no other."""
    before, after = flattened(old), flattened(new)
    for key in {key for key in keys(changes) if key[3] in BY_ELEMENT}:
        removed, added = (
            Counter(map(dumps, json.loads(side.get(key, "[]"))))
            for side in (before, after)
        )
        of_key = [change for change in changes if keys([change]) == [key]]
        if removed == added:
            assert [change["change"] for change in of_key] == [
                "validations-order-changed"
            ]
            continue
        for side, expected in (("before", removed - added), ("after", added - removed)):
            fragments = [change[side] for change in of_key if change[side]]
            assert all(len(fragment[key[3]]) == 1 for fragment in fragments)
            assert (
                Counter(dumps(fragment[key[3]][0]) for fragment in fragments)
                == expected
            )


def dumps(value: Any) -> str:
    return json.dumps(value, sort_keys=True)


def check(before: Release, after: Release) -> None:
    before, after = with_configurations(before), with_configurations(after)
    old, new = fragments(before), fragments(after)
    changes = json_changes(before, after)
    whole = [change for change in changes if change["keyword"] not in BY_ELEMENT]
    by_element = {key for key in keys(changes) if key[3] in BY_ELEMENT}
    assert sorted(map(repr, [*keys(whole), *by_element])) == sorted(
        map(repr, differing_keys(old, new))
    )
    check_elements(changes, old, new)
    assert json.dumps(
        in_any_order(apply_changes(old, changes)), sort_keys=True
    ) == json.dumps(in_any_order(new), sort_keys=True)
    assert sorted(map(as_tuple, changes), key=repr) == sorted(
        map(inverse, json_changes(after, before)), key=repr
    )


@pytest.mark.parametrize(("before", "after"), EACH_PAIR)
def test_changes_between_releases_are_complete(before: str, after: str) -> None:
    check(release(before), release(after))


@pytest.mark.parametrize("name", SOME_RELEASES)
def test_a_release_does_not_differ_from_itself(name: str) -> None:
    comparison = compare(release(name), release(name))
    assert comparison.changes == ()
    assert comparison.graduations == ()
    assert comparison.api_versions_added == ()


@pytest.mark.nightly
def test_the_independent_comparison_finds_every_difference() -> None:
    """It must find at least what a plain ``==`` finds."""
    for before, after in PAIRS:
        old, new = fragments(release(before)), fragments(release(after))
        differing = {
            name for name in old.keys() | new.keys() if old.get(name) != new.get(name)
        }
        assert differing == {key[0] for key in differing_keys(old, new)}


# --- generated documents

_names = st.sampled_from(["a", "b.c", "~/d", "properties", "é", "required"])
_values = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 2) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=2)
    | st.dictionaries(st.text(max_size=2), inner, max_size=2),
    max_leaves=4,
)
_rules = st.lists(
    st.fixed_dictionaries(
        {},
        optional={
            "rule": st.sampled_from(["self > 0", "self < 9"]),
            "message": st.sampled_from(["one", "two"]),
            "reason": st.just("FieldValueInvalid"),
        },
    ),
    max_size=3,
)
_SPECS = "#/definitions/io.k8s.api.core.v1."


def _schemas(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.fixed_dictionaries(
        {},
        optional={
            "type": st.sampled_from(["string", "integer", "object", "array"]),
            "format": st.sampled_from(["int32", "int64", "int-or-string"]),
            "description": st.sampled_from(["", "one", "This is an alpha field.", "|"]),
            "default": _values,
            "enum": st.lists(_values, max_size=2),
            "$ref": st.sampled_from([f"{_SPECS}Base", f"{_SPECS}Other"]),
            "x-nullable": st.booleans(),
            "x-kubernetes-list-type": st.sampled_from(["atomic", "set", "map"]),
            "x-kubernetes-list-map-keys": st.lists(_names, max_size=2),
            "x-kubernetes-patch-strategy": st.sampled_from(["merge", "replace"]),
            "x-kubernetes-patch-merge-key": _names,
            "x-kubernetes-validations": _rules,
            "anyOf": st.lists(st.fixed_dictionaries({"minimum": st.integers(0, 2)})),
            "maxLength": st.integers(0, 3),
            "x-unheard-of": _values,
            "items": inner,
            "additionalProperties": inner | st.booleans(),
        },
    )


_flat = _schemas(st.just({"type": "string"}) | st.just({"type": "integer"}))
_objects = st.fixed_dictionaries(
    {},
    optional={
        "properties": st.dictionaries(_names, _flat, max_size=3),
        "required": st.lists(_names, max_size=3, unique=True),
        "description": st.sampled_from(["one", "two"]),
    },
)
_nested = st.fixed_dictionaries(
    {},
    optional={
        "properties": st.dictionaries(_names, _flat | _objects, max_size=3),
        "required": st.lists(_names, max_size=3, unique=True),
        "type": st.just("object"),
        "x-kubernetes-group-version-kind": st.lists(
            st.sampled_from(
                [
                    {"group": "g", "version": version, "kind": "K"}
                    for version in ("v1alpha1", "v1beta1", "v1")
                ]
            ),
            max_size=2,
            unique_by=repr,
        ),
    },
)
_documents = st.builds(
    lambda definitions: {
        f"io.k8s.api.core.v1.{name}": {"type": "string"} for name in ("Base", "Other")
    }
    | definitions,
    st.dictionaries(
        st.sampled_from(
            [f"io.k8s.api.g.{v}.{k}" for v in ("v1", "v1beta1") for k in ("K", "Part")]
        ),
        _nested,
        max_size=4,
    ),
)


@pytest.mark.nightly
@settings(max_examples=30, deadline=None)
@given(_documents, _documents)
def test_changes_between_generated_documents_are_complete(
    before: dict[str, Any], after: dict[str, Any]
) -> None:
    check(document(before), document(after))


def test_true_is_not_one() -> None:
    """In Python True == 1; in JSON they differ."""
    one, true = (
        document({"a.v1.B": {"properties": {"c": {"default": value}}}})
        for value in (1, True)
    )
    assert [change["change"] for change in json_changes(one, true)] == [
        "default-changed"
    ]


def test_objects_inside_a_field_are_compared_field_by_field() -> None:
    """The document of a cluster has nested objects in the kinds of CRDs."""

    def crd(size_type: str) -> Release:
        inner = {"type": "object", "properties": {"size": {"type": size_type}}}
        fields = {"spec": {"type": "array", "items": inner}}
        return document({"com.example.v1.Thing": {"properties": fields}})

    (change,) = json_changes(crd("integer"), crd("string"))
    expected: dict[str, Any] = {
        "change": "type-changed",
        "severity": "breaking",
        "stability": "stable",
        "rule": "type-changed",
        "stage": None,
        "definition": "com.example.v1.Thing",
        "field": "spec.size",
        "path": "Thing.spec.size",
        "keyword": "type",
        "at": "/properties/spec/items/properties/size",
        "before": {"type": "integer"},
        "after": {"type": "string"},
        "kinds": [],
    }
    assert {key: change[key] for key in expected} == expected
