"""The fields, properties and methods of the classes that templates get."""

from __future__ import annotations

import inspect
import typing
from collections.abc import Iterator
from functools import cache, cached_property
from typing import Any, NamedTuple

# The reference leaves out the classes of these modules: they are common knowledge, or
# not for templates.
_FOREIGN = frozenset(
    ["abc", "builtins", "collections", "datetime", "enum", "markupsafe", "typing"]
)


class DocumentedMember(NamedTuple):
    """A field, property or method: ``signature`` is ``name: type`` or
    ``name(parameters): type``; ``summary`` is the first paragraph of its docstring,
    empty for a field, which its class documents. ``annotation`` is the type."""

    name: str
    signature: str
    summary: str
    annotation: Any


@cache
def members(cls: type) -> tuple[DocumentedMember, ...]:
    """The public members of a class, without those of its documented base classes."""
    return tuple(_members_of(cls))


def member_names(cls: type) -> list[str]:
    """The names of the public members of a class, inherited ones included."""
    return [
        member.name
        for base in reversed(cls.__mro__)
        if is_documented(base)
        for member in members(base)
    ]


def is_documented(cls: type) -> bool:
    """Whether a class is part of the reference, unlike ``str`` and ``tuple``."""
    return cls.__module__.partition(".")[0] not in _FOREIGN


def base_classes(cls: type) -> list[type]:
    """The documented classes that a class inherits from directly."""
    return [base for base in cls.__bases__ if is_documented(base)]


def classes_in(annotation: Any) -> Iterator[type]:
    """The documented classes that an annotation mentions, outermost first."""
    if isinstance(annotation, type) and not typing.get_args(annotation):
        if is_documented(annotation):
            yield annotation
        return
    for argument in typing.get_args(annotation):
        if isinstance(argument, list):
            for parameter in argument:
                yield from classes_in(parameter)
        else:
            yield from classes_in(argument)


def type_name(annotation: Any) -> str:
    """An annotation without the names of modules: ``tuple[Field, ...]``."""
    if annotation is type(None):
        return "None"
    if isinstance(annotation, type) and not typing.get_args(annotation):
        return annotation.__name__
    arguments = typing.get_args(annotation)
    origin = typing.get_origin(annotation)
    if origin is None or not arguments:
        return str(annotation).rpartition(".")[2]
    if origin is typing.Literal:
        return " | ".join(map(repr, arguments))
    if origin is typing.Annotated:
        return type_name(arguments[0])
    names = [
        "..." if argument is ... else _argument_name(argument) for argument in arguments
    ]
    if origin is typing.Union or getattr(origin, "__name__", "") == "UnionType":
        return " | ".join(names)
    return f"{getattr(origin, '__name__', origin)}[{', '.join(names)}]"


def meaning(annotation: Any) -> str:
    """The text of an annotation such as ``Annotated[str, "the URL"]``, else empty."""
    if typing.get_origin(annotation) is typing.Annotated:
        return str(annotation.__metadata__[0])
    return ""


def summary(value: Any) -> str:
    """The first paragraph of a docstring on one line."""
    paragraph = (inspect.getdoc(value) or "").partition("\n\n")[0]
    return " ".join(paragraph.split())


def description(cls: type) -> list[str]:
    """The paragraphs of a class's own docstring, each on one line."""
    text = inspect.cleandoc(cls.__doc__ or "")
    if text.startswith(f"{cls.__name__}("):
        return []  # written by @dataclass
    return [
        " ".join(paragraph.split()) for paragraph in text.split("\n\n") if paragraph
    ]


def _argument_name(argument: Any) -> str:
    if isinstance(argument, list):
        return f"[{', '.join(map(type_name, argument))}]"
    return type_name(argument)


def _members_of(cls: type) -> Iterator[DocumentedMember]:
    hints = _type_hints(cls)
    for name in inspect.get_annotations(cls):
        if not name.startswith("_"):
            yield _member(name, hints[name], "")
    for name, value in vars(cls).items():
        if name.startswith("_") or name in hints:
            continue
        if isinstance(value, property | cached_property):
            function = value.fget if isinstance(value, property) else value.func
            returned = _type_hints(function).get("return", Any)
            yield _member(name, returned, summary(function))
        elif inspect.isfunction(value):
            returned = _type_hints(value).get("return", Any)
            yield DocumentedMember(
                name,
                f"{name}({_parameters(value)}): {type_name(returned)}",
                summary(value),
                returned,
            )


def _member(name: str, annotation: Any, text: str) -> DocumentedMember:
    return DocumentedMember(name, f"{name}: {type_name(annotation)}", text, annotation)


def _parameters(function: Any) -> str:
    hints = _type_hints(function)
    parameters = list(inspect.signature(function).parameters.values())[1:]
    return ", ".join(
        f"{parameter.name}: {type_name(hints.get(parameter.name, Any))}"
        for parameter in parameters
    )


def _type_hints(value: Any) -> dict[str, Any]:
    try:
        return typing.get_type_hints(value)
    except NameError:
        # An annotation that is imported for type checkers only stays a text.
        return dict(getattr(value, "__annotations__", {}))
