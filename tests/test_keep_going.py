"""render --keep-going: what is refused of a catalogue is left out and listed, with what
a server says of it, and the rest is what it would be without these files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from kubestencil.build.refused import Refused, leave_out_refused
from kubestencil.cli.rendering.refused import show_refused
from kubestencil.source.document import CrdSet, SourceFile
from kubestencil.source.inputs import crds_alone
from tests.conftest import Command
from tests.crd_schemas import definition, version
from tests.validators import built_validator

TEXT: dict[str, Any] = {"type": "string"}


def crd(kind: str, **properties: Any) -> dict[str, Any]:
    spec = {"type": "object", "properties": properties}
    schema = {"type": "object", "properties": {"spec": spec}}
    return definition(kind, version("v1", schema))


#: By file: one is no YAML, one has no type, and in a list one of two has a wrong default,
#: and another defines a kind that was defined before.
CATALOGUE = {
    "a.json": json.dumps(crd("Good", size=TEXT)),
    "b.yaml": "a: [",
    "c.json": json.dumps(crd("Typeless", size={"description": "A size."})),
    "d.json": json.dumps(
        {
            "kind": "List",
            "items": [
                crd("Wrong", a={**TEXT, "default": 1}, b={**TEXT, "default": 2}),
                crd("Fine", size=TEXT),
                crd("Good", other=TEXT),
            ],
        }
    ),
}
REFUSED = {"b.yaml", "c.json:1", "d.json:1[0]", "d.json:1[2]"}


def refused_of_catalogue() -> dict[str, Refused]:
    files = tuple(SourceFile(name, text.encode()) for name, text in CATALOGUE.items())
    source = crds_alone("crds", CrdSet(("crds",), files))
    return leave_out_refused([source])[1]


def test_the_rest_of_a_catalogue_is_rendered(run: Command, tmp_path: Path) -> None:
    for name, text in CATALOGUE.items():
        (tmp_path / "all").mkdir(exist_ok=True)
        (tmp_path / "all" / name).write_text(text)
    good = {"kind": "List", "items": [crd("Good", size=TEXT), crd("Fine", size=TEXT)]}
    (tmp_path / "good.json").write_text(json.dumps(good))

    def render(*arguments: str) -> Any:
        return run("render", "-t", "typescript", *arguments)

    stopped = render("--crds", "all", "-o", "stopped")
    assert stopped.returncode == 1
    assert not (tmp_path / "stopped").exists()
    kept = render("--crds", "all", "-o", "kept", "--keep-going")
    assert kept.returncode == 1
    assert "4 refused; what a server says: kubestencil validator build" in kept.stderr
    for where in REFUSED:
        assert f"warning: refused: all/{where}" in kept.stderr
    assert render("--crds", "good.json", "-o", "good").returncode == 0
    assert {
        path.name: path.read_text() for path in (tmp_path / "kept").rglob("*.ts")
    } == {path.name: path.read_text() for path in (tmp_path / "good").rglob("*.ts")}
    # Again, where nothing has to be generated; and without the option, which is strict.
    assert render("--crds", "all", "-o", "kept", "--keep-going").returncode == 1
    assert render("--crds", "all", "-o", "kept").returncode == 1


def test_all_mistakes_of_what_is_refused_are_listed() -> None:
    refused = refused_of_catalogue()
    assert refused.keys() == REFUSED
    assert len(refused["d.json:1[0]"].errors) == 2


def test_refusals_have_the_words_of_the_server(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    program = built_validator("1.35")
    monkeypatch.setattr(
        "kubestencil.cli.rendering.refused.find_binary", lambda _: program
    )
    show_refused(refused_of_catalogue(), [])
    shown = capsys.readouterr().err
    assert (
        "spec.validation.openAPIV3Schema.properties[spec].properties[size].type: "
        "Required value: must not be empty for specified object fields"
    ) in shown
    assert "properties[a].default: Invalid value" in shown
    assert "properties[b].default: Invalid value" in shown
