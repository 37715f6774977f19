"""Rules between fields that the Go types of k8s.io/api declare: the declarative validation
tags of unions, dependent fields and modes.

They are candidates only: a tag may be declared before a server enforces it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from kubestencil.schema.knowledge.conditions import Combination
from kubestencil.source.releases import ReleaseRange
from specs.make.checkouts import Checkout
from specs.make.go_types import GoField, api_packages, json_fields

_UNIONS = {"unionMember": "exactly-one-of", "zeroOrOneOfMember": "at-most-one-of"}
_DEPENDENT = {"dependentRequired": "needs", "dependentForbidden": "forbids"}

_Rule = tuple[tuple[str, ...], str, tuple[str, ...]]


def declared_rules(checkout: Checkout) -> Iterator[Combination]:
    """The rules of a release in all API versions."""
    releases = ReleaseRange(checkout.release)
    for package in api_packages(checkout):
        for name, fields in package.structs.items():
            for rule in _rules(json_fields(fields, package.structs)):
                yield Combination(releases, f"{package.prefix}{name}", *rule)


def _rules(fields: Iterable[GoField]) -> Iterator[_Rule]:
    unions: dict[str, list[str]] = defaultdict(list)
    modes: list[tuple[str, str]] = []
    discriminator = ""
    for field in fields:
        name = field.json_name
        # A tag of items (+k8s:item) is about other objects.
        for (kind, argument, _), *_ in field.tags:
            if kind in _UNIONS:
                unions[_UNIONS[kind]].append(name)
            elif kind in _DEPENDENT:
                yield (name,), _DEPENDENT[kind], (argument,)
            elif kind == "ifMode":
                modes.append((name, argument))
            elif kind == "modeDiscriminator":
                discriminator = name
    for kind, names in unions.items():
        yield (), kind, tuple(sorted(names))
    for name, mode in modes:
        yield (f"{discriminator}={mode}",), "needs", (name,)
        yield (f"{discriminator}!={mode}",), "forbids", (name,)
