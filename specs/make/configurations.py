"""The table ``configurations``: the configuration files of programs.

Their kinds are in no OpenAPI document. Go types have fields with their JSON names and
types; markers say what is required, constants which values there are, and functions
called SetDefaults_… what is filled in.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from specs.make.checkouts import Checkout
from specs.make.go_types import GoField, GoStruct, read_structs

# The packages with kinds, and where the defaults of their versions are.
_PACKAGES: Mapping[str, str] = {
    "kubelet/config": "kubernetes/pkg/kubelet/apis/config",
    "kube-scheduler/config": "kubernetes/pkg/scheduler/apis/config",
    "kube-proxy/config": "kubernetes/pkg/proxy/apis/config",
    "kubernetes/cmd/kubeadm/app/apis/kubeadm": "kubernetes/cmd/kubeadm/app/apis/kubeadm",
    "apiserver/pkg/apis/apiserver": "apiserver/pkg/apis/apiserver",
    "apiserver/pkg/apis/config": "apiserver/pkg/apis/config",
    "apiserver/pkg/apis/audit": "apiserver/pkg/apis/audit",
    "apiserver/pkg/admission/plugin/webhook/config/apis/webhookadmission": "",
    "apiserver/pkg/admission/plugin/resourcequota/apis/resourcequota": "",
    "kubernetes/plugin/pkg/admission/eventratelimit/apis/eventratelimit": "",
    "kubernetes/plugin/pkg/admission/podtolerationrestriction/apis/podtolerationrestriction": "",
    "pod-security-admission/admission/api": "pod-security-admission/admission/api",
}
# What is generated calls packages otherwise.
_OTHER = re.compile(r"_(?:windows|test)\.go\Z|\Azz_")
# Versions that kubeadm reads only with a flag, and those that it warns of.
_KUBEADM_STAGES = "kubernetes/cmd/kubeadm/app/util/config/common.go"
# Kinds that are no files of users: events of audits, what the kubelet stores.
_KIND = re.compile(r"(?:Configuration|Config|Policy|Args)\Z")
_REGISTERED = re.compile(r"AddKnownTypes\((\w+),(.*?)\)", re.S)
_WITH_KIND = re.compile(
    r'AddKnownTypeWithName\((\w+)\.WithKind\("(\w+)"\),\s*&(\w+)\{\}', re.S
)
# EncryptionConfig of v1, as documentation once said.
_WITH_NAMES = re.compile(
    r'GroupVersionKind\{Group: "(.*?)", Version: "(\w+)", Kind: "(\w+)"\}, &(\w+)\{\}'
)
_GROUP_VERSION = re.compile(
    r'(\w+)\s*=\s*schema\.GroupVersion\{Group: (\w+|"[^"]*"), Version: "(\w+)"\}'
)
_NAME = re.compile(r'(\w+)\s*=\s*"([^"]*)"')
_IMPORT = re.compile(r'^\s*(?:import\s+)?(\w+)?\s*"k8s\.io/([^"]+)"', re.M)
_NAMED_TYPE = re.compile(r"^type (\w+) ([\w.\[\]*]+)$", re.M)
_VALUE = re.compile(r'^\s*(?:const )?(?:\w+) (\w+) += "([^"]+)"', re.M)
_CONSTANT = re.compile(
    r'^\s*(?:const )?(\w+)(?: +\w+)? += ("[^"]*"|-?[\d.]+(?: \* time\.\w+)?|[\w.]+|&metav1\.Duration\{.*\})(?: *//.*)?$',
    re.M,
)
# if obj.Field == nil { obj.Field = ptr.To(true) }, and nothing else in it.
_SETS_DEFAULTS = re.compile(
    r"^func (\w+)\(\w+ \*(?:\w+\.)?(\w+)\) \{(.*?)^\}", re.M | re.S
)
# What libraries recommend for their types: logsapi.SetRecommended…(&obj.Logging).
_RECOMMENDED = re.compile(r"^\t(\w+)\.(\w+)\(&\w+\.(\w+)\)$", re.M)
_DEFAULT = re.compile(
    r"^\tif (?:len\()?(\w+)\.([\w.]+?)(?:\.Duration)*\)? == \(?[\w\"{}.]+\)? \{\n"
    r"(?:\s*//.*\n)*\t\t\1\.\2(?:\.Duration)* = ((?:.|\n(?!\t\t\w))*?)\n"
    r"(?:\t\t\1\.\2\.SerializeAsString = true\n)?\t\}$",
    re.M,
)
_POINTER = re.compile(
    r"&|(?:ptr|pointer|utilpointer)\.\w+(?:\[\w+\])?\((.*)\)\Z|(?:u?int\d+|string)\((.*)\)\Z"
)
_DURATION = re.compile(
    r"(?:metav1\.Duration\{Duration: )?(?:(\d+) \* )?time\.(\w+)\}?\Z"
)
_SECONDS = {"Hour": 3600, "Minute": 60, "Second": 1, "Millisecond": 0.001}
_BASIC = {
    "bool": "boolean", "string": "string", "float32": "number", "float64": "number",
    "byte": "integer", "time.Duration": "any", "any": "any", "interface{}": "any",
    **{f"{sign}int{size}": "integer" for sign in ("", "u") for size in ("", 8, 16, 32, 64)},
}  # fmt: skip
# Types of apimachinery, and those that read their JSON themselves.
_SPECIAL = {
    "apimachinery/pkg/apis/meta/v1.Duration": "duration",
    "apimachinery/pkg/runtime.RawExtension": "object",
    "apimachinery/pkg/runtime.Unknown": "object",
    "apimachinery/pkg/api/resource.QuantityValue": "apimachinery.pkg.api.resource.Quantity",
    "component-base/logs/api/v1.TimeOrMetaDuration": "any",
    "kubernetes/cmd/kubeadm/app/apis/bootstraptoken/v1.BootstrapTokenString": "string",
    "kubernetes/cmd/kubeadm/app/apis/kubeadm/v1beta2.BootstrapTokenString": "string",
}
_TYPE_META = "apimachinery/pkg/apis/meta/v1.TypeMeta"


class _Facts(NamedTuple):
    """What is known of a field in a release; of a kind, only a type."""

    type: str
    required: str = ""
    values: str = ""
    default: str = ""


_Key = tuple[str, str]


def make_rows(checkout: Checkout) -> Iterator[tuple[str, ...]]:
    """The rows of the table for a release."""
    for key, facts in _Reader(checkout).read().items():
        yield *key, *facts


class _Package:
    """A package of Go types: ``path`` is that of its module below k8s.io, and its folder."""

    def __init__(self, path: str, folder: Path) -> None:
        self.path = path
        self.structs = read_structs(folder)
        files = [
            path for path in sorted(folder.glob("*.go")) if not _OTHER.search(path.name)
        ]
        text = "\n".join(path.read_text("utf-8") for path in files)
        self.named = dict(_NAMED_TYPE.findall(text))
        self.imports = {
            name or imported.rpartition("/")[2]: imported
            for name, imported in _IMPORT.findall(text)
        }
        self.constants = dict(_CONSTANT.findall(text))
        self.functions = {
            name: (type_name, body)
            for name, type_name, body in _SETS_DEFAULTS.findall(text)
        }
        self.values: dict[str, list[str]] = {}
        for type_name, value in _VALUE.findall(text):
            if value not in self.values.setdefault(type_name, []):
                self.values[type_name].append(value)

    @property
    def definition(self) -> str:
        """The name of the package in that of a definition."""
        # EncryptionConfiguration was moved in 1.30.
        path = self.path.replace("apis/config/", "apis/apiserver/")
        return path.replace("/", ".")


class _Reader:
    """Reads the types of one release."""

    def __init__(self, checkout: Checkout) -> None:
        self._checkout = checkout
        self._facts: dict[_Key, _Facts] = {}
        self.package = cache(self._package)

    def read(self) -> dict[_Key, _Facts]:
        """The facts of all kinds and of the types that they use."""
        stages = self._folder(_KUBEADM_STAGES).read_text("utf-8")
        experimental, deprecated = (
            (
                set(re.findall(r'"(kubeadm\.k8s\.io/\w+)"', match[1]))
                if (
                    match := re.search(
                        rf"{name}APIVersions := map\S+\{{\n(.*?)^\t\}}",
                        stages,
                        re.M | re.S,
                    )
                )
                else set()
            )
            for name in ("experimental", "deprecated")
        )
        for base in _PACKAGES:
            # A package may be younger than the release.
            for folder in sorted(self._folder(base).glob("v[0-9]*")):
                path = f"{base}/{folder.name}"
                package = self.package(path)
                for name, kind, api_version in _kinds(folder):
                    if (
                        name in package.structs
                        and _KIND.search(kind)
                        and api_version not in experimental
                    ):
                        key = f"{package.definition}.{kind}", ""
                        self._facts[key] = _Facts(
                            f"{api_version} {kind}",
                            "deprecated" if api_version in deprecated else "",
                        )
                        self._add(package, package.structs[name]._replace(name=kind))
                if defaults := _PACKAGES[base]:
                    self._add_defaults(
                        package, self.package(f"{defaults}/{folder.name}")
                    )
        return self._facts

    def _folder(self, path: str) -> Path:
        module, _, rest = path.partition("/")
        return self._checkout.module(module) / rest

    def _package(self, path: str) -> _Package:
        return _Package(path, self._folder(path))

    def _add(self, package: _Package, struct: GoStruct) -> None:
        """Add the fields of a struct, and the structs that they refer to."""
        definition = f"{package.definition}.{struct.name}"
        for owner, field in self._fields(package, struct):
            key = definition, field.json_name
            if key in self._facts:
                continue
            self._facts[key] = _Facts("")  # Types may refer to each other.
            is_required = ("required", "") in field.markers
            self._facts[key] = _Facts(
                self._type(owner, field.type),
                "required" if is_required else "",
                " ".join(self._values(owner, field.element)),
            )
        if not struct.fields:
            self._facts.setdefault((definition, ""), _Facts("object"))

    def _add_defaults(self, package: _Package, defaults: _Package) -> None:
        """Add what the functions of ``defaults`` fill in, where a constant says it."""
        for function, (type_name, body) in defaults.functions.items():
            if not function.startswith("SetDefaults_"):
                continue
            for _, path, value in _DEFAULT.findall(body):
                text = self._literal(defaults, value)
                self._add_default(package, type_name, path, text)
            for local, name, outer in _RECOMMENDED.findall(body):
                library = self.package(defaults.imports[local])
                for _, path, value in _DEFAULT.findall(library.functions[name][1]):
                    text = self._literal(library, value)
                    self._add_default(package, type_name, f"{outer}.{path}", text)

    def _add_default(
        self, package: _Package, type_name: str, path: str, text: str
    ) -> None:
        """Add the default of a field at a path of Go names. What several programs share
        is filled in by each otherwise: it is part of the default of the outer field."""
        owner, struct = package, package.structs.get(type_name)
        key, inside, field = ("", ""), list[str](), None
        for name in path.split("."):
            if field is not None:
                path_of_type, type_of_field = self._find(owner, field.element)
                owner = self.package(path_of_type)
                struct = owner.structs.get(type_of_field)
            field = _field(struct, name)
            # Nanoseconds are no text.
            if field is None or struct is None or field.type == "time.Duration":
                return
            if owner is package:
                key = f"{owner.definition}.{struct.name}", field.json_name
            elif field.json_name:
                inside.append(field.json_name)
        if text and key in self._facts:
            if inside:
                outer = json.loads(self._facts[key].default or "{}")
                inner = _with_default(outer, inside, json.loads(text))
                text = json.dumps(inner, sort_keys=True)
            self._facts[key] = self._facts[key]._replace(default=text)

    def _literal(self, package: _Package, value: str) -> str:
        """A constant expression of Go as JSON; empty for any other."""
        value = value.partition(" //")[0]
        while match := _POINTER.match(value):
            value = match[1] or match[2] or value.removeprefix("&")
        if match := _DURATION.match(value):
            return json.dumps(_duration(int(match[1] or 1) * _SECONDS[match[2]]))
        if match := re.fullmatch(r"(\d+) \* (\d+)", value):
            return str(int(match[1]) * int(match[2]))
        if re.fullmatch(r'true|false|-?[\d.]+|"[^"\\]*"', value):
            return value
        if match := re.fullmatch(
            r"metav1\.Duration\{\s*Duration: ([\w.]+),?\s*\}", value
        ):
            value = match[1]
        local, _, name = value.rpartition(".")
        if not re.fullmatch(r"\w+", name) or (local and local not in package.imports):
            return ""
        imported = package.imports.get(local, package.path)
        if not self._checkout.has_module(imported.partition("/")[0]):
            return ""
        owner = self.package(imported)
        constant = owner.constants.get(name)
        return self._literal(owner, constant) if constant else ""

    def _fields(
        self, package: _Package, struct: GoStruct
    ) -> Iterator[tuple[_Package, GoField]]:
        """The fields in JSON, each with the package that it is declared in."""
        for field in struct.fields:
            if field.json_name:
                yield package, field
            elif field.element:
                owner, name = self._find(package, field.element)
                if f"{owner}.{name}" != _TYPE_META:
                    inlined = self.package(owner)
                    yield from self._fields(inlined, inlined.structs[name])

    def _find(self, package: _Package, name: str) -> tuple[str, str]:
        """The path of the package that has a type, and its name there."""
        local, dot, rest = name.rpartition(".")
        return (package.imports[local], rest) if dot else (package.path, name)

    def _values(self, package: _Package, element: str) -> Sequence[str]:
        path, name = self._find(package, element) if element not in _BASIC else ("", "")
        if path.partition("/")[0] in ("", "apimachinery", "api"):
            return ()
        values = self.package(path).values.get(name, ())
        is_text = self.package(path).named.get(name) == "string"
        return values if is_text and len(values) > 1 else ()

    def _type(self, package: _Package, go_type: str) -> str:
        """A Go type as the table has it."""
        go_type = go_type.removeprefix("*")
        if go_type == "[]byte":
            return "bytes"
        if go_type.startswith("[]"):
            return f"[]{self._type(package, go_type[2:])}"
        if match := re.match(r"map\[[\w.]+\]", go_type):
            return f"map {self._type(package, go_type[match.end():])}"
        if go_type in _BASIC:
            return _BASIC[go_type]
        path, name = self._find(package, go_type)
        if special := _SPECIAL.get(f"{path}.{name}"):
            return special
        if path.partition("/")[0] in ("api", "apimachinery"):
            definition = f"{path.replace('/', '.')}.{name}"
            if f"io.k8s.{definition}" in self._checkout.document["definitions"]:
                return definition
        owner = self.package(path)
        if name in owner.named:
            return self._type(owner, owner.named[name])
        self._add(owner, owner.structs[name])
        return name if owner is package else f"{owner.definition}.{name}"


def _kinds(folder: Path) -> Iterator[tuple[str, str, str]]:
    """The types that a package registers, with their kinds and apiVersions."""
    text = (folder / "register.go").read_text("utf-8")
    names = dict(_NAME.findall(text))
    versions = {
        variable: f"{names.get(group, group).strip(chr(34))}/{version}"
        for variable, group, version in _GROUP_VERSION.findall(text)
    }
    for variable, registered in _REGISTERED.findall(text):
        for name in re.findall(r"&(\w+)\{\}", registered):
            yield name, name, versions[variable]
    for variable, kind, name in _WITH_KIND.findall(text):
        yield name, kind, versions[variable]
    for group, version, kind, name in _WITH_NAMES.findall(text):
        yield name, kind, f"{group}/{version}".lstrip("/")


def _with_default(
    value: Mapping[str, Any], names: Sequence[str], default: Any
) -> Mapping[str, Any]:
    """An object with a default at a path of names, unless it has one there."""
    name, *rest = names
    if rest:
        return {**value, name: _with_default(value.get(name, {}), rest, default)}
    return {name: default, **value}


def _field(struct: GoStruct | None, name: str) -> GoField | None:
    """The field of a struct that Go calls ``name``."""
    fields = struct.fields if struct else ()
    return next((field for field in fields if field.name == name), None)


def _duration(seconds: float) -> str:
    """A duration as Go prints it: 1h0m0s, 100ms."""
    if seconds < 1:
        return f"{round(seconds * 1000)}ms"
    hours, rest = divmod(int(seconds), 3600)
    minutes, rest = divmod(rest, 60)
    text = f"{hours}h" if hours else ""
    text += f"{minutes}m" if hours or minutes else ""
    return f"{text}{rest}s"
