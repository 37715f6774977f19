"""The filters that templates have besides those of Jinja2.

A docstring is the filter's entry in the reference that ``kubestencil targets NAME``
prints.
"""

from __future__ import annotations

import inspect
import traceback
from collections.abc import Callable, Iterable, Mapping
from functools import cache, wraps
from json import JSONEncoder
from json.encoder import encode_basestring
from pathlib import Path
from types import ModuleType
from typing import Any

from kubestencil.engine.run_cache import cached_for_run
from kubestencil.errors import TargetError
from kubestencil.text import casing, github, html, languages
from kubestencil.text import csv as csv_text
from kubestencil.text import markdown as markdown_text
from kubestencil.text.wrapping import wrap as wrap_text


def identifier(name: str, language: str = "") -> str:
    """A valid identifier: ASCII letters, digits and ``_``, not a digit first. A reserved
    word of ``language`` (c, cue, go, graphql, java, jsonnet, kcl, kotlin, pkl, python,
    rust, typescript) gets ``_`` appended."""
    reserved = languages.reserved_words(language) if language else frozenset[str]()
    return casing.identifier(_string(name), reserved)


def comment(text: str, style: str = "//", width: int | None = None) -> str:
    """A comment that the text cannot end. ``style`` is a language, for what documents a
    declaration (c, cue, go, graphql, html, java, jsonnet, kcl, kotlin, pkl, python, rust,
    toml, typescript, xml, yaml), or how comments begin: ``//``, ``///``, ``//!``, ``#``, ``--``,
    ``;``, ``/* */``, ``/** */``, ``\"\"\"`` or ``<!-- -->``; ``width`` breaks long lines.
    Empty for blank text."""
    return languages.comment(_string(text), style, width)


def wrap(text: str, width: int = 80) -> str:
    """Lines of up to ``width`` characters; line breaks and indentation stay."""
    return wrap_text(_string(text), width)


def quote(text: str, language: str = "json") -> str:
    """A string literal of ``language``: c, cue, go, graphql, java, json, jsonnet, kcl,
    kotlin, pkl, python, rust, toml, typescript, xml (an attribute) or yaml."""
    return languages.quote(_string(text), language)


def text_block(text: str, language: str) -> str:
    """A string literal of several lines, for java or kotlin, which ``indent`` may move to
    the right."""
    return languages.text_block(_string(text), language)


def breakable(text: str) -> str:
    """HTML in which long names can be broken behind their dots and slashes
    (``<wbr>``)."""
    return html.breakable(_string(text))


def markdown(text: str) -> str:
    """Text in Markdown without any markup, on one line: for headings, cells of tables
    and paragraphs."""
    return markdown_text.literal_words(_string(text))


def csv(value: Any) -> str:
    """A cell of CSV, quoted where it must be (RFC 4180). A text that spreadsheets would
    read as a formula (it begins with ``=``, ``+``, ``-``, ``@``) gets ``'`` before
    it."""
    return csv_text.cell(value if isinstance(value, (int, float)) else _string(value))


def workflow_command(message: str, command: str, **properties: str | int) -> str:
    """A command of GitHub Actions that shows a message beside a line or at a run:
    ``workflow_command("error", file=path, line=1, title="…")``."""
    return github.workflow_command(command, _string(message), properties)


def csp_hash(text: str) -> str:
    """The source expression with which a content security policy allows a style or
    script that a page embeds: ``'sha256-…'``."""
    return html.csp_hash(_string(text))


def json(value: Any, indent: int | None = None) -> str:
    """A value as JSON, with ``indent`` on several lines."""
    # Most values are strings, which need no encoder.
    if isinstance(value, str):
        return encode_basestring(value)
    return _json_encoder(indent).encode(value)


def _of_string(function: Callable[[str], str]) -> Callable[[Any], str]:
    """A filter that raises an error for what is no string."""

    @wraps(function)
    def checked(value: Any) -> str:
        return function(_string(value))

    return checked


_CASES: Mapping[str, Callable[[str], str]] = {
    "camel": casing.camel,
    "pascal": casing.pascal,
    "snake": casing.snake,
    "kebab": casing.kebab,
    "constant": casing.constant,
}

#: The file in a folder of templates that defines filters of its own.
FILTER_FILE = "filters.py"

#: Every filter by its name in templates.
FILTERS: Mapping[str, Callable[..., Any]] = {
    **{name: _of_string(function) for name, function in _CASES.items()},
    **{
        function.__name__: function
        for function in (
            *(identifier, comment, wrap, quote, text_block, breakable, markdown, csv),
            *(workflow_command, csp_hash, json),
        )
    },
}

#: The filters that a placeholder in a path may have: ``{kind|snake}``.
PATH_FILTERS: Mapping[str, Callable[[str], str]] = {
    **_CASES,
    "identifier": casing.identifier,
    "lower": str.lower,
    "upper": str.upper,
}

#: The filters of Jinja2 that templates of targets need most, for the reference.
JINJA_FILTERS: Mapping[str, str] = {
    "default": "The value, or another one where it is undefined.",
    "indent": "Indents all lines but the first: ``indent(4)``.",
    "join": 'The items as one text: ``join(", ")``.',
    "length": "The number of items.",
    "map": 'An attribute of each item: ``map(attribute="name")``.',
    "rejectattr": 'Items without a property: ``rejectattr("required")``.',
    "replace": 'A text with parts replaced: ``replace("a", "b")``.',
    "selectattr": 'Items with a property: ``selectattr("required")``.',
    "sort": 'Sorted items: ``sort(attribute="name")``.',
    "trim": "A text without spaces around it.",
    "unique": "Items without repetitions.",
}


def load_filters(folders: Iterable[str]) -> dict[str, Callable[..., Any]]:
    """The filters of the folders themselves: the public functions of ``filters.py``, or
    those that its ``__all__`` names. The first folder that has a filter wins.

    Raises TargetError with the file and line where one cannot be run.
    """
    filters: dict[str, Callable[..., Any]] = {}
    for folder in folders:
        path = Path(folder) / FILTER_FILE
        if path.is_file():
            filters = _run_filters(path) | filters
    return filters


@cached_for_run
def _run_filters(path: Path) -> dict[str, Callable[..., Any]]:
    # Not imported: that would leave compiled code beside the file.
    module = ModuleType(path.stem)
    module.__file__ = str(path)
    try:
        exec(compile(path.read_bytes(), path, "exec"), vars(module))
    except Exception as error:
        frames = traceback.extract_tb(error.__traceback__)
        lines = [frame.lineno for frame in frames if frame.filename == str(path)]
        line = error.lineno if isinstance(error, SyntaxError) else lines[-1]
        raise TargetError(
            f"cannot be run: {type(error).__name__}: {error}", where=f"{path}:{line}"
        ) from error
    functions = inspect.getmembers(module, inspect.isroutine)
    names = getattr(module, "__all__", None)
    return {
        name: function
        for name, function in functions
        if (name in names if names is not None else _is_own(name, function, module))
    }


def _is_own(name: str, function: Any, module: ModuleType) -> bool:
    return not name.startswith("_") and function.__module__ == module.__name__


def _string(value: Any) -> str:
    """``value`` where it is a string; an undefined value raises its own error."""
    if isinstance(value, str):
        return value
    str(value)  # raises the error of an undefined value
    raise TypeError(f"needs a string, not {type(value).__name__}")


@cache
def _json_encoder(indent: int | None) -> JSONEncoder:
    return JSONEncoder(
        ensure_ascii=False, indent=indent, default=_not_json, allow_nan=False
    )


def _not_json(value: Any) -> Any:
    str(value)  # raises the error of an undefined value
    raise TypeError(f"{type(value).__name__} is not a JSON value")
