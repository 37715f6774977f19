"""Custom kinds in the generated Python package: modules, names, reading and writing."""

from __future__ import annotations

import datetime as dt
import json
import pickle
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from tests.cluster import load_crds
from tests.conftest import load, load_with_crds
from tests.packages import generate_package, import_package
from tests.python_crds import GADGET, POD, in_group
from tests.test_formatting import is_formatted

PACKAGE = "custom_models"
UTC = dt.UTC


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package of Kubernetes 1.35 with custom resources."""
    release = load_with_crds(
        "1.35",
        [
            GADGET,
            POD,
            in_group(POD, "x.api.k8s.io"),
            in_group(GADGET, "x-y.example.com"),
        ],
    )
    return generate_package(release, tmp_path_factory.mktemp("models"), PACKAGE)


@pytest.fixture(scope="module")
def package(folder: Path) -> Any:
    return import_package(folder, PACKAGE)


@pytest.fixture(scope="module")
def v1(package: Any) -> Any:
    """The module of example.com/v1."""
    return package.example_com.v1


def test_a_group_and_version_is_a_module_with_its_classes(package: Any) -> None:
    module = import_module(f"{PACKAGE}.example_com.v1")
    assert module is package.example_com.v1
    assert (
        set(module.__all__)
        == set(dir(module)) & set(module.__all__)
        == {
            "Gadget",
            "GadgetList",
            "GadgetSpec",
            "GadgetSpecEither",
            "GadgetSpecHostAliases",
            "GadgetSpecHostAliasesDa38",
            "GadgetSpecIssuerRef",
            "GadgetSpecOpen",
            "GadgetSpecOpenInner",
            "GadgetSpecOpens",
            "GadgetSpecShaped",
            "GadgetSpecShapedSpec",
            "Pod",
            "PodList",
        }
    )
    assert set(package.example_com.__all__) == {"v1", "v1beta1"}
    assert (
        set(package._GROUPS)
        == {
            "example_com",
            "x_api_k8s_io",
            "x_y_example_com",
        }
        <= set(dir(package))
    )
    assert package.example_com.v1.Gadget is not package.x_y_example_com.v1.Gadget
    with pytest.raises(AttributeError, match="Gadgets"):
        module.Gadgets  # noqa: B018
    with pytest.raises(ImportError):
        exec(f"from {PACKAGE}.example_com import v2")


def test_built_in_models_stay_as_they_are(folder: Path, tmp_path: Path) -> None:
    """Even beside a kind whose group makes its name look like a built-in one."""
    generate_package(load("1.35"), tmp_path, PACKAGE)
    models = Path(PACKAGE) / "models"
    files = {path.name: path.read_bytes() for path in (tmp_path / models).iterdir()}
    assert files == {
        path.name: path.read_bytes() for path in (folder / models).glob("*.py*")
    }
    for name in ("_base.py", "_yaml.py"):
        path = Path(PACKAGE) / name
        assert (tmp_path / path).read_bytes() == (folder / path).read_bytes()


def test_black_leaves_every_file_unchanged(folder: Path, tmp_path: Path) -> None:
    """Those of the built-in models are compared elsewhere."""
    generate_package(load_crds(GADGET, POD), tmp_path, PACKAGE)
    paths = [
        path
        for package in (folder / PACKAGE, tmp_path / PACKAGE)
        for path in sorted(package.rglob("*.py*"))
        if path.suffix in (".py", ".pyi") and path.parent != folder / PACKAGE / "models"
    ]
    assert len(paths) > 40
    for path in paths:
        assert is_formatted(path.read_text(), path.suffix == ".pyi"), path


def test_a_custom_class_is_imported_on_first_use(folder: Path) -> None:
    """Neither the package nor the module of a version imports what is not used."""
    code = (
        f"import sys, {PACKAGE}.example_com.v1 as v1\n"
        "print('msgspec' in sys.modules)\n"
        "v1.Pod\n"
        "print(sorted(m for m in sys.modules if '_com.v1.' in m or '.models.' in m))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={"PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
        check=True,
    )
    first, second = done.stdout.split("\n")[:2]
    assert first == "False"
    assert f"{PACKAGE}.example_com.v1._pod" in second
    assert "_gadget" not in second
    assert "v1_pod" not in second


def test_kinds_are_found_by_load_dump_and_model_for(package: Any, v1: Any) -> None:
    assert package.model_for("example.com/v1", "Gadget") is v1.Gadget
    assert package.model_for("example.com/v1", "Gadgets") is None
    assert package.model_for("v1", "Pod") is package.V1Pod
    text = """\
apiVersion: example.com/v1
kind: Gadget
metadata: {name: a, labels: {app: x}}
spec: {mode: "off", open: {unknown: [1, null]}}
---
apiVersion: v1
kind: List
items:
- {apiVersion: example.com/v1, kind: Pod, spec: {x: 0.5}}
"""
    gadget, item = package.load(text)
    assert type(gadget) is v1.Gadget
    assert gadget.metadata == package.V1ObjectMeta(name="a", labels={"app": "x"})
    assert type(item) is v1.Pod
    assert package.load(package.dump([gadget, item])) == [gadget, item]
    assert package.load(package.dump_json([gadget, item])) == [gadget, item]
    assert "unknown" in package.dump(gadget)
    with pytest.raises(
        package.ModelError, match=r"^\[1\]\.spec\.mode: expected 'On' or"
    ):
        package.load(
            "{kind: Pod, apiVersion: v1}\n---\n"
            "{kind: Gadget, apiVersion: example.com/v1, spec: {mode: x}}"
        )


def spec(v1: Any, **fields: Any) -> Any:
    """A spec that is read from JSON, and written as it was read."""
    raw = {"mode": "On", **fields}
    read = v1.GadgetSpec.from_json(json.dumps(raw))
    assert read == v1.GadgetSpec.from_dict(raw, strict=True)
    assert read.to_dict() == json.loads(read.to_json()) == raw
    return read


def test_objects_are_made_with_keywords(v1: Any) -> None:
    gadget = v1.Gadget(
        spec=v1.GadgetSpec(
            mode="On",
            issuer_ref=v1.GadgetSpecIssuerRef(name="ca"),
            host_aliases=v1.GadgetSpecHostAliases(ip="a"),
            host_aliases_0326=v1.GadgetSpecHostAliasesDa38(ip="b"),
            _class="c",
            foo_bar_baz="d",
            list="e",
            ports=[1, "http"],
        )
    )
    assert gadget.to_dict() == {
        "apiVersion": "example.com/v1",
        "kind": "Gadget",
        "spec": {
            "class": "c",
            "foo.bar/baz": "d",
            "hostAliases": {"ip": "a"},
            "host_aliases": {"ip": "b"},
            "issuerRef": {"name": "ca"},
            "list": "e",
            "mode": "On",
            "ports": [1, "http"],
        },
    }
    assert v1.Gadget.from_json(gadget.to_json()).spec == gadget.spec
    assert v1.GadgetSpec.from_dict(gadget.spec.to_dict()) == gadget.spec
    assert gadget.spec.attribute_map["foo_bar_baz"] == "foo.bar/baz"
    assert gadget.openapi_types.keys() == gadget.attribute_map.keys()
    with pytest.raises(TypeError, match="name"):
        v1.GadgetSpecIssuerRef()


def test_python_names_come_back(v1: Any) -> None:
    """Also those that are the JSON name of another field, and times as they are."""
    read = spec(v1, host_aliases={"ip": "b"}, since="2024-01-31T12:00:00.50+01:00")
    made = v1.GadgetSpec(mode="On", since=NOON)
    for value in (read, made):
        again = v1.GadgetSpec.from_dict(value.to_dict(names="python"))
        assert (again, again.to_json()) == (value, value.to_json())


@pytest.mark.parametrize(
    ("field", "value", "expected"),
    [
        ("mode", "Off", "'On' or 'off' or 'a \"b\"' or 'Ü' or '世', got 'Off'"),
        ("size", 4, "1 or 2 or 3, got int"),
        ("size", True, "1 or 2 or 3, got bool"),
        ("mixed", 2, "'a' or 1, got int"),
        ("port", 0.5, "int or str, got float"),
        ("open", "x", "object, got str"),
        ("template", [], "object, got list"),
        ("when", "now", "a time (RFC 3339), got 'now'"),
        ("gaps", 1, "list, got int"),
        ("mode", None, "'On' or 'off' or 'a \"b\"' or 'Ü' or '世', got null"),
    ],
)
def test_invalid_values_are_refused(
    package: Any, v1: Any, field: str, value: Any, expected: str
) -> None:
    raw = {"spec": {"mode": "On", field: value}}
    for strict in (False, True):
        for read in (
            v1.Gadget.from_dict,
            lambda raw, strict: v1.Gadget.from_json(json.dumps(raw), strict=strict),
        ):
            with pytest.raises(package.ModelError) as caught:
                read(raw, strict=strict)
            assert str(caught.value) == f"spec.{field}: expected {expected}"


def test_unknown_fields_are_kept_where_the_api_server_keeps_them(
    package: Any, v1: Any
) -> None:
    read = spec(v1, open={"known": "a", "x": {"y": [1, None, 2.50]}, "inner": {"z": 1}})
    assert read.open.known == "a"
    assert read.open.unknown_fields == {"x": {"y": [1, None, 2.5]}}
    assert read.open.inner.unknown_fields == {"z": 1}
    assert spec(v1, opens=[{"a": 1}, {"known": "b"}]).opens == [
        v1.GadgetSpecOpens(unknown_fields={"a": 1}),
        v1.GadgetSpecOpens(known="b"),
    ]
    assert spec(v1, raw={"a": None}, anything=[{"b": None}]).anything == [{"b": None}]
    raw = {"mode": "On", "other": 1, "open": {"known": "a"}}
    assert "other" not in v1.GadgetSpec.from_dict(raw).to_dict()
    with pytest.raises(package.ModelError, match=r"^other: unknown field"):
        v1.GadgetSpec.from_dict(raw, strict=True)
    open_ = v1.GadgetSpecOpen(known="a", unknown_fields={"known": "b", "c": 1})
    assert open_.to_dict() == {"known": "a", "c": 1}
    assert open_.replace(known=None).to_dict() == {"known": "b", "c": 1}
    with pytest.raises(AttributeError, match="unknown_fields, which only to_dict"):
        open_.attribute_map  # noqa: B018
    # Where a field of any value contains a model.
    assert v1.GadgetSpec(mode="On", anything=[open_]).to_dict()["anything"] == [
        {"known": "a", "c": 1}
    ]


def test_a_kind_without_a_schema_keeps_everything(package: Any) -> None:
    for group, module in (
        ("example.com", package.example_com.v1),
        ("x.api.k8s.io", package.x_api_k8s_io.v1),
    ):
        raw: dict[str, Any] = {
            "apiVersion": f"{group}/v1",
            "kind": "Pod",
            "metadata": {"name": "a"},
            "spec": {"containers": [{}]},
            "x": None,
        }
        pod = module.Pod.from_dict(raw, strict=True)
        assert pod.metadata == package.V1ObjectMeta(name="a")
        assert pod.to_dict() == raw
        assert package.load(package.dump(pod)) == [pod]


def test_a_field_whose_name_cannot_be_an_attribute_is_kept(v1: Any) -> None:
    assert spec(v1, **{'a"b': "c"}).unknown_fields == {'a"b': "c"}


def test_null_is_kept_where_it_differs_from_an_absent_value(v1: Any) -> None:
    """A nullable field with a default is null, and not the default, if it is null."""
    read = spec(v1, note=None, since=None, mixed=None, gaps=["a", None])
    assert (read.note, read.since, read.gaps) == (None, None, ["a", None])
    assert read.replace(note="y").to_dict()["note"] == "y"
    assert spec(v1).note is None
    # The API server drops null where it is not allowed.
    assert v1.GadgetSpec.from_dict({"mode": "On", "port": None}).to_dict() == {
        "mode": "On"
    }


def test_embedded_objects_are_models_where_these_lose_nothing(
    package: Any, v1: Any
) -> None:
    config = {"apiVersion": "v1", "kind": "ConfigMap", "data": {"a": "b"}}
    gadget = {
        "apiVersion": "example.com/v1",
        "kind": "Gadget",
        "spec": {"mode": "On", "open": {"x": 1}},
    }
    newer = {"apiVersion": "v1", "kind": "ConfigMap", "newField": 1}
    invalid = {"apiVersion": "v1", "kind": "ConfigMap", "data": 1}
    unknown = {"apiVersion": "v1", "kind": "Unknown"}
    read = spec(
        v1, templates=[config, gadget, newer, invalid, unknown], template=config
    )
    assert read.template == package.V1ConfigMap.from_dict(config)
    assert [type(template) for template in read.templates] == [
        package.V1ConfigMap,
        v1.Gadget,
        package.V1ConfigMap,
        dict,
        dict,
    ]
    assert read.templates[2].unknown_fields == {"newField": 1}
    shaped = {
        "apiVersion": "v1",
        "kind": "A",
        "metadata": {"name": "x"},
        "spec": {"a": "b"},
    }
    assert spec(v1, shaped=shaped).shaped.spec == v1.GadgetSpecShapedSpec(a="b")


NOON = dt.datetime(2024, 1, 31, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    "text",
    [
        "2024-01-31T12:00:00Z",
        "2024-01-31T12:00:00.000Z",
        "2024-01-31T12:00:00.000000000Z",
        "2024-01-31T12:00:00+00:00",
        "2024-01-31T13:30:00+01:30",
    ],
)
def test_times_are_written_as_they_were_read(v1: Any, text: str) -> None:
    read = spec(v1, when=text, times={"a": text})
    assert read.when == read.times["a"] == NOON
    for copied in (pickle.loads(pickle.dumps(read)), read.replace(mode="off")):
        assert copied.to_dict()["when"] == text
    later = read.when + dt.timedelta(days=1)
    assert read.replace(when=later).to_dict()["when"].startswith("2024-02-01T")


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (NOON, "2024-01-31T12:00:00Z"),
        (NOON.replace(tzinfo=None), "2024-01-31T12:00:00Z"),
        (NOON.replace(microsecond=5), "2024-01-31T12:00:00.000005Z"),
        ("2024-01-31 12:00:00", "2024-01-31T12:00:00Z"),
        ("2024-01-31t12:00:00z", "2024-01-31T12:00:00Z"),
    ],
)
def test_times_that_are_set_are_written_as_the_api_server_requires(
    package: Any, v1: Any, value: Any, written: str
) -> None:
    read = v1.GadgetSpec(mode="On", when=value)
    assert read.to_dict()["when"] == written
    read.when = value
    assert json.loads(read.to_json())["when"] == written
    with pytest.raises(package.ModelError, match="expected a time"):
        read.when = "soon"


def test_docstrings_have_defaults_alternatives_and_deprecation(
    folder: Path, package: Any, v1: Any
) -> None:
    source = (folder / PACKAGE / "example_com" / "v1" / "_gadget.py").read_text()
    assert source.count('Default "off\\x22') + source.count('Default "off" """') == 1
    assert v1.GadgetSpec(mode="On").note is None
    assert "Exactly one of these is required: a, b." in v1.GadgetSpecEither.__doc__
    assert v1.Gadget.__doc__ == "A gadget."
    assert "Deprecated: " in package.example_com.v1beta1.Gadget.__doc__


@pytest.mark.nightly
def test_hypothesis_makes_objects_of_every_class(folder: Path) -> None:
    """In a process of its own, since it registers a strategy for each class: so each
    has only its own attributes to make."""
    done = subprocess.run(
        [sys.executable, "-c", _EVERY_CLASS, folder, PACKAGE],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert int(done.stdout) > 730


_EVERY_CLASS = """
import importlib, sys
from hypothesis import HealthCheck, Phase, given, settings, strategies as st
sys.path.insert(0, sys.argv[1])
package = sys.argv[2]
fields = importlib.import_module(f"{package}._problems").fields_of
models_in = importlib.import_module(f"{package}._pydantic")._models_in
modules = ("models", "example_com.v1", "x_y_example_com.v1", "x_api_k8s_io.v1")
tried = {}

def round_trip(model):
    if model in tried:
        return
    tried[model] = []
    for field in fields(model).values():
        for part in models_in(field.type):
            round_trip(part)

    @settings(
        max_examples=1, database=None, deadline=None, derandomize=True,
        phases=[Phase.generate], suppress_health_check=list(HealthCheck),
    )
    @given(st.from_type(model))
    def is_written_and_read(value):
        text = value.to_json()
        assert model.from_json(text).to_json() == text, model
        assert model.from_dict(value.to_dict()).to_json() == text, model
        tried[model].append(value)

    is_written_and_read()
    st.register_type_strategy(model, st.just(tried[model][-1]))

for name in modules:
    module = importlib.import_module(f"{package}.{name}")
    for model in module.__all__:
        round_trip(getattr(module, model))
print(len(tried))
"""
