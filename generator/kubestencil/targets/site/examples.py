"""How to write a kind: the same object in YAML, Python, Jsonnet and Rust.

What the object says is decided once (``trees``), and each language has a writer.
The names and types are those of the targets ``python``, ``jsonnet`` and ``rust``,
so that an example runs with what those print.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module

from kubestencil.engine.manifest import Target
from kubestencil.errors import SpecError
from kubestencil.schema import Definition, Release
from kubestencil.schema.kinds import kind_definitions
from kubestencil.targets.examples import yaml
from kubestencil.targets.examples.nodes import Object
from kubestencil.targets.examples.trees import ExampleTrees

_Write = Callable[[Object], str]

_TITLES = {"yaml": "YAML", "python": "Python", "jsonnet": "Jsonnet", "rust": "Rust"}
# The targets whose languages examples are in.
_TARGETS = ("python", "jsonnet", "rust")


@dataclass(frozen=True, slots=True)
class Example:
    """One example in one language: ``yaml``, ``python``, ``jsonnet`` or ``rust``;
    ``title`` is what people call the language."""

    language: str
    title: str
    code: str


class Examples:
    """The examples of a release.

    ``target`` is one that borrows those of the languages. A language is left out
    where its target is not there or cannot print the release, or has
    nothing for a kind. Raises TargetError for a manifest with a mistake.
    """

    def __init__(self, release: Release, target: Target) -> None:
        self.release = release
        self.target = target

    @cached_property
    def kinds(self) -> tuple[Definition, ...]:
        """The definitions that there are examples of."""
        names = kind_definitions(self.release)
        found = (self.release.definitions[name] for name in names)
        return tuple(each for each in found if self._trees.required(each))

    def required(self, definition: Definition) -> tuple[Example, ...]:
        """A kind with what is required; empty for what has no examples."""
        return self._written(self._trees.required(definition))

    def every(self, definition: Definition) -> tuple[Example, ...]:
        """A kind with all of its fields; empty for what has no examples."""
        return self._written(self._trees.every(definition))

    def _written(self, example: Object | None) -> tuple[Example, ...]:
        if example is None:
            return ()
        written = ((name, write(example)) for name, write in self._writers.items())
        return tuple(
            Example(name, _TITLES[name], code) for name, code in written if code
        )

    @cached_property
    def _trees(self) -> ExampleTrees:
        return ExampleTrees(self.release)

    @cached_property
    def _writers(self) -> dict[str, _Write]:
        return {"yaml": yaml.Writer().write, **dict(self._of_targets())}

    def _of_targets(self) -> Iterator[tuple[str, _Write]]:
        for name in _TARGETS:
            found = self.target.dependency(name)
            # A user's target of that name may be about something else.
            if found is None or found.view != name:
                continue
            module = import_module(f"kubestencil.targets.{name}.example")
            try:
                yield name, module.Writer(self.release, found).write
            except SpecError:
                continue
