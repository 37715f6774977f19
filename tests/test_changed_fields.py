"""The table of fields that types got or lost, beside the embedded documents."""

from __future__ import annotations

from pathlib import Path

from kubestencil.schema.knowledge.fields import changed_field, changed_field_rows
from kubestencil.source.releases import release_order
from specs.make import changed_fields
from specs.make.checkouts import Checkout
from tests.conftest import EMBEDDED, EMBEDDED_PAIRS, load
from tests.small_kubernetes import make_checkouts


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
    first = release_order(EMBEDDED[0])
    rows = {
        (row.definition, row.field): (
            row.added if row.added and release_order(row.added) > first else "",
            row.removed,
        )
        for row in changed_field_rows()
        if release_order(row.removed or row.added) > first
    }
    assert len(expected) > 200
    assert rows == expected


def test_older_fields_are_in_it() -> None:
    changed = changed_field("io.k8s.api.core.v1.ServiceSpec", "topologyKeys")
    assert changed is not None
    assert (changed.added, changed.removed) == ("1.17", "1.22")
    assert changed_field("io.k8s.api.core.v1.ServiceSpec", "type") is None


def test_the_table_is_made_of_documents(tmp_path: Path) -> None:
    def checkout(release: str, fields: set[str]) -> Checkout:
        made = Checkout(tmp_path, release)
        made.__dict__["document"] = {
            "definitions": {"a.B": {"properties": dict.fromkeys(fields)}}
        }
        return made

    rows = changed_fields.make_rows(
        [
            checkout("1.8", {"old", "kept"}),
            checkout("1.9", {"kept", "new"}),
            checkout("1.10", {"kept"}),
        ],
        append=False,
    )
    assert rows == [("a.B", "new", "1.9", "1.10"), ("a.B", "old", "", "1.9")]
    assert len(make_checkouts(tmp_path / "small")) == 3
