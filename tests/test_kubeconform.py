"""kubeconform (Go) with the generated JSON Schemas.

``KUBESTENCIL_MANIFESTS`` is the folder that ``tests/test_check_manifests.py`` describes.
"""

from __future__ import annotations

import json
import lzma
import os
import shlex
import subprocess
import tarfile
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from kubestencil import render
from tests.conftest import full_specs, load
from tests.public_manifests import extract, verdicts
from tests.test_jsonschema import CRD, DEPLOYMENT

MANIFESTS = os.environ.get("KUBESTENCIL_MANIFESTS")
PUBLISHED = Path(__file__).parent / "conformance" / "jsonschema"
CRDS = Path(__file__).parent / "crds" / "gadgets.yaml"
CRD_KIND = "CustomResourceDefinition"

pytestmark = pytest.mark.peer("kubeconform")

POD = {"apiVersion": "v1", "kind": "Pod", "spec": {"containers": [{"name": "a"}]}}
GADGET = {
    "apiVersion": "tool-box.example.com/v1",
    "kind": "Gadget",
    "metadata": {"name": "a"},
    "spec": {"issuerRef": {"name": "b"}, "endpoints": [{"port": "http"}]},
}


def render_schemas(out: Path, crds: Sequence[Path] = (), **options: str) -> Path:
    """The folder of the schemas of 1.35."""
    settings = {f"jsonschema.{name}": value for name, value in options.items()}
    specs = full_specs()
    render(
        ["1.35"],
        targets=["jsonschema"],
        out=out,
        crds=crds,
        options=settings,
        specs=specs,
    )
    return out / "1.35" / "jsonschema"


def readme_command(folder: Path) -> list[str]:
    """The command of the README, without what it checks."""
    text = (folder / "README.md").read_text()
    command = text.partition("```sh\n")[2].partition("```")[0]
    *words, manifests = shlex.split(command.replace("\\\n", " "))
    assert manifests == "MANIFESTS"
    return words


def verdict(command: Sequence[str], folder: Path, manifest: Any) -> tuple[int, str]:
    done = subprocess.run(
        [*command, "-"],
        cwd=folder,
        input=json.dumps(manifest),
        capture_output=True,
        text=True,
        timeout=60,
    )
    return done.returncode, done.stdout


def with_spec(manifest: Mapping[str, Any], **fields: Any) -> dict[str, Any]:
    return {**manifest, "spec": {**manifest["spec"], **fields}}


@pytest.mark.parametrize("flavour", ["standalone", "standalone-strict"])
def test_the_command_in_the_readme_works(tmp_path: Path, flavour: str) -> None:
    options = {"flavours": flavour, "recursive": "true", "patch": "4"}
    folder = render_schemas(tmp_path, [CRDS], **options)
    command = readme_command(folder)
    for manifest in (DEPLOYMENT, CRD, POD, GADGET):
        assert verdict(command, folder, manifest) == (0, "")
    code, output = verdict(command, folder, {**POD, "spec": {}})
    assert code == 1
    assert "missing property 'containers'" in output
    code, output = verdict(command, folder, with_spec(GADGET, mode="auto"))
    assert code == 1
    assert "/spec/mode" in output
    for manifest in (POD, GADGET):
        code, output = verdict(command, folder, with_spec(manifest, colour="red"))
        assert code == (1 if flavour == "standalone-strict" else 0), output


def test_schemas_for_editors_know_what_a_server_accepts(tmp_path: Path) -> None:
    folder = render_schemas(tmp_path, flavours="editor")
    command = readme_command(folder)
    container = {"name": "a", "image": "nginx", "imagePullPolicy": "Always"}
    pod = {**with_spec(POD, containers=[container]), "metadata": {"name": "a"}}
    assert verdict(command, folder, pod) == (0, "")
    crd = {**CRD, "metadata": {"name": "gadgets.tool-box.example.com"}}
    assert verdict(command, folder, crd) == (0, "")
    container["imagePullPolicy"] = "Alway"
    code, output = verdict(command, folder, pod)
    assert code == 1
    assert "/spec/containers/0/imagePullPolicy" in output


def test_the_readme_of_custom_resources_alone_works(tmp_path: Path) -> None:
    render([CRDS], targets=["jsonschema"], out=tmp_path)
    folder = tmp_path / "gadgets" / "jsonschema"
    assert {path.name for path in folder.iterdir() if path.is_dir()} == {
        "other.example.com",
        "store.k8s.io",
        "tool-box.example.com",
    }
    command = readme_command(folder)
    assert verdict(command, folder, GADGET) == (0, "")
    assert verdict(command, folder, with_spec(GADGET, mode="auto"))[0] == 1


def test_the_readme_of_a_release_with_another_name_works(tmp_path: Path) -> None:
    document = tmp_path / "mine.json"
    document.write_text(json.dumps(load("1.35").document))
    flavour = {"jsonschema.flavours": "standalone-strict"}
    render([document], targets=["jsonschema"], out=tmp_path / "out", options=flavour)
    folder = tmp_path / "out" / "mine" / "jsonschema"
    command = readme_command(folder)
    assert verdict(command, folder, POD) == (0, "")
    assert verdict(command, folder, {**POD, "spec": {}})[0] == 1


@pytest.mark.nightly
@pytest.mark.skipif(MANIFESTS is None, reason="no KUBESTENCIL_MANIFESTS")
@pytest.mark.skipif(full_specs() is None, reason="KUBESTENCIL_SPECS is not set")
def test_verdicts_on_public_manifests(tmp_path: Path) -> None:
    """Those of the published schemas; of CustomResourceDefinitions, for which there are
    none, those of a real server."""
    folder = render_schemas(
        tmp_path / "out", flavours="standalone-strict", recursive="true"
    )
    assert MANIFESTS is not None
    manifests = tmp_path / "manifests"
    with tarfile.open(Path(MANIFESTS, "manifests.tar.xz")) as archive:
        archive.extractall(manifests, filter="data")
    command = "kubeconform -strict -verbose -output json -kubernetes-version 1.35.0"
    done = subprocess.run(
        [*command.split(), "-schema-location", str(folder), "."],
        cwd=manifests,
        capture_output=True,
        text=True,
        timeout=600,
    )
    resources = json.loads(done.stdout)["resources"]
    others = [resource for resource in resources if resource["kind"] != CRD_KIND]
    published = json.loads((PUBLISHED / "kubeconform-1.35.json").read_text())
    statuses = Counter(resource["status"] or "empty" for resource in others)
    assert statuses == published["objects"]
    invalid = [value for value in others if value["status"] == "statusInvalid"]
    assert Counter(value["filename"] for value in invalid) == published["invalid"]

    crds = [value for value in resources if value["kind"] == CRD_KIND]
    of_v1 = [value for value in crds if value["version"] == "apiextensions.k8s.io/v1"]
    refused = Counter(
        value["filename"] for value in of_v1 if value["status"] != "statusValid"
    )
    by_server = refused_by_server(Path(MANIFESTS))
    assert len(of_v1) > len(refused) > 0
    assert refused <= by_server


@pytest.mark.nightly
@pytest.mark.skipif(MANIFESTS is None, reason="no KUBESTENCIL_MANIFESTS")
@pytest.mark.skipif(full_specs() is None, reason="KUBESTENCIL_SPECS is not set")
@pytest.mark.parametrize("release", ["1.29", "1.35"])
def test_schemas_for_editors_refuse_no_public_object_that_a_server_accepts(
    tmp_path: Path, release: str
) -> None:
    options = {"jsonschema.flavours": "editor"}
    out = tmp_path / "out"
    render([release], targets=["jsonschema"], out=out, options=options)
    names = f"{out}/{release}/jsonschema/v{release}.0-editor"
    location = f"{names}/{{{{.ResourceKind}}}}{{{{.KindSuffix}}}}.json"
    done = subprocess.run(
        ["kubeconform", "-output", "json", "-schema-location", location, "."],
        cwd=extract(tmp_path / "manifests"),
        capture_output=True,
        text=True,
        timeout=600,
    )
    invalid = Counter(
        resource["filename"]
        for resource in json.loads(done.stdout)["resources"]
        if resource["status"] == "statusInvalid"
    )
    refused = Counter(file for file, _, _ in verdicts(release, 400, 422))
    assert invalid <= refused
    assert invalid.total() > 200


def refused_by_server(manifests: Path) -> Counter[str]:
    """How many CustomResourceDefinitions a server refused, by file."""
    refused: Counter[str] = Counter()
    with lzma.open(manifests / "verdicts-1.35.jsonl.xz", "rt") as lines:
        for line in lines:
            verdict = json.loads(line)
            if verdict["kind"] == CRD_KIND and verdict["status"] in (400, 422):
                refused[verdict["file"]] += 1
    return refused
