"""Names of the types, fields and variants of custom kinds, as kopium gives them.

kopium (https://github.com/kube-rs/kopium) generates Rust types for a
CustomResourceDefinition; its ``analyzer.rs`` and ``output.rs`` have these rules. Words
are those of the crate heck, which differ from k8s-openapi's: the field ``clusterIPs``
is ``cluster_i_ps``. Names that kopium refuses become identifiers, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache
from typing import NamedTuple

from kubestencil.targets.languages.rust import spelling
from kubestencil.text.unique_names import free_name, free_names

# heck 0.5, transform(): capitals are one word up to one that a lower-case letter
# follows; digits belong to the word before them.
_WORD = re.compile(
    r"(?=[A-Za-z0-9])" r"[0-9]*(?:[A-Z](?:[0-9]|[A-Z](?![a-z]))*)?(?:[a-z][a-z0-9]*)?"
)
# What is in upper camel case already.
_CAMEL_CASE = re.compile(r"(?:[A-Z][a-z][a-z0-9]*)+")
# Keywords that are no raw identifiers either (``r#self`` is an error).
_NEVER_RAW = frozenset(["self", "Self", "super", "crate"])
# The names of what heck has no words for.
_FIELD_NAMES = {"-": "kopium_dash", "_": "kopium_underscore"}
_VARIANT_NAMES = {"": "KopiumEmpty", "-": "KopiumDash", "_": "KopiumUnderscore"}
_OTHER_VARIANT = "Other"
_NAMELESS = "KopiumVariant"
_SPEC = "Spec"


class Variants(NamedTuple):
    """The variants of an enum of strings: their ``names`` by value, and the name of the
    one for any ``other`` value, which kopium's enums do not have."""

    names: Mapping[str, str]
    other: str


@cache
def camel_case(name: str) -> str:
    """``name`` in upper camel case: ``HttpRoute`` for ``HTTPRoute``."""
    if _CAMEL_CASE.fullmatch(name):
        return name
    return "".join(map(str.capitalize, _WORD.findall(name)))


@cache
def snake_case(name: str) -> str:
    """``name`` in snake case: ``open_apiv3_schema`` for ``openAPIV3Schema``."""
    return "_".join(_WORD.findall(name)).lower()


def type_name(stack: str, kind: str) -> str:
    """The name of a type, from the names of its kind and of the fields that lead to it.

    It has no ``Spec``, except that of the spec itself: ``CertificateIssuerRef`` for
    ``CertificateSpecIssuerRef``.
    """
    spec = f"{kind}{_SPEC}"
    name = stack if stack == spec else stack.replace(spec, kind)
    return spelling.type_name(name)


def variants(values: Iterable[str | None]) -> Variants:
    """The variants of an enum of ``values``, of which null is none."""
    spelled = {value: _variant_name(value) for value in values if value is not None}
    names = free_names(spelled, separator="")
    other = free_name(_OTHER_VARIANT, names.values(), _OTHER_VARIANT, separator="")
    return Variants(names, other)


@cache
def field_name(name: str) -> str:
    """The name of the field of a struct, from its JSON name."""
    special = _FIELD_NAMES.get(name)
    return special or _raw_identifier(snake_case(name)) or spelling.field_name(name)


def _variant_name(value: str) -> str:
    special = _VARIANT_NAMES.get(value) or _raw_identifier(camel_case(value))
    # kopium counts the values.
    return special or free_name(_NAMELESS, [_NAMELESS], value, separator="")


def _raw_identifier(name: str) -> str:
    """``name`` as an identifier, a raw one (``r#type``) where it is a keyword; empty
    where ``name`` is."""
    if name in _NEVER_RAW or name[:1].isdigit():
        return f"_{name}"
    return f"r#{name}" if name in spelling.KEYWORDS else name
