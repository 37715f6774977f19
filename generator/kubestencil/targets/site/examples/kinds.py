"""Examples of a kind: the same object in YAML, Python, Jsonnet, Rust and TypeScript.

``kubestencil.targets.examples`` decides what the object contains, and each language
has a writer. Names and types are those of the targets ``python``, ``jsonnet``, ``rust``
and ``typescript``, so that an example works with the files that these generate.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cache, cached_property, partial
from itertools import product
from typing import Literal, NamedTuple, Protocol, get_args

from markupsafe import Markup

from kubestencil.engine.manifest import Target
from kubestencil.errors import SpecError
from kubestencil.schema import Definition, Release
from kubestencil.schema.kinds import kind_definitions
from kubestencil.schema.knowledge.configurations import (
    configuration_types,
    without_configurations,
)
from kubestencil.schema.types import Resource
from kubestencil.targets import release_for
from kubestencil.targets.examples.jsonnet import JsonnetWriter
from kubestencil.targets.examples.objects import Object
from kubestencil.targets.examples.python import PythonWriter
from kubestencil.targets.examples.rust import RustWriter
from kubestencil.targets.examples.trees import ExampleTrees
from kubestencil.targets.examples.typescript import TypeScriptWriter
from kubestencil.targets.examples.yaml import YamlWriter
from kubestencil.targets.site.examples.highlight import highlight
from kubestencil.targets.site.examples.installation import (
    Installation,
    example_installation,
)
from kubestencil.targets.site.options import site_options

_Shape = Literal["starter", "all fields"]
_SHAPES: Sequence[_Shape] = get_args(_Shape)
# The code of each example that a language has, by its kind's definition.
_Codes = Mapping[tuple[str, _Shape], str]
_TreeMaker = Callable[[str, _Shape], Object | None]

_TITLES = {
    "yaml": "YAML",
    "python": "Python",
    "jsonnet": "Jsonnet",
    "rust": "Rust",
    "typescript": "TypeScript",
    "kubectl": "kubectl",
    "curl": "curl",
}


class ExampleWriter(Protocol):
    """Writes examples in a language."""

    def write(self, definition: Definition, example: Object) -> str: ...


class Example(NamedTuple):
    """An example in one language.

    ``language`` is ``yaml``, ``python``, ``jsonnet``, ``rust`` or ``typescript``;
    ``code`` is the example's text.
    """

    language: str
    code: str
    installation: Installation

    @property
    def title(self) -> str:
        """The language's name for people."""
        return _TITLES[self.language]

    @property
    def html(self) -> Markup:
        """The code, highlighted. Templates that are rendered once for equal examples
        do this once."""
        return highlight(self.language, self.code)


class Call(NamedTuple):
    """A language that has calls of operations: ``python``, ``rust``, ``kubectl`` or
    ``curl``. The template ``calls/LANGUAGE.j2`` has their code."""

    language: str
    installation: Installation

    @property
    def title(self) -> str:
        """The language's name for people."""
        return _TITLES[self.language]

    def highlighted(self, code: str) -> Markup:
        """The code that the template has, highlighted."""
        return highlight(self.language, str(code))


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
    def trees(self) -> ExampleTrees:
        """The examples as trees, with the names of the release."""
        return ExampleTrees(self._release)

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
        # A skeleton is not there to be applied.
        resource = self._resource(definition) if shape == "starter" else None
        for language, codes in self._codes.items():
            code = codes.get((definition.name, shape))
            if code is not None:
                installation = example_installation(language, code, resource)
                yield Example(language, code, installation)

    def _resource(self, definition: Definition) -> Resource | None:
        kind = definition.served_kind
        return self._release.resources.get(kind) if kind else None

    @cached_property
    def _codes(self) -> Mapping[str, _Codes]:
        """The code of all examples, by language.

        What a language's writer knows about a large catalogue of custom resources takes
        much memory. So each writes all examples, and is gone before the next.
        """
        own_trees = _tree_maker(self._release, self.trees)
        codes = {"yaml": dict(self._written_examples(YamlWriter, own_trees))}
        # Packages of types have none of configuration files.
        release = without_configurations(self._release)
        for target, make_writer in language_writers(self._target):
            shared = release_for(target, release)
            trees = own_trees
            if shared is not release:
                trees = _tree_maker(shared, ExampleTrees(shared))
            written = self._written_examples(
                partial(make_writer, shared, target), trees
            )
            codes[target.name] = dict(written)
        return codes

    def _written_examples(
        self,
        make_writer: Callable[[], ExampleWriter],
        tree: _TreeMaker,
    ) -> Iterator[tuple[tuple[str, _Shape], str]]:
        """The code of each example that a language has code for."""
        try:
            writer = make_writer()
        except SpecError:
            return
        for name, shape in product(self._names, _SHAPES):
            if name in configuration_types() and not isinstance(writer, YamlWriter):
                continue
            example, definition = tree(name, shape), self._release.definitions[name]
            code = writer.write(definition, example) if example else ""
            if code:
                yield (name, shape), code


def language_writers(
    site: Target,
) -> Iterator[tuple[Target, Callable[[Release, Target], ExampleWriter]]]:
    """The targets of the languages, besides YAML, that the site has examples in, and the
    writers of these."""
    module = site_options(site).python_module
    for name, view, writer in (
        ("python", "python", partial(PythonWriter, module=module)),
        ("jsonnet", "jsonnet", JsonnetWriter),
        ("rust", "rust", RustWriter),
        ("typescript", "model", TypeScriptWriter),
    ):
        target = site.dependency(name)
        # A user's target of the same name may generate something else.
        if target is not None and target.view == view:
            yield target, writer


def _tree_maker(release: Release, trees: ExampleTrees) -> _TreeMaker:
    @cache
    def tree(name: str, shape: _Shape) -> Object | None:
        make = trees.starter if shape == "starter" else trees.all_fields
        return make(release.definitions[name])

    return tree
