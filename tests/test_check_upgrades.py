"""What ``check`` says about upgrades: rules that name removed resources, and fields that
a later version of a kind has elsewhere."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from kubestencil.cli import cli
from kubestencil.schema import Release
from kubestencil.schema.knowledge.fields import renamed_fields
from tests.conftest import load

ROLE = """\
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: r}
rules:
- apiGroups: [GROUPS]
  resources: [RESOURCES]
  verbs: [get]
"""
WEBHOOK = """\
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: w}
webhooks:
- name: a.b.c
  sideEffects: None
  admissionReviewVersions: [v1]
  clientConfig: {url: "https://example.com"}
  rules:
  - {apiGroups: [GROUPS], apiVersions: [VERSIONS], resources: [RESOURCES], operations: ["*"]}
"""


def findings(folder: Path, manifest: str, release: str = "1.35") -> list[list[str]]:
    path = folder / "a.yaml"
    path.write_text(manifest)
    result = CliRunner().invoke(
        cli, ["check", str(path), "--to", release, "-q", "-f", "json"]
    )
    keys = ("rule", "path", "message", "hint")
    return [
        [finding[key] for key in keys]
        for finding in json.loads(result.stdout)["findings"]
    ]


@pytest.mark.parametrize(
    ("groups", "resources", "path", "message", "hint"),
    [
        (
            "extensions",
            "deployments/scale, ingresses",
            "rules[0].apiGroups[0]",
            "the group extensions was removed in 1.22",
            "name deployments of apps/v1, ingresses of networking.k8s.io/v1",
        ),
        (
            "extensions, apps",
            "deployments, ingresses",
            "rules[0].apiGroups[0]",
            "the group extensions was removed in 1.22",
            "name ingresses of networking.k8s.io/v1",
        ),
        (
            "policy",
            "poddisruptionbudgets, podsecuritypolicies",
            "rules[0].resources[1]",
            "podsecuritypolicies of policy was removed in 1.25",
            "remove it from the rule",
        ),
    ],
)
def test_a_role_that_names_a_removed_resource(
    tmp_path: Path, groups: str, resources: str, path: str, message: str, hint: str
) -> None:
    role = ROLE.replace("GROUPS", groups).replace("RESOURCES", resources)
    assert findings(tmp_path, role) == [["removed-resource", path, message, hint]]


@pytest.mark.parametrize(
    ("groups", "resources"),
    [
        ('""', "pods, pods/log, endpoints"),
        ("apps", "deployments, things"),
        ("example.com, '*'", "'*'"),
        ("networking.k8s.io", "ingresses, ingressclasses"),
        ("policy", "poddisruptionbudgets"),
        # Left for older releases: what replaces it is there.
        ("extensions, apps", "deployments/scale"),
        ("extensions, '*'", "ingresses"),
    ],
)
def test_a_role_that_names_what_is_served(
    tmp_path: Path, groups: str, resources: str
) -> None:
    role = ROLE.replace("GROUPS", groups).replace("RESOURCES", resources)
    assert findings(tmp_path, role) == []


def test_a_webhook_that_names_a_removed_version(tmp_path: Path) -> None:
    webhook = WEBHOOK.replace("GROUPS", "networking.k8s.io, batch")
    webhook = webhook.replace("VERSIONS", "v2, v1beta1").replace(
        "RESOURCES", "cronjobs"
    )
    assert findings(tmp_path, webhook) == [
        [
            "removed-resource",
            "webhooks[0].rules[0].apiVersions[1]",
            "cronjobs of batch/v1beta1 was removed in 1.25",
            "name cronjobs of batch/v1",
        ]
    ]
    for served in ("v1, v1beta1", "v2, '*'"):
        assert findings(tmp_path, webhook.replace("v2, v1beta1", served)) == []


def test_a_role_names_in_another_rule_what_replaces_a_resource(tmp_path: Path) -> None:
    rules = """\
- {apiGroups: [extensions], resources: [ingresses], verbs: [get]}
- {apiGroups: [networking.k8s.io], resources: [ingresses], verbs: [get]}
"""
    role = ROLE.partition("- apiGroups")[0] + rules
    assert findings(tmp_path, role) == []
    assert findings(tmp_path, role.replace("networking.k8s.io", "apps")) != []


def test_a_field_of_a_version_that_is_no_longer_served_is_explained(
    tmp_path: Path,
) -> None:
    ingress = """\
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: i}
spec:
  backend: {serviceName: web, servicePort: 80}
"""
    assert findings(tmp_path, ingress) == [
        [
            "unknown-field",
            "spec.backend",
            'unknown field "spec.backend"',
            "networking.k8s.io/v1 has spec.defaultBackend, "
            "spec.defaultBackend.service.name, "
            "spec.defaultBackend.service.port.number or .name instead",
        ]
    ]


def has_field(release: Release, group: str, kind: str, path: str) -> bool:
    """Whether a version of a kind has a field, whose path is without indexes."""
    return any(
        _has_field(release, name, path.split("."))
        for name, definition in release.definitions.items()
        if any((item.group, item.kind) == (group, kind) for item in definition.kinds)
    )


def _has_field(release: Release, name: str, path: list[str]) -> bool:
    schema = release.definitions[name].schema
    for step in path:
        schemas = [field.schema for field in schema.fields if field.name == step]
        if not schemas:
            return False
        schema = release.resolve(schemas[0])
        if schema.items is not None:
            schema = release.resolve(schema.items)
    return True


@pytest.mark.parametrize(
    ("group", "kind", "field", "then"),
    [(*field, renamed.path) for field, renamed in renamed_fields().items()],
)
def test_renamed_fields_are_in_the_documents_under_the_new_name_only(
    group: str, kind: str, field: str, then: str
) -> None:
    first, _, last = then.replace("[]", "").partition(" or .")
    paths = [first, f"{first.rpartition('.')[0]}.{last}"] if last else [first]
    for path in paths:
        assert has_field(load("1.35"), group, kind, path), path
    for release in ("1.29", "1.35"):
        stable = load(release)
        versions = [
            name
            for name, definition in stable.definitions.items()
            if any(
                (item.group, item.kind) == (group, kind)
                and item.version in ("v1", "v2")
                for item in definition.kinds
            )
        ]
        newest = max(versions)
        assert not _has_field(stable, newest, field.split(".")), field


_ADDRESSES = """\
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {name: a}
addressType: IPv4
endpoints: [{addresses: ["010.1.2.3"]}]
---
apiVersion: v1
kind: Service
metadata: {name: a}
spec: {clusterIP: 10.0.0.010, ports: [{port: 80}]}
---
apiVersion: v1
kind: Service
metadata: {name: b}
spec: {clusterIP: None, ports: [{port: 80}]}
---
apiVersion: v1
kind: Node
metadata: {name: a}
spec: {podCIDR: 10.0.0.1/24}
"""


def test_addresses_of_ipv6_have_their_canonical_form(tmp_path: Path) -> None:
    """Of an EndpointSlice from 1.33 on, and the name of an IPAddress."""
    addresses = _ADDRESSES.partition("---")[0].replace("IPv4", "IPv6")
    names = """\
apiVersion: networking.k8s.io/v1
kind: IPAddress
metadata: {name: "010.1.2.3"}
spec: {parentRef: {resource: services, name: a, namespace: a}}
"""
    for manifest, path in (
        (addresses, "endpoints[0].addresses[0]"),
        (names, "metadata.name"),
    ):
        for text in ("2001:DB8::1", "2001:db8:0::1", "::1.2.3.4"):
            other = manifest.replace("010.1.2.3", text)
            assert [found[1] for found in findings(tmp_path, other)] == [path]
        assert not findings(tmp_path, manifest.replace("010.1.2.3", "2001:db8::1"))
    other = addresses.replace("010.1.2.3", "2001:DB8::1")
    assert not findings(tmp_path, other, "1.32")


def test_an_address_that_only_the_newer_release_refuses_is_new(tmp_path: Path) -> None:
    """Which format it has depends on the fields beside it, and on the release."""
    path = tmp_path / "a.yaml"
    path.write_text(_ADDRESSES)
    options = ["--from", "1.35", "--to", "1.36", "--exact", "off", "-q", "-f", "json"]
    result = CliRunner().invoke(cli, ["check", str(path), *options])
    found = json.loads(result.stdout)["findings"]
    assert [(one["rule"], one["change"], one["path"]) for one in found] == [
        ("invalid-name", "new", "endpoints[0].addresses[0]"),
        ("invalid-name", "new", "spec.clusterIP"),
        ("invalid-name", "new", "spec.podCIDR"),
    ]
