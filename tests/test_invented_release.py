"""A release that does not exist, 1.99, goes through the commands as the next one will: its
document has a kind and a field more than that of the newest release, its facts a gate.

The commands run on a checkout of links, in which only ``specs/`` is changed.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from kubestencil.source import embedded
from tests.conftest import NEWEST, ROOT, Command, make_command, read_files
from tests.small_kubernetes import make_checkouts

INVENTED = "1.99"
KIND, FIELD, GATE = "Orchard", "orchardOfPod", "OrchardPods"
DEFINITION = f"io.k8s.api.apps.v1.{KIND}"
POD_SPEC = "io.k8s.api.core.v1.PodSpec"
OBJECT_META = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"
FACTS = f"""\
base	{NEWEST}
[feature-gates]
+	{GATE}	alpha	off	-	kube-apiserver
[gated-fields]
+	{POD_SPEC}	{FIELD}	-	{GATE}	read
[resources]
+	apps/v1	orchards	{KIND}	namespaced	create get list	orc	-	Name
"""
MANIFEST = f"""\
apiVersion: apps/v1
kind: {KIND}
metadata:
  name: plums
---
apiVersion: v1
kind: Pod
metadata:
  name: plum
spec:
  {FIELD}: {{}}
  containers: [{{name: plum, image: plum}}]
"""


def invented_document() -> dict[str, Any]:
    """The document of the newest release, with a kind and a field more."""
    document = dict(embedded.read(NEWEST).document())
    definitions = document["definitions"]
    string = {"type": "string", "description": "Of trees."}
    # A reference, so that a run for pods has the kind, too.
    field = {"$ref": f"#/definitions/{DEFINITION}", "description": "Where it grows."}
    pod_spec = dict(definitions[POD_SPEC])
    pod_spec["properties"] = {**pod_spec["properties"], FIELD: field}
    kind = {
        "description": "An orchard has trees.",
        "type": "object",
        "properties": {
            "apiVersion": string,
            "kind": string,
            "metadata": {"$ref": f"#/definitions/{OBJECT_META}"},
        },
        "x-kubernetes-group-version-kind": [
            {"group": "apps", "version": "v1", "kind": KIND}
        ],
    }
    more = {POD_SPEC: pod_spec, DEFINITION: kind}
    return {**document, "definitions": {**definitions, **more}}


class Checkout(NamedTuple):
    """A checkout of the project, with facts of the invented release, and the command with
    a folder of documents, which has that release."""

    root: Path
    run: Command


def make_checkout(folder: Path, release: str, *, is_supported: bool) -> Checkout:
    root, specs = folder / "checkout", folder / "documents"
    (root / "specs/facts").mkdir(parents=True)
    for name in ("generator", "templates"):
        (root / name).symlink_to(ROOT / name)
    for path in (ROOT / "specs").iterdir():
        if path.name not in ("facts", "releases.toml"):
            (root / "specs" / path.name).symlink_to(path)
    # Copies: a command that writes facts of another release does no harm.
    for path in (ROOT / "specs/facts").iterdir():
        (root / "specs/facts" / path.name).write_bytes(path.read_bytes())
    (root / f"specs/facts/{release}.tsv").write_text(FACTS)
    supported = (ROOT / "specs/releases.toml").read_text()
    row = f'\n[release."{release}"]\nurl = "https://example.com/swagger.json"\n'
    (root / "specs/releases.toml").write_text(supported + row * is_supported)
    specs.mkdir()
    (specs / f"{release}.json").write_text(json.dumps(invented_document()))
    (folder / "a.yaml").write_text(MANIFEST)
    run = make_command(folder)
    run.environment["KUBESTENCIL_SPECS"] = str(specs)
    run.environment["PYTHONPATH"] = f"{root / 'generator'}{os.pathsep}{root}"
    return Checkout(root, run)


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    """With the invented release as a supported one."""
    folder = tmp_path_factory.mktemp("invented")
    return make_checkout(folder, INVENTED, is_supported=True)


@pytest.fixture(scope="module")
def prerelease(tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    """With a pre-release of it, which is only in the folder of documents."""
    folder = tmp_path_factory.mktemp("prerelease")
    return make_checkout(folder, f"{INVENTED}.0-beta.0", is_supported=False)


def done(checkout: Checkout, *arguments: str, code: int = 0) -> str:
    """What a command prints to its standard output."""
    result = checkout.run(*arguments)
    assert result.returncode == code, result.stderr
    return str(result.stdout)


#: What a target prints of the kind, and of the field.
PRINTED = {
    "python": (KIND, "orchard_of_pod"),
    "markdown": (KIND, "orchard_of_pod"),
    "jsonnet": (KIND, FIELD),
    "typescript": (KIND, FIELD),
    "go": (KIND, "OrchardOfPod"),
}


def test_targets_print_a_new_kind_and_a_new_field(checkout: Checkout) -> None:
    targets = [f"-t{target}" for target in (*PRINTED, "site")]
    done(checkout, "render", NEWEST, INVENTED, *targets, "--kind=Pod", "-oout")
    out = checkout.run.folder / "out"
    for target, words in PRINTED.items():
        for release in (NEWEST, INVENTED):
            text = b"".join(read_files(out / release / target).values()).decode()
            has = [word in text for word in words]
            assert has == [release == INVENTED] * len(words), (target, release)
    site = read_files(out / "site")
    page = f"apps/v1/{KIND}/index.html"
    assert f"{INVENTED}/{page}" in site and f"{NEWEST}/{page}" not in site
    pod = site[f"{INVENTED}/core/v1/PodSpec/index.html"].decode()
    assert FIELD in pod and GATE in pod
    latest = site["latest/core/v1/Pod/index.html"].decode()
    assert f"/{INVENTED}/core/v1/Pod/" in latest


def test_a_report_has_the_kind_the_field_and_the_gate(checkout: Checkout) -> None:
    report = json.loads(done(checkout, "diff", NEWEST, INVENTED, "-fjson"))
    assert (report["from"], report["to"]) == (NEWEST, INVENTED)
    paths = {
        (change["definition"], change.get("field")) for change in report["changes"]
    }
    assert {(DEFINITION, None), (POD_SPEC, FIELD)} <= paths
    text = done(checkout, "diff", NEWEST, INVENTED)
    assert KIND in text and FIELD in text and GATE in text
    assert "breaking" not in {change["severity"] for change in report["changes"]}


def test_history_has_the_release_of_a_new_field(checkout: Checkout) -> None:
    text = done(checkout, "history", "Pod", FIELD, f"--releases={NEWEST}..")
    assert FIELD in text and INVENTED in text


def test_manifests_are_checked_against_a_new_release(checkout: Checkout) -> None:
    def findings(*to: str, code: int) -> set[str]:
        report = json.loads(
            done(checkout, "check", "a.yaml", "--exact=off", "-fjson", *to, code=code)
        )
        return {finding["rule"] for finding in report["findings"]}

    old = findings("--to", NEWEST, code=1)
    assert {"unknown-kind", "unknown-field"} <= old
    # The newest supported release is what manifests are checked against by default.
    new = findings(code=0)
    assert new == {"gated-field"} and not new & old


def test_facts_of_a_release_are_made_without_a_change_of_those_of_others(
    checkout: Checkout, tmp_path: Path
) -> None:
    make_checkouts(tmp_path)
    for module in (tmp_path / "k8s.io").glob("*.32.0"):
        module.rename(module.with_name(module.name.replace(".32.0", ".99.0")))
    folder = checkout.root / "specs/facts"
    before = read_files(folder)
    arguments = ("-m", "specs.make", "parameters", INVENTED, "--sources", str(tmp_path))
    subprocess.run(
        [sys.executable, *arguments],
        cwd=checkout.root,
        env=checkout.run.environment,
        check=True,
    )
    after = read_files(folder)
    own = f"{INVENTED}.tsv"
    assert b"\n+\tput\tpods/status\tforce\tboolean\n" in after.pop(own)
    assert after == {name: data for name, data in before.items() if name != own}


def test_a_prerelease_is_rendered_by_its_name_and_never_the_newest(
    prerelease: Checkout,
) -> None:
    name = f"{INVENTED}.0-beta.0"
    out = prerelease.run.folder / "out"
    arguments = (name, "latest", "-tgo", "-tsite", "--kind=Pod", "-oout")
    done(prerelease, "render", *arguments)
    assert {path.name for path in out.iterdir()} >= {NEWEST, name}
    assert KIND in b"".join(read_files(out / name / "go").values()).decode()
    latest = (out / "site/latest/core/v1/Pod/index.html").read_text()
    assert f"/{NEWEST}/core/v1/Pod/" in latest
    assert (
        json.loads(
            done(prerelease, "check", "a.yaml", "--exact=off", "-fjson", code=1)
        )["to"]
        == NEWEST
    )
