"""Pod Security Standards and admission policies, judged by validators as by a server."""

from __future__ import annotations

import copy
import random
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from kubestencil.validator.process import Validator
from kubestencil.validator.protocol import PodSecurity, Request
from tests import api_server as servers
from tests.api_server import Client
from tests.test_validator import validator

__all__ = ["validator"]

pytestmark = pytest.mark.server

_PODS = 400
_LEVELS = (
    PodSecurity("privileged"),
    PodSecurity("baseline"),
    PodSecurity("restricted"),
    PodSecurity("restricted", "v1.8"),
)
# A pod that all levels allow.
_POD: Mapping[str, Any] = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "web"},
    "spec": {
        "securityContext": {
            "runAsNonRoot": True,
            "seccompProfile": {"type": "RuntimeDefault"},
        },
        "containers": [
            {
                "name": name,
                "image": "nginx:1",
                "securityContext": {
                    "allowPrivilegeEscalation": False,
                    "capabilities": {"drop": ["ALL"]},
                },
            }
            for name in ("web", "proxy")
        ],
    },
}
_TYPES = ("Localhost", "RuntimeDefault", "Unconfined")
# What levels look at, with values that some allow.
_OF_SPEC: Mapping[str, tuple[Any, ...]] = {
    "hostNetwork": (True, False),
    "hostPID": (True, False),
    "hostIPC": (True, False),
    "hostUsers": (True, False),
    "volumes": (
        [{"name": "a", "hostPath": {"path": "/"}}, {"name": "b", "emptyDir": {}}],
        [{"name": "a", "nfs": {"server": "a", "path": "/"}}],
    ),
    "os": ({"name": "windows"}, {"name": "linux"}),
}
_OF_CONTEXT: Mapping[str, tuple[Any, ...]] = {
    "runAsNonRoot": (True, False, None),
    "runAsUser": (0, 1000),
    "seLinuxOptions": ({"user": "a"}, {"type": "container_t"}, {"role": "b"}),
    "seccompProfile": (*({"type": name} for name in _TYPES), None),
    "appArmorProfile": tuple({"type": name} for name in _TYPES),
    "windowsOptions": ({"hostProcess": True}, {"runAsUserName": "a"}),
}
_OF_POD_CONTEXT: Mapping[str, tuple[Any, ...]] = {
    "sysctls": (
        [{"name": "kernel.msgmax", "value": "1"}],
        [{"name": "net.ipv4.tcp_syncookies", "value": "1"}],
        [{"name": "net.ipv4.tcp_rmem", "value": "1"}],
    ),
    "supplementalGroups": ([0],),
}
_OF_CONTAINER_CONTEXT: Mapping[str, tuple[Any, ...]] = {
    "privileged": (True, False),
    "allowPrivilegeEscalation": (True, False, None),
    "procMount": ("Default", "Unmasked"),
    "capabilities": (
        {"drop": ["NET_RAW"]},
        {"add": ["NET_BIND_SERVICE"], "drop": ["ALL"]},
        {"add": ["SYS_ADMIN", "CHOWN"], "drop": ["ALL"]},
        None,
    ),
}
_OF_CONTAINER: Mapping[str, tuple[Any, ...]] = {
    "ports": ([{"containerPort": 80, "hostPort": 80}], [{"containerPort": 80}]),
    "livenessProbe": ({"httpGet": {"port": 80, "host": "example.com"}},),
}


def _pods(seed: int, count: int) -> Iterator[dict[str, Any]]:
    """Pods with some settings changed that levels look at."""
    choice = random.Random(seed)
    for _ in range(count):
        pod = copy.deepcopy(dict(_POD))
        spec = pod["spec"]
        container = choice.choice(spec["containers"])
        places = (
            (spec, _OF_SPEC),
            (spec["securityContext"], {**_OF_CONTEXT, **_OF_POD_CONTEXT}),
            (container["securityContext"], {**_OF_CONTEXT, **_OF_CONTAINER_CONTEXT}),
            (container, _OF_CONTAINER),
        )
        for _ in range(choice.randint(0, 4)):
            where, settings = choice.choice(places)
            name = choice.choice(sorted(settings))
            where[name] = choice.choice(settings[name])
        if choice.random() < 0.2:
            spec["initContainers"] = [spec["containers"].pop()]
        yield pod


def _labelled(level: PodSecurity, namespace: str) -> dict[str, Any]:
    prefix = "pod-security.kubernetes.io"
    labels = {
        f"{prefix}/{mode}{suffix}": value
        for mode in ("enforce", "warn")
        for suffix, value in (("", level.level), ("-version", level.version))
    }
    metadata = {"name": namespace, "labels": labels}
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": metadata}


def _deployment(pod: Mapping[str, Any]) -> dict[str, Any]:
    template = {"metadata": {"labels": {"app": "web"}}, "spec": pod["spec"]}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "web"},
        "spec": {"selector": {"matchLabels": {"app": "web"}}, "template": template},
    }


@pytest.mark.parametrize("level", _LEVELS, ids="-".join)
def test_pod_security_standards_forbid_what_a_server_forbids(
    level: PodSecurity, api_server: Client, validator: Validator
) -> None:
    """Verdict and message of pods, and the warnings of Deployments with their specs."""
    namespace = f"pod-security-{level.level}-{level.version}".replace(".", "-")
    api_server.create(_labelled(level, namespace))
    pods = list(_pods(27, _PODS // len(_LEVELS)))
    objects = [*pods, *map(_deployment, pods)]
    for value in objects:
        value["metadata"] = {**value["metadata"], "namespace": namespace}
    requests = [Request("create", value, pod_security=level) for value in objects]
    counts = {201: 0, 403: 0}
    replies = api_server.submit_all(objects)
    for reply, answer in zip(replies, validator.ask(requests), strict=True):
        assert (reply.status, reply.message) == (answer.code, answer.message)
        warned = [text for text in reply.warnings if "PodSecurity" in text]
        if reply.status == 201:
            says = answer.pod_security.replace("violates", "would violate", 1)
            assert warned == ([says] if says else [])
        else:
            assert not answer.pod_security or answer.pod_security in reply.message
        if reply.status in counts:
            counts[reply.status] += 1
    assert counts[201] > 10 and (counts[403] > 10 or level.level == "privileged")


_POLICIES = Path(__file__).with_name("admission_policies.yaml")
_DEPLOYMENTS = 150
# Seconds until a server has read its policies.
_IN_FORCE = 60.0
_DENIED = "forbidden-probe"


def _policies() -> list[dict[str, Any]]:
    return list(yaml.safe_load_all(_POLICIES.read_text()))


def _changed_deployment(choice: random.Random) -> dict[str, Any]:
    labels = {
        "team": choice.choice(("red", "blue", "green", None)),
        "checked": choice.choice(("yes", None)),
        "sidecar": choice.choice(("proxy", "agent", None, None, None)),
        "scale": choice.choice(("0", "1", "none", None, None, None)),
    }
    container: dict[str, Any] = {
        "name": choice.choice(("web", "sidecar")),
        "image": choice.choice(("nginx:1", "nginx:latest", "nginx")),
    }
    memory = choice.choice(("100Mi", "2Gi", None))
    if memory:
        container["resources"] = {"limits": {"memory": memory}}
    deployment = _deployment({"spec": {"containers": [container]}})
    deployment["metadata"] = {
        "name": choice.choice(("web", "we", "api", "forbidden")),
        "namespace": choice.choice(("default", "production")),
        "labels": {name: value for name, value in labels.items() if value},
    }
    deployment["spec"] |= {
        "replicas": choice.choice((1, 1, 3, 4, -1)),
        "paused": choice.choice((True, False)),
    }
    return deployment


def _others() -> Iterator[dict[str, Any]]:
    """Objects of other kinds that policies are about."""
    for name, labels in (
        ("a", {}),
        ("b", {"team": "green"}),
        ("c", {"team": "red"}),
        ("d", {"team": "red", "checked": "yes"}),
        ("forbidden", {}),
    ):
        metadata = {"name": name, "namespace": "default", "labels": labels}
        yield {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata}
        yield {
            "apiVersion": "v1",
            "kind": "Service",
            "metadata": metadata,
            "spec": {"clusterIP": "None", "ports": [{"port": 80}]},
        }
        yield {
            "apiVersion": "example.com/v1",
            "kind": "Team",
            "metadata": {"name": name},
            "spec": {"names": [name]},
        }
        yield {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}
        yield {
            "apiVersion": "autoscaling/v2",
            "kind": "HorizontalPodAutoscaler",
            "metadata": metadata,
            "spec": {
                "maxReplicas": 4 if name == "a" else 6,
                "scaleTargetRef": {"kind": "Deployment", "name": "web"},
            },
        }


@pytest.fixture(scope="module")
def server_with_policies(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    """A server of its own, since its policies are about all objects."""
    reason = servers.missing()
    if reason:
        pytest.skip(reason)
    folder = tmp_path_factory.mktemp("policies")
    with servers.api_server(folder, "MutatingAdmissionPolicy=true") as client:
        objects = _policies()
        definitions = [
            value for value in objects if value["kind"] == "CustomResourceDefinition"
        ]
        client.install(definitions)
        for value in objects:
            if value not in definitions:
                client.create(value)
        end = time.monotonic() + _IN_FORCE
        probes = [_deployment(_POD), _deployment(_POD)]
        probes[0]["metadata"]["name"] = _DENIED
        probes[1]["metadata"]["labels"] = {"scale": "0", "team": "red"}
        while [client.submit(probe).status for probe in probes] != [422, 201]:
            assert time.monotonic() < end, [client.submit(probe) for probe in probes]
            time.sleep(0.5)
        # The last policy of a server's list is in force as late as a second after.
        time.sleep(3)
        yield client


@pytest.mark.nightly
def test_policies_deny_warn_and_mutate_as_in_a_server(
    server_with_policies: Client, validator: Validator
) -> None:
    """Verdict, message and warnings, and what is stored of Deployments.

    A server has the message of one policy of those that deny, any one of them.
    """
    choice = random.Random(27)
    objects = [_changed_deployment(choice) for _ in range(_DEPLOYMENTS)]
    objects += _others()
    replies = server_with_policies.submit_all(objects)
    with Validator(validator.program, definitions=_policies()) as with_policies:
        answers = list(
            with_policies.ask(Request("default", value) for value in objects)
        )
    denied = 0
    for value, reply, answer in zip(objects, replies, answers, strict=True):
        assert reply.accepted == answer.accepted, (value, reply, answer)
        assert set(reply.warnings) == set(answer.warnings), (value, reply, answer)
        if answer.policies:
            denied += 1
            assert reply.message in answer.policies, (value, reply, answer)
        else:
            assert reply.message == answer.message, (value, reply, answer)
        if len(answer.policies) < 2 and not reply.accepted:
            assert reply.status == answer.code, (value, reply, answer)
        if reply.accepted and value["kind"] == "Deployment":
            assert answer.object is not None
            assert reply.body["spec"] == answer.object["spec"]
    # Chosen so that both happen often.
    assert 40 < denied < len(objects) - 20
