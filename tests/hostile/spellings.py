"""Documents as bytes: in ways that a reader may misread, and damaged."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from typing import Any

import yaml


def as_bytes(document: Any, source: random.Random) -> bytes:
    """A document as JSON, or sometimes as YAML."""
    if source.random() < 0.15:
        return _as_yaml(document)
    return json.dumps(document, ensure_ascii=source.random() < 0.8).encode(
        errors="surrogatepass"
    )


def damaged(document: Any, source: random.Random) -> bytes:
    """A document as text that is unusual or wrong."""
    data = as_bytes(document, source)
    return source.choice(_DAMAGES)(data, source)


def _as_yaml(document: Any) -> bytes:
    try:
        return yaml.safe_dump(document, allow_unicode=True).encode()
    except (UnicodeEncodeError, RecursionError):
        return json.dumps(document).encode()


def _cut(data: bytes, source: random.Random) -> bytes:
    return data[: source.randrange(len(data) + 1)]


def _flip(data: bytes, source: random.Random) -> bytes:
    changed = bytearray(data)
    for _ in range(source.choice((1, 1, 5, 50))):
        changed[source.randrange(len(changed))] = source.randrange(256)
    return bytes(changed)


def _replace(data: bytes, source: random.Random) -> bytes:
    old, new = source.choice(_TOKENS), source.choice(_TOKENS)
    return data.replace(old, new, source.choice((1, 3, -1)))


def _insert(data: bytes, source: random.Random) -> bytes:
    index = source.randrange(len(data) + 1)
    return data[:index] + source.choice(_TOKENS) + data[index:]


def _encode(data: bytes, source: random.Random) -> bytes:
    text = data.decode(errors="replace")
    encoding = source.choice(("utf-16", "utf-16-le", "utf-32", "utf-8-sig", "utf-7"))
    return text.encode(encoding, errors="replace")


def _nest(data: bytes, source: random.Random) -> bytes:
    depth = source.choice((50, 600, 5_000, 200_000))
    start, end = source.choice(
        ((b"[", b"]"), (b'{"a":', b"}"), (b"- ", b""), (b"? ", b""))
    )
    return start * depth + source.choice((data, b"1", b"")) + end * depth


def _aliases(data: bytes, source: random.Random) -> bytes:
    lines = [b"a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    for level in range(1, source.choice((3, 9, 60))):
        items = b", ".join([b"*a%d" % (level - 1)] * source.choice((2, 9)))
        lines.append(b"a%d: &a%d [%s]" % (level, level, items))
    return b"\n".join(lines) + b"\n" + source.choice((b"", b"definitions: {x: *a1}\n"))


def _self_reference(data: bytes, source: random.Random) -> bytes:
    return b"swagger: '2.0'\npaths: {}\ndefinitions: &a {x: {properties: *a}}\n"


def _merges(data: bytes, source: random.Random) -> bytes:
    count = source.choice((3, 300, 3_000))
    lines = [b"a0: &a0 {x: 1}"]
    lines += [
        b"a%d: &a%d {<<: [*a%d], y%d: 1}" % (i, i, i - 1, i) for i in range(1, count)
    ]
    return b"\n".join(lines) + b"\nswagger: '2.0'\n"


def _tags(data: bytes, source: random.Random) -> bytes:
    tag = source.choice(
        (b"!!python/object/apply:os.system [x]", b"!!binary x", b"!!set {a}", b"!x y",
         b"!!timestamp 2020-01-01", b"!!omap [a: b]", b"!!int x", b"!!python/name:os.system")
    )  # fmt: skip
    return b"swagger: '2.0'\npaths: {}\ndefinitions: " + tag + b"\n"


def _numbers(data: bytes, source: random.Random) -> bytes:
    number = source.choice(
        (b"1e999", b"-1e999", b"NaN", b"Infinity", b"1" * 5_000, b"0x1", b"1e-400", b"-0", b"01",
         b"1" * 400 + b".5", b"0." + b"1" * 3_000, b"1E+30", b".inf", b"1:20:30", b"1_000")
    )  # fmt: skip
    return (
        b'{"swagger": "2.0", "info": {}, "paths": {}, "definitions": {"v1.A": {"default": %s}}}'
        % (number)
    )


def _repeat(data: bytes, source: random.Random) -> bytes:
    return source.choice(
        (data + data, data + b"\n---\n" + data, b"\n---\n" * 300 + data)
    )


def _whitespace(data: bytes, source: random.Random) -> bytes:
    blank = source.choice(
        (b" ", b"\n", b"\t", b"\r\n", b"\xc2\xa0", b"#", b"\0")
    ) * source.choice((1, 1_000, 300_000))
    return source.choice((blank + data, data + blank, blank))


def _as_json_lines(data: bytes, source: random.Random) -> bytes:
    return data.replace(b", ", b",\r").replace(b": ", b":\x85 ", 3)


_TOKENS = (
    b'"', b"'", b"{", b"}", b"[", b"]", b":", b",", b"\\", b"\\u0000", b"\\ud800", b"null",
    b"true", b"1", b"\0", b"\xff", b"\xed\xa0\x80", b"&a ", b"*a", b"<<: ", b"- ", b"|\n",
    b">-\n", b"# ", b"%YAML 1.2\n", b"---\n", b"...\n", b"!!str ", b"? ", b"\t", b"\n", b"\r",
    b"\xef\xbb\xbf", b'"string"', b'"type"', b'"properties"', b'"$ref"', b'"definitions"',
    b"#/definitions/", b'"object"', b'"description"', b'"a": 1, "a": 2',
)  # fmt: skip
_DAMAGES: tuple[Callable[[bytes, random.Random], bytes], ...] = (
    _cut, _flip, _flip, _replace, _replace, _replace, _insert, _insert, _encode, _nest,
    _aliases, _self_reference, _merges, _tags, _numbers, _repeat, _whitespace, _as_json_lines,
)  # fmt: skip
