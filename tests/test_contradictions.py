"""No answer of the package contradicts the code of API servers, or another answer: a sample
of ``python -m tests.contradictions``."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from kubestencil.checking import check_paths
from kubestencil.checking.files.find import ManifestFile
from kubestencil.checking.files.uses import uses_of_manifests
from kubestencil.diff import compare, history
from kubestencil.diff.selection import touching
from kubestencil.schema.kinds import kind_definitions
from kubestencil.schema.knowledge.places import known_place
from kubestencil.schema.types import group_version_kind
from kubestencil.validator.binaries import find_binary
from tests.conftest import load
from tests.contradictions import by_kind, contradictions
from tests.contradictions.objects import Case, read_objects
from tests.manifests import manifests
from tests.public_manifests import FOLDER

_SEED = 49


def _programs(names: Sequence[str]) -> list[Path]:
    """The validators of releases; none where one is not built, since what the answers have
    in common can be seen without them."""
    folder = os.environ.get("KUBESTENCIL_BUILT_VALIDATORS")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("KUBESTENCIL_VALIDATORS", folder or os.devnull)
        programs = [find_binary(name) for name in names]
    found = [program for program in programs if program is not None]
    return found if len(found) == len(names) else []


def _contradictions(names: tuple[str, str], cases: Sequence[Case], count: int) -> str:
    before, after = names
    releases = load(before), load(after)
    found = contradictions(releases, _programs(names), cases, count, _SEED)
    return "\n".join(
        f"{len(items)} {kind}: {items[0].where} {items[0].detail}"
        for (group, kind), items in by_kind(found).items()
        if group != "gap"
    )


def _own() -> list[Case]:
    return [Case(f"manifest {index}", value) for index, value in enumerate(manifests())]


@pytest.mark.parametrize("names", [("1.29", "1.35"), ("1.36", "1.37")])
def test_no_answer_contradicts_another_one(names: tuple[str, str]) -> None:
    assert not _contradictions(names, _own(), 300)


_POD = """
apiVersion: v1
kind: Pod
metadata: {name: a}
spec:
  nodeSelector: {node-role.kubernetes.io/master: ""}
  containers:
  - {name: a, image: a, env: [{name: A, valueFrom: {secretKeyRef: {name: a, key: ""}}}]}
  volumes:
  - {name: a, quobyte: {registry: "a:1", volume: a}}
  - {name: b, image: {reference: ""}}
"""


def test_tables_call_new_only_what_both_releases_have_facts_about(
    tmp_path: Path,
) -> None:
    """1.29 refuses an empty key, too, and knew that volumes of Quobyte had ended."""
    path = tmp_path / "pod.yaml"
    path.write_text(_POD)
    report = check_paths([str(path)], load("1.35"), load("1.29"))
    changes = {finding.path[-1]: finding.change for finding in report.findings}
    assert changes["key"] == "unknown"
    assert changes["quobyte"] == "both"


@pytest.mark.parametrize(("release", "is_refused"), [("1.36", False), ("1.37", True)])
def test_references_of_images_in_templates(release: str, is_refused: bool) -> None:
    """The servers' code says so: until 1.36 only pods need one."""
    for kind, is_needed in (("Pod", True), ("Deployment", is_refused)):
        path = "spec.volumes.image.reference"
        if kind == "Deployment":
            path = f"spec.template.{path}"
        of_release = load(release)
        api_version = "v1" if kind == "Pod" else "apps/v1"
        gvk = group_version_kind(api_version, kind)
        name = {found: key for key, found in kind_definitions(of_release).items()}[gvk]
        known = known_place(of_release, name, gvk, path.split("."))
        assert known is not None and known.required is is_needed, kind


def test_diff_for_finds_labels_of_nodes_in_pods() -> None:
    file = ManifestFile("<pod>", content=_POD.encode())
    releases = load("1.29"), load("1.35")
    uses = uses_of_manifests([file], releases).uses
    fields = [change.field for change in touching(compare(*releases), uses).notices]
    assert "metadata.labels.node-role.kubernetes.io/master" in fields


def test_history_and_check_agree_about_what_is_required() -> None:
    (found,) = history([load("1.37")], "batch/v1/Job", "spec.template.spec")
    (row,) = (row for row in found.rows if row.field == "spec.template.spec")
    (cell,) = row.cells
    known = known_place(
        load("1.37"),
        "io.k8s.api.batch.v1.Job",
        group_version_kind("batch/v1", "Job"),
        ["spec", "template", "spec"],
    )
    assert known is not None and cell is not None and cell.required is known.required


@pytest.mark.nightly
@pytest.mark.server
@pytest.mark.skipif(FOLDER is None, reason="no KUBESTENCIL_MANIFESTS")
@pytest.mark.parametrize(
    "names", [("1.29", "1.35"), ("1.35", "1.36"), ("1.36", "1.37")]
)
def test_no_answer_about_public_objects_contradicts_another_one(
    names: tuple[str, str],
) -> None:
    assert not _contradictions(names, read_objects(FOLDER or ""), 10_000)
