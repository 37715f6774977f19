"""The kinds that an API server without ``--runtime-config`` and ``--feature-gates``
serves."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from kubestencil.errors import SourceError
from kubestencil.schema.knowledge.gates import gate_rows
from kubestencil.schema.types import GroupVersionKind
from specs.make.checkouts import Checkout, GroupVersion
from specs.make.documents import ResourceName, operated_kinds
from specs.make.gates import gate_names

_FILE = "pkg/controlplane/instance.go"
_FUNCTION = re.compile(
    r"^func Default(?:Generic)?APIResourceConfigSource\(.*?^}", re.M | re.S
)
_VARIABLE = re.compile(
    r"(\w+)\s*=\s*\[\]schema\.GroupVersion(?:Resource)?\{(.*?)\n\t\}", re.S
)
_CALL = re.compile(r"ret\.(Enable|Disable)(Versions|Resources)\(")
_NAME = re.compile(
    r'(\w+)\.SchemeGroupVersion(?:\.WithResource\("(\w+)"\))?|(\w+)\.\.\.'
)
_COMMENT = re.compile(r"//.*")
_GATED = re.compile(
    r'if resource := "(\w+)"; \w+\.ResourceEnabled\((\w+)\.SchemeGroupVersion'
    r".*\{\n\s*if utilfeature\.DefaultFeatureGate\.Enabled\(\w+\.(\w+)\)"
)
_GATED_SUBRESOURCE = re.compile(
    r"if utilfeature\.DefaultFeatureGate\.Enabled\(\w+\.(\w+)\) \{"
    r'\s*\w+\["(\w+)/(\w+)"\] ='
)
# They have servers of their own, which serve all of their versions
# (apiextensions-apiserver and kube-aggregator, pkg/apiserver/apiserver.go).
_OWN_SERVERS = ("apiextensions.k8s.io", "apiregistration.k8s.io")


@dataclass
class _Configuration:
    """What DefaultAPIResourceConfigSource enables and disables."""

    versions: dict[GroupVersion, bool] = field(default_factory=dict)
    resources: dict[ResourceName, bool] = field(default_factory=dict)

    def serves(self, resource: ResourceName) -> bool:
        is_version_served = self.versions.get((resource.group, resource.version), False)
        return resource.group in _OWN_SERVERS or self.resources.get(
            resource._replace(subresource=""), is_version_served
        )


def default_kinds(checkout: Checkout) -> set[GroupVersionKind]:
    """The kinds that a default server of the release serves."""
    configuration = _configuration(checkout)
    gated = set(_gated_off(checkout))
    return {
        kind
        for kind, resources in operated_kinds(checkout.document).items()
        if any(
            configuration.serves(resource)
            and not gated & {resource, resource._replace(subresource="")}
            for resource in resources
        )
    }


def _configuration(checkout: Checkout) -> _Configuration:
    path = checkout.module("kubernetes") / _FILE
    source = _COMMENT.sub("", path.read_text("utf-8"))
    imports = checkout.imported_group_versions(source)
    variables = dict(_VARIABLE.findall(source))
    functions = _FUNCTION.findall(source)
    if not functions:
        raise SourceError(
            f"has no function DefaultAPIResourceConfigSource in {checkout.release}",
            where=str(path),
        )
    configuration = _Configuration()
    _, *parts = _CALL.split("\n".join(functions))
    for action, _, names in zip(parts[::3], parts[1::3], parts[2::3], strict=True):
        for name, resource in _names(names, variables):
            if name not in imports:
                # A version without operations: an alpha that has no resource yet.
                continue
            version = imports[name]
            is_enabled = action == "Enable"
            if resource:
                configuration.resources[ResourceName(*version, resource)] = is_enabled
            else:
                configuration.versions[version] = is_enabled
    return configuration


def _names(text: str, variables: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """The packages of versions, each with the name of a resource, or ""."""
    for package, resource, variable in _NAME.findall(text):
        if variable:
            yield from _names(variables[variable], {})
        else:
            yield package, resource


def _gated_off(checkout: Checkout) -> Iterator[ResourceName]:
    """The resources and subresources whose feature gate is off by default."""
    names = gate_names(checkout)
    enabled = {
        row.gate
        for row in gate_rows()
        if row.default == "on" and row.releases.includes(checkout.release)
    }
    for resource, gate in gated_resources(checkout):
        if names.get(gate, gate) not in enabled:
            yield resource


def gated_resources(checkout: Checkout) -> Iterator[tuple[ResourceName, str]]:
    """The resources and subresources that have a feature gate, each with its gate."""
    folder = checkout.module("kubernetes") / "pkg/registry"
    for path in sorted(folder.glob("*/rest/storage_*.go")):
        source = path.read_text("utf-8")
        imports = checkout.imported_group_versions(source)
        for plural, package, gate in _GATED.findall(source):
            if package in imports:
                yield ResourceName(*imports[package], plural), gate
        for gate, plural, subresource in _GATED_SUBRESOURCE.findall(source):
            yield ResourceName("", "v1", plural, subresource), gate
