"""The table ``gated-fields.tsv``: the fields and kinds that a feature gate guards.

Three sources name them, none of them all: the markers of a field, its comment, and the
code of the API server that drops the value of a field while the gate is off.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

from specs.make.checkouts import Checkout
from specs.make.default_server import gated_resources
from specs.make.documents import operated_kinds
from specs.make.dropped_fields import dropped_fields
from specs.make.gates import gate_names
from specs.make.go_types import API_FOLDERS, GoField, json_fields, read_structs

_MARKER = "featureGate"
# Markers with a name that no gate has (pkg/api/pod/util.go,
# dropDisabledPodCertificateProjection).
_WRONG_MARKERS = {"PodCertificateProjection": "PodCertificateRequest"}
# Fields that no source names in a form that can be read (pkg/api/pod/util.go,
# dropContainerStopSignals, dropDisabledPodCertificateProjection of 1.34, dropAppArmor… of
# 1.30; pkg/registry/discovery/endpointslice/strategy.go, dropDisabledFieldsOnCreate).
_OTHERS = (
    ("io.k8s.api.core.v1.PodSecurityContext", "appArmorProfile", "AppArmorFields"),
    ("io.k8s.api.core.v1.SecurityContext", "appArmorProfile", "AppArmorFields"),
    ("io.k8s.api.discovery.v1.Endpoint", "hints", "TopologyAwareHints"),
    ("io.k8s.api.core.v1.Lifecycle", "stopSignal", "ContainerStopSignals"),
    ("io.k8s.api.core.v1.VolumeProjection", "podCertificate", "PodCertificateRequest"),
)
# What comments say of a field that needs a gate. Others tell what else a gate changes:
# "If the X feature gate is enabled, …".
_COMMENTS = tuple(
    re.compile(pattern)
    for pattern in (
        r"\bfield (?:that |and )?requires (?:enabling )?(?:the )?`?(\w+)`? feature",
        r"[Uu]sing (?:this|the) field requires (?:the )?(?:feature gate )?`?(\w+)`?"
        r"(?: feature gate)? to be enabled",
        r"\. (?:This )?[Rr]equires (?:enabling )?(?:the )?`?(\w+)`? feature",
        r"\bhonou?red by (?:servers|components) that enable the `?(\w+)`? feature",
        r"\bfeature (?:and can be )?enabled by the `?(\w+)`? feature",
        r"\bfield can be enabled with the `?(\w+)`? feature",
        r"\bgated by the `?(\w+)`? feature",
        r"\bmust be enabled via the `?(\w+)`? feature",
        r"\bEnable (\w+) to be able to use this field",
        r"\bfield is (?:alpha|beta)-level\. It can be used when the `?(\w+)`? feature",
        r"\bmust enable the `?(\w+)`? feature",
        r"\bThe `?(\w+)`? feature gate must be enabled to use this field",
        r"\b(?:populates the|makes use of this) field when the feature gate `?(\w+)`?",
    )
)


def make_rows(checkout: Checkout) -> Iterator[tuple[str, ...]]:
    """The rows of the table for a release."""
    for key, gates in _gated(checkout).items():
        yield *key, gates


def _gated(checkout: Checkout) -> dict[tuple[str, str], str]:
    """The gates of each definition and field of a release's document."""
    names = gate_names(checkout)
    gates = set(names.values())
    definitions = checkout.document["definitions"]
    by_field: dict[tuple[str, str], list[str]] = defaultdict(list)
    for definition, field, gate in _candidates(checkout):
        schema = definitions.get(definition)
        exists = schema and (not field or field in schema.get("properties", {}))
        # A marker may outlive its gate.
        if exists and gate in gates and gate not in by_field[definition, field]:
            by_field[definition, field].append(gate)
    return {key: " ".join(gates) for key, gates in by_field.items() if gates}


def _candidates(checkout: Checkout) -> Iterator[tuple[str, str, str]]:
    """Definitions and fields, each with a gate; the field of a kind is empty."""
    for module, (pattern, prefix) in API_FOLDERS.items():
        for folder in sorted(checkout.module(module).glob(pattern)):
            structs = read_structs(folder)
            package = f"{prefix}{folder.parent.name}.{folder.name}"
            for struct in structs.values():
                for field in json_fields(struct, structs):
                    for gate in _gates_of(field):
                        yield f"{package}.{struct.name}", field.json_name, gate
    yield from dropped_fields(checkout)
    yield from _gated_kinds(checkout)
    yield from _OTHERS


def _gates_of(field: GoField) -> list[str]:
    marked = [
        _WRONG_MARKERS.get(gate, gate)
        for name, value in field.markers
        if name == _MARKER
        for gate in value.split(",")
    ]
    if marked:
        return marked
    return [gate for pattern in _COMMENTS for gate in pattern.findall(field.comment)]


def _gated_kinds(checkout: Checkout) -> Iterator[tuple[str, str, str]]:
    gates = {
        resource: gate
        for resource, gate in gated_resources(checkout)
        if not resource.subresource
    }
    names = gate_names(checkout)
    definitions = {
        (kind["group"], kind["version"], kind["kind"]): name
        for name, schema in checkout.document["definitions"].items()
        for kind in schema.get("x-kubernetes-group-version-kind", ())
    }
    for kind, resources in operated_kinds(checkout.document).items():
        for resource in resources & gates.keys():
            definition = definitions[kind.group, kind.version, kind.kind]
            yield definition, "", names[gates[resource]]
