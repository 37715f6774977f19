"""A document that was found, and how its bytes become JSON values."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from kubestencil.errors import SpecError

# A document is read whole into memory; upstream's largest is under 4 MB.
MAX_BYTES = 64 * 1024 * 1024

# The escapes \ud800 to \udfff: characters in pairs, and none alone.
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


@dataclass(frozen=True)
class Source:
    """The bytes of one spec.

    ``release`` is what it is printed as, ``origin`` where the bytes are from in
    words that a person can follow (a path, an address, a package with its
    version), and ``undo`` what turns the parsed bytes into upstream's document,
    for a source that carries a converted one.
    """

    release: str
    origin: str
    data: bytes
    undo: Callable[[Any], Any] | None = None

    @cached_property
    def sha256(self) -> str:
        """The digest of the bytes as they were found, in lower-case hex."""
        return hashlib.sha256(self.data).hexdigest()

    def document(self) -> Mapping[str, Any]:
        """The OpenAPI document.

        Raises SpecError where the bytes are neither JSON nor YAML, or hold
        something else than an object.
        """
        value = decode(self.data, self.origin)
        return self.undo(value) if self.undo else value


def decode(data: bytes, where: str) -> Mapping[str, Any]:
    """The JSON or YAML object that ``data`` holds; ``where`` is named in errors."""
    text = _text(data, where)
    value = _json(text, where) if text.lstrip()[:1] in "{[" else _yaml(text, where)
    if _SURROGATE.search(text):
        _check_unicode(value, where)
    if not isinstance(value, dict):
        raise SpecError(
            f"holds {_kind(value)}, not an OpenAPI document",
            where=where,
            hint="give the swagger.json of a Kubernetes release, or a cluster's /openapi/v2",
        )
    return value


def _text(data: bytes, where: str) -> str:
    if not data.strip():
        raise SpecError("is empty", where=where)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise SpecError(
            f"is not UTF-8 text (byte {error.start})", where=where
        ) from error


def _json(text: str, where: str) -> Any:
    try:
        return json.loads(text, parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        cut = error.pos >= len(text.rstrip()) or "Unterminated" in error.msg
        raise SpecError(
            "ends before its JSON does" if cut else f"is not JSON: {error.msg}",
            where=f"{where}:{error.lineno}:{error.colno}",
            hint="the file may be truncated: fetch it again" if cut else "",
        ) from error
    except (ValueError, RecursionError) as error:
        raise SpecError(f"is not JSON: {error}", where=where) from error


def _yaml(text: str, where: str) -> Any:
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        value = yaml.load(text, Loader=loader)
        # YAML's aliases can make a small text huge or circular, and its dates
        # and non-string keys are not JSON. The way through JSON settles all.
        return json.loads(json.dumps(value, check_circular=True, allow_nan=False))
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        place = f"{where}:{mark.line + 1}:{mark.column + 1}" if mark else where
        problem = getattr(error, "problem", None) or "cannot be read"
        raise SpecError(f"is neither JSON nor YAML: {problem}", where=place) from error
    except (TypeError, ValueError, RecursionError) as error:
        raise SpecError(f"is not JSON written as YAML: {error}", where=where) from error


def _check_unicode(value: Any, where: str) -> None:
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        around = error.object[max(0, error.start - 30) : error.start]
        raise SpecError(
            f"has half a surrogate pair, which is no character, after {around!a}",
            where=where,
        ) from error


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is not a JSON number")


def _kind(value: object) -> str:
    if value is None:
        return "nothing"
    if isinstance(value, list):
        return "a list"
    return "text" if isinstance(value, str) else f"a {type(value).__name__}"
