"""The data of which a page makes the examples of fields: its script makes the same objects
of it as ``targets.field_examples``."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from kubestencil.schema import Definition, Release
from kubestencil.schema.field_paths import field_paths, fields_along
from kubestencil.schema.kinds import kind_definitions
from kubestencil.schema.knowledge.words import container_in_words
from kubestencil.targets.field_examples.objects import FieldExamples
from kubestencil.targets.site.addresses import PageAddress, page_addresses
from kubestencil.targets.site.examples.field_examples import field_examples_script
from kubestencil.targets.site.fields.rows import type_label
from tests.cluster import load_crds, stored_crds
from tests.conftest import load

_SCRIPT = Path(__file__).parents[1] / "templates" / "site" / "assets" / "example.js"
# Prints an object for each line: a page, and the fields on the way from it.
_PROGRAM = """
const lines = require("fs").readFileSync(0, "utf8").trim().split("\\n");
globalThis.kubestencil = {};
globalThis.dispatchEvent = () => {};
for (const path of process.argv.slice(1)) require(path);
for (const line of lines) {
  const [page, fields] = JSON.parse(line);
  console.log(JSON.stringify(globalThis.kubestencil.exampleOf(page, fields)));
}
"""


def _questions(release: Release) -> Iterator[tuple[Definition, str]]:
    for name in kind_definitions(release):
        definition = release.definitions[name]
        for path, _, _ in field_paths(definition, release):
            yield definition, path


def _on_page(
    release: Release,
    addresses: Mapping[str, PageAddress],
    definition: Definition,
    path: str,
) -> list[Any]:
    """What the page of a kind knows of the fields on the way to one."""
    fields = []
    for _, field, owner in fields_along(definition, release, path):
        outer, value = container_in_words(field.schema)
        address = addresses[value.ref] if value.ref else None
        is_inline = value.ref in release.inline_definitions
        fields.append(
            {
                "name": field.name,
                "owner": addresses[owner].path,
                "containers": [
                    "[]" if word == "list" else "map[string]"
                    for word in outer.replace(" of ", " ").split()
                ],
                "label": "object" if is_inline else type_label(value, address),
                "page": address and address.path,
            }
        )
    return [addresses[definition.name].path, fields]


def _different(release: Release, folder: Path) -> list[tuple[str, str]]:
    """The fields of a release of which the script makes other objects."""
    examples, addresses = FieldExamples(release), page_addresses(release)
    data = folder / "data.js"
    data.write_bytes(field_examples_script(release, addresses, examples))
    asked = [*_questions(release)]
    lines = (json.dumps(_on_page(release, addresses, *each)) for each in asked)
    done = subprocess.run(
        ["node", "-e", _PROGRAM, str(_SCRIPT), str(data)],
        input="\n".join(lines),
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    made = map(json.loads, done.stdout.splitlines())
    return [
        (definition.name, path)
        for (definition, path), value in zip(asked, made, strict=True)
        if value != examples.example(definition, path)
    ]


@pytest.mark.peer("node")
def test_the_script_of_a_page_makes_the_examples_of_all_fields(tmp_path: Path) -> None:
    assert _different(load("1.35"), tmp_path) == []


@pytest.mark.nightly
@pytest.mark.peer("node")
def test_the_script_makes_the_examples_of_custom_resources(tmp_path: Path) -> None:
    assert _different(load_crds(*stored_crds()), tmp_path) == []
