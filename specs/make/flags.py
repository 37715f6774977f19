"""The table ``flags.tsv``: the command line flags of the components.

Functions declare flags of a set, ``fs.StringVar(&o.File, "file", o.File, "its help")``. Those
of each component are read: what it declares itself, and what it takes from libraries.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from kubestencil.schema.facts.components import Flag
from kubestencil.schema.facts.tables import rows
from specs.make.checkouts import Checkout
from specs.make.ranges import Ranges

HEADER = """
The command line flags of the components on Linux, by release, tab-separated:

  releases    FIRST..LAST, or FIRST.. until the newest release of the table
  component   kube-apiserver, kube-controller-manager, kube-scheduler, kubelet, kube-proxy
  flag        its name, without dashes before it
  deprecated  `deprecated`, where the component warns of it or its help says so

Made by `python -m specs.make flags` (specs/README.md) from k8s.io/kubernetes, apiserver,
component-base, controller-manager and cloud-provider, 1.29 to 1.37. Those of 1.35 were
compared with what its components declare when they run. --help, --version, and two flags
of kube-proxy that cadvisor declares (boot-id-file, machine-id-file) are left out.
"""

_ALL = r".*"
_AUTHENTICATION = r"(?:RequestHeader|ClientCert|Delegating)\w+\.AddFlags"
_SERVER = "apiserver/pkg/server/options"
_DEBUGGING = {"controller-manager/options": r"Debugging\w+\.AddFlags"}
_COMMON = {
    "component-base/featuregate": r"featureGate\.AddFlag",
    "component-base/logs/api/v1": "addFlags",
}
# Since 1.31, the versions that are emulated; the package has moved twice.
_VERSIONS = {
    "apiserver/pkg/util/version": r"componentGlobalsRegistry\.AddFlags",
    "component-base/featuregate": r"(?:featureGate|componentGlobalsRegistry)\.AddFlags?",
    "component-base/compatibility": r"componentGlobalsRegistry\.AddFlags",
}
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
    r"\b(?:register(Deprecated)?\(global, local|globalflag\.Register\([^\n]*?), "
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


def make_rows(checkouts: Sequence[Checkout], *, append: bool) -> list[tuple[str, ...]]:
    """The rows of the table for these releases, oldest first.

    With ``append`` they continue the table that there is.
    """
    ranges: Ranges[tuple[str, str], str] = Ranges()
    if append:
        for row in rows("flags", Flag):
            state = "deprecated" if row.deprecated else ""
            ranges.add(row.releases, (row.component, row.name), state)
    for checkout in checkouts:
        ranges.advance(checkout.release, dict(_flags(checkout)))
    return [
        (str(releases), *key, state)
        for key, releases, state in ranges.rows(lambda key: key)
    ]


def _flags(checkout: Checkout) -> Iterator[tuple[tuple[str, str], str]]:
    """The flags of all components, by component and name."""
    for component, packages in _COMPONENTS.items():
        flags: dict[str, str] = {}
        own = next(iter(packages))
        if _ADDS_VERSIONS in _text(_folder(checkout, own)) or (
            component == "kube-apiserver"
        ):
            packages = {**packages, **_VERSIONS}
        for package, wanted in packages.items():
            for function, declared in _functions(_folder(checkout, package)):
                if re.fullmatch(wanted, function):
                    # One that is declared twice is deprecated where either says so.
                    for name, state in declared.items():
                        flags[name] = flags.get(name) or state
        if component == "kubelet":
            kept = _KEPT.search(_text(_folder(checkout, own)))
            assert kept is not None
            logging = dict(_functions(_folder(checkout, "component-base/logs/api/v1")))
            for name in logging["addFlags"]:
                if f'"{name}"' not in kept[1]:
                    flags[name] = "deprecated"
        yield from (((component, name), state) for name, state in flags.items())


def _folder(checkout: Checkout, package: str) -> Path:
    module, _, path = package.partition("/")
    return checkout.module(module) / path


def _text(folder: Path) -> str:
    """The sources of a package; empty where the release does not have it."""
    files = sorted(folder.glob("*.go"))
    return "\n".join(
        path.read_text("utf-8") for path in files if not _LEFT_OUT.search(path.name)
    )


def _functions(folder: Path) -> Iterator[tuple[str, dict[str, str]]]:
    """The functions that declare flags (``EtcdOptions.AddFlags``), with the names and
    states of these."""
    text = _text(folder)
    constants = dict(_CONSTANT.findall(text))
    for function in _FUNCTION.finditer(text):
        flags = dict(_declared(function["body"], constants))
        if flags:
            yield ".".join(filter(None, function.group("type", "name"))), flags


def _declared(body: str, constants: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """The names and states of the flags that a function declares."""
    marked = {
        name
        for match in _MARKED.finditer(body)
        for name in _names(match[1] or match[2], constants)
    }
    kept = _KEPT.search(body)
    for match in _TAKEN.finditer(body):
        name = _OF_LIBRARIES.get(match[2], match[2]).strip('"')
        is_deprecated = match[1] or name in marked
        yield name.replace("_", "-"), "deprecated" if is_deprecated else ""
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
            yield name.replace("_", "-"), "deprecated" if is_deprecated else ""


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
