"""The view of a Rust crate: a module for a package of the document, a file a type.

Names, types, traits and what is left out (list kinds, ``apiVersion`` and ``kind``
of a served kind) are those of k8s-openapi. The traits themselves are macros and
generics of the templates; a type only names its fields.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from kubestencil.engine.manifest import Target
from kubestencil.engine.view import Contexts, Each, FileContext
from kubestencil.errors import SpecError
from kubestencil.schema import Definition, Field, Release, Schema
from kubestencil.targets.rust import spelling as rust
from kubestencil.targets.rust.endpoints import Endpoint, endpoints
from kubestencil.targets.rust.fixups import corrected

_APIEXTENSIONS = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions"
_META = "io.k8s.apimachinery.pkg.apis.meta.v1"
_RUNTIME = "io.k8s.apimachinery.pkg.runtime"
_OBJECT_META = f"{_META}.ObjectMeta"
_LIST_META = f"{_META}.ListMeta"

# What the crate has at its root beside the document's types.
_ROOT = frozenset(
    [
        "ByteString",
        "ClusterResourceScope",
        "DeepMerge",
        "List",
        "ListableResource",
        "Metadata",
        "NamespaceResourceScope",
        "Resource",
        "ResourceScope",
        "SubResourceScope",
        "alloc",
        "api_version",
        "byte_string",
        "core",
        "deep_merge",
        "group",
        "jiff",
        "kind",
        "lib",
        "list",
        "merge_strategies",
        "newtype",
        "object",
        "resource",
        "schema",
        "schemars",
        "serde",
        "serde_json",
        "std",
        "strict_object",
        "timestamp",
        "version",
        "wire",
    ]
)
_CRATE_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,63}\Z")
_VERSION = re.compile(r"\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?\Z")


@dataclass(frozen=True, slots=True)
class Special:
    """A definition that says too little of its type, which is written by hand.

    ``form`` names its template, ``needs`` the definitions that it uses.
    ``default`` and ``shared`` say whether it has a default and whether others
    may hold it.
    """

    form: str
    needs: tuple[str, ...] = ()
    default: bool = False
    shared: bool = True


def _specials() -> Iterator[tuple[str, Special]]:
    for version in ("v1", "v1beta1"):
        props = f"{_APIEXTENSIONS}.{version}.JSONSchemaProps"
        for form in ("Array", "Bool", "StringArray"):
            yield f"{props}Or{form}", Special(f"props_or_{form.lower()}", (props,))
    yield (
        "io.k8s.apimachinery.pkg.api.resource.Quantity",
        Special("quantity", default=True),
    )
    yield f"{_META}.Patch", Special("patch", shared=False)
    yield (
        f"{_META}.WatchEvent",
        Special(
            "watch_event", (f"{_META}.Status", f"{_RUNTIME}.RawExtension"), shared=False
        ),
    )
    yield f"{_META}.MicroTime", Special("micro_time")
    yield f"{_META}.Time", Special("time")
    yield (
        "io.k8s.apimachinery.pkg.util.intstr.IntOrString",
        Special("int_or_string", default=True),
    )


_SPECIALS = dict(_specials())


@dataclass(frozen=True, slots=True)
class Place:
    """Where a definition is printed: ``crate::api::core::v1`` ``Pod``, ``pod.rs``."""

    module: tuple[str, ...]
    name: str
    file: str

    def seen_from(self, module: tuple[str, ...]) -> str:
        """The path of the type for a file of ``module``."""
        if module == self.module:
            return f"super::{self.name}"
        return "::".join(("crate", *self.module, self.name))


@dataclass(frozen=True, slots=True)
class RustField:
    """A field: as the struct declares it, and as the macros list it.

    ``presence`` is a function of the template's ``wire``: optional, required
    (absent means the default), or demanded (there is no default).
    """

    name: str
    declaration: str
    doc: str
    json: str
    presence: str
    merge: str


@dataclass(frozen=True, slots=True)
class SchemaRow:
    """A property in the JSON schema of a type; ``type`` is a Rust type."""

    json: str
    presence: str
    type: str
    text: str


@dataclass(frozen=True, slots=True)
class Resource:
    """What a kind is served as; all are literals or paths."""

    api_version: str
    group: str
    kind: str
    version: str
    segment: str
    scope: str
    list_kind: str | None
    metadata: str | None


@dataclass(frozen=True, slots=True)
class RustType:
    """A file. ``form`` is struct, strict (a struct without a default), newtype, or
    a special's; ``inner`` the type in a newtype, or what a special uses."""

    definition: str
    name: str
    form: str
    doc: str
    derives: str
    fields: tuple[RustField, ...]
    resource: Resource | None
    inner: tuple[str, ...]
    merge: str
    uses_maps: bool
    skip: bool
    title: str
    text: str
    rows: tuple[SchemaRow, ...]


@dataclass(frozen=True, slots=True)
class Module:
    """A folder: its types and the modules inside, in the order of the document."""

    types: tuple[Place, ...]
    modules: tuple[str, ...]


#: What targets can print files for.
EACH: Mapping[str, Each] = {}

#: This view reproduces no quirks.
QUIRKS: Mapping[str, str] = {}


def make_contexts(release: Release, target: Target) -> Contexts:
    """The crate of ``release``.

    Raises SpecError where names cannot be told apart or a type has no value,
    TargetError for options that Cargo does not take.
    """
    check_options(target)
    return Contexts(
        files=Crate(corrected(release, target)).files(),
    )


def check_options(target: Target) -> None:
    """Raise TargetError for options that Cargo does not take."""
    for option, pattern in (("name", _CRATE_NAME), ("version", _VERSION)):
        if pattern.match(str(target.options.get(option))) is None:
            raise target.error("is nothing that Cargo takes", f"options.{option}")


class Crate:
    """The names and the types of the crate of a corrected release."""

    def __init__(self, release: Release) -> None:
        self.release = release
        known = release.definitions
        self.lists = dict(_lists(known))
        self.definitions = {
            name: known[name] for name in sorted(known) if name not in self.lists
        }
        self.list_kinds = {
            item: known[name].kinds[0].kind for name, item in self.lists.items()
        }
        referred = frozenset(_referred(known))
        self.specials = {
            name: special
            for name, special in _SPECIALS.items()
            if name in known
            and all(each in known for each in special.needs)
            and (special.shared or name not in referred)
        }
        self.places = _places(self.definitions)
        self.boxed = frozenset(self.circles())
        self.without_default = frozenset(self.undefaulted())
        self.names = {
            name: dict(
                zip(
                    (field.name for field in each),
                    rust.distinct(rust.field_name(field.name) for field in each),
                    strict=True,
                )
            )
            for name, each in self.fields.items()
        }

    @cached_property
    def fields(self) -> dict[str, list[Field]]:
        """The fields of each struct, without those that a served kind implies."""
        return {
            name: sorted(
                (
                    field
                    for field in definition.fields
                    if not self.served(definition)
                    or field.name not in ("apiVersion", "kind")
                ),
                key=lambda field: field.name,
            )
            for name, definition in self.definitions.items()
            if self.is_struct(name)
        }

    @cached_property
    def endpoints(self) -> Mapping[str, Endpoint]:
        """Plural and scope of every kind, or nothing: the traits ask for all."""
        return endpoints(self.release, filter(self.served, self.definitions.values()))

    def files(self) -> Mapping[str, Callable[[], Iterable[FileContext]]]:
        return {
            "definition": self.type_items,
            "module": lambda: (
                FileContext("::".join(path), {"path": "/".join(path)}, _values(module))
                for path, module in self.modules.items()
                if path
            ),
            "release": lambda: [self.release_item()],
        }

    def release_item(self) -> FileContext:
        values = {
            **_values(self.modules[()]),
            "has_endpoints": bool(self.endpoints),
            "list": self.list_paths,
        }
        return FileContext(self.release.name, {}, values)

    @cached_property
    def modules(self) -> dict[tuple[str, ...], Module]:
        types: dict[tuple[str, ...], list[Place]] = {(): []}
        inner: dict[tuple[str, ...], dict[str, None]] = {(): {}}
        for place in self.places.values():
            for depth in range(len(place.module)):
                inner.setdefault(place.module[:depth], {})[place.module[depth]] = None
                types.setdefault(place.module[: depth + 1], [])
            types[place.module].append(place)
        return {
            path: Module(tuple(found), tuple(inner.get(path, ())))
            for path, found in types.items()
        }

    @cached_property
    def list_paths(self) -> Mapping[str, str] | None:
        """What ``List<T>`` is made of, None where the document has no lists."""
        needed = (_OBJECT_META, _LIST_META)
        if not self.lists or not all(name in self.places for name in needed):
            return None
        if not {"name", "namespace"} <= self.names[_OBJECT_META].keys():
            return None
        paths = [self.places[name].seen_from(()) for name in needed]
        return {"object_meta": paths[0], "list_meta": paths[1]}

    def type_items(self) -> Iterator[FileContext]:
        common = {"has_endpoints": bool(self.endpoints), "list": self.list_paths}
        for definition in self.definitions.values():
            place = self.places[definition.name]
            path = "/".join((*place.module, place.file))
            values = {**common, "type": self.type(definition)}
            yield FileContext(definition.name, {"path": path}, values)
        if self.list_paths:
            values = {**common, "type": _LIST}
            yield FileContext(_LIST.definition, {"path": "list"}, values)

    def type(self, definition: Definition) -> RustType:
        name, place = definition.name, self.places[definition.name]
        fields: tuple[RustField, ...] = ()
        inner: tuple[str, ...] = ()
        rows: tuple[SchemaRow, ...] = ()
        special = self.specials.get(name)
        text = definition.description
        if special is not None:
            form = special.form
            paths = (self.places[each] for each in special.needs)
            inner = tuple(path.seen_from(place.module) for path in paths)
            if form == "watch_event":
                text = "\n\n".join((text, *_object_text(definition)))
        elif definition.is_object:
            form = "strict" if name in self.without_default else "struct"
            fields = tuple(self.field(definition, f) for f in self.fields[name])
            rows = tuple(self.rows(definition))
        else:
            form = "newtype"
            spelled = self.spelled(definition.schema, place.module)
            inner = (spelled, self.spelled(definition.schema, place.module, True))
        declared = "".join(field.declaration for field in fields) + "".join(inner)
        return RustType(
            definition=name,
            name=place.name,
            form=form,
            doc=rust.doc(text),
            derives=", ".join(self.derives(name)),
            fields=fields,
            resource=self.resource(definition),
            inner=inner,
            merge=self.merge(definition.schema),
            uses_maps="BTreeMap<" in declared,
            skip=any(len(line) > rust.WIDTH for line in declared.split("\n")),
            title=rust.string(name),
            text=rust.string(text),
            rows=rows,
        )

    def field(self, definition: Definition, field: Field) -> RustField:
        module = self.places[definition.name].module
        spelled = self.spelled(field.schema, module)
        if (definition.name, field.schema.ref) in self.boxed:
            spelled = f"Box<{spelled}>"
        presence = "required"
        if not field.required:
            spelled, presence = f"Option<{spelled}>", "optional"
        elif field.schema.ref in self.without_default or _is_time(field.schema):
            presence = "demanded"
        name = self.names[definition.name][field.name]
        return RustField(
            name=name,
            declaration=rust.field(name, spelled),
            doc=rust.doc(field.schema.description, "    "),
            json=rust.string(field.name),
            presence=presence,
            merge=self.merge(field.schema),
        )

    def rows(self, definition: Definition) -> Iterator[SchemaRow]:
        module = self.places[definition.name].module
        for field in sorted(definition.fields, key=lambda field: field.name):
            yield SchemaRow(
                json=rust.string(field.name),
                presence="required" if field.required else "optional",
                type=self.spelled(field.schema, module, True),
                text=rust.string(field.schema.description),
            )

    def derives(self, name: str) -> list[str]:
        special = self.specials.get(name)
        form = special.form if special else ""
        derives = ["Clone", "Debug"]
        if name not in self.without_default and form != "int_or_string":
            derives.append("Default")
        if form in ("int_or_string", "time", "micro_time"):
            derives.append("Eq")
        if form in ("time", "micro_time"):
            derives.append("Ord")
        derives.append("PartialEq")
        if form in ("time", "micro_time"):
            derives.append("PartialOrd")
        return derives

    def resource(self, definition: Definition) -> Resource | None:
        if not self.served(definition):
            return None
        kind = definition.kinds[0]
        endpoint = self.endpoints.get(definition.name)
        module = self.places[definition.name].module
        metadata = next((f for f in definition.fields if f.name == "metadata"), None)
        return Resource(
            api_version=rust.string(kind.api_version),
            group=rust.string(kind.group),
            kind=rust.string(kind.kind),
            version=rust.string(kind.version),
            segment=rust.string(endpoint.segment) if endpoint else "",
            scope=f"{endpoint.scope.capitalize()}ResourceScope" if endpoint else "",
            list_kind=(
                rust.string(self.list_kinds[definition.name])
                if definition.name in self.list_kinds
                else None
            ),
            metadata=(
                self.spelled(metadata.schema, module)
                if metadata and metadata.required
                else None
            ),
        )

    def served(self, definition: Definition) -> bool:
        """Whether the type alone says what a manifest's apiVersion and kind say."""
        names = {field.name for field in definition.fields}
        return len(definition.kinds) == 1 and {"apiVersion", "kind"} <= names

    def is_struct(self, name: str) -> bool:
        return self.definitions[name].is_object and name not in self.specials

    def spelled(
        self, schema: Schema, module: tuple[str, ...], in_schema: bool = False
    ) -> str:
        """A type for a file of ``module``; ``in_schema`` for the JSON schema, where
        what JSON has no type for is a marker."""
        if schema.ref is not None:
            item = self.lists.get(schema.ref)
            if item is not None:
                return f"crate::List<{self.places[item].seen_from(module)}>"
            return self.places[schema.ref].seen_from(module)
        if schema.type == "array" and schema.items is not None:
            return f"Vec<{self.spelled(schema.items, module, in_schema)}>"
        if schema.values is not None and not schema.is_object:
            inner = self.spelled(schema.values, module, in_schema)
            return f"BTreeMap<String, {inner}>"
        plain = _PLAIN.get((schema.type, schema.format)) or _PLAIN.get(
            (schema.type, None)
        )
        if plain is not None:
            return _MARKERS.get(plain, plain) if in_schema else plain
        return _MARKERS[ANY] if in_schema else ANY

    def merge(self, schema: Schema) -> str:
        """The strategy as the macros take it: a function of ``merge_strategies``."""
        if schema.ref is not None:
            return "deep"
        if schema.type == "array" and schema.items is not None:
            return self.list_merge(schema, schema.items)
        if schema.values is not None and not schema.is_object:
            if schema.map_type == "atomic":
                return "map::atomic"
            inner = self.merge(schema.values)
            function = _DEEP if inner == "deep" else f"crate::merge_strategies::{inner}"
            return f"map::granular({function})" if "(" not in inner else "map::atomic"
        return "deep"

    def list_merge(self, schema: Schema, items: Schema) -> str:
        keys = schema.list_map_keys
        strategy = schema.list_type or "atomic"
        if schema.patch_merge_key is not None:
            keys = (schema.patch_merge_key,)
        if "merge" in schema.patch_strategy:
            strategy = "map" if keys else "set"
        if strategy != "map":
            return "list::set" if strategy == "set" else "list::atomic"
        paths = [self.key_path(items, key) for key in keys]
        if not paths or None in paths:
            # What has no such field cannot be told apart by it.
            return "list::atomic"
        compared = ", ".join(f"|l, r| l.{path} == r.{path}" for path in paths)
        return f"list::map(&[{compared}], {_DEEP})"

    def key_path(self, items: Schema, key: str) -> str | None:
        """The Rust fields that a merge key names: ``metadata.name``."""
        path: list[str] = []
        schema = items
        for part in key.split("."):
            name = schema.ref
            if name not in self.fields:
                return None
            found = next((f for f in self.fields[name] if f.name == part), None)
            if found is None or (path and not found):
                return None
            path.append(self.names[name][part])
            schema = found.schema
        return ".".join(path)

    def direct(self, name: str, required: bool) -> Iterator[str]:
        """The definitions that a value of ``name`` holds without a Vec or map."""
        if name in self.specials or name not in self.definitions:
            return
        definition = self.definitions[name]
        if not definition.is_object:
            if definition.schema.ref is not None:
                yield definition.schema.ref
            return
        for field in definition.fields:
            if field.schema.ref is not None and (field.required or not required):
                yield field.schema.ref

    def circles(self) -> Iterator[tuple[str, str]]:
        """The edges that have to be boxed, since a type would hold itself.

        Raises SpecError where a value would have to hold itself.
        """
        for required in (True, False):
            edges = {name: set(self.direct(name, required)) for name in self.places}
            for name, others in _circular(edges).items():
                for other in others:
                    if required:
                        raise SpecError(
                            f"no value has an end: {name} requires {other}, which "
                            f"requires {name}",
                            where=f"{self.release.origin}#/definitions/{name}",
                        )
                    yield name, other

    def undefaulted(self) -> Iterator[str]:
        """The types without a default: those that require a type without one."""
        without = {name for name, each in self.specials.items() if not each.default}
        holders: dict[str, list[str]] = {}
        for name, definition in self.definitions.items():
            if name in self.specials:
                continue
            for other in self.direct(name, True):
                holders.setdefault(other, []).append(name)
            schemas = [f.schema for f in definition.fields if f.required]
            if any(map(_is_time, schemas or [definition.schema])):
                without.add(name)
        pending = list(without)
        while pending:
            for holder in holders.get(pending.pop(), ()):
                if holder not in without:
                    without.add(holder)
                    pending.append(holder)
        return iter(without)


# The one type that no definition is printed to.
_LIST = RustType(
    definition="io.k8s.List",
    name="List",
    form="list",
    doc="",
    derives="",
    fields=(),
    resource=None,
    inner=(),
    merge="",
    uses_maps=False,
    skip=False,
    title="",
    text="",
    rows=(),
)

#: The types of what JSON has no type for.
ANY = "crate::serde_json::Value"
TIME = "crate::jiff::Timestamp"
_DEEP = "crate::DeepMerge::merge_from"
# "" is any format that is not listed; the formats of numbers are Go's types.
_PLAIN: Mapping[tuple[str | None, str | None], str] = {
    ("boolean", None): "bool",
    ("integer", None): "i64",
    ("integer", "int32"): "i32",
    ("number", None): "f64",
    ("string", None): "String",
    ("string", "byte"): "crate::ByteString",
    ("string", "date-time"): TIME,
    ("string", "int-or-string"): ANY,
}
_MARKERS = {ANY: "crate::schema::Any", TIME: "crate::schema::DateTime"}


def _is_time(schema: Schema) -> bool:
    return schema.type == "string" and schema.format == "date-time"


def _lists(definitions: Mapping[str, Definition]) -> Iterator[tuple[str, str]]:
    """The list kinds, and what is in each: ``List<T>`` stands for all of them."""
    for name, definition in definitions.items():
        fields = {field.name: field for field in definition.fields}
        if not definition.kind.endswith("List") or len(definition.kinds) != 1:
            continue
        if fields.keys() != {"apiVersion", "items", "kind", "metadata"}:
            continue
        inside = fields["items"].schema.items
        if not fields["items"].required or inside is None or inside.ref is None:
            continue
        item, kind = definitions[inside.ref], definition.kinds[0]
        if fields["metadata"].schema.ref != _LIST_META or len(item.kinds) != 1:
            continue
        one = item.kinds[0]
        if (one.group, one.version, f"{one.kind}List") == (
            kind.group,
            kind.version,
            kind.kind,
        ) and any(field.name == "metadata" for field in item.fields):
            yield name, item.name


def _referred(definitions: Mapping[str, Definition]) -> Iterator[str]:
    pending = [definition.schema for definition in definitions.values()]
    while pending:
        schema = pending.pop()
        if schema.ref is not None:
            yield schema.ref
        pending.extend(schema.inner())


def _places(definitions: Mapping[str, Definition]) -> dict[str, Place]:
    """Where each definition goes.

    Raises SpecError where two would be the same type, or a type a module.
    """
    paths: dict[str, tuple[str, ...]] = {}
    inside: dict[tuple[str, ...], dict[str, str]] = {(): dict.fromkeys(_ROOT, "")}
    for name in definitions:
        parts = name.removeprefix("io.k8s.").split(".")
        module = tuple(map(rust.field_name, parts[:-1]))
        for depth in range(len(module)):
            known = inside.setdefault(module[:depth], {})
            if known.setdefault(module[depth], "module") != "module":
                raise _taken(name, module[depth])
        paths[name] = module
    places: dict[str, Place] = {}
    for name, module in paths.items():
        known = inside.setdefault(module, {})
        spelled = rust.type_name(definitions[name].kind)
        if known.setdefault(spelled, name) != name:
            raise _taken(name, spelled)
    for name, module in paths.items():
        known = inside[module]
        spelled = rust.type_name(definitions[name].kind)
        file = rust.distinct([*known, rust.field_name(definitions[name].kind)])[-1]
        known[file] = name
        places[name] = Place(module, spelled, file)
    return places


def _taken(name: str, spelled: str) -> SpecError:
    return SpecError(
        f"{name} would be called {spelled}, as another type or module is",
        where="target rust",
        hint="rename it in the document",
    )


def _circular(edges: Mapping[str, set[str]]) -> dict[str, list[str]]:
    """The edges that are part of a circle."""
    # What leads to no circle goes first, which in a real document is all but one.
    left = {name: set(others) for name, others in edges.items()}
    while ends := {name for name, others in left.items() if not others & left.keys()}:
        left = {name: others for name, others in left.items() if name not in ends}
    circles: dict[str, list[str]] = {}
    for name in left:
        for other in sorted(left[name] & left.keys()):
            if name in _reached(left, other):
                circles.setdefault(name, []).append(other)
    return circles


def _reached(edges: Mapping[str, set[str]], start: str) -> set[str]:
    reached, pending = {start}, [start]
    while pending:
        for other in edges.get(pending.pop(), ()):
            if other not in reached:
                reached.add(other)
                pending.append(other)
    return reached


def _object_text(definition: Definition) -> Iterator[str]:
    for field in definition.fields:
        if field.name == "object" and field.schema.description:
            yield field.schema.description


def _values(module: Module) -> Mapping[str, object]:
    return {"types": module.types, "modules": module.modules}
