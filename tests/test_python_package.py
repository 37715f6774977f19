"""The generated Python package: its types, names, imports, and what is refused."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from kubestencil.engine import Target, load_targets
from kubestencil.errors import SpecError, TargetError, UsageError
from kubestencil.targets import generate_files
from kubestencil.targets.languages.python.imports import import_cycles
from kubestencil.targets.python import view
from tests.conftest import ROOT, Command, load, make_release, rest_nightly
from tests.packages import check_round_trips, generate_package, import_package

SAMPLE = """\
from datetime import datetime

from typed_models import CoreV1Event, V1Container, V1LeaseSpec, V1Pod, V1PodSpec
from typed_models import ModelError, dump, load, model_for, models
from typed_models.models.v1_object_meta import V1ObjectMeta

pod = V1Pod(
    api_version="v1",
    metadata=V1ObjectMeta(name="a", creation_timestamp=datetime.now()),
    spec=V1PodSpec(containers=[models.V1Container(name="a")]),
)
again: V1Pod = V1Pod.from_json(pod.to_json(), strict=True).replace(kind="Pod")
names: list[str] = [container.name for container in again.spec.containers]
print(again.metadata.name, models.V1PodList(items=[pod]).metadata.resource_version)
lease = V1LeaseSpec(renew_time=datetime.now())
renewed: datetime | None = lease.renew_time
for model in load("kind: Pod"):
    if isinstance(model, CoreV1Event):
        print(model.involved_object.name, dump(model))
pod_class = model_for("v1", "Pod")
types: dict[str, str] = V1Pod.attribute_map
try:
    V1Pod.from_dict({})
except ModelError as error:
    print(error.problems[0].path)
"""

MISTAKES = {
    "an unknown attribute": "pod.specs",
    "setting an unknown attribute": "lease.renew = None",
    "setting a value of a wrong type": 'lease.renew_time = "now"',
    "an unknown argument": 'V1Container(name="a", imagee="b")',
    "a missing argument": "V1Container()",
    "a positional argument": 'V1Container("a")',
    "an argument of a wrong type": "V1Container(name=1)",
    "a list of another type": "V1PodSpec(containers=[V1Pod()])",
    "an optional value without a check": "pod.status.phase",
    "an unknown class": "models.V1Pot",
}


# The class, the attribute, a value that API servers accept, and one that they refuse.
VALUES = """
    V1Container image_pull_policy Always Alway
    V1Container termination_message_policy File file
    V1ContainerPort protocol TCP tcp
    V1PodSpec restart_policy OnFailure always
    V1PodSpec dns_policy ClusterFirst clusterFirst
    V1PodSpec preemption_policy Never never
    V1TopologySpreadConstraint when_unsatisfiable DoNotSchedule doNotSchedule
    V1Toleration operator Exists exists
    V1Toleration effect NoSchedule NoSchedul
    V1SeccompProfile type RuntimeDefault runtime/default
    V1ServiceSpec type LoadBalancer Loadbalancer
    V1ServiceSpec session_affinity ClientIP clientIP
    V1ServiceSpec external_traffic_policy Local local
    V1ServicePort protocol UDP udp
    V1HTTPIngressPath path_type Prefix prefix
    V1DeploymentStrategy type Recreate recreate
    V1StatefulSetSpec pod_management_policy Parallel parallel
    V1CronJobSpec concurrency_policy Forbid forbid
    V1JobSpec completion_mode Indexed indexed
    V1ValidatingWebhook side_effects NoneOnDryRun none
    V1LabelSelectorRequirement operator NotIn notin
"""
VALUE_LINES = [line.split() for line in VALUES.strip().splitlines()]


def assignment(class_name: str, attribute: str, value: str) -> str:
    return (
        f"def set_{attribute}(model: models.{class_name}) -> None:\n"
        f"    model.{attribute} = {value!r}\n"
    )


@pytest.fixture(scope="module")
def typed_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package, a program without mistakes, and one for each mistake."""
    folder = tmp_path_factory.mktemp("typed")
    generate_package(load("1.35"), folder, "typed_models")
    (folder / "good.py").write_text(SAMPLE)
    for number, mistake in enumerate(MISTAKES.values()):
        (folder / f"bad{number}.py").write_text(f"{SAMPLE}{mistake}\n")
    return folder


@pytest.fixture(scope="module")
def values_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package, and functions that set allowed values, and values that are not."""
    folder = tmp_path_factory.mktemp("values")
    generate_package(load("1.35"), folder, "typed_values")
    for name, column in {"allowed": 2, "refused": 3}.items():
        functions = [
            assignment(line[0], line[1], line[column]).replace("set_", f"set_{number}_")
            for number, line in enumerate(VALUE_LINES)
        ]
        text = "from typed_values import models\n" + "".join(functions)
        (folder / f"{name}.py").write_text(text)
    return folder


CHECKERS = {
    "mypy": ["--strict", "--no-error-summary", "--python-executable", sys.executable],
    "pyright": ["--pythonpath", sys.executable],
}


@pytest.mark.parametrize("checker", rest_nightly(CHECKERS))
def test_type_checkers_accept_the_package_and_report_mistakes(
    typed_folder: Path, checker: str
) -> None:
    pytest.importorskip(checker, reason=f"{checker} is not installed")
    errors = check_types(typed_folder, checker)
    modules = {Path(error.split(":")[0]).stem for error in errors}
    assert modules == {f"bad{number}" for number in range(len(MISTAKES))}, errors
    last_line = SAMPLE.count("\n") + 1
    assert all(int(error.split(":")[1]) == last_line for error in errors), errors


@pytest.mark.parametrize("checker", rest_nightly(CHECKERS))
def test_type_checkers_refuse_values_that_the_api_server_refuses(
    values_folder: Path, checker: str
) -> None:
    pytest.importorskip(checker, reason=f"{checker} is not installed")
    errors = check_types(values_folder, checker, "allowed.py", "refused.py")
    places = {
        tuple(error.split(": ")[0].rpartition("/")[2].split(":")) for error in errors
    }
    lines = range(3, 3 + 2 * len(VALUE_LINES), 2)
    assert places == {("refused.py", str(line)) for line in lines}, errors


def test_values_of_a_newer_server_are_read_and_strict_refuses_them(
    tmp_path: Path,
) -> None:
    generate_package(load("1.35"), tmp_path, "open_values")
    package = import_package(tmp_path, "open_values")
    value = {"containers": [], "restartPolicy": "Sometimes"}
    spec = package.V1PodSpec.from_dict(value)
    assert spec.restart_policy == "Sometimes"
    assert package.V1PodSpec.from_json(spec.to_json()) == spec
    expected = "restartPolicy: expected 'Always' or 'Never' or 'OnFailure', got"
    with pytest.raises(package.ModelError, match=expected):
        package.V1PodSpec.from_dict(value, strict=True)
    package.V1PodSpec.from_dict({**value, "restartPolicy": ""}, strict=True)
    modes = {"accessModes": ["ReadWriteOnce", "ReadWriteEver"]}
    claim = package.V1PersistentVolumeClaimSpec
    assert claim.from_dict(modes).to_dict() == modes
    with pytest.raises(package.ModelError, match=r"accessModes\[1\]: expected"):
        claim.from_dict(modes, strict=True)


def test_required_attributes_may_have_none_among_their_values(tmp_path: Path) -> None:
    """The values of sideEffects are None and NoneOnDryRun: the attribute is required."""
    generate_package(load("1.35"), tmp_path, "none_values")
    package = import_package(tmp_path, "none_values")
    config = import_package(
        tmp_path, "none_values.models"
    ).AdmissionregistrationV1WebhookClientConfig()
    values = {"admission_review_versions": ["v1"], "client_config": config, "name": "a"}
    webhook = package.V1ValidatingWebhook(**values, side_effects="None")
    assert webhook.side_effects == "None"
    with pytest.raises(package.ModelError, match="side_effects: required"):
        package.V1ValidatingWebhook(**values, side_effects=None)


def test_docstrings_have_deprecations_and_defaults_of_the_api_server() -> None:
    target = load_targets(None)["python"]
    files = {file.path: file.data for file in generate_files(load("1.35"), target)}
    models = "kubernetes_models/models"
    assert b'Default "TCP"' in files[f"{models}/v1_container_port.py"]
    assert b"Deprecated: v1 Endpoints" in files[f"{models}/v1_endpoints.py"]
    assert b"Deprecated: " not in files[f"{models}/v1_pod.py"]


def check_types(folder: Path, checker: str, *paths: str) -> list[str]:
    """The errors of a type checker in ``paths``, by default everything in ``folder``;
    one per line: file, line, message."""
    process = subprocess.run(
        [sys.executable, "-m", checker, *CHECKERS[checker], *(paths or ["."])],
        cwd=folder,
        env={**os.environ, "MYPY_CACHE_DIR": str(folder / ".cache")},
        capture_output=True,
        text=True,
        timeout=400,
    )
    if "Traceback" in process.stderr or "rror: could not" in process.stderr.lower():
        pytest.skip(f"{checker} does not run: {process.stderr[-300:]}")
    matches = re.findall(
        r"^\s*(\S+\.pyi?:\d+)[:\d]*(?: -)? error: (.*)$", process.stdout, re.M
    )
    return [f"{file_and_line}: {message}" for file_and_line, message in matches]


def model(**fields: Any) -> dict[str, Any]:
    """A definition that becomes a class."""
    return {"type": "object", "description": "A model.", "properties": fields}


def ref(name: str) -> dict[str, str]:
    return {"$ref": f"#/definitions/{name}"}


def test_definitions_that_refer_to_each_other_can_be_imported(tmp_path: Path) -> None:
    definitions = {
        "A": model(b=ref("B"), me=ref("A"), str=ref("C")),
        "B": model(c={"type": "array", "items": ref("C")}),
        "C": model(a={"type": "object", "additionalProperties": ref("A")}, d=ref("D")),
        "D": model(str={"type": "string"}),
    }
    check_round_trips(generate_package(make_release(definitions), tmp_path, "hostile"))


def test_classes_that_import_each_other_share_a_cycle() -> None:
    cycles = import_cycles(
        {"A": ["B", "A"], "B": ["C", "D"], "C": ["B"], "D": ["E"], "E": ["E"]}
    )
    assert cycles["B"] == cycles["C"]
    assert len(set(cycles.values())) == 4


@pytest.mark.parametrize("closed", [False, True])
def test_imports_may_be_nested_a_hundred_deep(closed: bool, tmp_path: Path) -> None:
    """A cycle counts with all of its classes, and so does what it refers to."""

    def chain(length: int) -> dict[str, Any]:
        last = f"A{length - 1}"
        references = {f"A{n}": model(a=ref(f"A{n + 1}")) for n in range(length - 1)}
        return {**references, last: model(a=ref("A1")) if closed else model()}

    check_round_trips(generate_package(make_release(chain(100)), tmp_path, "hostile"))
    with pytest.raises(SpecError, match="more than 100 deep"):
        generate_package(make_release(chain(101)), tmp_path, "hostile")


def test_a_field_may_be_named_like_a_type_that_its_class_uses(tmp_path: Path) -> None:
    time = {"type": "string", "format": "date-time"}
    definition = model(toDatetime=time, str={"type": "array", "items": time}, toTime={})
    check_round_trips(
        generate_package(make_release({"A": definition}), tmp_path, "hostile")
    )


def test_reserved_names_are_changed(tmp_path: Path) -> None:
    fields = {
        name: {"type": "string"}
        for name in ["class", "self", "from_dict", "__init__", "1st", "a-b", "$ref", ""]
    }
    definitions = {
        "Model": model(**fields),
        "Any": model(x=ref("None")),
        "None": model(),
    }
    folder = generate_package(make_release(definitions), tmp_path, "hostile")
    check_round_trips(folder)
    text = (folder / "hostile/models/model_model.py").read_text()
    names = re.findall(r"^    (\w+): str \| None = None$", text, re.M)
    assert names == [
        "_",
        "ref",
        "_1st",
        "init__",
        "a_b",
        "_class",
        "_from_dict",
        "_self",
    ]


def test_fields_that_would_get_the_same_attribute_have_others(tmp_path: Path) -> None:
    """As proxyURL and proxyUrl in the CRDs of prometheus-operator."""
    names = {"proxyUrl": {"type": "string"}, "proxyURL": {"type": "string"}}
    generate_package(make_release({"v1.A": model(**names)}), tmp_path, "numbered")
    module = import_package(tmp_path, "numbered")
    read = module.V1A.from_dict({"proxyUrl": "first", "proxyURL": "second"})
    assert (read.proxy_url, read.proxy_url_f496) == ("second", "first")
    assert read.to_dict() == {"proxyURL": "second", "proxyUrl": "first"}


def test_a_field_whose_name_cannot_be_an_attribute_is_kept(tmp_path: Path) -> None:
    generate_package(make_release({"A": model(**{'a"': {}, "b": {}})}), tmp_path, "odd")
    data = {'a"': 1, "b": 2}
    read = import_package(tmp_path, "odd").A.from_dict(data, strict=True)
    assert (read.b, read.to_dict()) == (2, data)


SAME_KIND = {"group": "", "version": "v1", "kind": "K"}


@pytest.mark.parametrize(
    ("definitions", "message"),
    [
        (
            {"A.b": model(), "Ab": model(), "A-b": model()},
            "two definitions get the name",
        ),
        (
            {f"A{n}": model(a=ref(f"A{n + 1}")) for n in range(200)}
            | {"A200": model()},
            "more than 100 deep",
        ),
        (
            {
                name: {**model(), "x-kubernetes-group-version-kind": [SAME_KIND]}
                for name in "AB"
            },
            "A and B are both 'K' of 'v1'",
        ),
    ],
)
def test_a_spec_that_cannot_become_a_package_is_refused(
    definitions: dict[str, Any], message: str, tmp_path: Path
) -> None:
    with pytest.raises(SpecError, match=re.escape(message)):
        generate_package(make_release(definitions), tmp_path, "hostile")


@pytest.mark.parametrize(
    ("option", "value"),
    [("package", "a-b"), ("package", "class"), ("project", "a\nb")],
)
def test_an_invalid_option_is_refused(option: str, value: str) -> None:
    target = load_targets(None)["python"].with_options({option: value})
    with pytest.raises(UsageError) as caught:
        list(generate_files(load("1.35"), target))
    assert caught.value.where == f"--set python.{option}={value}"


def edit_manifest(folder: Path, old: str, new: str) -> Target:
    """The target python with a text replaced in its manifest."""
    manifest = load_targets(None)["python"].manifest.read_text()
    assert old in manifest
    (folder / "python").mkdir(parents=True)
    (folder / "python" / "target.toml").write_text(manifest.replace(old, new))
    return load_targets(folder)["python"]


def test_acronyms_are_configured_in_the_manifest(tmp_path: Path) -> None:
    """kubernetes_asyncio, and kubernetes from 36 on, have pod_cidrs."""
    target = edit_manifest(tmp_path, '"split"', '"whole"')
    files = {file.path: file.data for file in generate_files(load("1.35"), target)}
    assert (
        b'"pod_cidrs": "podCIDRs"' in files["kubernetes_models/models/v1_node_spec.py"]
    )


@pytest.mark.parametrize(
    ("spelling", "key", "message"),
    [
        ('acronyms = "hole"', "spelling.acronyms", "unknown value 'hole'"),
        ("acronyms = 1", "spelling.acronyms", "must be a string"),
        ('acronym = "split"', "spelling.acronym", "unknown key 'acronym'"),
        ("mapped = { a = 1 }", "spelling.mapped", "must have strings only"),
        ('mapped = "a"', "spelling.mapped", "must be a table"),
    ],
)
def test_a_mistake_in_the_spelling_is_refused(
    spelling: str, key: str, message: str, tmp_path: Path
) -> None:
    target = edit_manifest(tmp_path, 'acronyms = "split"', spelling)
    with pytest.raises(TargetError, match=message) as caught:
        view.make_contexts(load("1.35"), target)
    assert caught.value.where.endswith(f"target.toml: {key}")


def test_the_project_metadata_can_be_read(tmp_path: Path) -> None:
    folder = generate_package(load("1.35"), tmp_path, "our_models")
    project = tomllib.loads((folder / "pyproject.toml").read_text())["project"]
    assert project["version"] == "1.35.0"
    assert project["dependencies"] == ["msgspec>=0.21", "pyyaml>=6.0"]
    assert (folder / "our_models" / "py.typed").exists()


@pytest.mark.parametrize(
    ("arguments", "manifest"),
    [
        (("1.35", "--kind", "Pod"), {"kind": "Pod", "spec": {"containers": []}}),
        (("1.35", "--kind", "ConfigMap"), {"kind": "ConfigMap"}),
        (
            ("--crds", str(ROOT / "tests/crds/gadgets.yaml")),
            {"kind": "Gadget", "spec": {"issuerRef": {"name": "b"}, "mode": "on"}},
        ),
    ],
)
def test_the_program_of_the_readme_runs_on_what_was_generated(
    arguments: tuple[str, ...], manifest: dict[str, Any], run: Command, tmp_path: Path
) -> None:
    assert run("render", *arguments, "-t", "python", "-q").returncode == 0
    (readme,) = tmp_path.glob("generated/*/python/README.md")
    program = readme.read_text().partition("```python\n")[2].partition("```")[0]
    text = json.dumps({"apiVersion": "v1", "metadata": {"name": "a"}, **manifest})
    for name in re.findall(r'Path\("(.+?)"\)', program):
        (tmp_path / name).write_text(text)
    result = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(readme.parent)},
        capture_output=True,
        text=True,
    )
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout.startswith("a {")
