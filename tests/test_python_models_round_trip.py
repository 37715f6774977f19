"""The generated classes read manifests and write them back, and lose no data of any
object."""

from __future__ import annotations

import datetime as dt
import json
import pickle
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

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


def test_manifests_are_read_as_classes_and_written_back(
    package: Any, tmp_path: Path
) -> None:
    config, deployment, pod, widget = package.load(MANIFEST)
    assert type(config) is package.V1ConfigMap
    assert config.metadata.annotations == {"when": "2024-01-31", "time": "12:30"}
    assert config.data == {"1": "yes", "script": "line\nline\n"}
    container = deployment.spec.template.spec.containers[0]
    assert container.ports[0].container_port == 0o120
    # The item of a List.
    assert pod == package.V1Pod(
        api_version="v1", kind="Pod", metadata=package.V1ObjectMeta(name="b")
    )
    # As kubectl's YAML has them.
    assert widget["spec"] == {"size": 1000.0, "at": "12:30:45", "true": True}

    objects = [config, deployment, pod, widget]
    path = tmp_path / "manifest.yaml"
    path.write_text(package.dump(objects))
    assert package.load(path) == objects
    with path.open("rb") as file:
        assert package.load(file) == objects
    assert package.load(package.dump_json(objects)) == objects
    assert package.load(package.dump(config)) == [config]
    assert "script: |\n" in package.dump(config)


def test_errors_in_manifests_have_a_path(package: Any) -> None:
    assert package.model_for("apps/v1", "Deployment") is package.V1Deployment
    assert package.model_for("apps/v1", "Pod") is None
    bad = "---\nkind: Pod\napiVersion: v1\n---\nkind: Pod\napiVersion: v1\nspec: {}\n"
    with pytest.raises(package.ModelError, match=r"^\[1\]\.spec\.containers: required"):
        package.load(bad)
    with pytest.raises(package.ModelError, match="no model for kind 'Widget'"):
        package.load("{kind: Widget, apiVersion: example.com/v1}", strict=True)
    with pytest.raises(package.ModelError, match="unknown field"):
        package.load("{kind: Pod, apiVersion: v1, spce: {}}", strict=True)
    for text in ("a: [", "- 1", "{'a", "\x00", "!!python/object:os.system {}"):
        with pytest.raises(package.ModelError):
            package.load(text)


# Strings that one YAML library or another reads as something else.
AMBIGUOUS_STRINGS = [
    "y", "n", "on", "yes", "null", "~", "1e3", "0o7", "0x1f", "07", "12:30", "1_000",
    ".5", "+1", "-", "?", ":", "=", "<<", "2024-01-31", "2024-01-31 12:00:00", " a", "a ",
    "a: b", "#", "a\n", "\n a\n\n", "!a", "1.", "",
]  # fmt: skip
STRINGS = st.text(
    st.characters(exclude_categories=["Cs"]), max_size=20
) | st.sampled_from(AMBIGUOUS_STRINGS)


@pytest.mark.nightly
@given(st.dictionaries(STRINGS, STRINGS, max_size=5), STRINGS)
@settings(max_examples=300, deadline=None)
def test_any_string_survives_yaml_and_json(
    package: Any, data: dict[str, str], name: str
) -> None:
    config = package.V1ConfigMap(
        api_version="v1",
        kind="ConfigMap",
        data=data,
        metadata=package.V1ObjectMeta(name=name),
    )
    assert package.load(package.dump(config)) == [config]
    assert package.load(package.dump_json(config)) == [config]


JSON = st.recursive(
    st.booleans() | st.integers(-(2**63), 2**63 - 1) | STRINGS,
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(STRINGS, inner, max_size=3),
    max_leaves=6,
)


def values(annotation: Any, depth: int) -> st.SearchStrategy[Any]:
    """JSON values that an annotation of a generated class allows."""
    import types
    import typing

    import msgspec

    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if annotation is Any:
        return JSON
    if annotation is dict:
        return st.dictionaries(STRINGS, JSON, max_size=2)
    if origin is typing.Annotated:
        texts = getattr(arguments[1], "values", None)
        return st.sampled_from(texts) if texts else values(arguments[0], depth)
    if origin in (types.UnionType, typing.Union):
        return st.one_of(
            *(
                values(argument, depth)
                for argument in arguments
                if argument is not type(None)
            )
        )
    if origin is list:
        return st.lists(values(arguments[0], depth), max_size=2)
    if origin is dict:
        return st.dictionaries(STRINGS, values(arguments[1], depth), max_size=2)
    if issubclass(annotation, msgspec.Struct):
        return st.deferred(lambda: objects(annotation, depth - 1))
    if issubclass(annotation, dt.datetime):
        digits = "" if annotation is dt.datetime else ".000017"
        return st.datetimes(dt.datetime(1, 1, 2), dt.datetime(9999, 12, 30)).map(
            lambda at: at.strftime("%4Y-%m-%dT%H:%M:%S").zfill(19) + digits + "Z"
        )
    if annotation is float:
        return st.floats(allow_nan=False, allow_infinity=False)
    if annotation is int:
        return st.integers(-(2**63), 2**63 - 1)
    return {str: STRINGS, bool: st.booleans()}[annotation]


def objects(model: Any, depth: int) -> st.SearchStrategy[Any]:
    import msgspec

    required, optional = {}, {}
    for field in msgspec.structs.fields(model):
        if field.name == "unknown_fields":
            continue
        if field.required:
            required[field.encode_name] = values(field.type, depth)
        elif depth > 0:
            optional[field.encode_name] = values(field.type, depth)
    return st.fixed_dictionaries(required, optional=optional)


@pytest.mark.nightly
def test_no_class_loses_data(package: Any) -> None:
    for name in package.models.__all__:
        _check_no_loss(getattr(package.models, name))


def _check_no_loss(model: Any) -> None:
    @given(objects(model, 2))
    @settings(
        max_examples=5,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    def check(raw: Any) -> None:
        read = model.from_dict(raw, strict=True)
        written = read.to_dict()
        assert {**written, **raw} == written
        # A kind is written with what raw may lack.
        assert written.keys() - raw.keys() <= {"apiVersion", "kind"}
        assert model.from_json(json.dumps(raw), strict=True) == read
        assert json.loads(read.to_json()) == written
        again = model.from_dict(written)
        assert model.from_json(read.to_json()) == again
        assert model.from_dict({key: written[key] for key in raw}) == read
        assert pickle.loads(pickle.dumps(read)) == read

    check()
