"""Pod Security Standards and admission policies, judged by validators as by a server."""

from __future__ import annotations

import copy
import random
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from kubestencil.validator.process import Validator
from kubestencil.validator.protocol import PodSecurity, Request
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
