"""The table ``go-fields.tsv``: what the fields of Kubernetes' Go types are called, and
their types, where neither follows from the OpenAPI document."""

from __future__ import annotations

from collections.abc import Sequence

from kubestencil.schema.knowledge.fields import go_fields
from specs.make.checkouts import Checkout
from specs.make.program import program_rows

HEADER = """
The fields of Kubernetes' Go types that differ from what the OpenAPI document says,
tab-separated:

  definition  the full name in the OpenAPI document
  field       its JSON name
  name        in Go, after the structs that it is embedded in; - for the JSON name with a
              capital letter, and for the embedded ObjectMeta or ListMeta
  type        in Go: * for a pointer to the document's type, or all of it, with packages as
              corev1, metav1; - for the document's type, or a string or number with a name

Made by `python -m specs.make go-fields` (specs/README.md) by reflection of the types of
k8s.io/api, k8s.io/apimachinery, k8s.io/apiextensions-apiserver and k8s.io/kube-aggregator;
of a type that several releases have, from the newest.
"""


def make_rows(checkouts: Sequence[Checkout], *, append: bool) -> list[tuple[str, ...]]:
    """The rows of the table; with ``append``, fields that these releases do not have stay
    as they are."""
    rows = {
        (row.definition, row.field): (row.name, row.type)
        for row in (go_fields() if append else ())
    }
    for checkout in checkouts:
        fields = {
            (name, field)
            for name, definition in checkout.document["definitions"].items()
            for field in definition.get("properties", ())
        }
        rows = {key: row for key, row in rows.items() if key not in fields}
        for *key, name, type_name in program_rows(checkout, "types", "go-fields"):
            if (key[0], key[1]) in fields:
                rows[key[0], key[1]] = (name, type_name)
    return [(*key, *row) for key, row in sorted(rows.items())]
