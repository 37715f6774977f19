"""The view of a Python package: a module for each definition that has fields.

Names are those of the official client, see ``kubestencil.targets.python.names``. A class
is a msgspec Struct, and three facts about those shape the modules:

- annotations are evaluated, so that every class in one has to be importable from
  its module: classes that need each other are quoted there, and imported at the
  end of the module;
- an annotation sees the class's attributes first: where one is called like a type
  (``V1DeviceAttribute.bool``), the type is imported under another name;
- times are exact to the second or to the microsecond, which a class with times
  ensures in Python code (``TimedModel`` in ``templates/python/base.py.j2``).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from keyword import iskeyword
from operator import itemgetter
from typing import NamedTuple

from kubestencil.engine.manifest import Target
from kubestencil.engine.view import Contexts, Each, FileContext
from kubestencil.errors import SpecError
from kubestencil.schema import Definition, Field, Release, Schema
from kubestencil.targets.python.names import (
    WIDTH,
    class_names,
    docstring,
    literal,
    module_name,
)
from kubestencil.targets.python.spelling_options import spelling

# Kubernetes' own types whose JSON is not what their name promises.
_QUANTITY = "io.k8s.apimachinery.pkg.api.resource.Quantity"
_TIMES = {
    "io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime": "MicroTime",
    "io.k8s.apimachinery.pkg.apis.meta.v1.Time": "Time",
}
# What the runtime has for a time: the function that makes a value exact.
_EXACT = {"DateTime": "to_datetime", "MicroTime": "to_micro_time", "Time": "to_time"}
_RUNTIME = frozenset([*_EXACT, "Quantity"])
_PLAIN = {
    "boolean": "bool",
    "integer": "int",
    # An int stays one: 1 must not come back as 1.0.
    "number": "int | float",
    "string": "str",
}
_OFFICIAL = {"boolean": "bool", "integer": "int", "number": "float", "string": "str"}
_BUILTINS = frozenset(["bool", "dict", "float", "int", "list", "str"])
_WORD = re.compile(r"\w+")
# msgspec does not take these for names in JSON (msgspec.Struct, rename).
_NO_NAME = re.compile(r'[\\"\x00-\x1f]')
# Importing a class imports what it needs: each step is half a dozen of the
# interpreter's frames, of which it has a thousand.
_MAX_DEPTH = 100
_PACKAGE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
_PROJECT = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?\Z")
_VERSION = re.compile(r"\d+(?:\.\d+)*\Z")


# A tuple, since a release has thousands, and a frozen dataclass takes four times as
# long to make.
class FieldRow(NamedTuple):
    """An attribute. ``json_name`` and ``official`` are literals.

    ``annotation`` is on lines of its own where it is ``wrapped``; ``official`` is
    the type as the official client names it; ``exact`` the function that makes a
    time exact, empty for anything else; ``docstring`` may be empty.
    """

    name: str
    json_name: str
    annotation: str
    wrapped: bool
    required: bool
    official: str
    exact: str
    docstring: str


@dataclass(frozen=True, slots=True)
class Import:
    """``from .module import name``; ``wrapped`` where a line cannot hold it."""

    module: str
    name: str
    wrapped: bool


@dataclass(frozen=True, slots=True)
class Module:
    """A module with one class.

    ``typing`` and ``runtime`` are the names it imports from there, ``builtins``
    those it imports with a ``_`` before them; ``imports`` are the classes its
    annotations need, ``late`` those that need this one in turn.
    """

    name: str
    base: str
    definition: str
    docstring: str
    fields: tuple[FieldRow, ...]
    times: tuple[FieldRow, ...]
    typing: tuple[str, ...]
    runtime: tuple[str, ...]
    builtins: tuple[str, ...]
    imports: tuple[Import, ...]
    late: tuple[Import, ...]


@dataclass(frozen=True, slots=True)
class Entry:
    """A class in the package's list of classes.

    ``wrapped`` where a line cannot hold ``from .module import name as name``.
    """

    name: str
    module: str
    wrapped: bool


@dataclass(frozen=True, slots=True)
class Kind:
    """What the API server calls a class; ``kind`` is a literal."""

    kind: str
    name: str


@dataclass(frozen=True, slots=True)
class KindGroup:
    """The kinds of one apiVersion, which is a literal."""

    api_version: str
    kinds: tuple[Kind, ...]


@dataclass(frozen=True, slots=True)
class Type:
    """A spelled type: Python's, the official client's, and the classes in both.

    ``exact`` is the runtime's function that makes a time exact, empty for others.
    """

    annotation: str
    official: str
    refs: tuple[str, ...] = ()
    exact: str = ""


#: What targets can print files for.
EACH: Mapping[str, Each] = {}

#: This view reproduces no quirks.
QUIRKS: Mapping[str, str] = {}


def make_contexts(release: Release, target: Target) -> Contexts:
    """The package of ``release``.

    Raises SpecError where a definition cannot become a class, or two names
    become one; TargetError for a spelling or an option that cannot be.
    """
    return Contexts(
        files=Package(release, target).files(),
    )


class Package:
    """The names and the types of the package that ``target`` prints."""

    def __init__(self, release: Release, target: Target) -> None:
        self.release = release
        self.spelling = spelling(target)
        _check_options(target)
        reserved = self.spelling.reserved_classes
        self.classes = class_names(release.definitions, reserved)
        self.types: dict[str, Type] = {}

    def check(self) -> None:
        """Raise the SpecError that printing would raise."""
        self.kinds()
        for each in self.models:
            self.fields(each)
            self.attributes(each)
        # These are found when they are asked for.
        _ = self.modules, self.circles

    def files(self) -> Mapping[str, Callable[[], Iterable[FileContext]]]:
        return {
            "definition": lambda: map(self.module_item, self.models),
            "release": lambda: [self.whole],
        }

    @cached_property
    def whole(self) -> FileContext:
        """The package, for the files that it has one of."""
        values = {
            "models": [self.entry(each) for each in self.models],
            "kinds": self.kinds(),
            "project_version": _version(self.release.name),
        }
        return FileContext(self.release.name, {}, values)

    @cached_property
    def models(self) -> Sequence[Definition]:
        found = [each for each in self.release.definitions.values() if each.is_object]
        return sorted(found, key=lambda each: self.classes[each.name])

    @cached_property
    def modules(self) -> Mapping[str, str]:
        """The module of each class."""
        acronyms = self.spelling.acronyms
        names = (self.classes[each.name] for each in self.models)
        return {name: module_name(name, acronyms) for name in names}

    @cached_property
    def circles(self) -> Mapping[str, int]:
        """A number for each class; classes that need each other share one."""
        needs = {
            self.classes[each.name]: tuple(
                ref for field in each.fields for ref in self.type(field.schema).refs
            )
            for each in self.models
        }
        return _circles(needs)

    def entry(self, definition: Definition) -> Entry:
        name = self.classes[definition.name]
        module = self.modules[name]
        line = f"from .{module} import {name} as {name}"
        return Entry(name, module, len(line) > WIDTH)

    def kinds(self) -> Sequence[KindGroup]:
        owners: dict[tuple[str, str], str] = {}
        for definition in self.models:
            name = self.classes[definition.name]
            for each in definition.kinds:
                key = each.api_version, each.kind
                other = owners.setdefault(key, name)
                if other != name:
                    raise SpecError(
                        f"{other} and {name} are both {key[1]!a} of {key[0]!a}",
                        hint="remove x-kubernetes-group-version-kind from one of them",
                    )
        return [
            KindGroup(
                literal(api_version),
                tuple(Kind(literal(key[1]), owners[key]) for key in keys),
            )
            for api_version, keys in groupby(sorted(owners), key=itemgetter(0))
        ]

    def module_item(self, definition: Definition) -> FileContext:
        module = self.module(definition)
        names = {"name": module.name, "module": self.modules[module.name]}
        return FileContext(definition.name, names, {"model": module})

    def module(self, definition: Definition) -> Module:
        name = self.classes[definition.name]
        fields = self.fields(definition)
        words = {word for _, spelled in fields for word in _words(spelled.annotation)}
        clashes = _BUILTINS.intersection(words).intersection(
            self.attributes(definition).values()
        )
        rows = tuple(
            self.row(field, spelled, name, clashes) for field, spelled in fields
        )
        refs = {ref for _, spelled in fields for ref in spelled.refs} - {name}
        late = {ref for ref in refs if self.circles[ref] == self.circles[name]}
        times = tuple(row for row in rows if row.exact)
        base = "TimedModel" if times else "Model"
        return Module(
            name=name,
            base=base,
            definition=definition.name,
            docstring=docstring(definition.description, 4)
            or docstring(definition.name, 4),
            fields=rows,
            times=times,
            typing=("Any",) if "Any" in words else (),
            runtime=_imported_order(
                {base, *_RUNTIME.intersection(words), *(row.exact for row in times)}
            ),
            builtins=tuple(sorted(clashes)),
            imports=tuple(map(self.imported, sorted(refs - late))),
            late=tuple(map(self.imported, sorted(late))),
        )

    def fields(self, definition: Definition) -> list[tuple[Field, Type]]:
        """The fields in the order of their JSON names, as the official classes
        have them: it is the order in which their ApiClient writes them."""
        ordered = sorted(definition.fields, key=lambda field: field.name)
        for field in ordered:
            if _NO_NAME.search(field.name):
                raise SpecError(
                    f"the field {field.name!a} has a name that cannot be an attribute's: "
                    "a quote, a backslash or a control character",
                    where=definition.name,
                    hint="rename it in the document",
                )
        return [(field, self.type(field.schema)) for field in ordered]

    def attributes(self, definition: Definition) -> Mapping[str, str]:
        """The attribute of each field."""
        taken: dict[str, str] = {}
        for field in definition.fields:
            name = self.spelling.attribute(field.name)
            other = taken.setdefault(name, field.name)
            if other != field.name:
                raise SpecError(
                    f"two fields get the attribute {name}: {other!a} and "
                    f"{field.name!a}",
                    where=definition.name,
                    hint="rename one of them in the document",
                )
        return {json_name: name for name, json_name in taken.items()}

    def row(
        self,
        field: Field,
        spelled: Type,
        owner: str,
        clashes: frozenset[str],
    ) -> FieldRow:
        name = self.spelling.attribute(field.name)
        annotation = spelled.annotation
        if clashes:
            annotation = _WORD.sub(
                lambda word: f"_{word[0]}" if word[0] in clashes else word[0],
                annotation,
            )
        if not field.required and annotation != "Any":
            annotation = f"{annotation} | None"
        circle = self.circles[owner]
        if any(self.circles[ref] == circle for ref in spelled.refs):
            annotation = f'"{annotation}"'
        default = "" if field.required else " = None"
        return FieldRow(
            name=name,
            json_name=literal(field.name),
            annotation=annotation,
            wrapped=len(f"    {name}: {annotation}{default}") > WIDTH,
            required=field.required,
            official=literal(spelled.official),
            exact=spelled.exact,
            docstring=docstring(field.schema.description, 4),
        )

    def imported(self, name: str) -> Import:
        module = self.modules[name]
        return Import(module, name, len(f"from .{module} import {name}") > WIDTH)

    def type(self, schema: Schema) -> Type:
        if schema.ref is not None:
            known = self.types.get(schema.ref)
            if known is None:
                known = self.types[schema.ref] = self.referred(schema.ref)
            return known
        if schema.type == "array":
            inside = self.type(schema.items) if schema.items else _ANYTHING
            return Type(
                f"list[{inside.annotation}]",
                f"list[{inside.official}]",
                inside.refs,
                inside.exact,
            )
        if schema.values is not None:
            inside = self.type(schema.values)
            return Type(
                f"dict[str, {inside.annotation}]",
                f"dict(str, {inside.official})",
                inside.refs,
                inside.exact,
            )
        return _plain(schema)

    def referred(self, name: str) -> Type:
        definition = self.release.definitions[name]
        if definition.is_object:
            spelled = self.classes[name]
            return Type(spelled, spelled, (spelled,))
        if name == _QUANTITY:
            return Type("Quantity", "str")
        if name in _TIMES and definition.schema.format == "date-time":
            return _time(_TIMES[name])
        return self.type(definition.schema)


_ANYTHING = Type("Any", "object")


def _plain(schema: Schema) -> Type:
    if schema.int_or_string:
        return Type("int | str", "object")
    if schema.type == "object":
        return Type("dict[str, Any]", "object")
    if schema.type == "string" and schema.format == "date-time":
        return _time("DateTime")
    if schema.type in _PLAIN:
        return Type(_PLAIN[schema.type], _OFFICIAL[schema.type])
    return _ANYTHING


def _time(name: str) -> Type:
    return Type(name, "datetime", exact=_EXACT[name])


def _words(annotation: str) -> Iterator[str]:
    return (match[0] for match in _WORD.finditer(annotation))


def _imported_order(names: Iterable[str]) -> tuple[str, ...]:
    """Classes before functions, as isort has them."""
    return tuple(sorted(names, key=lambda name: (name[0].islower(), name)))


def _check_options(target: Target) -> None:
    package = str(target.options.get("package", ""))
    if not _PACKAGE.match(package) or iskeyword(package):
        raise target.error(f"{package!r} cannot name a package", "options.package")
    project = str(target.options.get("project", ""))
    if not _PROJECT.match(project):
        raise target.error(f"{project!r} cannot name a project", "options.project")


def _version(release: str) -> str:
    """The project's version: that of the release, where it has one."""
    return f"{release}.0" if _VERSION.match(release) else "0.0.0"


def _circles(needs: Mapping[str, Sequence[str]]) -> Mapping[str, int]:
    """The strongly connected parts of a graph, each with a number (Tarjan).

    Raises SpecError where a path through the graph is too long to be imported.
    """
    found: dict[str, int] = {}
    depths: dict[str, int] = {}
    order: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    for start in needs:
        path = [] if start in order else [(start, iter(needs[start]))]
        while path:
            name, rest = path[-1]
            if name not in order:
                order[name] = low[name] = len(order)
                stack.append(name)
            for other in rest:
                if other not in order:
                    path.append((other, iter(needs[other])))
                    break
                if other not in found:
                    low[name] = min(low[name], order[other])
            else:
                path.pop()
                if path:
                    above = path[-1][0]
                    low[above] = min(low[above], low[name])
                if low[name] != order[name]:
                    continue
                circle = stack[stack.index(name) :]
                del stack[-len(circle) :]
                inside = set(circle)
                below = (
                    depths[other]
                    for each in circle
                    for other in needs[each]
                    if other not in inside
                )
                depth = len(circle) + max(below, default=0)
                if depth > _MAX_DEPTH:
                    raise SpecError(
                        f"{name} needs a class that needs a class …, more than "
                        f"{_MAX_DEPTH} deep",
                        hint="make the chain of definitions shorter",
                    )
                for each in circle:
                    found[each] = order[name]
                    depths[each] = depth
    return found
