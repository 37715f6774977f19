"""The table ``flags``: the command line flags of the components, as they register them.

Programs set each flag of a component that has a configuration file, and see which of its
fields changes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from kubestencil.schema.knowledge.configurations import (
    configuration_definitions,
    fields_on_path,
)
from specs.make.checkouts import Checkout
from specs.make.program import program_rows

# The kubelet is a program of its own, since a library of it declares flags of all commands.
_PROGRAMS = ("components", "kubelet")
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
    """The rows of the table for a release. The table ``configurations`` is made before."""
    definitions = configuration_definitions(checkout.release)
    for program in _PROGRAMS:
        for component, name, state, _, _, changed in program_rows(
            checkout, program, "flags"
        ):
            yield component, name, state, _field(component, name, changed, definitions)


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
