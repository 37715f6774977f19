"""Corrections of the document for targets that print code.

The Markdown targets print the document as it is. Code made from it would not read
what the API server sends, so such a target names its corrections in
``target.toml``::

    [fixups.config-map-names]
    reason = "…"
    link = "https://github.com/kubernetes/kubernetes/pull/…"
    releases = "1.29..1.35"

Each is a function here that corrects what it finds. For the releases named it
must find something to correct, or the run stops: the document was mended, and the
correction can go. For other releases and documents it may find nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from kubestencil.engine.manifest import Target
from kubestencil.errors import nearest
from kubestencil.schema import Definition, Field, GroupVersionKind, Release
from kubestencil.source.releases import expand, listed

Definitions = dict[str, Definition]

#: Corrects definitions in place. False: they are in the document and need no
#: correction; None: the document does not have them.
Fixup = Callable[[Definitions], bool | None]

_CORE = "io.k8s.api.core.v1"
_ADMISSION = "io.k8s.api.admissionregistration"


def corrected(release: Release, target: Target) -> Release:
    """``release`` with the corrections that ``target`` names.

    Raises TargetError for a correction that is not known, or that is declared
    for this release and finds its definitions in order.
    """
    definitions = dict(release.definitions)
    for name, body in target.fixups.items():
        if name not in FIXUPS:
            hint = nearest(name, FIXUPS)
            raise target.error("is no known correction", f"fixups.{name}", hint)
        applied = FIXUPS[name](definitions)
        if applied is False and release.name in _declared(body):
            raise target.error(
                f"never applied to {release.name} ({release.origin})",
                f"fixups.{name}",
                "the document no longer needs it: shorten its releases",
            )
    return replace(release, definitions=definitions)


def event_time_may_be_absent(definitions: Definitions) -> bool | None:
    """eventTime is null in events that were recorded through the core API."""
    return _set_required(definitions, False, "io.k8s.api.events.v1.Event", "eventTime")


def pod_selector_may_be_absent(definitions: Definitions) -> bool | None:
    """An absent podSelector selects every pod."""
    name = "io.k8s.api.networking.v1.NetworkPolicySpec"
    return _set_required(definitions, False, name, "podSelector")


def service_name_may_be_absent(definitions: Definitions) -> bool | None:
    """A StatefulSet works without a governing service."""
    name = "io.k8s.api.apps.v1.StatefulSetSpec"
    return _set_required(definitions, False, name, "serviceName")


def reference_names_are_required(definitions: Definitions) -> bool | None:
    """A reference to a ConfigMap or Secret has a name, if an empty one."""
    return _any(
        _set_required(definitions, True, f"{_CORE}.{kind}", "name")
        for kind in (
            "ConfigMapEnvSource",
            "ConfigMapKeySelector",
            "ConfigMapProjection",
            "ConfigMapVolumeSource",
            "LocalObjectReference",
            "SecretEnvSource",
            "SecretKeySelector",
            "SecretProjection",
        )
    )


def addresses_are_required(definitions: Definitions) -> bool | None:
    """The key of a list of type map is required in its items."""
    return _any(
        _set_required(definitions, True, f"{_CORE}.{kind}", "ip")
        for kind in ("HostAlias", "HostIP", "PodIP")
    )


def policy_lists_have_items(definitions: Definitions) -> bool | None:
    """Lists have items; without, these would not look like lists."""
    return _any(
        _set_required(definitions, True, f"{_ADMISSION}.{version}.{kind}List", "items")
        for version in ("v1alpha1", "v1beta1", "v1")
        for kind in ("ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding")
    )


def claim_templates_are_named(definitions: Definitions) -> bool | None:
    """A claim is the one of its name; a key inside ``metadata`` cannot be said."""
    merge = {
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["metadata.name"],
    }

    def change(field: Field) -> Field:
        if field.schema.list_type == "map":
            return field
        schema = field.schema._replace(raw={**field.schema.raw, **merge})
        return field._replace(schema=schema)

    name = "io.k8s.api.apps.v1.StatefulSetSpec"
    return _change(definitions, name, "volumeClaimTemplates", change)


def status_has_one_kind(definitions: Definitions) -> bool | None:
    """Status is served as v1, whatever group answers with it."""
    name = "io.k8s.apimachinery.pkg.apis.meta.v1.Status"
    status = definitions.get(name)
    if status is None:
        return None
    only = GroupVersionKind("", "v1", "Status")
    if status.kinds == (only,):
        return False
    definitions[name] = replace(status, kinds=(only,))
    return True


def objects_have_metadata(definitions: Definitions) -> bool | None:
    """Every object has metadata, though the document calls it optional."""
    return _any(
        _set_required(definitions, True, name, "metadata")
        for name in list(definitions)
        if {"apiVersion", "kind", "metadata"} <= _names(definitions[name])
    )


#: What ``target.toml`` can ask for, in the order in which it may.
FIXUPS: Mapping[str, Fixup] = {
    "event-time-may-be-absent": event_time_may_be_absent,
    "pod-selector-may-be-absent": pod_selector_may_be_absent,
    "service-name-may-be-absent": service_name_may_be_absent,
    "reference-names-are-required": reference_names_are_required,
    "addresses-are-required": addresses_are_required,
    "policy-lists-have-items": policy_lists_have_items,
    "claim-templates-are-named": claim_templates_are_named,
    "status-has-one-kind": status_has_one_kind,
    "objects-have-metadata": objects_have_metadata,
}


def _declared(body: Mapping[str, str]) -> list[str]:
    releases = body.get("releases", "")
    return expand([releases], listed()) if releases else []


def _set_required(
    definitions: Definitions, required: bool, name: str, field: str
) -> bool | None:
    return _change(
        definitions, name, field, lambda found: found._replace(required=required)
    )


def _change(
    definitions: Definitions, name: str, field: str, change: Callable[[Field], Field]
) -> bool | None:
    definition = definitions.get(name)
    if definition is None or field not in _names(definition):
        return None
    fields = tuple(
        change(each) if each.name == field else each for each in definition.fields
    )
    if fields == definition.fields:
        return False
    schema = definition.schema._replace(fields=fields)
    definitions[name] = replace(definition, schema=schema)
    return True


def _names(definition: Definition) -> set[str]:
    return {field.name for field in definition.fields}


def _any(outcomes: Iterable[bool | None]) -> bool | None:
    """True if one was corrected, None if none was there."""
    found = [outcome for outcome in outcomes if outcome is not None]
    return any(found) if found else None
