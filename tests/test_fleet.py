"""The examples of docs/fleet.md: an API server takes the manifests, and their commands do
together what one run does."""

from __future__ import annotations

import csv
import io
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from kubestencil import check
from tests import api_server as api
from tests import fake_kubectl
from tests.conftest import ROOT, Command, rest_nightly
from tests.test_shards import output_of, write_documents

EXAMPLES = ROOT / "docs/examples/fleet"
MANIFESTS = (
    "portal",
    "portal-finish",
    "portal-bucket",
    "repositories",
    "clusters",
    "report",
)
_PROJECT = """\
[[generate]]
releases = ["1.0", "1.1", "1.2"]
spec-dir = "specs"
target = ["markdown", "typescript"]
output = "portal/models/{target}/{release}"
[[generate]]
releases = ["1.0", "1.1", "1.2"]
spec-dir = "specs"
target = ["site", "diff"]
output = "portal/pages/{target}"
"""
_SERVICE = (
    "apiVersion: v1\nkind: Service\nmetadata: {name: a}\nspec: {ports: [{port: %s}]}\n"
)


def _objects(name: str) -> list[dict[str, Any]]:
    return list(yaml.safe_load_all((EXAMPLES / f"{name}.yaml").read_text()))


def _job(name: str) -> dict[str, Any]:
    (job,) = [value for value in _objects(name) if value["kind"] == "Job"]
    return job


class Pod:
    """Runs a container of a Job as a node does, with folders in the place of volumes."""

    def __init__(self, run: Command, job: Mapping[str, Any]) -> None:
        self.run = run
        spec = job["spec"]["template"]["spec"]
        (self.container,) = [
            container
            for container in (*spec.get("initContainers", ()), *spec["containers"])
            if container["name"] == "kubestencil"
        ]
        self.count = job["spec"].get("completions", 1)
        program = run.folder / "bin/kubestencil"
        program.parent.mkdir(exist_ok=True)
        program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m kubestencil "$@"\n')
        program.chmod(0o755)

    def start(self, index: int, folders: Mapping[str, Path]) -> subprocess.Popen[str]:
        """Start the container of an index; ``folders`` are those of its mounts."""
        mounts = {mount["mountPath"] for mount in self.container["volumeMounts"]}
        assert folders.keys() <= mounts
        environment = {
            **self.run.environment,
            "PATH": f"{self.run.folder / 'bin'}:{self.run.environment['PATH']}",
            "JOB_COMPLETION_INDEX": str(index),
        }

        def expanded(text: str) -> str:
            # https://kubernetes.io/docs/tasks/inject-data-application/define-command-argument-container/
            text = re.sub(r"\$\((\w+)\)", lambda match: environment[match[1]], text)
            for mount in sorted(folders, key=len, reverse=True):
                text = re.sub(rf"(?<![\w./-]){mount}\b", str(folders[mount]), text)
            return text

        command = self.container.get("command", ["kubestencil"])
        return subprocess.Popen(
            [*command, *map(expanded, self.container["args"])],
            cwd=expanded(self.container["workingDir"]),
            env=environment,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def complete(self, folders: Mapping[str, Path]) -> None:
        """Run all indexes at the same time."""
        for process in [self.start(index, folders) for index in range(self.count)]:
            _, errors = process.communicate(timeout=300)
            assert process.returncode == 0, errors


def _folder(path: Path) -> Path:
    path.mkdir(parents=True)
    return path


@pytest.mark.parametrize("name", MANIFESTS)
def test_an_api_server_accepts_the_manifests(api_server: api.Client, name: str) -> None:
    for value in _objects(name):
        reply = api_server.submit(value)
        assert reply.accepted, reply.message
        assert not reply.warnings


def test_the_manifests_have_no_findings() -> None:
    assert {path.stem for path in EXAMPLES.glob("*.yaml")} == {*MANIFESTS}
    report = check([str(EXAMPLES)], to="1.35")
    assert report.checked == 10
    assert not report.findings


@pytest.mark.nightly
def test_a_portal_of_pods_is_that_of_one_run(run: Command, tmp_path: Path) -> None:
    for name in ("whole", "work"):
        write_documents(_folder(tmp_path / name))
        (tmp_path / name / "kubestencil.toml").write_text(_PROJECT)
    whole = Command(tmp_path / "whole", run.environment)
    assert whole("render", "-q").returncode == 0
    folders = {"/work": tmp_path / "work"}
    Pod(run, _job("portal")).complete(folders)
    assert not (tmp_path / "work/portal/pages/diff").exists()
    Pod(run, _job("portal-finish")).complete(folders)
    assert output_of(tmp_path / "work") == output_of(tmp_path / "whole")


def test_pods_that_copy_to_a_bucket_make_together_what_one_run_makes(
    run: Command, tmp_path: Path
) -> None:
    job = _job("portal-bucket")
    pod = Pod(run, job)
    # Small documents in the place of releases, and a few Pods: others are empty.
    arguments = [
        argument
        for argument in pod.container["args"]
        if argument not in ("1.34..1.36", "--crds=projects")
    ]
    pod.container["args"] = [*arguments, "--spec-dir=specs", "1.0", "1.1", "1.2"]
    for index in range(pod.count):
        work = _folder(tmp_path / f"work{index}")
        write_documents(work)
        process = pod.start(index, {"/work": work})
        _, errors = process.communicate(timeout=300)
        assert process.returncode == 0, errors
        if (work / "portal").exists():
            shutil.copytree(
                work / "portal",
                tmp_path / "portal",
                ignore=shutil.ignore_patterns(".cache"),
                dirs_exist_ok=True,
            )
    write_documents(tmp_path)
    targets = ("-t", "markdown", "-t", "jsonschema", "--spec-dir", "specs", "-q")
    render = ("render", "1.0", "1.1", "1.2", *targets)
    assert run(*render, "-o", "whole").returncode == 0
    assert run(*render, "-o", "portal", "--finish").returncode == 0
    assert output_of(tmp_path / "portal") == output_of(tmp_path / "whole")


@pytest.mark.peer("git")
@pytest.mark.nightly
def test_pods_check_all_repositories_of_a_list(run: Command, tmp_path: Path) -> None:
    lines = []
    for name, port in (("payments", "1"), ("search", "x"), ("web", "2")):
        folder = _folder(tmp_path / "git" / name)
        (folder / "web.yaml").write_text(_SERVICE % port)
        lines.append(f"{name} {folder.as_uri()}\n")
        for arguments in (
            ("init", "-q"),
            ("add", "."),
            ("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "a"),
        ):
            subprocess.run(["git", *arguments], cwd=folder, check=True)
    config, reports = _folder(tmp_path / "config"), _folder(tmp_path / "reports")
    (config / "repositories.txt").write_text("".join(lines))
    pod = Pod(run, _job("repositories"))
    for index in range(pod.count):
        work = _folder(tmp_path / f"work{index}")
        folders = {"/config": config, "/reports": reports, "/work": work}
        process = pod.start(index, folders)
        _, errors = process.communicate(timeout=300)
        assert process.returncode == 0, errors
    Pod(run, _job("report")).complete({"/reports": reports})
    text = (reports / "fleet.txt").read_text()
    assert text.startswith("1.35: safe for 2 of 3\n  safe: payments, web\n")
    assert "not safe: search (" in text
    rows = list(csv.DictReader(io.StringIO((reports / "fleet.csv").read_text())))
    assert {row["report"] for row in rows} == {"payments", "search", "web"}
    assert "<h2>Who can be upgraded</h2>" in (reports / "fleet.html").read_text()


def test_pods_check_the_clusters_of_contexts(run: Command, tmp_path: Path) -> None:
    version = "flowcontrol.apiserver.k8s.io/v1"
    resource = {"name": "flowschemas", "kind": "FlowSchema", "namespaced": False}
    entry = {
        "manager": "argocd",
        "operation": "Update",
        "apiVersion": f"{version}beta3",
    }
    schema = {
        "apiVersion": version,
        "kind": "FlowSchema",
        "metadata": {"name": "a", "managedFields": [entry]},
        "spec": {"priorityLevelConfiguration": {"name": "global-default"}},
    }
    answers = {
        "/version": {},
        "/api/v1": {"resources": []},
        "/apis": {"groups": [{"preferredVersion": {"groupVersion": version}}]},
        f"/apis/{version}": {"resources": [{**resource, "verbs": ["list"]}]},
        f"/apis/{version}/flowschemas": {"items": [schema]},
    }
    config, reports = _folder(tmp_path / "config"), _folder(tmp_path / "reports")
    (config / "contexts.txt").write_text(
        "prod-eu\narn:aws:eks:eu:1:cluster/us\nstaging\n"
    )
    pod = Pod(run, _job("clusters"))
    fake_kubectl.install(tmp_path / "bin", answers)
    work = _folder(tmp_path / "work")
    pod.complete({"/config": config, "/reports": reports, "/work": work})
    names = sorted(path.stem for path in reports.iterdir())
    assert names == ["arn:aws:eks:eu:1:cluster_us", "prod-eu", "staging"]
    Pod(run, _job("report")).complete({"/reports": reports})
    text = (reports / "fleet.txt").read_text()
    assert "removed-kind in 1.36: 3 in 3 of 3" in text
    assert "owned by: argocd (3)" in text


def _github(environment: Mapping[str, str]) -> Iterator[tuple[str, dict[str, str]]]:
    """The scripts of the workflow, with their environments."""
    jobs = yaml.safe_load((EXAMPLES / "github.yml").read_text())["jobs"]
    for shard in jobs["check"]["strategy"]["matrix"]["shard"]:
        assert jobs["check"]["env"] == {"SHARD": "${{ matrix.shard }}"}
        for step in jobs["check"]["steps"]:
            if "run" in step:
                yield step["run"], {**environment, "SHARD": str(shard)}
    for step in jobs["report"]["steps"]:
        if "run" in step:
            yield step["run"], dict(environment)


def _gitlab(environment: Mapping[str, str]) -> Iterator[tuple[str, dict[str, str]]]:
    jobs = yaml.safe_load((EXAMPLES / "gitlab.yml").read_text())
    check, report = jobs["check"], jobs["report"]
    for index in range(1, check["parallel"] + 1):
        variables = {
            "CI_NODE_INDEX": str(index),
            "CI_NODE_TOTAL": str(check["parallel"]),
        }
        for script in (*check["before_script"], *check["script"]):
            yield script, {**environment, **variables}
    for script in report["script"]:
        yield script, dict(environment)


@pytest.mark.parametrize("engine", rest_nightly([_gitlab, _github]))
def test_shards_of_other_engines_are_those_of_one_run(
    run: Command, tmp_path: Path, engine: Any
) -> None:
    for number in range(9):
        (tmp_path / f"{number}.yaml").write_text(_SERVICE % ("x" if number % 2 else 1))
    report_format = "junit" if engine is _gitlab else "github"
    whole = run("check", ".", "--to", "1.36", "-q", "--format", report_format)
    Pod(run, _job("portal"))  # It writes the program.
    path = f"{tmp_path / 'bin'}:{run.environment['PATH']}"
    scripts = list(engine({**run.environment, "PATH": path}))
    # Each machine has files of its own, and the last one the reports of the others.
    reports, artifacts = _folder(tmp_path / "shards"), _folder(tmp_path / ".artifacts")
    for script, environment in scripts:
        is_last = script == scripts[-1][0]
        for report in [*artifacts.iterdir()] if is_last else ():
            report.rename(reports / report.name)
        done = subprocess.run(
            ["sh", "-ec", script],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
        )
        for report in (*tmp_path.glob("shard-*.json"), *reports.iterdir()):
            report.rename((reports if is_last else artifacts) / report.name)
        assert done.returncode == (whole.returncode if is_last else 0), done.stderr
    result = done.stdout if engine is _github else (tmp_path / "check.xml").read_text()
    assert result == whole.stdout


@pytest.mark.peer("actionlint")
def test_actionlint_accepts_the_workflow() -> None:
    done = subprocess.run(
        ["actionlint", EXAMPLES / "github.yml"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout
