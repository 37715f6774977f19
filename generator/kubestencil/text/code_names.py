"""The names that generated code uses itself, found in the text of templates."""

from __future__ import annotations

import re

_IMPORT = re.compile(r"^[ \t]*(?:from \S+ )?import[ \t]*(\([^)]*\)|[^\n;]*)", re.M)
_FROM = re.compile(r'\bfrom\s+"[^"\n]*"')
_ALIAS = re.compile(r'\s*([\w$]+)\s+"')
_LITERAL = re.compile(r'"[^"\n]*"')
_WORD = re.compile(r"[A-Za-z_$][\w$]*")
_DECLARATION = re.compile(r"\b(?:class|const|def|func|function)\s+([A-Za-z_$][\w$]*)")


def imported_names(code: str) -> list[str]:
    """The names that code of cue, kcl, pkl, python or typescript imports."""
    names: dict[str, None] = {}
    for statement in _IMPORT.findall(code):
        for part in re.split(r"[,\n]", _FROM.sub("", statement).strip("(){} \t")):
            words, alias = _WORD.findall(part), _ALIAS.match(part)
            if words:
                names[alias[1] if alias else words[-1]] = None
    return list(names)


def declared_names(code: str) -> list[str]:
    """The names behind ``class``, ``const``, ``def``, ``func`` and ``function``."""
    return list(dict.fromkeys(_DECLARATION.findall(code)))


def words(code: str) -> list[str]:
    """All identifiers and keywords in code without comments, such as types."""
    return list(dict.fromkeys(_WORD.findall(_LITERAL.sub("", code))))
