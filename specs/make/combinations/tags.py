"""Rules between fields that the Go types of k8s.io/api declare: the declarative validation
tags of unions, dependent fields and modes.

They are candidates only: a tag may be declared before a server enforces it.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping

from kubestencil.schema.knowledge.conditions import Combination
from kubestencil.source.releases import ReleaseRange
from specs.make.checkouts import Checkout
from specs.make.go_types import GoStruct, api_packages, json_fields

_STAGE = re.compile(r"\+k8s:(?:alpha|beta)\([^)]*\)=")
_TAG = re.compile(r'\+k8s:(\w+)(?:\("?([^")]*)"?\))?')
_UNIONS = {"unionMember": "exactly-one-of", "zeroOrOneOfMember": "at-most-one-of"}
_DEPENDENT = {"dependentRequired": "needs", "dependentForbidden": "forbids"}

_Rule = tuple[tuple[str, ...], str, tuple[str, ...]]


def declared_rules(checkout: Checkout) -> Iterator[Combination]:
    """The rules of a release in all API versions."""
    releases = ReleaseRange(checkout.release)
    for package in api_packages(checkout):
        for struct in package.structs.values():
            for rule in _rules(struct, package.structs):
                yield Combination(releases, f"{package.name}.{struct.name}", *rule)


def _rules(struct: GoStruct, structs: Mapping[str, GoStruct]) -> Iterator[_Rule]:
    unions: dict[str, list[str]] = defaultdict(list)
    modes: list[tuple[str, str]] = []
    discriminator = ""
    for field in json_fields(struct, structs):
        name = field.json_name
        for tag in field.tags:
            # A tag of items (+k8s:item) is about other objects.
            match = _TAG.match(_STAGE.sub("", tag))
            kind, argument = (match[1], match[2] or "") if match else ("", "")
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
