"""The parts of Kubernetes' published policies that the rules follow."""

from __future__ import annotations

from typing import NamedTuple


class Policy(NamedTuple):
    """A part of Kubernetes' published policies: its ``name`` and its ``url``."""

    name: str
    url: str


_DEPRECATION = "https://kubernetes.io/docs/reference/using-api/deprecation-policy/"
_VERSIONING = "https://kubernetes.io/docs/reference/using-api/#api-versioning"
_APPLY = "https://kubernetes.io/docs/reference/using-api/server-side-apply/"
_CHANGES = (
    "https://github.com/kubernetes/community/blob/main/contributors/devel/"
    "sig-architecture/api_changes.md"
)
_CONVENTIONS = (
    "https://github.com/kubernetes/community/blob/main/contributors/devel/"
    "sig-architecture/api-conventions.md"
)

API_ELEMENTS = Policy("Deprecation policy, rule 1: elements of an API", _DEPRECATION)
ROUND_TRIPS = Policy("Deprecation policy, rule 2: round trips", _DEPRECATION)
VERSION_LIFETIMES = Policy(
    "Deprecation policy, rule 4a: lifetimes of versions", _DEPRECATION
)
STABILITY_LEVELS = Policy("API versioning: alpha, beta, stable", _VERSIONING)
COMPATIBILITY = Policy(
    "Changing the API: on compatibility", f"{_CHANGES}#on-compatibility"
)
MERGE_STRATEGY = Policy("Server-side apply: merge strategy", f"{_APPLY}#merge-strategy")
STRATEGIC_MERGE_PATCH = Policy(
    "API conventions: strategic merge patch", f"{_CONVENTIONS}#patch-operations"
)
OPTIONAL_FIELDS = Policy(
    "API conventions: optional and required", f"{_CONVENTIONS}#optional-vs-required"
)
STATUS = Policy("API conventions: spec and status", f"{_CONVENTIONS}#spec-and-status")
STORED_VERSIONS = Policy(
    "Custom resources: upgrade existing objects to a new stored version",
    "https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/"
    "custom-resource-definition-versioning/"
    "#upgrade-existing-objects-to-a-new-stored-version",
)
