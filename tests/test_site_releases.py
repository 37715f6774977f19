"""What releases of a site have in common is made once, and is the same as made for each:
pages, fields and examples of a release do not depend on those generated before it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from kubestencil.engine import load_targets
from kubestencil.engine.run_cache import clear_run_caches
from kubestencil.schema import Release, parse
from kubestencil.source import Source
from kubestencil.targets import generate_part, load_multi_release_view
from tests.conftest import make_document

TARGET = load_targets(None)["site"]
PART = "io.k8s.api.core.v1.Part"
# Kinds whose classes and modules have other names where some of the others exist.
KINDS = {
    "io.k8s.api.core.v1.Event": ("", "v1", "Event"),
    "io.k8s.api.events.v1.Event": ("events.k8s.io", "v1", "Event"),
    "io.k8s.api.events.v1beta1.Event": ("events.k8s.io", "v1beta1", "Event"),
    "com.example.v1.V1Event": ("example.com", "v1", "V1Event"),
    "com.example.events.v1.Event": ("events.example.com", "v1", "Event"),
}
NAMES = [PART, *KINDS]
META = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"


def reference(name: str) -> dict[str, str]:
    return {"$ref": f"#/definitions/{name}"}


FIELDS: Mapping[str, Any] = {
    "text": {"type": "string", "description": "A text."},
    "spec": reference(PART),
    "parts": {"type": "array", "items": reference(PART)},
    "event": reference("io.k8s.api.core.v1.Event"),
    "inner": {"type": "object", "properties": {"a": {"type": "integer"}}},
}


@st.composite
def definitions(draw: st.DrawFn) -> dict[str, Any]:
    """Definitions of which some are like those of other releases."""
    names = draw(st.sets(st.sampled_from(NAMES), min_size=1)) | {PART}
    has_event = "io.k8s.api.core.v1.Event" in names
    fields = [name for name in FIELDS if name != "event" or has_event]
    return {
        META: {"type": "object", "properties": {"name": {"type": "string"}}},
        **{
            name: definition(name, draw(st.sets(st.sampled_from(fields), max_size=2)))
            for name in sorted(names)
        },
    }


def definition(name: str, fields: set[str]) -> dict[str, Any]:
    schema: dict[str, Any] = {
        "type": "object",
        "properties": {field: FIELDS[field] for field in sorted(fields)},
    }
    if "text" in fields:
        schema["required"] = ["text"]
    if name in KINDS:
        group, version, kind = KINDS[name]
        schema["properties"] |= {
            "apiVersion": {"type": "string"},
            "kind": {"type": "string"},
            "metadata": reference(META),
        }
        schema["x-kubernetes-group-version-kind"] = [
            {"group": group, "version": version, "kind": kind}
        ]
    return schema


def release(name: str, definitions: dict[str, Any]) -> Release:
    data = json.dumps(make_document(definitions)).encode()
    return parse(Source(name, f"{name}.json", data))


EVENT, EVENTS, _, V1_EVENT, _ = KINDS


def with_text(*names: str) -> dict[str, Any]:
    """Definitions with one field."""
    meta = {"type": "object", "properties": {}}
    return {META: meta} | {name: definition(name, {"text"}) for name in (PART, *names)}


@pytest.mark.nightly
@settings(max_examples=8, deadline=None)
@given(before=definitions(), after=definitions())
# The class of the custom kind gets another name in the second release.
@example(before=with_text(V1_EVENT), after=with_text(V1_EVENT, EVENT))
@example(before=with_text(EVENT), after=with_text(EVENT, EVENTS))
def test_a_release_does_not_depend_on_those_generated_before(
    before: dict[str, Any], after: dict[str, Any]
) -> None:
    releases = [release("1.1", before), release("1.2", after)]
    view = load_multi_release_view(TARGET)
    names = ["1.1", "1.2"]
    contexts = {
        part.name: part.context()
        for part in view.divide(names, lambda: releases, TARGET)
    }

    def files(part: Release) -> dict[str, bytes]:
        generated = generate_part(part.name, [part], contexts[part.name], TARGET)
        return {file.path: file.data for file in generated}

    alone = []
    for part in releases:
        clear_run_caches()
        alone.append(files(part))
    clear_run_caches()
    assert [files(part) for part in releases] == alone
