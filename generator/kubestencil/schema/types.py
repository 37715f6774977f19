"""The spec as immutable values, in Kubernetes' own words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

#: A JSON value as the document has it: the source of a fragment, never a copy.
Raw = Mapping[str, Any]


@dataclass(frozen=True, slots=True, order=True)
class GroupVersionKind:
    """What the API server calls a kind. The core group's name is empty."""

    group: str
    version: str
    kind: str

    @property
    def api_version(self) -> str:
        """What a manifest says: ``v1``, ``apps/v1``."""
        return f"{self.group}/{self.version}" if self.group else self.version


# Schema and Field are tuples, since a release has some nine thousand of them, and a
# frozen dataclass takes four times as long to make.
class Schema(NamedTuple):
    """What one value may be: a field, an item of a list, a value of a map.

    ``ref`` is the full name of the definition that is referred to, ``items``
    what a list holds, ``values`` what a map holds, ``fields`` what an object
    has. ``raw`` is the fragment of the document; the Kubernetes extensions are
    read from it by the properties below. All keywords were checked by
    ``kubestencil.schema.openapi2``, so the properties return what they say.

    The extensions are described in the Kubernetes API conventions and in
    kubernetes/kubernetes ``staging/src/k8s.io/kube-openapi``.
    """

    raw: Raw
    type: str | None
    format: str | None
    description: str
    ref: str | None
    items: Schema | None
    values: Schema | None
    fields: tuple[Field, ...]

    @property
    def required(self) -> tuple[str, ...]:
        """The JSON names of the fields that must be there."""
        return tuple(self.raw.get("required", ()))

    @property
    def has_default(self) -> bool:
        """Whether the document names a default; it may be null."""
        return "default" in self.raw

    @property
    def default(self) -> Any:
        """The default as a JSON value, None where there is none."""
        return self.raw.get("default")

    @property
    def enum(self) -> tuple[Any, ...]:
        """The values that are allowed, empty where all are."""
        return tuple(self.raw.get("enum", ()))

    @property
    def nullable(self) -> bool:
        """Whether null is a value of its own (CustomResourceDefinitions)."""
        return bool(self.raw.get("x-nullable", self.raw.get("nullable", False)))

    @property
    def list_type(self) -> str | None:
        """How server-side apply merges a list: ``atomic``, ``set`` or ``map``."""
        return self.raw.get("x-kubernetes-list-type")

    @property
    def list_map_keys(self) -> tuple[str, ...]:
        """The fields that identify an item of a list of type ``map``."""
        return tuple(self.raw.get("x-kubernetes-list-map-keys", ()))

    @property
    def map_type(self) -> str | None:
        """How server-side apply merges an object: ``granular`` or ``atomic``."""
        return self.raw.get("x-kubernetes-map-type")

    @property
    def patch_strategy(self) -> tuple[str, ...]:
        """The parts of the strategic merge patch strategy: ``merge``, ``replace``,
        ``retainKeys``."""
        value = self.raw.get("x-kubernetes-patch-strategy", "")
        return tuple(value.split(",")) if value else ()

    @property
    def patch_merge_key(self) -> str | None:
        """The field by which a strategic merge patch finds an item."""
        return self.raw.get("x-kubernetes-patch-merge-key")

    @property
    def int_or_string(self) -> bool:
        """Whether the value is an integer or a string."""
        return self.format == "int-or-string" or bool(
            self.raw.get("x-kubernetes-int-or-string", False)
        )

    @property
    def preserves_unknown_fields(self) -> bool:
        """Whether the API server keeps fields that the schema does not name."""
        return bool(self.raw.get("x-kubernetes-preserve-unknown-fields", False))

    @property
    def validations(self) -> tuple[Raw, ...]:
        """The CEL rules of ``x-kubernetes-validations``."""
        return tuple(self.raw.get("x-kubernetes-validations", ()))

    @property
    def is_object(self) -> bool:
        """Whether the document lists what is in it (``properties``)."""
        return "properties" in self.raw

    def inner(self) -> Iterator[Schema]:
        """The schemas directly inside this one, the fields' included."""
        if self.items is not None:
            yield self.items
        if self.values is not None:
            yield self.values
        for each in self.fields:
            yield each.schema


class Field(NamedTuple):
    """A property of an object, under its JSON name."""

    name: str
    schema: Schema
    required: bool


@dataclass(frozen=True, slots=True)
class Definition:
    """A named type of the document.

    ``group``, ``version`` and ``kind`` are read off the name: the package's last
    parts (``core``, ``v1``, ``Pod`` of ``io.k8s.api.core.v1.Pod``); ``version``
    is empty for the few that have none (``…pkg.runtime.RawExtension``). ``kinds``
    is what the API server serves it as, empty for a type that is only a part.
    """

    name: str
    group: str
    version: str
    kind: str
    kinds: tuple[GroupVersionKind, ...]
    schema: Schema

    @property
    def fields(self) -> tuple[Field, ...]:
        """What the definition has, in the order of the document."""
        return self.schema.fields

    @property
    def description(self) -> str:
        """What the document says of the definition, as it says it."""
        return self.schema.description

    @property
    def is_object(self) -> bool:
        """Whether the document lists the definition's fields."""
        return self.schema.is_object


@dataclass(frozen=True, slots=True)
class UnknownKeyword:
    """A schema keyword that the model does not know: how often, and where first."""

    keyword: str
    count: int
    pointer: str


@dataclass(frozen=True, slots=True)
class Release:
    """One document, parsed: the definitions under their full names, in order.

    ``name`` is what it is printed as, ``origin`` and ``sha256`` where the bytes
    are from and their digest, ``document`` the whole of it for those who need
    the paths.
    """

    name: str
    origin: str
    sha256: str
    definitions: Mapping[str, Definition]
    unknown: tuple[UnknownKeyword, ...]
    document: Raw = field(repr=False)

    def resolve(self, schema: Schema) -> Schema:
        """``schema``, or that of the definition it refers to, as far as it goes."""
        while schema.ref is not None:
            schema = self.definitions[schema.ref].schema
        return schema
