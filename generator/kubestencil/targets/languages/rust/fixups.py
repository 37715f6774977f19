"""Corrections of the document, for targets that generate code.

The Markdown targets reproduce the document as it is. Code generated from it could not
read what the API server sends, so a target that generates code has its corrections in
its ``target.toml``, each with the reason and a link to the upstream issue or change::

    [fixups.pod-selector-may-be-absent]
    reason = "…"
    link = "https://github.com/kubernetes/kubernetes/pull/…"
    releases = "1.29..1.33"
    definitions = ["io.k8s.api.networking.v1.NetworkPolicySpec"]
    field = "podSelector"
    required = false

``definitions`` are those that have the mistake; without it, those of all kinds. It is
fixed by ``required`` or ``keywords`` of their ``field``, or by their ``kinds``.
``releases`` are those that have it in every patch: there the correction must change
something, or the run fails, since it is no longer needed. In other releases and
documents it may change nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from kubestencil.engine.manifest import Target
from kubestencil.engine.manifest_files import Table
from kubestencil.schema import Definition, Field, GroupVersionKind, Release
from kubestencil.source.releases import expand_ranges, listed_releases

_KEYS: Mapping[str, type] = {
    "reason": str,
    "link": str,
    "releases": str,
    "definitions": list,
    "field": str,
    "required": bool,
    "keywords": dict,
    "kinds": list,
}


def correct(release: Release, target: Target) -> Release:
    """``release`` with the corrections that ``target`` has.

    Raises TargetError for an unknown key of one, and for one that is declared for this
    release and finds nothing to correct.
    """
    definitions = dict(release.definitions)
    for name, body in target.fixups.items():
        fixup = Table(body, target.manifest, _KEYS, f"fixups.{name}.")
        wrong = _with_mistake(fixup, definitions)
        changed = {
            definition.name: corrected
            for definition in wrong
            if (corrected := _corrected(definition, fixup)) != definition
        }
        definitions.update(changed)
        if wrong and not changed and release.name in _declared_releases(fixup):
            raise target.error(
                f"never applied to {release.name} ({release.origin})",
                f"fixups.{name}",
                "the spec no longer needs it: shorten its releases",
            )
    return replace(release, definitions=definitions)


def _declared_releases(fixup: Table) -> list[str]:
    releases = fixup.get("releases", "")
    return expand_ranges([releases], listed_releases()) if releases else []


def _with_mistake(
    fixup: Table, definitions: Mapping[str, Definition]
) -> list[Definition]:
    """The definitions of the document that may have the mistake."""
    kinds = (name for name, definition in definitions.items() if definition.kinds)
    field = fixup.get("field", None)
    return [
        definition
        for name in fixup.get("definitions", kinds)
        if (definition := definitions.get(name))
        and (field is None or definition.schema.field(field) is not None)
    ]


def _corrected(definition: Definition, fixup: Table) -> Definition:
    kinds = fixup.get("kinds", definition.kinds)
    fields = tuple(
        (
            _corrected_field(field, fixup)
            if field.name == fixup.get("field", "")
            else field
        )
        for field in definition.fields
    )
    return replace(
        definition,
        kinds=tuple(GroupVersionKind(*kind) for kind in kinds),
        schema=definition.schema._replace(fields=fields),
    )


def _corrected_field(field: Field, fixup: Table) -> Field:
    keywords = fixup.get("keywords", {})
    return field._replace(
        required=fixup.get("required", field.required),
        schema=field.schema.with_keywords(keywords) if keywords else field.schema,
    )
