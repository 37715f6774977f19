"""Full names of definitions with a meaning that is not in their schemas."""

from __future__ import annotations

import re

_API = "io.k8s.apimachinery.pkg"
#: The package of the types that all groups share.
META_V1 = f"{_API}.apis.meta.v1"

#: The metadata of an object, with its name.
OBJECT_META = f"{META_V1}.ObjectMeta"
#: The metadata of a list kind.
LIST_META = f"{META_V1}.ListMeta"
#: A time to the second.
TIME = f"{META_V1}.Time"
#: A time to the microsecond.
MICRO_TIME = f"{META_V1}.MicroTime"
#: The types whose values API servers write as null where they were never set, also in
#: required fields, and read again (Time.MarshalJSON and UnmarshalJSON in metav1).
NULL_WHEN_UNSET = frozenset([TIME, MICRO_TIME])
#: The events that the API server also sends of those recorded through the core API, which
#: need nothing of what it requires of a new one here.
EVENT = "io.k8s.api.events.v1.Event"
#: A number with a unit, such as 500m: a string, for which clients may send a number.
QUANTITY = f"{_API}.api.resource.Quantity"
#: An integer or a string, such as a port or a percentage.
INT_OR_STRING = f"{_API}.util.intstr.IntOrString"

# io.k8s.api.…, packages of other repositories: io.k8s.apimachinery.pkg.…, and modules
# with the configuration files of programs.
_BUILT_IN = re.compile(
    r"io\.k8s\.(?:api|[^.]+\.pkg|kubelet|kube-proxy|kube-scheduler|component-base|"
    r"kubernetes|pod-security-admission|sigs\.kustomize)\."
)


def is_built_in(definition: str) -> bool:
    """Whether a definition with this full name is one of Kubernetes' own.

    Those of CustomResourceDefinitions whose group ends in k8s.io also begin with
    io.k8s, but not with these packages.
    """
    return _BUILT_IN.match(definition) is not None
