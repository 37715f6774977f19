"""Jsonnet: names, literals and patches, spelled as jsonnetfmt leaves them.

The libraries and pages of jsonnet-libs are printed by Go programs, so two of
Go's ways to quote a text have their home here as well.
"""

from __future__ import annotations

import json
import re
from functools import cache

# https://jsonnet.org/ref/spec.html#lexing; importbin came with Jsonnet 0.18.
_RESERVED = frozenset(
    [
        "assert",
        "else",
        "error",
        "false",
        "for",
        "function",
        "if",
        "import",
        "importbin",
        "importstr",
        "in",
        "local",
        "null",
        "self",
        "super",
        "tailstrict",
        "then",
        "true",
    ]
)
_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
_NOT_IN_IDENTIFIER = re.compile(r"[^A-Za-z0-9_]")
# Where strings.Title of Go begins a word: at the start, after ASCII that is no
# letter, digit or "_", after any space.
_WORD_START = re.compile(r"(?:\A|(?<=[\x00-/:-@\[-^`{-\x7f\s]))\w")
_GO_ESCAPES = {
    "\a": "\\a",
    "\b": "\\b",
    "\f": "\\f",
    "\n": "\\n",
    "\r": "\\r",
    "\t": "\\t",
    "\v": "\\v",
    '"': '\\"',
    "\\": "\\\\",
}
_GO_SPECIAL = re.compile(r'["\\\x00-\x1f]|[^\x00-\x7e]')
_FORMATTED_ESCAPES = {
    **{chr(code): f"\\u{code:04x}" for code in (*range(0x20), *range(0x7F, 0xA0))},
    "\b": "\\b",
    "\f": "\\f",
    "\n": "\\n",
    "\r": "\\r",
    "\t": "\\t",
    "\\": "\\\\",
}
_SPECIAL = re.compile(r"[\x00-\x1f\x7f-\x9f\\]")
_HTML_ESCAPES = str.maketrans(
    {
        "<": "\\u003c",
        ">": "\\u003e",
        "&": "\\u0026",
        "\u2028": "\\u2028",
        "\u2029": "\\u2029",
    }
)
_UNSHOWN = re.compile(r"[^\w$./-]")


@cache
def camel_lower(name: str) -> str:
    """``name`` with its first word in small letters: ``CSIDriver`` is csiDriver.

    A word ends before the last of several capitals that a small letter follows
    (fatih/camelcase, which k8s-gen splits names with).
    """
    end = 0
    while end < len(name) and name[end].isupper():
        end += 1
    if 1 < end < len(name) and name[end].islower():
        end -= 1
    return name[:end].lower() + name[end:]


@cache
def title(name: str) -> str:
    """What follows ``with`` in the name of a builder: ``x-foo`` is X-Foo."""
    plain = name.removeprefix("-").replace(".", "_")
    return _WORD_START.sub(lambda match: match[0].title(), plain)


@cache
def argument(name: str) -> str:
    """An identifier for an argument that stands for ``name``.

    ``std`` would hide the library that the builder of a list calls.
    """
    if name == "error":
        return "err"
    plain = _NOT_IN_IDENTIFIER.sub("_", name)
    if plain in _RESERVED or plain == "std":
        return plain.capitalize()
    return plain if _IDENTIFIER.match(plain) else f"_{plain}"


@cache
def key(name: str) -> str:
    """``name`` before a colon: bare where that is possible."""
    if _IDENTIFIER.match(name) and name not in _RESERVED:
        return name
    return string(name)


@cache
def member(name: str) -> str:
    """What reads the field ``name`` of what it follows: ``.name``, ``['a-b']``."""
    return f".{name}" if key(name) == name else f"[{string(name)}]"


@cache
def string(text: str, *, html_escapes: bool = False) -> str:
    """A literal of ``text``.

    jsonnetfmt takes single quotes if ``text`` has none of them, else double
    ones; a literal of a text with both is left as it was written, which is as
    JSON. ``html_escapes`` is how Go writes that JSON.
    """
    if "'" in text:
        if '"' not in text:
            return f'"{_escaped(text)}"'
        written = json.dumps(text, ensure_ascii=False)
        return written.translate(_HTML_ESCAPES) if html_escapes else written
    return f"'{_escaped(text)}'"


@cache
def go_quoted(text: str) -> str:
    """``text`` in double quotes, as Go's ``%q`` has it: always one line."""
    return f'"{_GO_SPECIAL.sub(_go_character, text)}"'


def value(data: object) -> str:
    """A JSON value as jsonnetfmt puts it on one line: ``{a: 'x', b: []}``."""
    if isinstance(data, str):
        return string(data, html_escapes=True)
    if isinstance(data, dict):
        inside = (f"{key(name)}: {value(data[name])}" for name in sorted(data))
        return f"{{{', '.join(inside)}}}"
    if isinstance(data, list):
        return f"[{', '.join(map(value, data))}]"
    return json.dumps(data)


@cache
def patch(path: tuple[str, ...]) -> tuple[str, str]:
    """What goes before and after a field to set it deep inside of an object.

    For ``spec``, ``template``: ``{ spec+: { template+: {`` and ``} } }``.
    """
    opening = "".join(f"{key(name)}+: {{ " for name in path)
    return f"{{ {opening}", " }" * (len(path) + 1)


def shown(name: str) -> str:
    """``name`` for people and pages: what is not a letter, a digit or one of
    ``$ _ . / -`` as an escape, so that it cannot end a heading or a code span."""
    return _UNSHOWN.sub(lambda match: _escape(match[0]), name)


def _escaped(text: str) -> str:
    return _SPECIAL.sub(lambda match: _FORMATTED_ESCAPES[match[0]], text)


def _go_character(match: re.Match[str]) -> str:
    character = match[0]
    known = _GO_ESCAPES.get(character)
    if known or character.isprintable():
        return known or character
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x20 or code == 0x7F else _escape(character)


def _escape(character: str) -> str:
    code = ord(character)
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
