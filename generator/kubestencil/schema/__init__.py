"""The content of a document as typed, immutable values; parsed and checked once.

``load`` makes a ``Release`` (``types``) of a document (``documents``) and of
CustomResourceDefinitions (``custom_resources``). How its kinds are served is in
``resources``, requests are in ``operations``, and ``knowledge`` joins documents with what
none of them states.

``types`` has the values, and ``keyword_values`` those of a schema's keywords. ``graph``
has every traversal of references, ``lookup`` finds the kinds that a user names,
``field_paths`` all their fields, and ``select`` takes a part of a release. ``kinds`` and
``well_known`` are about names of API versions, kinds and definitions, ``keywords`` about
those of schemas; ``equality`` compares two schemas, and ``acceptance`` says whether one
accepts all that the other does; ``pointer`` spells JSON pointers, values of ``frozen``
cannot be changed, and ``lazy`` parses definitions when they are needed.
"""

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
