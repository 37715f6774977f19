"""The table ``flags``: the command line flags of the components.

Functions declare flags of a set, ``fs.StringVar(&o.File, "file", o.File, "its help")``. Those
of each component are read: what it declares itself, and what it takes from libraries. The
variable tells which field of the component's configuration file a flag sets.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from kubestencil.schema.knowledge.configurations import (
    configuration_definitions,
    fields_on_path,
)
from specs.make.checkouts import Checkout

_ALL = r".*"
_AUTHENTICATION = r"(?:RequestHeader|ClientCert|Delegating)\w+\.AddFlags"
_SERVER = "apiserver/pkg/server/options"
_DEBUGGING = {"controller-manager/options": r"Debugging\w+\.AddFlags"}
_COMMON = {
    "component-base/featuregate": r"featureGate\.AddFlag",
    "component-base/logs/api/v1": _ALL,
}
# Since 1.31, the versions that are emulated; the package has moved twice.
_VERSIONS = {
    "apiserver/pkg/util/version": r"componentGlobalsRegistry\.AddFlags",
    "component-base/featuregate": r"(?:featureGate|componentGlobalsRegistry)\.AddFlags?",
    "component-base/compatibility": r"componentGlobalsRegistry\.AddFlags",
}
# Until 1.27, kube-proxy has those flags of libraries only that each command has.
_ADDS_LOGGING = "logsapi.AddFlags("
_OF_EACH_COMMAND = {"v", "vmodule", "log-flush-frequency"}
_ADDS_VERSIONS = "ComponentGlobalsRegistry.AddFlags("
_SERVERS = {
    **_COMMON,
    **_DEBUGGING,
    "component-base/cli/globalflag": "AddGlobalFlags",
    "component-base/metrics": r"Options\.AddFlags",
}
# The packages of each component, and the functions of them whose flags it has.
_COMPONENTS: Mapping[str, Mapping[str, str]] = {
    "kube-apiserver": {
        "kubernetes/cmd/kube-apiserver/app/options": _ALL,
        "kubernetes/pkg/controlplane/apiserver/options": _ALL,
        "kubernetes/pkg/kubeapiserver/options": _ALL,
        "kubernetes/plugin/pkg/admission/defaulttolerationseconds": _ALL,
        _SERVER: r"(?!Delegating|CoreAPI|Deprecated|Recommended)\w+\.Add\w*Flags",
        **_SERVERS,
    },
    "kube-controller-manager": {
        "kubernetes/cmd/kube-controller-manager/app/options": _ALL,
        "kubernetes/cmd/kube-controller-manager/app": "registerLegacyGlobalFlags",
        _SERVER: rf"{_AUTHENTICATION}|(?:CoreAPI|SecureServing)Options\.AddFlags",
        "component-base/config/options": "BindLeaderElectionFlags",
        "controller-manager/pkg/leadermigration/options": _ALL,
        "cloud-provider/options": r"(?:CloudProvider|KubeCloudShared|ServiceController)"
        r"Options\.AddFlags",
        **_SERVERS,
        "controller-manager/options": r"(?:Debugging|GenericController)\w+\.AddFlags",
    },
    "kube-scheduler": {
        "kubernetes/cmd/kube-scheduler/app/options": _ALL,
        _SERVER: rf"{_AUTHENTICATION}|(?:CoreAPI|SecureServing)Options\.AddFlags",
        "component-base/config/options": "BindLeaderElectionFlags",
        **_SERVERS,
    },
    "kubelet": {
        "kubernetes/cmd/kubelet/app/options": _ALL,
        "kubernetes/pkg/kubelet/config": r"ContainerRuntimeOptions\.AddFlags",
        **_COMMON,
    },
    "kube-proxy": {"kubernetes/cmd/kube-proxy/app": _ALL, **_COMMON},
}
# What is compiled on Linux, with clouds.
_LEFT_OUT = re.compile(
    r"_test\.go|_(?:windows|other|others|unsupported|providerless)\.go|^zz_"
)
_FUNCTION = re.compile(
    r"^func (?:\(\w+ \*?(?P<type>\w+)\) )?(?P<name>\w+)\((?P<body>.*?)^}", re.M | re.S
)
_TYPES = (
    "Bool|String|Int|Int32|Int64|Uint|Uint32|Float32|Float64|Duration|StringSlice|"
    "StringArray|IntSlice|IP|IPSlice|StringToString|Count"
)
_DECLARATION = re.compile(
    rf"[\w)]\.(?P<method>(?:{_TYPES})?Var(?:P|PF)?|(?:{_TYPES})P?)\("
)
# Flags of libraries, taken from the flags of the whole program.
_TAKEN = re.compile(
    r"(?:[rR]egister(Deprecated)?\(global, local|globalflag\.Register\([^\n]*?), "
    r'("[\w-]+"|\w+\.\w+)'
)
_CONSTANT = re.compile(r'^\s*(?:const\s+)?(\w+)\s*(?:string\s*)?= "([\w-]+)"', re.M)
_NAME = re.compile(r'"([\w-]+)"')
# The same flags for the log and the webhook of audits.
_AUDIT_NAME = re.compile(r'fmt\.Sprintf\("(audit-%s[\w-]+)", \w+\)')
_SAID = re.compile(r"\W*deprecated\b", re.IGNORECASE)
_MARKED = re.compile(
    r'MarkDeprecated\(\s*("[\w-]+"|\w+)|Lookup\(("[\w-]+"|\w+)\)\.Deprecated ='
)
# The kubelet's flags that a configuration file has, too, are deprecated but for these.
_KEPT = re.compile(r"notDeprecated := map\[string\]bool\{(.*?)\}", re.S)
# A constant of a library.
_OF_LIBRARIES = {"cadvisorflags.HousekeepingInterval": "housekeeping_interval"}
# The configuration files whose fields are called like the variables of flags.
_FILES = {
    "kubelet": "KubeletConfiguration",
    "kube-proxy": "KubeProxyConfiguration",
    "kube-scheduler": "KubeSchedulerConfiguration",
}
# &c.Authentication.Webhook.CacheTTL.Duration, o.config.IPTables.MasqueradeBit
_VARIABLE = re.compile(r"\b[a-z]\.(?:config\.)?(?:Linux\.)?([A-Z][\w.]*)")
# Libraries declare flags of one of these fields.
_OUTER = ("", "logging.", "leaderElection.", "clientConnection.")
_JWT = "AuthenticationConfiguration.jwt[]"
_WEBHOOK = "AuthorizationConfiguration.authorizers[].webhook"
# Variables that are called otherwise: kube-proxy's processV1Alpha1Flags, Complete and
# conversion of v1alpha1; in kube-apiserver, ToAuthenticationConfig and
# buildAuthorizationConfiguration make a configuration of flags.
_OTHERWISE = {
    # Without effect, as the comments of these fields say; the kubelet refuses runOnce.
    ("kubelet", "iptables-drop-bit"): "",
    ("kubelet", "iptables-masquerade-bit"): "",
    ("kubelet", "runonce"): "",
    ("kube-proxy", "proxy-port-range"): "",
    ("kubelet", "resolv-conf"): "KubeletConfiguration.resolvConf",
    ("kube-proxy", "iptables-sync-period"): "KubeProxyConfiguration.iptables.syncPeriod",
    ("kube-proxy", "iptables-min-sync-period"): "KubeProxyConfiguration.iptables.minSyncPeriod",
    ("kube-proxy", "ipvs-sync-period"): "KubeProxyConfiguration.ipvs.syncPeriod",
    ("kube-proxy", "ipvs-min-sync-period"): "KubeProxyConfiguration.ipvs.minSyncPeriod",
    ("kube-proxy", "masquerade-all"): "KubeProxyConfiguration.iptables.masqueradeAll",
    ("kube-proxy", "cluster-cidr"): "KubeProxyConfiguration.clusterCIDR",
    ("kube-proxy", "hostname-override"): "KubeProxyConfiguration.hostnameOverride",
    ("kube-proxy", "healthz-port"): "KubeProxyConfiguration.healthzBindAddress",
    ("kube-proxy", "metrics-port"): "KubeProxyConfiguration.metricsBindAddress",
    ("kube-apiserver", "anonymous-auth"): "AuthenticationConfiguration.anonymous.enabled",
    ("kube-apiserver", "oidc-issuer-url"): f"{_JWT}.issuer.url",
    ("kube-apiserver", "oidc-client-id"): f"{_JWT}.issuer.audiences",
    ("kube-apiserver", "oidc-ca-file"): f"{_JWT}.issuer.certificateAuthority",
    ("kube-apiserver", "oidc-username-claim"): f"{_JWT}.claimMappings.username.claim",
    ("kube-apiserver", "oidc-username-prefix"): f"{_JWT}.claimMappings.username.prefix",
    ("kube-apiserver", "oidc-groups-claim"): f"{_JWT}.claimMappings.groups.claim",
    ("kube-apiserver", "oidc-groups-prefix"): f"{_JWT}.claimMappings.groups.prefix",
    ("kube-apiserver", "oidc-required-claim"): f"{_JWT}.claimValidationRules",
    ("kube-apiserver", "authorization-mode"): "AuthorizationConfiguration.authorizers[].type",
    ("kube-apiserver", "authorization-webhook-config-file"): f"{_WEBHOOK}.connectionInfo.kubeConfigFile",
    ("kube-apiserver", "authorization-webhook-version"): f"{_WEBHOOK}.subjectAccessReviewVersion",
    ("kube-apiserver", "authorization-webhook-cache-authorized-ttl"): f"{_WEBHOOK}.authorizedTTL",
    ("kube-apiserver", "authorization-webhook-cache-unauthorized-ttl"): f"{_WEBHOOK}.unauthorizedTTL",
}  # fmt: skip


class _Facts(NamedTuple):
    """What is known of a flag: ``deprecated`` or nothing, and its field. While its
    declaration is read, ``field`` is the variable."""

    state: str
    field: str = ""


def make_rows(checkout: Checkout) -> Iterator[tuple[str, ...]]:
    """The rows of the table for a release."""
    for key, facts in _flags(checkout):
        yield *key, *facts


def _flags(checkout: Checkout) -> Iterator[tuple[tuple[str, str], _Facts]]:
    """The flags of all components, by component and name."""
    definitions = configuration_definitions(checkout.release)
    functions = _functions(_folder(checkout, "component-base/logs/api/v1"))
    logging = {name for _, declared in functions for name in declared}
    for component, packages in _COMPONENTS.items():
        flags: dict[str, _Facts] = {}
        own = next(iter(packages))
        text = _text(_folder(checkout, own))
        if _ADDS_VERSIONS in text or component == "kube-apiserver":
            packages = {**packages, **_VERSIONS}
        for package, wanted in packages.items():
            for function, declared in _functions(_folder(checkout, package)):
                if re.fullmatch(wanted, function):
                    # One that is declared twice is deprecated where either says so.
                    for name, facts in declared.items():
                        first = flags.get(name, facts)
                        state = first.state or facts.state
                        flags[name] = _Facts(state, first.field or facts.field)
        if component == "kubelet":
            kept = _KEPT.search(text)
            assert kept is not None
            for name in logging:
                if f'"{name}"' not in kept[1]:
                    flags[name] = flags[name]._replace(state="deprecated")
        if component == "kube-proxy" and _ADDS_LOGGING not in text:
            for name in logging - _OF_EACH_COMMAND:
                del flags[name]
        for name, facts in flags.items():
            field = _field(component, name, facts.field, definitions)
            yield (component, name), facts._replace(field=field)


def _field(
    component: str, name: str, variable: str, definitions: Mapping[str, Any]
) -> str:
    """The field that a flag sets, after its kind; empty where a file has none."""
    path = _OTHERWISE.get((component, name))
    if path is not None:
        return path if fields_on_path(definitions, path) else ""
    if component in _FILES and (match := _VARIABLE.search(variable)):
        for outer in _OUTER:
            inner = match[1].replace(".Duration", "")
            path = f"{_FILES[component]}.{outer}{inner}"
            for found in fields_on_path(definitions, path):
                return ".".join([_FILES[component], *(field for _, field in found)])
    return ""


def _folder(checkout: Checkout, package: str) -> Path:
    module, _, path = package.partition("/")
    return checkout.module(module) / path


def _text(folder: Path) -> str:
    """The sources of a package; empty where the release does not have it."""
    files = sorted(folder.glob("*.go"))
    return "\n".join(
        path.read_text("utf-8") for path in files if not _LEFT_OUT.search(path.name)
    )


def _functions(folder: Path) -> Iterator[tuple[str, dict[str, _Facts]]]:
    """The functions that declare flags (``EtcdOptions.AddFlags``), with these."""
    text = _text(folder)
    constants = dict(_CONSTANT.findall(text))
    for function in _FUNCTION.finditer(text):
        flags = dict(_declared(function["body"], constants))
        if flags:
            yield ".".join(filter(None, function.group("type", "name"))), flags


def _declared(body: str, constants: Mapping[str, str]) -> Iterator[tuple[str, _Facts]]:
    """The flags that a function declares, with their variables."""
    marked = {
        name
        for match in _MARKED.finditer(body)
        for name in _names(match[1] or match[2], constants)
    }
    kept = _KEPT.search(body)
    for match in _TAKEN.finditer(body):
        name = _OF_LIBRARIES.get(match[2], match[2]).strip('"')
        is_deprecated = match[1] or name in marked
        yield name.replace("_", "-"), _Facts("deprecated" if is_deprecated else "")
    for match in _DECLARATION.finditer(body):
        arguments = _arguments(body, match.end())
        # The variable comes before the name.
        index = int("Var" in match["method"])
        if len(arguments) < index + 2:
            continue
        for name in _names(arguments[index], constants):
            is_deprecated = (
                name in marked
                or _SAID.match(arguments[-1])
                or (kept is not None and f'"{name}"' not in kept[1])
            )
            state = "deprecated" if is_deprecated else ""
            yield name.replace("_", "-"), _Facts(state, arguments[0])


def _names(expression: str, constants: Mapping[str, str]) -> Sequence[str]:
    """The names that an expression can be; none of one that is no name of a flag."""
    if match := _NAME.fullmatch(expression):
        return (match[1],)
    if match := _AUDIT_NAME.fullmatch(expression):
        return tuple(match[1].replace("%s", backend) for backend in ("log", "webhook"))
    name = constants.get(expression.rpartition(".")[2])
    return () if name is None else (name,)


def _arguments(text: str, start: int) -> list[str]:
    """The arguments of a call, from behind its parenthesis."""
    arguments = [""]
    depth, quote = 0, ""
    for index in range(start, len(text)):
        character = text[index]
        if quote:
            if character == quote and (quote == "`" or text[index - 1] != "\\"):
                quote = ""
        elif character in '"`':
            quote = character
        elif character in "([{":
            depth += 1
        elif character in ")]}":
            if depth == 0:
                break
            depth -= 1
        elif character == "," and depth == 0:
            arguments.append("")
            continue
        arguments[-1] += character
    return [argument.strip() for argument in arguments]
