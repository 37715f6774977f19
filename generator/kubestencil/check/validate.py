"""Checks one object against one release."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kubestencil.check.findings import Problem
from kubestencil.check.release import CheckedRelease
from kubestencil.schema.types import GroupVersionKind


def kind_of(value: Mapping[str, Any]) -> GroupVersionKind:
    """The kind that an object says it is; its apiVersion and kind are strings."""
    group, _, version = value["apiVersion"].rpartition("/")
    return GroupVersionKind(group, version, value["kind"])


def problems_of(
    value: Mapping[str, Any], kind: GroupVersionKind, release: CheckedRelease
) -> list[Problem] | None:
    """What is wrong with an object in a release; None where the release has no schema
    of its kind."""
    check = release.check_of(kind)
    if check is None:
        return None
    problems: list[Problem] = []
    check(value, None, "", problems)
    return problems
