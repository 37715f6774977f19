"""The values of a schema's keywords, for whatever has a schema object of a document."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, Protocol, cast

from kubestencil.schema.keywords import EMBEDDED, INT_OR_STRING, PRESERVE
from kubestencil.schema.well_known import NULL_WHEN_UNSET


class ValueLimits(NamedTuple):
    """The limits of a value, under the names of their keywords; None for those that
    there are not."""

    pattern: str | None
    minimum: float | None
    maximum: float | None
    min_length: int | None
    max_length: int | None
    min_items: int | None
    max_items: int | None
    min_properties: int | None
    max_properties: int | None
    multiple_of: float | None
    exclusive_minimum: bool | None
    exclusive_maximum: bool | None
    unique_items: bool | None


_LIMITS = (
    "pattern", "minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems",
    "minProperties", "maxProperties", "multipleOf", "exclusiveMinimum",
    "exclusiveMaximum", "uniqueItems",
)  # fmt: skip


def _limits_of(raw: Mapping[str, Any]) -> ValueLimits:
    return ValueLimits(*map(raw.get, _LIMITS))


#: Those of most schemas; all are asked for them.
NO_LIMITS = _limits_of({})


class _HasRaw(Protocol):
    @property
    def raw(self) -> object: ...


def json_object(value: _HasRaw) -> Mapping[str, Any]:
    """The JSON object of a schema or rule: for this package, and for what prints it."""
    return cast(Mapping[str, Any], value.raw)


class CelRule(NamedTuple):
    """A rule of ``x-kubernetes-validations``, in the language CEL; ``raw`` is its JSON
    object."""

    raw: object

    @property
    def expression(self) -> str:
        """What a value has to be."""
        return self._text("rule")

    @property
    def message(self) -> str:
        """What the API server says of another value."""
        return self._text("message")

    @property
    def message_expression(self) -> str:
        """The expression that makes the message."""
        return self._text("messageExpression")

    def _text(self, key: str) -> str:
        value = json_object(self).get(key)
        return value if isinstance(value, str) else ""

    def is_same(self, other: CelRule) -> bool:
        """Whether the same values are valid, whatever is said of others."""
        first, second = (
            {key: raw[key] for key in raw if key not in _REPORT_KEYS}
            for raw in map(json_object, (self, other))
        )
        return first == second


# What says how a violation is reported, and not which values are valid.
_REPORT_KEYS = frozenset({"message", "messageExpression", "fieldPath", "reason"})


class SchemaKeywords:
    """The values of the keywords of a schema, which were checked when its document was
    read.

    The Kubernetes extensions are described at
    https://github.com/kubernetes/kube-openapi and in the Kubernetes API conventions,
    https://github.com/kubernetes/community/blob/master/contributors/devel/sig-architecture/api-conventions.md.
    """

    __slots__ = ()

    @property
    def raw(self) -> object:
        """The schema object in the document, to be passed on."""
        raise NotImplementedError

    @property
    def ref(self) -> str | None:
        """The full name of the definition that the schema refers to, or none."""
        raise NotImplementedError

    @property
    def type(self) -> str | None:
        """``string``, ``integer``, ``number``, ``boolean``, ``object``, ``array``, or
        none for a reference and for any JSON value."""
        name: str | None = self.value_of("type")
        return name

    @property
    def format(self) -> str | None:
        """``int32``, ``int64``, ``double``, ``byte``, ``date-time``, …, or none."""
        name: str | None = self.value_of("format")
        return name

    @property
    def description(self) -> str:
        """The description as the document has it, which is any text."""
        return str(self.value_of("description", ""))

    def value_of(self, keyword: str, default: object = None) -> Any:
        """The JSON value of any keyword, to be shown or compared as it is; ``default``
        where the schema does not have it."""
        # Of a large catalogue, the most frequent call: a cast would double its time.
        return self.raw.get(keyword, default)  # type: ignore[attr-defined]

    @property
    def title(self) -> str:
        """The name of the type; empty where it has none."""
        return str(self.value_of("title", ""))

    @property
    def limits(self) -> ValueLimits:
        """The limits of the value."""
        raw = json_object(self)
        return NO_LIMITS if raw.keys().isdisjoint(_LIMITS) else _limits_of(raw)

    @property
    def read_only(self) -> bool:
        """Whether clients should not send the value."""
        return bool(self.value_of("readOnly", False))

    @property
    def has_any_values(self) -> bool:
        """Whether an object may have fields of any names and values besides its own
        (``additionalProperties: true``)."""
        return self.value_of("additionalProperties") is True

    @property
    def has_default(self) -> bool:
        """Whether there is a default, which may be null."""
        return "default" in json_object(self)

    @property
    def default(self) -> Any:
        """The default as a JSON value; none without one."""
        return self.value_of("default")

    @property
    def enum(self) -> tuple[Any, ...]:
        """The allowed values; empty where all values are."""
        return tuple(self.value_of("enum", ()))

    @property
    def keeps_null(self) -> bool:
        """Whether null is a value of its own, other than an absent one (custom
        resources)."""
        return bool(self.value_of("x-nullable", self.value_of("nullable", False)))

    @property
    def nullable(self) -> bool:
        """Whether clients receive null: of a nullable value, and of a time, as which API
        servers send it where it was never set."""
        return self.keeps_null or self.ref in NULL_WHEN_UNSET

    @property
    def is_any(self) -> bool:
        """Whether no type is named, so that the value may be any, null as well."""
        return not (self.type or self.ref or self.int_or_string)

    @property
    def list_type(self) -> str | None:
        """How server-side apply merges a list: ``atomic``, ``set`` or ``map``."""
        name: str | None = self.value_of("x-kubernetes-list-type")
        return name

    @property
    def list_map_keys(self) -> tuple[str, ...]:
        """The fields that identify an item of a list of type ``map``."""
        return tuple(self.value_of("x-kubernetes-list-map-keys", ()))

    @property
    def map_type(self) -> str | None:
        """How server-side apply merges an object: ``granular`` or ``atomic``."""
        name: str | None = self.value_of("x-kubernetes-map-type")
        return name

    @property
    def patch_strategy(self) -> tuple[str, ...]:
        """The strategies of a strategic merge patch: ``merge``, ``replace``,
        ``retainKeys``."""
        value = self.value_of("x-kubernetes-patch-strategy", "")
        return tuple(value.split(",")) if value else ()

    @property
    def patch_merge_key(self) -> str | None:
        """The field that identifies an item in a strategic merge patch."""
        name: str | None = self.value_of("x-kubernetes-patch-merge-key")
        return name

    @property
    def int_or_string(self) -> bool:
        """Whether the value is an integer or a string."""
        return self.format == "int-or-string" or bool(
            self.value_of(INT_OR_STRING, False)
        )

    @property
    def preserves_unknown_fields(self) -> bool:
        """Whether the API server keeps fields that the schema does not have."""
        return bool(
            self.value_of(PRESERVE)
            or (self.has_any_values and self.value_of("properties"))
        )

    @property
    def embedded_resource(self) -> bool:
        """Whether the value is a Kubernetes object with an apiVersion and a kind."""
        return bool(self.value_of(EMBEDDED, False))

    @property
    def union_members(self) -> frozenset[tuple[str, str]]:
        """The fields of ``x-kubernetes-unions``, of each of which only one is set: the
        discriminator, None where there is none, and the field."""
        return frozenset(
            (str(union.get("discriminator")), f"{member}")
            for union in self.value_of("x-kubernetes-unions", ())
            for member in union.get("fields-to-discriminateBy", {}).items()
        )

    @property
    def is_object(self) -> bool:
        """Whether the schema has ``properties``. Maps are no objects in this sense,
        nor are objects whose fields the document does not list."""
        return "properties" in json_object(self)
