"""Changes of objects that are there already: ``kubestencil check --applied`` and ``--applied-commit``."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from kubestencil import programs
from kubestencil.checking.files.previous import (
    PreviousObjects,
    committed_files,
    committed_objects,
)
from kubestencil.checking.findings import Results
from kubestencil.checking.paths import field_path
from kubestencil.checking.rules import RULES
from kubestencil.checking.verdicts.changes import (
    add_refused_changes,
    conditional_changes,
)
from kubestencil.checking.verdicts.internal_paths import as_written
from kubestencil.cli import cli
from kubestencil.errors import KubestencilError, SourceError, UsageError
from kubestencil.schema.knowledge.places import immutable_rows
from kubestencil.validator.protocol import Answer, Cause
from tests.api_server import Client
from tests.test_crd_examples import widget
from tests.validators import built_validator

OLD = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: "nginx:1"}]}
---
apiVersion: v1
kind: List
items:
- apiVersion: v1
  kind: Service
  metadata: {name: web, namespace: default}
  spec: {clusterIP: 10.0.0.5, ports: [{port: 80}]}
---
apiVersion: batch/v1
kind: Job
metadata: {name: job}
spec: {template: {spec: {restartPolicy: Never, containers: [{name: a, image: "a:1"}]}}}
---
apiVersion: batch/v1
kind: Job
metadata: {generateName: job}
spec: {template: {spec: {restartPolicy: Never, containers: [{name: a, image: "a:1"}]}}}
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: data}
spec:
  serviceName: data
  selector: {matchLabels: {app: data}}
  template:
    metadata: {labels: {app: data}}
    spec: {containers: [{name: data, image: "data:1"}]}
  volumeClaimTemplates:
  - metadata: {name: data}
    spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: claim}
spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: not valid}
---
apiVersion: autoscaling/v1
kind: HorizontalPodAutoscaler
metadata: {name: web}
spec: {maxReplicas: 3, scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}}
"""
NEW = (
    OLD.replace("app: web", "app: api")
    .replace("name: web, namespace: default", "name: web")
    .replace("10.0.0.5", "10.0.0.6")
    .replace("a:1", "a:2")
    .replace("1Gi", "2Gi")
    .replace("ReadWriteOnce", "ReadWriteMany")
    .replace("not valid", "valid")
    .replace("autoscaling/v1", "autoscaling/v2")
)
REFUSED = {
    ("Deployment", "spec.selector.matchLabels.app", 5),
    ("Service", "spec.clusterIP", 16),
    ("Job", "spec.template.spec.containers[0].image", 21),
    ("StatefulSet", "spec.volumeClaimTemplates[0].spec.accessModes[0]", 39),
    ("PersistentVolumeClaim", "spec.accessModes[0]", 44),
}


def _config_map(name: str, **metadata: str) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": name, **metadata},
    }


def _file(*objects: dict[str, Any]) -> bytes:
    return "---\n".join(json.dumps(item) + "\n" for item in objects).encode()


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository whose first commit has old manifests, and its folder new ones."""
    if not shutil.which("git"):
        pytest.skip("Git is not installed")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    for name in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{name}_NAME", "a")
        monkeypatch.setenv(f"GIT_{name}_EMAIL", "a@example.org")
    folder = tmp_path / "repository"
    (folder / "apps" / ".hidden").mkdir(parents=True)
    (folder / "apps" / "-all.yaml").write_text(OLD)
    (folder / "apps" / ".hidden" / "all.yaml").write_text(OLD)
    (folder / "other.yaml").write_text(OLD)
    for arguments in (["init", "-q"], ["add", "."], ["commit", "-qm", "old"]):
        subprocess.run(["git", "-C", folder, *arguments], check=True)
    (folder / "apps" / "-all.yaml").unlink()
    (folder / "apps" / "renamed.yaml").write_text(NEW)
    return folder


@pytest.fixture
def built(monkeypatch: pytest.MonkeyPatch) -> None:
    path = built_validator("1.35")
    monkeypatch.setenv("KUBESTENCIL_VALIDATORS", str(path.parents[3]))


def _check(*arguments: str) -> dict[str, Any]:
    result = CliRunner().invoke(
        cli, ["check", *arguments, "--to", "1.35", "-q", "-f", "json"]
    )
    assert not isinstance(result.exception, KubestencilError), result.exception
    report: dict[str, Any] = json.loads(result.output)
    return report


def test_objects_are_the_same_by_name_and_not_by_file() -> None:
    old = _config_map("a", namespace="default")
    previous = PreviousObjects([("old.yaml", _file(old, _config_map("b")))])
    assert list(previous.find(_config_map("a"), "new.yaml")) == [old]
    assert not previous.find(_config_map("a", namespace="other"), "new.yaml")
    assert not previous.find({**_config_map("a"), "kind": "Secret"}, "new.yaml")
    unnamed = {**_config_map("a"), "metadata": {"generateName": "a"}}
    assert not previous.find(unnamed, "new.yaml")


def test_of_objects_that_are_there_twice_those_of_the_same_file_are_meant() -> None:
    dev, production = ({**_config_map("a"), "data": {"x": x}} for x in "12")
    previous = PreviousObjects(
        [("dev/a.yaml", _file(dev)), ("production/a.yaml", _file(production))]
    )
    found = previous.find(_config_map("a"), "manifests/production/a.yaml")
    assert list(found) == [production]
    assert len(previous.find(_config_map("a"), "manifests/a.yaml")) == 2
    equal = PreviousObjects([("a.yaml", _file(dev, dev))])
    assert list(equal.find(_config_map("a"), "b.yaml")) == [dev]


def test_a_placeholder_may_stand_for_the_old_value() -> None:
    def changed(label: str) -> list[str]:
        old, new = ({"spec": {"selector": {"app": app}}} for app in ("a", label))
        results = Results()
        cause = Cause("FieldValueInvalid", "spec.selector", "field is immutable")
        add_refused_changes(
            results, Answer(201), Answer(422, causes=(cause,)), new, old
        )
        return [problem.rule for problem in results.values]

    assert changed("b") == ["immutable-field"]
    assert changed("${APP}") == []


# Words of what takes data away: with a claim, a volume, a StatefulSet, a namespace or a
# definition go the data of others.
_DESTRUCTIVE = re.compile(
    r"(?i)\b(delet|recreat|re-creat|replac|remov|create .* again)"
)


def test_no_hint_about_a_change_asks_to_delete_an_object() -> None:
    """Of every field that cannot change, and of the kinds whose data would go."""
    kinds = {(row.api_version, row.kind, row.path) for row in immutable_rows()}
    for api_version, kind, path in {
        *kinds,
        ("v1", "Namespace", "metadata.name"),
        ("v1", "PersistentVolumeClaim", "spec"),
        ("apps/v1", "StatefulSet", "spec"),
        ("example.com/v1", "Database", "spec.size"),
    }:
        value = {"apiVersion": api_version, "kind": kind, "metadata": {"name": "a"}}
        results = Results()
        cause = Cause("FieldValueForbidden", path, "field is immutable")
        refused = Answer(422, causes=(cause,))
        add_refused_changes(results, Answer(201), refused, value, value)
        (problem,) = results.values
        assert problem.hint and not _DESTRUCTIVE.search(problem.hint)
    texts = [rule.reason for rule in RULES.values() if "change" in rule.reason]
    assert not any(map(_DESTRUCTIVE.search, texts))


def _claim(storage: str, **spec: str) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": "a"},
        "spec": {
            "accessModes": ["ReadWriteOnce"],
            "storageClassName": "expandable",
            "resources": {"requests": {"storage": storage}},
            **spec,
        },
    }


def _service(**spec: str) -> dict[str, Any]:
    kind = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "a"}}
    return {**kind, "spec": {"ports": [{"port": 80}], **spec}}


def _definition(scope: str, kind: str) -> dict[str, Any]:
    crd = widget({"type": "object"})
    names = {**crd["spec"]["names"], "kind": kind}
    return {**crd, "spec": {**crd["spec"], "scope": scope, "names": names}}


@pytest.mark.parametrize(
    ("old", "new", "paths"),
    [
        (_claim("2Gi"), _claim("3Gi"), ["spec.resources.requests.storage"]),
        (_claim("2048Mi"), _claim("2Gi"), []),
        # What is smaller is refused, but after an expansion that failed.
        (_claim("2Gi"), _claim("1Gi"), []),
        (_claim("2Gi"), _claim("${SIZE}"), []),
        (
            _claim("2Gi"),
            _claim("2Gi", volumeAttributesClassName="fast"),
            ["spec.volumeAttributesClassName"],
        ),
        (_claim("2Gi"), _claim("2Gi", volumeName="a"), ["spec.volumeName"]),
        (_claim("2Gi", volumeName="b"), _claim("2Gi", volumeName="a"), []),
        (_service(), _service(clusterIP="10.0.0.98"), ["spec.clusterIP"]),
        (_service(), _service(clusterIP="None"), []),
        (_service(clusterIP="10.0.0.97"), _service(clusterIP="10.0.0.98"), []),
        (
            _service(),
            _service(ipFamilyPolicy="RequireDualStack"),
            ["spec.ipFamilyPolicy"],
        ),
        (_service(), _service(ipFamilyPolicy="PreferDualStack"), []),
        (_definition("Cluster", "A"), _definition("Namespaced", "A"), ["spec.scope"]),
        (_definition("Cluster", "A"), _definition("Cluster", "B"), ["spec.names.kind"]),
    ],
)
def test_what_depends_on_the_cluster_is_a_note(
    old: dict[str, Any], new: dict[str, Any], paths: list[str]
) -> None:
    before = json.dumps(old)
    as_if, problems = conditional_changes(new, old)
    assert [field_path(problem.path) for problem in problems] == paths
    assert {RULES[problem.rule].severity for problem in problems} <= {"note"}
    assert json.dumps(old) == before and (as_if == old) is not bool(paths)


@pytest.mark.server
def test_a_server_decides_by_the_state_of_an_object(api_server: Client) -> None:
    """Each change that is a note is refused in one state, and accepted in another."""
    classes = "/apis/storage.k8s.io/v1/storageclasses"
    kind = {"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass"}
    storage_class = {
        **kind,
        "metadata": {"name": "expandable"},
        "provisioner": "a.example/b",
        "allowVolumeExpansion": True,
    }
    claims = "/api/v1/namespaces/default/persistentvolumeclaims"
    path, old = f"{claims}/a", _claim("2Gi")
    changes = [_claim("3Gi"), _claim("2Gi", volumeAttributesClassName="fast")]

    def statuses() -> list[int]:
        stored = api_server.get(path)
        texts = (
            json.dumps({**stored, "spec": {**stored["spec"], **change["spec"]}})
            for change in changes
        )
        return [
            api_server.request("PUT", f"{path}?dryRun=All", text.encode()).status
            for text in texts
        ]

    for target, value in ((classes, storage_class), (claims, old)):
        data = json.dumps(value).encode()
        assert api_server.request("POST", target, data).status == 201
    try:
        assert statuses() == [422, 422]
        bound = {"phase": "Bound", "capacity": {"storage": "2Gi"}}
        claim = json.dumps({**api_server.get(path), "status": bound}).encode()
        assert api_server.request("PUT", f"{path}/status", claim).status == 200
        assert statuses() == [200, 200]
    finally:
        api_server.delete(path)
        api_server.delete(f"{classes}/expandable")


def test_files_of_a_commit_are_read_whatever_they_are_called(repository: Path) -> None:
    apps = str(repository / "apps")
    files = list(committed_files("HEAD", apps, is_recursive=True))
    assert files == [("-all.yaml", OLD.encode())]
    renamed = committed_objects("HEAD", [f"{apps}/renamed.yaml"])
    service = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "web"}}
    assert len(renamed.find(service, "renamed.yaml")) == 1


@pytest.mark.parametrize(
    "revision",
    ["", "--output=x", "-", "nothing", "HEAD --all", "HEAD:apps", "@{", "\n"],
)
def test_what_is_no_commit_is_an_error(repository: Path, revision: str) -> None:
    before = sorted(repository.rglob("*"))
    with pytest.raises(UsageError) as error:
        list(committed_files(revision, str(repository), is_recursive=True))
    assert error.value.where == "--applied-commit"
    assert sorted(repository.rglob("*")) == before


def test_a_folder_with_the_files_of_a_bare_repository_is_none(repository: Path) -> None:
    bare = repository / "apps" / "bare"
    subprocess.run(["git", "clone", "-q", "--bare", repository, bare], check=True)
    ran = repository / "ran"
    with (bare / "config").open("a") as config:
        config.write(f'[core]\nbare = false\nworktree = .\nfsmonitor = "touch {ran}"\n')
    with pytest.raises(UsageError):
        list(committed_files("HEAD", str(bare), is_recursive=True))
    assert not ran.exists()


def test_a_repository_of_a_stranger_runs_no_command(repository: Path) -> None:
    """One that lacks an object, and says how to get it: also with a Git that knows no
    GIT_NO_LAZY_FETCH."""
    found = subprocess.check_output(
        ["git", "rev-parse", "HEAD:other.yaml"], cwd=repository, text=True
    ).strip()
    (repository / ".git" / "objects" / found[:2] / found[2:]).unlink()
    for setting in (
        "core.repositoryformatversion=1",
        "extensions.partialClone=origin",
        "remote.origin.url=ssh://x/y",
        "remote.origin.promisor=true",
        f"core.sshCommand=touch '{repository}/owned'; false",
    ):
        subprocess.run(
            ["git", "config", *setting.split("=", 1)], cwd=repository, check=True
        )
    with pytest.MonkeyPatch.context() as patch:
        patch.delitem(programs._GIT_VARIABLES, "GIT_NO_LAZY_FETCH")
        with pytest.raises(SourceError, match="no content"):
            list(committed_files("HEAD", str(repository), is_recursive=True))
    assert not (repository / "owned").exists()


@pytest.mark.parametrize("revision", [":other.yaml", ":0:other.yaml", "HEAD"])
def test_no_program_of_a_repository_watches_its_files(
    repository: Path, revision: str
) -> None:
    ran = repository / "ran"
    setting = ("core.fsmonitor", f"touch '{ran}'; false")
    subprocess.run(["git", "config", *setting], cwd=repository, check=True)
    with contextlib.suppress(UsageError):  # It is no commit.
        list(committed_files(revision, str(repository), is_recursive=True))
    assert not ran.exists()


def test_a_folder_without_a_repository_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="not a git repository"):
        list(committed_files("HEAD", str(tmp_path), is_recursive=True))


def test_changes_need_the_code_of_the_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KUBESTENCIL_VALIDATORS", str(tmp_path / "validators"))
    (tmp_path / "a.yaml").write_text(OLD)
    for extra, hint in (
        ((), "kubestencil validator build 1.35"),
        (("--exact", "off"), "leave out --exact off"),
    ):
        arguments = ["check", str(tmp_path), "--to", "1.35", "--applied", str(tmp_path)]
        result = CliRunner().invoke(cli, [*arguments, *extra])
        assert isinstance(result.exception, UsageError)
        assert result.exception.hint.startswith(hint)


@pytest.mark.server
def test_changes_that_the_server_refuses_are_found(built: None, tmp_path: Path) -> None:
    for name, text in (("old", OLD), ("new", NEW)):
        (tmp_path / name).mkdir()
        (tmp_path / name / f"{name}.yaml").write_text(text)
    report = _check(str(tmp_path / "new"), "--applied", str(tmp_path / "old"))
    assert {
        (finding["kind"], finding["path"], finding["line"])
        for finding in report["findings"]
        if finding["rule"] == "immutable-field"
    } == REFUSED
    assert all(
        finding["rule"] in ("immutable-field", "newer-version", "depends-on-cluster")
        for finding in report["findings"]
    )
    assert {
        (finding["kind"], finding["path"], finding["severity"])
        for finding in report["findings"]
        if finding["rule"] == "depends-on-cluster"
    } == {("PersistentVolumeClaim", "spec.resources.requests.storage", "note")}
    assert report["checked"]["updated"] == 6
    assert report["skipped"] == []
    assert report["validators"] == {"1.35": "1.35.0"}
    unchanged = _check(str(tmp_path / "new"), "--applied", str(tmp_path / "new"))
    assert not unchanged["findings"]


@pytest.mark.server
def test_an_old_object_that_is_refused_is_said_to_be_left_out(
    built: None, tmp_path: Path
) -> None:
    new, old = tmp_path / "new.yaml", tmp_path / "old"
    old.mkdir()
    new.write_text(NEW)
    (old / "a.yaml").write_text(OLD.replace("nginx:1", ""))
    report = _check(str(new), "--applied", str(old))
    assert report["skipped"] == [
        {
            "reason": "changes of objects that were refused before",
            "detail": "",
            "count": 1,
        }
    ]


@pytest.mark.server
def test_changes_since_a_commit_are_found(built: None, repository: Path) -> None:
    report = _check(str(repository / "apps"), "--applied-commit", "HEAD")
    assert {
        (finding["kind"], finding["path"], finding["line"])
        for finding in report["findings"]
        if finding["rule"] == "immutable-field"
    } == REFUSED


def test_a_refused_change_is_where_something_changed_in_words() -> None:
    """What may change is quoted by the server; what Go prints of values is left out."""
    old = {"spec": {"replicas": 1, "serviceName": "a", "template": {"a": [1]}}}
    new = {"spec": {"replicas": 2, "serviceName": "b", "template": {"a": [2]}}}

    def problem(field: str, message: str) -> tuple[object, str]:
        results = Results()
        cause = Cause("FieldValueInvalid", field, message)
        answer = Answer(422, causes=(cause,))
        add_refused_changes(results, Answer(201), answer, new, old)
        (found,) = results.values
        return found.path, found.message

    text = (
        "Forbidden: updates for fields other than 'replicas', 'template' are forbidden"
    )
    assert problem("spec", f"{text}\n core.Spec{{...}}") == (
        ("spec", "serviceName"),
        f"spec: {text}; changed: spec.serviceName",
    )
    text = "Invalid value: field is immutable"
    assert problem("spec.template", text) == (
        ("spec", "template", "a", 0),
        f"spec.template: {text}; changed: spec.template.a[0]",
    )


@pytest.mark.parametrize(
    ("message", "shown"),
    [
        (
            'Invalid value: {"MinAvailable":1,"Selector":null}: both',
            "Invalid value: both",
        ),
        (
            "Invalid value: policy.Spec{MinAvailable:(*intstr.IntOrString)(0xc0004d2a0)}"
            ": both",
            "Invalid value: both",
        ),
        (
            'Invalid value: map[string]string{"a":"c"}: one of [x]',
            "Invalid value: one of [x]",
        ),
        ('Duplicate value: {"Name":"a"}', "Duplicate value"),
        ('Invalid value: "{a}": must be {b}', 'Invalid value: "{a}": must be {b}'),
        ("Invalid value: 6: found 6: [* *]", "Invalid value: 6: found 6: [* *]"),
    ],
)
def test_what_go_prints_of_an_object_is_in_no_message(message: str, shown: str) -> None:
    """In older releases it has addresses in memory: no two runs would print the same."""
    assert as_written(Cause("", "spec", message), {}).message == shown


def test_what_a_server_says_of_the_new_object_alone_is_no_refused_change() -> None:
    """Whatever addresses in memory it prints each time."""
    created, updated = (
        Answer(
            422, causes=(Cause("", "spec", f"Invalid value: a.B{{C:(*d)({at})}}: no"),)
        )
        for at in ("0xc0004d2a0", "0xc0004d2b0")
    )
    results = Results()
    add_refused_changes(results, created, updated, {"spec": 1}, {"spec": 2})
    assert not results.values
