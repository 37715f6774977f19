"""What descriptions state beside the schema: stages, deprecations, limits, values and
defaults. Nothing else in this package reads them for facts.

Upstream's conventions are in
https://github.com/kubernetes/community/blob/main/contributors/devel/sig-architecture/api_changes.md#adding-unstable-features-to-stable-versions
and https://go.dev/wiki/Deprecated; descriptions follow them in many spellings. The rules
take what cannot be misread: a list of values ends with its sentence, and a default is the
only one that is stated, without a condition but that the field is not set. Every pattern
takes linear time.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache
from itertools import islice
from typing import NamedTuple, cast

from kubestencil.schema.kinds import Stage
from kubestencil.source.releases import ReleaseRange

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
_GATE_DEFAULT = re.compile(
    r"\((enabled|disabled|on|off) by default\)|\b(?:is|are) (on|off|enabled|disabled)"
    r" by default\b",
    re.IGNORECASE,
)
# What the sentence is about has to be the field: "the FQDN type is deprecated" is about a
# value, "(deprecated)" in a list about the item before it, and a field called
# ``deprecated`` "indicates" something.
_DEPRECATED = re.compile(
    r"\bdeprecated: "
    r"|\A\W{0,3}deprecated\b|(?:[.!?] |\A[^.]{0,80} )deprecated[.;,] |[.!?] deprecated\b(?!\))"
    r"|\b(?:this|the)(?: \w{1,30})? (?:field|API|kind|resource|property|option|setting)"
    r"\b[^.]{0,60}\bdeprecated\b"
    r"|\b(?:this|it) (?:is|was|has been)(?: \w{1,20})? deprecated\b"
    r"|(?:\A|[.!?:] )[`'\"]?[\w.-]{1,80}[`'\"]? (?:is|was|has been)(?: \w{1,20})?"
    r" deprecated\b"
    r"|\bshould be considered(?: as)? deprecated\b",
    re.IGNORECASE,
)
_OF_ANOTHER = re.compile(
    r"\w+ (?:indicates|means|marks|specifies|tells|says) |(?:Even though|Although) "
)
_NOT_DEPRECATED = re.compile(r"\b(?:not|no longer|never) deprecated", re.IGNORECASE)
_PARAGRAPH_END = re.compile(r"\n[^\S\n]*\n")
_SENTENCE_END = re.compile(r"(?<=[.!?]) ")
_MAX_QUOTED = 160
# Each of them is looked at for the sentence that it is in.
_MAX_MATCHES = 20
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
_MAY_STATE_EFFECT = re.compile("no longer|no effect|removed")
_CONDITION = re.compile(r"(?:If|When|Unless|For|In) ")
_NUMBER = (
    r"(\d{1,18}(?:[.,^]\d{1,18}){0,4}(?: ?[KMGT]i?B?\b|%)?(?: (?:bytes|characters)\b)?)"
)
_DIGIT = re.compile(r"\d")
_SPACES = re.compile(r"\s+")
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
_WORD = r"[A-Za-z0-9][A-Za-z0-9]*(?:[-/][A-Za-z0-9]+)*"
_VALUE = rf"(?:\"{_WORD}\"|`\"{_WORD}\"`|'{_WORD}'|`{_WORD}`|{_WORD})"
_SEPARATOR = r"(?:, (?:and |or )?| and | or )"
# "One of Always, Never, IfNotPresent.", "Valid options are A, B, and C."; not "Exactly
# one of A and B must be set".
_STATED_VALUES = re.compile(
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
# What a value means, and not when it is the default: "0 (available as soon as ready)".
_MEANING = r"(?: \((?!(?:for|if|when|unless|in|on|except) )[^()]{1,200}\))?"
_STATED_DEFAULT = re.compile(
    r"(?:\b[Dd]efaults? to|\b[Tt]he default(?: value)? is|(?:^|[.(] ?)[Dd]efault(?: value)? is)"
    rf" (\"{_WORD}\"|'{_WORD}'|`{_WORD}`|true|false"
    r"|-?\d{1,12}(?:s\b| ?(?:%|(?:second|minute|hour)s?\b))?"
    r"|[A-Z][A-Za-z]{1,80}|(?:/[A-Za-z0-9_-]{1,80}){1,20})"
    rf"{_WITHOUT_VALUE}{_MEANING}(?=[.)](?:\s|$)| and must\b|\s*$|\s*\n)"
)
_DEFAULT_MENTION = re.compile(r"\b[Dd]efaults? (?:value )?(?:to|is|are|will be)\b")
_MARKER = re.compile(r"(?:^|(?<=\s))[-*] (?=\S)")
# Reviewed lists that leave values out: v1.NodeAddressType has InternalDNS and ExternalDNS
# as well (k8s.io/api, core/v1/types.go).
_INCOMPLETE = frozenset({("Hostname", "ExternalIP", "InternalIP")})


# More than the descriptions of a release, most of which its neighbours have.
_CACHED_TEXTS = 16_384


class StatedStage(NamedTuple):
    """The stage that a description states; ``gate`` and ``enabled``, the default of the
    gate, are None where it does not state them."""

    stage: Stage
    gate: str | None
    enabled: bool | None


@lru_cache(_CACHED_TEXTS)
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
        default = _GATE_DEFAULT.search(text, match.start())
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


@lru_cache(_CACHED_TEXTS)
def deprecation(description: str) -> str:
    """The beginning of the sentence in which a description calls what it describes
    deprecated; empty where it does not."""
    if "eprecated" not in description.lower() or _NOT_DEPRECATED.search(description):
        return ""
    return _sentence(_DEPRECATED, _OF_ANOTHER, description)


@lru_cache(_CACHED_TEXTS)
def loss_of_effect(description: str) -> str:
    """The beginning of the sentence that says that a field does nothing any more,
    whatever else is set; empty where there is none."""
    if not _MAY_STATE_EFFECT.search(description):
        return ""
    return _sentence(_WITHOUT_EFFECT, _CONDITION, description)


def _sentence(
    statement: re.Pattern[str], others: re.Pattern[str], description: str
) -> str:
    """The beginning of the first sentence that makes a statement, and does not begin as
    ``others`` do; empty where there is none."""
    for paragraph in _PARAGRAPH_END.split(description):
        text = _normalized(paragraph.strip())
        for match in islice(statement.finditer(text), _MAX_MATCHES):
            begin = _begin(text, match)
            sentence = _SENTENCE_END.split(text[begin:], maxsplit=1)[0].strip()
            if not others.match(sentence):
                is_long = len(sentence) > _MAX_QUOTED
                return f"{sentence[:_MAX_QUOTED].rstrip()}…" if is_long else sentence
    return ""


def _begin(text: str, match: re.Match[str]) -> int:
    """Where the sentence begins whose statement was found, with the end of the sentence
    before it or without."""
    word = match.start() + (2 if match[0][:2] in (". ", "! ", "? ") else 0)
    end = max(text.rfind(f"{mark} ", 0, word) for mark in ".!?")
    return end + 2 if end >= 0 else 0


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
    """The defaults of two descriptions of a field, where both state one, and these
    differ."""
    old, new = stated_default(before), stated_default(after)
    if not old or not new or old == new:
        return StatedNumbers((), ())
    return StatedNumbers((old,), (new,))


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


@lru_cache(maxsize=64)
def _normalized(description: str) -> str:
    return _SPACES.sub(" ", description)


@lru_cache(_CACHED_TEXTS)
def stated_values(description: str) -> tuple[str, ...]:
    """The allowed values that a description lists; empty where it lists none, or two
    different lists."""
    if not _MAY_STATE_VALUES.search(description):
        return ()
    lists = [_values(match[1]) for match in _STATED_VALUES.finditer(description)]
    opening = _LIST.search(description)
    if opening is not None:
        items = tuple(dict.fromkeys(_ITEM.findall(description, opening.end())))
        is_whole = len(items) == len(_MARKER.findall(description, opening.end()))
        lists += [items] if len(items) > 1 and is_whole else []
    return lists[0] if len(set(lists) - _INCOMPLETE) == len(set(lists)) == 1 else ()


def _values(text: str) -> tuple[str, ...]:
    return tuple(re.sub(r"[\"'`]", "", value) for value in re.split(_SEPARATOR, text))


@lru_cache(_CACHED_TEXTS)
def stated_default(description: str) -> str:
    """The default that a description states without a condition; empty without one, and
    where it states several."""
    if "efault" not in description:
        return ""
    values = [
        re.sub(r"[\"'`]", "", text) for text in _STATED_DEFAULT.findall(description)
    ]
    is_only = len(values) == len(_DEFAULT_MENTION.findall(description))
    return values[0] if is_only and len(set(values)) == 1 else ""
