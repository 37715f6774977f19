"""The filters that templates have besides those of Jinja2.

A docstring is the filter's entry in the reference that ``kubestencil targets NAME``
prints.
"""

from __future__ import annotations

import inspect
import traceback
from collections.abc import Callable, Collection, Container, Iterable, Mapping
from functools import cache, partial, wraps
from json import JSONEncoder
from json.encoder import encode_basestring
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

from kubestencil.engine.run_cache import cached_for_run
from kubestencil.errors import TargetError
from kubestencil.text import (
    casing,
    code_names,
    github,
    html,
    languages,
    unique_names,
    wrapping,
)
from kubestencil.text import csv as csv_text
from kubestencil.text import markdown as markdown_text

_Result = TypeVar("_Result")


def _of_string(function: Callable[..., _Result]) -> Callable[..., _Result]:
    """A filter that raises an error for what is no string."""

    @wraps(function)
    def checked(value: Any, *arguments: Any, **named: Any) -> _Result:
        return function(_string(value), *arguments, **named)

    return checked


comment = _of_string(languages.comment)
wrap = _of_string(wrapping.wrap)
quote = _of_string(languages.quote)
key = _of_string(languages.key)
imported_names = _of_string(code_names.imported_names)
declared_names = _of_string(code_names.declared_names)
words = _of_string(code_names.words)
text_block = _of_string(languages.text_block)
breakable = _of_string(html.breakable)
markdown = _of_string(markdown_text.literal_words)
workflow_command = _of_string(github.workflow_command)
csp_hash = _of_string(html.csp_hash)


def identifier(name: str, language: str = "", own: Container[str] = ()) -> str:
    """A valid identifier: ASCII letters, digits and ``_``, not a digit first. A reserved
    word of ``language`` (c, cue, go, graphql, java, jsonnet, kcl, kotlin, pkl, pydantic,
    python, rust, typescript) gets ``_`` appended, and one of ``own``, the names that
    generated code uses itself."""
    reserved = languages.reserved_words(language) if language else frozenset[str]()
    plain = casing.identifier(_string(name), reserved)
    return f"{plain}_" if plain in own else plain


def free_names(
    sources: Iterable[str], spelled: Iterable[str], taken: Collection[str] = ()
) -> dict[str, str]:
    """The names of fields by their JSON names, ``sources``, of which ``spelled`` has the
    spellings in the same order: one that several have, or that is ``taken``, has ``_`` and
    digits after it, which depend on the JSON name, so that other fields change no name.
    """
    named = zip(map(_string, sources), map(_string, spelled), strict=True)
    return unique_names.free_names(dict(named), taken)


def unused(name: str, names: Collection[str], source: str | int) -> str:
    """The name, unless ``names`` has it: then with ``_`` and digits after it, and with more
    ``_`` where there is that one, too. The digits depend on ``source``: the JSON name, so
    that other fields change no name; without it there are none.
    """
    return unique_names.free_name(_string(name), names, str(source))


def csv(value: Any) -> str:
    """A cell of CSV, quoted where it must be (RFC 4180). A text that spreadsheets would
    read as a formula (it begins with ``=``, ``+``, ``-``, ``@``) gets ``'`` before
    it."""
    return csv_text.cell(value if isinstance(value, (int, float)) else _string(value))


def json(value: Any, indent: int | None = None) -> str:
    """A value as JSON, with ``indent`` on several lines."""
    # Most values are strings, which need no encoder.
    if isinstance(value, str):
        return encode_basestring(value)
    return _json_encoder(indent).encode(value)


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
    "identifier": identifier,
    "free_names": free_names,
    "unused": unused,
    "imported_names": imported_names,
    "declared_names": declared_names,
    "words": words,
    "key": key,
    "comment": comment,
    "wrap": wrap,
    "quote": quote,
    "text_block": text_block,
    "breakable": breakable,
    "markdown": markdown,
    "csv": csv,
    "workflow_command": workflow_command,
    "csp_hash": csp_hash,
    "json": json,
}

#: The filters that a placeholder in a path may have: ``{kind|snake}``, and
#: ``{kind|identifier:java}`` for the filter ``identifier("java")`` of templates.
PATH_FILTERS: Mapping[str, Callable[[str], str]] = {
    **_CASES,
    "identifier": casing.identifier,
    **{
        f"identifier:{language}": partial(identifier, language=language)
        for language in languages.RESERVED
    },
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
