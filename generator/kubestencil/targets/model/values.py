"""What templates of the view ``model`` get: a parsed release in Kubernetes' words.

The values are immutable and linked: from a field to the definition that it refers to,
from there to the group and version that the definition is in, and so on, which is why
they are in one module. Docstrings are part of the reference that ``kubestencil targets
NAME`` prints.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass
from dataclasses import field as dataclass_field
from functools import cache, cached_property
from typing import Any, NamedTuple

from kubestencil.errors import SpecError
from kubestencil.schema import Field, GroupVersionKind, Release, Schema
from kubestencil.schema.custom_resources.field_choices import FieldChoice, field_choices
from kubestencil.schema.field_paths import MAX_DEPTH, field_paths
from kubestencil.schema.graph import cyclic_edges, reference_graph, reverse
from kubestencil.schema.kinds import Stage, list_item, precedence, version_stage
from kubestencil.schema.knowledge.descriptions import deprecation
from kubestencil.schema.knowledge.fields import KnownField, known_field
from kubestencil.schema.knowledge.gates import GateStage, gate_of
from kubestencil.schema.knowledge.kinds import KnownKind, known_kind
from kubestencil.schema.knowledge.places import kinds_with_immutable
from kubestencil.schema.knowledge.values import NO_FACTS, FieldFacts
from kubestencil.schema.knowledge.words import default_in_words, facts_limits_in_words
from kubestencil.schema.operations.details import OperationDetails, OperationParameter
from kubestencil.schema.operations.rebuilt_details import operation_details
from kubestencil.schema.resource import Resource
from kubestencil.schema.types import json_object
from kubestencil.schema.well_known import EVENT, is_built_in
from kubestencil.targets.examples.nodes import Object, to_json
from kubestencil.targets.examples.trees import ExampleTrees
from kubestencil.targets.languages.modules import ModuleName, module_names
from kubestencil.text.re2.ecma import ecma_pattern

# In Kubernetes 1.35, a PodList has the most: 1,355.
_MAX_PATHS = 100_000


@dataclass(frozen=True, slots=True, eq=False)
class LinkedSchema:
    """What a value may be: a definition, a field, an item of a list, a value of a map.

    At most one of ``reference``, ``items``, ``values`` and ``fields`` says what is in
    it; otherwise it is a scalar, or anything where ``type`` is none. ``facts`` are what
    the document and the code of the API server do with the values of a field: ``enum``,
    ``defaults`` (each with the ``condition`` that it has), ``minimum``, ``maximum``,
    ``min_length``, ``max_length``, ``max_items``, ``format``, ``required``, ``unique``, and
    the ``origin`` of each: ``document`` or ``server``. Others than fields have none.
    """

    _schema: Schema = dataclass_field(repr=False)
    _index: _DefinitionIndex = dataclass_field(repr=False)
    facts: FieldFacts = dataclass_field(repr=False)

    @property
    def type(self) -> str | None:
        """``string``, ``integer``, ``number``, ``boolean``, ``object``, ``array``, or
        none for a reference and for any JSON value."""
        return self._schema.type

    @property
    def format(self) -> str | None:
        """``int32``, ``int64``, ``double``, ``byte``, ``date-time``, …, or none."""
        return self._schema.format

    @property
    def description(self) -> str:
        """The description as the document has it, which is any text."""
        return self._schema.description

    @property
    def is_deprecated(self) -> bool:
        """Whether the description calls it deprecated ("Deprecated: …")."""
        return bool(deprecation(self._schema.description))

    @property
    def default_in_words(self) -> str:
        """The default, ``Default "Always"``; empty without one, and for the empty values
        that documents have, which are those of Go's types."""
        default, origin = self.facts.default, self.facts.origin
        is_told = default and (default.value or origin["defaults"] == "server")
        return default_in_words(default.value) if default and is_told else ""

    @property
    def limits_in_words(self) -> tuple[str, ...]:
        """The limits of numbers and texts: ``1 to 65535``, ``Up to 63 characters: …``."""
        return tuple(map(str, facts_limits_in_words(self.facts)))

    @property
    def reference(self) -> LinkedDefinition | None:
        """The definition that is referred to."""
        name = self._schema.ref
        return None if name is None else self._index.definitions[name]

    @property
    def items(self) -> LinkedSchema | None:
        """What a list contains."""
        items = self._schema.items
        # Of a list, the values that are allowed are those of its items.
        return None if items is None else LinkedSchema(items, self._index, self.facts)

    @property
    def values(self) -> LinkedSchema | None:
        """What a map contains; its keys are strings."""
        values = self._schema.values
        return None if values is None else LinkedSchema(values, self._index, self.facts)

    @property
    def fields(self) -> tuple[LinkedField, ...]:
        """The fields of an object, in the order of the document."""
        return tuple(self._index.field("", field) for field in self._schema.fields)

    @property
    def is_object(self) -> bool:
        """Whether the document lists the fields (there may be none)."""
        return self._schema.is_object

    @property
    def enum(self) -> tuple[Any, ...]:
        """The allowed values, as the document or the API server has them; empty where
        neither restricts them."""
        if self.items or self.values:
            return self._schema.enum
        return self._schema.enum or self.facts.enum

    @property
    def has_default(self) -> bool:
        """Whether the document has a default, which may be null."""
        return self._schema.has_default

    @property
    def default(self) -> Any:
        """The default as a JSON value; none without one."""
        return self._schema.default

    @property
    def nullable(self) -> bool:
        """Whether null is a value: in custom resources one of its own, of a time one that
        API servers send where it was never set."""
        return self._schema.may_be_null

    @property
    def keeps_null(self) -> bool:
        """Whether null is a value of its own, other than an absent one (custom
        resources)."""
        return self._schema.nullable

    @property
    def int_or_string(self) -> bool:
        """Whether the value is an integer or a string."""
        return self._schema.int_or_string

    @property
    def is_any(self) -> bool:
        """Whether the schema names no type, so that the value may be any, null as well."""
        return self._schema.is_any

    @property
    def preserves_unknown_fields(self) -> bool:
        """Whether the API server keeps fields that the schema does not have."""
        return self._schema.preserves_unknown_fields

    @property
    def is_open(self) -> bool:
        """Whether an object may have other fields than those that ``fields`` lists."""
        return bool(self._schema.fields) and (
            self._schema.preserves_unknown_fields or self._schema.values is not None
        )

    @property
    def list_type(self) -> str | None:
        """How server-side apply merges the list: ``atomic``, ``set``, ``map``, or
        none."""
        return self._schema.list_type

    @property
    def list_map_keys(self) -> tuple[str, ...]:
        """The fields that identify an item of a list of type ``map``."""
        return self._schema.list_map_keys

    @property
    def map_type(self) -> str | None:
        """How server-side apply merges the object: ``granular``, ``atomic``, or none."""
        return self._schema.map_type

    @property
    def patch_strategy(self) -> tuple[str, ...]:
        """The strategies of a strategic merge patch: ``merge``, ``replace``,
        ``retainKeys``."""
        return self._schema.patch_strategy

    @property
    def patch_merge_key(self) -> str | None:
        """The field by which a strategic merge patch finds an item of the list."""
        return self._schema.patch_merge_key

    @property
    def pattern(self) -> str | None:
        """The pattern that matches a part of the string, in the syntax of ECMA 262, or
        none. ``keywords.get("pattern")`` has it in that of RE2."""
        pattern = self._schema.limits.pattern
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
        return None if negated is None else LinkedSchema(negated, self._index, NO_FACTS)

    def _schemas(self, schemas: Iterable[Schema]) -> tuple[LinkedSchema, ...]:
        return tuple(LinkedSchema(schema, self._index, NO_FACTS) for schema in schemas)

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
        return self._index.fields(self.name)

    @property
    def is_deprecated(self) -> bool:
        """Whether the description calls it deprecated, or the API server warns of the
        kind, or of the items of the list."""
        if any(map(self._index.is_deprecated_kind, self.kinds)):
            return True
        item = self.list_item
        return bool(deprecation(self.description) or (item and item.is_deprecated))

    @property
    def group_version(self) -> GroupVersion:
        """The group and version that the definition belongs to."""
        return self._index.group_versions[self._index.modules[self.name]]

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
        return self._index.named(self._index.graph[self.name])

    @property
    def referrers(self) -> tuple[LinkedDefinition, ...]:
        """The definitions that refer to it."""
        return self._index.named(self._index.reversed_graph[self.name])

    @property
    def is_custom(self) -> bool:
        """Whether it is none of Kubernetes' own definitions, but of a custom resource."""
        return not is_built_in(self.name)

    @property
    def is_on_cycle(self) -> bool:
        """Whether it refers to itself, directly or through other definitions."""
        return self.name in self._index.cyclic

    @property
    def list_item(self) -> LinkedDefinition | None:
        """The definition of which this is the list kind (``Pod`` of ``PodList``)."""
        return self._index.list_item(self.name)

    @property
    def stage(self) -> Stage:
        """The stage of its version: ``alpha``, ``beta`` or ``stable``."""
        return version_stage(self.version)

    @property
    def gate(self) -> GateStage | None:
        """The feature gate without which the API server does not serve the kind, with
        its ``stage`` and default (``enabled``); none where there is none."""
        return gate_of(self.name, "", self._index.release.name)

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
        facts = self._kind and self._kind.lifecycle
        return facts.deprecated if facts else None

    @property
    def removed_in(self) -> str | None:
        """The first release that no longer serves the kind, as far as it is planned, or
        none."""
        facts = self._kind and self._kind.lifecycle
        return facts.removed if facts else None

    @property
    def replacement(self) -> GroupVersionKind | None:
        """The kind to use instead in this release, or none."""
        return self._kind.replacement if self._kind else None

    @property
    def _kind(self) -> KnownKind | None:
        kind = self.served_kind
        return known_kind(kind, self._index.release.name) if kind else None

    @property
    def resource(self) -> Resource | None:
        """How the API server serves the kind: plural, scope, verbs, short names,
        subresources; none for what it does not store under a name of its own."""
        kind = self.served_kind
        return self._index.release.resources.get(kind) if kind else None

    @property
    def operations(self) -> tuple[LinkedOperation, ...]:
        """The operations on the kind, those of its subresources included, unless these
        have a kind of their own (``Eviction``)."""
        kind = self.served_kind
        return tuple(
            item for item in self._index.operations if kind and item.kind == kind
        )

    @property
    def example(self) -> Any:
        """A small object of the kind as a JSON value, which the API server accepts where
        the kind is a built-in one; none where there is none."""
        return self._index.example(self.name, with_all_fields=False)

    @property
    def full_example(self) -> Any:
        """An object of the kind with all fields as a JSON value; none where it would be
        too large."""
        return self._index.example(self.name, with_all_fields=True)

    def field_paths(self, max_depth: int = MAX_DEPTH) -> Iterator[FieldWithPath]:
        """All fields below, at each path that leads to them, to a depth of ``max_depth``
        names, at most 200, or to where a type would be inside of itself."""
        index = self._index
        rows = field_paths(index.parsed[self.name], index.release, max_depth)
        for number, row in enumerate(rows):
            if number == _MAX_PATHS:
                raise SpecError(
                    f"{self.name} has more than {_MAX_PATHS:,} paths",
                    hint="limit them: field_paths(max_depth=5)",
                )
            yield FieldWithPath(row.path, index.field(row.definition, row.field))


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


@dataclass(frozen=True, slots=True, eq=False)
class Group:
    """A group with its ``versions``, the one that Kubernetes prefers first."""

    name: str
    versions: tuple[GroupVersion, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """A release: all groups, versions and definitions.

    ``name`` is the name of the release (``1.35``).
    """

    name: str
    _index: _DefinitionIndex = dataclass_field(repr=False)

    @property
    def definitions(self) -> tuple[LinkedDefinition, ...]:
        """All definitions, in the order of the document."""
        return tuple(self._index.definitions.values())

    @property
    def groups(self) -> tuple[Group, ...]:
        """All groups, sorted by name."""
        return self._index.groups

    @property
    def group_versions(self) -> tuple[GroupVersion, ...]:
        """All groups and versions, sorted by group, the preferred version first."""
        return tuple(version for group in self.groups for version in group.versions)

    @property
    def operations(self) -> tuple[LinkedOperation, ...]:
        """All operations, those of discovery included."""
        return self._index.operations

    def definition(self, name: str) -> LinkedDefinition | None:
        """The definition with a full name, none where the release does not have it."""
        return self._index.definitions.get(name)


def make_model(release: Release) -> Model:
    """The model of a release.

    Raises SpecError where two definitions have the same group, version and kind.
    """
    return Model(release.name, _DefinitionIndex(release))


class _DefinitionIndex:
    """The links between the values, each kind of link computed when it is needed."""

    def __init__(self, release: Release) -> None:
        self.parsed = release.definitions
        self.definitions = {
            name: LinkedDefinition(
                definition.schema,
                self,
                NO_FACTS,
                name,
                definition.kind,
                definition.kinds,
            )
            for name, definition in release.definitions.items()
        }
        self.modules = module_names(release.definitions)
        self.release = release
        # Templates ask for those of a definition several times.
        self.fields = cache(self._fields)
        self.immutable = kinds_with_immutable(release)
        self.group_versions = self._make_group_versions()

    def _make_group_versions(self) -> Mapping[ModuleName, GroupVersion]:
        members: dict[ModuleName, dict[str, LinkedDefinition]] = {}
        for name, module in self.modules.items():
            definition = self.definitions[name]
            kinds = members.setdefault(module, {})
            other = kinds.setdefault(definition.kind, definition)
            if other is not definition:
                raise SpecError(
                    f"two definitions are called {definition.kind} in "
                    f"{'/'.join(module)}: {other.name} and {name}",
                    hint="rename one of them in the document",
                )
        return {
            module: GroupVersion(*module, tuple(kinds.values()))
            for module, kinds in members.items()
        }

    @cached_property
    def groups(self) -> tuple[Group, ...]:
        versions: dict[str, list[GroupVersion]] = {}
        for group_version in self.group_versions.values():
            versions.setdefault(group_version.group, []).append(group_version)
        return tuple(
            Group(name, tuple(sorted(versions[name], key=_precedence, reverse=True)))
            for name in sorted(versions)
        )

    @cached_property
    def graph(self) -> Mapping[str, tuple[str, ...]]:
        return reference_graph(self.parsed)

    @cached_property
    def reversed_graph(self) -> Mapping[str, list[str]]:
        return reverse(self.graph)

    @cached_property
    def cyclic(self) -> Container[str]:
        return cyclic_edges(self.graph)

    def is_deprecated_kind(self, kind: GroupVersionKind) -> bool:
        resource = self.release.resources.get(kind)
        return resource is not None and resource.deprecated

    def _fields(self, definition: str) -> tuple[LinkedField, ...]:
        fields = self.parsed[definition].fields
        return tuple(self.field(definition, field) for field in fields)

    def field(self, definition: str, field: Field) -> LinkedField:
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
        parameters = (*details.path_parameters, *details.parameters)
        return LinkedOperation(
            operation.name,
            operation.method,
            operation.path,
            operation.verb,
            operation.kind,
            details.description,
            tuple(map(self._parameter, parameters)),
            tuple(
                OperationResponse(
                    response.code, response.description, self._schema(response.schema)
                )
                for response in details.responses
            ),
            details.consumes,
            details.produces,
        )

    def _parameter(self, parameter: OperationParameter) -> LinkedParameter:
        name, location, required, text, schema = parameter
        return LinkedParameter(schema, self, NO_FACTS, name, location, required, text)

    def _schema(self, schema: Schema | None) -> LinkedSchema | None:
        return None if schema is None else LinkedSchema(schema, self, NO_FACTS)

    @cached_property
    def _examples(self) -> ExampleTrees:
        return ExampleTrees(self.release)

    def example(self, name: str, *, with_all_fields: bool) -> Any:
        definition = self.parsed[name]
        tree: Object | None = None
        if len(definition.kinds) == 1:
            examples = self._examples
            make = examples.all_fields if with_all_fields else examples.starter
            tree = make(definition)
        return None if tree is None else to_json(tree)

    def named(self, names: Iterable[str]) -> tuple[LinkedDefinition, ...]:
        return tuple(self.definitions[name] for name in names)

    def list_item(self, name: str) -> LinkedDefinition | None:
        item = list_item(self.parsed[name], self.parsed)
        return None if item is None else self.definitions[item.name]


def _precedence(group_version: GroupVersion) -> tuple[int, int, int, str]:
    return precedence(group_version.version)
