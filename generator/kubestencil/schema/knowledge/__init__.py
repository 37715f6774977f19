"""One answer to each question about a release: what is known of its fields.

``fields`` joins what a document states of a field, what its description says, and what the
tables of facts have (``kubestencil.schema.facts``), for a release and, where a fact
depends on it, for a place in a kind. Everybody who shows or applies facts asks here.
"""

from kubestencil.schema.knowledge.fields import (
    KnownField,
    known_field,
    known_fields,
    known_place,
)

__all__ = ["KnownField", "known_field", "known_fields", "known_place"]
