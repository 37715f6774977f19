"""The target ``go``: its packages, and that Go's compiler agrees with them."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
import yaml

from kubestencil.schema import Release
from tests import languages
from tests.cluster import load_crds, stored_crds
from tests.conftest import ROOT, SOME_RELEASES, load, make_release
from tests.examples import examples
from tests.languages import write

MODULE = "kubernetes.example/api"

#: A line of a program, each with one mistake.
MISTAKES = """
core.Pod{Specs: nil}
core.Pod{Spec: core.PodSpec{}}
core.PodSpec{Containers: core.Container{}}
core.Container{Name: types.Ptr("web")}
core.Container{Name: 1}
core.Container{Image: "nginx"}
core.Container{Ports: []core.ContainerPort{{ContainerPort: "80"}}}
core.Container{Ports: []core.ContainerPort{{ContainerPort: 80.5}}}
core.Container{Ports: []core.ContainerPort{{ContainerPort: 3000000000}}}
core.Container{Env: map[string]string{"A": "b"}}
core.Container{Command: "sh"}
core.Container{ImagePullPolicy: core.PodSpecRestartPolicyAlways}
core.Container{ImagePullPolicy: types.Ptr("Always")}
core.HTTPGetAction{Port: 80}
core.HTTPGetAction{Port: "http"}
core.ResourceRequirements{Limits: map[string]int{"cpu": 1}}
core.Secret{Data: map[string]string{"a": "b"}}
core.PodSpec{HostNetwork: types.Ptr("true")}
apps.DeploymentSpec{Replicas: types.Ptr("2")}
apps.DeploymentSpec{Selector: map[string]string{"app": "web"}}
apps.DeploymentSpec{Template: core.PodSpec{}}
meta.ObjectMeta{Labels: []string{"app"}}
meta.ObjectMeta{CreationTimestamp: types.Ptr("2024-01-01")}
""".strip().splitlines()

#: Reads objects strictly, and writes them again.
PROGRAM = """
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	{}
)

var kinds = map[string]func() any{{
	{}
}}

func main() {{
	objects := map[string]json.RawMessage{{}}
	if err := json.NewDecoder(os.Stdin).Decode(&objects); err != nil {{
		panic(err)
	}}
	for name, data := range objects {{
		object := kinds[name]()
		decoder := json.NewDecoder(bytes.NewReader(data))
		decoder.DisallowUnknownFields()
		if err := decoder.Decode(object); err != nil {{
			panic(fmt.Sprint(name, ": ", err))
		}}
		text, err := json.Marshal(object)
		if err != nil {{
			panic(err)
		}}
		objects[name] = text
	}}
	json.NewEncoder(os.Stdout).Encode(objects)
}}
"""


def generated(release: Release) -> dict[str, str]:
    return languages.generated("go", release)


def go(
    folder: Path, *arguments: str, text: str = ""
) -> subprocess.CompletedProcess[str]:
    environment = {"GOFLAGS": "-mod=mod", "GOPROXY": "off", "GOTOOLCHAIN": "local"}
    return subprocess.run(
        ["go", *arguments],
        cwd=folder,
        env={**os.environ, **environment},
        input=text,
        capture_output=True,
        text=True,
    )


def check(folder: Path) -> None:
    """Assert that the packages are formatted and compile, and that vet is silent."""
    gofmt = shutil.which("gofmt") or "gofmt"
    done = subprocess.run(
        [gofmt, "-l", "."], cwd=folder, capture_output=True, text=True
    )
    assert (done.stdout, done.stderr) == ("", "")
    vetted = go(folder, "vet", "./...")
    assert (vetted.returncode, vetted.stdout, vetted.stderr) == (0, "", "")


@pytest.fixture(scope="module")
def module(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(tmp_path_factory.mktemp("go"), generated(load("1.35")))


def test_fields_have_the_types_of_go_and_the_facts_of_the_server() -> None:
    core = generated(load("1.35"))["core/v1/types.go"]
    assert (
        '\tRestartPolicy *PodSpecRestartPolicy `json:"restartPolicy,omitzero"`' in core
    )
    assert 'const PodSpecRestartPolicyAlways PodSpecRestartPolicy = "Always"' in core
    policy = core[core.index("type PodSpecRestartPolicy") - 2000 :]
    assert '// Default "Always"' in core
    assert "PodSpecRestartPolicyOnFailure" in policy
    assert '\tContainers []Container `json:"containers"`' in core
    assert '\tContainerPort int32 `json:"containerPort"`' in core
    assert "\t// 1 to 65535\n" in core
    assert "\t// Deprecated: " in core
    assert 'return &Pod{ApiVersion: "v1", Kind: "Pod"}' in core


def test_names_of_hostile_fields_are_exported_and_differ() -> None:
    names = ["a-b", "a_b", "", "3scale", "_x", "`", 'q"', "type", "$ref", "é"]
    release = make_release(
        {
            "com.example.v1.Foo": {
                "description": "*/ }\npackage evil",
                "properties": {name: {"type": "string"} for name in names},
            }
        }
    )
    text = "".join(
        text
        for path, text in generated(release).items()
        if path.endswith("v1/types.go")
    )
    fields = re.findall(r"^\t([A-Z]\w*) \*string (?:`json|\"json)", text, re.MULTILINE)
    assert len(fields) == len(set(fields)) == len(names)
    assert "\npackage evil" not in text


@pytest.mark.compiler("go", "gofmt")
def test_packages_of_the_newest_release_compile(module: Path) -> None:
    check(module)


@pytest.mark.nightly
@pytest.mark.compiler("go", "gofmt")
@pytest.mark.parametrize("release", SOME_RELEASES)
def test_packages_of_each_release_compile(release: str, tmp_path: Path) -> None:
    check(write(tmp_path, generated(load(release))))


@pytest.mark.nightly
@pytest.mark.compiler("go", "gofmt")
def test_packages_of_custom_resources_compile(tmp_path: Path) -> None:
    check(write(tmp_path, generated(load_crds(*stored_crds()))))


@pytest.mark.compiler("go")
def test_the_program_of_the_readme_runs(module: Path) -> None:
    readme = (module / "README.md").read_text()
    program = readme.partition("```go\n")[2].partition("```")[0]
    write(module, {"cmd/readme/main.go": program})
    done = go(module, "run", "./cmd/readme")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "web"},
        "spec": {
            "replicas": 2,
            "selector": {"matchLabels": {"app": "web"}},
            "template": {
                "metadata": {"labels": {"app": "web"}},
                "spec": {
                    "containers": [
                        {
                            "name": "web",
                            "image": "nginx",
                            "imagePullPolicy": "IfNotPresent",
                        }
                    ]
                },
            },
        },
    }


@pytest.mark.compiler("go")
def test_the_compiler_refuses_each_mistake(module: Path) -> None:
    lines = [
        "package mistakes", "import (", f'apps "{MODULE}/apps/v1"',
        f'core "{MODULE}/core/v1"', f'meta "{MODULE}/meta/v1"',
        f'"{MODULE}/types"', ")", "var _ = types.Ptr[int]", "var _ apps.Deployment",
        "var _ meta.ObjectMeta", *(f"var _ = {mistake}" for mistake in MISTAKES),
        "var _ = core.Pod{Spec: &core.PodSpec{}}",
    ]  # fmt: skip
    write(module, {"mistakes/mistakes.go": "\n".join(lines) + "\n"})
    done = go(module, "build", "-gcflags=-e", "./mistakes")
    shutil.rmtree(module / "mistakes")
    refused = set(map(int, re.findall(r"mistakes\.go:(\d+):", done.stderr)))
    first = lines.index(f"var _ = {MISTAKES[0]}") + 1
    assert refused == set(range(first, first + len(MISTAKES)))


@pytest.mark.compiler("go")
def test_manifests_are_the_same_after_a_round_trip(module: Path) -> None:
    paths = sorted((ROOT / "tests" / "manifests").glob("*.yaml"))
    manifests = {
        f"{manifest['apiVersion']} {manifest['kind']}": manifest
        for path in paths
        for manifest in yaml.safe_load_all(path.read_text())
    }
    assert len(manifests) > 10
    assert_same_after_a_round_trip(module, manifests)


@pytest.mark.nightly
@pytest.mark.compiler("go")
@pytest.mark.parametrize("custom", [False, True])
def test_objects_are_the_same_after_a_round_trip(custom: bool, tmp_path: Path) -> None:
    """Examples with all fields, read strictly and written again."""
    release = load_crds(*stored_crds()) if custom else load("1.35")
    objects = examples(release, "all_fields")
    # These are types of the package meta/v1.
    for kind in ("APIGroup", "APIResourceList", "APIVersions", "Status"):
        objects.pop(f"v1 {kind}", None)
    assert len(objects) > 50
    assert_same_after_a_round_trip(write(tmp_path, generated(release)), objects)


def assert_same_after_a_round_trip(module: Path, objects: dict[str, Any]) -> None:
    write(module, {"cmd/trip/main.go": round_trip(objects)})
    done = go(module, "run", "./cmd/trip", text=json.dumps(objects))
    assert done.returncode == 0, done.stderr
    written = json.loads(done.stdout)
    for name, value in objects.items():
        assert normal(written[name]) == normal(value), name


def round_trip(names: Iterable[str]) -> str:
    """A program that reads and writes objects by apiVersion, kind and what follows."""
    imports: dict[str, str] = {}
    cases = []
    for name in names:
        api_version, kind, *_ = name.split()
        folder = api_version if "/" in api_version else f"core/{api_version}"
        alias = imports.setdefault(folder, f"p{len(imports)}")
        exported = kind if kind[0].isupper() else f"X{kind}"
        cases.append(f'"{name}": func() any {{ return new({alias}.{exported}) }},')
    return PROGRAM.format(
        "\n".join(f'{alias} "{MODULE}/{folder}"' for folder, alias in imports.items()),
        "\n".join(cases),
    )


def normal(value: Any) -> Any:
    """A value without what is absent anyway: empty lists and maps of optional fields;
    quantities as texts."""
    if isinstance(value, dict):
        parts = {key: normal(item) for key, item in value.items()}
        return {key: item for key, item in parts.items() if item not in ({}, [], None)}
    if isinstance(value, list):
        return [normal(item) for item in value]
    return value
