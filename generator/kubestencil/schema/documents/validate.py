"""Checks that a document is valid OpenAPI 2.0, once for each sequence of bytes.

``openapi-spec-validator`` takes 3.5 seconds for a full document. The digests of valid
documents are remembered in the user's cache folder. The documents of the release list
were valid when they were added to it.
"""

from __future__ import annotations

import contextlib
from pathlib import Path

from kubestencil.errors import SpecError
from kubestencil.schema.pointer import json_pointer
from kubestencil.schema.types import Release
from kubestencil.source import releases


def validate(release: Release) -> None:
    """Raise SpecError, with the JSON pointer, where the document is not valid."""
    if not _was_validated(release.sha256):
        _check(release)
        _remember(release.sha256)


def _check(release: Release) -> None:
    from openapi_spec_validator import OpenAPIV2SpecValidator
    from openapi_spec_validator.validation.exceptions import ValidatorDetectError
    from referencing.exceptions import Unresolvable

    failures = (
        ValidatorDetectError,
        Unresolvable,
        RecursionError,
        ValueError,
        LookupError,
    )
    validator = OpenAPIV2SpecValidator(dict(release.document))
    try:
        error = next(iter(validator.iter_errors()), None)
    except failures as failure:
        raise SpecError(
            f"cannot be validated: {failure}", where=release.origin
        ) from failure
    if error is not None:
        pointer = json_pointer(map(str, getattr(error, "absolute_path", ())))
        raise SpecError(
            f"is not valid OpenAPI 2.0: {_first_line(error.message)}",
            where=f"{release.origin}#{pointer}",
        )


def _was_validated(sha256: str) -> bool:
    listed = any(
        release.sha256 == sha256 for release in releases.listed_releases().values()
    )
    return listed or _cache_entry(sha256).exists()


def _remember(sha256: str) -> None:
    # Without a writable cache folder, the document is validated again each time.
    with contextlib.suppress(OSError):
        entry = _cache_entry(sha256)
        entry.parent.mkdir(parents=True, exist_ok=True)
        entry.touch()


def _cache_entry(sha256: str) -> Path:
    from platformdirs import user_cache_path

    return user_cache_path("kubestencil") / "valid" / sha256


def _first_line(message: str) -> str:
    line = message.partition("\n")[0]
    return line if len(line) <= 200 else f"{line[:197]}..."
