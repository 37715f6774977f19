"""Sources of a small Kubernetes, from which tables of facts are made."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

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

# What the programs of specs/make/programs print of any of these releases.
PROGRAMS = {
    "gates": (
        "feature-gates\tGadgets\tbeta\ton\t\nfeature-gates\tLater\talpha\toff\t\n"
    ),
    "kube-apiserver": "flags\tkube-apiserver\tanonymous-auth\t\tbool\ttrue\t\n",
    **dict.fromkeys(("kube-controller-manager", "kube-proxy", "kube-scheduler"), "\n"),
    "kubelet": (
        "flags\tkubelet\tcache-ttl\tdeprecated\tduration\t2m0s"
        "\tauthentication.webhook.cacheTTL\n"
        "flags\tkubelet\tconfig\t\tstring\t\t\n"
        "flags\tkubelet\trunonce\tdeprecated\tbool\tfalse\trunOnce\n"
    ),
}


MODULES = (
    *("apimachinery", "client-go", "cloud-provider", "component-base"),
    *("controller-manager", "dynamic-resource-allocation", "endpointslice"),
    "kube-aggregator",
    "pod-security-admission",
)


PRINTERS = """\
	podColumns := []metav1.TableColumnDefinition{
		{Name: "Name", Type: "string", Format: "name", Description: docs["name"]},
	}
	_ = h.TableHandler(podColumns, printPod)
	widgetColumns := []metav1.TableColumnDefinition{
		{Name: "Name", Type: "string", Format: "name", Description: docs["name"]},
	}
	widgetColumns = append(widgetColumns, []metav1.TableColumnDefinition{
		{Name: "Parts", Type: "integer", Description: "Its parts."},
		{Name: "Paint (outside)", Type: "string", Priority: 1, Description: "Its paint."},
	}...)
	_ = h.TableHandler(widgetColumns, printWidget)

func printPod(obj *api.Pod, options printers.GenerateOptions) {
func printWidget(obj *shop.Widget, options printers.GenerateOptions) {
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
            **{
                f"{kubernetes}/api/discovery/{name}.json": json.dumps(resources)
                for name, resources in discovery(release).items()
            },
            f"{kubernetes}/pkg/controlplane/instance.go": INSTANCE.replace(
                "LEGACY", legacy
            ),
            f"{kubernetes}/pkg/registry/shop/rest/storage_shop.go": STORAGE,
            f"{kubernetes}/pkg/registry/shop/gadget/storage.go": (
                'TableConvertor: rest.NewDefaultTableConvertor(shop.Resource("gadgets"))'
            ),
            f"{kubernetes}/pkg/printers/internalversion/printers.go": PRINTERS,
            f"{kubernetes}/{features}": OLD_GATES if release == "1.30" else NEW_GATES,
            f"k8s.io/apiserver@v0.{minor}.0/{features}": "package features",
            f"k8s.io/apiextensions-apiserver@v0.{minor}.0/{features}": "package features",
            f"{kubernetes}/pkg/kubelet/kubelet.go": "enabled(features.Colours)",
            f"{kubernetes}/pkg/proxy/proxy_test.go": "enabled(features.Colours)",
            **{
                f"k8s.io/{name}@v0.{minor}.0/go.mod": f"module k8s.io/{name}"
                for name in MODULES
            },
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


def make_patch(checkout: Checkout) -> Checkout:
    """The checkout of a minor version as its patch 2."""
    for path in sorted(checkout.folder.glob(f"k8s.io/*@v?.{checkout.release[2:]}.0")):
        shutil.copytree(path, path.with_name(path.name.removesuffix("0") + "2"))
    return Checkout(checkout.folder, f"{checkout.release}.2")


def discovery(release: str) -> dict[str, dict[str, Any]]:
    """What the server of a release lists, by the names of files."""
    found: dict[str, dict[str, Any]] = {}
    for version, kind in sorted(KINDS[release]):
        is_core = kind == "Pod"
        name = "api__v1" if is_core else f"apis__shop.example.com__{version}"
        group_version = version if is_core else f"shop.example.com/{version}"
        names = (
            {"shortNames": ["wd"], "categories": ["all"]} if kind == "Widget" else {}
        )
        plural, singular = f"{kind.lower()}s", kind.lower()
        kind_of_all = {"kind": kind, "namespaced": True}
        found.setdefault(name, {"groupVersion": group_version, "resources": []})
        found[name]["resources"] += [
            {
                "name": plural,
                "singularName": singular,
                "verbs": ["get"],
                **kind_of_all,
                **names,
            },
            {
                "name": f"{plural}/status",
                "singularName": "",
                "verbs": ["update"],
                **kind_of_all,
            },
        ]
    return found


def _document(release: str) -> dict[str, Any]:
    paths: dict[str, Any] = {}
    definitions: dict[str, Any] = {}
    for version, kind in sorted(KINDS[release]):
        group = "" if kind == "Pod" else "shop.example.com"
        gvk = {"group": group, "version": version, "kind": kind}
        prefix = f"/apis/{group}/{version}" if group else f"/api/{version}"
        path = f"{prefix}/namespaces/{{namespace}}/{kind.lower()}s"
        operation = {"x-kubernetes-group-version-kind": gvk}
        paths[f"{path}/{{name}}"] = {
            "parameters": [{"$ref": "#/parameters/pretty"}],
            "get": {**operation, "x-kubernetes-action": "get"},
        }
        paths[f"{path}/{{name}}/status"] = {
            "put": {
                **operation,
                "x-kubernetes-action": "put",
                "parameters": [{"name": "body", "in": "body", "schema": {}}],
            }
        }
        package = f"io.k8s.api.{'shop' if group else 'core'}.{version}"
        definitions[f"{package}.{kind}"] = {
            "type": "object",
            "x-kubernetes-group-version-kind": [gvk],
        }
    if release == "1.32":
        status = "/api/v1/namespaces/{namespace}/pods/{name}/status"
        force = {"name": "force", "in": "query", "type": "boolean"}
        paths[status]["put"]["parameters"].append(force)
    fields = ("weight", "height", "width", "parts", "origin")
    definitions["io.k8s.api.shop.v1.WidgetSpec"] = object_schema(*fields)
    definitions["io.k8s.api.shop.v1.Part"] = object_schema("size", "colour")
    return {
        "swagger": "2.0",
        "info": {"title": "Kubernetes", "version": "1"},
        "paths": paths,
        "definitions": definitions,
        "parameters": {"pretty": {"name": "pretty", "in": "query", "type": "string"}},
    }


def object_schema(*fields: str) -> dict[str, Any]:
    properties = {field: {"type": "string"} for field in fields}
    return {"type": "object", "properties": properties}
