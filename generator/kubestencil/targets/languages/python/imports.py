"""Imports between generated modules: their cycles and depth, and the order of names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from kubestencil.errors import SpecError
from kubestencil.schema.graph import Graph, components
from kubestencil.targets.languages.python.annotations import LINE_LENGTH

# Importing a class imports the classes that it refers to. Each of these nested imports
# takes about six frames of the interpreter, whose recursion limit is 1000.
_MAX_DEPTH = 100


class ClassEntry(NamedTuple):
    """A class and its module, for lists of all classes.

    ``wrapped`` where ``from .module import name as name`` is too long for one line.
    """

    name: str
    module: str
    wrapped: bool


def class_entry(name: str, module: str) -> ClassEntry:
    """The entry of a class in the list of its package."""
    line = f"from .{module} import {name} as {name}"
    return ClassEntry(name, module, len(line) > LINE_LENGTH)


class ImportFrom(NamedTuple):
    """``from module import names``; ``wrapped`` where it is too long for one line."""

    module: str
    names: tuple[str, ...]
    wrapped: bool


def import_from(module: str, names: Iterable[str]) -> Iterator[ImportFrom]:
    """The statement that imports names, sorted; none without names."""
    names = sort_like_isort(names)
    if names:
        line = f"from {module} import {', '.join(names)}"
        yield ImportFrom(module, names, len(line) > LINE_LENGTH)


def import_cycles(graph: Graph) -> Mapping[str, int]:
    """A number for each class, which is the same for classes that import each other.

    ``graph`` maps each class to the classes that it refers to. Raises SpecError where
    imports would be nested too deeply for the interpreter.
    """
    cycles: dict[str, int] = {}
    depths: list[int] = []
    for number, classes in enumerate(components(graph)):
        cycles.update(dict.fromkeys(classes, number))
        # What a cycle refers to comes before it.
        nested = (
            depths[cycles[reference]]
            for class_name in classes
            for reference in graph[class_name]
            if cycles[reference] != number
        )
        depth = len(classes) + max(nested, default=0)
        if depth > _MAX_DEPTH:
            raise SpecError(
                f"{classes[0]} refers to a class that refers to a class …, more than "
                f"{_MAX_DEPTH} deep",
                hint="make the chain of references shorter",
            )
        depths.append(depth)
    return cycles


def sort_like_isort(names: Iterable[str]) -> tuple[str, ...]:
    """Classes before functions, each sorted."""
    return tuple(sorted(names, key=lambda name: (name[0].islower(), name)))
