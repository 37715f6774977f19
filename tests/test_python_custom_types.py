"""Type checkers accept the classes of custom resources, and report mistakes."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import load_with_crds, rest_nightly
from tests.packages import generate_package
from tests.python_crds import GADGET, POD
from tests.test_python_package import CHECKERS, check_types

PROGRAM = """\
from collections.abc import Mapping
from datetime import datetime

from typed_models import V1ConfigMap, V1ObjectMeta, example_com, load, model_for
from typed_models.example_com.v1 import Gadget, GadgetSpec, GadgetSpecIssuerRef
from typed_models.example_com.v1 import GadgetSpecOpen, Pod

spec = GadgetSpec(
    mode="On",
    size=2,
    issuer_ref=GadgetSpecIssuerRef(name="ca"),
    ports=[80, "http"],
    gaps=["a", None],
    open=GadgetSpecOpen(known="a", unknown_fields={"x": 1}),
    template=V1ConfigMap(data={"a": "b"}),
    templates=[{"apiVersion": "v1"}, Pod()],
    when=datetime.now(),
)
gadget = Gadget(metadata=V1ObjectMeta(name="a"), spec=spec)
again: Gadget = Gadget.from_json(gadget.to_json(), strict=True).replace(kind="x")
if spec.open is not None and spec.issuer_ref is not None:
    known: str | None = spec.open.known
    extra: Mapping[str, object] = spec.open.unknown_fields
    name: str = spec.issuer_ref.name
other = example_com.v1beta1.Gadget()
for model in load("kind: Gadget"):
    if isinstance(model, Gadget):
        print(model.spec.mode, model_for("example.com/v1", "Gadget"))
"""

MISTAKES = {
    "a value that the enum does not have": 'GadgetSpec(mode="Off")',
    "an enum's number": 'GadgetSpec(mode="On", size=4)',
    "an unknown argument": 'GadgetSpec(mode="On", sizes=1)',
    "a missing argument": "GadgetSpec()",
    "a float for an int or string": 'GadgetSpec(mode="On", port=0.5)',
    "null in a list that has none": 'GadgetSpec(mode="On", ports=[None])',
    "an object of another class": "Gadget(spec=Pod())",
    "an unknown class": "example_com.v1.Gadgets",
    "an unknown version": "example_com.v3",
    "an optional value without a check": "spec.issuer_ref.name",
    "a text for a time": 'spec.when = "now"',
}


@pytest.mark.parametrize("checker", rest_nightly(CHECKERS))
def test_type_checkers_accept_custom_resources_and_report_mistakes(
    checker: str, tmp_path: Path
) -> None:
    pytest.importorskip(checker, reason=f"{checker} is not installed")
    generate_package(load_with_crds("1.35", [GADGET, POD]), tmp_path, "typed_models")
    (tmp_path / "good.py").write_text(PROGRAM)
    for number, mistake in enumerate(MISTAKES.values()):
        (tmp_path / f"bad{number}.py").write_text(f"{PROGRAM}{mistake}\n")
    errors = check_types(tmp_path, checker)
    modules = {Path(error.split(":")[0]).stem for error in errors}
    assert modules == {f"bad{number}" for number in range(len(MISTAKES))}, errors
    last_line = PROGRAM.count("\n") + 1
    assert all(int(error.split(":")[1]) == last_line for error in errors), errors
