"""``kubestencil example``: what it prints, and what it says about names that it cannot use."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from tests.conftest import Command

_CRD = """
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  names: {kind: Widget, plural: widgets}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            required: [size]
            properties:
              size: {type: integer, minimum: 3}
              doors:
                type: array
                items:
                  type: object
                  required: [name]
                  properties: {name: {type: string}, colour: {type: string, enum: [red]}}
"""


def test_an_example_is_the_starter_with_the_field_in_it(run: Command) -> None:
    starter = yaml.safe_load(run("example", "deploy", "--spec", "1.35").stdout)
    done = run("example", "deploy.spec.template.spec.hostNetwork", "--spec", "1.35")
    value = yaml.safe_load(done.stdout)
    assert value["spec"]["template"]["spec"].pop("hostNetwork") is True
    assert value == starter


def test_a_custom_resource_has_what_its_schema_requires(
    run: Command, tmp_path: Path
) -> None:
    (tmp_path / "crd.yaml").write_text(_CRD)
    done = run("example", "widget.spec.doors.colour", "--crds", "crd.yaml")
    spec = yaml.safe_load(done.stdout)["spec"]
    assert spec == {"size": 3, "doors": [{"name": "string", "colour": "red"}]}


@pytest.mark.parametrize(
    ("language", "part"),
    [
        ("python", "host_network=True"),
        ("jsonnet", "withHostNetwork(true)"),
        ("rust", "host_network: Some(true)"),
        ("typescript", "hostNetwork: true"),
    ],
)
def test_an_example_is_code_of_each_language(
    run: Command, language: str, part: str
) -> None:
    path = "pod.spec.hostNetwork"
    done = run("example", path, "--spec", "1.35", "--language", language)
    assert part in done.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["pood"], "did you mean Pod"),
        (["pod.spec.container.image"], "Pod.spec: has no field 'container'"),
        (["Container.image"], "Container: is part of other kinds"),
        (["pod", "--language", "cobol"], "no examples in 'cobol'"),
        (["pod.metadata.uid"], "has no example: set by the server"),
        (["pod.spec.ephemeralContainers.image"], "subresource ephemeralcontainers"),
    ],
)
def test_a_name_that_cannot_be_used_is_explained(
    run: Command, arguments: list[str], message: str
) -> None:
    done = run("example", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_gates_and_subresources_are_named(run: Command) -> None:
    """1.29 has the field only with its gate."""
    done = run(
        "example", "pod.spec.volumes.projected.sources.clusterTrustBundle",
        "--spec", "1.29",
    )  # fmt: skip
    assert "feature gate ClusterTrustBundleProjection" in done.stderr
    done = run("example", "deploy.status.replicas")
    assert "subresource status" in done.stderr
    done = run("example", "TokenReview.spec.token")
    assert "stores none" in done.stderr
