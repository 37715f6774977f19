"""What people do with the printed classes: read, write, compare, get told off."""

from __future__ import annotations

import copy
import datetime as dt
import json
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.conftest import load
from tests.packages import import_package, print_package

PACKAGE = "behaviour_models"
UTC = dt.UTC


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return print_package(load("1.35"), tmp_path_factory.mktemp("python"), PACKAGE)


@pytest.fixture(scope="module")
def k(folder: Path) -> Any:
    return import_package(folder, PACKAGE)


@pytest.fixture(scope="module")
def pod(k: Any) -> Any:
    return k.V1Pod(
        api_version="v1",
        kind="Pod",
        metadata=k.V1ObjectMeta(name="web", labels={"app": "web"}),
        spec=k.V1PodSpec(
            containers=[
                k.V1Container(
                    name="main",
                    ports=[k.V1ContainerPort(container_port=80)],
                    resources=k.V1ResourceRequirements(limits={"cpu": 2}),
                )
            ]
        ),
    )


def test_json_and_dict_have_the_wire_names_and_only_what_is_there(pod: Any) -> None:
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


def test_objects_are_values(k: Any, pod: Any) -> None:
    for same in (
        copy.copy(pod),
        copy.deepcopy(pod),
        pickle.loads(pickle.dumps(pod)),
        pod.replace(),
    ):
        assert same == pod
        assert same is not pod
    assert pod.replace(kind="Other") != pod
    assert eval(repr(pod), vars(k) | {n: getattr(k, n) for n in k.__all__}) == pod


def test_constructors_take_the_required_keywords_and_no_others(k: Any) -> None:
    with pytest.raises(TypeError, match="name"):
        k.V1Container()
    with pytest.raises(TypeError):
        k.V1Container("main")
    with pytest.raises(TypeError, match="imagee"):
        k.V1Container(name="main", imagee="x")
    with pytest.raises(AttributeError):
        k.V1Container(name="main").imagee = "x"


def test_names_are_the_official_ones(k: Any) -> None:
    assert k.V1PolicyRule.attribute_map["non_resource_ur_ls"] == "nonResourceURLs"
    assert k.V1NetworkPolicyIngressRule(_from=[]).to_dict() == {"from": []}
    assert k.V1ListMeta(_continue="x").to_dict() == {"continue": "x"}
    assert k.V1JSONSchemaProps(_not=None, ref="#", schema="s").to_dict() == {
        "$ref": "#",
        "$schema": "s",
    }
    assert k.V1DeviceAttribute(bool=True).to_dict() == {"bool": True}


def test_every_name_is_the_same_class_from_everywhere(k: Any) -> None:
    from importlib import import_module

    module = import_module(f"{PACKAGE}.models.v1_pod")
    assert k.V1Pod is k.models.V1Pod is module.V1Pod
    assert {"V1Pod", "load", "ModelError"} <= set(dir(k)) & set(k.__all__)
    with pytest.raises(AttributeError, match="V1Pot"):
        k.V1Pot  # noqa: B018
    with pytest.raises(ImportError):
        exec(f"from {PACKAGE} import V1Pot")
    names: dict[str, Any] = {}
    exec(f"from {PACKAGE} import *", names)
    assert names["V1Deployment"] is k.V1Deployment


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
        ({"spec": {"containers": None}}, "spec.containers: expected list, got null"),
        (
            {"metadata": {"creationTimestamp": "now"}},
            "metadata.creationTimestamp: expected a time (RFC 3339), got 'now'",
        ),
        ({"kind": 1, "spec": []}, "kind: expected str, got int\nspec: expected object"),
        ([], "expected object, got list"),
    ],
)
def test_what_is_wrong_is_refused_with_its_path(
    k: Any, data: Any, problem: str
) -> None:
    for read in (k.V1Pod.from_dict, lambda x: k.V1Pod.from_json(json.dumps(x))):
        with pytest.raises(k.ModelError) as caught:
            read(data)
        assert str(caught.value).startswith(problem)
        again = pickle.loads(pickle.dumps(caught.value))
        assert again.problems == caught.value.problems


@pytest.mark.parametrize(
    "text", ["", "{", "nul", '{"kind": "\\ud800"}', b"\xff", b'"\xff"', "[" * 100_000]
)
def test_text_that_is_no_json_is_refused(k: Any, text: str | bytes) -> None:
    for strict in (False, True):
        with pytest.raises(k.ModelError):
            k.V1Pod.from_json(text, strict=strict)


def test_unknown_fields_are_ignored_or_refused(k: Any) -> None:
    data = {
        "metdata": {},
        "spec": {"containers": [{"name": "a", "imagee": "b", "ports": [{}]}]},
    }
    ports = [{"containerPort": 1}]
    assert k.V1Pod.from_dict(
        {"metdata": {}, "spec": {"containers": [{"name": "a", "x": 1, "ports": ports}]}}
    ).to_dict() == {"spec": {"containers": [{"name": "a", "ports": ports}]}}
    for read in (
        k.V1Pod.from_dict,
        lambda x, **o: k.V1Pod.from_json(json.dumps(x), **o),
    ):
        with pytest.raises(k.ModelError) as caught:
            read(data, strict=True)
        texts = [f"{path}: {text}" for path, text in caught.value.problems]
        assert texts == [
            "metdata: unknown field (did you mean metadata?)",
            "spec.containers[0].imagee: unknown field (did you mean image?)",
            "spec.containers[0].ports[0].containerPort: required, but missing",
        ]


def test_int_or_string_and_quantities_stay_what_they_were(k: Any) -> None:
    for port in (80, "http"):
        data = {"port": port}
        assert k.V1TCPSocketAction.from_dict(data).to_dict() == data
    for amount in (1, "500m", 0.5):
        data = {"limits": {"cpu": amount}}
        read = k.V1ResourceRequirements.from_json(json.dumps(data))
        assert read.to_dict() == data
        assert type(read.limits["cpu"]) is type(amount)
    with pytest.raises(k.ModelError, match=r"port: expected int or str, got bool"):
        k.V1TCPSocketAction.from_dict({"port": True})
    with pytest.raises(
        k.ModelError, match=r"limits\.cpu: expected str or int or float"
    ):
        k.V1ResourceRequirements.from_dict({"limits": {"cpu": True}})


MOMENT = dt.datetime(2024, 1, 31, 12, 0, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    "value",
    [
        MOMENT,
        MOMENT.replace(microsecond=5),
        MOMENT.replace(tzinfo=None),
        "2024-01-31T12:00:00Z",
        "2024-01-31T12:00:00.000005+00:00",
        "2024-01-31t12:00:00z",
        "2024-01-31 12:00:00",
    ],
)
def test_times_reach_the_server_as_it_wants_them(k: Any, value: Any) -> None:
    meta = k.V1ObjectMeta(creation_timestamp=value)
    assert meta.to_json() == '{"creationTimestamp":"2024-01-31T12:00:00Z"}'
    assert meta.to_dict() == {"creationTimestamp": "2024-01-31T12:00:00Z"}
    lease = k.V1LeaseSpec(renew_time=value)
    assert lease.to_json() in (
        '{"renewTime":"2024-01-31T12:00:00.000000Z"}',
        '{"renewTime":"2024-01-31T12:00:00.000005Z"}',
    )
    for written in (meta, lease):
        model = type(written)
        assert model.from_json(written.to_json()) == written
        assert model.from_dict(written.to_dict()) == written
        assert pickle.loads(pickle.dumps(written)).to_json() == written.to_json()
    later = k.V1LeaseSpec()
    later.renew_time = value
    assert later.to_json() == lease.to_json()
    assert k.V1LeaseSpec().replace(renew_time=value).to_json() == lease.to_json()
    event = k.CoreV1Event(
        event_time=value,
        first_timestamp=value,
        involved_object=k.V1ObjectReference(),
        metadata=k.V1ObjectMeta(),
    )
    assert event.to_dict()["eventTime"] == lease.to_dict()["renewTime"]
    assert event.to_dict()["firstTimestamp"] == "2024-01-31T12:00:00Z"


def test_times_in_a_map_are_times(k: Any) -> None:
    status = k.V1PodDisruptionBudgetStatus(
        current_healthy=1,
        desired_healthy=1,
        disruptions_allowed=1,
        expected_pods=1,
        disrupted_pods={"a": MOMENT.replace(microsecond=7, tzinfo=None)},
    )
    assert status.to_dict()["disruptedPods"] == {"a": "2024-01-31T12:00:00Z"}
    assert type(status).from_json(status.to_json()) == status


def test_other_zones_keep_the_moment(k: Any) -> None:
    text = '{"renewTime":"2024-01-31T14:00:00.5+02:00"}'
    read = k.V1LeaseSpec.from_json(text)
    assert read.renew_time == MOMENT.replace(microsecond=500_000)
    assert read.to_json() == '{"renewTime":"2024-01-31T14:00:00.500000+02:00"}'
    with pytest.raises(k.ModelError, match="expected a time"):
        k.V1LeaseSpec(renew_time="soon")
    with pytest.raises(k.ModelError, match=r"^renewTime: expected a time"):
        k.V1LeaseSpec.from_dict({"renewTime": 5})


MANIFEST = """\
# two objects, a list, and a kind that Kubernetes does not have
apiVersion: v1
kind: ConfigMap
metadata: {name: a, annotations: {when: 2024-01-31, time: "12:30"}}
data:
  1: "yes"
  script: |
    line
    line
---
apiVersion: apps/v1
kind: Deployment
spec:
  selector: {}
  template: {spec: {containers: [{name: a, ports: [{containerPort: 0o120}]}]}}
---
---
apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: Pod, metadata: {name: b}}
---
apiVersion: example.com/v1
kind: Widget
spec: {size: 1e3, at: 12:30:45, on: y}
"""


def test_manifests_find_their_classes_and_come_back(k: Any, tmp_path: Path) -> None:
    config, deployment, several, widget = k.load(MANIFEST)
    assert type(config) is k.V1ConfigMap
    assert config.metadata.annotations == {"when": "2024-01-31", "time": "12:30"}
    assert config.data == {"1": "yes", "script": "line\nline\n"}
    container = deployment.spec.template.spec.containers[0]
    assert container.ports[0].container_port == 0o120
    assert several["items"] == [
        k.V1Pod(api_version="v1", kind="Pod", metadata=k.V1ObjectMeta(name="b"))
    ]
    # As kubectl's YAML has them.
    assert widget["spec"] == {"size": 1000.0, "at": "12:30:45", "true": True}

    objects = [config, deployment, several, widget]
    path = tmp_path / "manifest.yaml"
    path.write_text(k.dump(objects))
    assert k.load(path) == objects
    with path.open("rb") as file:
        assert k.load(file) == objects
    assert k.load(k.dump_json(objects)) == objects
    assert k.load(k.dump(config)) == [config]
    assert "script: |\n" in k.dump(config)


def test_manifests_that_are_wrong_say_where(k: Any) -> None:
    assert k.model_for("apps/v1", "Deployment") is k.V1Deployment
    assert k.model_for("apps/v1", "Pod") is None
    bad = "---\nkind: Pod\napiVersion: v1\n---\nkind: Pod\napiVersion: v1\nspec: {}\n"
    with pytest.raises(k.ModelError, match=r"^\[1\]\.spec\.containers: required"):
        k.load(bad)
    with pytest.raises(k.ModelError, match="no model for kind 'Widget'"):
        k.load("{kind: Widget, apiVersion: example.com/v1}", strict=True)
    with pytest.raises(k.ModelError, match="unknown field"):
        k.load("{kind: Pod, apiVersion: v1, spce: {}}", strict=True)
    for text in ("a: [", "- 1", "{'a", "\x00", "!!python/object:os.system {}"):
        with pytest.raises(k.ModelError):
            k.load(text)


TEXTS = st.text(
    st.characters(exclude_categories=["Cs"]), max_size=20
) | st.sampled_from(
    [
        "y",
        "n",
        "on",
        "yes",
        "null",
        "~",
        "1e3",
        "0o7",
        "0x1f",
        "07",
        "12:30",
        "1_000",
        ".5",
        "+1",
        "-",
        "?",
        ":",
        "=",
        "<<",
        "2024-01-31",
        "2024-01-31 12:00:00",
        " a",
        "a ",
        "a: b",
        "#",
        "a\n",
        "\n a\n\n",
        "!a",
        "1.",
        "",
    ]
)


@given(st.dictionaries(TEXTS, TEXTS, max_size=5), TEXTS)
@settings(max_examples=300, deadline=None)
def test_any_text_survives_yaml_and_json(
    k: Any, data: dict[str, str], name: str
) -> None:
    config = k.V1ConfigMap(
        api_version="v1",
        kind="ConfigMap",
        data=data,
        metadata=k.V1ObjectMeta(name=name),
    )
    assert k.load(k.dump(config)) == [config]
    assert k.load(k.dump_json(config)) == [config]


JSON = st.recursive(
    st.booleans() | st.integers(-(2**63), 2**63 - 1) | TEXTS,
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=6,
)


def values(kind: Any, depth: int) -> st.SearchStrategy[Any]:
    """JSON values that an annotation of a printed class allows."""
    import types
    import typing

    import msgspec

    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if kind is Any:
        return JSON
    if origin in (types.UnionType, typing.Union):
        return st.one_of(
            values(each, depth) for each in arguments if each is not type(None)
        )
    if origin is list:
        return st.lists(values(arguments[0], depth), max_size=2)
    if origin is dict:
        return st.dictionaries(TEXTS, values(arguments[1], depth), max_size=2)
    if issubclass(kind, msgspec.Struct):
        return st.deferred(lambda: objects(kind, depth - 1))
    if issubclass(kind, dt.datetime):
        digits = "" if kind is dt.datetime else ".000017"
        return st.datetimes(dt.datetime(1, 1, 2), dt.datetime(9999, 12, 30)).map(
            lambda at: at.strftime("%4Y-%m-%dT%H:%M:%S").zfill(19) + digits + "Z"
        )
    if kind is float:
        return st.floats(allow_nan=False, allow_infinity=False)
    if kind is int:
        return st.integers(-(2**63), 2**63 - 1)
    return {str: TEXTS, bool: st.booleans()}[kind]


def objects(model: Any, depth: int) -> st.SearchStrategy[Any]:
    import msgspec

    required, optional = {}, {}
    for field in msgspec.structs.fields(model):
        if field.required:
            required[field.encode_name] = values(field.type, depth)
        elif depth > 0:
            optional[field.encode_name] = values(field.type, depth)
    return st.fixed_dictionaries(required, optional=optional)


def test_objects_of_every_class_lose_nothing(k: Any) -> None:
    for name in k.models.__all__:
        _loses_nothing(getattr(k.models, name))


def _loses_nothing(model: Any) -> None:
    @given(objects(model, 2))
    @settings(
        max_examples=5,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    def check(raw: Any) -> None:
        read = model.from_dict(raw, strict=True)
        assert read.to_dict() == raw
        assert model.from_json(json.dumps(raw), strict=True) == read
        assert model.from_json(read.to_json()) == read
        assert model.from_dict(read.to_dict()) == read
        assert pickle.loads(pickle.dumps(read)) == read

    check()


def test_every_kind_goes_through_load_and_dump(k: Any) -> None:
    from importlib import import_module

    kinds = import_module(f"{PACKAGE}._kinds").KINDS
    assert kinds["batch/v1"]["CronJob"] == "V1CronJob"
    for api_version, names in kinds.items():
        for kind, name in names.items():
            found = k.model_for(api_version, kind)
            assert found is getattr(k, name)


def test_importing_the_package_imports_nothing_else(folder: Path) -> None:
    """People pay for what they use: msgspec, too, comes with the first class."""
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
        env={"PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
        check=True,
    )
    first, second = done.stdout.split("\n")[:2]
    assert first == "0 False"
    # V1ConfigMap, V1ObjectMeta, V1OwnerReference, V1ManagedFieldsEntry.
    assert second == "4 False"
