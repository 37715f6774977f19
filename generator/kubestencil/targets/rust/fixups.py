"""Corrections of the document, for targets that generate code.

The Markdown targets reproduce the document as it is. Code generated from it could not
read what the API server sends, so a target that generates code names its corrections
in its ``target.toml``, each with the reason and a link to the upstream issue or change::

    [fixups.reference-names-are-required]
    reason = "…"
    link = "https://github.com/kubernetes/kubernetes/pull/…"
    releases = "1.29..1.35"

Each correction is a function of that name here. ``releases`` are those that have the
mistake in every patch: there the correction must change something, or the run fails,
since it is no longer needed. In other releases and documents it may change nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from kubestencil.engine.manifest import Target
from kubestencil.errors import nearest
from kubestencil.schema import Definition, Field, GroupVersionKind, Release
from kubestencil.source.releases import expand_ranges, listed_releases

Definitions = Mapping[str, Definition]

#: A correction returns the definitions that it changes: an empty mapping where they
#: need no correction, None where the document does not have them.
Fixup = Callable[[Definitions], Definitions | None]

_CORE = "io.k8s.api.core.v1"
_ADMISSION = "io.k8s.api.admissionregistration"


def correct(release: Release, target: Target) -> Release:
    """``release`` with the corrections that ``target`` names.

    Raises TargetError for an unknown correction, and for one that is declared for this
    release and finds nothing to correct.
    """
    definitions = dict(release.definitions)
    for name, body in target.fixups.items():
        if name not in FIXUPS:
            raise target.error(
                "is an unknown correction", f"fixups.{name}", nearest(name, FIXUPS)
            )
        changed = FIXUPS[name](definitions)
        if changed:
            definitions.update(changed)
        elif changed is not None and release.name in _declared_releases(body):
            raise target.error(
                f"never applied to {release.name} ({release.origin})",
                f"fixups.{name}",
                "the document no longer needs it: shorten its releases",
            )
    return replace(release, definitions=definitions)


def _declared_releases(body: Mapping[str, str]) -> list[str]:
    releases = body.get("releases", "")
    return expand_ranges([releases], listed_releases()) if releases else []


def event_time_may_be_absent(definitions: Definitions) -> Definitions | None:
    """eventTime is null in events that were recorded through the core API."""
    name = "io.k8s.api.events.v1.Event"
    return _set_required(definitions, name, "eventTime", False)


def pod_selector_may_be_absent(definitions: Definitions) -> Definitions | None:
    """An absent podSelector selects every pod."""
    name = "io.k8s.api.networking.v1.NetworkPolicySpec"
    return _set_required(definitions, name, "podSelector", False)


def service_name_may_be_absent(definitions: Definitions) -> Definitions | None:
    """A StatefulSet works without a governing service."""
    name = "io.k8s.api.apps.v1.StatefulSetSpec"
    return _set_required(definitions, name, "serviceName", False)


def reference_names_are_required(definitions: Definitions) -> Definitions | None:
    """A reference to a ConfigMap or Secret has a name, which may be empty."""
    kinds = (
        "ConfigMapEnvSource",
        "ConfigMapKeySelector",
        "ConfigMapProjection",
        "ConfigMapVolumeSource",
        "LocalObjectReference",
        "SecretEnvSource",
        "SecretKeySelector",
        "SecretProjection",
    )
    return _combine(
        _set_required(definitions, f"{_CORE}.{kind}", "name", True) for kind in kinds
    )


def addresses_are_required(definitions: Definitions) -> Definitions | None:
    """The key of a list of type map is required in its items."""
    return _combine(
        _set_required(definitions, f"{_CORE}.{kind}", "ip", True)
        for kind in ("HostAlias", "HostIP", "PodIP")
    )


def policy_lists_have_items(definitions: Definitions) -> Definitions | None:
    """The items of a list kind are required; without, these would not be list kinds."""
    return _combine(
        _set_required(definitions, f"{_ADMISSION}.{version}.{kind}List", "items", True)
        for version in ("v1alpha1", "v1beta1", "v1")
        for kind in ("ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding")
    )


def claim_templates_are_named(definitions: Definitions) -> Definitions | None:
    """Claim templates are identified by their names, though OpenAPI has no list map key
    that is inside of ``metadata``."""
    keys = {
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["metadata.name"],
    }

    def set_keys(field: Field) -> Field:
        if field.schema.list_type == "map":
            return field
        return field._replace(schema=field.schema.with_keywords(keys))

    name = "io.k8s.api.apps.v1.StatefulSetSpec"
    return _change_field(definitions, name, "volumeClaimTemplates", set_keys)


def status_has_one_kind(definitions: Definitions) -> Definitions | None:
    """Status is served as v1, in the answers of all groups."""
    name = "io.k8s.apimachinery.pkg.apis.meta.v1.Status"
    status = definitions.get(name)
    if status is None:
        return None
    kinds = (GroupVersionKind("", "v1", "Status"),)
    return {} if status.kinds == kinds else {name: replace(status, kinds=kinds)}


def objects_have_metadata(definitions: Definitions) -> Definitions | None:
    """Every object of a kind has metadata, which the document calls optional."""
    return _combine(
        _set_required(definitions, name, "metadata", True)
        for name, definition in definitions.items()
        if definition.kinds
        and {"apiVersion", "kind", "metadata"} <= _field_names(definition)
    )


#: The corrections by their names in ``target.toml``.
FIXUPS: Mapping[str, Fixup] = {
    fixup.__name__.replace("_", "-"): fixup
    for fixup in (
        event_time_may_be_absent,
        pod_selector_may_be_absent,
        service_name_may_be_absent,
        reference_names_are_required,
        addresses_are_required,
        policy_lists_have_items,
        claim_templates_are_named,
        status_has_one_kind,
        objects_have_metadata,
    )
}


def _set_required(
    definitions: Definitions, name: str, field_name: str, required: bool
) -> Definitions | None:
    return _change_field(
        definitions, name, field_name, lambda field: field._replace(required=required)
    )


def _change_field(
    definitions: Definitions,
    name: str,
    field_name: str,
    change: Callable[[Field], Field],
) -> Definitions | None:
    definition = definitions.get(name)
    if definition is None or field_name not in _field_names(definition):
        return None
    fields = tuple(
        change(field) if field.name == field_name else field
        for field in definition.fields
    )
    if fields == definition.fields:
        return {}
    schema = definition.schema._replace(fields=fields)
    return {name: replace(definition, schema=schema)}


def _field_names(definition: Definition) -> set[str]:
    return {field.name for field in definition.fields}


def _combine(results: Iterable[Definitions | None]) -> Definitions | None:
    """The results of several corrections as one; None where all are None."""
    combined: dict[str, Definition] = {}
    in_document = False
    for changed in results:
        if changed is not None:
            in_document = True
            combined.update(changed)
    return combined if in_document else None
