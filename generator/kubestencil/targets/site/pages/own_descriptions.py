"""Descriptions of our own for types whose published ones are about their Go code."""

from __future__ import annotations

from collections.abc import Mapping

from kubestencil.schema.well_known import INT_OR_STRING, QUANTITY

#: Descriptions by the full name of the definition, in the form of published ones.
OWN_DESCRIPTIONS: Mapping[str, str] = {
    QUANTITY: """\
A number with an optional unit, such as `500m`, `2`, `1.5` or `128Mi`.

- Decimal units: `n`, `u`, `m` (a thousandth), `k` (1000), `M`, `G`, `T`, `P`, `E`.
- Binary units: `Ki` (1024), `Mi`, `Gi`, `Ti`, `Pi`, `Ei`.
- An exponent instead of a unit: `1e3`.

CPU is counted in cores, so that `500m` is half of one; memory and storage are counted in bytes.

A quantity is a string; where it is a plain number, JSON and YAML may have a number instead. The API server writes it without fractions, in the largest unit that needs none: `0.5` becomes `500m`, and `1000m` becomes `1`.""",
    INT_OR_STRING: """\
An integer or a string.

It is used for ports, by number (`8080`) or by the name of a container's port (`http`), and for counts, as a number (`1`) or as a percentage (`25%`). A number in quotes is a string.""",
}
