"""Strings of examples: of a format, of a length, and such that a pattern matches."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

from kubestencil.text import re2

PLACEHOLDER = "string"

#: Formats whose values the writers of examples turn into values of their own.
CONVERTED_FORMATS = {
    "byte": "ZXhhbXBsZQ==",
    "date-time": "2006-01-02T15:04:05Z",
}
#: The other formats that the API server checks (apiextensions-apiserver,
#: ``pkg/apiserver/validation/formats.go``), with addresses that are reserved for
#: documentation (RFC 5737, RFC 3849, RFC 7042, RFC 2606).
FORMATS = {
    **CONVERTED_FORMATS,
    "bsonobjectid": "507f1f77bcf86cd799439011",
    "cidr": "192.0.2.0/24",
    "creditcard": "4111111111111111",
    "date": "2006-01-02",
    "datetime": "2006-01-02T15:04:05Z",
    "duration": "1h",
    "email": "name@example.com",
    "hexcolor": "#ffffff",
    "hostname": "example.com",
    "ipv4": "192.0.2.1",
    "ipv6": "2001:db8::1",
    "isbn": "9783161484100",
    "isbn10": "316148410X",
    "isbn13": "9783161484100",
    "mac": "00:00:5e:00:53:01",
    "rgbcolor": "rgb(255,255,255)",
    "ssn": "111-11-1111",
    "uri": "https://example.com",
    "uuid": "123e4567-e89b-42d3-a456-426614174000",
    "uuid3": "123e4567-e89b-32d3-a456-426614174000",
    "uuid4": "123e4567-e89b-42d3-a456-426614174000",
    "uuid5": "123e4567-e89b-52d3-a456-426614174000",
}
# Texts that many fields of custom resources have. The first that a pattern matches is
# easier to read than one that is made up.
_TYPICAL = (
    PLACEHOLDER,
    "example.com",
    "example.com/string",
    "https://example.com",
    "1",
    "10s",
    "1Gi",
    "80%",
    "0 0 * * *",
)
# The longest placeholder, for a string with a least length.
_MAX_LENGTH = 300


def placeholders(min_length: int, max_length: int | None) -> Iterator[str]:
    """Strings of ``min_length`` to ``max_length`` characters, distinct ones."""
    for number in range(1, 10):
        text = PLACEHOLDER if number == 1 else f"{PLACEHOLDER}{number}"
        if max_length is not None and len(text) > max_length >= 0:
            text = "abcdefghi"[number - 1] * min(max_length, len(PLACEHOLDER))
        if len(text) < min_length <= _MAX_LENGTH:
            text = (text * min_length)[:min_length]
        yield text


@lru_cache(maxsize=4096)
def matching(pattern: str, min_length: int, max_length: int | None) -> Sequence[str]:
    """Strings that a pattern matches, the most readable one first; none for a pattern
    that is not valid, or that no string of the length matches."""
    compiled = re2.compiled(pattern)
    if compiled is None:
        return ()
    longest = max_length if max_length is not None else _MAX_LENGTH
    texts = [
        text
        for text in _TYPICAL
        if min_length <= len(text) <= longest and compiled.search(text)
    ]
    if not texts:
        text = compiled.example(min_length, max_length)
        if text is not None:
            texts.append(text)
    return texts
