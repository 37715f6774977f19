"""The models do what programs written for the official client, msgspec, pydantic, FastAPI
and kopf expect.

FastAPI and kopf are in the folder ``frameworks`` of ``KUBESTENCIL_CLIENTS``.
"""

from __future__ import annotations

import copy
import json
import os
import subprocess
import sys
import warnings
import weakref
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
import pytest

FRAMEWORKS = Path(os.environ.get("KUBESTENCIL_CLIENTS", "")) / "frameworks"
POD = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "a"},
    "spec": {"containers": [{"name": "c"}]},
}


def test_a_program_that_takes_json_names_for_attributes_is_warned(
    package: Any,
) -> None:
    """Airflow merges Pods so: it would lose what has another name in JSON."""
    spec = package.V1PodSpec(containers=[], dns_policy="Default", hostname="a")
    with pytest.warns(UserWarning, match='to_dict_names = "python"'):
        found = {name: getattr(spec, name, None) for name in spec.to_dict()}
    assert found == {"containers": [], "dnsPolicy": None, "hostname": "a"}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert not hasattr(spec, "nothing")
        for name in spec.to_dict(names="python"):
            getattr(spec, name)


def test_to_dict_can_have_the_names_and_nones_of_the_official_client(
    package: Any,
) -> None:
    pod = package.V1Pod.from_dict(
        {"metadata": {"creationTimestamp": "2024-01-31T12:00:00Z"}}
    )
    values = pod.to_dict(names="python")
    assert values.keys() == package.V1Pod.attribute_map.keys()
    assert values["api_version"] is None and values["spec"] is None
    metadata = values["metadata"]
    assert metadata["creation_timestamp"] == pod.metadata.creation_timestamp
    assert "creationTimestamp" not in metadata

    class Pod(package.V1Pod):  # type: ignore[misc]
        to_dict_names = "python"

    assert Pod(kind="Pod").to_dict()["api_version"] is None
    assert Pod(**Pod(kind="Pod").to_dict()) == Pod(kind="Pod")
    assert Pod(kind="Pod").to_dict(names="json") == {"apiVersion": "v1", "kind": "Pod"}


def test_the_dict_of_the_official_client_comes_back(package: Any) -> None:
    """With unknown fields, after a change, and where only an inner name tells."""
    data = {
        "metadata": {"creationTimestamp": "2024-01-31T12:00:00Z", "newName": 1},
        "spec": {"nodeName": "a", "containers": [{"name": "b", "new_name": [None]}]},
    }
    pod = package.V1Pod.from_dict({"apiVersion": "v1", "kind": "Pod", **data})
    values = pod.to_dict(names="python")
    assert package.V1Pod.from_dict(values) == pod
    del values["status"]
    values["spec"]["dnsPolicy"] = "Default"
    assert package.V1Pod.from_dict(values).spec.dns_policy == "Default"
    template = package.V1PodTemplateSpec.from_dict(data)
    values = template.to_dict(names="python")
    assert package.V1PodTemplateSpec.from_dict(values) == template
    event = package.EventsV1Event(
        metadata=package.V1ObjectMeta(name="a"),
        event_time=datetime(2024, 1, 31, tzinfo=UTC),
    )
    assert package.EventsV1Event.from_dict(event.to_dict(names="python")) == event
    # In an object with JSON names, another name is an unknown field.
    unknown = {"apiVersion": "v1", "spec": {"containers": [], "dns_policy": "x"}}
    assert package.V1Pod.from_dict(unknown).spec.unknown_fields == {"dns_policy": "x"}
    with pytest.raises(package.ModelError, match="did you mean apiVersion"):
        package.V1Pod.from_dict({"api_version": "v1"}, strict=True)


def test_wrong_keywords_are_refused_with_the_right_name(package: Any) -> None:
    with pytest.raises(TypeError, match="'apiVersion': it is called api_version"):
        package.V1Pod(apiVersion="v1")
    with pytest.raises(TypeError, match="'nmae': it is called name"):
        package.V1Container(nmae="a", name="b")
    with pytest.raises(TypeError, match="Missing required argument 'name'"):
        package.V1Container()
    with pytest.raises(TypeError):
        package.V1Container("main")
    with pytest.raises(AttributeError):
        package.V1Container(name="main").imagee = "x"


def test_a_required_none_cannot_get_into_a_model(package: Any) -> None:
    container = package.V1Container(name="a")
    message = "name: required in V1Container, must not be None"
    with pytest.raises(package.ModelError, match=message):
        package.V1Container(name=None)
    with pytest.raises(package.ModelError, match=message):
        container.name = None
    with pytest.raises(package.ModelError, match=message):
        container.replace(name=None)
    container.image = None
    assert container.to_json() == '{"name":"a"}'


@pytest.mark.parametrize("strict", [False, True])
def test_null_for_a_required_list_is_an_empty_one(package: Any, strict: bool) -> None:
    slices = package.V1EndpointSliceList.from_json(
        '{"items": [{"addressType": "IPv4", "endpoints": null}]}', strict=strict
    )
    assert slices.items[0].endpoints == []
    assert package.V1PodList.from_dict({"items": None}, strict=strict).items == []
    with pytest.raises(package.ModelError, match=r"^spec: expected object, got int$"):
        package.V1Pod.from_dict({"spec": 1})


def test_subclasses_can_define_init_and_have_weak_references(package: Any) -> None:
    class Main(package.V1Container, gc=True, weakref=True):  # type: ignore[misc,call-arg]
        def __init__(self, image: str) -> None:
            super().__init__(name="main", image=image)

    main = Main("a:1")
    assert (main.name, main.image) == ("main", "a:1")
    assert weakref.ref(main)() is main
    assert copy.deepcopy(main) == copy.copy(main) == main
    assert main.replace(image="b").image == "b"
    assert Main.from_json('{"name": "x"}').name == "x"


@pytest.mark.nightly
def test_msgspec_has_a_json_schema_of_every_class(package: Any) -> None:
    for name in package.models.__all__:
        msgspec.json.schema(getattr(package.models, name))
    schema = msgspec.json.schema(package.V1LeaseSpec)
    renew_time = schema["$defs"]["V1LeaseSpec"]["properties"]["renewTime"]
    assert {"type": "string", "format": "date-time"} in renew_time["anyOf"]


def test_a_model_is_a_field_of_a_pydantic_model(package: Any) -> None:
    pydantic = pytest.importorskip("pydantic")
    job = pydantic.create_model(
        "Job", pod=package.V1Pod, properties=(package.V1JSONSchemaProps | None, None)
    )
    read = job.model_validate({"pod": POD})
    assert read.pod == package.V1Pod.from_dict(POD)
    assert job(pod=read.pod).pod is read.pod
    assert read.model_dump()["pod"] == POD
    assert json.loads(read.model_dump_json())["pod"] == POD
    with pytest.raises(
        pydantic.ValidationError, match=r"containers\[0\]\.name: requir"
    ):
        job.model_validate_json('{"pod": {"spec": {"containers": [{}]}}}')
    for mode in ("validation", "serialization"):
        definitions = job.model_json_schema(mode=mode)["$defs"]
        assert definitions["V1Container"]["required"] == ["name"]
        assert "imagePullPolicy" in definitions["V1Container"]["properties"]
        # A recursive type refers to itself.
        assert "V1JSONSchemaProps" in definitions


FASTAPI = """
import json
from fastapi import FastAPI
from fastapi.testclient import TestClient
from ours import V1ObjectMeta, V1Pod

app = FastAPI()

@app.post("/pods")
def create(pod: V1Pod) -> V1Pod:
    return pod.replace(metadata=V1ObjectMeta(name="b"))

client = TestClient(app)
pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"},
       "spec": {"containers": [{"name": "c"}]}}
answer = client.post("/pods", json=pod)
assert answer.json() == {**pod, "metadata": {"name": "b"}}, answer.text
refused = client.post("/pods", json={"spec": {"containers": [{}]}})
assert refused.status_code == 422 and "spec.containers[0].name" in refused.text
document = client.get("/openapi.json").json()
body = document["paths"]["/pods"]["post"]["requestBody"]["content"]["application/json"]
assert body["schema"] == {"$ref": "#/components/schemas/V1Pod"}
schemas = document["components"]["schemas"]
assert schemas["V1Container"]["required"] == ["name"]
"""

KOPF = """
import kopf
from ours import V1ConfigMap, V1ObjectMeta, V1Pod

owner = {"apiVersion": "v1", "kind": "Pod",
         "metadata": {"name": "o", "namespace": "n", "uid": "u"}}
reference = {"apiVersion": "v1", "blockOwnerDeletion": True, "controller": True,
             "kind": "Pod", "name": "o", "uid": "u"}
for model in (V1Pod(), V1ConfigMap(metadata=V1ObjectMeta(name="x"))):
    kopf.adopt(model, owner=owner)
    kopf.label(model, {"a": "b"})
    for metadata in (model.to_dict()["metadata"], model.from_json(model.to_json())
                     .to_dict()["metadata"]):
        assert metadata["ownerReferences"] == [reference], metadata
        assert metadata["namespace"] == "n" and metadata["labels"] == {"a": "b"}
"""


@pytest.mark.peer
@pytest.mark.parametrize("program", [FASTAPI, KOPF], ids=["fastapi", "kopf"])
def test_frameworks_take_models(program: str, package: Any, tmp_path: Path) -> None:
    if not FRAMEWORKS.is_dir():
        pytest.skip("KUBESTENCIL_CLIENTS has no frameworks")
    folder = Path(package.__file__).parent
    (tmp_path / "ours").symlink_to(folder, target_is_directory=True)
    completed = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONPATH": f"{tmp_path}{os.pathsep}{FRAMEWORKS}"},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert completed.returncode == 0, completed.stderr[-3000:]
