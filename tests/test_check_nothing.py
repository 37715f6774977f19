"""Where nothing is evaluated, ``check`` says so: an error, a warning, and the exit code 2,
never 0 or that of findings."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubestencil.checking.clusters.cluster import ClusterReader
from kubestencil.checking.clusters.kubectl import Kubectl
from kubestencil.checking.clusters.live import written
from kubestencil.checking.files.policies import policy_objects, unmatched_policies
from kubestencil.errors import ProgramError, SourceError, UsageError
from kubestencil.programs import output_of
from kubestencil.schema.types import group_version_kind
from tests import fake_kubectl, fake_validator
from tests.conftest import Command, make_command
from tests.growth import assert_proportional, processor_time

CONFIG_MAP = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"
POLICY = """\
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: NAME}
spec:
  paramKind: {apiVersion: v1, kind: ConfigMap}
  matchConstraints: {resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [configmaps]}]}
  validations: [{expression: "false"}]
---
"""
BINDING = """\
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: bound}
spec: {policyName: NAME, validationActions: [Deny]PARAMETERS}
---
"""
BY_NAME = ", paramRef: {name: limits, parameterNotFoundAction: ACTION}"
BY_LABEL = ", paramRef: {selector: {}, parameterNotFoundAction: ACTION}"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a manifest, and one of programs that is first in PATH."""
    (tmp_path / "bin").mkdir()
    path = f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}"
    monkeypatch.setenv("PATH", path)
    monkeypatch.setenv("KUBESTENCIL_VALIDATORS", str(tmp_path / "validators"))
    (tmp_path / "a.yaml").write_text(CONFIG_MAP)
    return tmp_path


@pytest.fixture
def run(folder: Path) -> Command:
    return make_command(folder)


def _program(folder: Path, name: str, script: str) -> None:
    path = folder / "bin" / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


def _policies(
    folder: Path, policy: str = "a", binding: str | None = "a", parameters: str = ""
) -> str:
    text = POLICY.replace("NAME", policy)
    if binding is not None:
        text += BINDING.replace("NAME", binding).replace("PARAMETERS", parameters)
    (folder / "policies.yaml").write_text(text)
    return str(folder / "policies.yaml")


@pytest.mark.parametrize(
    ("policy", "binding", "parameters", "problem"),
    [
        ("a", None, "", "ValidatingAdmissionPolicy a: no binding"),
        ("a", "b", "", "ValidatingAdmissionPolicy b is not there"),
        ("a", "a", BY_NAME.replace("ACTION", "Allow"), "its parameters are not there"),
        ("a", "a", BY_LABEL.replace("ACTION", "Allow"), "its parameters are not there"),
    ],
)
def test_policies_that_evaluate_nothing_are_an_error(
    run: Command,
    folder: Path,
    policy: str,
    binding: str | None,
    parameters: str,
    problem: str,
) -> None:
    policies = _policies(folder, policy, binding, parameters)
    done = run("check", "a.yaml", "--policies", policies, "--to", "1.35")
    assert (done.returncode, done.stdout) == (2, "")
    assert f"{problem}" in done.stderr and "nothing is evaluated" in done.stderr


def test_policies_that_are_evaluated_are_none(run: Command, folder: Path) -> None:
    limits = CONFIG_MAP.replace("name: a", "name: limits")
    for parameters, more in (
        ("", ""),
        (BY_NAME.replace("ACTION", "Deny"), ""),
        (BY_NAME.replace("ACTION", "Allow"), limits),
        (BY_LABEL.replace("ACTION", "Allow"), limits),
    ):
        path = Path(_policies(folder, parameters=parameters))
        path.write_text(path.read_text() + more)
        assert policy_objects([str(path)])[1] == []
    # One of two has a binding.
    path.write_text(path.read_text() + "---\n" + POLICY.replace("NAME", "b"))
    fake_validator.install("1.35", {})
    done = run("check", "a.yaml", "--policies", str(path), "--to", "1.35")
    assert done.returncode == 0
    warning = "ValidatingAdmissionPolicy b: no binding, so that it is not evaluated"
    assert warning in done.stderr
    assert "matches no object" not in done.stderr


@pytest.mark.parametrize(
    ("old", "new", "is_evaluated"),
    [
        ("", "", True),
        ("resources: [configmaps]", "resources: ['*']", True),
        ("apiGroups: ['']", "apiGroups: ['*']", True),
        ("apiGroups: ['']", "apiGroups: [apps]", False),
        ("resources: [configmaps]", "resources: [pods, configmaps/status]", False),
        ("operations: [CREATE]", "operations: [DELETE, CONNECT]", False),
        # Nothing is updated without --applied and --applied-commit.
        ("operations: [CREATE]", "operations: [UPDATE]", False),
        ("[Deny]", "[Deny], matchResources: {namespaceSelector: {}}", True),
        ("[Deny]", "[Deny], matchResources: {resourceRules: [RULE]}", False),
        ("matchConstraints", "other", False),
    ],
)
def test_a_policy_that_matches_no_object_is_named(
    run: Command, folder: Path, old: str, new: str, is_evaluated: bool
) -> None:
    rule = "{apiGroups: [''], apiVersions: [v1], operations: ['*'], resources: [pods]}"
    path = Path(_policies(folder))
    text = path.read_text().replace('[""]', "['']")
    assert old in text
    path.write_text(text.replace(old, new.replace("RULE", rule)))
    fake_validator.install("1.35", {})
    done = run("check", "a.yaml", "--policies", str(path), "--to", "1.35")
    warning = "ValidatingAdmissionPolicy a: matches no object"
    assert (warning in done.stderr) is not is_evaluated
    (folder / "old").mkdir()
    (folder / "old" / "a.yaml").write_text(CONFIG_MAP + "data: {a: b}\n")
    done = run(
        *(
            "check",
            "a.yaml",
            "--policies",
            str(path),
            "--to",
            "1.35",
            "--applied",
            "old",
        )
    )
    assert (warning in done.stderr) is not (is_evaluated or "UPDATE" in new)


_TEXTS = st.sampled_from(
    ["ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding", "a", "Allow", ""]
)
_CONFIG_MAP = group_version_kind("v1", "ConfigMap")
_VALUES = st.recursive(
    st.none() | st.integers() | _TEXTS,
    lambda inner: st.lists(inner, max_size=2)
    | st.dictionaries(
        st.sampled_from(
            [
                "spec",
                "metadata",
                "name",
                "policyName",
                "paramRef",
                "paramKind",
                "kind",
                "matchConstraints",
                "matchResources",
                "resourceRules",
                "apiGroups",
            ]
        ),
        inner,
        max_size=3,
    ),
    max_leaves=8,
)


@given(
    st.lists(st.fixed_dictionaries({"spec": _VALUES, "metadata": _VALUES}), max_size=3)
)
def test_policies_of_any_shape_are_read(
    tmp_path_factory: pytest.TempPathFactory, values: list[dict[str, object]]
) -> None:
    path = tmp_path_factory.mktemp("policies") / "a.yaml"
    kinds = ("ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding") * 2
    named = [
        {"apiVersion": "admissionregistration.k8s.io/v1", "kind": kind, **value}
        for kind, value in zip(kinds, values, strict=False)
    ]
    path.write_text("---\n".join(f"{json.dumps(value)}\n" for value in named))
    try:
        objects, _ = policy_objects([str(path)])
        list(unmatched_policies(objects, {_CONFIG_MAP}, is_update=True))
    except UsageError as error:
        assert error.what


def test_no_change_that_is_looked_at_is_a_warning(run: Command, folder: Path) -> None:
    fake_validator.install("1.35", {})
    (folder / "old").mkdir()
    (folder / "old" / "b.yaml").write_text(CONFIG_MAP.replace("name: a", "name: b"))
    arguments = ("check", "a.yaml", "--to", "1.35", "--applied", "old")
    done = run(*arguments)
    assert done.returncode == 0
    assert "--applied: no object was there before, so that no change" in done.stderr
    (folder / "old" / "a.yaml").write_text(CONFIG_MAP)
    assert "no change" not in run(*arguments).stderr


def test_a_path_and_a_program_without_manifests_are_said(
    run: Command, folder: Path
) -> None:
    (folder / "empty").mkdir()
    done = run("check", "a.yaml", "empty", "--to", "1.35")
    assert done.returncode == 0 and "warning: empty: no .yaml" in done.stderr
    for text in ("", "---\n# Source: a.yaml\n"):
        done = run("check", "a.yaml", "-", "--to", "1.35", stdin=text)
        assert done.returncode == 0
        assert "Not checked: 1 (no object in it)" in done.stdout
    _program(folder, "helm", "echo '---'")
    done = run("check", "a.yaml", "--helm", "chart", "--to", "1.35")
    assert "Not checked: 1 (no object in it)" in done.stdout
    assert run("check", "--helm", "chart", "--to", "1.35").returncode == 2


HELM = """\
echo 'Error: chart requires kubeVersion: >=1.36.0 which is incompatible' >&2
echo >&2
echo 'Use --debug flag to render out invalid YAML' >&2
exit 1"""


@pytest.mark.parametrize(
    ("program", "arguments"),
    [
        ("helm", ("check", "--helm", "chart")),
        ("kustomize", ("check", "--kustomize", ".")),
        ("kubectl", ("check", "--cluster")),
        ("kubectl", ("check", "--cluster", "--context", "nope")),
        ("git", ("check", ".", "--applied-commit", "main")),
        ("kubectl", ("diff", "1.34", "1.35", "--used-by", "--cluster")),
        ("kubectl", ("diff", "1.34", "1.35", "--cluster")),
        ("helm", ("render", "1.35", "-t", "zod", "--crds", "oci://a.example/b:1.0.0")),
        ("helm", ("check", "a.yaml", "--crds", "oci://a.example/b:1.0.0")),
    ],
)
def test_a_program_that_fails_is_no_finding(
    run: Command, folder: Path, program: str, arguments: tuple[str, ...]
) -> None:
    fake_validator.install("1.35", {})
    _program(folder, program, HELM)
    to = ("--to", "1.35") if arguments[0] == "check" else ()
    done = run(*arguments, *to)
    assert (done.returncode, done.stdout) == (2, "")
    # The cause, which helm says first.
    assert "chart requires kubeVersion" in done.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ("check", "a.yaml", "--spec", "broken.json"),
        ("check", "a.yaml", "--crds", "broken.json"),
        ("check", "a.yaml", "--spec", "https://127.0.0.1:1/openapi/v2"),
        ("check", "a.yaml", "--baseline", "broken.json"),
        ("check", "a.yaml", "--config", "broken.json"),
        ("check", "a.yaml", "--templates", "templates"),
        ("diff", "1.34", "broken.json"),
        ("diff", "1.34", "https://127.0.0.1:1/openapi/v2"),
        ("diff", "1.34", "1.35", "--baseline", "broken.json"),
        ("diff", "1.34", "1.35", "--templates", "templates"),
    ],
)
def test_what_keeps_a_command_from_an_answer_is_no_answer(
    run: Command, folder: Path, arguments: tuple[str, ...]
) -> None:
    (folder / "broken.json").write_text("{")
    (folder / "templates" / "check").mkdir(parents=True)
    (folder / "templates" / "check" / "target.toml").write_text("[")
    assert run(*arguments).returncode == 2


def test_an_object_with_findings_still_has_the_code_1(
    run: Command, folder: Path
) -> None:
    (folder / "a.yaml").write_text(CONFIG_MAP + "x: 1\n")
    assert run("check", "a.yaml", "--to", "1.35").returncode == 1


def test_a_namespace_that_is_not_there_is_an_error(run: Command, folder: Path) -> None:
    served = {"name": "configmaps", "kind": "ConfigMap", "namespaced": True}
    answers = {
        "/version": {},
        "/api/v1": {"resources": [served | {"verbs": ["list"]}]},
        "/apis": {"groups": []},
        "/api/v1/namespaces/shop": {"metadata": {"name": "shop"}},
        "/api/v1/namespaces/shop/configmaps": {"items": []},
    }
    fake_kubectl.install(folder / "bin", answers)
    check = ("check", "a.yaml", "--cluster", "--to", "1.35", "--namespace")
    done = run(*check, "shpo")
    assert done.returncode == 2
    assert "--namespace shpo: is no namespace of the cluster" in done.stderr
    assert run(*check, "shop").returncode == 0


class _Cluster(Kubectl):
    """A cluster with a group that is down, and a list without an end."""

    def text(self, path: str) -> str:
        served = {"name": "configmaps", "kind": "ConfigMap", "verbs": ["list"]}
        answers = {
            "/api/v1": {"resources": [served]},
            "/apis": {"groups": [{"versions": [{"groupVersion": "a.example/v1"}]}]},
            "/metrics": {},
        }
        if path == "/apis/a.example/v1":
            raise SourceError("the server is currently unable to handle the request")
        endless = {"items": [], "metadata": {"continue": "a"}}
        return json.dumps(answers.get(path, endless))


class _LongNames(Kubectl):
    """A cluster with an object whose name is long, as its server would not take it."""

    def text(self, path: str) -> str:
        served = {"name": "roles", "kind": "Role", "verbs": ["list"]}
        group = "rbac.authorization.k8s.io/v1"
        answers = {
            "/apis": {"groups": [{"versions": [{"groupVersion": group}]}]},
            f"/apis/{group}": {"resources": [served]},
            f"/apis/{group}/roles": {"items": [{"metadata": {"name": "x" * 99_999}}]},
        }
        nothing: dict[str, Any] = {"resources": [], "items": []}
        return json.dumps(answers.get(path.partition("?")[0], nothing))


def test_a_name_in_a_cluster_is_short_in_each_finding() -> None:
    (file,) = (
        file for file in ClusterReader(_LongNames()).files() if "Role" in file.name
    )
    assert len(file.name) < 2_000


def test_what_of_a_cluster_is_not_read_to_its_end_is_said(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("kubestencil.checking.clusters.kubectl._MAX_PAGES", 9)
    files = ClusterReader(_Cluster()).files()
    assert [(file.name, file.reason_to_skip) for file in files] == [
        (
            "<cluster>/a.example/v1",
            "the server is currently unable to handle the request",
        ),
        ("<cluster>/configmaps", "has more than 9 pages"),
    ]


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ({"kind": "Status", "status": "Failure"}, "answers with no list of items"),
        ({"items": "a"}, "answers with no list of items"),
        ([], "answers with no list of items"),
        (
            {"items": [], "metadata": {"continue": 5}},
            "has no valid token for the rest of the list",
        ),
        ({"items": None}, ""),
    ],
)
def test_an_answer_that_is_no_list_is_not_an_empty_one(
    answer: object, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    served = {"name": "configmaps", "kind": "ConfigMap", "verbs": ["list"]}
    answers = {
        "/api/v1": {"resources": [served]},
        "/apis": {"groups": [{"versions": [{"groupVersion": "a.example/v1"}]}]},
        "/apis/a.example/v1": answer,
        "/metrics": {},
    }
    monkeypatch.setattr(
        Kubectl, "text", lambda _, path: json.dumps(answers.get(path, answer))
    )
    names = ["<cluster>/a.example/v1", *(["<cluster>/configmaps"] if reason else [])]
    files = list(ClusterReader(Kubectl()).files())
    assert [file.name for file in files] == names
    assert not reason or reason in files[-1].reason_to_skip
    # The list of all groups decides what is looked at.
    answers["/apis"] = answer
    with pytest.raises(SourceError, match="no list of groups"):
        list(ClusterReader(Kubectl()).files())


@pytest.mark.parametrize("text", ["{", "[]", "5", f'{{"a": {"9" * 5000}}}'])
def test_what_was_applied_and_cannot_be_read_is_said(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    served = {"name": "configmaps", "kind": "ConfigMap", "verbs": ["list"]}
    applied = {"kubectl.kubernetes.io/last-applied-configuration": text}
    answers = {
        "/api/v1": {"resources": [served]},
        "/apis": {"groups": []},
        "/api/v1/configmaps": {"items": [{"metadata": {"annotations": applied}}]},
    }
    monkeypatch.setattr(
        Kubectl,
        "text",
        lambda _, path: json.dumps(answers.get(path.partition("?")[0], {})),
    )
    (file,) = ClusterReader(Kubectl()).files()
    assert "the manifest that was applied last is" in file.reason_to_skip


def test_an_object_with_all_of_it_for_each_manager_is_left(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What is read of it would be as much as its managers times its content."""
    monkeypatch.setenv("KUBESTENCIL_MAX_BYTES", "100000")
    manager = {"manager": "a", "operation": "Apply", "apiVersion": "v1"}
    metadata = {"managedFields": [{**manager, "fieldsV1": {"f:data": {}}}] * 500}
    items = [{"metadata": metadata, "data": {"a": "b" * 1_000}}]
    served = {"name": "configmaps", "kind": "ConfigMap", "verbs": ["list"]}
    answers = {
        "/api/v1": {"resources": [served]},
        "/apis": {"groups": []},
        "/api/v1/configmaps": {"items": items},
    }
    monkeypatch.setattr(
        Kubectl,
        "text",
        lambda _, path: json.dumps(answers.get(path.partition("?")[0], {})),
    )
    *files, last = ClusterReader(Kubectl()).files()
    assert 50 < len(files) < 100 and not any(file.reason_to_skip for file in files)
    assert "number of managers" in last.reason_to_skip


@pytest.mark.growth
def test_what_managers_own_is_found_in_proportional_time() -> None:
    def seconds(count: int) -> float:
        names = [f"c{number}" for number in range(count)]
        owned: dict[str, dict[str, object]] = {
            f'k:{{"name":"{name}"}}': {"f:image": {}} for name in names
        }
        fields = {"f:spec": {"f:containers": owned}}
        manager = {"operation": "Apply", "apiVersion": "v1", "fieldsV1": fields}
        value = {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"managedFields": [{"manager": "a", **manager}]},
            "spec": {"containers": [{"name": name, "image": "a"} for name in names]},
        }
        return processor_time(lambda: list(written(value, None)))

    assert_proportional(seconds, 2_000)


def test_a_program_that_gives_no_version_is_an_error(run: Command) -> None:
    fake_validator.install("1.35", {"a": "end"})
    program = next((run.folder / "validators").rglob("validator"))
    text = program.read_text()
    program.write_text("#!/bin/sh\nexit 1\n")
    done = run("check", "a.yaml", "--to", "1.35")
    assert done.returncode == 2 and "does not answer" in done.stderr
    program.write_text(text.replace("1.35.0", "1.29.0"))
    done = run("check", "a.yaml", "--to", "1.35")
    assert done.returncode == 2 and "has the code of 1.29.0" in done.stderr


@given(st.lists(st.text(max_size=9), max_size=40))
def test_an_error_of_a_program_has_its_first_and_last_lines(lines: list[str]) -> None:
    text = "\n".join(lines).encode("utf-8", "replace")
    program = ("sh", "-c", "cat >&2; exit 1")
    with pytest.raises(ProgramError) as error:
        output_of(program, 10, text=text)
    wanted = [line for line in text.decode().splitlines() if line.strip()]
    assert error.value.what.count("\n") < 6
    if wanted and not wanted[0].startswith("fatal: "):
        assert error.value.what.startswith(wanted[0].strip())
        assert error.value.what.endswith(wanted[-1].strip())
