"""Text as a string literal of a programming language or data format."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping

from kubestencil.text import yaml
from kubestencil.text.yaml import double_quoted, four_or_eight_digits


def quote(text: str, language: str) -> str:
    """``text`` as a string literal, on one line, that means exactly ``text``.

    ``language`` is one of ``LANGUAGES``. Raises ValueError for an unknown one.
    """
    if language not in LANGUAGES:
        raise ValueError(
            f"unknown language {language!r}, available: {', '.join(LANGUAGES)}"
        )
    return LANGUAGES[language](text)


def _braces(code: int) -> str:
    return f"\\u{{{code:x}}}"


def _utf16(code: int) -> str:
    if code <= 0xFFFF:
        return f"\\u{code:04x}"
    high, low = divmod(code - 0x10000, 0x400)
    return f"\\u{0xD800 + high:04x}\\u{0xDC00 + low:04x}"


#: The function that spells a literal, by language.
LANGUAGES: Mapping[str, Callable[[str], str]] = {
    "go": lambda text: double_quoted(text, four_or_eight_digits),
    "java": lambda text: double_quoted(text, _utf16),
    "json": lambda text: json.dumps(text, ensure_ascii=False),
    "python": lambda text: double_quoted(text, four_or_eight_digits),
    "rust": lambda text: double_quoted(text, _braces),
    "toml": lambda text: double_quoted(text, four_or_eight_digits),
    "typescript": lambda text: double_quoted(text, _utf16),
    "yaml": yaml.string,
}

# fmt: off
#: The words that cannot be identifiers, by language.
RESERVED: Mapping[str, frozenset[str]] = {
    # https://go.dev/ref/spec#Keywords and the predeclared types
    "go": frozenset(
        [
            "any", "bool", "break", "byte", "case", "chan", "const", "continue",
            "default", "defer", "else", "error", "fallthrough", "false", "float32",
            "float64", "for", "func", "go", "goto", "if", "import", "int", "int32",
            "int64", "interface", "iota", "map", "nil", "package", "range", "return",
            "select", "string", "struct", "switch", "true", "type", "var",
        ]
    ),
    # https://docs.oracle.com/javase/specs/jls/se21/html/jls-3.html#jls-3.9, and the
    # names that a component of a record cannot have (8.10.1)
    "java": frozenset(
        [
            "_", "abstract", "assert", "boolean", "break", "byte", "case", "catch",
            "char", "class", "clone", "const", "continue", "default", "do", "double",
            "else", "enum", "extends", "false", "final", "finalize", "finally", "float",
            "for", "getClass", "goto", "hashCode", "if", "implements", "import",
            "instanceof", "int", "interface", "long", "native", "new", "notify",
            "notifyAll", "null", "package", "permits", "private", "protected", "public",
            "record", "return", "sealed", "short", "static", "strictfp", "super",
            "switch", "synchronized", "this", "throw", "throws", "toString",
            "transient", "true", "try", "var", "void", "volatile", "wait", "when",
            "while", "with", "yield",
        ]
    ),
    # https://docs.python.org/3/reference/lexical_analysis.html#keywords
    "python": frozenset(
        [
            "False", "None", "True", "and", "as", "assert", "async", "await", "break",
            "class", "continue", "def", "del", "elif", "else", "except", "finally",
            "for", "from", "global", "if", "import", "in", "is", "lambda", "nonlocal",
            "not", "or", "pass", "raise", "return", "try", "while", "with", "yield",
        ]
    ),
    # https://doc.rust-lang.org/reference/keywords.html
    "rust": frozenset(
        [
            "Self", "abstract", "as", "async", "await", "become", "box", "break",
            "const", "continue", "crate", "do", "dyn", "else", "enum", "extern",
            "false", "final", "fn", "for", "gen", "if", "impl", "in", "let", "loop",
            "macro", "match", "mod", "move", "mut", "override", "priv", "pub", "ref",
            "return", "self", "static", "struct", "super", "trait", "true", "try",
            "type", "typeof", "unsafe", "unsized", "use", "virtual", "where", "while",
            "yield",
        ]
    ),
    # https://github.com/microsoft/TypeScript, src/compiler/types.ts, SyntaxKind, and
    # the names of types that cannot be declared
    "typescript": frozenset(
        [
            "any", "arguments", "await", "bigint", "boolean", "break", "case", "catch",
            "class", "const", "continue", "debugger", "default", "delete", "do", "else",
            "enum", "eval", "export", "extends", "false", "finally", "for", "function",
            "if", "implements", "import", "in", "instanceof", "interface", "let",
            "never", "new", "null", "number", "object", "package", "private",
            "protected", "public", "return", "static", "string", "super", "switch",
            "symbol", "this", "throw", "true", "try", "type", "typeof", "undefined",
            "unknown", "var", "void", "while", "with", "yield",
        ]
    ),
}
# fmt: on
