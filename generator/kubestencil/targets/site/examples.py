"""Examples of a kind: the same object in YAML, Python, Jsonnet and Rust.

``kubestencil.targets.examples`` decides what the object contains, and each language
has a writer. Names and types are those of the targets ``python``, ``jsonnet`` and
``rust``, so that an example works with the files that these generate.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
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
# The targets that have a writer of examples.
_TARGETS = ("python", "jsonnet", "rust")


@dataclass(frozen=True, slots=True)
class Example:
    """An example in one language.

    ``language`` is ``yaml``, ``python``, ``jsonnet`` or ``rust``, ``title`` the
    language's name for people, ``code`` the example's text.
    """

    language: str
    title: str
    code: str


class Examples:
    """The examples of a release in all languages.

    ``target`` is one that depends on the targets of the languages. A language is left
    out where its target does not exist, cannot use the release, or has no code for a
    kind. Raises TargetError for a mistake in the manifest of one of them.
    """

    def __init__(self, release: Release, target: Target) -> None:
        self._release = release
        self._target = target

    @cached_property
    def kinds(self) -> tuple[Definition, ...]:
        """The definitions of the kinds that have examples."""
        names = kind_definitions(self._release)
        definitions = (self._release.definitions[name] for name in names)
        return tuple(
            definition for definition in definitions if self._trees.required(definition)
        )

    def required(self, definition: Definition) -> tuple[Example, ...]:
        """A kind with its required fields; empty where it has no examples."""
        return self._written(self._trees.required(definition))

    def all_fields(self, definition: Definition) -> tuple[Example, ...]:
        """A kind with all fields; empty where it has no examples."""
        return self._written(self._trees.all_fields(definition))

    def _written(self, tree: Object | None) -> tuple[Example, ...]:
        if tree is None:
            return ()
        codes = ((name, write(tree)) for name, write in self._writers.items())
        return tuple(Example(name, _TITLES[name], code) for name, code in codes if code)

    @cached_property
    def _trees(self) -> ExampleTrees:
        return ExampleTrees(self._release)

    @cached_property
    def _writers(self) -> Mapping[str, _Write]:
        return {"yaml": yaml.Writer().write, **dict(self._target_writers())}

    def _target_writers(self) -> Iterator[tuple[str, _Write]]:
        for name in _TARGETS:
            target = self._target.dependency(name)
            # A user's target of the same name may generate something else.
            if target is None or target.view != name:
                continue
            module = import_module(f"kubestencil.targets.{name}.example")
            try:
                yield name, module.Writer(self._release, target).write
            except SpecError:
                continue
