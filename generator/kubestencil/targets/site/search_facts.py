"""What the search and the page that checks manifests know of fields and kinds: facts in
words, and those that a value can be compared with."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from kubestencil.schema import Definition, Release
from kubestencil.schema.knowledge.fields import KnownField, known_fields
from kubestencil.schema.knowledge.kinds import known_kind
from kubestencil.schema.knowledge.places import at_place, facts_in_kind, known_place
from kubestencil.schema.knowledge.values import FORMATS
from kubestencil.schema.knowledge.words import (
    Fact,
    Phrase,
    deprecation_in_words,
    facts_in_words,
    gate_in_words,
    kind_in_words,
    stated_in_words,
)
from kubestencil.schema.types import GroupVersionKind
from kubestencil.schema.well_known import OBJECT_META

# Deeper than what any kind of Kubernetes requires.
_MAX_DEPTH = 10
#: The required fields that a result lists.
_MAX_REQUIRED = 12
# Of required fields inside of these, which an object need not have, nothing is said.
_ALWAYS_THERE = "spec"


class Facts(NamedTuple):
    """What is known of a field: phrases by what they are about, and, by short names, what
    ``assets/check.js`` compares values with."""

    phrases: tuple[tuple[Fact, str], ...]
    limits: Mapping[str, Any]


def field_facts(known: KnownField, siblings: Collection[str], since: str) -> Facts:
    """What is known of a field; ``since`` is the release that added it, or empty."""
    phrases = [
        *facts_in_words(known.schema, known.facts),
        *stated_in_words(known),
        *deprecation_in_words(known, siblings),
    ]
    if known.gate is not None and known.gate.stage != "stable":
        phrases.append(gate_in_words(known.gate))
    if since:
        phrases.append(Phrase("added", "since", (since,)))
    return Facts(tuple(_texts(phrases)), _limits(known, phrases))


def facts_by_kind(
    known: KnownField, siblings: Collection[str], since: str
) -> Iterator[tuple[str, Facts]]:
    """The same in kinds in which something else holds, by the name of the kind. Of
    metadata, see :func:`facts_of_metadata`."""
    if known.definition == OBJECT_META:
        return
    for kind, facts in known.in_kinds.items():
        places = facts_in_kind(known.release, kind).items()
        path = next(path for path, others in places if others == facts)
        in_kind = at_place(known, kind, path.split("."))
        yield kind.kind, field_facts(in_kind, siblings, since)


def facts_of_metadata(
    release: Release, definition: Definition
) -> Iterator[tuple[str, Facts]]:
    """What holds only in the metadata of a kind's objects, and not in that of their parts,
    by the path of the field."""
    kind = definition.served_kind
    if kind is None:
        return
    for path in facts_in_kind(release.name, kind):
        names = path.split(".")
        if names[0] == "metadata":
            known = known_place(release, definition.name, kind, names)
            if known is not None:
                yield path, field_facts(known, (), "")


def kind_facts(release: Release, definition: Definition) -> Facts:
    """The lifecycle of a kind, and the fields that its objects need."""
    kind = definition.served_kind
    if kind is None:
        return Facts((), {})
    phrases = [*kind_in_words(known_kind(kind, release.name))]
    required = list(_required(release, definition, kind))
    if required:
        listed = ", ".join(required[:_MAX_REQUIRED])
        more = ", …" if len(required) > _MAX_REQUIRED else ""
        phrases.insert(0, Phrase("required", f"required: {listed}{more}"))
    deprecated = [text for fact, text in _texts(phrases) if fact == "deprecated"]
    return Facts(tuple(_texts(phrases)), {"old": deprecated[0]} if deprecated else {})


def _required(
    release: Release, definition: Definition, kind: GroupVersionKind
) -> Iterator[str]:
    """The paths of the fields that an object of a kind needs, but for those of all
    kinds."""
    level: list[tuple[str, tuple[str, ...]]] = [(definition.name, ())]
    for _ in range(_MAX_DEPTH):
        inner: list[tuple[str, tuple[str, ...]]] = []
        for name, prefix in level:
            for field in known_fields(release, name):
                path = (*prefix, field.name)
                known = at_place(field, kind, path)
                reference = field.schema.innermost().ref
                is_there = known.required or path == (_ALWAYS_THERE,)
                if not is_there or path in (("apiVersion",), ("kind",)):
                    continue
                if reference is not None and any(
                    other.required for other in known_fields(release, reference)
                ):
                    inner.append((reference, path))
                elif known.required and path != ("metadata",):
                    yield ".".join(path)
        level = inner


def _texts(phrases: Iterable[Phrase]) -> Iterator[tuple[Fact, str]]:
    for phrase in phrases:
        yield phrase.fact, _text(phrase)


def _text(phrase: Phrase) -> str:
    """A phrase with its detail: ``1 to 63 characters: lower-case letters``."""
    return ": ".join(filter(None, (phrase.short, phrase.detail)))


def _limits(known: KnownField, phrases: Iterable[Phrase]) -> Mapping[str, Any]:
    """What values are compared with: ``need`` is whether an object needs the field,
    ``only`` the values that are allowed, ``least`` and ``most`` are limits of numbers,
    ``long`` that of texts, ``format`` names one of ``formats``, and ``old`` says that it
    is deprecated."""
    facts, limits = known.facts.enforced, known.schema.innermost().limits
    minimum = limits.minimum if facts.minimum is None else facts.minimum
    maximum = limits.maximum if facts.maximum is None else facts.maximum
    longest = limits.max_length if facts.max_length is None else facts.max_length
    deprecated = [_text(phrase) for phrase in phrases if phrase.fact == "deprecated"]
    stated = {
        "need": 1 if known.required else None,
        "only": list(map(str, facts.enum)) or None,
        "least": minimum,
        "most": maximum,
        "long": longest,
        "format": facts.format if facts.pattern else None,
        "default": facts.default.value if facts.default else None,
        "old": deprecated[0] if deprecated else None,
    }
    return {name: value for name, value in stated.items() if value is not None}


def formats(used: Iterable[str]) -> Mapping[str, tuple[str, str]]:
    """The expression of the texts of each format, and their longest length."""
    return {name: (FORMATS[name].expression, FORMATS[name].longest) for name in used}
