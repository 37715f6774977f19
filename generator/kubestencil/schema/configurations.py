"""Joins the configuration files of programs with a release, like custom resources."""

from __future__ import annotations

from dataclasses import replace

from kubestencil.schema.documents.openapi2 import parse_definitions
from kubestencil.schema.facts.configurations import (
    configuration_definitions,
    configuration_types,
)
from kubestencil.schema.frozen import FrozenObject
from kubestencil.schema.pointer import printable_pointer
from kubestencil.schema.types import Release

# Any document of Kubernetes has it, and what configuration files refer to.
_POD = "io.k8s.api.core.v1.Pod"


def with_configurations(release: Release) -> Release:
    """``release`` with the kinds of configuration files; the same where it has them, or is
    limited to some kinds.

    Formats that others publish have none of them.
    """
    raw = {
        name: schema
        for name, schema in configuration_definitions(release.name).items()
        if name not in release.definitions
    }
    if not raw or release.is_limited or _POD not in release.definitions:
        return release
    parsed = parse_definitions(raw, release.definitions, printable_pointer)
    return replace(
        release, definitions=FrozenObject({**release.definitions, **parsed.definitions})
    )


def without_configurations(release: Release) -> Release:
    """``release`` as its document is."""
    added = configuration_types()
    return replace(
        release,
        definitions=FrozenObject(
            {
                name: definition
                for name, definition in release.definitions.items()
                if name not in added
            }
        ),
    )
