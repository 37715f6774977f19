"""The media types that an API server takes and returns."""

from __future__ import annotations

from collections.abc import Mapping

from kubestencil.source.releases import has_reached

_ANY = ("*/*",)
_JSON = ("application/json", "application/yaml")
_PROTOBUF = "application/vnd.kubernetes.protobuf"
_STREAMS = ("application/json;stream=watch", f"{_PROTOBUF};stream=watch")
_PATCHES = ("application/json-patch+json", "application/merge-patch+json")
STRATEGIC_PATCH = "application/strategic-merge-patch+json"
APPLY_PATCH = "application/apply-patch+yaml"
_CONNECT = "connect"
# The first release whose document has CBOR: https://kep.k8s.io/4222.
_CBOR_SINCE = "1.32"
# The first one that has it for all of discovery.
_CBOR_DISCOVERY_SINCE = "1.37"
_CBOR: Mapping[str, str] = {
    "list": "application/cbor-seq",
    "object": "application/cbor",
    "patch": "application/apply-patch+cbor",
}


def produced(action: str, release: str, *, is_custom: bool = False) -> tuple[str, ...]:
    """What an operation on a resource returns; ``action`` is its x-kubernetes-action."""
    if is_custom:
        return _JSON
    if action == _CONNECT:
        return _ANY
    types = (*_JSON, _PROTOBUF, *_with_cbor("object", release))
    if action != "list":
        return types
    return (*types, *_STREAMS, *_with_cbor("list", release))


def consumed(action: str, release: str, *, is_custom: bool = False) -> tuple[str, ...]:
    """What an operation on a resource takes."""
    if action != "patch":
        return _JSON if is_custom else _ANY
    if is_custom:
        return (*_PATCHES, APPLY_PATCH)
    return (*_PATCHES, STRATEGIC_PATCH, APPLY_PATCH, *_with_cbor("patch", release))


def discovered(release: str, *, is_version: bool) -> tuple[str, ...]:
    """What discovery returns: of a version of a group, or of anything else."""
    types = (*_JSON, _PROTOBUF)
    if is_version or has_reached(release, _CBOR_DISCOVERY_SINCE):
        return (*types, *_with_cbor("object", release))
    return types


def _with_cbor(of: str, release: str) -> tuple[str, ...]:
    if not has_reached(release, _CBOR_SINCE):
        return ()
    return (_CBOR[of],)
