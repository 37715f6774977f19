"""Models of one release keep the fields that servers of other releases have."""

from __future__ import annotations

import copy
import json
import pickle
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest

from kubestencil.targets.examples.trees import ExampleTrees
from tests.api_server import Client
from tests.conftest import RELEASES, load
from tests.kind_examples import KIND_EXAMPLES
from tests.manifests import manifests
from tests.packages import generate_package, import_package

#: Each release with the models of the oldest one in each run, all pairs with ``-m ""``.
PAIRS = [
    pytest.param(
        models,
        server,
        marks=(
            ()
            if (models, server) == (RELEASES[0], RELEASES[-1])
            else pytest.mark.nightly
        ),
    )
    for models in RELEASES
    for server in RELEASES
    if models != server
]


#: Kinds of which a release requires fields that another one does not have.
REQUIRE_MORE = {"PodCertificateRequest", "StorageVersion"}


@cache
def examples(release: str) -> tuple[dict[str, Any], ...]:
    """An object with all fields of each kind."""
    document = load(release)
    trees = ExampleTrees(document)
    return tuple(
        value
        for definition in document.definitions.values()
        if len(definition.kinds) == 1 and (value := trees.all_fields(definition))
    )


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Any:
    @cache
    def package(release: str) -> Any:
        name = f"kept_{release.replace('.', '_')}"
        folder = tmp_path_factory.mktemp(name)
        return import_package(generate_package(load(release), folder, name), name)

    return package


def unknown_fields(model: Any) -> Iterator[str]:
    """The names of the unknown fields anywhere in a model."""
    if isinstance(model, list):
        for item in model:
            yield from unknown_fields(item)
    elif isinstance(model, dict):
        yield from unknown_fields(list(model.values()))
    elif hasattr(model, "__struct_fields__"):
        yield from model.unknown_fields
        names = type(model).attribute_map
        yield from unknown_fields([getattr(model, name) for name in names])


@pytest.mark.parametrize(("models", "server"), PAIRS)
def test_what_another_release_has_is_kept(
    models: str, server: str, packages: Any
) -> None:
    package = packages(models)
    count = 0
    kept: set[str] = set()
    for raw in examples(server):
        model = package.model_for(raw["apiVersion"], raw["kind"])
        if model is None or raw["kind"].removesuffix("List") in REQUIRE_MORE:
            continue
        read = model.from_json(json.dumps(raw))
        assert read == model.from_dict(raw)
        assert json.loads(read.to_json()) == read.to_dict() == raw
        assert package.load(package.dump(read))[0].to_dict() == raw
        for copied in (copy.deepcopy(read), pickle.loads(pickle.dumps(read))):
            assert copied == read and copied.to_dict() == raw
        kept |= set(unknown_fields(copied))
        count += 1
    assert count > 100
    assert kept or RELEASES.index(models) > RELEASES.index(server)


def test_unknown_fields_are_kept_beside_attributes_that_change(package: Any) -> None:
    text = """{
        "spec": {
            "containers": [{"name": "a", "newer": {"x": [1]}}], "volumes": null,
            "newest": null
        }
    }"""
    pod = package.V1Pod.from_json(text)
    (container,) = pod.spec.containers
    assert container.unknown_fields == {"newer": {"x": [1]}}
    assert pod.spec.unknown_fields == {"newest": None}
    assert pod.unknown_fields == {}
    container.image = "b"
    container.unknown_fields = {**container.unknown_fields, "other": True}
    pod = pod.replace(unknown_fields={"top": 1})
    assert pod.to_dict() == {
        "apiVersion": "v1",
        "kind": "Pod",
        "spec": {
            "containers": [
                {"name": "a", "image": "b", "newer": {"x": [1]}, "other": True}
            ],
            "newest": None,
        },
        "top": 1,
    }
    assert pod.to_dict(names="python")["top"] == 1
    assert dict(pod)["top"] == 1
    assert package.V1Pod(unknown_fields={"a": 1}).to_dict()["a"] == 1
    # An attribute that has a value is what is written.
    container.unknown_fields = {"image": "c"}
    assert container.to_dict()["image"] == "b"
    with pytest.raises(TypeError):
        container.unknown_fields["image"] = "d"


def test_the_official_client_does_not_drop_unknown_fields_in_silence(
    package: Any,
) -> None:
    """Its ApiClient reads attribute_map and openapi_types of each object."""
    names = package.V1Pod().attribute_map
    assert names == package.V1Pod.attribute_map
    pod = package.V1Pod.from_dict({"newer": 1})
    for name in ("attribute_map", "openapi_types"):
        with pytest.raises(AttributeError, match="V1Pod has unknown_fields"):
            getattr(pod, name)


def test_a_kind_is_written_with_its_api_version_and_kind(package: Any) -> None:
    pod = package.V1Pod(metadata=package.V1ObjectMeta(name="a"))
    written = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}}
    assert pod.to_dict() == json.loads(pod.to_json()) == written
    for dump in (package.dump, package.dump_json):
        assert [each.to_dict() for each in package.load(dump(pod))] == [written]
    assert pod.kind is None
    # Of a class that has several, it is not known which is meant.
    assert package.V1DeleteOptions().to_dict() == {}
    assert package.V1ObjectMeta().to_dict() == {}


@pytest.fixture(scope="module")
def served_objects(api_server: Client) -> Iterator[list[str]]:
    """The paths of objects of each kind that a server has, but of those that decide
    about other objects."""
    found = []
    for item in [*manifests(), *KIND_EXAMPLES.values()]:
        item = {**item, "metadata": {**item.get("metadata", {}), "name": "kept-by-all"}}
        item["metadata"].pop("namespace", None)
        if item["apiVersion"].startswith("admissionregistration.k8s.io/"):
            continue
        endpoint = api_server.endpoints(item["apiVersion"]).get(item["kind"])
        if endpoint is None:
            continue
        path = endpoint.path("default")
        # The API server compares the bytes of the data of a ControllerRevision.
        body = json.dumps(item, separators=(",", ":")).encode()
        created = api_server.request("POST", path, body)
        if created.status == 201:
            found.append(f"{path}/kept-by-all")
    yield found
    for path in found:
        api_server.delete(path)


@pytest.mark.parametrize("release", RELEASES)
def test_models_of_each_release_replace_objects_of_a_server(
    release: str, api_server: Client, served_objects: list[str], packages: Any
) -> None:
    """Nothing is lost of what a server has that is newer, or older."""
    replaced = 0
    for path in served_objects:
        read = api_server.request("GET", path)
        if read.status in (404, 405):  # reviews are not stored
            continue
        served = read.body
        model = packages(release).model_for(served["apiVersion"], served["kind"])
        if model is None or served["kind"] in REQUIRE_MORE:
            continue
        item = model.from_json(json.dumps(served))
        item.metadata.labels = {"team": "a"}
        body = item.to_json().encode()
        answer = api_server.request("PUT", f"{path}?dryRun=All", body)
        assert answer.status == 200, answer.message
        assert answer.body["metadata"]["labels"]["team"] == "a"
        kept = {**answer.body, "metadata": None}
        assert kept == {**served, "metadata": None}
        replaced += 1
    assert replaced >= 30
