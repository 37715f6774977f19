"""The kinds of the crate: the values with which they implement the traits ``CrateResource``,
``ListableResource`` and ``Metadata``."""

from __future__ import annotations

from typing import NamedTuple

from kubestencil.schema import Definition
from kubestencil.targets.rust import spelling
from kubestencil.targets.rust.api.endpoints import Endpoint, Scope, endpoints
from kubestencil.targets.rust.crate import Crate
from kubestencil.targets.rust.lists import has_one_kind
from kubestencil.targets.rust.value_types import value_type


class CrateResource(NamedTuple):
    """The constants and types with which a kind implements the trait ``Resource``.

    ``api_version``, ``group``, ``kind``, ``version`` and ``list_kind`` are string
    literals; ``list_kind`` is None for a kind without lists. ``url_segment``, a string
    literal, and ``scope`` are None where the release has no resources. ``metadata`` is the
    type of the metadata, None for a kind without.
    """

    api_version: str
    group: str
    kind: str
    version: str
    url_segment: str | None
    scope: Scope | None
    list_kind: str | None
    metadata: str | None


def make_resources(crate: Crate) -> dict[str, CrateResource]:
    """The kinds of the crate, by definition."""
    kinds = list(filter(has_one_kind, crate.definitions.values()))
    served = endpoints(crate.release, kinds)
    list_kinds = {
        item: crate.release.definitions[name].kinds[0].kind
        for name, item in crate.list_items.items()
    }
    return {
        definition.name: _resource(
            definition,
            crate,
            served.get(definition.name),
            list_kinds.get(definition.name),
        )
        for definition in kinds
    }


def _resource(
    definition: Definition,
    crate: Crate,
    endpoint: Endpoint | None,
    list_kind: str | None,
) -> CrateResource:
    kind = definition.kinds[0]
    return CrateResource(
        api_version=spelling.string_literal(kind.api_version),
        group=spelling.string_literal(kind.group),
        kind=spelling.string_literal(kind.kind),
        version=spelling.string_literal(kind.version),
        url_segment=endpoint and spelling.string_literal(endpoint.segment),
        scope=endpoint and endpoint.scope,
        list_kind=list_kind and spelling.string_literal(list_kind),
        metadata=_metadata_type(definition, crate),
    )


def _metadata_type(definition: Definition, crate: Crate) -> str | None:
    """The type of the field ``metadata``; None where it is absent or may be."""
    metadata = crate.fields.get(definition.name, {}).get("metadata")
    if metadata is None or metadata.is_option:
        return None
    return value_type(metadata.field.schema, crate, crate.paths[definition.name].module)
