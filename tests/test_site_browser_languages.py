"""The code of a selected field in Go, Python, Jsonnet, Rust and TypeScript, in headless
Chromium: Go's compiler accepts it with client-go's types, Rust's with those of the crate,
and the official Python client and the Jsonnet library make the same object of it as the
YAML has. So does Go of the whole example."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import rjsonnet
import yaml

from tests.browser import DESK, Browser, click, served
from tests.cargo import Cargo, write_crate
from tests.conftest import Command, full_specs, load, takes_minutes
from tests.jsonnet_library import files, write
from tests.test_crd import write as write_crds
from tests.test_crd_site import crd
from tests.test_go import go
from tests.test_python_client import CLIENTS

# Fields whose Go types and names do not follow from the document: pointers, embedded
# structs, names of strings, maps with a named key, quantities, and more than one of these.
FIELDS = {
    "apps/v1/Deployment": (
        "spec.replicas",
        "spec.strategy.rollingUpdate.maxSurge",
        "spec.template.spec.containers.livenessProbe.httpGet.port",
        "spec.template.spec.containers.env.valueFrom.secretKeyRef.key",
        "spec.template.spec.containers.resources.limits",
        "spec.template.spec.containers.securityContext.capabilities.add",
        "spec.template.spec.containers.command",
        "spec.template.spec.tolerations.tolerationSeconds",
        "spec.template.spec.volumes.ephemeral.volumeClaimTemplate.spec.volumeMode",
        "spec.template.metadata.labels",
    ),
    "networking.k8s.io/v1/Ingress": ("spec.rules.http.paths.pathType",),
    "apps/v1/StatefulSet": ("spec.volumeClaimTemplates.spec.accessModes",),
    "admissionregistration.k8s.io/v1/ValidatingAdmissionPolicy": (
        "spec.matchConstraints.resourceRules.apiGroups",
    ),
    "core/v1/Secret": ("data",),
    "coordination.k8s.io/v1/Lease": ("spec.renewTime",),
    "core/v1/Pod": (
        "spec.topologySpreadConstraints.matchLabelKeys",
        "spec.volumes.projected.sources.serviceAccountToken.path",
    ),
    "apiextensions.k8s.io/v1/CustomResourceDefinition": (
        "spec.versions.schema.openAPIV3Schema.x-kubernetes-validations.rule",
    ),
    "core/v1/Container": ("terminationMessagePolicy",),
}
# Kinds whose whole examples have other types than these fields.
KINDS = (
    "apps/v1/Deployment", "autoscaling/v2/HorizontalPodAutoscaler", "batch/v1/CronJob",
    "core/v1/ConfigMap", "core/v1/PersistentVolumeClaim", "core/v1/Secret",
    "core/v1/Service", "networking.k8s.io/v1/Ingress", "networking.k8s.io/v1/NetworkPolicy",
    "policy/v1/PodDisruptionBudget", "rbac.authorization.k8s.io/v1/RoleBinding",
    "storage.k8s.io/v1/StorageClass",
)  # fmt: skip
CODE = "return document.querySelector(`#${arguments[0]} .${arguments[1]} pre code`)?.textContent"
GO_MODULE = """\
module example.com/fields

go 1.24.0

require (
\tk8s.io/api v0.35.0
\tk8s.io/apiextensions-apiserver v0.35.0
\tk8s.io/apimachinery v0.35.0
)
"""
CHECKER = """
import json, sys
import kubernetes.client as client

for code in json.load(sys.stdin):
    names = {}
    exec(code.replace("kubernetes_models", "kubernetes.client"), names)
    print(json.dumps(client.ApiClient().sanitize_for_serialization(names["example"])))
"""


@pytest.fixture(scope="module")
def codes(request: pytest.FixtureRequest, base_url: str) -> list[dict[str, str]]:
    """The code of each of the fields by language."""
    browser = Browser(request.getfixturevalue("driver"))
    browser.screen(DESK)
    found = []
    for page, fields in FIELDS.items():
        for field in fields:
            browser.open(f"{base_url}1.35/{page}/#{field}")
            browser.wait("document.getElementById('field-code-go')")
            click(browser, "label[for=field-code-go]")
            browser.wait("kubestencil.languages")
            browser.settle()
            languages = ("yaml", "go", "python", "jsonnet", "rust", "typescript")
            found.append(
                {
                    name: browser.run(CODE, "field-code", name) or ""
                    for name in languages
                }
            )
    return found


def test_a_language_stays_selected(browser: Browser, base_url: str) -> None:
    """On a screen where the code is inside of the field's item, too."""
    browser.screen(DESK)
    browser.open(f"{base_url}1.35/apps/v1/Deployment/#spec.replicas")
    browser.wait("document.getElementById('field-code-go')")
    click(browser, "label[for=field-code-go]")
    browser.wait("kubestencil.languages")
    shown = "return document.querySelector('#field-code').innerText"
    assert "Replicas: ptr.To[int32](3)," in browser.run(shown)
    browser.run("location.hash = 'spec.paused'")
    browser.settle()
    assert "Paused: " in browser.run(shown)


def with_client_go(folder: Path, *command: str) -> str:
    """What Go prints of a module with the types of client-go, whose packages are as gofmt
    leaves them."""
    (folder / "go.mod").write_text(GO_MODULE)
    done = go(folder, *command)
    if "module lookup disabled" in done.stderr:
        pytest.skip("Go's module cache has no k8s.io/api of 1.35")
    assert (done.returncode, done.stderr) == (0, "")
    packages = [path.name for path in folder.iterdir() if path.is_dir()]
    formatted = subprocess.run(
        ["gofmt", "-l", *packages], cwd=folder, capture_output=True, text=True
    )
    assert formatted.stdout == ""
    return done.stdout


@pytest.mark.nightly
@pytest.mark.compiler("go")
def test_go_compiles_with_the_types_of_client_go(
    codes: list[dict[str, str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GOSUMDB", "off")
    for number, code in enumerate(codes):
        package = tmp_path / f"field{number}"
        package.mkdir()
        (package / "field.go").write_text(f"package field\n\n{code['go']}\n")
    with_client_go(tmp_path, "build", "./...")


@pytest.mark.nightly
@pytest.mark.compiler("go")
def test_the_whole_example_in_go_is_that_in_yaml(
    browser: Browser, base_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GOSUMDB", "off")
    browser.screen(DESK)
    expected = []
    for number, page in enumerate(KINDS):
        browser.open(f"{base_url}1.35/{page}/")
        browser.wait("document.getElementById('language-go')")
        if number == 0:
            click(browser, "label[for=language-go]")
        # On other pages, the language is the one that was chosen.
        browser.wait("document.querySelector('#whole-example .go pre code')")
        package = tmp_path / f"example{number}"
        package.mkdir()
        code = browser.run(CODE, "whole-example", "go").replace(
            "var example", "var Example"
        )
        (package / "example.go").write_text(f"package example{number}\n\n{code}\n")
        expected.append(yaml.safe_load(browser.run(CODE, "whole-example", "yaml")))
    names = [f"example{number}" for number in range(len(KINDS))]
    (tmp_path / "main.go").write_text(
        'package main\n\nimport (\n\t"encoding/json"\n\t"os"\n\n'
        + "".join(f'\t"example.com/fields/{name}"\n' for name in names)
        + ")\n\nfunc main() {\n\tjson.NewEncoder(os.Stdout).Encode([]any{"
        + ", ".join(f"{name}.Example" for name in names)
        + "})\n}\n"
    )
    printed = with_client_go(tmp_path, "run", ".")
    for manifest, made in zip(expected, json.loads(printed), strict=True):
        # Programs leave these to the client.
        del manifest["apiVersion"], manifest["kind"]
        assert _common(manifest, made) == manifest


def _common(expected: Any, value: Any) -> Any:
    """A value without the zero values that Go adds to what is expected."""
    if isinstance(expected, dict) and isinstance(value, dict):
        return {
            name: _common(expected[name], part)
            for name, part in value.items()
            if name in expected
        }
    if isinstance(expected, list) and isinstance(value, list):
        return [*map(_common, expected, value), *value[len(expected) :]]
    return value


@pytest.mark.nightly
@pytest.mark.peer
def test_the_official_python_client_makes_the_same_object(
    codes: list[dict[str, str]],
) -> None:
    installed = Path(CLIENTS) / "kubernetes-35"
    if not CLIENTS or not installed.is_dir():
        pytest.skip("KUBESTENCIL_CLIENTS has no kubernetes-35")
    done = subprocess.run(
        [sys.executable, "-c", CHECKER],
        env={**os.environ, "PYTHONPATH": str(installed)},
        input=json.dumps([code["python"] for code in codes]),
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    objects = [json.loads(line) for line in done.stdout.splitlines()]
    assert objects == [yaml.safe_load(code["yaml"]) for code in codes]


def test_python_has_the_classes_of_a_custom_resource(
    browser: Browser, run: Command
) -> None:
    """Of what is inside of it, too, which has no names in its document."""
    write_crds(run.folder, crd())
    options = ("--crds", "crds.yaml", "-t", "site", "-t", "python", "-o", "out")
    assert run("render", *options).returncode == 0
    with served(run.folder / "out" / "site") as url:
        browser.screen(DESK)
        browser.open(f"{url}crds/example.com/v1/Widget/#spec.parts.a")
        browser.wait("document.getElementById('field-code-python')")
        click(browser, "label[for=field-code-python]")
        browser.wait("kubestencil.languages")
        browser.settle()
        code, text = (
            browser.run(CODE, "field-code", name) for name in ("python", "yaml")
        )
    assert "WidgetSpecParts(" in code
    done = subprocess.run(
        [sys.executable, "-c", f"{code}\nprint(example.to_json())"],
        env={**os.environ, "PYTHONPATH": str(run.folder / "out" / "crds" / "python")},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == yaml.safe_load(text)


def test_jsonnet_makes_the_same_object(
    codes: list[dict[str, str]], tmp_path: Path
) -> None:
    write(tmp_path, files(load("1.35"), "jsonnet"))
    with_library = [code for code in codes if code["jsonnet"]]
    assert len(with_library) > 12
    for code in with_library:
        text = rjsonnet.evaluate_snippet(
            "field", code["jsonnet"], jpathdir=[str(tmp_path)]
        )
        assert json.loads(text) == yaml.safe_load(code["yaml"]), code["jsonnet"]


@pytest.mark.compiler("rustfmt")
def test_rustfmt_changes_nothing(codes: list[dict[str, str]], tmp_path: Path) -> None:
    for number, code in enumerate(codes):
        assert code["rust"]
        (tmp_path / f"field{number}.rs").write_text(f"{code['rust']}\n")
    command = ["rustfmt", "--edition", "2021", "--check", *map(str, tmp_path.iterdir())]
    completed = subprocess.run(command, text=True, capture_output=True, timeout=120)
    assert (completed.returncode, completed.stdout) == (0, "")


def test_rust_has_all_fields_of_a_type_without_default(
    browser: Browser, base_url: str
) -> None:
    """The page of a type that is no kind does not have the fields of a condition."""
    browser.screen(DESK)
    browser.open(f"{base_url}1.35/policy/v1/PodDisruptionBudgetStatus/#conditions")
    browser.wait("document.getElementById('field-code-rust')")
    click(browser, "label[for=field-code-rust]")
    browser.wait("kubestencil.languages")
    browser.settle()
    code = browser.run(CODE, "field-code", "rust")
    assert "observed_generation: None," in code
    assert "last_transition_time: meta_v1::Time(" in code
    assert "reason: Default::default()," in code


@takes_minutes
def test_rust_makes_the_same_object(
    codes: list[dict[str, str]], cargo: Cargo, tmp_path: Path
) -> None:
    crate = write_crate(load("1.35", full_specs()), tmp_path / "crate")
    (crate / "examples").mkdir()
    modules = [
        f"mod field{number} {{\n{code['rust']}\n}}" for number, code in enumerate(codes)
    ]
    prints = [
        f'println!("{{}}", serde_json::to_string(&field{number}::example()).unwrap());'
        for number in range(len(codes))
    ]
    main = "\n".join(["fn main() {", *prints, "}"])
    program = "\n".join(["use kubernetes_types::serde_json;", *modules, main, ""])
    (crate / "examples" / "fields.rs").write_text(program)
    output = cargo(crate, "run", "--quiet", "--example", "fields")
    assert "warning" not in output
    for code, line in zip(codes, output.splitlines(), strict=True):
        manifest, made = yaml.safe_load(code["yaml"]), json.loads(line)
        assert _common(manifest, made) == manifest


def test_typescript_is_the_same_object_with_its_type(
    codes: list[dict[str, str]],
) -> None:
    for code in codes:
        if code["typescript"]:
            declaration, _, value = code["typescript"].partition(" = ")
            manifest = yaml.safe_load(code["yaml"])
            assert declaration.endswith(f"export const example: {manifest['kind']}")
            assert _literal(value) == manifest


def _literal(text: str) -> Any:
    """An object literal, which YAML's flow style can read."""
    return yaml.safe_load(text.removesuffix(";"))
