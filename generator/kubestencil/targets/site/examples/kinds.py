"""Examples of a kind: the same object in YAML, Python, Jsonnet, Rust and TypeScript.

``kubestencil.targets.examples`` decides what the object contains, and each language
has a writer. Names and types are those of the targets ``python``, ``jsonnet``, ``rust``
and ``typescript``, so that an example works with the files that these generate.
"""

from __future__ import annotations

import zlib
from collections.abc import (
    Callable,
    Collection,
    Hashable,
    Iterator,
    Mapping,
    Sequence,
)
from functools import cache, cached_property, partial
from importlib import import_module
from itertools import product
from typing import Any, Literal, NamedTuple, Protocol, get_args

from markupsafe import Markup

from kubestencil.engine.manifest import Target
from kubestencil.engine.run_cache import cached_for_run
from kubestencil.errors import SpecError
from kubestencil.schema import Definition, Release
from kubestencil.schema.kinds import kind_definitions
from kubestencil.schema.resource import Resource
from kubestencil.targets.examples import yaml
from kubestencil.targets.examples.nodes import FragmentCache, Object
from kubestencil.targets.examples.trees import ExampleParts, ExampleTrees
from kubestencil.targets.site.examples.highlight import highlight
from kubestencil.targets.site.examples.installation import (
    Installation,
    example_installation,
)
from kubestencil.targets.site.run_contents import run_structures

_Shape = Literal["starter", "all fields"]
_SHAPES: Sequence[_Shape] = get_args(_Shape)
# A definition, the number of the structure of all that it refers to, and the example of
# it. No example has a description.
_SharedKey = tuple[str, int, _Shape]
# The code of each example that a language has, compressed, by its kind's definition.
_Codes = Mapping[tuple[str, _Shape], bytes]

_TITLES = {
    "yaml": "YAML",
    "python": "Python",
    "jsonnet": "Jsonnet",
    "rust": "Rust",
    "typescript": "TypeScript",
    "kubectl": "kubectl",
    "curl": "curl",
}
# The targets that have a writer of examples, and their views.
_VIEWS = {
    "python": "python",
    "jsonnet": "jsonnet",
    "rust": "rust",
    "typescript": "model",
}
# The fastest compression for the examples of a large catalogue of custom resources, which
# repeat their words often enough; none for those of Kubernetes, which are 2 MB.
_LEVEL = 1
_NO_COMPRESSION = 0
# The examples of a language that are kept for other releases: more than seven releases
# of Kubernetes have.
_SHARED_EXAMPLES = 4_000
# The definitions of a release whose parts and pieces of code are kept for the next one:
# more than Kubernetes has, and fewer than a large catalogue of custom resources.
_SHARED_PARTS = 4_000


class _Writer(Protocol):
    """Writes examples in a language.

    ``names`` has, for each definition of the release, all that code takes from the
    release besides the definition and those that it refers to.
    """

    @property
    def names(self) -> Mapping[str, Hashable]: ...

    def write(self, example: Object) -> str: ...


_MakeWriter = Callable[[FragmentCache[Any]], _Writer]


class _SharedCode:
    """The code of examples in one language, compressed, of several releases.

    The key of an example has the number of the structure of all that its kind refers
    to. Code is empty where a kind has no example. ``fragments`` has pieces of it.
    """

    def __init__(self) -> None:
        self.fragments = FragmentCache[Any]()
        self._names: dict[tuple[str, int], Hashable] = {}
        self._code: dict[_SharedKey, bytes] = {}

    def of(
        self, names: Mapping[str, Hashable], numbers: Mapping[str, int]
    ) -> dict[_SharedKey, bytes]:
        """The code that a writer with these names would write, too: empty where it has
        another name for a definition than another writer had."""
        names_by_number = {(name, numbers[name]): names[name] for name in names}
        is_usable = len(self._code) < _SHARED_EXAMPLES and all(
            self._names.get(key, name) == name for key, name in names_by_number.items()
        )
        if not is_usable:
            self._names, self._code = {}, {}
            self.fragments.clear()
        self._names.update(names_by_number)
        return self._code


@cached_for_run
def _shared_code(language: str, target: str) -> _SharedCode:
    """The code that this process has written in a language, whose target is in the
    notation of ``repr``."""
    del language, target
    return _SharedCode()


@cached_for_run
def _last_parts() -> dict[tuple[str, int], ExampleParts]:
    """What examples of the release before contain of each definition, by its name and
    the number of the structure of all that it refers to."""
    return {}


class Example(NamedTuple):
    """An example in one language.

    ``language`` is ``yaml``, ``python``, ``jsonnet``, ``rust`` or ``typescript``, for
    calls of operations ``kubectl`` or ``curl`` as well; ``title`` is the language's name
    for people, ``code`` the example's text.
    """

    language: str
    title: str
    code: str
    installation: Installation

    @property
    def html(self) -> Markup:
        """The code, highlighted. Templates that are rendered once for equal examples
        do this once."""
        return highlight(self.language, self.code)


def make_example(language: str, code: str, installation: Installation) -> Example:
    """An example with the title of its language."""
    return Example(language, _TITLES[language], code, installation)


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
        # A skeleton is not there to be applied.
        resource = self._resource(definition) if shape == "starter" else None
        for language, codes in self._codes.items():
            code = codes.get((definition.name, shape))
            if code is not None:
                text = zlib.decompress(code).decode()
                installation = example_installation(language, text, resource)
                yield make_example(language, text, installation)

    def _resource(self, definition: Definition) -> Resource | None:
        kinds = definition.kinds
        return self._release.resources.get(kinds[0]) if len(kinds) == 1 else None

    @cached_property
    def _codes(self) -> Mapping[str, _Codes]:
        """The code of all examples, by language.

        What a language's writer knows about a large catalogue of custom resources takes
        much memory. So each writes all examples, and is gone before the next.
        """
        numbers = run_structures().reached(self._release)
        last_parts = _last_parts()
        equal = {
            key[0]: last_parts[key] for key in numbers.items() if key in last_parts
        }
        trees = ExampleTrees(self._release, equal)
        tree = cache(partial(_tree, trees, self._release))
        codes = {
            language: dict(
                self._compressed(
                    numbers, tree, make_writer, _shared_code(language, described)
                )
            )
            for language, described, make_writer in self._languages()
        }
        last_parts.clear()
        if len(numbers) <= _SHARED_PARTS:
            last_parts.update(
                ((name, numbers[name]), parts) for name, parts in trees.parts.items()
            )
        return codes

    def _compressed(
        self,
        numbers: Mapping[str, int],
        tree: Callable[[str, _Shape], Object | None],
        make_writer: _MakeWriter,
        shared_code: _SharedCode,
    ) -> Iterator[tuple[tuple[str, _Shape], bytes]]:
        """The code of each example that a language has code for."""
        try:
            writer = make_writer(shared_code.fragments)
        except SpecError:
            return
        shared = shared_code.of(writer.names, numbers)
        level = _LEVEL if len(numbers) > _SHARED_PARTS else _NO_COMPRESSION
        for name, shape in product(self._names, _SHAPES):
            key = name, numbers[name], shape
            code = shared.get(key)
            if code is None:
                example = tree(name, shape)
                text = writer.write(example) if example else ""
                code = zlib.compress(text.encode(), level) if text else b""
                shared[key] = code
            if code:
                yield (name, shape), code
        if len(numbers) > _SHARED_PARTS:
            shared_code.fragments.clear()

    def _languages(self) -> Iterator[tuple[str, str, _MakeWriter]]:
        """The languages that the site has examples in, with their targets in the
        notation of ``repr``, and how their writers are made."""
        yield "yaml", "", yaml.Writer
        for name, view in _VIEWS.items():
            target = self._target.dependency(name)
            # A user's target of the same name may generate something else.
            if target is not None and target.view == view:
                writer = partial(_target_writer, target, self._release)
                yield name, repr(target), writer


def _target_writer(
    target: Target, release: Release, fragments: FragmentCache[Any]
) -> _Writer:
    module = import_module(f"kubestencil.targets.{target.name}.example")
    writer: _Writer = module.Writer(release, target, fragments)
    return writer


def _tree(
    trees: ExampleTrees, release: Release, name: str, shape: _Shape
) -> Object | None:
    definition = release.definitions[name]
    is_starter = shape == "starter"
    return trees.starter(definition) if is_starter else trees.all_fields(definition)
