"""How Jsonnet spells names, literals and patches, formatted as jsonnetfmt leaves them.

The libraries and pages of https://github.com/jsonnet-libs are printed by Go programs,
so ``go_quoted`` and the HTML escapes of Go's JSON encoder are here as well.
"""

from __future__ import annotations

import json
import re
from functools import cache

# https://jsonnet.org/ref/spec.html#lexing, and importbin of Jsonnet 0.18.
# fmt: off
_RESERVED = frozenset({
    "assert", "else", "error", "false", "for", "function", "if", "import", "importbin",
    "importstr", "in", "local", "null", "self", "super", "tailstrict", "then", "true",
})
# fmt: on
_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
_NOT_IN_IDENTIFIER = re.compile(r"[^A-Za-z0-9_]")
# Where Go's strings.Title begins a word: at the start, after an ASCII character other
# than a letter, a digit or "_", and after white space.
_WORD_START = re.compile(r"(?:\A|(?<=[\x00-/:-@\[-^`{-\x7f\s]))\w")
_COMMON_ESCAPES = {"\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_GO_ESCAPES = {**_COMMON_ESCAPES, "\a": "\\a", "\v": "\\v", '"': '\\"', "\\": "\\\\"}
_GO_SPECIAL = re.compile(r'["\\\x00-\x1f]|[^\x00-\x7e]')
_JSONNETFMT_ESCAPES = {
    **{chr(code): f"\\u{code:04x}" for code in (*range(0x20), *range(0x7F, 0xA0))},
    **_COMMON_ESCAPES,
    "\\": "\\\\",
}
_JSONNETFMT_SPECIAL = re.compile(r"[\x00-\x1f\x7f-\x9f\\]")
# encoding/json of Go, unless SetEscapeHTML(false) is called.
_HTML_ESCAPES = str.maketrans(
    {character: f"\\u{ord(character):04x}" for character in "<>&\u2028\u2029"}
)
_NOT_PRINTABLE_NAME = re.compile(r"[^\w$./-]")


@cache
def lower_first_word(name: str) -> str:
    """``name`` with its first word in lower case: csiDriver for ``CSIDriver``.

    A word ends before the last of several capitals that a lower-case letter follows
    (https://github.com/fatih/camelcase, by which k8s-gen splits names).
    """
    end = 0
    while end < len(name) and name[end].isupper():
        end += 1
    if 1 < end < len(name) and name[end].islower():
        end -= 1
    return name[:end].lower() + name[end:]


@cache
def title_case(name: str) -> str:
    """What follows ``with`` in the name of a function: X-Foo for ``x-foo``."""
    words = name.removeprefix("-").replace(".", "_")
    return _WORD_START.sub(lambda match: match[0].title(), words)


@cache
def parameter_name(name: str) -> str:
    """An identifier for the parameter that is the value of the field ``name``.

    ``std`` is avoided, since it would hide the standard library in the function.
    """
    if name == "error":
        return "err"
    identifier = _NOT_IN_IDENTIFIER.sub("_", name)
    if identifier in _RESERVED or identifier == "std":
        return identifier.capitalize()
    return identifier if _IDENTIFIER.match(identifier) else f"_{identifier}"


@cache
def field_name(name: str) -> str:
    """``name`` as it is written before a colon, quoted only where necessary."""
    if _IDENTIFIER.match(name) and name not in _RESERVED:
        return name
    return string_literal(name)


@cache
def field_access(name: str) -> str:
    """What is written after an object to read its field: ``.name``, ``['a-b']``."""
    if field_name(name) == name:
        return f".{name}"
    return f"[{string_literal(name)}]"


@cache
def string_literal(text: str, *, html_escapes: bool = False) -> str:
    """A literal of ``text``.

    jsonnetfmt uses single quotes where ``text`` has none, else double quotes. It does
    not change a literal of a text with both, which is written as JSON; with
    ``html_escapes``, as Go's JSON encoder writes it.
    """
    if "'" not in text:
        return f"'{_escape_as_jsonnetfmt(text)}'"
    if '"' not in text:
        return f'"{_escape_as_jsonnetfmt(text)}"'
    literal = json.dumps(text, ensure_ascii=False)
    return literal.translate(_HTML_ESCAPES) if html_escapes else literal


@cache
def go_quoted(text: str) -> str:
    """``text`` in double quotes on one line, like the verb ``%q`` of Go's fmt."""
    return f'"{_GO_SPECIAL.sub(_go_escape, text)}"'


def json_literal(value: object) -> str:
    """A JSON value as jsonnetfmt writes it on one line: ``{a: 'x', b: []}``."""
    if isinstance(value, str):
        return string_literal(value, html_escapes=True)
    if isinstance(value, dict):
        fields = (
            f"{field_name(name)}: {json_literal(value[name])}" for name in sorted(value)
        )
        return f"{{{', '.join(fields)}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(json_literal, value))}]"
    return json.dumps(value)


@cache
def patch_braces(path: tuple[str, ...]) -> tuple[str, str]:
    """What is written before and after a field to set it inside the field at ``path``.

    For ``spec``, ``template``: ``{ spec+: { template+: {`` and ``} } }``.
    """
    opening = "".join(f"{field_name(name)}+: {{ " for name in path)
    return f"{{ {opening}", " }" * (len(path) + 1)


def printable_name(name: str) -> str:
    """``name`` for messages and pages: escaped are all characters but letters, digits
    and ``$ _ . / -``, so that it cannot end a heading or a code span."""
    return _NOT_PRINTABLE_NAME.sub(lambda match: _unicode_escape(match[0]), name)


def _escape_as_jsonnetfmt(text: str) -> str:
    return _JSONNETFMT_SPECIAL.sub(lambda match: _JSONNETFMT_ESCAPES[match[0]], text)


def _go_escape(match: re.Match[str]) -> str:
    character = match[0]
    escape = _GO_ESCAPES.get(character)
    if escape or character.isprintable():
        return escape or character
    code = ord(character)
    if code < 0x20 or code == 0x7F:
        return f"\\x{code:02x}"
    return _unicode_escape(character)


def _unicode_escape(character: str) -> str:
    code = ord(character)
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
