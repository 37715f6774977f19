"""The view of the documented Markdown: its variables, its types, and its quirks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from kubestencil.engine import Target, load_targets
from kubestencil.errors import TargetError
from kubestencil.targets.markdown import view
from kubestencil.targets.markdown.quirks import QUIRKS, backslash_quotes, client_words
from kubestencil.targets.markdown.view import ModelField, ModelPage
from tests.conftest import make_release

MANIFEST = """\
about = "Markdown without quirks"
view = "markdown"

[[files]]
each = "definition"
path = "{name}.md"
template = "page.md.j2"

[options]
package = "examples"

[spelling]
mapped = { "$ref" = "reference" }

[types]
any = "anything"
list = "list of {}"
map = "map of {}"
string = "text"
"string:date-time" = "time"
"""

DEFINITIONS: dict[str, Any] = {
    "io.k8s.api.core.v1.Pod": {
        "description": 'A "pod" of the client.',
        "type": "object",
        "properties": {
            "$ref": {"type": "string", "description": "a|b"},
            "nodes": {
                "type": "array",
                "items": {"$ref": "#/definitions/io.k8s.api.core.v1.Node"},
            },
            "owner": {
                "$ref": "#/definitions/io.k8s.api.core.v1.Node",
                "description": "Its owner.",
            },
            "started": {"$ref": "#/definitions/io.k8s.api.core.v1.Time"},
            "anything": {"type": "object"},
            "phase": {"type": "string", "default": "New", "readOnly": True},
        },
        "required": ["nodes"],
    },
    "io.k8s.api.core.v1.Node": {"type": "object", "properties": {}},
    "io.k8s.api.core.v1.Time": {
        "type": "string",
        "format": "date-time",
        "description": "A time.",
    },
}


def load_target(folder: Path, quirks: str = "", manifest: str = MANIFEST) -> Target:
    """A user's target for the view, with quirks."""
    (folder / "pages").mkdir()
    (folder / "pages" / "target.toml").write_text(manifest + quirks)
    return load_targets(folder)["pages"]


def make_page(target: Target) -> ModelPage:
    """The page of the pod."""
    contexts = view.make_contexts(make_release(DEFINITIONS), target)
    page = next(iter(contexts.files["definition"]())).variables["model"]
    assert isinstance(page, ModelPage)
    return page


def make_rows(target: Target) -> dict[str, ModelField]:
    """The rows of the pod's fields, by attribute."""
    return {row.name: row for row in make_page(target).fields}


def test_types_have_the_names_of_the_manifest(tmp_path: Path) -> None:
    rows = make_rows(load_target(tmp_path))
    assert {name: (row.type, row.link) for name, row in rows.items()} == {
        "reference": ("text", None),
        "nodes": ("list of V1Node", "V1Node"),
        "owner": ("V1Node", "V1Node"),
        "started": ("time", None),
        "anything": ("anything", None),
        "phase": ("text", None),
    }


def test_a_row_has_the_properties_of_its_field(tmp_path: Path) -> None:
    rows = make_rows(load_target(tmp_path))
    assert [name for name, row in rows.items() if row.required] == ["nodes"]
    assert [name for name, row in rows.items() if row.read_only] == ["phase"]
    assert rows["phase"].default == "&#39;New&#39;"
    assert rows["reference"].description == "a&#124;b"
    assert rows["owner"].description == "Its owner."
    assert rows["started"].description == "A time."


def test_silent_references_have_no_description(tmp_path: Path) -> None:
    rows = make_rows(load_target(tmp_path, "[quirks.silent-references]\nreason = 'x'"))
    assert rows["owner"].description == ""
    assert rows["started"].description == "A time.", "a time is not a model"


def test_open_pipes_are_those_of_the_listed_fields(tmp_path: Path) -> None:
    quirk = """
[quirks.open-pipes]
reason = "x"
fields = ["io.k8s.api.core.v1.Pod#$ref"]
"""
    assert make_rows(load_target(tmp_path, quirk))["reference"].description == "a|b"


def test_empty_links_are_for_anything_but_not_in_a_list(tmp_path: Path) -> None:
    rows = make_rows(load_target(tmp_path, "[quirks.empty-links]\nreason = 'x'"))
    assert [name for name, row in rows.items() if row.link == ""] == ["anything"]


def test_trimmed_notes_are_those_of_mapped_names(tmp_path: Path) -> None:
    rows = make_rows(load_target(tmp_path, "[quirks.trimmed-notes]\nreason = 'x'"))
    assert [name for name, row in rows.items() if row.trimmed] == ["reference"]


def test_backslash_quotes_are_in_every_description(tmp_path: Path) -> None:
    target = load_target(tmp_path, "[quirks.backslash-quotes]\nreason = 'x'")
    assert make_page(target).description == 'A \\"pod\\" of the client.'
    assert backslash_quotes("'''\\/\\") == "'_'_'/\\\\"


def test_client_words_are_replaced_in_generated_pages(tmp_path: Path) -> None:
    target = load_target(tmp_path, "[quirks.client-words]\nreason = 'x'")
    contexts = view.make_contexts(make_release(DEFINITIONS), target)
    rewrite = contexts.post_process["definition"]
    assert rewrite("of the client") == "of the examples.client"


def test_client_words_begin_with_client() -> None:
    rename = client_words("kubernetes")
    assert rename("the client, clients and a subclient") == (
        "the kubernetes.client, kubernetes.clients and a subclient"
    )
    assert rename("client-python clientIP x.client") == (
        "client-python kubernetes.clientIP x.kubernetes.client"
    )


def test_every_quirk_is_used_by_a_built_in_target() -> None:
    targets = load_targets(None).values()
    used = {
        quirk
        for target in targets
        if target.view == "markdown"
        for quirk in target.quirks
    }
    assert used == QUIRKS.keys()


@pytest.mark.parametrize("key", ["any", "list", "map"])
def test_a_missing_type_is_refused(key: str, tmp_path: Path) -> None:
    lines = MANIFEST.splitlines(keepends=True)
    manifest = "".join(line for line in lines if not line.startswith(f"{key} = "))
    target = load_target(tmp_path, manifest=manifest)
    with pytest.raises(TargetError, match="is missing") as caught:
        view.make_contexts(make_release(DEFINITIONS), target)
    assert caught.value.where.endswith(f"target.toml: types.{key}")
