"""Names in camelCase, PascalCase, snake_case, kebab-case and CONSTANT_CASE.

Acronyms stay one word: ``podCIDRs`` is ``pod`` and ``CIDRs``, ``HTTPGetAction`` is
``HTTP``, ``Get`` and ``Action``. Digits belong to the word before them: ``v1beta1`` is
one word. Every other character separates words, except letters outside of ASCII, which
are kept as they are.
"""

from __future__ import annotations

import re
from collections.abc import Container

_WORD = re.compile(r"[A-Za-z0-9]+|[^\x00-\x7f]+")
# Within a word: before a capital after a small letter or digit, and before the last
# capital of several, unless that begins nothing but a plural s (CIDRs).
_BOUNDARY = re.compile(
    r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])(?![A-Z]s(?![a-z]))"
)
_SMALL = re.compile(r"[a-z]")
_NOT_IN_IDENTIFIER = re.compile(r"[^A-Za-z0-9_]")


def words(name: str) -> tuple[str, ...]:
    """The words of a name, each spelled as in the name."""
    parts = _WORD.findall(name)
    if not _SMALL.search(name):
        return tuple(parts)
    return tuple(word for part in parts for word in _BOUNDARY.split(part))


def camel(name: str) -> str:
    """``camelCase``: ``resource.k8s.io`` becomes ``resourceK8sIo``."""
    first, *others = words(name) or ("",)
    return "".join([_lower(first), *map(_capitalized, others)])


def pascal(name: str) -> str:
    """``PascalCase``: ``podIPs`` becomes ``PodIPs``."""
    return "".join(map(_capitalized, words(name)))


def snake(name: str) -> str:
    """``snake_case``: ``podIPs`` becomes ``pod_ips``."""
    return "_".join(map(_lower, words(name)))


def kebab(name: str) -> str:
    """``kebab-case``: ``podIPs`` becomes ``pod-ips``."""
    return "-".join(map(_lower, words(name)))


def constant(name: str) -> str:
    """``CONSTANT_CASE``: ``podIPs`` becomes ``POD_IPS``."""
    return "_".join(map(_upper, words(name)))


def identifier(name: str, reserved: Container[str] = ()) -> str:
    """A name of ASCII letters, digits and underscores that is not empty, does not begin
    with a digit and is not ``reserved``.

    Other characters become ``_``, so that different names may become the same.
    """
    plain = _NOT_IN_IDENTIFIER.sub("_", name)
    if not plain or plain[0].isdigit():
        plain = f"_{plain}"
    return f"{plain}_" if plain in reserved else plain


def _capitalized(word: str) -> str:
    return _upper(word[:1]) + word[1:]


def _lower(word: str) -> str:
    return word.lower() if word.isascii() else word


def _upper(word: str) -> str:
    return word.upper() if word.isascii() else word
