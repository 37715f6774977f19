"""The kinds of Flux and Argo CD are checked by their types, where nothing else defines them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from kubestencil.checking.release import prepare
from kubestencil.lsp.cursor import cursor_at
from kubestencil.lsp.fields import describe, suggest
from kubestencil.schema.keywords import KINDS_KEYWORD
from kubestencil.schema.knowledge.configurations import (
    configuration_definitions,
    configuration_kinds,
    gitops_definitions,
    with_configurations,
)
from kubestencil.schema.types import GroupVersionKind
from specs.make.gitops import CONTROLLERS, make_rows
from tests.conftest import Command, load

RELEASE = """\
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata:
  name: web
spec:
  intervall: 5m
  timeout: 300
  chart: {spec: {chart: web, sourceRef: {kind: ResourceSet, name: web}}}
  install: {crds: Never, remediation: {retries: "3"}}
  values: {any: [{thing: 1}]}
  chartRef: {nam: web}
"""
FINDINGS = [
    (6, 3, "unknown-field", "did you mean interval?"),
    (7, 12, "wrong-type", None),
    (9, 19, "invalid-enum", "use one of Skip, Create, CreateReplace"),
    (9, 49, "wrong-type", "remove the quotes"),
    (11, 14, "unknown-field", "did you mean name?"),
]
CRD = """\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: helmreleases.helm.toolkit.fluxcd.io}
spec:
  group: helm.toolkit.fluxcd.io
  scope: Namespaced
  names: {kind: HelmRelease, plural: helmreleases}
  versions:
    - name: VERSION
      served: true
      storage: true
      schema:
        openAPIV3Schema:
          type: object
          properties:
            spec: {type: object, x-kubernetes-preserve-unknown-fields: true}
"""


def checked(run: Command, *arguments: str) -> Mapping[str, Any]:
    """The report on the files of the folder."""
    done = run("check", ".", "--to", "1.35", "-f", "json", "-q", *arguments)
    report: Mapping[str, Any] = json.loads(done.stdout)
    return report


def findings(report: Mapping[str, Any]) -> list[tuple[int, int, str, str | None]]:
    """Line, column, rule and hint of each finding."""
    return [
        (item["line"], item["column"], item["rule"], item["hint"])
        for item in report["findings"]
    ]


def test_mistakes_in_objects_of_flux_are_found(run: Command, tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(RELEASE)
    report = checked(run)
    assert findings(report) == FINDINGS
    assert report["checked"]["checked"] == 1
    newer = "name its CustomResourceDefinitions: --crds"
    unknown = [
        item["rule"] == "unknown-field" and newer in item["message"]
        for item in report["findings"]
    ]
    assert unknown == [rule == "unknown-field" for _, _, rule, _ in FINDINGS]


def test_mistakes_in_objects_of_argo_cd_are_found(run: Command, tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(
        "apiVersion: argoproj.io/v1alpha1\n"
        "kind: ApplicationSet\n"
        "metadata: {name: web}\n"
        "spec:\n"
        "  generators:\n"
        "    - list: {elements: [{any: [1]}]}\n"
        "  template:\n"
        "    spec:\n"
        "      source:\n"
        "        repoUrl: a\n"
        "        helm: {valuesObject: {a: [b]}, releaseName: 1}\n"
        "        kustomize: {replicas: [{name: a, count: '2'}], images: [a=b:1]}\n"
        "      syncPolicy: {automated: {prune: 'true'}, syncOptions: [A=true]}\n"
    )
    report = checked(run)
    assert [item[:3] for item in findings(report)] == [
        (10, 9, "unknown-field"),
        (11, 53, "wrong-type"),
        (13, 39, "wrong-type"),
    ]


def test_what_a_patch_may_fill_in_is_not_required(run: Command, tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(
        "apiVersion: kustomize.toolkit.fluxcd.io/v1\n"
        "kind: Kustomization\n"
        "metadata: {name: a}\n"
        "spec: {path: ./a}\n"
    )
    report = checked(run)
    assert not report["findings"]
    assert report["checked"]["checked"] == 1


@pytest.mark.parametrize("version", ["v2beta1", "v3"])
def test_another_version_of_a_kind_has_no_schema(
    run: Command, tmp_path: Path, version: str
) -> None:
    (tmp_path / "a.yaml").write_text(RELEASE.replace("/v2", f"/{version}"))
    report = checked(run, "--allow-empty")
    assert not report["findings"]
    assert [item["reason"] for item in report["skipped"]] == [
        "no schema of the custom resource"
    ]


def test_a_definition_in_the_tree_wins(run: Command, tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(RELEASE)
    (tmp_path / "crd.yaml").write_text(CRD.replace("VERSION", "v2"))
    report = checked(run)
    assert not report["findings"]
    assert report["checked"]["checked"] == 2
    # Also for a version that it lacks.
    (tmp_path / "crd.yaml").write_text(CRD.replace("VERSION", "v2beta2"))
    report = checked(run)
    assert not report["findings"]
    assert [item["count"] for item in report["skipped"]] == [1]


def test_a_named_definition_wins(run: Command, tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(RELEASE)
    crds = tmp_path / "crds"
    crds.mkdir()
    (crds / "crd.yaml").write_text(CRD.replace("VERSION", "v2"))
    named = ("a.yaml", "--to", "1.35", "-f", "json", "-q", "--crds", "crds")
    assert not json.loads(run("check", *named).stdout)["findings"]
    # Also for a version that it lacks, but not for the other kinds of its group.
    (crds / "crd.yaml").write_text(CRD.replace("VERSION", "v2beta2"))
    (finding,) = json.loads(run("check", *named).stdout)["findings"]
    assert finding["rule"] == "unknown-kind"
    other = CRD.replace("VERSION", "v2").replace("HelmRelease", "HelmOther")
    (crds / "crd.yaml").write_text(other.replace("helmreleases", "helmothers"))
    assert findings(json.loads(run("check", *named).stdout)) == FINDINGS


def test_a_definition_of_a_cluster_wins() -> None:
    """Whatever the version and the name of the definition are."""
    release = load("1.35")
    pod = release.definitions["io.k8s.api.core.v1.Pod"]
    own = GroupVersionKind("helm.toolkit.fluxcd.io", "v9", "HelmRelease")
    name = "io.fluxcd.toolkit.helm.v9.HelmRelease"
    live = {**release.definitions, name: replace(pod, name=name, kinds=(own,))}
    known = prepare(replace(release, definitions=live)).kinds
    assert [kind for kind in known if kind.kind == "HelmRelease"] == [own]
    assert GroupVersionKind("source.toolkit.fluxcd.io", "v1", "Bucket") in known


def test_only_checks_and_editors_know_the_kinds(run: Command) -> None:
    names = gitops_definitions().keys() - configuration_definitions("1.35").keys()
    assert len(names) > 90
    assert names.isdisjoint(with_configurations(load("1.35")).definitions)
    kinds = {kind for name in names for kind in _kinds_of(gitops_definitions()[name])}
    assert len(kinds) > 10 and kinds.isdisjoint(configuration_kinds())
    assert run("history", "HelmRelease").returncode != 0
    assert "fluxcd" not in run("diff", "1.34", "1.35", "-f", "json").stdout
    assert "fluxcd" not in run("history", "-f", "json", "Pod").stdout


def _kinds_of(schema: Mapping[str, Any]) -> Iterator[GroupVersionKind]:
    for kind in schema.get(KINDS_KEYWORD, ()):
        yield GroupVersionKind(**kind)


def test_editors_describe_and_complete_the_kinds() -> None:
    release = prepare(load("1.35"))
    head = ["apiVersion: helm.toolkit.fluxcd.io/v2", "kind: HelmRelease", "spec:"]
    cursor = cursor_at(head, 1, 10)
    assert cursor is not None
    text = describe(cursor, release)
    assert "Not served in 1.35 without its CustomResourceDefinition" in text
    cursor = cursor_at([*head, "  in"], 3, 4)
    assert cursor is not None
    assert {"interval", "install"} <= {word.word for word in suggest(cursor, release)}
    cursor = cursor_at(["kind: H"], 0, 7)
    assert cursor is not None
    versions = {word.word: word.api_version for word in suggest(cursor, release)}
    assert versions["HelmRelease"] == "helm.toolkit.fluxcd.io/v2"


SHARED = """package meta
type LocalObjectReference struct {
	Name string `json:"name"`
}
type KindStatus struct {
	Ready bool `json:"ready,omitempty"`
}
"""
SERVED = """// +groupName=GROUP.example.com
package v1
import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"github.com/fluxcd/pkg/apis/meta"
)
type Mode string
type Reference = meta.LocalObjectReference
type References []*Reference
type ThingSpec struct {
	// +kubebuilder:validation:Enum=on;off
	// +required
	Mode Mode `json:"mode"`
	// +kubebuilder:validation:Enum=Secret
	Kind string `json:"kind"`
	References References `json:"references,omitempty"`
	Every *metav1.Duration `json:"every,omitempty"`
	Labels map[string]string `json:"labels,omitempty"`
}
// +kubebuilder:storageversion
type Thing struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec ThingSpec `json:"spec,omitempty"`
	Status meta.KindStatus `json:"status,omitempty"`
}
type ThingList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items []Thing `json:"items"`
}
"""


def test_rows_are_those_of_the_newest_served_versions(tmp_path: Path) -> None:
    def write(module: str, source: str) -> None:
        folder = tmp_path / "github.com/fluxcd" / module
        folder.mkdir(parents=True)
        (folder / "types.go").write_text(source)

    for name in ("acl", "kustomize", "meta"):
        write(f"pkg/apis/{name}@v1.2.0", SHARED.replace("meta", name))
    for name in CONTROLLERS:
        api = f"{name}-controller/api"
        write(f"{api}@v1.9.0/v1", SERVED.replace("mode", "older"))
        write(f"{api}@v1.10.0/v1", SERVED.replace("GROUP", name))
        unserved = SERVED.replace("storageversion", "unservedversion")
        write(f"{api}@v1.10.0/v1alpha1", unserved)
    argo_cd = tmp_path / "github.com/argoproj/argo-cd/v3@v3.6.0"
    types = argo_cd / "pkg/apis/application/v1alpha1"
    types.mkdir(parents=True)
    (types / "types.go").write_text(SERVED.replace("GROUP", "argo"))
    rows = list(make_rows(tmp_path))
    kinds = [row[2] for row in rows if not row[1]]
    assert len(kinds) == len(CONTROLLERS) + 1
    assert kinds[-1] == "argo.example.com/v1alpha1 Thing"
    thing, spec = "fluxcd.source.v1.Thing", "fluxcd.source.v1.ThingSpec"
    reference = "fluxcd.meta.LocalObjectReference"
    meta = "apimachinery.pkg.apis.meta.v1.ObjectMeta"
    assert rows[: rows.index((reference, "name", "string", "", "", "")) + 1] == [
        (thing, "", "source.example.com/v1 Thing", "", "", ""),
        (thing, "metadata", meta, "", "", ""),
        (thing, "spec", spec, "", "", ""),
        (thing, "status", "any", "", "", ""),
        (spec, "mode", "string", "", "on off", ""),
        (spec, "kind", "string", "", "", ""),
        (spec, "references", f"[]{reference}", "", "", ""),
        (spec, "every", "duration", "", "", ""),
        (spec, "labels", "map string", "", "", ""),
        (reference, "name", "string", "", "", ""),
    ]
