"""Loads a release: reads its document and checks that it is valid OpenAPI."""

from __future__ import annotations

from kubestencil.schema.openapi2 import parse
from kubestencil.schema.types import Release
from kubestencil.schema.validate import validate
from kubestencil.source import Source


def load_release(source: Source) -> Release:
    """The release in ``source``, parsed and validated.

    Raises SpecError for a document that is not valid OpenAPI 2.0, or that is
    inconsistent.
    """
    release = parse(source)
    validate(release)
    return release
