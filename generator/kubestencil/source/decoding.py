"""Decodes bytes: text, JSON, and YAML as Kubernetes reads it."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping
from typing import Any

from kubestencil.errors import SpecError

# The escapes \ud800 to \udfff (surrogates): a character in pairs, invalid alone.
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")

# YAML 1.2, 5.2 "Character Encodings"; that of UTF-32 begins with that of UTF-16.
_BYTE_ORDER_MARKS = (
    (b"\xef\xbb\xbf", "utf-8"),
    (b"\xff\xfe\x00\x00", "utf-32-le"),
    (b"\x00\x00\xfe\xff", "utf-32-be"),
    (b"\xff\xfe", "utf-16-le"),
    (b"\xfe\xff", "utf-16-be"),
)

#: Makes an object of JSON from its keys and values; raises ValueError to refuse it.
MakeObject = Callable[[list[tuple[str, Any]]], Any]


def decode(data: bytes, where: str) -> Mapping[str, Any]:
    """Decode ``data``, which is a JSON or YAML object.

    ``where`` is the origin for error messages. Raises SpecError for anything else.
    """
    text = decode_text(data, where)
    is_json = text.lstrip()[:1] in ("{", "[")
    value = decode_json(text, where) if is_json else _decode_yaml(text, where)
    if not isinstance(value, dict):
        raise SpecError(
            f"is {_type_name(value)}, not an OpenAPI spec",
            where=where,
            hint="give the swagger.json of a Kubernetes release, or a cluster's /openapi/v2",
        )
    return value


def decode_text(data: bytes, where: str) -> str:
    """Decode text; raises SpecError for what is not."""
    try:
        return decode_characters(data)
    except UnicodeDecodeError as error:
        raise SpecError(
            f"is not UTF-8 text (byte {error.start})", where=where
        ) from error


def decode_characters(data: bytes) -> str:
    """Decode UTF-8, or what a byte order mark says: PowerShell writes UTF-16.

    Raises UnicodeDecodeError.
    """
    for mark, encoding in _BYTE_ORDER_MARKS:
        if data.startswith(mark):
            return data[len(mark) :].decode(encoding)
    return data.decode("utf-8")


def decode_json(text: str, where: str, make_object: MakeObject | None = None) -> Any:
    """Decode JSON; raises SpecError, with the position, for anything else.

    ``make_object`` makes the objects; by default, the last of duplicate keys counts.
    """
    try:
        value = json.loads(
            text,
            parse_float=_finite_number,
            parse_constant=refuse_constant,
            object_pairs_hook=make_object,
        )
    except json.JSONDecodeError as error:
        truncated = error.pos >= len(text.rstrip()) or "Unterminated" in error.msg
        raise SpecError(
            (
                "is truncated: the JSON is not complete"
                if truncated
                else f"is not JSON: {error.msg}"
            ),
            where=f"{where}:{error.lineno}:{error.colno}",
            hint="fetch the spec again" if truncated else "",
        ) from error
    except (ValueError, RecursionError) as error:
        raise SpecError(f"is not JSON: {error}", where=where) from error
    _check_unicode(text, value, where)
    return value


def _decode_yaml(text: str, where: str) -> Any:
    # Imported here, since most documents are JSON.
    from kubestencil.source.yaml import documents

    values = [document.value for document in documents(text, where)]
    if not values:
        raise SpecError("is empty", where=where)
    if len(values) > 1:
        raise SpecError(f"has {len(values)} YAML documents, not one", where=where)
    return values[0]


def _check_unicode(text: str, value: Any, where: str) -> None:
    if not _SURROGATE.search(text):
        return
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        preceding = error.object[max(0, error.start - 30) : error.start]
        raise SpecError(
            f"has an unpaired surrogate, which is not a character, after {preceding!a}",
            where=where,
        ) from error


def refuse_constant(name: str) -> Any:
    """Refuse NaN and Infinity, which Python reads as JSON; raises ValueError."""
    raise ValueError(f"{name} is not a JSON number")


def _finite_number(text: str) -> float:
    """A number with a fraction or an exponent; raises ValueError where it is larger than
    those of 64 bits, for which Python has Infinity."""
    number = float(text)
    if math.isinf(number):
        raise ValueError(f"{text:.40} is larger than a number of 64 bits")
    return number


def _type_name(value: object) -> str:
    if value is None:
        return "null"
    if isinstance(value, list):
        return "a list"
    return "text" if isinstance(value, str) else f"a {type(value).__name__}"


def list_items(value: object) -> list[Any] | None:
    """The items of a list, such as ``kubectl get -o yaml`` prints; None of a value that is
    no list.

    The API server does not repeat apiVersion and kind in the items of a list of one
    kind; they are added.
    """
    if not isinstance(value, Mapping):
        return None
    kind, items = value.get("kind"), value.get("items")
    if not (
        isinstance(kind, str) and kind.endswith("List") and isinstance(items, list)
    ):
        return None
    implied = {"apiVersion": value.get("apiVersion"), "kind": kind.removesuffix("List")}
    return [
        (
            {**implied, **item}
            if implied["kind"] and isinstance(item, Mapping) and "kind" not in item
            else item
        )
        for item in items
    ]
