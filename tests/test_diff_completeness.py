"""A comparison reports every difference, and no other.

An independent comparison, which flattens both documents and shares no code with the
first, finds the same differences. Applied as a patch, the changes turn one document
into the other. Comparing in the other direction gives the inverse changes.
"""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kubestencil.diff import compare, serialize
from kubestencil.schema import Release
from tests.conftest import RELEASES
from tests.diff_specs import PAIRS, document, release

Key = tuple[str, str, str | None, str | None]


def fragments(release: Release) -> dict[str, Any]:
    return {
        name: definition.schema.raw for name, definition in release.definitions.items()
    }


def json_changes(before: Release, after: Release) -> list[dict[str, Any]]:
    """The changes as another program reads them."""
    comparison = serialize.comparison_json(compare(before, after))
    return json.loads(json.dumps(comparison))["changes"]


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
            else:
                content[name, at, field, keyword] = json.dumps(value, sort_keys=True)

    for name, schema in documents.items():
        walk(name, "", None, schema)
    return content


def differing_keys(before: dict[str, Any], after: dict[str, Any]) -> set[Key]:
    old, new = flattened(before), flattened(after)
    differing = {key for key in old.keys() | new.keys() if old.get(key) != new.get(key)}
    whole_schemas = {key[:2] for key in differing if key[3] is None}
    reported = set()
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


def check(before: Release, after: Release) -> None:
    old, new = fragments(before), fragments(after)
    changes = json_changes(before, after)
    assert sorted(map(repr, keys(changes))) == sorted(
        map(repr, differing_keys(old, new))
    )
    assert json.dumps(apply_changes(old, changes), sort_keys=True) == json.dumps(
        new, sort_keys=True
    )
    assert sorted(map(as_tuple, changes), key=repr) == sorted(
        map(inverse, json_changes(after, before)), key=repr
    )


@pytest.mark.parametrize(("before", "after"), PAIRS)
def test_changes_between_releases_are_complete(before: str, after: str) -> None:
    check(release(before), release(after))


@pytest.mark.parametrize("name", RELEASES)
def test_a_release_does_not_differ_from_itself(name: str) -> None:
    comparison = compare(release(name), release(name))
    assert comparison.changes == ()
    assert comparison.graduations == ()
    assert comparison.api_versions_added == ()


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
            "x-kubernetes-validations": st.just([{"rule": "self > 0"}]),
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


@settings(max_examples=150, deadline=None)
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

    assert json_changes(crd("integer"), crd("string")) == [
        {
            "change": "type-changed",
            "severity": "breaking",
            "stability": "stable",
            "rule": "type-changed",
            "definition": "com.example.v1.Thing",
            "field": "spec.size",
            "keyword": "type",
            "at": "/properties/spec/items/properties/size",
            "before": {"type": "integer"},
            "after": {"type": "string"},
            "kinds": [],
        }
    ]
