"""The notebook in the documentation, and the functions that it uses."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from kubestencil import check, compare, field_paths, find, history, load
from kubestencil.errors import UsageError
from tests.conftest import ROOT, Command, make_release


@pytest.fixture(scope="module")
def notebook() -> dict[str, Any]:
    """The values of the notebook's variables after all of its cells have run."""
    document = json.loads((ROOT / "docs/questions.ipynb").read_text("utf-8"))
    values: dict[str, Any] = {}
    for cell in document["cells"]:
        if cell["cell_type"] == "code":
            assert cell["outputs"] == [], "committed without its results"
            exec("".join(cell["source"]), values)
    return values


@pytest.mark.nightly
def test_the_notebook_answers_its_questions(notebook: dict[str, Any]) -> None:
    assert list(notebook["counts"]) == notebook["releases"]
    assert notebook["counts"]["1.29"] < notebook["counts"]["1.35"]
    assert len(notebook["table"]) == len(notebook["rows"]) > 0
    assert "spec.strategy.rollingUpdate.maxSurge" in notebook["int_or_string"]
    assert "apps/v1/Deployment" in notebook["scaled"]
    assert "core/v1/Pod" not in notebook["scaled"]


def test_field_paths_are_those_that_history_takes() -> None:
    paths = [path for path, _, _ in field_paths("deploy.spec.strategy", "1.35")]
    assert paths == [
        "spec.strategy.rollingUpdate",
        "spec.strategy.rollingUpdate.maxSurge",
        "spec.strategy.rollingUpdate.maxUnavailable",
        "spec.strategy.type",
    ]
    (timeline,) = history(["1.35"], "deploy", paths[1])
    assert timeline.rows[0].field == paths[1]


def test_field_paths_go_through_lists_maps_and_inline_objects_once_each() -> None:
    release = make_release(
        {
            "io.k8s.api.core.v1.Node": {
                "type": "object",
                "properties": {
                    "children": {
                        "type": "array",
                        "items": {"$ref": "#/definitions/io.k8s.api.core.v1.Node"},
                    },
                    "byName": {
                        "type": "object",
                        "additionalProperties": {
                            "type": "object",
                            "properties": {"size": {"type": "integer"}},
                        },
                    },
                },
            }
        }
    )
    paths = [path for path, _, _ in field_paths("Node", release)]
    assert paths == ["children", "byName", "byName.size"]


def test_a_type_that_contains_itself_ends() -> None:
    paths = [path for path, _, _ in field_paths("JSONSchemaProps", "1.35")]
    assert len(paths) == len(set(paths))
    assert not any(re.search(r"\bitems\.items\b", path) for path in paths)


def test_unknown_types_and_fields_are_errors() -> None:
    with pytest.raises(UsageError, match="no kind or type"):
        next(field_paths("Nothing", "1.35"))
    with pytest.raises(UsageError, match="Pod has no field"):
        next(field_paths("pod.spec.nothing", "1.35"))
    with pytest.raises(UsageError, match="int is no release"):
        next(field_paths("pod", 135))  # type: ignore[arg-type]


@pytest.mark.nightly
def test_to_dict_is_what_commands_print(run: Command) -> None:
    (run.folder / "pod.yaml").write_text(
        "apiVersion: v1\nkind: Pod\nspec: {nodeNam: a}\n"
    )
    (finding,) = check([run.folder / "pod.yaml"], to="1.35").findings
    changes = compare("1.34", "1.35", kinds=["Pod"]).changes
    (timeline,) = history(["1.34", "1.35"], "deploy")
    printed = [
        json.loads(run(*command.split(), "-f", "json").stdout)
        for command in (
            f"check {run.folder}/pod.yaml --to 1.35",
            "diff 1.34 1.35 --kind Pod",
            "history deploy --releases 1.34..1.35",
        )
    ]
    assert printed[0]["findings"] == [as_json(finding)]
    assert printed[1]["changes"] == list(map(as_json, changes))
    assert printed[2] == [as_json(timeline)]
    for name, document in (("check", printed[0]), ("diff", printed[1])):
        schema = json.loads((ROOT / f"docs/{name}-report.schema.json").read_text())
        Draft202012Validator(schema).validate(document)


def as_json(value: Any) -> Any:
    return json.loads(json.dumps(value.to_dict()))


def test_values_are_shown_on_one_line() -> None:
    release = load("1.35")
    shown = [repr(release), repr(find("deploy", [release]))]
    assert all(len(text) < 300 for text in shown)
