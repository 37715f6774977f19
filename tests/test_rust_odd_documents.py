"""Documents in which well-known definitions are something else: the crate and its
examples are generated, and compile."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from kubestencil.schema import Release
from kubestencil.schema.well_known import (
    INT_OR_STRING,
    LIST_META,
    MICRO_TIME,
    OBJECT_META,
    QUANTITY,
    TIME,
)
from tests.cargo import Cargo, write_crate
from tests.conftest import make_release, takes_minutes
from tests.rust_crds import STRING, array, mapping, struct
from tests.site_examples import TARGET, PrintedExamples, example_program

PACKAGE = "io.k8s.api.odd.v1"
TIME_STRING = {"type": "string", "format": "date-time"}
OTHERS: dict[str, dict[str, Any]] = {
    "integer": {"type": "integer"},
    "boolean": {"type": "boolean"},
    "list": array(STRING),
    "map": mapping(STRING),
    "object": struct(a=STRING),
    "bytes": {"type": "string", "format": "byte", "default": "%"},
    "anything": {},
}


def reference(name: str) -> dict[str, Any]:
    return {"$ref": f"#/definitions/{name}"}


def kind(name: str, schema: dict[str, Any]) -> dict[str, Any]:
    served = {"group": "odd.io", "version": "v1", "kind": name}
    return {**schema, "x-kubernetes-group-version-kind": [served]}


def thing(*required: str, **fields: Any) -> dict[str, Any]:
    metadata = {"metadata": reference(OBJECT_META)}
    return kind(
        "Thing",
        struct(
            *required, **{"apiVersion": STRING, "kind": STRING, **metadata, **fields}
        ),
    )


THINGS = kind(
    "ThingList",
    struct(
        "items",
        apiVersion=STRING,
        kind=STRING,
        metadata=reference(LIST_META),
        items=array(reference(f"{PACKAGE}.Thing")),
    ),
)
USUAL: dict[str, Any] = {
    f"{PACKAGE}.Thing": thing(),
    f"{PACKAGE}.ThingList": THINGS,
    f"{PACKAGE}.Holder": struct(things=reference(f"{PACKAGE}.ThingList")),
    OBJECT_META: struct(name=STRING, namespace=STRING),
    LIST_META: struct(resourceVersion=STRING),
}
WELL_KNOWN = (INT_OR_STRING, QUANTITY, TIME, MICRO_TIME)


def documents() -> dict[str, dict[str, Any]]:
    """Documents by what is odd about them."""
    odd = {
        f"metadata is {name}": {f"{PACKAGE}.Thing": thing(metadata=schema)}
        for name, schema in OTHERS.items()
    }
    odd |= {
        f"ObjectMeta is {name}": {OBJECT_META: schema}
        for name, schema in OTHERS.items()
    }
    odd |= {
        f"{full_name.rpartition('.')[2]} is {name}": {
            full_name: schema,
            f"{PACKAGE}.Thing": thing(
                "one", one=reference(full_name), many=array(reference(full_name))
            ),
        }
        for full_name in WELL_KNOWN
        for name, schema in OTHERS.items()
    }
    time = kind("Time", struct(apiVersion=STRING, kind=STRING, a=STRING))
    return odd | {
        "the items have no kind": {f"{PACKAGE}.Thing": struct(a=STRING)},
        "the items have no fields": {f"{PACKAGE}.Thing": kind("Thing", {})},
        "ListMeta has no default": {
            LIST_META: struct("time", time=TIME_STRING),
        },
        "ListMeta is a time": {LIST_META: TIME_STRING},
        "a well-known type is a kind": {TIME: time},
        "a reference to a reference": {
            f"{PACKAGE}.Thing": thing("alias", alias=reference(f"{PACKAGE}.Alias")),
            f"{PACKAGE}.Alias": reference(f"{PACKAGE}.Part"),
            f"{PACKAGE}.Part": struct("a", a=STRING),
        },
        "defaults are of another type": {
            f"{PACKAGE}.Thing": thing(
                "a", "b", a={"type": "integer", "default": "x"},
                b={"type": "string", "default": 1},
            ),
        },
        "names of macros": {
            f"{PACKAGE}.{name}": schema
            for name in ("Key", "Key__", "Whole", "Result", "From", "std")
            for schema in [struct("time", a=STRING, time=TIME_STRING)]
        }
        | {f"{PACKAGE}.names.Whole": STRING},
    }  # fmt: skip


ODD = documents()


def odd_release(name: str) -> Release:
    return make_release(USUAL | ODD[name])


@pytest.mark.parametrize("name", ODD)
def test_the_crate_and_its_examples_are_generated(name: str, tmp_path: Path) -> None:
    release = odd_release(name)
    write_crate(release, tmp_path)
    generated = PrintedExamples(release, TARGET)
    assert all("todo!" not in code["rust"] for code in generated.code.values())


# Those that once were no valid Rust.
@takes_minutes
@pytest.mark.parametrize(
    "name",
    [
        "metadata is object",
        "the items have no kind",
        "ListMeta has no default",
        "a reference to a reference",
        "IntOrString is object",
        "names of macros",
    ],
)
def test_the_crate_and_its_examples_compile(
    name: str, cargo: Cargo, tmp_path: Path
) -> None:
    release = odd_release(name)
    crate = write_crate(release, tmp_path / "crate", name="odd")
    codes = [
        code["rust"].replace("kubernetes_types", "odd")
        for code in PrintedExamples(release, TARGET).code.values()
    ]
    assert "warning" not in cargo(crate, "check", "--features", "schemars")
    cargo(example_program(tmp_path / "program", crate, "odd", codes), "check")
