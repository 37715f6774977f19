"""The media types that an API server takes and returns, for documents without paths."""

from __future__ import annotations

from collections.abc import Mapping

from kubestencil.source.releases import release_order

_ANY = ("*/*",)
_JSON = ("application/json", "application/yaml")
_PROTOBUF = "application/vnd.kubernetes.protobuf"
_STREAMS = ("application/json;stream=watch", f"{_PROTOBUF};stream=watch")
_PATCHES = ("application/json-patch+json", "application/merge-patch+json")
_STRATEGIC_PATCH = "application/strategic-merge-patch+json"
_APPLY_PATCH = "application/apply-patch+yaml"
_CONNECT = "connect"
# The first release whose document has CBOR: https://kep.k8s.io/4222.
_CBOR_SINCE = "1.32"
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
        return (*_PATCHES, _APPLY_PATCH)
    return (*_PATCHES, _STRATEGIC_PATCH, _APPLY_PATCH, *_with_cbor("patch", release))


def discovered(release: str, *, is_version: bool) -> tuple[str, ...]:
    """What discovery returns: of a version of a group, or of anything else."""
    types = (*_JSON, _PROTOBUF)
    return (*types, *_with_cbor("object", release)) if is_version else types


def _with_cbor(of: str, release: str) -> tuple[str, ...]:
    if release_order(release) < release_order(_CBOR_SINCE):
        return ()
    return (_CBOR[of],)
