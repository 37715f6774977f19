"""Made-up pods, as an API server returns them."""

from __future__ import annotations

from typing import Any


def pod_list(count: int) -> dict[str, Any]:
    """A list of pods as an API server returns it."""
    return {
        "apiVersion": "v1",
        "kind": "PodList",
        "metadata": {"resourceVersion": "4711"},
        "items": [pod(number) for number in range(count)],
    }


def pod(number: int) -> dict[str, Any]:
    """A running pod with the fields that a controller, the kubelet and others set; its
    values depend on ``number``."""
    app, digest = f"app-{number % 40}", f"{number * 2654435761 % 2**32:08x}"
    time = f"2024-{number % 12 + 1:02}-{number % 28 + 1:02}T12:{number % 60:02}:00Z"
    image = f"registry.example/{app}:v1.{number % 20}"
    uid = f"{digest}-0000-4000-8000-{number:012d}"
    owner = {
        "apiVersion": "apps/v1",
        "blockOwnerDeletion": True,
        "controller": True,
        "kind": "ReplicaSet",
        "name": f"{app}-{digest}",
        "uid": uid,
    }
    managed = {
        "apiVersion": "v1",
        "fieldsType": "FieldsV1",
        "fieldsV1": {"f:metadata": {"f:labels": {".": {}, "f:app": {}}}, "f:spec": {}},
        "manager": "kube-controller-manager",
        "operation": "Update",
        "time": time,
    }
    toleration = {"effect": "NoExecute", "operator": "Exists", "tolerationSeconds": 300}
    container = {
        "args": ["--config=/etc/app/config.yaml", "--v=2"],
        "env": [
            {"name": "LOG_LEVEL", "value": "info"},
            {"name": "NAME", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}},
        ],
        "image": image,
        "imagePullPolicy": "IfNotPresent",
        "livenessProbe": {
            "failureThreshold": 3,
            "httpGet": {"path": "/healthz", "port": 8080, "scheme": "HTTP"},
            "periodSeconds": 10,
            "timeoutSeconds": 1,
        },
        "name": "main",
        "ports": [{"containerPort": 8080, "name": "http", "protocol": "TCP"}],
        "resources": {
            "limits": {"cpu": "500m", "memory": "512Mi"},
            "requests": {"cpu": "100m", "memory": "128Mi"},
        },
        "securityContext": {"allowPrivilegeEscalation": False, "runAsNonRoot": True},
        "terminationMessagePath": "/dev/termination-log",
        "volumeMounts": [{"mountPath": "/etc/app", "name": "config", "readOnly": True}],
    }
    return {
        "metadata": {
            "annotations": {"checksum/config": digest * 8, "scrape": "true"},
            "creationTimestamp": time,
            "generateName": f"{app}-{digest}-",
            "labels": {"app": app, "pod-template-hash": digest, "tier": "backend"},
            "managedFields": [managed, managed],
            "name": f"{app}-{digest}-{number % 7}",
            "namespace": f"team-{number % 9}",
            "ownerReferences": [owner],
            "resourceVersion": str(1_000_000 + number),
            "uid": uid,
        },
        "spec": {
            "containers": [container],
            "dnsPolicy": "ClusterFirst",
            "enableServiceLinks": True,
            "nodeName": f"node-{number % 50}",
            "priority": 0,
            "restartPolicy": "Always",
            "schedulerName": "default-scheduler",
            "securityContext": {},
            "serviceAccountName": app,
            "terminationGracePeriodSeconds": 30,
            "tolerations": [
                {"key": "node.kubernetes.io/not-ready", **toleration},
                {"key": "node.kubernetes.io/unreachable", **toleration},
            ],
            "volumes": [
                {"configMap": {"defaultMode": 420, "name": app}, "name": "config"}
            ],
        },
        "status": {
            "conditions": [
                {"lastTransitionTime": time, "status": "True", "type": kind}
                for kind in ("Initialized", "Ready", "ContainersReady", "PodScheduled")
            ],
            "containerStatuses": [
                {
                    "containerID": f"containerd://{digest * 8}",
                    "image": image,
                    "imageID": f"registry.example/{app}@sha256:{digest * 8}",
                    "lastState": {},
                    "name": "main",
                    "ready": True,
                    "restartCount": 0,
                    "started": True,
                    "state": {"running": {"startedAt": time}},
                }
            ],
            "hostIP": f"10.0.0.{number % 250}",
            "phase": "Running",
            "podIP": f"10.1.{number % 250}.{number % 251}",
            "podIPs": [{"ip": f"10.1.{number % 250}.{number % 251}"}],
            "qosClass": "Burstable",
            "startTime": time,
        },
    }
