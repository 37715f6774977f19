"""What a spec says: typed, immutable, parsed once."""

from generator.model.operations import Operation, operations
from generator.model.parse import parse
from generator.model.types import (
    Definition,
    Field,
    GroupVersionKind,
    Release,
    Schema,
    UnknownKeyword,
)
from generator.model.validate import validate

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
