"""The rules about the fields of an object that the schema of a custom resource states, in the
form of those that are known of built-in types: ``oneOf`` of required fields, and rules in
CEL of usual forms. What has another form is left out."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from kubestencil.schema.knowledge.conditions import Combination
from kubestencil.schema.types import Schema
from kubestencil.source.releases import ReleaseRange

_Row = tuple[tuple[str, ...], str, tuple[str, ...]]

_HAS = r"has\(self\.(\w+)\)"
_IS = r"self\.(\w+) (==|!=) '([^']*)'"
_NAMES = re.compile(_HAS)
_SPACE = re.compile(r"\s+")
_COUNTED = re.compile(
    r"(?:\[(?:HAS, ?)*HAS\]\.(?:filter\(\w+, ?\w+(?: ?== ?true)?\)\.size\(\)|exists_one\(\w+, ?\w+\))"
    r"|(?:\(?HAS ?\? ?1 ?: ?0\)? ?\+? ?)+)".replace("HAS", r"has\(self\.\w+\)")
    + r" ?(<= 1|== 1|>= 1)?\Z"
)
# ``has(self.a) && size(self.a) > 0`` says the same of an example, whose lists have items.
_FILLED = re.compile(
    r"has\(self\.(\w+)\) && (?:size\(self\.\1\) > 0|self\.\1\.size\(\) > 0|self\.\1 != '')"
)
_BRACES = re.compile(r"\((has\(self\.\w+\))\)")
_EITHER = re.compile(rf"{_HAS}(?: \|\| {_HAS})+\Z")
_NOT_BOTH = re.compile(rf"!\({_HAS} && {_HAS}\)\Z|!{_HAS} \|\| !{_HAS}\Z")
_NEEDS = re.compile(rf"!{_HAS} \|\| {_HAS}\Z|{_HAS} \? {_HAS} : true\Z")
_ONE = re.compile(rf"{_HAS}\Z")
# A field that is read without asking whether it is there.
_READ = re.compile(r"self\.(\w+)\b(?!\()")
_GUARDED = ("has(", "?", "||", "oldSelf", ".all(", ".exists(", "[")
_DIFFERENT = re.compile(rf"{_HAS} != {_HAS}\Z")
_NOT_WITHOUT = re.compile(rf"!\(!{_HAS} && {_IS}\)\Z")
_NOT_WITH = re.compile(rf"!\({_HAS} && {_IS}\)\Z")
_WHERE_ANY = re.compile(rf"[^?]*&&[^?]* \? {_HAS} : true\Z")
_WHERE = re.compile(rf"{_IS} \? {_HAS}(?: : (!{_HAS}|true))?\Z")


def stated_rules(definition: str, schema: Schema) -> tuple[Combination, ...]:
    """The rules of a definition with a schema."""
    found: list[_Row] = [*_choices(schema)]
    for rule in schema.validations:
        text = _SPACE.sub(" ", rule.expression.replace('"', "'")).strip()
        text = _BRACES.sub(r"\1", _FILLED.sub(r"has(self.\1)", text))
        while text.startswith("(") and text.endswith(")") and _is_one_group(text):
            text = text[1:-1].strip()
        for read in _READERS:
            found += read(text)
    anytime = ReleaseRange("1.0")
    return tuple(Combination(anytime, definition, *row, "stated") for row in found)


def _choices(schema: Schema) -> Iterator[_Row]:
    """``oneOf`` and ``anyOf`` whose branches require fields; a branch that requires none of
    them allows that there is none. An object may have one property only."""
    if schema.limits.max_properties == 1:
        yield (), "at-most-one-of", tuple(schema.field_names)
    for branches, rule in ((schema.one_of, "one"), (schema.any_of, "least")):
        names = [name for branch in branches for name in branch.required]
        is_plain = all(len(branch.required) == 1 for branch in branches)
        others = [branch for branch in branches if not branch.required]
        if len(names) < 2:
            continue
        if rule == "one" and is_plain:
            yield (), "exactly-one-of", tuple(dict.fromkeys(names))
        elif rule == "one" and len(others) == 1 and others[0].negated is not None:
            yield (), "at-most-one-of", tuple(dict.fromkeys(names))
        elif rule == "least" and is_plain:
            yield (), "at-least-one-of", tuple(dict.fromkeys(names))
    for inner in schema.all_of:
        yield from _choices(inner)


def _counted(text: str) -> Iterator[_Row]:
    match = _COUNTED.match(text)
    names = tuple(_NAMES.findall(text))
    if match and len(names) > 1:
        rules = {"<= 1": "at-most-one-of", ">= 1": "at-least-one-of"}
        yield (), rules.get(match[1], "exactly-one-of"), names


def _pairs(text: str) -> Iterator[_Row]:
    names = tuple(_NAMES.findall(text))
    if _EITHER.match(text):
        yield (), "at-least-one-of", names
    elif _NOT_BOTH.match(text):
        yield (), "at-most-one-of", names
    elif _ONE.match(text):
        yield (), "needs", names
    elif _DIFFERENT.match(text):
        yield (), "exactly-one-of", names
    elif _NEEDS.match(text):
        yield names[:1], "needs", names[1:]


def _unions(text: str) -> Iterator[_Row]:
    if match := _NOT_WITHOUT.match(text):
        name, field, operator, value = match.groups()
        yield (f"{field}{_TERMS[operator]}{value}",), "needs", (name,)
    elif match := _NOT_WITH.match(text):
        name, field, operator, value = match.groups()
        yield (f"{field}{_TERMS[operator]}{value}",), "forbids", (name,)
    elif match := _WHERE.match(text):
        field, operator, value, name, _, excluded = match.groups()
        yield (f"{field}{_TERMS[operator]}{value}",), "needs", (name,)
        if excluded:
            opposite = "!=" if operator == "==" else "="
            yield (f"{field}{opposite}{value}",), "forbids", (excluded,)


_TERMS = {"==": "=", "!=": "!="}


def _unguarded(text: str) -> Iterator[_Row]:
    """The fields that a rule reads wherever it is asked: it fails without them."""
    if not any(part in text for part in _GUARDED):
        names = tuple(dict.fromkeys(_READ.findall(text)))
        if names:
            yield (), "needs", names


def _conditional(text: str) -> Iterator[_Row]:
    """What is needed where something else holds that no term says: it does no harm
    elsewhere."""
    if (match := _WHERE_ANY.match(text)) and not _WHERE.match(text):
        yield (), "needs", (match[1],)


_READERS: Sequence[Callable[[str], Iterator[_Row]]] = (
    _counted,
    _pairs,
    _unions,
    _conditional,
    _unguarded,
)


def _is_one_group(text: str) -> bool:
    """Whether the first parenthesis ends at the end."""
    depth = 0
    for index, character in enumerate(text):
        depth += {"(": 1, ")": -1}.get(character, 0)
        if depth == 0:
            return index == len(text) - 1
    return False


#: Texts by what a rule about a text reads them as.
_TEXTS = {"duration(self)": "10s", "url(self)": "https://example.com"}


def stated_text(schema: Schema) -> str:
    """A text that rules about a text itself accept; empty where they say nothing of it."""
    for rule in schema.validations:
        for reading, text in _TEXTS.items():
            if reading in rule.expression:
                return text
    return ""
