"""The definitions that the document describes incompletely, so that their Rust types are
written by hand, as templates in ``templates/rust/forms``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

from kubestencil.schema import Definition
from kubestencil.schema.graph import references
from kubestencil.schema.well_known import (
    INT_OR_STRING,
    META_V1,
    MICRO_TIME,
    QUANTITY,
    TIME,
)

_APIEXTENSIONS = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions"


#: The templates of hand-written types.
HandWrittenForm = Literal[
    "int_or_string", "micro_time", "patch", "props_or_array", "props_or_bool",
    "props_or_string_array", "quantity", "time", "watch_event",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class HandWrittenType:
    """A type whose Rust code is a template.

    ``form`` names the template, ``derives`` has the traits that it derives.
    ``uses`` maps the names that the template has for other types to their
    definitions. ``has_default`` says whether the type implements ``Default``,
    ``is_field_type`` whether a field may have it, which an enum with a type parameter
    or without ``Deserialize`` cannot be. ``documented_field`` is the field
    whose description is appended to that of the definition.
    """

    form: HandWrittenForm
    derives: str
    uses: Mapping[str, str] = field(default_factory=dict)
    has_default: bool = False
    is_field_type: bool = True
    documented_field: str | None = None


_JSON_SCHEMA_FORMS: Mapping[str, HandWrittenForm] = {
    "JSONSchemaPropsOrArray": "props_or_array",
    "JSONSchemaPropsOrBool": "props_or_bool",
    "JSONSchemaPropsOrStringArray": "props_or_string_array",
}
_TIME_DERIVES = "Clone, Debug, Eq, Ord, PartialEq, PartialOrd"


def _json_schema_types() -> Iterator[tuple[str, HandWrittenType]]:
    """Unions of a JSON schema and something else, which the document does not
    describe."""
    for version in ("v1", "v1beta1"):
        package = f"{_APIEXTENSIONS}.{version}"
        for kind, form in _JSON_SCHEMA_FORMS.items():
            yield (
                f"{package}.{kind}",
                HandWrittenType(
                    form,
                    derives="Clone, Debug, PartialEq",
                    uses={"props": f"{package}.JSONSchemaProps"},
                ),
            )


_HAND_WRITTEN: Mapping[str, HandWrittenType] = {
    **dict(_json_schema_types()),
    # A string, which clients may also send as a number.
    QUANTITY: HandWrittenType(
        "quantity", derives="Clone, Debug, Default, PartialEq", has_default=True
    ),
    # Its default, 0, is not derived.
    INT_OR_STRING: HandWrittenType(
        "int_or_string", derives="Clone, Debug, Eq, PartialEq", has_default=True
    ),
    # One of three formats of a patch.
    f"{META_V1}.Patch": HandWrittenType(
        "patch", derives="Clone, Debug, PartialEq", is_field_type=False
    ),
    # An enum of the types of events.
    f"{META_V1}.WatchEvent": HandWrittenType(
        "watch_event",
        derives="Clone, Debug, PartialEq",
        uses={
            "status": f"{META_V1}.Status",
            "raw_extension": "io.k8s.apimachinery.pkg.runtime.RawExtension",
        },
        is_field_type=False,
        documented_field="object",
    ),
    # Written in UTC, with a fixed number of digits.
    TIME: HandWrittenType("time", derives=_TIME_DERIVES),
    MICRO_TIME: HandWrittenType("micro_time", derives=_TIME_DERIVES),
}


def hand_written_types(
    definitions: Mapping[str, Definition],
) -> dict[str, HandWrittenType]:
    """The hand-written types of a document, by definition.

    A document without the definitions that such a type uses, or in which a field has
    a type that no field can have, gets the type that the document describes.
    """
    referenced = {
        name
        for definition in definitions.values()
        for name in references(definition.schema)
    }
    return {
        name: hand_written
        for name, hand_written in _HAND_WRITTEN.items()
        if name in definitions
        and all(used in definitions for used in hand_written.uses.values())
        and (hand_written.is_field_type or name not in referenced)
    }
