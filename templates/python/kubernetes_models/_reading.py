"""How msgspec reads models from JSON, and its type information of them."""

import gc
import os
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from functools import cache
from threading import RLock
from typing import Any, get_args, get_type_hints

import msgspec

from ._times import to_micro_time
from ._types import OfficialModel, UnknownFields

# Shorter texts are read before a collection is due.
_LONG_TEXT = 1 << 16

#: Held while msgspec makes the type information of a class and of all classes in it:
#: another thread that reads with a part of it crashes. No module may be imported
#: meanwhile: a thread that imports one waits for this lock.
BUILDING = RLock()
if hasattr(os, "register_at_fork"):
    # Otherwise a child can begin with a lock that nobody releases, and with a part.
    os.register_at_fork(
        before=BUILDING.acquire,
        after_in_parent=BUILDING.release,
        after_in_child=BUILDING.release,
    )


@cache
def decoder(model: Any) -> msgspec.json.Decoder[Any]:
    """What reads a model, or a list of models, from JSON."""
    return make_decoder(model, decode)


def make_decoder(
    kind: Any, hook: Callable[[Any, Any], Any]
) -> msgspec.json.Decoder[Any]:
    """A decoder of msgspec, made while no other thread makes one."""
    _import_named(kind, set())
    with BUILDING:
        decoder: msgspec.json.Decoder[Any] = msgspec.json.Decoder(kind, dec_hook=hook)
    return decoder


def _import_named(kind: Any, seen: set[Any]) -> None:
    """Import what annotations name in quotes in classes of users, and in their parts."""
    for argument in get_args(kind):
        _import_named(argument, seen)
    is_model = (
        isinstance(kind, type) and issubclass(kind, OfficialModel) and kind not in seen
    )
    if is_model and not kind.__module__.startswith(f"{__package__}."):
        seen.add(kind)
        with suppress(Exception):  # msgspec says what is wrong.
            for hint in get_type_hints(kind).values():
                _import_named(hint, seen)


def build(*models: Any) -> None:
    """Have msgspec make the type information of classes, which is done once.

    Modules do it for their classes, which threads can then read with msgspec's own
    functions, too; ``from_dict`` does it for classes of users.
    """
    for model in models:
        decoder(model)
        type.__setattr__(model, "_is_built", True)


def read_text(reader: msgspec.json.Decoder[Any], data: str | bytes) -> Any:
    """What a decoder makes of a text, without garbage collection if the text is long.

    JSON has no cycles: collections while it is read look at all that was read before
    and free nothing, which is two thirds of the time of a list of 10,000 Pods.
    """
    if len(data) < _LONG_TEXT or not gc.isenabled():
        return reader.decode(data)
    gc.disable()
    try:
        return reader.decode(data)
    finally:
        gc.enable()


def decode(_: type, value: Any) -> Any:
    """Read the types that msgspec does not know."""
    if isinstance(value, UnknownFields):
        return value
    if isinstance(value, str | datetime):
        return to_micro_time(value)
    raise ValueError("expected a time")
