"""The generated classes: reading, writing, comparing, and errors in data."""

from __future__ import annotations

import copy
import datetime as dt
import gc
import json
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.packages import PACKAGE

UTC = dt.UTC


@pytest.fixture(scope="module")
def pod(package: Any) -> Any:
    return package.V1Pod(
        api_version="v1",
        kind="Pod",
        metadata=package.V1ObjectMeta(name="web", labels={"app": "web"}),
        spec=package.V1PodSpec(
            containers=[
                package.V1Container(
                    name="main",
                    ports=[package.V1ContainerPort(container_port=80)],
                    resources=package.V1ResourceRequirements(limits={"cpu": 2}),
                )
            ]
        ),
    )


def test_json_and_dict_have_json_names_and_no_absent_fields(pod: Any) -> None:
    written = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"labels": {"app": "web"}, "name": "web"},
        "spec": {
            "containers": [
                {
                    "name": "main",
                    "ports": [{"containerPort": 80}],
                    "resources": {"limits": {"cpu": 2}},
                }
            ]
        },
    }
    assert pod.to_dict() == written
    assert json.loads(pod.to_json()) == written
    assert type(pod).from_dict(written) == pod
    assert type(pod).from_json(pod.to_json()) == pod
    assert type(pod).from_json(pod.to_json().encode()) == pod


def test_objects_can_be_copied_pickled_and_compared(package: Any, pod: Any) -> None:
    for copied in (
        copy.copy(pod),
        copy.deepcopy(pod),
        pickle.loads(pickle.dumps(pod)),
        pod.replace(),
    ):
        assert copied == pod
        assert copied is not pod
    assert pod.replace(kind="Other") != pod
    names = {name: getattr(package, name) for name in package.__all__}
    assert eval(repr(pod), vars(package) | names) == pod


def test_attributes_have_the_official_names(package: Any) -> None:
    assert package.V1PolicyRule.attribute_map["non_resource_ur_ls"] == "nonResourceURLs"
    assert package.V1NetworkPolicyIngressRule(_from=[]).to_dict() == {"from": []}
    assert package.V1ListMeta(_continue="x").to_dict() == {"continue": "x"}
    assert package.V1JSONSchemaProps(_not=None, ref="#", schema="s").to_dict() == {
        "$ref": "#",
        "$schema": "s",
    }
    assert package.V1DeviceAttribute(bool=True).to_dict() == {"bool": True}


def test_a_class_is_the_same_from_every_module(package: Any) -> None:
    from importlib import import_module

    module = import_module(f"{PACKAGE}.models.v1_pod")
    assert package.V1Pod is package.models.V1Pod is module.V1Pod
    assert {"V1Pod", "load", "ModelError"} <= set(dir(package)) & set(package.__all__)
    with pytest.raises(AttributeError, match="V1Pot"):
        package.V1Pot  # noqa: B018
    with pytest.raises(ImportError):
        exec(f"from {PACKAGE} import V1Pot")
    names: dict[str, Any] = {}
    exec(f"from {PACKAGE} import *", names)
    assert names["V1Deployment"] is package.V1Deployment


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (
            {
                "spec": {
                    "containers": [{"name": "a", "ports": [{"containerPort": "x"}]}]
                }
            },
            "spec.containers[0].ports[0].containerPort: expected int, got str",
        ),
        (
            {"metadata": {"labels": {"a.b/c": 1}}},
            "metadata.labels['a.b/c']: expected str, got int",
        ),
        ({"spec": {}}, "spec.containers: required, but missing"),
        (
            {"spec": {"containers": None}, "status": 1},
            "status: expected object, got int",
        ),
        (
            {"metadata": {"creationTimestamp": "now"}},
            "metadata.creationTimestamp: expected a time (RFC 3339), got 'now'",
        ),
        ({"kind": 1, "spec": []}, "kind: expected str, got int\nspec: expected object"),
        ([], "expected object, got list"),
    ],
)
def test_invalid_data_is_refused_with_its_path(
    package: Any, data: Any, problem: str
) -> None:
    for read in (
        package.V1Pod.from_dict,
        lambda data: package.V1Pod.from_json(json.dumps(data)),
    ):
        with pytest.raises(package.ModelError) as caught:
            read(data)
        assert str(caught.value).startswith(problem)
        again = pickle.loads(pickle.dumps(caught.value))
        assert again.problems == caught.value.problems


@pytest.mark.parametrize(
    "text", ["", "{", "nul", '{"kind": "\\ud800"}', b"\xff", b'"\xff"', "[" * 100_000]
)
def test_invalid_json_is_refused(package: Any, text: str | bytes) -> None:
    for strict in (False, True):
        with pytest.raises(package.ModelError):
            package.V1Pod.from_json(text, strict=strict)


def test_unknown_fields_are_kept_or_refused(package: Any) -> None:
    data = {
        "metdata": {},
        "spec": {"containers": [{"name": "a", "imagee": "b", "ports": [{}]}]},
    }
    for read in (
        package.V1Pod.from_dict,
        lambda data, **options: package.V1Pod.from_json(json.dumps(data), **options),
    ):
        with pytest.raises(package.ModelError) as caught:
            read(data, strict=True)
        texts = [f"{path}: {text}" for path, text in caught.value.problems]
        assert texts == [
            "metdata: unknown field (did you mean metadata?)",
            "spec.containers[0].imagee: unknown field (did you mean image?)",
            "spec.containers[0].ports[0].containerPort: required, but missing",
        ]


def test_int_or_string_and_quantities_keep_their_type(package: Any) -> None:
    for port in (80, "http"):
        data = {"port": port}
        assert package.V1TCPSocketAction.from_dict(data).to_dict() == data
    for amount in (1, "500m", 0.5):
        limits = {"limits": {"cpu": amount}}
        read = package.V1ResourceRequirements.from_json(json.dumps(limits))
        assert read.to_dict() == limits
        assert type(read.limits["cpu"]) is type(amount)
    with pytest.raises(
        package.ModelError, match=r"port: expected int or str, got bool"
    ):
        package.V1TCPSocketAction.from_dict({"port": True})
    with pytest.raises(
        package.ModelError, match=r"limits\.cpu: expected str or int or float"
    ):
        package.V1ResourceRequirements.from_dict({"limits": {"cpu": True}})


NOON = dt.datetime(2024, 1, 31, 12, 0, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    "value",
    [
        NOON,
        NOON.replace(microsecond=5),
        NOON.replace(tzinfo=None),
        "2024-01-31T12:00:00Z",
        "2024-01-31T12:00:00.000005+00:00",
        "2024-01-31t12:00:00z",
        "2024-01-31 12:00:00",
    ],
)
def test_times_are_written_as_the_api_server_requires(package: Any, value: Any) -> None:
    meta = package.V1ObjectMeta(creation_timestamp=value)
    assert meta.to_json() == '{"creationTimestamp":"2024-01-31T12:00:00Z"}'
    assert meta.to_dict() == {"creationTimestamp": "2024-01-31T12:00:00Z"}
    lease = package.V1LeaseSpec(renew_time=value)
    assert lease.to_json() in (
        '{"renewTime":"2024-01-31T12:00:00.000000Z"}',
        '{"renewTime":"2024-01-31T12:00:00.000005Z"}',
    )
    for written in (meta, lease):
        model = type(written)
        assert model.from_json(written.to_json()) == written
        assert model.from_dict(written.to_dict()) == written
        assert pickle.loads(pickle.dumps(written)).to_json() == written.to_json()
    later = package.V1LeaseSpec()
    later.renew_time = value
    assert later.to_json() == lease.to_json()
    assert package.V1LeaseSpec().replace(renew_time=value).to_json() == lease.to_json()
    event = package.CoreV1Event(
        event_time=value,
        first_timestamp=value,
        involved_object=package.V1ObjectReference(),
        metadata=package.V1ObjectMeta(),
    )
    assert event.to_dict()["eventTime"] == lease.to_dict()["renewTime"]
    assert event.to_dict()["firstTimestamp"] == "2024-01-31T12:00:00Z"


def test_a_required_time_that_was_never_set_stays_null(package: Any) -> None:
    """The API server sends events that were recorded through the core group so, and
    refuses an update that has a time instead."""

    class Own(package.EventsV1Event):  # type: ignore[misc]
        def __init__(self, **values: Any) -> None:
            super().__init__(event_time=None, **values)

    data = {"metadata": {"name": "a"}, "eventTime": None}
    written = {"apiVersion": "events.k8s.io/v1", "kind": "Event", **data}
    made = package.EventsV1Event(
        event_time=NOON, metadata=package.V1ObjectMeta(name="a")
    )
    assert made.event_time == NOON
    made.event_time = None
    for event in (
        package.EventsV1Event.from_dict(data),
        package.EventsV1Event.from_dict(data, strict=True),
        package.EventsV1EventList.from_json(json.dumps({"items": [data]})).items[0],
        # With a list that is null, and fields of another release.
        package.EventsV1EventList.from_dict(
            {"items": [{**data, "series": {"count": 1, "lastObservedTime": None}}]}
        )
        .items[0]
        .replace(series=None),
        made,
        Own(metadata=package.V1ObjectMeta(name="a")),
    ):
        assert event.event_time is None
        assert event.to_dict() == json.loads(event.to_json()) == written
        assert pickle.loads(pickle.dumps(made)) == made
    with pytest.raises(TypeError, match="event_time"):
        package.EventsV1Event(metadata=package.V1ObjectMeta())
    with pytest.raises(package.ModelError, match="eventTime: required, but missing"):
        package.EventsV1Event.from_dict({"metadata": {}})


def test_times_in_a_map_are_converted(package: Any) -> None:
    status = package.V1PodDisruptionBudgetStatus(
        current_healthy=1,
        desired_healthy=1,
        disruptions_allowed=1,
        expected_pods=1,
        disrupted_pods={"a": NOON.replace(microsecond=7, tzinfo=None)},
    )
    assert status.to_dict()["disruptedPods"] == {"a": "2024-01-31T12:00:00Z"}
    assert type(status).from_json(status.to_json()) == status


@pytest.mark.parametrize(
    "text", ["2024-01-31T12:00:00.000005Z", "2024-01-31T12:00:00", NOON]
)
def test_times_that_are_read_are_exact(package: Any, text: Any) -> None:
    for data in (
        {"metadata": {"creationTimestamp": text}},
        # A time of its own type, and a second model of a class with such times.
        {"metadata": {"creationTimestamp": text}, "spec": {"renewTime": text}},
        {"spec": {"acquireTime": text}},
    ):
        lease = package.V1Lease.from_dict(data)
        if text is not NOON:
            assert package.V1Lease.from_json(json.dumps(data)) == lease
        if lease.metadata:
            assert lease.metadata.creation_timestamp == NOON
        if lease.spec:
            time = lease.spec.renew_time or lease.spec.acquire_time
            assert type(time) is package.MicroTime
            assert time.replace(microsecond=0) == NOON


@pytest.mark.growth
@pytest.mark.parametrize("is_enabled", [True, False])
def test_no_garbage_is_collected_while_a_long_list_is_read(
    package: Any, is_enabled: bool
) -> None:
    container = {"name": "main", "args": ["a", "b"], "env": [{"name": "a"}]}
    pods = {"items": [{"spec": {"containers": [container]}}] * 3_000}
    text = json.dumps(pods)
    collections = []

    def note(phase: str, _: object) -> None:
        collections.append(phase)

    base = sys.modules[package.Model.__module__]
    decoder = base.decoder(package.V1PodList)
    (gc.enable if is_enabled else gc.disable)()
    gc.collect()
    gc.callbacks.append(note)
    try:
        base.read_text(decoder, text)
        during = list(collections)
        with pytest.raises(package.ModelError):
            package.V1PodList.from_json(text + "]")
        assert gc.isenabled() is is_enabled
    finally:
        gc.callbacks.remove(note)
        gc.enable()
    assert during == []


def test_times_in_other_zones_are_kept(package: Any) -> None:
    text = '{"renewTime":"2024-01-31T14:00:00.5+02:00"}'
    read = package.V1LeaseSpec.from_json(text)
    assert read.renew_time == NOON.replace(microsecond=500_000)
    assert read.to_json() == '{"renewTime":"2024-01-31T14:00:00.500000+02:00"}'
    with pytest.raises(package.ModelError, match="expected a time"):
        package.V1LeaseSpec(renew_time="soon")
    with pytest.raises(package.ModelError, match=r"^renewTime: expected a time"):
        package.V1LeaseSpec.from_dict({"renewTime": 5})


def test_every_kind_has_its_class(package: Any) -> None:
    from importlib import import_module

    kinds = import_module(f"{PACKAGE}._kinds").KINDS
    assert kinds["batch/v1"]["CronJob"] == "V1CronJob"
    for api_version, names in kinds.items():
        for kind, name in names.items():
            assert package.model_for(api_version, kind) is getattr(package, name)


def test_classes_are_imported_on_first_use(package_folder: Path) -> None:
    """msgspec, too, is imported with the first class."""
    code = (
        f"import sys, {PACKAGE} as k\n"
        f"print(sum(name.startswith('{PACKAGE}.') for name in sys.modules),"
        " 'msgspec' in sys.modules)\n"
        "k.V1ConfigMap\n"
        f"print(sum(name.startswith('{PACKAGE}.models.') for name in sys.modules),"
        " 'yaml' in sys.modules)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={"PYTHONPATH": str(package_folder)},
        capture_output=True,
        text=True,
        check=True,
    )
    first, second = done.stdout.split("\n")[:2]
    assert first == "0 False"
    # V1ConfigMap, V1ObjectMeta, V1OwnerReference, V1ManagedFieldsEntry.
    assert second == "4 False"
