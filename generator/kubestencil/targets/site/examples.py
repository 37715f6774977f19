"""Examples of a kind: the same object in YAML, Python, Jsonnet, Rust and TypeScript.

``kubestencil.targets.examples`` decides what the object contains, and each language
has a writer. Names and types are those of the targets ``python``, ``jsonnet``, ``rust``
and ``typescript``, so that an example works with the files that these generate.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from importlib import import_module
from typing import Literal

from kubestencil.engine.manifest import Target
from kubestencil.errors import SpecError
from kubestencil.schema import Definition, Release
from kubestencil.schema.kinds import kind_definitions
from kubestencil.targets.examples import yaml
from kubestencil.targets.examples.nodes import Object
from kubestencil.targets.examples.trees import ExampleTrees

_Write = Callable[[Object], str]
_Shape = Literal["starter", "all fields"]
# The code of each example that a language has, compressed, by its kind's definition.
_Codes = Mapping[tuple[str, _Shape], bytes]

_TITLES = {
    "yaml": "YAML",
    "python": "Python",
    "jsonnet": "Jsonnet",
    "rust": "Rust",
    "typescript": "TypeScript",
}
# The targets that have a writer of examples, and their views.
_VIEWS = {
    "python": "python",
    "jsonnet": "jsonnet",
    "rust": "rust",
    "typescript": "model",
}
# The fastest one: examples repeat their words often enough.
_LEVEL = 1


@dataclass(frozen=True, slots=True)
class Example:
    """An example in one language.

    ``language`` is ``yaml``, ``python``, ``jsonnet``, ``rust`` or ``typescript``,
    ``title`` the language's name for people, ``code`` the example's text.
    """

    language: str
    title: str
    code: str


class Examples:
    """The examples of a release in all languages: of its kinds, or of the definitions
    called ``names``.

    ``target`` is one that depends on the targets of the languages. A language is left
    out where its target does not exist, cannot use the release, or has no code for a
    kind. Raises TargetError for a mistake in the manifest of one of them.
    """

    def __init__(
        self, release: Release, target: Target, names: Collection[str] = ()
    ) -> None:
        self._release = release
        self._target = target
        self._names = names or kind_definitions(release)

    @cached_property
    def kinds(self) -> tuple[Definition, ...]:
        """The definitions of the kinds that have examples."""
        written = {name for name, shape in self._codes["yaml"] if shape == "starter"}
        return tuple(
            self._release.definitions[name] for name in self._names if name in written
        )

    def starter(self, definition: Definition) -> tuple[Example, ...]:
        """A first manifest of a kind; empty where it has no examples."""
        return tuple(self._written(definition, "starter"))

    def all_fields(self, definition: Definition) -> tuple[Example, ...]:
        """A kind with all fields; empty where it has no examples."""
        return tuple(self._written(definition, "all fields"))

    def _written(self, definition: Definition, shape: _Shape) -> Iterator[Example]:
        for language, codes in self._codes.items():
            code = codes.get((definition.name, shape))
            if code is not None:
                text = zlib.decompress(code).decode()
                yield Example(language, _TITLES[language], text)

    @cached_property
    def _codes(self) -> Mapping[str, _Codes]:
        """The code of all examples, by language.

        What a language's writer knows about a large catalogue of custom resources takes
        much memory. So each writes all examples, and is gone before the next.
        """
        trees = dict(self._trees())
        return {
            language: dict(_compressed(trees, make_writer))
            for language, make_writer in self._languages()
        }

    def _trees(self) -> Iterator[tuple[tuple[str, _Shape], Object]]:
        trees = ExampleTrees(self._release)
        for name in self._names:
            definition = self._release.definitions[name]
            starter = trees.starter(definition)
            if starter is not None:
                yield (name, "starter"), starter
            all_fields = trees.all_fields(definition)
            if all_fields is not None:
                yield (name, "all fields"), all_fields

    def _languages(self) -> Iterator[tuple[str, Callable[[], _Write]]]:
        """The languages that the site has examples in, and how their writers are made."""
        yield "yaml", lambda: yaml.Writer().write
        for name, view in _VIEWS.items():
            target = self._target.dependency(name)
            # A user's target of the same name may generate something else.
            if target is not None and target.view == view:
                yield name, partial(_target_writer, target, self._release)


def _target_writer(target: Target, release: Release) -> _Write:
    module = import_module(f"kubestencil.targets.{target.name}.example")
    write: _Write = module.Writer(release, target).write
    return write


def _compressed(
    trees: Mapping[tuple[str, _Shape], Object], make_writer: Callable[[], _Write]
) -> Iterator[tuple[tuple[str, _Shape], bytes]]:
    """The code of each example that a language has code for."""
    try:
        write = make_writer()
    except SpecError:
        return
    for example, tree in trees.items():
        code = write(tree)
        if code:
            yield example, zlib.compress(code.encode(), _LEVEL)
