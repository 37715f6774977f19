"""What a template gets for a name that does not exist: an error that lists what does.

The hint is a part of the message, since Jinja2 raises it with nothing but a message;
``HINT`` separates the two.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import jinja2
from jinja2.utils import missing

from kubestencil.engine.members import member_names
from kubestencil.errors import nearest

#: What separates the message of an UndefinedError from its hint.
HINT = "\n  "
_NONE_HINT = (
    "what the attribute is read from can be none: test it first, with {% if … %}"
)


class ExplainedUndefined(jinja2.StrictUndefined):
    """An undefined value that names the attributes that its object has."""

    __slots__ = ()

    @property
    def _undefined_message(self) -> str:
        value, name = self._undefined_obj, self._undefined_name
        if self._undefined_hint or value is missing or not isinstance(name, str):
            return super()._undefined_message
        if value is None:
            return f"none has no attribute {name!r}{HINT}{_NONE_HINT}"
        if isinstance(value, Mapping):
            message = f"the mapping has no key {name!r}"
        else:
            message = f"{type(value).__name__} has no attribute {name!r}"
        hint = nearest(name, _attributes(value))
        return f"{message}{HINT}{hint}" if hint else message


def _attributes(value: Any) -> list[str]:
    if isinstance(value, Mapping):
        return [key for key in value if isinstance(key, str)]
    return member_names(type(value))
