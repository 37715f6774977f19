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
from kubestencil.schema.types import JsonObject
from kubestencil.source import releases


def validate(document: JsonObject, sha256: str, origin: str) -> None:
    """Raise SpecError, with the JSON pointer, where a document is not valid.

    ``sha256`` is the digest of its bytes, ``origin`` where they are from.
    """
    if not _was_validated(sha256):
        _check(document, origin)
        _remember(sha256)


def _check(document: JsonObject, origin: str) -> None:
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
    validator = OpenAPIV2SpecValidator(dict(document))
    try:
        error = next(iter(validator.iter_errors()), None)
    except failures as failure:
        raise SpecError(f"cannot be validated: {failure}", where=origin) from failure
    if error is not None:
        pointer = json_pointer(map(str, getattr(error, "absolute_path", ())))
        raise SpecError(
            f"is not valid OpenAPI 2.0: {_first_line(error.message)}",
            where=f"{origin}#{pointer}",
        )


def _was_validated(sha256: str) -> bool:
    listed = any(
        release.sha256 == sha256
        for listed in (releases.listed_releases(), releases.listed_previews())
        for release in listed.values()
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
