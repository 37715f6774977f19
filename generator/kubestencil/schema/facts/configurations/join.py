"""Joins the configuration files of programs with a release, like custom resources."""

from __future__ import annotations

from dataclasses import replace

from kubestencil.errors import SpecError
from kubestencil.schema.documents.openapi2 import parse_definitions
from kubestencil.schema.facts.configurations.table import (
    configuration_definitions,
    configuration_types,
)
from kubestencil.schema.frozen import FrozenObject
from kubestencil.schema.pointer import SourceMap
from kubestencil.schema.types import Release


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
    if not raw or release.is_limited:
        return release
    try:
        parsed = parse_definitions(raw, release.definitions, SourceMap(""))
    except SpecError:
        # They refer to types that a document with some definitions only does not have.
        return release
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
