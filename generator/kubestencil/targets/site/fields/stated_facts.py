"""Reads facts about fields that only their descriptions state: values, defaults, and
that a field is deprecated.

The rules take what cannot be misread, and leave out everything else: a list of values
ends with its sentence, and a default is the only one that is stated, without a condition
but that the field is not set. Every pattern takes linear time.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from kubestencil.diff.releases.descriptions import stated_replacement
from kubestencil.schema import Field, Schema
from kubestencil.schema.facts.values import NO_FACTS, FieldFacts
from kubestencil.schema.well_known import INT_OR_STRING, QUANTITY
from kubestencil.targets.model.deprecation import is_deprecated
from kubestencil.targets.site.fields.schema_labels import Attribute, unwrapped

_WORD = r"[A-Za-z0-9][A-Za-z0-9]*(?:[-/][A-Za-z0-9]+)*"
_VALUE = rf"(?:\"{_WORD}\"|`\"{_WORD}\"`|'{_WORD}'|`{_WORD}`|{_WORD})"
_SEPARATOR = r"(?:, (?:and |or )?| and | or )"
# "One of Always, Never, IfNotPresent.", "Valid options are A, B, and C."; not "Exactly
# one of A and B must be set".
_VALUES = re.compile(
    r"(?:(?:^|[.,:] |\n|\bto |\bcan be )[Oo]ne of:? "
    r"|\b(?:[Vv]alid|[Ss]upported|[Aa]llowed|[Pp]ossible) (?:values|options|operators)"
    r"(?: for this field)?(?: are)?:? )"
    rf"({_VALUE}(?:{_SEPARATOR}{_VALUE}){{1,30}})(?=\.(?:\s|$)|\s*$|\s*\n)"
)
_LIST = re.compile(
    r"\b(?:[Vv]alid|[Ss]upported|[Aa]llowed|[Pp]ossible) (?:enum )?(?:values|options)"
    r"(?: are)?:\s{1,9}(?=[-*] )|\bone of the following values:\s{1,9}(?=[-*] )"
)
_ITEM = re.compile(
    r"(?:^|(?<=\s))[-*] [`\"]{0,2}([A-Z][A-Za-z0-9]*)[`\"]{0,2}"
    r"(?: \((?:default|the default)\))?(?=:| means\b)"
)
_MAY_STATE_VALUES = re.compile("ne of|alid |upported |llowed |ossible ")
_WITHOUT_VALUE = (
    r"(?: (?:if|when) (?:it is |this is )?(?:unset|omitted|empty|nil|unspecified|"
    r"not (?:set|specified|provided|present|given)))?"
)
_DEFAULT = re.compile(
    r"(?:\b[Dd]efaults? to|\b[Tt]he default(?: value)? is|(?:^|[.(] ?)[Dd]efault(?: value)? is)"
    rf" (\"{_WORD}\"|'{_WORD}'|`{_WORD}`|true|false|-?\d{{1,12}}(?:s\b| ?(?:%|seconds?\b))?"
    r"|[A-Z][A-Za-z]{1,80}|(?:/[A-Za-z0-9_-]{1,80}){1,20})"
    rf"{_WITHOUT_VALUE}(?=[.)](?:\s|$)|\s*$|\s*\n)"
)
_DEFAULT_MENTION = re.compile(r"\b[Dd]efaults? (?:value )?(?:to|is|are|will be)\b")
_NUMBER = re.compile(r"-?\d+(?: ?%| seconds?)?\Z")
_SECONDS = re.compile(r"\d+s\Z")
_UNIT = re.compile(r"[ %a-z]+\Z")
_TRUTH_VALUES = frozenset({"true", "false"})
_MARKER = re.compile(r"(?:^|(?<=\s))[-*] (?=\S)")
# Reviewed lists that leave values out: v1.NodeAddressType has InternalDNS and ExternalDNS
# as well (k8s.io/api, core/v1/types.go).
_INCOMPLETE = frozenset({("Hostname", "ExternalIP", "InternalIP")})


def stated_attributes(
    field: Field, siblings: Iterable[str], facts: FieldFacts = NO_FACTS
) -> Iterator[Attribute]:
    """What the description of a field states, and neither its schema nor ``facts`` of
    the API server say; ``siblings`` are the names of the fields beside it."""
    description = field.schema.description
    containers, value = unwrapped(field.schema)
    if value.type == "string" and not value.enum and not facts.enum:
        values = stated_values(description)
        if values:
            yield Attribute("stated values", values)
    if not containers and not field.schema.has_default and not facts.defaults:
        default = stated_default(description)
        is_allowed = not facts.enum or default in facts.enum
        if default and is_allowed and _has_type(default, value):
            # What is written: 600 for the 600s of an integer.
            written = _UNIT.sub("", default) if value.type == "integer" else default
            yield Attribute("stated default", (written,))
    if is_deprecated(description):
        replacement = stated_replacement(description, siblings)
        yield Attribute("deprecated", (f"use {replacement}",) if replacement else ())


def _has_type(default: str, schema: Schema) -> bool:
    """Whether a stated default can be a value of a schema."""
    if schema.ref in (INT_OR_STRING, QUANTITY):
        return bool(_NUMBER.match(default))
    if schema.type == "boolean":
        # A boolean is false where it is absent: only the other default says something.
        return default == "true"
    is_number = bool(_NUMBER.match(default))
    if schema.type in ("integer", "number"):
        return is_number or bool(_SECONDS.match(default))
    return schema.type == "string" and not is_number and default not in _TRUTH_VALUES


def stated_values(description: str) -> tuple[str, ...]:
    """The allowed values that a description lists; empty where it lists none, or two
    different lists."""
    if not _MAY_STATE_VALUES.search(description):
        return ()
    lists = [_values(match[1]) for match in _VALUES.finditer(description)]
    opening = _LIST.search(description)
    if opening is not None:
        items = tuple(dict.fromkeys(_ITEM.findall(description, opening.end())))
        is_whole = len(items) == len(_MARKER.findall(description, opening.end()))
        lists += [items] if len(items) > 1 and is_whole else []
    return lists[0] if len(set(lists) - _INCOMPLETE) == len(set(lists)) == 1 else ()


def _values(text: str) -> tuple[str, ...]:
    return tuple(re.sub(r"[\"'`]", "", value) for value in re.split(_SEPARATOR, text))


def stated_default(description: str) -> str:
    """The default that a description states without a condition; empty without one, and
    where it states several."""
    if "efault" not in description:
        return ""
    values = [re.sub(r"[\"'`]", "", text) for text in _DEFAULT.findall(description)]
    is_only = len(values) == len(_DEFAULT_MENTION.findall(description))
    return values[0] if is_only and len(set(values)) == 1 else ""
