"""Examples of kinds, as JSON values."""

from __future__ import annotations

from typing import Any

from kubestencil.schema import Release
from kubestencil.schema.kinds import kind_definitions
from kubestencil.targets.examples.trees import ExampleTrees


def examples(release: Release, shape: str) -> dict[str, Any]:
    """The example of each kind as a JSON value, by apiVersion and kind."""
    trees = ExampleTrees(release)
    result: dict[str, Any] = {}
    for name, kind in kind_definitions(release).items():
        definition = release.definitions[name]
        value = getattr(trees, shape)(definition)
        if value is not None:
            result[f"{kind.api_version} {kind.kind}"] = value
    return result
