"""Checks one object against one release."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from kubestencil.checking.findings import Problem, Results
from kubestencil.checking.kind_findings import is_of_kubernetes
from kubestencil.checking.problems import missing_field
from kubestencil.checking.release import CheckedRelease
from kubestencil.schema.facts.tables import group_version_kind
from kubestencil.schema.types import GroupVersionKind


def kind_of(value: Mapping[str, Any]) -> GroupVersionKind:
    """The kind that an object says it is; its apiVersion and kind are strings."""
    return group_version_kind(value["apiVersion"], value["kind"])


def results_of(
    value: Mapping[str, Any], kind: GroupVersionKind, release: CheckedRelease
) -> Results | None:
    """What is wrong with an object in a release; None where the release has no schema
    of its kind."""
    check = release.check_of(kind)
    if check is None:
        return None
    results = Results()
    check(value, None, "", results)
    if is_of_kubernetes(kind) and value.get("spec") is None:
        results.problems.extend(_missing_spec(kind, release))
    return results


def _missing_spec(kind: GroupVersionKind, release: CheckedRelease) -> Iterator[Problem]:
    """The problem of an absent spec that has required fields: an absent spec is an
    empty one to the API server."""
    definitions = release.release.definitions
    for field in definitions[release.kinds[kind]].fields:
        if field.name == "spec" and not field.required:
            spec = release.release.resolve(field.schema)
            if spec.required:
                names = ", ".join(spec.required)
                yield missing_field("spec", ("", None), f", which needs {names}")
