"""Objects that kubestencil makes, beside a real API server: examples of kinds, and what
the generated Python classes write, submitted as dry runs with strict validation."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator, Mapping
from operator import itemgetter
from pathlib import Path
from typing import Any

import pytest

from kubestencil.schema import Release
from tests.api_server import Client, Reply
from tests.cel import cel_rules, is_failure
from tests.conftest import load, load_with_crds, rest_nightly
from tests.examples import examples
from tests.manifests import manifests
from tests.packages import generate_package, import_package

Crds = list[dict[str, Any]]

SHAPES = ("required", "all_fields")
#: The examples that CEL rules refuse, by shape.
REFUSED = Path(__file__).with_name("refused_examples.toml")


@pytest.fixture(scope="module")
def crd_release(cluster_crds: Crds) -> Release:
    return load_with_crds("1.35", cluster_crds)


def submit_examples(client: Client, values: Mapping[str, Any]) -> dict[str, Reply]:
    return dict(zip(values, client.submit_all(values.values()), strict=True))


@pytest.mark.nightly
@pytest.mark.parametrize("shape", SHAPES)
def test_examples_of_custom_resources_are_refused_by_cel_rules_only(
    api_server: Client, custom_resources: Crds, crd_release: Release, shape: str
) -> None:
    rules = {
        kind: [*cel_rules(crd["spec"]["versions"])]
        for crd in custom_resources
        for kind, _ in versions(crd)
    }
    values = examples(crd_release, shape)
    custom = {kind: values[kind] for kind in rules}
    refused: list[str] = []
    for kind, reply in submit_examples(api_server, custom).items():
        if reply.accepted:
            continue
        assert reply.status == 422, (kind, reply.message)
        for field, _, message in reply.causes:
            assert any(is_failure(rule, message) for rule in rules[kind]), (
                kind,
                field,
                message,
            )
        refused.append(kind)
    assert sorted(refused) == tomllib.loads(REFUSED.read_text())[shape]


@pytest.mark.parametrize("shape", rest_nightly(SHAPES))
def test_examples_of_built_in_kinds_are_decoded(api_server: Client, shape: str) -> None:
    values = examples(load("1.35"), shape)
    statuses: list[int] = []
    for kind, reply in submit_examples(api_server, values).items():
        # Types and names of fields are right; values may still be refused.
        assert "decoding" not in reply.message, (kind, reply.message)
        assert "cannot be handled" not in reply.message, (kind, reply.message)
        statuses.append(reply.status)
    assert statuses.count(201) >= {"required": 32, "all_fields": 5}[shape]


def test_manifests_are_accepted(api_server: Client) -> None:
    for value, reply in zip(
        manifests(), api_server.submit_all(manifests()), strict=True
    ):
        assert reply.accepted, (value["kind"], value["metadata"], reply.message)


def test_objects_of_built_in_classes_survive_the_server(
    api_server: Client, package: Any
) -> None:
    for value in manifests():
        instance, returned = send_and_return(api_server, package, value)
        assert [*lost(instance.to_dict(), returned.to_dict())] == []


@pytest.mark.nightly
def test_objects_of_custom_classes_survive_the_server(
    api_server: Client,
    custom_resources: Crds,
    crd_release: Release,
    tmp_path: Path,
) -> None:
    folder = generate_package(crd_release, tmp_path, "server_models")
    package = import_package(folder, "server_models")
    refused = tomllib.loads(REFUSED.read_text())
    values = {shape: examples(crd_release, shape) for shape in SHAPES}
    counts = {"sent": 0, "other_versions": 0}
    for crd in custom_resources:
        for kind, is_stored in while_stored(api_server, crd):
            for shape in SHAPES:
                if kind not in refused[shape]:
                    value = values[shape][kind]
                    instance, returned = send_and_return(api_server, package, value)
                    assert [*lost(instance.to_dict(), returned.to_dict())] == [], kind
                    counts["sent"] += 1
                    counts["other_versions"] += not is_stored
    assert counts == {"sent": 286, "other_versions": 75}


def while_stored(client: Client, crd: Mapping[str, Any]) -> Iterator[tuple[str, bool]]:
    """The same as ``versions``, each while the server stores objects in it: it prunes
    what is sent in other versions by the schema of the stored one, if they are not
    converted by a webhook. The version that the CustomResourceDefinition stores comes
    last."""
    served = sorted(versions(crd), key=itemgetter(1))
    for kind, is_stored in served:
        if len(served) > 1 or not is_stored:
            api_version, _, _ = kind.partition(" ")
            client.store_in(crd, api_version.rpartition("/")[2])
        yield kind, is_stored


def versions(crd: Mapping[str, Any]) -> Iterator[tuple[str, bool]]:
    """The versions of a kind that are served, and whether objects are stored in it."""
    spec = crd["spec"]
    for version in spec["versions"]:
        if version["served"]:
            kind = f"{spec['group']}/{version['name']} {spec['names']['kind']}"
            yield kind, version["storage"]


def submit_instance(
    client: Client, package: Any, value: Mapping[str, Any]
) -> tuple[Any, Reply]:
    """Check that the class of an object writes it as it was, and that the server
    accepts that; returns the instance, and what the server says."""
    [instance] = package.load(json.dumps(value), strict=True)
    assert not isinstance(instance, dict), value["kind"]
    sent = json.loads(instance.to_json())
    assert sent == value
    reply = client.submit(sent)
    assert reply.accepted, (value["kind"], reply.message)
    return instance, reply


def send_and_return(
    client: Client, package: Any, value: Mapping[str, Any]
) -> tuple[Any, Any]:
    """The same, and check that the class loses nothing of what the server returns;
    returns both instances."""
    instance, reply = submit_instance(client, package, value)
    [returned] = package.load(json.dumps(reply.body), strict=True)
    assert type(returned) is type(instance)
    assert returned.to_dict() == without_null(reply.body)
    return instance, returned


def without_null(value: Any) -> Any:
    """A JSON value without the fields that are null, as the server writes absent times
    (``eventTime``)."""
    if isinstance(value, dict):
        return {
            key: without_null(inner)
            for key, inner in value.items()
            if inner is not None
        }
    return [without_null(item) for item in value] if isinstance(value, list) else value


#: The fields of ObjectMeta that the server sets, and of cluster-scoped kinds removes.
_SET_BY_SERVER = {
    f".metadata.{name}"
    for name in (
        "creationTimestamp",
        "deletionGracePeriodSeconds",
        "deletionTimestamp",
        "generation",
        "managedFields",
        "namespace",
        "resourceVersion",
        "selfLink",
        "uid",
    )
}


def lost(value: Any, returned: Any, path: str = "") -> Iterator[str]:
    """What a returned object does not have of the one that was sent: the server adds
    defaults and items, and leaves out what is empty."""
    if path in _SET_BY_SERVER:
        return
    if isinstance(value, dict) and isinstance(returned, dict):
        for key, inner in value.items():
            if inner not in (None, "", 0, False, [], {}) or key in returned:
                yield from lost(inner, returned.get(key), f"{path}.{key}")
    elif isinstance(value, list) and isinstance(returned, list):
        if len(value) > len(returned):
            yield f"{path}: {len(value)} items, {len(returned)}"
        for index, (item, other) in enumerate(zip(value, returned, strict=False)):
            yield from lost(item, other, f"{path}[{index}]")
    elif value != returned:
        yield f"{path}: {value!r}, {returned!r}"
