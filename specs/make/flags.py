"""The table ``flags``: the command line flags of the components, as they register them.

A program for each component, since some need modules that a pre-release lacks, and a
library of the kubelet declares flags of all commands. It sets each flag of a component that
has a configuration file, and sees which of its fields changes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from kubestencil.errors import SourceError
from kubestencil.schema.knowledge.configurations import (
    configuration_definitions,
    fields_on_path,
)
from kubestencil.schema.knowledge.snapshots import lines_of_releases
from kubestencil.schema.knowledge.tables import cells_of
from specs.make.checkouts import Checkout
from specs.make.program import program_rows
from specs.make.progress import report

_COMPONENTS = (
    *("kube-apiserver", "kube-controller-manager", "kube-proxy", "kube-scheduler"),
    "kubelet",
)
# The configuration files of components.
_FILES = {
    "kubelet": "KubeletConfiguration",
    "kube-proxy": "KubeProxyConfiguration",
    "kube-scheduler": "KubeSchedulerConfiguration",
}
_JWT = "AuthenticationConfiguration.jwt[]"
_WEBHOOK = "AuthorizationConfiguration.authorizers[].webhook"
# kube-apiserver has several files: its ToAuthenticationConfig and
# buildAuthorizationConfiguration make two of them of flags.
_OF_API_SERVER = {
    "anonymous-auth": "AuthenticationConfiguration.anonymous.enabled",
    "oidc-issuer-url": f"{_JWT}.issuer.url",
    "oidc-client-id": f"{_JWT}.issuer.audiences",
    "oidc-ca-file": f"{_JWT}.issuer.certificateAuthority",
    "oidc-username-claim": f"{_JWT}.claimMappings.username.claim",
    "oidc-username-prefix": f"{_JWT}.claimMappings.username.prefix",
    "oidc-groups-claim": f"{_JWT}.claimMappings.groups.claim",
    "oidc-groups-prefix": f"{_JWT}.claimMappings.groups.prefix",
    "oidc-required-claim": f"{_JWT}.claimValidationRules",
    "authorization-mode": "AuthorizationConfiguration.authorizers[].type",
    "authorization-webhook-config-file": f"{_WEBHOOK}.connectionInfo.kubeConfigFile",
    "authorization-webhook-version": f"{_WEBHOOK}.subjectAccessReviewVersion",
    "authorization-webhook-cache-authorized-ttl": f"{_WEBHOOK}.authorizedTTL",
    "authorization-webhook-cache-unauthorized-ttl": f"{_WEBHOOK}.unauthorizedTTL",
}
_OTHERWISE = {
    **{("kube-apiserver", name): field for name, field in _OF_API_SERVER.items()},
    # Fields without effect, as their comments say; the kubelet refuses runOnce.
    ("kubelet", "iptables-drop-bit"): "",
    ("kubelet", "iptables-masquerade-bit"): "",
    ("kubelet", "runonce"): "",
    ("kube-proxy", "proxy-port-range"): "",
    # Only for an address without a port, and in the mode ipvs.
    ("kube-proxy", "healthz-port"): "KubeProxyConfiguration.healthzBindAddress",
    ("kube-proxy", "metrics-port"): "KubeProxyConfiguration.metricsBindAddress",
    ("kube-proxy", "ipvs-sync-period"): "KubeProxyConfiguration.ipvs.syncPeriod",
    ("kube-proxy", "ipvs-min-sync-period"): "KubeProxyConfiguration.ipvs.minSyncPeriod",
    # The kubelet looks at both (RunKubelet).
    ("kubelet", "seccomp-default"): "KubeletConfiguration.seccompDefault",
}


def make_rows(checkout: Checkout) -> Iterator[tuple[str, ...]]:
    """The rows of the table for a release. The table ``configurations`` is made before.

    A component that needs a module which is not published has the rows of the base, and one
    without a flag, which says so. Raises SourceError where all of them need one.
    """
    definitions = configuration_definitions(checkout.release)
    unknown = 0
    for component in _COMPONENTS:
        try:
            rows = [*program_rows(checkout, component, "flags")]
        except SourceError as error:
            unknown += 1
            if unknown == len(_COMPONENTS):
                raise
            report(f"left out: flags of {component}: {error}")
            yield from _rows_of_base(checkout, component)
            yield component, *[""] * 5
            continue
        for component, name, state, type_name, default, changed in rows:
            path = _field(component, name, changed, definitions)
            yield component, name, state, type_name, default or '""', path


def _rows_of_base(checkout: Checkout, component: str) -> Iterator[tuple[str, ...]]:
    for line in lines_of_releases("flags")[checkout.base.release]:
        cells = cells_of(line)
        if cells[0] == component:
            yield tuple(cells)


def _field(
    component: str, name: str, changed: str, definitions: Mapping[str, Any]
) -> str:
    """The field that a flag sets, after its kind; empty where a file has none."""
    if (component, name) in _OTHERWISE:
        path = _OTHERWISE[component, name]
        return path if fields_on_path(definitions, path) else ""
    path = f"{_FILES[component]}.{changed}" if changed else ""
    # What changes in a map is no field.
    while path and not fields_on_path(definitions, path):
        path = path.rpartition(".")[0]
    return path
