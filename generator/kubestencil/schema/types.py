"""A release as immutable values: definitions, schemas, fields and kinds.

They are in one module, since they lead to each other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, KeysView, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, cast

from kubestencil.schema.frozen import FrozenObject, frozen
from kubestencil.schema.keyword_values import CelRule, SchemaKeywords, json_object
from kubestencil.schema.keywords import REFERENCE_PREFIX, VALIDATIONS
from kubestencil.source.releases import is_version, release_of_digest, version_in

#: A JSON object of the document: the parsed object itself.
JsonObject = Mapping[str, Any]
#: A JSON value that is compared, printed or passed on as a whole: what is in it is only
#: read in this package.
Json = object


class GroupVersionKind(NamedTuple):
    """The group, version and name of a kind that the API server serves.

    The core group's name is empty.
    """

    group: str
    version: str
    kind: str

    @property
    def api_version(self) -> str:
        """The ``apiVersion`` of a manifest: ``v1``, ``apps/v1``."""
        return f"{self.group}/{self.version}" if self.group else self.version


def group_version_kind(api_version: str, kind: str) -> GroupVersionKind:
    """The kind of an ``apiVersion``: ``v1``, ``apps/v1``."""
    group, _, version = api_version.rpartition("/")
    return GroupVersionKind(group, version, kind)


# Schema and Field are tuples, since a release has some nine thousand of them, and a
# frozen dataclass takes four times as long to make.
class SchemaParts(NamedTuple):
    """A schema object with the schemas in it.

    ``raw`` is the schema object in the document, to be passed on. ``type``, ``format`` and
    ``description`` are its keywords. ``ref`` is the full name of the definition that
    the schema refers to, ``items`` the schema of a list's items, ``values`` that of a
    map's values (``additionalProperties``), ``fields`` the fields of an object
    (``properties``).
    """

    raw: Json
    type: str | None
    format: str | None
    description: str
    ref: str | None
    items: Schema | None
    values: Schema | None
    fields: tuple[Field, ...]


class Schema(SchemaParts, SchemaKeywords):
    """The type of one value: of a field, of a list's items, of a map's values."""

    __slots__ = ()

    def __repr__(self) -> str:
        names = f", {len(self.fields)} fields" if self.fields else ""
        return f"<Schema {self.ref or self.type or 'any value'}{names}>"

    @property
    def keywords(self) -> KeysView[str]:
        """The names of the keywords that the schema has."""
        return json_object(self).keys()

    def part(self, keyword: str) -> JsonObject | None:
        """A JSON object with one keyword of the schema, None where it is absent."""
        return {keyword: self.value_of(keyword)} if keyword in self.keywords else None

    def field(self, name: str) -> Schema | None:
        """The schema of the field with a JSON name, found without a search."""
        raw = self.value_of("properties", {}).get(name)
        return None if raw is None else schema_of(raw)

    @property
    def field_names(self) -> KeysView[str]:
        """The JSON names of the fields."""
        names: KeysView[str] = self.value_of("properties", {}).keys()
        return names

    def beside(self, other: Schema) -> Schema:
        """The schema, with the keywords of another one that it lacks."""
        return schema_of({**json_object(other), **json_object(self)})

    def with_keywords(self, keywords: JsonObject) -> Schema:
        """The schema with further keywords, which are no attributes of the tuple."""
        return self._replace(raw={**json_object(self), **keywords})

    def without(self, *keywords: str) -> Schema:
        """The schema without some keywords."""
        return schema_of(
            {key: self.value_of(key) for key in self.keywords if key not in keywords}
        )

    def with_parts(
        self,
        fields: Mapping[str, Schema],
        items: Schema | None = None,
        values: Schema | None = None,
    ) -> Schema:
        """The schema with other schemas in it; ``fields`` are those of its own."""
        parts: dict[str, Any] = {}
        if self.is_object:
            parts["properties"] = {name: schema.raw for name, schema in fields.items()}
        if items is not None:
            parts["items"] = items.raw
        if values is not None:
            parts["additionalProperties"] = values.raw
        return self.with_keywords(parts)._replace(
            fields=tuple(
                field._replace(schema=fields[field.name]) for field in self.fields
            ),
            items=items or self.items,
            values=values or self.values,
        )

    @property
    def required(self) -> tuple[str, ...]:
        """The JSON names of the required fields."""
        return tuple(self.value_of("required", ()))

    @property
    def drops_all_fields(self) -> bool:
        """Whether the API server drops, or refuses, every field of a value, where the
        schema is a structural one: an object without properties."""
        return (
            self.type == "object"
            and not self.is_object
            and self.values is None
            and not self.has_any_values
            and not self.preserves_unknown_fields
        )

    @property
    def drops_inner_fields(self) -> bool:
        """Whether the API server drops, or refuses, every field of the objects in a
        value, where the schema is a structural one: a map whose values have none."""
        return self.has_any_values and not self.is_object

    @property
    def validations(self) -> tuple[CelRule, ...]:
        """The CEL rules that a value satisfies."""
        return tuple(map(CelRule, self.value_of(VALIDATIONS, ())))

    @property
    def all_of(self) -> tuple[Schema, ...]:
        """The schemas that hold besides this one."""
        return tuple(map(_branch, self.value_of("allOf", ())))

    @property
    def any_of(self) -> tuple[Schema, ...]:
        """The schemas of which at least one holds; empty where there is no choice."""
        return tuple(map(_branch, self.value_of("anyOf", ())))

    @property
    def one_of(self) -> tuple[Schema, ...]:
        """The schemas of which exactly one holds; empty where there is no choice."""
        return tuple(map(_branch, self.value_of("oneOf", ())))

    @property
    def negated(self) -> Schema | None:
        """The schema that does not hold (``not``)."""
        return _branch(self.value_of("not")) if "not" in self.keywords else None

    @property
    def content(self) -> Schema | None:
        """The schema of a list's items or a map's values; None for other values."""
        return self.items or self.values

    def content_of(self, keyword: str) -> Schema | None:
        """The schema that ``items`` or ``additionalProperties`` is; None for other
        keywords."""
        if keyword == "items":
            return self.items
        return self.values if keyword == "additionalProperties" else None

    def levels(self) -> tuple[Schema, ...]:
        """The schema, and those of the items or values in it, outermost first."""
        return (self, *(self.content.levels() if self.content else ()))

    def innermost(self) -> Schema:
        """The last of its levels, which is neither a list nor a map."""
        schema = self
        while inner := schema.content:
            schema = inner
        return schema

    def parts(self) -> Iterator[tuple[str, str, Schema]]:
        """The schemas directly in this one, each with its keyword and the name of the
        field, which is empty for ``items`` and ``additionalProperties``."""
        if self.items is not None:
            yield "items", "", self.items
        if self.values is not None:
            yield "additionalProperties", "", self.values
        for name, schema, _ in self.fields:
            yield "properties", name, schema

    def map_parts(self, function: Callable[[Schema], Schema]) -> Schema:
        """The schema with the results of ``function`` for the schemas directly in it; the
        schema itself where these are the same objects."""
        items = self.items and function(self.items)
        values = self.values and function(self.values)
        fields = {name: function(schema) for name, schema, _ in self.fields}
        is_same = items is self.items and values is self.values
        if is_same and all(fields[name] is part for name, part, _ in self.fields):
            return self
        return self.with_parts(fields, items, values)


def schema_of(
    raw: Json, ref_of: Callable[[JsonObject], str | None] | None = None
) -> Schema:
    """The schema that a JSON object is, which the reader has checked or which was made
    of one that it has; ``ref_of`` finds the definition that it refers to."""
    ref_of = ref_of or _ref_of
    raw = cast(JsonObject, raw)
    items, values = raw.get("items"), raw.get("additionalProperties")
    required = raw.get("required", ())
    return Schema(
        raw,
        raw.get("type"),
        raw.get("format"),
        raw.get("description", ""),
        ref_of(raw),
        None if items is None else schema_of(items, ref_of),
        schema_of(values, ref_of) if isinstance(values, Mapping) else None,
        tuple(
            Field(name, schema_of(schema, ref_of), name in required)
            for name, schema in raw.get("properties", {}).items()
        ),
    )


def _ref_of(raw: JsonObject) -> str | None:
    ref: str | None = raw.get("$ref")
    return None if ref is None else ref.removeprefix(REFERENCE_PREFIX)


def _branch(raw: JsonObject) -> Schema:
    """A schema inside of ``allOf``, ``anyOf``, ``oneOf`` or ``not``. Few definitions
    have any, so that it is made when it is needed. It refers to no definition."""
    return schema_of(raw, lambda _: None)


class Field(NamedTuple):
    """A property of an object. ``name`` is its JSON name."""

    name: str
    schema: Schema
    required: bool


def reference_to(name: str) -> Schema:
    """A reference to the definition with a full name."""
    return schema_of({"$ref": f"{REFERENCE_PREFIX}{name}"})


#: The schema of any value.
ANY_VALUE = schema_of({})


@dataclass(frozen=True, slots=True)
class Definition:
    """A named type of the document.

    ``name`` is its full name. ``group_label``, ``version`` and ``kind`` are the last
    parts of that name: ``rbac``, ``v1`` and ``Role`` of ``io.k8s.api.rbac.v1.Role``,
    whose group is ``rbac.authorization.k8s.io``; ``version`` is empty where the name has
    none (``…pkg.runtime.RawExtension``). ``kinds`` are the kinds that the API server
    serves it as; empty for a type that is only used inside of others.
    """

    name: str
    group_label: str
    version: str
    kind: str
    kinds: tuple[GroupVersionKind, ...]
    schema: Schema

    @property
    def served_kind(self) -> GroupVersionKind | None:
        """What manifests call it; None for a type, and for what every group serves."""
        return self.kinds[0] if len(self.kinds) == 1 else None

    @property
    def fields(self) -> tuple[Field, ...]:
        """The fields, in the order of the document."""
        return self.schema.fields

    @property
    def description(self) -> str:
        """The description, as it is in the document."""
        return self.schema.description

    @property
    def is_object(self) -> bool:
        """Whether the document lists fields, possibly none, for the definition."""
        return self.schema.is_object


@dataclass(frozen=True, slots=True)
class Subresource:
    """An endpoint below a resource: ``status``, ``scale``, ``log``.

    ``kind`` is the kind that it takes and returns, None where that is the kind of the
    resource itself. ``verbs`` are sorted.
    """

    name: str
    verbs: tuple[str, ...]
    kind: GroupVersionKind | None = None


@dataclass(frozen=True, slots=True)
class PrinterColumn:
    """A column that ``kubectl get`` prints.

    ``json_path`` leads to its value; it is empty for Kubernetes' own kinds, whose values
    the server computes. Columns with a ``priority`` above 0 are shown
    with ``-o wide`` only.
    """

    name: str
    type: str
    json_path: str = ""
    description: str = ""
    priority: int = 0


@dataclass(frozen=True, slots=True)
class Resource:
    """How the API server serves a kind.

    ``plural`` is the name in paths, ``singular`` and ``short_names`` are the other
    names that kubectl takes. ``verbs`` are sorted and in the words of discovery
    (``deletecollection``). ``selectable_fields`` are JSON paths without the leading
    dot. ``conversion`` is how custom resources are converted between versions (``None``,
    ``Webhook``). ``storage`` says that objects are stored in this version, ``deprecated`` that
    the API server warns of it, with ``deprecation_warning`` where the warning is not
    its usual one.

    Source: APIResource (apimachinery, meta/v1/types.go) and
    CustomResourceDefinitionVersion (apiextensions, v1/types.go).
    """

    kind: GroupVersionKind
    plural: str
    singular: str
    namespaced: bool
    short_names: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    verbs: tuple[str, ...] = ()
    subresources: tuple[Subresource, ...] = ()
    printer_columns: tuple[PrinterColumn, ...] = ()
    selectable_fields: tuple[str, ...] = ()
    served: bool = True
    storage: bool = False
    deprecated: bool = False
    deprecation_warning: str | None = None
    conversion: str | None = None

    @property
    def api_path(self) -> str:
        """The path of the kind's group and version: ``/api/v1``, ``/apis/apps/v1``."""
        prefix = "/apis" if self.kind.group else "/api"
        return f"{prefix}/{self.kind.api_version}"


@dataclass(frozen=True, slots=True)
class UnknownKeyword:
    """A schema keyword that kubestencil does not support.

    ``count`` is how often it occurs, ``where`` is the first schema that has it: a file
    and a JSON pointer.
    """

    keyword: str
    count: int
    where: str


@dataclass(frozen=True, slots=True)
class Release:
    """One parsed document.

    ``name`` is the name of the release in the output. ``origin`` says where the
    document is from, ``sha256`` is the digest of its bytes. ``definitions`` maps full
    names to definitions, in the order of the document. ``document`` is the whole
    document, which has the paths, too. ``resources`` says how the kinds are served.
    ``custom_kinds`` are the kinds of CustomResourceDefinitions that were read, with their
    schemas as they are written there, ``open_groups`` those of their groups that may have
    other kinds and versions, ``projects`` the folders of a catalogue that have these files,
    by group. ``inline_definitions`` are the names of the definitions that
    a document has inside of others. ``notes`` are lines about how the documents were
    read. With ``from_openapi3``, schemas have what an API server does not publish in
    OpenAPI 2.0: defaults, ``oneOf``, the types of nullable values. ``is_limited`` is
    whether it has only some kinds, and what these refer to, of ``unlimited``.
    """

    name: str
    origin: str
    sha256: str
    definitions: Mapping[str, Definition] = field(repr=False)
    unknown_keywords: tuple[UnknownKeyword, ...] = field(repr=False)
    document: JsonObject = field(repr=False)
    resources: Mapping[GroupVersionKind, Resource] = field(
        default_factory=dict, repr=False
    )
    custom_kinds: Mapping[GroupVersionKind, JsonObject] = field(
        default_factory=dict, repr=False
    )
    open_groups: frozenset[str] = field(default=frozenset(), repr=False)
    projects: Mapping[str, str] = field(default_factory=dict, repr=False)
    inline_definitions: frozenset[str] = field(default=frozenset(), repr=False)
    notes: tuple[str, ...] = field(default=(), repr=False)
    from_openapi3: bool = False
    is_limited: bool = False
    unlimited: Mapping[str, Definition] = field(default_factory=dict, repr=False)

    def with_definitions(self, definitions: Mapping[str, Definition]) -> Release:
        """The release with other definitions."""
        schemas = {
            name: json_object(value.schema) for name, value in definitions.items()
        }
        return replace(
            self,
            definitions=FrozenObject(definitions),
            inline_definitions=self.inline_definitions & definitions.keys(),
            document=frozen({**self.document, "definitions": schemas}),
        )

    def schema_named(self, name: str) -> Schema | None:
        """The schema of a definition; None where there is none."""
        definition = self.definitions.get(name)
        return None if definition is None else definition.schema

    @property
    def has_paths(self) -> bool:
        """Whether the document has operations; embedded ones have none."""
        return bool(self.document.get("paths"))

    @property
    def stated_title(self) -> str | None:
        """The title that the document states; None where it states none."""
        return self._stated("title")

    @property
    def stated_version(self) -> str | None:
        """The version that the document states; None where it states none."""
        return self._stated("version")

    @property
    def kubernetes(self) -> str | None:
        """The release of Kubernetes that the document describes (``1.35``, ``1.35.2``),
        which its name or the document states, or which is that of a document with these
        bytes, since what Kubernetes publishes states none; None for one of something
        else, or where it is not known."""
        if is_version(self.name):
            return self.name.removeprefix("v")
        if self.stated_title != "Kubernetes":
            return None
        stated = version_in(self.stated_version or "")
        return stated or release_of_digest(self.sha256)

    def _stated(self, key: str) -> str | None:
        info = self.document.get("info")
        value = info.get(key) if isinstance(info, Mapping) else None
        return value if isinstance(value, str) else None

    def resolve(self, schema: Schema) -> Schema:
        """The schema at the end of a chain of references; ``schema`` itself where it
        is no reference."""
        while schema.ref is not None:
            schema = self.definitions[schema.ref].schema
        return schema
