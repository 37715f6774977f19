"""The command that makes the tables of facts, on sources of a small Kubernetes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from kubestencil.data_files import data_file
from kubestencil.errors import SourceError
from kubestencil.schema.lifecycle import lifecycles
from specs.make import gated_fields, gates, lifecycle, resources
from specs.make.checkouts import Checkout

RELEASES = ("1.30", "1.31", "1.32")

# The kinds of each release: Widget moves from v1beta1, which only some servers serve,
# to v1, and Gadget needs a gate that is on from 1.32.
KINDS = {
    "1.30": {("v1beta1", "Widget"), ("v1", "Pod")},
    "1.31": {("v1beta1", "Widget"), ("v1", "Widget"), ("v1", "Gadget"), ("v1", "Pod")},
    "1.32": {("v1", "Widget"), ("v1", "Gadget"), ("v1", "Pod")},
}

INSTANCE = """
package controlplane

import (
	shopv1 "k8s.io/api/shop/v1"
	shopv1beta1 "k8s.io/api/shop/v1beta1"
	apiv1 "k8s.io/api/core/v1"
)

var (
	stableAPIGroupVersionsEnabledByDefault = []schema.GroupVersion{
		// shopv1alpha1.SchemeGroupVersion,
		shopv1.SchemeGroupVersion,
		apiv1.SchemeGroupVersion,
	}
	betaAPIGroupVersionsDisabledByDefault = []schema.GroupVersion{
		shopv1beta1.SchemeGroupVersion,
	}
)

func DefaultAPIResourceConfigSource() *serverstorage.ResourceConfig {
	ret := serverstorage.NewResourceConfig()
	ret.EnableVersions(stableAPIGroupVersionsEnabledByDefault...)
	ret.DisableVersions(betaAPIGroupVersionsDisabledByDefault...)
	LEGACY
	return ret
}
"""

STORAGE = """
import shopv1 "k8s.io/api/shop/v1"

func storage() {
	if resource := "gadgets"; source.ResourceEnabled(shopv1.SchemeGroupVersion.WithResource(resource)) {
		if utilfeature.DefaultFeatureGate.Enabled(features.Gadgets) {
			storage[resource] = store
		}
	}
}
"""

# The gates of 1.30 in the older form, those of later releases with their history.
OLD_GATES = """
const (
	// owner: nobody
	Gadgets featuregate.Feature = "Gadgets"
	Colours featuregate.Feature = "ColourGate"
)

var gates = map[featuregate.Feature]featuregate.FeatureSpec{
	genericfeatures.Gadgets: {Default: false, PreRelease: featuregate.Alpha},
	Colours: {Default: true, PreRelease: featuregate.GA, LockToDefault: true}, // gone in 1.31
}
"""

NEW_GATES = """
const (
	Gadgets featuregate.Feature = "Gadgets"
	Later featuregate.Feature = "Later"
)

var gates = map[featuregate.Feature]featuregate.VersionedSpecs{
	Gadgets: {
		{Version: version.MustParse("1.29"), Default: false, PreRelease: featuregate.Alpha},
		{Version: version.MustParse("1.32"), PreRelease: featuregate.Beta, Default: true},
	},
	Later: {
		{Version: version.MustParse("1.33"), Default: false, PreRelease: featuregate.Alpha},
	},
}

var dependencies = map[featuregate.Feature][]featuregate.Feature{
	Gadgets: {Later},
}
"""

TYPES = """
type Widget struct {
	metav1.TypeMeta `json:",inline"`
	Spec WidgetSpec `json:"spec"`
}

type WidgetSpec struct {
	// The weight.
	// +optional
	// +featureGate=Gadgets
	Weight *int32 `json:"weight,omitempty"`

	// This is an alpha field and requires enabling the Gadgets feature gate.
	Height *int32 `json:"height,omitempty"`

	// If the Gadgets feature gate is enabled, a width may be 0.
	Width *int32 `json:"width,omitempty"`

	Parts []Part `json:"parts"`
	Source `json:",inline"`
}

type Part struct {
	Size *int32 `json:"size,omitempty"`
	Colour string `json:"colour"`
}

type Source struct {
	// +featureGate=Gadgets,Unknown
	Origin string `json:"origin"`
}
"""

STRATEGY = """
func dropDisabledFields(newWidget, oldWidget *shop.Widget) {
	if !utilfeature.DefaultFeatureGate.Enabled(features.Gadgets) &&
		!inUse(oldWidget) {
		for i := range newWidget.Spec.Parts {
			newWidget.Spec.Parts[i].Size = nil
		}
	}
}
"""

LIFECYCLE = """
// APILifecycleIntroduced is generated.
func (in *Widget) APILifecycleIntroduced() (major, minor int) {
	return 1, 29
}

func (in *Widget) APILifecycleDeprecated() (major, minor int) {
	return 1, 31
}

func (in *Widget) APILifecycleReplacement() schema.GroupVersionKind {
	return schema.GroupVersionKind{Group: "shop.example.com", Version: "v1", Kind: "Widget"}
}

func (in *Widget) APILifecycleRemoved() (major, minor int) {
	return 1, 34
}
"""


def make_checkouts(folder: Path, *, legacy: str = "") -> list[Checkout]:
    for release in RELEASES:
        minor = release.partition(".")[2]
        kubernetes = f"k8s.io/kubernetes@v1.{minor}.0"
        api = f"k8s.io/api@v0.{minor}.0"
        features = "pkg/features/kube_features.go"
        files = {
            f"{kubernetes}/api/openapi-spec/swagger.json": json.dumps(
                _document(release)
            ),
            f"{kubernetes}/api/discovery/apis__shop.example.com__v1.json": json.dumps(
                DISCOVERY
            ),
            f"{kubernetes}/pkg/controlplane/instance.go": INSTANCE.replace(
                "LEGACY", legacy
            ),
            f"{kubernetes}/pkg/registry/shop/rest/storage_shop.go": STORAGE,
            f"{kubernetes}/pkg/registry/shop/widget/strategy.go": STRATEGY,
            f"{kubernetes}/{features}": OLD_GATES if release == "1.30" else NEW_GATES,
            f"k8s.io/apiserver@v0.{minor}.0/{features}": "package features",
            f"k8s.io/apiextensions-apiserver@v0.{minor}.0/{features}": "package features",
            f"k8s.io/apimachinery@v0.{minor}.0/go.mod": "module k8s.io/apimachinery",
            f"{api}/shop/register.go": 'const GroupName = "shop.example.com"',
            f"{api}/shop/v1/types.go": TYPES,
            f"{api}/shop/v1beta1/zz_generated.prerelease-lifecycle.go": LIFECYCLE,
            # A later patch is not read.
            f"k8s.io/api@v0.{minor}.1/shop/v1/types.go": "",
        }
        for name, text in files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
    return [Checkout(folder, release) for release in RELEASES]


DISCOVERY = {
    "groupVersion": "shop.example.com/v1",
    "resources": [
        {
            "name": "widgets",
            "singularName": "widget",
            "kind": "Widget",
            "shortNames": ["wd"],
            "categories": ["all"],
        },
        {"name": "widgets/status", "singularName": "", "kind": "Widget"},
    ],
}


def _document(release: str) -> dict[str, Any]:
    paths: dict[str, Any] = {}
    definitions: dict[str, Any] = {}
    for version, kind in sorted(KINDS[release]):
        group = "" if kind == "Pod" else "shop.example.com"
        gvk = {"group": group, "version": version, "kind": kind}
        prefix = f"/apis/{group}/{version}" if group else f"/api/{version}"
        path = f"{prefix}/namespaces/{{namespace}}/{kind.lower()}s"
        operation = {"x-kubernetes-group-version-kind": gvk}
        paths[f"{path}/{{name}}"] = {"get": {**operation, "x-kubernetes-action": "get"}}
        paths[f"{path}/{{name}}/status"] = {
            "put": {**operation, "x-kubernetes-action": "put"}
        }
        package = f"io.k8s.api.{'shop' if group else 'core'}.{version}"
        definitions[f"{package}.{kind}"] = {
            "type": "object",
            "x-kubernetes-group-version-kind": [gvk],
        }
    fields = ("weight", "height", "width", "parts", "origin")
    definitions["io.k8s.api.shop.v1.WidgetSpec"] = _object(*fields)
    definitions["io.k8s.api.shop.v1.Part"] = _object("size", "colour")
    return {
        "swagger": "2.0",
        "info": {"title": "Kubernetes", "version": "1"},
        "paths": paths,
        "definitions": definitions,
    }


def _object(*fields: str) -> dict[str, Any]:
    properties = {field: {"type": "string"} for field in fields}
    return {"type": "object", "properties": properties}


@pytest.fixture
def checkouts(tmp_path: Path) -> list[Checkout]:
    return make_checkouts(tmp_path)


def _without_others(rows: list[tuple[str, ...]]) -> list[str]:
    """The rows of the small Kubernetes, which has none of the kinds before 1.5."""
    return ["|".join(row) for row in rows if not row[0].startswith(("apps", "policy"))]


def test_lifecycle_joins_what_documents_have_and_what_upstream_plans(
    checkouts: list[Checkout],
) -> None:
    group = "shop.example.com"
    assert _without_others(lifecycle.make_rows(checkouts, append=False)) == [
        "v1|Pod|1.30|||1.30..|",
        f"{group}/v1|Gadget|1.31|||1.32..|",
        f"{group}/v1|Widget|1.31|||1.31..|",
        # The document of 1.32 has no such kind, though 1.34 was planned.
        f"{group}/v1beta1|Widget|1.30|1.31|1.32||{group}/v1 Widget",
    ]


def test_a_planned_removal_is_kept_while_the_kind_is_there(
    checkouts: list[Checkout],
) -> None:
    rows = _without_others(lifecycle.make_rows(checkouts[:2], append=False))
    assert (
        "shop.example.com/v1beta1|Widget|1.30|1.31|1.34||shop.example.com/v1 Widget"
        in rows
    )


def test_resources_of_a_beta_version_can_be_served_by_default(tmp_path: Path) -> None:
    legacy = (
        'ret.EnableResources(shopv1beta1.SchemeGroupVersion.WithResource("widgets"))'
    )
    rows = lifecycle.make_rows(make_checkouts(tmp_path, legacy=legacy), append=False)
    assert [row[5] for row in rows if row[0].endswith("v1beta1")] == ["1.30..1.31"]


def test_resources_are_ranges_of_releases(checkouts: list[Checkout]) -> None:
    group = "shop.example.com"
    rows = resources.make_rows(checkouts, append=False)
    assert ["|".join(row) for row in rows] == [
        "1.30..|v1|pods|Pod|namespaced|get||",
        "1.30..|v1|pods/status|Pod|namespaced|update||",
        f"1.31..|{group}/v1|gadgets|Gadget|namespaced|get||",
        f"1.31..|{group}/v1|gadgets/status|Gadget|namespaced|update||",
        f"1.31..|{group}/v1|widgets|Widget|namespaced|get|wd|all",
        f"1.31..|{group}/v1|widgets/status|Widget|namespaced|update||",
        f"1.30..1.31|{group}/v1beta1|widgets|Widget|namespaced|get|wd|all",
        f"1.30..1.31|{group}/v1beta1|widgets/status|Widget|namespaced|update||",
    ]


def test_gates_are_read_in_both_forms(checkouts: list[Checkout]) -> None:
    rows = gates.make_rows(checkouts, append=False)
    assert ["|".join(row) for row in rows] == [
        "1.30..1.30|ColourGate|ga|on|locked",
        "1.30..1.31|Gadgets|alpha|off|",
        "1.32..|Gadgets|beta|on|",
    ]


def test_gated_fields_come_from_markers_comments_and_code(
    checkouts: list[Checkout],
) -> None:
    rows = gated_fields.make_rows(checkouts, append=False)
    package = "io.k8s.api.shop.v1"
    named = ("io.k8s.api.core.v1.Lifecycle", "io.k8s.api.core.v1.VolumeProjection")
    assert ["|".join(row) for row in rows if row[1] not in named] == [
        f"1.31..|{package}.Gadget||Gadgets",
        f"1.30..|{package}.Part|size|Gadgets",
        f"1.30..|{package}.WidgetSpec|height|Gadgets",
        f"1.30..|{package}.WidgetSpec|origin|Gadgets",
        f"1.30..|{package}.WidgetSpec|weight|Gadgets",
    ]


@pytest.mark.parametrize(
    "table",
    [lifecycle, resources, gates, gated_fields],
    ids=lambda table: table.__name__,
)
def test_a_table_is_continued_with_the_next_release(
    table: Any, checkouts: list[Checkout], monkeypatch: pytest.MonkeyPatch
) -> None:
    first = table.make_rows(checkouts[:2], append=False)
    for module in ("lifecycle", "resource_facts", "feature_gates"):
        monkeypatch.setattr(f"kubestencil.schema.{module}.rows", lambda _: first)
    lifecycles.cache_clear()
    try:
        assert table.make_rows(checkouts[2:], append=True) == table.make_rows(
            checkouts, append=False
        )
    finally:
        lifecycles.cache_clear()


def test_a_missing_module_is_named(tmp_path: Path) -> None:
    with pytest.raises(
        SourceError, match=r"no module k8s.io/kubernetes of 1.99"
    ) as info:
        lifecycle.make_rows([Checkout(tmp_path, "1.99")], append=False)
    assert info.value.hint == "go mod download k8s.io/kubernetes@v1.99.0"


def test_a_gate_in_an_unknown_form_is_refused(checkouts: list[Checkout]) -> None:
    path = checkouts[2].module("kubernetes") / "pkg/features/kube_features.go"
    path.write_text(NEW_GATES.replace("featuregate.Beta", "featuregate.Gamma"))
    with pytest.raises(SourceError, match="unknown form"):
        gates.make_rows(checkouts, append=False)


def test_a_singular_of_another_form_is_refused(checkouts: list[Checkout]) -> None:
    path = checkouts[0].module("kubernetes") / "api/discovery"
    discovery = json.dumps(DISCOVERY).replace('"widget"', '"wgt"')
    (path / "apis__shop.example.com__v1.json").write_text(discovery)
    with pytest.raises(SourceError, match="widgets has the singular wgt"):
        resources.make_rows(checkouts, append=False)


@pytest.mark.parametrize(
    "name",
    ["lifecycle", "resources", "feature-gates", "gated-fields", "required-fields"],
)
def test_a_table_says_how_it_was_made(name: str) -> None:
    text = data_file(f"specs/{name}.tsv").read_text("utf-8")
    header, _, rows = text.partition("\n1." if name != "lifecycle" else "\nv1\t")
    assert f"`python -m specs.make {name}`" in header
    columns = {line.count("\t") for line in rows.splitlines()[1:]}
    assert len(columns) == 1
    assert not any(line != line.rstrip() for line in text.splitlines())
