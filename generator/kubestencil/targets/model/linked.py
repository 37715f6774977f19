"""The linked values of a release: schemas, fields, definitions, operations.

The values are immutable and linked: from a field to the definition that it refers to,
from there to the group and version that the definition is in, and so on, which is why
they are in one module. Docstrings are part of the reference that ``kubestencil targets
NAME`` prints.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from dataclasses import dataclass
from dataclasses import field as dataclass_field
from functools import cache, cached_property
from typing import Any, Literal, NamedTuple

from kubestencil.errors import SpecError
from kubestencil.schema import Field, GroupVersionKind, Release, Schema
from kubestencil.schema.custom_resources.field_choices import FieldChoice, field_choices
from kubestencil.schema.field_paths import MAX_DEPTH, field_paths
from kubestencil.schema.graph import (
    components,
    cyclic_edges,
    reference_graph,
    reverse,
)
from kubestencil.schema.keyword_values import SchemaKeywords, json_object
from kubestencil.schema.kinds import Stage, list_item, version_stage
from kubestencil.schema.knowledge.descriptions import deprecation
from kubestencil.schema.knowledge.fields import KnownField, known_field
from kubestencil.schema.knowledge.gates import GateStage, gate_of
from kubestencil.schema.knowledge.kinds import KnownKind, known_kind
from kubestencil.schema.knowledge.values import NO_FACTS, FieldFacts
from kubestencil.schema.knowledge.words import facts_limits_in_words
from kubestencil.schema.operations.details import OperationDetails
from kubestencil.schema.operations.rebuilt_details import operation_details
from kubestencil.schema.types import Resource
from kubestencil.schema.well_known import EVENT, is_built_in
from kubestencil.targets.examples.trees import ExampleTrees
from kubestencil.text.re2.ecma import ecma_pattern

# In Kubernetes 1.35, a PodList has the most: 1,355.
_MAX_PATHS = 100_000


#: What a value is not below or above, or, of a text, a regular expression of it whole.
BoundName = Literal[
    "minimum",
    "maximum",
    "min_length",
    "max_length",
    "pattern",
    "min_items",
    "max_items",
]


class Bound(NamedTuple):
    """A limit of values: ``name`` is minimum, maximum, min_length, max_length, min_items,
    max_items, or pattern, whose ``value`` is a regular expression of whole texts, the
    empty one included, in the syntax that ECMA 262, RE2 and Python share."""

    name: BoundName
    value: float | str


def _representable(type_: str, limit: float | None) -> float | None:
    """A limit as a literal of a language whose integers have 64 bits: none where it is
    beyond all of them, and a float for numbers."""
    if limit is None or -(2**63) <= limit < 2**63:
        return limit
    return None if type_ == "integer" else float(limit)


@dataclass(frozen=True, slots=True, eq=False)
class LinkedSchema(SchemaKeywords):
    """What a value may be: a definition, a field, an item of a list, a value of a map.

    At most one of ``reference``, ``items``, ``values`` and ``fields`` says what is in
    it; otherwise it is a scalar, or anything where ``type`` is none. ``facts`` are what
    the document and the code of the API server do with the values of a field: ``enum``,
    ``defaults`` (each with the ``condition`` that it has), ``minimum``, ``maximum``,
    ``min_length``, ``max_length``, ``max_items``, ``format``, ``required``, ``unique``, and
    the ``origin`` of each: ``document`` or ``server``. Others than fields have none.
    """

    _schema: Schema = dataclass_field(repr=False)
    _links: DefinitionLinks = dataclass_field(repr=False)
    facts: FieldFacts = dataclass_field(repr=False)

    @property
    def raw(self) -> object:
        """The schema object in the document."""
        return self._schema.raw

    @property
    def ref(self) -> str | None:
        """The full name of the definition that is referred to."""
        return self._schema.ref

    @property
    def is_deprecated(self) -> bool:
        """Whether the description calls it deprecated ("Deprecated: …")."""
        return bool(deprecation(self.description))

    @property
    def default_as_json(self) -> str | None:
        """The default that is worth telling, as JSON: what the API server always fills in,
        and what documents have but for the empty values of Go's types. None without one.
        """
        return None

    @property
    def default_in_words(self) -> str:
        """The same as a line, ``Default "Always"``; empty without one."""
        default = self.default_as_json
        return "" if default is None else f"Default {default}"

    @property
    def limits_in_words(self) -> tuple[str, ...]:
        """The limits of numbers and texts: ``1 to 65535``, ``Up to 63 characters: …``."""
        return tuple(map(str, facts_limits_in_words(self.facts)))

    @property
    def documentation(self) -> str:
        """The description, and the default in words."""
        return _paragraphs(self.description, self.default_in_words)

    @property
    def full_documentation(self) -> str:
        """The same with the limits in words, for languages whose types have none."""
        return _paragraphs(self.documentation, *self.limits_in_words)

    @property
    def bounds(self) -> tuple[Bound, ...]:
        """What the API server refuses other values for, as far as it is about values of
        this type."""
        if self.ref is not None or self.int_or_string:
            return ()
        facts = self.facts
        limits: Mapping[BoundName, float | str | None] = {}
        if self._schema.items is not None:
            # An empty list is a missing one to the server, but not to documents.
            is_needed = facts.required and facts.origin["required"] == "server"
            limits = {
                "min_items": 1 if is_needed else None,
                "max_items": facts.max_items,
            }
        elif self.type in ("integer", "number"):
            limits = {
                "minimum": _representable(self.type, facts.minimum),
                "maximum": _representable(self.type, facts.maximum),
            }
        elif self.type == "string" and not self.enforced_texts:
            # An empty text is a missing one to formats.
            pattern = f"^(?:{facts.pattern})?$" if facts.pattern else None
            limits = {
                "min_length": facts.min_length,
                "max_length": facts.max_length,
                "pattern": pattern,
            }
        return tuple(
            Bound(name, limit) for name, limit in limits.items() if limit is not None
        )

    @property
    def reference(self) -> LinkedDefinition | None:
        """The definition that is referred to."""
        return None if self.ref is None else self._links.definitions[self.ref]

    @property
    def items(self) -> LinkedSchema | None:
        """What a list contains."""
        items = self._schema.items
        # Of a list, the values that are allowed are those of its items, of which each may
        # be a list of any length.
        facts = self.facts._replace(max_items=None)
        return None if items is None else LinkedSchema(items, self._links, facts)

    @property
    def values(self) -> LinkedSchema | None:
        """What a map contains; its keys are strings."""
        values = self._schema.values
        return None if values is None else LinkedSchema(values, self._links, self.facts)

    @property
    def content(self) -> LinkedSchema | None:
        """The ``items`` of a list, or the ``values`` of a map; none of other values."""
        return self.items or self.values

    @property
    def fields(self) -> tuple[LinkedField, ...]:
        """The fields of an object, in the order of the document."""
        return tuple(self._links.field("", field) for field in self._schema.fields)

    @property
    def enum(self) -> tuple[Any, ...]:
        """The allowed values, as the document or the API server has them; empty where
        neither restricts them."""
        enum, has_parts = self._schema.enum, self._schema.content
        return enum if has_parts else enum or self.facts.enum

    @property
    def texts(self) -> tuple[str, ...]:
        """The allowed texts, of values that are nothing but texts and null: all that is
        known, even if the API server does not refuse others. Empty where any text is.
        """
        values = [value for value in self.enum if value is not None]
        is_text = self.type in ("string", None) and not (self.ref or self.int_or_string)
        if not is_text or not all(isinstance(value, str) for value in values):
            return ()
        return tuple(dict.fromkeys(values))

    @property
    def enforced_texts(self) -> tuple[str, ...]:
        """The texts other than which the API server refuses: the empty one is among them
        where it is no value to the server. Empty where any text is accepted."""
        facts, texts = self.facts, self.texts
        origin = facts.origin.get("enum")
        if not texts or origin == "type":
            return ()
        is_unset = origin == "server" and not facts.min_length and not facts.required
        return (*texts, "") if is_unset and "" not in texts else texts

    @property
    def may_be_null(self) -> bool:
        """Whether null is a value: also of what has no type, which may be any JSON value."""
        return self.nullable or self.is_any

    @property
    def null_is_zero(self) -> bool:
        """Whether null is no value, but read as the zero value of the type where it is an
        item of a list or a value of a map."""
        return self.ref is None and not self.nullable

    @property
    def is_open(self) -> bool:
        """Whether an object may have other fields than those that ``fields`` lists."""
        return bool(self._schema.fields) and (
            self.preserves_unknown_fields or self._schema.values is not None
        )

    @property
    def pattern(self) -> str | None:
        """The pattern that matches a part of the string, in the syntax of ECMA 262, or
        none. ``keywords.get("pattern")`` has it in that of RE2."""
        pattern = self.limits.pattern
        return None if pattern is None else ecma_pattern(pattern)

    @property
    def field_choices(self) -> tuple[FieldChoice, ...]:
        """How many of some fields an object has: each with its ``kind`` (``exactly one
        of``, ``at most one of``, ``at least one of``), and with ``fields``, sets of
        fields that are there together."""
        return tuple(field_choices(self._schema))

    @property
    def all_of(self) -> tuple[LinkedSchema, ...]:
        """The schemas that hold besides this one (``allOf``)."""
        return self._schemas(self._schema.all_of)

    @property
    def any_of(self) -> tuple[LinkedSchema, ...]:
        """The schemas of which at least one holds; empty where there is no choice."""
        return self._schemas(self._schema.any_of)

    @property
    def one_of(self) -> tuple[LinkedSchema, ...]:
        """The schemas of which exactly one holds; empty where there is no choice."""
        return self._schemas(self._schema.one_of)

    @property
    def negated(self) -> LinkedSchema | None:
        """The schema that does not hold (``not``), or none."""
        negated = self._schema.negated
        return None if negated is None else LinkedSchema(negated, self._links, NO_FACTS)

    def _schemas(self, schemas: Iterable[Schema]) -> tuple[LinkedSchema, ...]:
        return tuple(LinkedSchema(schema, self._links, NO_FACTS) for schema in schemas)

    @property
    def validations(self) -> tuple[Mapping[str, Any], ...]:
        """The CEL rules (``x-kubernetes-validations``)."""
        return tuple(map(json_object, self._schema.validations))

    @property
    def keywords(self) -> Mapping[str, Any]:
        """The schema as the document has it, for every other keyword:
        ``keywords.get("pattern")``."""
        return json_object(self._schema)


@dataclass(frozen=True, slots=True, eq=False)
class LinkedField(LinkedSchema):
    """A field of an object: a schema with a name.

    ``name`` is the JSON name, which is any text; ``required`` says whether the field
    must be there. ``immutable_in`` are the kinds in whose objects the API server refuses
    to change it.
    """

    name: str
    required: bool
    immutable_in: tuple[GroupVersionKind, ...]
    _known: KnownField = dataclass_field(repr=False)

    @property
    def is_needed(self) -> bool:
        """Whether an object needs the field: to the API server where that is known, or
        else by the document, as ``required`` says."""
        return self._known.required

    @property
    def must_be_set(self) -> bool:
        """Whether an object needs the field, and null is no value of it."""
        return self.is_needed and not self.may_be_null

    @property
    def is_always_sent(self) -> bool:
        """Whether each object that the API server sends has the field: it is required, says
        what kind the object is, or is the metadata of a custom resource."""
        is_metadata = self.name == "metadata" and self._kind and self._is_custom
        return bool(self.required or self.constant or is_metadata)

    @property
    def constant(self) -> str:
        """The text that is the only value: that of ``apiVersion`` and ``kind`` in what is
        served as one kind. Empty for other fields."""
        if self._kind is None or self.name not in ("apiVersion", "kind"):
            return ""
        return self._kind.kind if self.name == "kind" else self._kind.api_version

    @property
    def is_reported(self) -> bool:
        """Whether it is the status of a kind: the API server drops it from an object that is
        written, whatever is in it."""
        return bool(self._kind and self.name == "status" and self.ref)

    @property
    def default_as_json(self) -> str | None:
        """The default that is worth telling, as JSON: what the API server always fills in,
        and what documents have but for the empty values of Go's types. None without one.
        """
        default, origin = self.facts.default, self.facts.origin
        is_told = default and (
            default.value or self._is_custom or origin["defaults"] == "server"
        )
        return (
            json.dumps(default.value, ensure_ascii=False)
            if default and is_told
            else None
        )

    @property
    def _kind(self) -> GroupVersionKind | None:
        """What the object that has the field is served as."""
        definition = self._links.definitions.get(self._known.definition)
        return definition.served_kind if definition else None

    @property
    def _is_custom(self) -> bool:
        return bool(self._known.definition) and not is_built_in(self._known.definition)

    @property
    def gate(self) -> GateStage | None:
        """The feature gate without which the API server drops or refuses the field, with
        its ``stage`` and default (``enabled``); none where there is none."""
        return self._known.gate

    @property
    def added_in(self) -> str | None:
        """The first release that has the field; none where that is the first one of its
        type, or not known."""
        return self._known.added_in

    @property
    def removed_in(self) -> str | None:
        """The first release that no longer has the field, or none."""
        return self._known.removed_in

    @property
    def has_default(self) -> bool:
        """Whether the document has a default, which may be null, or the API server
        always fills in the same value."""
        return self._schema.has_default or self.facts.default is not None

    @property
    def default(self) -> Any:
        """The default as a JSON value, that of the API server before that of the
        document; none without one. ``facts.origin["defaults"]`` says whose it is."""
        default = self.facts.default
        return self._schema.default if default is None else default.value


@dataclass(frozen=True, slots=True, eq=False)
class LinkedDefinition(LinkedSchema):
    """A named type of the document: a schema that others refer to.

    ``name`` is the full name (``io.k8s.api.apps.v1.Deployment``) and ``kind`` its last
    part. ``kinds`` are the groups, versions and kinds that the API server serves it as:
    none for a type that is only part of others, many for what every group has
    (``DeleteOptions``).
    """

    name: str
    kind: str
    kinds: tuple[GroupVersionKind, ...]

    @property
    def fields(self) -> tuple[LinkedField, ...]:
        """The fields of an object, in the order of the document."""
        return self._links.fields(self.name)

    @property
    def levels(self) -> int:
        """The definitions on the longest way of references from here, itself included;
        those that refer to each other count as one."""
        return self._links.levels[self.name]

    @property
    def is_deprecated(self) -> bool:
        """Whether the description calls it deprecated, or the API server warns of the
        kind, or of the items of the list."""
        resources = map(self._links.release.resources.get, self.kinds)
        if any(resource and resource.deprecated for resource in resources):
            return True
        item = self.list_item
        return bool(deprecation(self.description) or (item and item.is_deprecated))

    @property
    def group_version(self) -> GroupVersion:
        """The group and version that the definition belongs to."""
        return self._links.group_versions[self.name]

    @property
    def group(self) -> str:
        """The name of the group: ``core``, ``apps``, ``resource.k8s.io``, ``meta``."""
        return self.group_version.group

    @property
    def version(self) -> str:
        """The version: ``v1``, ``v1beta1``, or ``unversioned``."""
        return self.group_version.version

    @property
    def served_kind(self) -> GroupVersionKind | None:
        """What manifests call it, with ``group``, ``version``, ``kind`` and
        ``api_version`` (``apps/v1``); none where ``kinds`` has none or several."""
        return self.kinds[0] if len(self.kinds) == 1 else None

    @property
    def references(self) -> tuple[LinkedDefinition, ...]:
        """The definitions that it refers to, each once."""
        return self._links.named(self._links.graph[self.name])

    @property
    def referrers(self) -> tuple[LinkedDefinition, ...]:
        """The definitions that refer to it."""
        return self._links.named(self._links.reversed_graph[self.name])

    @property
    def is_custom(self) -> bool:
        """Whether it is none of Kubernetes' own definitions, but of a custom resource."""
        return not is_built_in(self.name)

    @property
    def is_on_cycle(self) -> bool:
        """Whether it refers to itself, directly or through other definitions."""
        return self.name in self._links.cyclic

    @property
    def list_item(self) -> LinkedDefinition | None:
        """The definition of which this is the list kind (``Pod`` of ``PodList``)."""
        definitions = self._links.release.definitions
        item = list_item(definitions[self.name], definitions)
        return None if item is None else self._links.definitions[item.name]

    @property
    def stage(self) -> Stage:
        """The stage of its version: ``alpha``, ``beta`` or ``stable``."""
        return version_stage(self.version)

    @property
    def gate(self) -> GateStage | None:
        """The feature gate without which the API server does not serve the kind, with
        its ``stage`` and default (``enabled``); none where there is none."""
        return gate_of(self.name, "", self._links.release.name)

    @property
    def added_in(self) -> str | None:
        """The first release that can serve the kind; none for what is no kind of
        Kubernetes."""
        facts = self._kind and self._kind.lifecycle
        return facts.introduced if facts else None

    @property
    def deprecated_in(self) -> str | None:
        """The release from which the API server warns of the kind, which may be a later
        one, or none."""
        return self._kind.deprecated if self._kind else None

    @property
    def removed_in(self) -> str | None:
        """The first release that no longer serves the kind, as far as it is planned, or
        none."""
        return self._kind.removed if self._kind else None

    @property
    def replacement(self) -> GroupVersionKind | None:
        """The kind to use instead in this release, or none."""
        return self._kind.replacement if self._kind else None

    @property
    def _kind(self) -> KnownKind | None:
        kind = self.served_kind
        return known_kind(kind, self._links.release.name) if kind else None

    @property
    def resource(self) -> Resource | None:
        """How the API server serves the kind: plural, scope, verbs, short names,
        subresources; none for what it does not store under a name of its own."""
        kind = self.served_kind
        return self._links.release.resources.get(kind) if kind else None

    @property
    def operations(self) -> tuple[LinkedOperation, ...]:
        """The operations on the kind, those of its subresources included, unless these
        have a kind of their own (``Eviction``)."""
        kind = self.served_kind
        return tuple(
            item for item in self._links.operations if kind and item.kind == kind
        )

    @property
    def example(self) -> Any:
        """A small object of the kind as a JSON value, which the API server accepts where
        the kind is a built-in one; none where there is none."""
        return self._links.example(self.name, with_all_fields=False)

    @property
    def full_example(self) -> Any:
        """An object of the kind with all fields as a JSON value; none where it would be
        too large."""
        return self._links.example(self.name, with_all_fields=True)

    def field_paths(self, max_depth: int = MAX_DEPTH) -> Iterator[FieldWithPath]:
        """All fields below, at each path that leads to them, to a depth of ``max_depth``
        names, at most 200, or to where a type would be inside of itself."""
        release = self._links.release
        rows = field_paths(release.definitions[self.name], release, max_depth)
        for number, row in enumerate(rows):
            if number == _MAX_PATHS:
                raise SpecError(
                    f"{self.name} has more than {_MAX_PATHS:,} paths",
                    hint="limit them: field_paths(max_depth=5)",
                )
            yield FieldWithPath(row.path, self._links.field(row.definition, row.field))


class FieldWithPath(NamedTuple):
    """A field and the ``path`` that users write, ``spec.template.spec.containers.image``:
    names with dots between them, without indexes of lists and keys of maps."""

    path: str
    field: LinkedField


@dataclass(frozen=True, slots=True, eq=False)
class LinkedParameter(LinkedSchema):
    """A parameter of an operation: a schema with a name.

    ``location`` is ``path``, ``query``, ``header``, ``formData`` or ``body``.
    """

    name: str
    location: str
    required: bool
    _text: str = dataclass_field(repr=False)

    @property
    def description(self) -> str:
        """The description as the document has it; empty for most parameters of operations
        that are rebuilt."""
        return self._text


class OperationResponse(NamedTuple):
    """A response of an operation; ``schema`` is that of its body, or none."""

    code: str
    description: str
    schema: LinkedSchema | None


class LinkedOperation(NamedTuple):
    """An operation of the API: a ``method`` (``get``) of a ``path``.

    ``name`` is its operationId, ``verb`` the word that RBAC has for it (``list``), empty
    for what is no operation on a resource; ``kind`` is what it is about, or none.
    ``consumes`` and ``produces`` are media types. A document without paths has the
    operations that follow from its resources.
    """

    name: str
    method: str
    path: str
    verb: str
    kind: GroupVersionKind | None
    description: str
    parameters: tuple[LinkedParameter, ...]
    responses: tuple[OperationResponse, ...]
    consumes: tuple[str, ...]
    produces: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class GroupVersion:
    """A version of a group, with its definitions in the order of the document.

    ``group`` is ``core``, ``apps``, ``resource.k8s.io``, …; ``version`` is ``v1``,
    ``v1beta1``, …. The types that every group uses (``ObjectMeta``, ``Quantity``,
    ``IntOrString``) are in ``meta`` and ``v1``.
    """

    group: str
    version: str
    definitions: tuple[LinkedDefinition, ...] = dataclass_field(repr=False)

    @property
    def name(self) -> str:
        """Group and version: ``apps/v1``, ``core/v1``."""
        return f"{self.group}/{self.version}"

    @property
    def kinds(self) -> tuple[LinkedDefinition, ...]:
        """The definitions that manifests can be written for."""
        return tuple(
            definition
            for definition in self.definitions
            if definition.served_kind is not None
        )

    @property
    def imports(self) -> tuple[GroupVersion, ...]:
        """The other groups and versions that its definitions refer to, by name."""
        imported = {
            reference.group_version.name: reference.group_version
            for definition in self.definitions
            for reference in definition.references
        }
        return tuple(imported[name] for name in sorted(imported) if name != self.name)

    @property
    def components(self) -> tuple[Component, ...]:
        """Its definitions by what refers to what, if all are of custom kinds: those of a
        component and of another never refer to each other. None of Kubernetes' own."""
        if not all(definition.is_custom for definition in self.definitions):
            return ()
        neighbours = {
            item.name: tuple(
                other.name for other in (*item.references, *item.referrers)
            )
            for item in self.definitions
        }
        component_of = {
            name: names for names in components(neighbours) for name in names
        }
        parts: dict[tuple[str, ...], list[LinkedDefinition]] = {}
        for item in self.definitions:
            parts.setdefault(component_of[item.name], []).append(item)
        return tuple(Component(tuple(part)) for part in parts.values())


@dataclass(frozen=True, slots=True, eq=False)
class Component:
    """Custom kinds of a group and version that refer to each other, with their parts: most
    often a kind and its list."""

    definitions: tuple[LinkedDefinition, ...] = dataclass_field(repr=False)

    @property
    def kind(self) -> str:
        """The first of the kinds that is no list."""
        kinds = (
            item.kind
            for item in self.definitions
            if item.served_kind and not item.list_item
        )
        return next(kinds, self.definitions[0].kind)

    @property
    def group_version(self) -> GroupVersion:
        """The group and version of all of them."""
        return self.definitions[0].group_version


@dataclass(eq=False)
class DefinitionLinks:
    """What the values of a release lead to, by the full names of definitions; what few
    templates need is computed when it is."""

    release: Release
    immutable: Mapping[tuple[str, str], tuple[GroupVersionKind, ...]]
    definitions: dict[str, LinkedDefinition] = dataclass_field(default_factory=dict)
    group_versions: dict[str, GroupVersion] = dataclass_field(default_factory=dict)

    @cached_property
    def graph(self) -> Mapping[str, tuple[str, ...]]:
        return reference_graph(self.release.definitions)

    @cached_property
    def reversed_graph(self) -> Mapping[str, list[str]]:
        return reverse(self.graph)

    @cached_property
    def cyclic(self) -> Container[str]:
        return cyclic_edges(self.graph)

    @cached_property
    def levels(self) -> Mapping[str, int]:
        levels: dict[str, int] = {}
        for names in components(self.graph):
            references = {other for name in names for other in self.graph[name]}
            # What others refer to comes before them.
            below = (levels[name] for name in references.difference(names))
            levels.update(dict.fromkeys(names, 1 + max(below, default=0)))
        return levels

    def named(self, names: Iterable[str]) -> tuple[LinkedDefinition, ...]:
        return tuple(self.definitions[name] for name in names)

    @cached_property
    def fields(self) -> Callable[[str], tuple[LinkedField, ...]]:
        """The fields of a definition, for which templates ask several times."""
        return cache(self._fields)

    def _fields(self, definition: str) -> tuple[LinkedField, ...]:
        fields = self.release.definitions[definition].fields
        return tuple(self.field(definition, field) for field in fields)

    def field(self, definition: str, field: Field) -> LinkedField:
        """A field of a definition, whose name is empty for one in another field."""
        # Types are read as well as written: only what the document says holds for both.
        asked = "" if definition == EVENT else definition
        values = known_field(self.release.name, asked, field)
        known = values._replace(definition=definition)
        facts = known.facts if definition else NO_FACTS
        kinds = self.immutable.get((definition, field.name), ())
        return LinkedField(
            field.schema, self, facts, field.name, field.required, kinds, known
        )

    @cached_property
    def operations(self) -> tuple[LinkedOperation, ...]:
        return tuple(map(self._operation, operation_details(self.release)))

    def _operation(self, details: OperationDetails) -> LinkedOperation:
        operation = details.operation
        return LinkedOperation(
            operation.name,
            operation.method,
            operation.path,
            operation.verb,
            operation.kind,
            details.description,
            tuple(
                LinkedParameter(schema, self, NO_FACTS, name, location, required, text)
                for name, location, required, text, schema in (
                    *details.path_parameters,
                    *details.parameters,
                )
            ),
            tuple(
                OperationResponse(
                    code, text, schema and LinkedSchema(schema, self, NO_FACTS)
                )
                for code, text, schema in details.responses
            ),
            details.consumes,
            details.produces,
        )

    @cached_property
    def _examples(self) -> ExampleTrees:
        return ExampleTrees(self.release)

    def example(self, name: str, *, with_all_fields: bool) -> Any:
        definition = self.release.definitions[name]
        if definition.served_kind is None:
            return None
        examples = self._examples
        make = examples.all_fields if with_all_fields else examples.starter
        return make(definition)


def _paragraphs(*texts: str) -> str:
    return "\n\n".join(filter(None, texts))
