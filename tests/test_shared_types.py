"""The option ``share_types``: types inside of custom resources that equal a type of
Kubernetes are this type, and no others."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kubestencil.engine import load_targets
from kubestencil.schema import Release, Schema
from kubestencil.schema.custom_resources.shared_types import share_types
from kubestencil.schema.keyword_values import json_object
from kubestencil.schema.select import select
from kubestencil.schema.well_known import INT_OR_STRING, QUANTITY
from kubestencil.source.document import Selection
from kubestencil.targets import generate_files
from tests.conftest import load, load_with_crds
from tests.packages import import_package
from tests.rust_crds import crd, struct

CORE = "io.k8s.api.core.v1"
META = "io.k8s.apimachinery.pkg.apis.meta.v1"
RELEASE = "1.35"
# As controller-gen writes them.
EITHER: dict[str, Any] = {
    "anyOf": [{"type": "integer"}, {"type": "string"}],
    "x-kubernetes-int-or-string": True,
}
NUMBER = r"(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))"
AMOUNT = {
    **EITHER,
    "pattern": rf"^(\+|-)?{NUMBER}(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?{NUMBER}))?$",
}
TYPES = {
    "tolerations": f"{CORE}.Toleration",
    "affinity": f"{CORE}.Affinity",
    "resources": f"{CORE}.ResourceRequirements",
    "probe": f"{CORE}.Probe",
    "secret": f"{CORE}.SecretKeySelector",
    "configMap": f"{CORE}.ConfigMapKeySelector",
    "selector": f"{META}.LabelSelector",
    "claim": f"{CORE}.PersistentVolumeClaimSpec",
}


def written_out(name: str) -> dict[str, Any]:
    """A built-in type as a CustomResourceDefinition has it: without references."""
    return _inlined(load(RELEASE).definitions[name].schema)


def _inlined(schema: Schema) -> dict[str, Any]:
    if schema.ref is not None:
        scalars = {QUANTITY: AMOUNT, INT_OR_STRING: EITHER}
        text = {"description": schema.description}
        return (scalars.get(schema.ref) or written_out(schema.ref)) | text
    kept = ("default", "x-kubernetes-patch-merge-key", "x-kubernetes-patch-strategy")
    raw = {key: value for key, value in json_object(schema).items() if key not in kept}
    if schema.items is not None:
        raw["items"] = _inlined(schema.items)
    if schema.values is not None:
        raw["additionalProperties"] = _inlined(schema.values)
    if schema.fields:
        raw["properties"] = {
            field.name: _inlined(field.schema) for field in schema.fields
        }
    return raw


WIDGET = crd("Widget", spec=struct(**{key: written_out(TYPES[key]) for key in TYPES}))
SPEC = {
    "tolerations": {"key": "a", "operator": "Exists", "tolerationSeconds": 5},
    "affinity": {
        "nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": []}
    },
    "resources": {"limits": {"cpu": 1, "memory": "1Gi"}},
    "probe": {"httpGet": {"port": "web", "path": "/"}, "periodSeconds": 3},
    "secret": {"key": "a", "name": ""},
    "configMap": {"key": "a"},
    "selector": {"matchLabels": {"a": "b"}},
    "claim": {"resources": {"requests": {"storage": "1Gi"}}},
}
OBJECT = {
    "apiVersion": "example.com/v1",
    "kind": "Widget",
    "metadata": {"name": "a"},
    "spec": SPEC,
}


def types_of_fields(release: Release) -> dict[str, str | None]:
    """The types of the fields of the spec."""
    fields = release.definitions["com.example.v1.WidgetSpec"].fields
    return {field.name: field.schema.ref for field in fields}


def test_types_that_equal_built_in_ones_are_these() -> None:
    release = load_with_crds(RELEASE, [WIDGET])
    shared = share_types(release)
    assert types_of_fields(shared) == TYPES
    assert shared.inline_definitions == {"com.example.v1.WidgetSpec"}
    assert shared.definitions.keys() < release.definitions.keys()
    assert shared.document["definitions"].keys() == shared.definitions.keys()
    # What was loaded is as it was.
    assert "com.example.v1.WidgetSpecProbe" in types_of_fields(release).values()


def change(path: str, **keywords: Any) -> Callable[[dict[str, Any]], None]:
    """Change the keywords of a schema in Toleration."""

    def apply(schema: dict[str, Any]) -> None:
        for name in path.split():
            schema = schema["properties"][name]
        schema.update(keywords)

    return apply


def without_descriptions(schema: dict[str, Any]) -> None:
    for field in schema["properties"].values():
        field["description"] = "Something else."


def with_tolerations(schema: dict[str, Any]) -> Release:
    """The release with a custom resource whose tolerations have a schema."""
    widget = crd("Widget", spec=struct(tolerations=schema))
    return share_types(load_with_crds(RELEASE, [widget]))


@pytest.mark.parametrize(
    "mistake",
    [
        change("tolerationSeconds", format="int32"),
        change("tolerationSeconds", format=""),
        change("tolerationSeconds", type="number"),
        change("tolerationSeconds", nullable=True),
        change("tolerationSeconds", minimum=0),
        change("tolerationSeconds", **EITHER, type=None),
        change("key", pattern="^a"),
        change("operator", enum=["Exists", "Equal"]),
        change("", required=["key"]),
        change("", **{"x-kubernetes-preserve-unknown-fields": True}),
        change("", **{"x-kubernetes-map-type": "atomic"}),
        change("", **{"x-kubernetes-validations": [{"rule": "has(self.key)"}]}),
        change("", oneOf=[{"required": ["key"]}, {"required": ["value"]}]),
        lambda schema: schema["properties"].pop("value"),
        lambda schema: schema["properties"].update(more={"type": "string"}),
        without_descriptions,
    ],
)
def test_types_with_any_difference_stay(
    mistake: Callable[[dict[str, Any]], object],
) -> None:
    schema = copy.deepcopy(written_out(TYPES["tolerations"]))
    mistake(schema)
    assert types_of_fields(with_tolerations(schema)) == {
        "tolerations": "com.example.v1.WidgetSpecTolerations"
    }


@pytest.mark.parametrize(
    "same",
    [
        change("operator", default="Equal"),
        change("operator", description="Something else."),
        change("", nullable=True, description="Something else.", title="T"),
    ],
)
def test_types_are_shared_whatever_their_field_says(
    same: Callable[[dict[str, Any]], object],
) -> None:
    schema = copy.deepcopy(written_out(TYPES["tolerations"]))
    same(schema)
    shared = with_tolerations(schema)
    assert types_of_fields(shared) == {"tolerations": TYPES["tolerations"]}
    assert shared.definitions["com.example.v1.WidgetSpec"].fields[
        0
    ].schema.keeps_null is ("nullable" in schema)


def test_parts_are_shared_where_the_whole_differs() -> None:
    schema = copy.deepcopy(written_out(TYPES["probe"]))
    schema["properties"]["more"] = {"type": "string"}
    shared = share_types(
        load_with_crds(RELEASE, [crd("Widget", spec=struct(probe=schema))])
    )
    probe = shared.definitions["com.example.v1.WidgetSpecProbe"]
    assert {field.schema.ref for field in probe.fields if field.schema.ref} == {
        f"{CORE}.{name}"
        for name in ("ExecAction", "GRPCAction", "HTTPGetAction", "TCPSocketAction")
    }


def test_limited_releases_get_the_types_that_are_shared() -> None:
    limited = select(load_with_crds(RELEASE, [WIDGET]), Selection(kinds=("Widget",)))
    assert TYPES["probe"] not in limited.definitions
    shared = share_types(limited)
    assert types_of_fields(shared) == TYPES
    assert f"{CORE}.HTTPGetAction" in shared.definitions
    assert f"{CORE}.Pod" not in shared.definitions


def test_python_reads_and_writes_the_same(tmp_path: Path) -> None:
    release = select(load_with_crds(RELEASE, [WIDGET]), Selection(kinds=("Widget",)))
    target = load_targets(None)["python"]
    sizes = []
    for is_shared in ("false", "true"):
        package = f"sharing_{is_shared}"
        options = {"package": package, "share_types": is_shared}
        files = list(generate_files(release, target.with_options(options)))
        for file in files:
            path = tmp_path / file.path
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(file.data)
        models = import_package(tmp_path, package)
        [widget] = models.load(json.dumps(OBJECT))
        assert widget.to_dict() == OBJECT
        name = type(widget.spec.secret).__name__
        assert name == (
            "V1SecretKeySelector" if is_shared == "true" else "WidgetSpecSecret"
        )
        custom = (file for file in files if "example_com" in file.path)
        sizes.append(sum(len(file.data) for file in custom))
    assert sizes[1] < sizes[0] / 3
