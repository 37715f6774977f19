"""The content of a spec as typed, immutable values; parsed and checked once."""

from kubestencil.schema.documents.validate import validate
from kubestencil.schema.load import parse
from kubestencil.schema.resources.operation import Operation
from kubestencil.schema.types import (
    Definition,
    Field,
    GroupVersionKind,
    Release,
    Schema,
    UnknownKeyword,
)

__all__ = [
    "Definition",
    "Field",
    "GroupVersionKind",
    "Operation",
    "Release",
    "Schema",
    "UnknownKeyword",
    "parse",
    "validate",
]
