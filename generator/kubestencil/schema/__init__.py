"""The content of a spec as typed, immutable values; parsed and checked once."""

from kubestencil.schema.documents.openapi2 import parse
from kubestencil.schema.documents.validate import validate
from kubestencil.schema.resources.operation import Operation, operations
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
    "operations",
    "parse",
    "validate",
]
