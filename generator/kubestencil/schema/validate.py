"""Is a document valid OpenAPI? Asked once for each sequence of bytes.

``openapi-spec-validator`` takes 3.5 seconds for a full spec. A digest that was
found valid is remembered in the user's cache folder, and those of the release
list were found valid when they were listed.
"""

from __future__ import annotations

import contextlib
from pathlib import Path

from kubestencil.errors import SpecError
from kubestencil.schema.pointer import json_pointer
from kubestencil.schema.types import Release
from kubestencil.source import releases


def validate(spec: Release) -> None:
    """Raise SpecError, with the JSON pointer, where the document is not valid."""
    if _is_known(spec.sha256):
        return
    _check(spec)
    _remember(spec.sha256)


def _check(spec: Release) -> None:
    from openapi_spec_validator import OpenAPIV2SpecValidator
    from openapi_spec_validator.validation.exceptions import ValidatorDetectError

    validator = OpenAPIV2SpecValidator(dict(spec.document))
    try:
        error = next(iter(validator.iter_errors()), None)
    except (ValidatorDetectError, RecursionError, ValueError, LookupError) as failure:
        raise SpecError(
            f"cannot be validated: {failure}", where=spec.origin
        ) from failure
    if error is not None:
        pointer = json_pointer(map(str, getattr(error, "absolute_path", ())))
        raise SpecError(
            f"is not valid OpenAPI 2.0: {_first_line(error.message)}",
            where=f"{spec.origin}#{pointer}",
        )


def _is_known(sha256: str) -> bool:
    listed = any(row.sha256 == sha256 for row in releases.listed().values())
    return listed or _mark(sha256).exists()


def _remember(sha256: str) -> None:
    # A cache folder that cannot be written costs time, not correctness.
    with contextlib.suppress(OSError):
        mark = _mark(sha256)
        mark.parent.mkdir(parents=True, exist_ok=True)
        mark.touch()


def _mark(sha256: str) -> Path:
    from platformdirs import user_cache_path

    return user_cache_path("kubestencil") / "valid" / sha256


def _first_line(message: str) -> str:
    line = message.partition("\n")[0]
    return line if len(line) <= 200 else f"{line[:197]}..."
