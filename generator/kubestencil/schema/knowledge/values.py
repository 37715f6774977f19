"""The formats of texts that limits name (``specs/formats.tsv``): names, keys, addresses,
paths. An empty text is no matter of a format, but of ``min_length``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from ipaddress import ip_address, ip_interface
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

from kubestencil.schema.knowledge.coverage import next_looked_at
from kubestencil.schema.knowledge.tables import ranged_cells, rows
from kubestencil.schema.types import GroupVersionKind, group_version_kind
from kubestencil.source.releases import ReleaseRange

_PART = re.compile(r"\{([a-z][-a-z0-9]*)\}")


class TextFormat(NamedTuple):
    """A format, as a row of ``specs/formats.tsv`` describes it.

    ``expression`` is a regular expression of its whole texts, limits of their length
    aside, in the syntax that ECMA 262, RE2 and Python share; empty where there is none.
    ``within`` names a format that accepts all its texts, and more.
    ``meaning`` is for people, without ``longest``; ``example`` a text of the format.
    """

    name: str
    expression: str
    longest: str
    check: str
    example: str
    within: str
    meaning: str

    def is_within(self, other: str) -> bool:
        """Whether another format accepts all texts of this one, and more."""
        wider = FORMATS[self.within] if self.within else None
        return wider is not None and (wider.name == other or wider.is_within(other))

    @property
    def in_words(self) -> str:
        """What texts of the format are, with their longest length."""
        most = f", up to {self.longest} characters" if self.longest else ""
        return f"{self.meaning}{most}"

    def accepts(self, text: str) -> bool:
        """Whether a text, which is not empty, has the format."""
        if self.longest and len(text) > int(self.longest):
            return False
        if self.name in _ADDRESSES:
            return _ADDRESSES[self.name](text)
        expression = self.check or self.expression
        return re.fullmatch(expression, text, re.ASCII) is not None


def _expanded(expression: str) -> str:
    """An expression with those of the formats that it names."""
    return _PART.sub(lambda part: _expanded(_ROWS[part[1]].expression), expression)


def _is_address(text: str) -> bool:
    # Zeros before a number are read as decimal (k8s.io/utils/net, ParseIPSloppy).
    plain = re.sub(r"(?<![0-9A-Fa-f:])0+(?=\d)", "", text) if "." in text else text
    try:
        ip_address(plain)
    except ValueError:
        return False
    return "%" not in text


def _is_cidr(text: str) -> bool:
    address, _, bits = text.partition("/")
    if not _is_address(address) or not re.fullmatch(r"[0-9]{1,3}", bits):
        return False
    return int(bits) <= (128 if ":" in address else 32)


def _is_strict_address(text: str) -> bool:
    """Whether all programs read an address alike: no zeros before a number, and none of
    IPv4 in the form of one of IPv6 (IsValidIPForLegacyField)."""
    try:
        address = ip_address(text)
    except ValueError:
        return False
    return "%" not in text and getattr(address, "ipv4_mapped", None) is None


def _is_canonical_address(text: str) -> bool:
    """Whether an address is in the form of RFC 5952 (IsValidIP)."""
    return _is_strict_address(text) and str(ip_address(text)) == text


def _is_strict_cidr(text: str) -> bool:
    """The same of a range, which has no bits beyond its length."""
    address, _, bits = text.partition("/")
    if not (_is_strict_address(address) and _is_cidr(text)) or bits != str(int(bits)):
        return False
    return ip_interface(text).network.network_address == ip_address(address)


#: The formats that no expression describes.
_ADDRESSES: Mapping[str, Callable[[str], bool]] = {
    "ip": _is_address,
    "cidr": _is_cidr,
    "strict-ip": _is_strict_address,
    "canonical-ip": _is_canonical_address,
    "strict-cidr": _is_strict_cidr,
    "padded-cidr": lambda text: _is_cidr(text.strip()),
    "padded-strict-cidr": lambda text: _is_strict_cidr(text.strip()),
}


_ROWS = {row.name: row for row in rows("formats", TextFormat)}
#: Formats by name.
FORMATS: Mapping[str, TextFormat] = {
    name: row._replace(expression=_expanded(row.expression), check=_expanded(row.check))
    for name, row in _ROWS.items()
}


#: Where a fact is from: the OpenAPI document, answers of the API server, or, for an
#: enum, only a type of Go.
Origin = Literal["document", "server", "type"]
#: How a row of these tables was found: answers of the API server's code name it, or it
#: is a marked type of Go.
FoundBy = Literal["asked", "marker"]


class Default(NamedTuple):
    """A value that the server fills in.

    ``condition`` says when, empty for always: terms (``facts.conditions``) that all hold,
    separated by spaces, each about a field beside this one.
    """

    value: Any
    condition: str = ""


# A tuple, since a release has thousands.
class FieldFacts(NamedTuple):
    """What is known of the values of a field.

    ``enum`` are the allowed values, empty where all are. ``defaults`` has one entry
    without a condition, or several with one. Limits are included in what is allowed.
    ``format`` names one of ``FORMATS``, ``key_format`` that of the keys of a
    map. ``required`` is false for what a document lists and the server does not need.
    ``unique`` are the fields that identify an item of a list, ``("",)`` where the items
    themselves do. ``origin`` says where each fact is from, by the names of these
    attributes: ``document``, ``server``, or ``type`` for an enum of a Go type, which
    says what a value can be, but not that others are refused.
    """

    enum: tuple[str, ...] = ()
    defaults: tuple[Default, ...] = ()
    minimum: int | None = None
    maximum: int | None = None
    min_length: int | None = None
    max_length: int | None = None
    max_items: int | None = None
    format: str | None = None
    key_format: str | None = None
    required: bool | None = None
    unique: tuple[str, ...] = ()
    origin: Mapping[str, Origin] = MappingProxyType({})

    @property
    def default(self) -> Default | None:
        """The value that is always filled in; None where there is none, or where it
        depends on something."""
        always = (default for default in self.defaults if not default.condition)
        return next(always, None)

    @property
    def enforced(self) -> FieldFacts:
        """What the API server refuses other values for. A type of Go alone says what a
        value can be, but not that others are refused."""
        is_type = self.origin.get("enum") == "type"
        return self._replace(enum=()) if is_type else self

    @property
    def pattern(self) -> str | None:
        """The regular expression of the whole texts of ``format``, in the syntax that
        ECMA 262, RE2 and Python share; none where there is none."""
        return FORMATS[self.format].expression or None if self.format else None


NO_FACTS = FieldFacts()


class FactRow(NamedTuple):
    """A row of a table: ``name`` is an attribute of FieldFacts, ``value`` its value, or one
    of its defaults. ``context`` is a kind and a path in it, empty for everywhere."""

    releases: ReleaseRange
    definition: str
    field: str
    context: str
    name: str
    value: Any
    found: str


@dataclass(frozen=True, slots=True)
class ServerFacts:
    """The facts of the tables about one release.

    ``in_kinds`` has what holds at one place of a kind only, by kind and path
    (``spec.template.spec.restartPolicy``, without the indexes of lists), ``by_kind`` the
    same by definition and field.
    """

    fields: Mapping[tuple[str, str], FieldFacts]
    in_kinds: Mapping[GroupVersionKind, Mapping[str, FieldFacts]]
    by_kind: Mapping[tuple[str, str], Mapping[GroupVersionKind, FieldFacts]]

    def of(self, definition: str, field: str) -> FieldFacts:
        """The facts of a field wherever its definition occurs."""
        return self.fields.get((definition, field), NO_FACTS)


@cache
def server_facts(release: str) -> ServerFacts:
    """The facts of a release; names that are no versions have those of the newest."""
    return _server_facts(fact_rows(), release)


# The table of an attribute of FieldFacts; the others are those of ``limits``.
_TABLES = {"enum": "enums", "defaults": "defaults"}


def proven_facts(release: str, found: FoundBy) -> Mapping[tuple[str, str], FieldFacts]:
    """The facts by definition and field that were found in a certain way, and that are
    known to hold in a release itself.

    These are all facts of a release that was asked. Between two of them it is what holds
    in both, and for newer releases nothing.
    """
    return _proven(release, found).fields


def proven_facts_in_kinds(
    release: str,
) -> Mapping[GroupVersionKind, Mapping[str, FieldFacts]]:
    """The facts by kind and path that hold there only, and that a release itself was asked
    about."""
    return _proven(release, "asked").in_kinds


@cache
def _proven(release: str, found: FoundBy) -> ServerFacts:
    rows = (
        row
        for row in fact_rows()
        if row.found == found
        and (asked := next_looked_at(_TABLES.get(row.name, "limits"), release))
        and row.releases.includes(asked)
    )
    return _server_facts(rows, release)


def _server_facts(rows: Iterable[FactRow], release: str) -> ServerFacts:
    found: dict[tuple[str, str, str], dict[str, Any]] = {}
    for row in rows:
        if not row.releases.includes(release):
            continue
        _, definition, field_name, context, name, value, by = row
        facts = found.setdefault((definition, field_name, context), {"origin": {}})
        if name == "defaults":
            value = (*facts.get(name, ()), value)
        facts[name] = value
        facts["origin"][name] = "type" if by == "marker" else "server"
    fields: dict[tuple[str, str], FieldFacts] = {}
    in_kinds: dict[GroupVersionKind, dict[str, FieldFacts]] = {}
    by_kind: dict[tuple[str, str], dict[GroupVersionKind, FieldFacts]] = {}
    for (definition, field_name, context), attributes in found.items():
        known = FieldFacts(**attributes)
        if context:
            kind, path = _context(context)
            in_kinds.setdefault(kind, {})[path] = known
            by_kind.setdefault((definition, field_name), {})[kind] = known
        else:
            fields[definition, field_name] = known
    return ServerFacts(fields, MappingProxyType(in_kinds), MappingProxyType(by_kind))


@cache
def fact_rows() -> tuple[FactRow, ...]:
    """The rows of all tables."""
    return tuple(
        FactRow(
            releases,
            definition,
            name,
            context,
            *_fact(table, *rest),
            found,
        )
        for table, keys in (("enums", 3), ("defaults", 4), ("limits", 4))
        for releases, (definition, name, context, *rest, found) in ranged_cells(
            table, keys
        )
    )


def _fact(table: str, *cells: str) -> tuple[str, Any]:
    """An attribute of FieldFacts and its value, of the cells that say what holds. An
    empty text is written as two quotation marks, a space as %20."""
    rule, value = cells[0], cells[-1]
    if table == "defaults":
        return table, Default(json.loads(value), rule)
    if table == "enums" or rule == "unique":
        texts = (text.replace("%20", " ") for text in value.split())
        words = ("" if text == '""' else text for text in texts)
        return rule if rule == "unique" else "enum", tuple(words)
    if rule in ("format", "key_format"):
        return rule, value
    return rule, value == "true" if rule == "required" else int(value)


def _context(text: str) -> tuple[GroupVersionKind, str]:
    """The kind and the path of ``apps/v1/Deployment:spec.strategy.type``."""
    name, _, path = text.partition(":")
    api_version, _, kind = name.rpartition("/")
    return group_version_kind(api_version, kind), path
