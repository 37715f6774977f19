"""Reads what descriptions state beside the schema: stages, deprecations and limits.

Upstream's conventions for them are in
https://github.com/kubernetes/community/blob/main/contributors/devel/sig-architecture/api_changes.md#adding-unstable-features-to-stable-versions,
which descriptions follow in many spellings. Every pattern here takes linear time.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple, cast

from kubestencil.schema.facts.tables import ReleaseRange
from kubestencil.schema.kinds import Stage

# "This is an alpha field", "This field  is alpha-level", "This feature is an optional,
# beta …"; "This value is alpha-level" is about one value of a field.
_LEVEL = re.compile(
    r"\bThis (?:(?:field|feature|type|API) )?is (?:an? )?(?:optional,? )?"
    r"(alpha|beta|stable)\b(?:(?:-level)? in (?:release )?v?(\d{1,3}\.\d{1,3}))?"
    r"|\((alpha|beta)(?: feature| field)?\)"
    r"|(?:^|[.)] )(?:is )?an? (alpha|beta)(?:-level)? (?:feature|field)\b"
    r"|(?:^|[.)] )(alpha|beta), gated by\b",
    re.IGNORECASE,
)
_MAY_STATE_LEVEL = re.compile("lpha|eta|is a stable")
_GATE = re.compile(
    r"\b(?:feature[- ]gate|gated by the|enabled by|enabling|requires the|enable the)"
    r" (?:the )?`?([A-Z][A-Za-z0-9]{3,80})\b|`?\b(?!Alpha\b|Beta\b)([A-Z][A-Za-z0-9]{3,80})`?"
    r" feature(?:[- ](?:gate|flag|toggle))?\b"
)
_DEFAULT = re.compile(
    r"\((enabled|disabled|on|off) by default\)|\b(?:is|are) (on|off|enabled|disabled)"
    r" by default\b",
    re.IGNORECASE,
)
# What the sentence is about has to be the field: "the FQDN type is deprecated" is about a
# value, "(deprecated)" in a list about the item before it.
_DEPRECATED = re.compile(
    r"\bdeprecated: |\A\W{0,3}deprecated\b|(?:[.!?] |\A[^.]{0,80} )deprecated[.;,] "
    r"|[.!?] deprecated\b(?!\))"
    r"|\b(?:this|the)(?: \w{1,30})? (?:field|API|kind|resource|property|option|setting)"
    r"\b[^.]{0,60}\bdeprecated\b"
    r"|\b(?:this|it) (?:is|was|has been)(?: \w{1,20})? deprecated\b"
    r"|(?:\A|[.!?:] )[`'\"]?[\w.-]{1,80}[`'\"]? (?:is|was|has been)(?: \w{1,20})?"
    r" deprecated\b(?! field assuring)"
    r"|\bshould be considered(?: as)? deprecated\b",
    re.IGNORECASE,
)
_NOT_DEPRECATED = re.compile(r"\b(?:not|no longer|never) deprecated", re.IGNORECASE)
_DEPRECATED_IN = re.compile(
    r"\bdeprecated (?:in|since|as of|from)(?: release| version)? v?(\d{1,3}\.\d{1,3})\b",
    re.IGNORECASE,
)
_REMOVED_IN = re.compile(
    r"\b(?:removed|removal|remove)(?: \w{1,20}){0,3}? (?:in|as of|from|by)"
    r"(?: release| version)? v?(\d{1,3}\.\d{1,3})\b",
    re.IGNORECASE,
)
_REPLACEMENT = re.compile(
    r"\b(?:replaced (?:by|with)|superseded by|in favou?r of|use|using|moved to|"
    r"alias for)(?: the| of| setting)? [`'\"]?([A-Za-z][A-Za-z0-9.]{1,80})\b",
    re.IGNORECASE,
)
_WITHOUT_EFFECT = re.compile(
    r"\bno longer (?:be )?(?:supported|functional|used|honou?red|populated|works?\b|"
    r"implemented|respected|has (?:any |an )?effect)"
    r"|\b(?:has|have) no effect(?! (?:if|when|unless|on|for))\b"
    r"|\bfeature (?:is|was|has been) removed\b(?! (?:from|in|if))",
    re.IGNORECASE,
)
_NUMBER = (
    r"(\d{1,18}(?:[.,^]\d{1,18}){0,4}(?: ?[KMGT]i?B?\b|%)?(?: (?:bytes|characters)\b)?)"
)
_DIGIT = re.compile(r"\d")
_LIMIT = re.compile(
    r"(?:\b(?:at most|(?:no|not contain|not have|not be) (?:more|longer|larger|greater)"
    r" than|exceed|exceeds|exceeding|limited to|limit (?:is|of)|"
    r"(?:be|is) (?:less|smaller) than(?: or equal(?: to)?)?|"
    r"(?:smaller|less) or equal to|maximum of|minimum of|"
    r"max(?:imum)?(?: \w{1,30}){1,9}? is|minimum(?: \w{1,30}){1,9}? is|"
    r"be between)|<=|>=|≤|≥)"
    rf" {_NUMBER}(?: and {_NUMBER})?",
    re.IGNORECASE,
)
_COMPARISON = re.compile(
    r"\b(?:up to|at least|(?<!no )(?<!be )(?<!is )(?<!contain )(?<!have )(?:more|longer|larger|greater|less|smaller|fewer)"
    rf" than|(?<!be )between) {_NUMBER}(?: and {_NUMBER})?",
    re.IGNORECASE,
)
_STATED_DEFAULT = re.compile(
    r"\b(?:defaults? to|default(?: value)? is|by default is) [`'\"]?"
    r"([\w%-]{1,40}(?:\.\d{1,10})?)",
    re.IGNORECASE,
)
_SPACES = re.compile(r"\s+")


class StatedStage(NamedTuple):
    """The stage that a description states; ``gate`` and ``enabled``, the default of the
    gate, are None where it does not state them."""

    stage: Stage
    gate: str | None
    enabled: bool | None


@lru_cache(maxsize=4096)
def stated_stage(description: str, release: str | None = None) -> StatedStage | None:
    """The stage that the description of a field states, or None.

    A level that is stated for a release before ``release``, such as "beta in 1.10", is
    history and left out.
    """
    if not _MAY_STATE_LEVEL.search(description):
        return None
    text = _normalized(description)
    for match in _LEVEL.finditer(text):
        word = (match[1] or match[3] or match[4] or match[5]).lower()
        if release and match[2] and not ReleaseRange(release).includes(match[2]):
            continue
        default = _DEFAULT.search(text, match.start())
        enabled = default and (default[1] or default[2]).lower() in ("enabled", "on")
        gate = stated_gate(text[match.start() :])
        return StatedStage(cast(Stage, word), gate, enabled)
    return None


def stated_gate(description: str) -> str | None:
    """The first feature gate that a description names, or None."""
    return _first(_GATE, description)


def _first(statement: re.Pattern[str], description: str) -> str | None:
    match = statement.search(_normalized(description))
    return None if match is None else next(filter(None, match.groups()))


def mentions_deprecation(description: str) -> bool:
    """Whether a description says that what it describes is deprecated."""
    text = _normalized(description)
    return bool(_DEPRECATED.search(text)) and not _NOT_DEPRECATED.search(text)


def deprecated_in(description: str) -> str | None:
    """The release from which something is deprecated, as a description states it."""
    return _first(_DEPRECATED_IN, description)


def removed_in(description: str) -> str | None:
    """The release in which something is to be removed, as a description states it."""
    return _first(_REMOVED_IN, description)


def stated_replacement(description: str, fields: Iterable[str]) -> str | None:
    """Which of ``fields``, JSON names, a description that deprecates something says to
    use instead; None where it names none of them."""
    text = _normalized(description)
    deprecation = _DEPRECATED.search(text)
    if deprecation is None:
        return None
    by_name = {name.lower(): name for name in fields}
    text = text[deprecation.start() :]
    for match in _REPLACEMENT.finditer(text):
        name = match[1].rstrip(".").rpartition(".")[2].lower()
        if name in by_name:
            return by_name[name]
    return None


def is_without_effect(description: str) -> bool:
    """Whether a description says that the field does nothing any more."""
    return _WITHOUT_EFFECT.search(_normalized(description)) is not None


class StatedNumbers(NamedTuple):
    """Numbers or words that only one of two descriptions states, in their order."""

    before: tuple[str, ...]
    after: tuple[str, ...]


def changed_limits(before: str, after: str) -> StatedNumbers:
    """The limits that only one of two descriptions of a field states.

    Comparisons such as "up to 3" are limits where both descriptions have some; in new
    sentences they are mostly about something else.
    """
    limits = _changed(_numbers(_LIMIT, before), _numbers(_LIMIT, after))
    old, new = _numbers(_COMPARISON, before), _numbers(_COMPARISON, after)
    if not (old and new):
        return limits
    comparisons = _changed(old, new)
    return StatedNumbers(
        limits.before + comparisons.before, limits.after + comparisons.after
    )


def changed_defaults(before: str, after: str) -> StatedNumbers:
    """The defaults that only one of two descriptions of a field states; none where one
    of them states no default at all."""
    old, new = _defaults(before), _defaults(after)
    if not old or not new or _are_spellings(old, new):
        return StatedNumbers((), ())
    return _changed(old, new)


def _are_spellings(before: list[str], after: list[str]) -> bool:
    """Whether two lists have the same words, some of them longer in one list."""
    return len(before) == len(after) and all(
        old.isalpha() and new.isalpha() and (new in old or old in new)
        for old, new in zip(before, after, strict=True)
    )


def _changed(before: list[str], after: list[str]) -> StatedNumbers:
    old, new = Counter(before), Counter(after)
    return StatedNumbers(
        tuple(sorted((old - new).elements(), key=before.index)),
        tuple(sorted((new - old).elements(), key=after.index)),
    )


def _numbers(statement: re.Pattern[str], description: str) -> list[str]:
    if not _DIGIT.search(description):
        return []
    return [
        number
        for match in statement.finditer(_normalized(description))
        for number in (match[1], match[2])
        if number
    ]


def _defaults(description: str) -> list[str]:
    matches = _STATED_DEFAULT.finditer(_normalized(description))
    # The same default may be repeated.
    return list(dict.fromkeys(match[1] for match in matches))


@lru_cache(maxsize=64)
def _normalized(description: str) -> str:
    return _SPACES.sub(" ", description)
