"""Documents: their bytes and origin, and how they are decoded from JSON or YAML."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from kubestencil.errors import SpecError

#: The size limit of a document, which is read into memory as a whole. The largest
#: one that Kubernetes publishes is under 4 MB.
MAX_BYTES = 64 * 1024 * 1024

# The escapes \ud800 to \udfff (surrogates): a character in pairs, invalid alone.
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file as it was read: its origin, for messages, and its bytes."""

    origin: str
    data: bytes


@dataclass(frozen=True, slots=True)
class CrdSet:
    """CustomResourceDefinitions that are added to a document.

    With ``alone``, the release has only these and what they refer to. ``unserved``
    includes the versions that are not served.
    """

    files: tuple[SourceFile, ...]
    alone: bool = False
    unserved: bool = False


@dataclass(frozen=True)
class Source:
    """The bytes of one document.

    ``release`` is the name of the release in the output. ``origin`` says where the
    bytes are from (a path, a URL, a package with its version), for messages.
    ``revert`` converts the decoded bytes back to the published document, for a source
    that has a converted one. ``crds`` are added to what the document describes.
    """

    release: str
    origin: str
    data: bytes
    revert: Callable[[Any], Any] | None = None
    crds: CrdSet | None = None

    @cached_property
    def sha256(self) -> str:
        """The digest of ``data`` and of the CRDs, as lower-case hex."""
        digest = hashlib.sha256(self.data)
        if self.crds is not None:
            digest.update(repr((self.crds.alone, self.crds.unserved)).encode())
            for file in self.crds.files:
                digest.update(hashlib.sha256(file.data).digest())
        return digest.hexdigest()

    def document(self) -> Mapping[str, Any]:
        """The OpenAPI document.

        Raises SpecError where the bytes are neither JSON nor YAML, or are not an
        object.
        """
        value = decode(self.data, self.origin)
        return self.revert(value) if self.revert else value


def decode(data: bytes, where: str) -> Mapping[str, Any]:
    """Decode ``data``, which is a JSON or YAML object.

    ``where`` is the origin for error messages. Raises SpecError for anything else.
    """
    if not data.strip():
        raise SpecError("is empty", where=where)
    text = decode_text(data, where)
    is_json = text.lstrip()[:1] in "{["
    value = _decode_json(text, where) if is_json else _decode_yaml(text, where)
    if _SURROGATE.search(text):
        _check_unicode(value, where)
    if not isinstance(value, dict):
        raise SpecError(
            f"is {_type_name(value)}, not an OpenAPI document",
            where=where,
            hint="give the swagger.json of a Kubernetes release, or a cluster's /openapi/v2",
        )
    return value


def decode_text(data: bytes, where: str) -> str:
    """Decode UTF-8, with or without a byte order mark; raises SpecError."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise SpecError(
            f"is not UTF-8 text (byte {error.start})", where=where
        ) from error


def _decode_json(text: str, where: str) -> Any:
    try:
        return json.loads(text, parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        truncated = error.pos >= len(text.rstrip()) or "Unterminated" in error.msg
        raise SpecError(
            (
                "is truncated: the JSON is not complete"
                if truncated
                else f"is not JSON: {error.msg}"
            ),
            where=f"{where}:{error.lineno}:{error.colno}",
            hint="fetch the document again" if truncated else "",
        ) from error
    except (ValueError, RecursionError) as error:
        raise SpecError(f"is not JSON: {error}", where=where) from error


def _decode_yaml(text: str, where: str) -> Any:
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        value = yaml.load(text, Loader=loader)
        # Conversion to JSON and back refuses what is only YAML: circular aliases,
        # dates, keys that are not strings.
        return json.loads(json.dumps(value, check_circular=True, allow_nan=False))
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        position = f"{where}:{mark.line + 1}:{mark.column + 1}" if mark else where
        problem = getattr(error, "problem", None) or "cannot be read"
        raise SpecError(
            f"is neither JSON nor YAML: {problem}", where=position
        ) from error
    except (TypeError, ValueError, RecursionError) as error:
        raise SpecError(
            f"is YAML with values that JSON does not have: {error}", where=where
        ) from error


def _check_unicode(value: Any, where: str) -> None:
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        preceding = error.object[max(0, error.start - 30) : error.start]
        raise SpecError(
            f"has an unpaired surrogate, which is not a character, after {preceding!a}",
            where=where,
        ) from error


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is not a JSON number")


def _type_name(value: object) -> str:
    if value is None:
        return "null"
    if isinstance(value, list):
        return "a list"
    return "text" if isinstance(value, str) else f"a {type(value).__name__}"
