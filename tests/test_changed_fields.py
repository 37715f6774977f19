"""The table of fields that types got or lost, beside the embedded documents."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path

from kubestencil.schema.knowledge.fields import changed_field, changed_field_rows
from kubestencil.source.releases import release_order
from specs.make import changed_fields
from specs.make.checkouts import DOCUMENT, Checkout
from tests.conftest import EMBEDDED, EMBEDDED_PAIRS, load


def test_the_table_has_every_change_of_the_documents() -> None:
    expected: dict[tuple[str, str], tuple[str, str]] = {}
    fields = {
        release: {
            name: {field.name for field in definition.fields}
            for name, definition in load(release).definitions.items()
        }
        for release in EMBEDDED
    }
    for before, after in EMBEDDED_PAIRS:
        for name in fields[before].keys() & fields[after].keys():
            for field in fields[after][name] - fields[before][name]:
                expected[name, field] = after, ""
            for field in fields[before][name] - fields[after][name]:
                added = expected.get((name, field), ("", ""))[0]
                expected[name, field] = added, after
    first, last = (release_order(EMBEDDED[index]) for index in (0, -1))
    rows = {
        (row.definition, row.field): (
            row.added if row.added and release_order(row.added) > first else "",
            row.removed,
        )
        for row in changed_field_rows()
        if first < release_order(row.removed or row.added) <= last
    }
    assert len(expected) > 200
    assert rows == expected


def test_older_fields_are_in_it() -> None:
    changed = changed_field("io.k8s.api.core.v1.ServiceSpec", "topologyKeys")
    assert changed is not None
    assert (changed.added, changed.removed) == ("1.17", "1.22")
    assert changed_field("io.k8s.api.core.v1.ServiceSpec", "type") is None


def test_the_table_is_made_of_documents(tmp_path: Path) -> None:
    fields = {"1.8": ["old", "kept"], "1.9": ["kept", "new"], "1.10": ["kept"]}
    for release, names in fields.items():
        path = tmp_path / f"k8s.io/kubernetes@v{release}.0" / DOCUMENT
        path.parent.mkdir(parents=True)
        schema = {"properties": dict.fromkeys(names)}
        path.write_text(json.dumps({"definitions": {"a.B": schema}}))
    rows: Iterable[Sequence[str]] = []
    for release in ("1.9", "1.10"):
        rows = sorted(changed_fields.make_rows(Checkout(tmp_path, release), rows))
    assert rows == [("a.B", "new", "1.9", "1.10"), ("a.B", "old", "", "1.9")]
