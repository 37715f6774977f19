"""How models become JSON values: unknown fields beside the others, times as texts."""

from datetime import datetime
from typing import Any

import msgspec

from ._types import UNKNOWN_KEY, UnknownFields


def json_text(model: Any) -> str:
    """A model as a JSON text in one line."""
    try:
        return _ENCODER.encode(model).decode()
    except _HasUnknownFields:
        return msgspec.json.encode(plain(model)).decode()


def plain(value: Any) -> Any:
    """A model, or a container of models, as JSON values."""
    try:
        return msgspec.to_builtins(value, enc_hook=_encode)
    except _HasUnknownFields:
        return _merge_unknown(msgspec.to_builtins(value, enc_hook=_encode_all))


def _merge_unknown(value: Any) -> Any:
    """JSON values in which unknown_fields are fields of the object that has them."""
    if isinstance(value, list):
        return [_merge_unknown(item) for item in value]
    if not isinstance(value, dict):
        return value
    unknown = value.pop(UNKNOWN_KEY, {})
    merged = {key: _merge_unknown(item) for key, item in value.items()}
    for key, item in unknown.items():
        merged.setdefault(key, _merge_unknown(item))
    return merged


class _HasUnknownFields(Exception):
    """A value has unknown fields, which are written in another way: most have none."""


def _encode(value: Any) -> Any:
    """Write what msgspec leaves to us: subclasses of the types that it knows."""
    if isinstance(value, datetime):
        text = getattr(value, "text", None)  # of a time that is written as it was read
        return text or value.isoformat().replace("+00:00", "Z")
    if isinstance(value, UnknownFields):
        raise _HasUnknownFields
    for known in (str, int, float):
        if isinstance(value, known):
            return known(value)
    # A model of the official client, which kopf may have put in a model.
    if hasattr(value, "openapi_types") and hasattr(value, "attribute_map"):
        names = value.attribute_map.items()
        values = ((json_name, getattr(value, name)) for name, json_name in names)
        return {name: item for name, item in values if item is not None}
    raise TypeError(f"{type(value).__name__} is nothing that JSON can hold")


def _encode_all(value: Any) -> Any:
    return dict(value) if isinstance(value, UnknownFields) else _encode(value)


_ENCODER = msgspec.json.Encoder(enc_hook=_encode)
