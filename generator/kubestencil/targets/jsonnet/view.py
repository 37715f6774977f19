"""The view of a Jsonnet library: the builders of each type, as k8s-gen has them.

``Library`` says what there is for a release, in the order of names; both the
library and its pages are printed from it. The rules are those of
https://github.com/jsonnet-libs/k8s (pkg/swagger, pkg/model, pkg/render).

Options: ``name`` and ``description`` of the library, the ``repository`` it is
imported from, ``prefix`` (a regular expression for the full names of what is
printed) and ``overlay`` (see ``kubestencil.targets.jsonnet.overlay``).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from graphlib import TopologicalSorter
from itertools import groupby, starmap
from typing import NamedTuple

from kubestencil.engine.manifest import Target
from kubestencil.engine.view import Contexts, Each, FileContext
from kubestencil.errors import SpecError, UsageError
from kubestencil.schema import Definition, Field, GroupVersionKind, Release, Schema
from kubestencil.targets.jsonnet import overlay
from kubestencil.targets.jsonnet import spelling as jsonnet

_LIST_META = "io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta"
_MIXIN_NOTE = "\n\n**Note:** This function appends passed data to existing values"
# The last three words of a full name. One with a dash cannot be a group.
_PLACE = re.compile(r".+?\.(?:(?P<group>\w+)\.)?(?P<version>\w+)\.(?P<kind>\w+)", re.A)
_NO_GROUP = "nogroup"
# Kubernetes' largest type (Volume) has 220 builders, its deepest (CronJob) nine
# levels. References that double at every step would fill the memory, so there is
# an end to it.
_MAX_SIZE = 20_000
_MAX_DEPTH = 40

#: The accidents of the published library that this view can reproduce.
QUIRKS: Mapping[str, str] = {
    "camel-json-name": "the JSON name of a field is spelled like its builder",
    "dotted-path": "a dot in the name of a field is taken for a level",
    "html-escapes-with-apostrophe": "< is \\u003c where a text has both quotes",
    "list-meta-is-a-list": "whatever has a ListMeta is left out, Status too",
    "new-without-metadata": "new names a kind that has no metadata",
    "open-tags": "pages have tags of the listed elements, without values",
    "quote-at-end": "a description that ends in a quote loses the closing one",
    "status-anywhere": "no field called status has a builder",
    "type-description": "a field shows its type's description for its own",
}


class Function(NamedTuple):
    """A builder: ``withReplicas``. ``field`` is what it sets, as a path."""

    name: str
    help: str
    argument: str
    type: str
    field: tuple[str, ...]
    appends: bool


class Constructor(NamedTuple):
    """``new``: an object with its ``apiVersion`` and ``kind``."""

    name: str
    help: str
    argument: str
    kind: GroupVersionKind


class Nested(NamedTuple):
    """An object with builders for what is inside a field.

    ``path`` is where they patch: below their parent's, or, for the items of a
    list, in an object of their own.
    """

    name: str
    help: str
    path: tuple[str, ...] | None
    members: Members


Member = Function | Constructor | Nested


@dataclass(frozen=True, slots=True, eq=False)
class Members:
    """What is in one object, by name; ``size`` and ``depth`` count all below."""

    entries: tuple[Member, ...]
    size: int
    depth: int


@dataclass(frozen=True, slots=True)
class Type:
    """A definition with a file of its own in the library."""

    definition: str
    group: str
    version: str
    name: str
    help: str
    members: Members


class Import(NamedTuple):
    """A member of an index: its key, and the file that is imported for it."""

    key: str
    path: str


class Line(NamedTuple):
    """One member in a type's file, or the end of an object. ``form`` is one of
    ``function``, ``new``, ``object``, ``empty`` and ``end``."""

    form: str
    pad: str
    documented: str = ""
    key: str = ""
    help: str = ""
    argument: str = ""
    argument_name: str = ""
    type: str = ""
    body: str = ""
    api_version: str = ""
    kind: str = ""


#: What targets can print files for.
EACH: Mapping[str, Each] = {}


def make_contexts(release: Release, target: Target) -> Contexts:
    """The files of the library of ``release``.

    Raises SpecError for two builders of one name and for a type that is too
    large, UsageError for an overlay that is wrong.
    """
    return Contexts(
        files=_Files(release, target).files(),
    )


class Library:
    """The types that have builders, in the order of group, version and name."""

    def __init__(self, release: Release, target: Target) -> None:
        self.release = release
        self.quirks = frozenset(target.quirks)
        self.options = {name: str(value) for name, value in target.options.items()}
        self.name = self.options["name"]
        self.url = f"{self.options['repository']}/{release.name}/main.libsonnet"
        self.description = self.options["description"].replace(
            "{release}", release.name
        )
        builders = _Builders(release, self.quirks)
        types = (
            builders.type(definition, place)
            for definition, place in self.printed(_prefix(target))
        )
        self.types = tuple(
            sorted(types, key=lambda each: (each.group, each.version, each.name))
        )

    def printed(
        self, prefix: re.Pattern[str]
    ) -> Iterator[tuple[Definition, re.Match[str]]]:
        """The definitions that have a place in the library."""
        for definition in self.release.definitions.values():
            place = _PLACE.fullmatch(definition.name)
            if place and prefix.match(definition.name) and not self.is_list(definition):
                yield definition, place

    def is_list(self, definition: Definition) -> bool:
        """Whether it is a list of a kind: those have no builders."""
        by_name = {field.name: field.schema for field in definition.fields}
        metadata = by_name.get("metadata")
        listed = metadata is not None and metadata.ref == _LIST_META
        return listed and ("list-meta-is-a-list" in self.quirks or "items" in by_name)

    def groups(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Each group with its versions."""
        for group, types in groupby(self.types, lambda each: each.group):
            yield group, tuple(dict.fromkeys(each.version for each in types))

    def skeleton(self) -> overlay.Skeleton:
        """The objects by group, version and type, with those inside of a type."""
        groups: dict[str, dict[str, dict[str, dict[str, overlay.Skeleton]]]] = {}
        for each in self.types:
            group = groups.setdefault(each.group, {})
            group.setdefault(each.version, {})[each.name] = {
                member.name: {}
                for member in each.members.entries
                if isinstance(member, Nested)
            }
        return groups

    def versions(self) -> Iterator[tuple[str, str, tuple[Type, ...]]]:
        """Each group and version with its types."""
        key = lambda each: (each.group, each.version)  # noqa: E731
        for (group, version), types in groupby(self.types, key):
            yield group, version, tuple(types)


class _Builders:
    """Makes the builders of definitions, each once."""

    def __init__(self, release: Release, quirks: frozenset[str]) -> None:
        self.release = release
        self.quirks = quirks
        graph = {
            name: frozenset(_references(definition.schema))
            for name, definition in release.definitions.items()
        }
        # Builders for what is inside a type that is inside itself have no end:
        # a field of such a type is set as a whole.
        self.whole = _circular(graph) | {_LIST_META}
        self.inside: dict[str, list[tuple[Field, list[Member]]]] = {}
        self.members: dict[str, Members] = {}
        followed = {name: graph[name] - self.whole for name in graph}
        # What is referred to comes first, so that nothing here recurses deeply.
        for name in TopologicalSorter(followed).static_order():
            self.add(release.definitions[name])

    def add(self, definition: Definition) -> None:
        built = [
            (field, list(self.field(field.schema, field.name, definition.name)))
            for field in definition.fields
            if field.name != "status" or "status-anywhere" not in self.quirks
        ]
        self.inside[definition.name] = built
        self.members[definition.name] = _members(
            (member for _, members in built for member in members), definition.name
        )

    def type(self, definition: Definition, place: re.Match[str]) -> Type:
        return Type(
            definition=definition.name,
            group=place["group"] or _NO_GROUP,
            version=place["version"],
            name=jsonnet.camel_lower(place["kind"]),
            help=self.help(definition.description),
            members=_members(self.top(definition), definition.name, ("mixin",)),
        )

    def top(self, definition: Definition) -> Iterator[Member]:
        """The builders at the top of a file: ``new`` does for two of the fields."""
        named = "new-without-metadata" in self.quirks
        for field, members in self.inside[definition.name]:
            if field.name in ("apiVersion", "status"):
                continue
            for each in members:
                if each.name != "withKind" or not definition.kinds:
                    yield each
                named = named or _is_named(each)
        if definition.kinds:
            yield Constructor(
                name="new",
                help=f"new returns an instance of {jsonnet.title(definition.kind)}",
                argument="name" if named else "",
                kind=_preferred(definition.kinds),
            )

    def field(self, own: Schema, json_name: str, where: str) -> Iterator[Member]:
        """The builders of one field: one that sets it, one that adds, an object."""
        schema = self.followed(own)
        name = jsonnet.camel_lower(json_name)
        described = "type-description" in self.quirks or not own.description
        text = self.help((schema if described else own).description)
        field = self.levels(name if "camel-json-name" in self.quirks else json_name)
        if schema.type == "array":
            if "items" not in schema.raw:
                return
            items = schema.items
            if items is not None and items.fields and self.followed(items) is items:
                yield Nested(name, text, None, self.inline(items, where))
        elif schema.type in ("object", None) and schema.fields:
            inner = (
                self.inline(schema, where) if own.ref is None else self.members[own.ref]
            )
            yield Nested(name, text, field, inner)
            return
        set_ = Function(
            name=f"with{jsonnet.title(name)}",
            help=text,
            argument=jsonnet.argument(name),
            type=schema.type or "any",
            field=field,
            appends=False,
        )
        yield set_
        if schema.type in ("array", "object"):
            yield set_._replace(
                name=f"{set_.name}Mixin", help=text + _MIXIN_NOTE, appends=True
            )

    def inline(self, schema: Schema, where: str) -> Members:
        """The builders inside an object that is described where it is used."""
        fields = (
            field
            for field in schema.fields
            if field.name != "status" or "status-anywhere" not in self.quirks
        )
        return _members(
            (
                member
                for field in fields
                for member in self.field(field.schema, field.name, where)
            ),
            where,
        )

    def followed(self, schema: Schema) -> Schema:
        """What ``schema`` refers to: one step, as far as builders go."""
        if schema.ref is None or schema.ref in self.whole:
            return schema
        return self.release.definitions[schema.ref].schema

    def levels(self, field: str) -> tuple[str, ...]:
        return tuple(field.split(".")) if "dotted-path" in self.quirks else (field,)

    def help(self, text: str) -> str:
        """A description as the library shows it: a quoted line."""
        if not text:
            return ""
        shown = jsonnet.go_quoted(text)
        # k8s-gen cuts two quotes off at the end, meant for the empty description.
        return shown.removesuffix('""') if "quote-at-end" in self.quirks else shown


class _Files:
    """The files of a library, for each kind of rule in ``target.toml``."""

    def __init__(self, release: Release, target: Target) -> None:
        self.library = Library(release, target)
        skeleton = self.library.skeleton()
        self.overlay = overlay.read(target, skeleton)
        overlay.check(target, self.overlay, skeleton)
        self.lines: dict[tuple[Members, tuple[str, ...], int], list[Line]] = {}
        self.html_escapes = "html-escapes-with-apostrophe" in self.library.quirks

    def files(self) -> Mapping[str, Callable[[], Iterable[FileContext]]]:
        library = self.library
        return {
            "definition": lambda: map(self.type_item, library.types),
            "group-version": lambda: starmap(self.version_item, library.versions()),
            "group": lambda: starmap(self.group_item, library.groups()),
            "overlay": lambda: (
                FileContext(file.place, {"name": file.name}, {"text": file.text})
                for file in self.overlay
            ),
            "release": lambda: [self.release_item()],
        }

    def release_item(self) -> FileContext:
        library = self.library
        imports = [
            Import(jsonnet.key(group), f"_gen/{group}/main.libsonnet")
            for group, _ in library.groups()
        ]
        values = {
            "name": self.literal(library.name),
            "url": self.literal(library.url),
            "help": self.literal(library.description),
            "imports": imports,
            "overlay": [
                jsonnet.string(f"_custom/{file.name}") for file in self.overlay
            ],
        }
        return FileContext(library.release.name, {}, values)

    def group_item(self, group: str, versions: tuple[str, ...]) -> FileContext:
        imports = [
            Import(jsonnet.key(version), f"{version}/main.libsonnet")
            for version in versions
        ]
        values = {"name": self.literal(group), "imports": imports}
        return FileContext(group, {"group": group}, values)

    def version_item(
        self, group: str, version: str, types: tuple[Type, ...]
    ) -> FileContext:
        imports = [
            Import(jsonnet.key(each.name), f"{each.name}.libsonnet") for each in types
        ]
        names = {"group": group, "version": version}
        values = {"name": self.literal(version), "imports": imports}
        return FileContext(f"{group}/{version}", names, values)

    def type_item(self, each: Type) -> FileContext:
        names = {"group": each.group, "version": each.version, "name": each.name}
        values = {
            "name": self.literal(each.name),
            "help": self.literal(each.help),
            "members": self.printed(each.members, (), 1),
        }
        return FileContext(each.definition, names, values)

    def literal(self, text: str) -> str:
        return jsonnet.string(text, html_escapes=self.html_escapes)

    def printed(
        self, members: Members, path: tuple[str, ...], depth: int
    ) -> list[Line]:
        """The lines of an object's members. Types use each other's, at the same
        path more often than not: ``metadata`` has the same in every kind."""
        known = self.lines.get((members, path, depth))
        if known is not None:
            return known
        lines: list[Line] = []
        pad = "  " * depth
        for each in members.entries:
            if isinstance(each, Function):
                lines.append(self.function(each, path, pad))
            elif isinstance(each, Nested):
                below = () if each.path is None else path + each.path
                lines += self.object(
                    each, pad, self.printed(each.members, below, depth + 1)
                )
            else:
                lines.append(self.constructor(each, pad))
        self.lines[members, path, depth] = lines
        return lines

    def function(self, each: Function, path: tuple[str, ...], pad: str) -> Line:
        argument = each.argument
        value = (
            f"if std.isArray(v={argument}) then {argument} else [{argument}]"
            if each.type == "array"
            else argument
        )
        *above, field = each.field
        opening, closing = jsonnet.patch((*path, *above))
        plus = "+" if each.appends else ""
        return Line(
            form="function",
            pad=pad,
            documented=jsonnet.string(f"#{each.name}"),
            key=jsonnet.key(each.name),
            help=self.literal(each.help),
            argument=argument,
            argument_name=f"'{argument}'",
            type=each.type,
            body=f"{opening}{jsonnet.key(field)}{plus}: {value}{closing}",
        )

    def object(self, each: Nested, pad: str, inside: list[Line]) -> Iterator[Line]:
        yield Line(
            form="object" if inside else "empty",
            pad=pad,
            documented=jsonnet.string(f"#{each.name}"),
            key=jsonnet.key(each.name),
            help=self.literal(each.help),
        )
        if inside:
            yield from inside
            yield Line(form="end", pad=pad)

    def constructor(self, each: Constructor, pad: str) -> Line:
        return Line(
            form="new",
            pad=pad,
            help=self.literal(each.help),
            argument=each.argument,
            api_version=self.literal(each.kind.api_version),
            kind=self.literal(each.kind.kind),
        )


def _members(
    members: Iterable[Member], where: str, taken: Collection[str] = ()
) -> Members:
    """An object of ``members``, in the order of their names.

    Raises SpecError where two have one name, or where there are too many.
    """
    by_name: dict[str, Member] = {}
    size = depth = 0
    for each in members:
        if each.name in by_name or each.name in taken:
            raise SpecError(
                f"two fields need the builder {jsonnet.shown(each.name)!r}",
                where=where,
                hint="Jsonnet cannot tell them apart: rename one in the document",
            )
        if not each.name or each.name.startswith("#"):
            raise SpecError(
                f"the field {jsonnet.shown(each.name)!r} cannot have an object of "
                "builders: # and the names that begin with it are for documentation",
                where=where,
            )
        by_name[each.name] = each
        size += 1
        if isinstance(each, Nested):
            size += each.members.size
            depth = max(depth, each.members.depth)
    if size > _MAX_SIZE or depth >= _MAX_DEPTH:
        raise SpecError(
            f"needs {size} builders, {depth + 1} levels deep: more than {_MAX_SIZE}, "
            f"or than {_MAX_DEPTH} levels",
            where=where,
        )
    return Members(tuple(by_name[name] for name in sorted(by_name)), size, depth + 1)


def _is_named(member: Member) -> bool:
    """Whether it is a ``metadata`` that ``new`` can put a name into."""
    return (
        isinstance(member, Nested)
        and member.name == "metadata"
        and any(each.name == "withName" for each in member.members.entries)
    )


def _preferred(kinds: tuple[GroupVersionKind, ...]) -> GroupVersionKind:
    """The one of several that ``new`` is for, as k8s-gen chooses: a named group
    goes before the core one (DeleteOptions is of every group)."""
    chosen = kinds[0]
    for each in kinds[1:]:
        for part in ("group", "version", "kind"):
            if not getattr(chosen, part) and getattr(each, part):
                chosen = each
    return chosen


def _references(schema: Schema) -> Iterator[str]:
    """The definitions whose builders are needed for those of ``schema``."""
    if schema.ref is not None:
        yield schema.ref
    for field in schema.fields:
        yield from _references(field.schema)
    if schema.items is not None and schema.items.ref is None:
        yield from _references(schema.items)


def _circular(graph: Mapping[str, frozenset[str]]) -> frozenset[str]:
    """The names on a circle of ``graph``, and between two circles."""
    upwards: dict[str, set[str]] = {name: set() for name in graph}
    for name, below in graph.items():
        for each in below:
            upwards[each].add(name)
    leading = _without_ends(graph, upwards, set(graph))
    return frozenset(_without_ends(upwards, graph, leading))


def _without_ends(
    graph: Mapping[str, Iterable[str]],
    back: Mapping[str, Iterable[str]],
    names: set[str],
) -> set[str]:
    """``names`` without those from which every way along ``graph`` has an end."""
    left = {name: sum(each in names for each in graph[name]) for name in names}
    ends = [name for name, count in left.items() if not count]
    while ends:
        end = ends.pop()
        del left[end]
        for name in back[end]:
            if name in left:
                left[name] -= 1
                if not left[name]:
                    ends.append(name)
    return set(left)


def _prefix(target: Target) -> re.Pattern[str]:
    try:
        return re.compile(str(target.options["prefix"]))
    except re.error as error:
        raise UsageError(
            f"is not a regular expression: {error}", where=f"--set {target.name}.prefix"
        ) from error
