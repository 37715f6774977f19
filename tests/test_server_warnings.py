"""The warnings of ``check`` without a validator are those of API servers."""

from __future__ import annotations

import json
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from kubestencil import check
from kubestencil.checking.decoding.server_warnings import warnings_of
from kubestencil.checking.judgement import kind_of
from kubestencil.diff import compare
from kubestencil.schema.knowledge.warnings import (
    NODE_LABELS,
    POD_ANNOTATIONS,
    warned_rows,
)
from kubestencil.validator.process import Validator
from kubestencil.validator.protocol import Request
from tests.diff_specs import embedded
from tests.public_manifests import FOLDER, objects, verdicts
from tests.validators import built_validator

KEYS = list(dict.fromkeys(row[1:4] for row in warned_rows() if row.is_key_of_metadata))
_SPECS: dict[str, dict[str, Any]] = {
    "Ingress": {"defaultBackend": {"service": {"name": "a", "port": {"number": 80}}}},
    "PersistentVolume": {
        "accessModes": ["ReadWriteOnce"],
        "capacity": {"storage": "1Gi"},
        "nfs": {"server": "a", "path": "/a"},
    },
    "PersistentVolumeClaim": {
        "accessModes": ["ReadWriteOnce"],
        "resources": {"requests": {"storage": "1Gi"}},
    },
    "ServiceAccount": {},
    "Service": {"ports": [{"port": 80}]},
}


def _object(definition: str, key: str) -> Any:
    """An object with a key of annotations or labels."""
    key = f"{key}a" if key.endswith("/") else key
    kind = definition.rpartition(".")[2]
    metadata: dict[str, Any] = {"name": "a", "annotations": {key: "unconfined"}}
    if kind in _SPECS:
        version = "networking.k8s.io/v1" if kind == "Ingress" else "v1"
        return {
            "apiVersion": version,
            "kind": kind,
            "metadata": metadata,
            **({"spec": _SPECS[kind]} if _SPECS[kind] else {}),
        }
    pod: dict[str, Any] = {
        "metadata": {"labels": {"a": "b"}},
        "spec": {"containers": [{"name": "a", "image": "a"}]},
    }
    if definition == POD_ANNOTATIONS:
        pod["metadata"]["annotations"] = metadata["annotations"]
    else:
        assert definition == NODE_LABELS
        pod["spec"]["nodeSelector"] = {key: "a"}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "a"},
        "spec": {"selector": {"matchLabels": {"a": "b"}}, "template": pod},
    }


@pytest.mark.parametrize("release", ["1.29", "1.35"])
def test_a_server_warns_of_each_key_in_its_releases(release: str) -> None:
    values = [_object(definition, key) for definition, _, key in KEYS]
    with Validator(built_validator(release)) as validator:
        answers = list(validator.ask(Request("create", value) for value in values))
    for value, answer, key in zip(values, answers, KEYS, strict=True):
        assert answer.accepted, answer.causes
        is_warned = any(key[2].rstrip("/") in warning for warning in answer.warnings)
        known = [row for row in warned_rows() if row[1:4] == key]
        assert is_warned == any(row.releases.includes(release) for row in known), key
        assert bool(list(warnings_of(value, kind_of(value), release))) == is_warned


def test_a_field_that_servers_warn_of_is_reported(tmp_path: Path) -> None:
    """What no description says: Service.spec.externalIPs is deprecated in 1.36."""
    notices = compare(embedded("1.35"), embedded("1.36")).notices
    places = [each.users_path for each in notices if each.change == "field-deprecated"]
    assert "Service.spec.externalIPs" in places
    file = tmp_path / "service.yaml"
    spec = {"ports": [{"port": 1}], "externalIPs": ["10.0.0.1"]}
    service = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "a"}}
    file.write_text(json.dumps({**service, "spec": spec}))
    (finding,) = check([file], to="1.36").findings
    assert finding.path == ("spec", "externalIPs")


@pytest.mark.nightly
@pytest.mark.parametrize("release", ["1.29", "1.35"])
def test_warnings_on_public_objects_are_those_of_the_server(release: str) -> None:
    if not FOLDER:
        pytest.skip("KUBESTENCIL_MANIFESTS names no folder")
    expected: Counter[int] = Counter()
    found: Counter[int] = Counter()
    accepted = verdicts(release, 201)
    public = [value for key, value in objects() if key in accepted][::4]
    with Validator(built_validator(release)) as validator:
        answers = validator.ask([Request("create", value) for value in public])
        for index, (value, answer) in enumerate(zip(public, answers, strict=True)):
            ours = {_place(problem.path) for problem in _warnings(value, release)}
            theirs = answer.warnings
            expected[index] += len(theirs)
            for place in ours:
                # None but what the server warns of, which names no key of a Secret.
                assert (value["kind"] == "Secret" and theirs) or any(
                    place in warning for warning in theirs
                ), (place, theirs)
            found[index] += len(ours)
    # The rest are kinds that are deprecated, which is a finding of its own.
    assert found.total() >= expected.total() - 4


def _warnings(value: Any, release: str) -> Any:
    return warnings_of(value, kind_of(value), release)


def _place(path: Any) -> str:
    """What the server's warning has of a path: a key, or the item of a list."""
    step = path[-1]
    return f"{path[-2]}[{step}]" if isinstance(step, int) else str(step)


_BODY = "MIIBszCCAVmgAwIBAgIUXn0="


@pytest.mark.parametrize(
    ("field", "text", "is_warned"),
    [
        ("data", "bm90IGEgY2VydGlmaWNhdGU=", True),
        ("stringData", "-----BEGIN CERTIFICATE-----\n...\n", True),
        ("stringData", f"-----BEGIN PRIVATE KEY-----\n{_BODY}\n", True),
        ("stringData", "", True),
        ("data", None, True),
        ("stringData", "{{ .Values.crt }}", False),
        ("data", "${CRT}", False),
    ],
)
def test_unreadable_pem_is_warned_of(
    field: str, text: str | None, is_warned: bool
) -> None:
    value = {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": "a"},
        "type": "kubernetes.io/tls",
        field: {"tls.crt": text, "tls.key": text},
    }
    found: list[Any] = [problem.path for problem in _warnings(value, "1.35")]
    assert found == [(field, "tls.crt")] * is_warned
    if is_warned:
        with Validator(built_validator("1.35")) as validator:
            [answer] = validator.ask([Request("create", value)])
        assert answer.accepted and len(answer.warnings) == 1


def test_a_pair_that_the_server_reads_is_not_warned_of(tmp_path: Path) -> None:
    certificate, key = tmp_path / "crt", tmp_path / "key"
    subprocess.run(
        [
            *("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes"),
            *("-subj", "/CN=a", "-keyout", str(key), "-out", str(certificate)),
        ],
        check=True,
        capture_output=True,
    )
    data = {"tls.crt": certificate.read_text(), "tls.key": key.read_text()}
    value = {"apiVersion": "v1", "kind": "Secret", "type": "kubernetes.io/tls"}
    assert not list(_warnings({**value, "stringData": data}, "1.35"))
