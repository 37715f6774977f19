"""Custom resources in diff and history: sides, names of sides, versions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from kubestencil.errors import SourceError
from kubestencil.source.versions import version_in, versions_in
from tests import crd_schemas
from tests.conftest import Command, make_document
from tests.test_crd import SCHEMA, WIDGET, change, write

SIZE = f"{SCHEMA}/properties/spec/properties/size"


def with_beta(stable: dict[str, Any]) -> dict[str, Any]:
    """WIDGET with a version v1beta1, in which the size is a string."""
    versions = stable["spec"]["versions"]
    beta = json.loads(json.dumps(versions[0])) | {"name": "v1beta1", "storage": False}
    spec = beta["schema"]["openAPIV3Schema"]["properties"]["spec"]
    spec["properties"]["size"] = {"type": "string"}
    return {**stable, "spec": {**stable["spec"], "versions": [*versions, beta]}}


def changes(done: Any) -> list[tuple[str, str, str | None]]:
    assert done.returncode == 0, done.stderr
    return [
        (change["change"], change["definition"].rpartition(".")[2], change["field"])
        for change in json.loads(done.stdout)["changes"]
    ]


def test_folders_are_compared_under_names_that_differ(
    run: Command, tmp_path: Path
) -> None:
    for version, crd in (("1.0", WIDGET), ("2.0", change(SIZE, {"type": "string"}))):
        (tmp_path / version / "crds").mkdir(parents=True)
        write(tmp_path / version / "crds", crd)
    done = run("diff", "1.0/crds", "2.0/crds", "-q", "-f", "text")
    assert done.stdout.startswith("1.0/crds → 2.0/crds: ")
    back = run("diff", "2.0/crds", "1.0/crds")
    assert back.stdout.startswith("2.0/crds → 1.0/crds: ")
    assert "newer" not in back.stderr
    named = run("diff", "old=1.0/crds", "new=2.0/crds", "-q", "-f", "text")
    assert named.stdout.startswith("old → new: ")


def test_documents_are_called_what_they_call_themselves(
    run: Command, tmp_path: Path
) -> None:
    for version in ("v1.34.0", "v1.35.0"):
        document = make_document(
            {"io.k8s.api.core.v1.Pod": {"description": version, "type": "object"}}
        )
        document["info"] = {"title": "Kubernetes", "version": version}
        (tmp_path / version).mkdir()
        (tmp_path / version / "swagger.json").write_text(json.dumps(document))
    done = run(
        "diff", "v1.34.0/swagger.json", "v1.35.0/swagger.json", "-q", "-f", "text"
    )
    assert done.stdout.startswith("kubernetes 1.34.0 → kubernetes 1.35.0: ")


def test_two_versions_of_one_file_are_aligned_by_kind(
    run: Command, tmp_path: Path
) -> None:
    write(tmp_path, with_beta(WIDGET))
    sides = ("crds.yaml#example.com/v1beta1", "crds.yaml#example.com/v1")
    done = run("diff", *sides, "-q", "-f", "json")
    assert changes(done) == [
        ("format-added", "WidgetSpec", "size"),
        ("type-changed", "WidgetSpec", "size"),
    ]
    result = json.loads(done.stdout)
    assert (result["from"], result["to"]) == (
        "crds/example.com/v1beta1",
        "crds/example.com/v1",
    )


def test_unserved_versions_are_compared_on_demand(run: Command, tmp_path: Path) -> None:
    write(tmp_path, WIDGET)
    sides = ("crds.yaml#example.com/v1alpha1", "crds.yaml#example.com/v1")
    refused = run("diff", *sides)
    assert refused.returncode == 2
    assert "no API version 'example.com/v1alpha1'" in refused.stderr
    assert run("diff", "--unserved", *sides, "-q", "-f", "text").returncode == 0


def test_standard_input_may_be_both_sides(run: Command) -> None:
    text = yaml.safe_dump(with_beta(WIDGET))
    done = run(
        *(
            "diff",
            "in=-#example.com/v1beta1",
            "in=-#example.com/v1",
            "-q",
            "-f",
            "text",
        ),
        stdin=text,
    )
    assert done.returncode == 0, done.stderr
    assert "size: type changed" in done.stdout


def test_crds_are_added_to_both_sides(run: Command, tmp_path: Path) -> None:
    write(tmp_path, with_beta(WIDGET))
    done = run(
        *(
            "diff",
            "1.34/example.com/v1beta1",
            "1.35/example.com/v1",
            "-q",
            "-f",
            "text",
        ),
        *("--crds", "crds.yaml"),
    )
    assert "size: type changed" in done.stdout


def test_ignored_objects_are_counted_on_standard_error(
    run: Command, tmp_path: Path
) -> None:
    other = {"apiVersion": "v1", "kind": "ConfigMap"}
    write(tmp_path, WIDGET, other, other, {"apiVersion": "v1", "kind": "Secret"})
    note = "crds.yaml: ignored 3 objects of other kinds (ConfigMap, Secret)"
    done = run("render", "--crds", "crds.yaml", "-t", "typescript", "-o", "out")
    assert done.stderr.count(note) == 1
    assert note in run("diff", "crds.yaml", "crds.yaml").stderr
    assert run("diff", "crds.yaml", "crds.yaml", "-q", "-f", "text").stderr == ""


def history(run: Command, *arguments: str) -> dict[str, Any]:
    done = run("history", *arguments, "-q", "-f", "json")
    assert done.returncode == 0, done.stderr
    [result] = json.loads(done.stdout)
    assert isinstance(result, dict)
    return result


def test_history_follows_a_type_through_documents(run: Command, tmp_path: Path) -> None:
    write(tmp_path, change(SIZE, None), name="a.yaml")
    write(tmp_path, WIDGET, name="b.yaml")
    result = history(run, "WidgetSpec", "size", "v9=a.yaml", "v10=b.yaml")
    assert result["releases"] == ["v9", "v10"]
    assert [event["change"] for event in result["events"]] == ["field-added"]
    by_option = (
        "WidgetSpec",
        "size",
        "--releases",
        "v9=a.yaml",
        "--releases",
        "v10=b.yaml",
    )
    assert history(run, *by_option) == result


def test_history_follows_a_type_through_a_folder_of_versions(
    run: Command, tmp_path: Path
) -> None:
    versions = tmp_path / "versions"
    for name, crd in (
        ("v1.10.0", WIDGET),
        ("v1.9.0", WIDGET),
        ("v1.9.0-rc.1", change(SIZE, None)),
    ):
        (versions / name).mkdir(parents=True)
        write(versions / name, crd)
    (versions / "README.md").write_text("not read")
    result = history(run, "WidgetSpec", "versions/")
    assert result["releases"] == ["v1.9.0-rc.1", "v1.9.0", "v1.10.0"]
    rows = {row["field"]: row for row in result["fields"]}
    assert (rows["size"]["first"], rows["size"]["last"]) == (1, 2)


def test_two_documents_of_one_name_are_refused(run: Command, tmp_path: Path) -> None:
    write(tmp_path, WIDGET)
    done = run("history", "Widget", "v1=crds.yaml", "v1=crds.yaml")
    assert done.returncode == 2
    assert "two specs are called 'v1'" in done.stderr


@pytest.mark.parametrize(
    ("name", "version"),
    [
        ("v1.2.0", (1, 2, 0)),
        ("crds-1.10", (1, 10, 0)),
        ("cert-manager-v1.16.2.crds", (1, 16, 2)),
        ("v2", (2, 0, 0)),
        ("release_3.1", (3, 1, 0)),
        ("v1beta1", None),
        ("widgets.example.com", None),
        ("k8s", None),
    ],
)
def test_versions_are_found_in_names(
    name: str, version: tuple[int, int, int] | None
) -> None:
    match = version_in(name)
    assert (match and match[0][0]) == version


def test_versions_are_ordered_as_semantic_versions(tmp_path: Path) -> None:
    names = [
        *("1.0.0-alpha", "1.0.0-alpha.1", "1.0.0-alpha.beta", "1.0.0-beta.2"),
        *("1.0.0-beta.11", "1.0.0-rc.1", "1.0.0", "1.2", "1.10.0", "v2.0.0"),
    ]
    for name in reversed(names):
        (tmp_path / name).mkdir()
    assert [version.label for version in versions_in(tmp_path)] == names


def test_files_of_one_version_belong_together(tmp_path: Path) -> None:
    for name in ("a-1.0.yaml", "b-1.0.yaml", "a-1.1.yaml", "notes.txt"):
        (tmp_path / name).write_text("")
    assert [
        (version.label, [path.name for path in version.paths])
        for version in versions_in(tmp_path)
    ] == [("1.0", ["a-1.0.yaml", "b-1.0.yaml"]), ("1.1", ["a-1.1.yaml"])]


def test_a_folder_without_versions_is_refused(tmp_path: Path) -> None:
    (tmp_path / "widgets.yaml").write_text("")
    with pytest.raises(SourceError, match="version in its name"):
        versions_in(tmp_path)


def test_a_catalogue_of_projects_names_one(tmp_path: Path) -> None:
    for version in ("widgets/v1.0.0", "gadgets/v2.0.0", "readme"):
        (tmp_path / version).mkdir(parents=True)
    with pytest.raises(SourceError, match="no file or folder") as refused:
        versions_in(tmp_path)
    assert refused.value.hint.endswith(str(tmp_path / "gadgets"))


def test_a_conversion_that_ends_breaks_and_a_removed_version_needs_migration(
    run: Command, tmp_path: Path
) -> None:
    def crd(*names: str, strategy: str) -> str:
        schema = {"type": "object", "properties": {"spec": {"type": "object"}}}
        versions = (
            crd_schemas.version(name, schema, storage=name == "v1") for name in names
        )
        made = crd_schemas.definition("Widget", *versions)
        made["spec"]["conversion"] = {"strategy": strategy}
        return json.dumps(made)

    both = "v1beta1", "v1"
    (tmp_path / "a.yaml").write_text(crd(*both, strategy="Webhook"))
    (tmp_path / "b.yaml").write_text(crd(*both, strategy="None"))
    (tmp_path / "c.yaml").write_text(crd("v1", strategy="Webhook"))

    def rules(before: str, after: str) -> dict[str, str]:
        done = run("diff", before, after, "-q", "-f", "json")
        changes = json.loads(done.stdout)["changes"]
        return {change["rule"]: change["reason"] for change in changes}

    assert "conversion-dropped" in rules("a.yaml", "b.yaml")
    assert "conversion-changed" in rules("b.yaml", "a.yaml")
    removed = rules("a.yaml", "c.yaml")["removed-with-replacement"]
    assert "status.storedVersions" in removed
    (tmp_path / "d.yaml").write_text(crd("v1alpha1", "v1", strategy="Webhook"))
    assert "status.storedVersions" in rules("d.yaml", "c.yaml")["alpha"]
