"""The content of a spec as typed, immutable values; parsed and checked once."""

from kubestencil.schema.openapi2 import parse
from kubestencil.schema.operations import Operation, operations
from kubestencil.schema.types import (
    Definition,
    Field,
    GroupVersionKind,
    Release,
    Schema,
    UnknownKeyword,
)
from kubestencil.schema.validate import validate

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
