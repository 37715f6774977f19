"""The workflows of GitHub Actions, as far as they can be tried elsewhere."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.conftest import ROOT, Command


@pytest.mark.peer("actionlint")
def test_actionlint_accepts_the_workflows() -> None:
    paths = sorted((ROOT / ".github/workflows").glob("*.yml"))
    assert paths
    done = subprocess.run(["actionlint", *paths], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


_TEXTS = (
    "$(touch owned)", "`touch owned`", "; touch owned", '" ; touch owned; "', "\n; touch owned",
    "${{ github.token }}", "-\n--\n*\n~", "a b", "'", "\\", "$HOME", "!!", "%s%n", "é\r",
)  # fmt: skip


@pytest.mark.parametrize("name", ["COMMAND", "ARGUMENTS"])
def test_inputs_of_the_action_are_arguments_and_no_code(
    tmp_path: Path, name: str
) -> None:
    """Its scripts contain no input, and each line of one is an argument as it is."""
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("bash is not installed")
    steps = yaml.safe_load((ROOT / "action.yml").read_text())["runs"]["steps"]
    assert not [step["run"] for step in steps if "${{" in step["run"]]
    (step,) = [step for step in steps if "ARGUMENTS" in step.get("env", {})]
    program = tmp_path / "kubestencil" / "bin" / "kubestencil"
    program.parent.mkdir(parents=True)
    program.write_text('#!/bin/sh\nprintf "%s\\n" "$@" >arguments\n')
    program.chmod(0o755)
    for text in _TEXTS:
        inputs = {"COMMAND": "check", "ARGUMENTS": "", name: text}
        done = subprocess.run(
            [bash, "-e", "-o", "pipefail", "-c", step["run"]],
            cwd=tmp_path,
            env={"PATH": "/usr/bin:/bin", "RUNNER_TEMP": str(tmp_path), **inputs},
            capture_output=True,
        )
        assert not (tmp_path / "owned").exists(), text
        if name == "COMMAND":
            assert done.returncode == 2, text
        else:
            lines = [line for line in text.split("\n") if line]
            arguments = (tmp_path / "arguments").read_bytes().decode()
            assert arguments == "\n".join(["check", "--format", "github", *lines, ""])


@pytest.mark.nightly
def test_the_action_opens_a_pull_request_with_the_summary_of_an_update(
    run: Command,
) -> None:
    """Its steps after the installation, with real git and a program called gh."""
    temporary = run.folder / "temporary"
    for name, text in (
        ("kubestencil", f'exec "{sys.executable}" -m kubestencil "$@"'),
        ("gh", 'printf "%s\\n" "$*" >>"$GH_CALLS"; test "$2" = edit'),
    ):
        program = temporary / "kubestencil" / "bin" / name
        program.parent.mkdir(parents=True, exist_ok=True)
        program.write_text(f"#!/bin/sh\n{text}\n")
        program.chmod(0o755)
    calls = run.folder / "calls"
    environment = {
        **run.environment,
        "PATH": f"{temporary / 'kubestencil' / 'bin'}:{run.environment['PATH']}",
        "RUNNER_TEMP": str(temporary),
        "COMMAND": "update",
        "ARGUMENTS": "--offline\n",
        "GH_CALLS": str(calls),
        "GH_TOKEN": "token",
        **{f"GIT_{who}_NAME": "a" for who in ("AUTHOR", "COMMITTER")},
        **{f"GIT_{who}_EMAIL": "a@example.com" for who in ("AUTHOR", "COMMITTER")},
    }
    steps = yaml.safe_load((ROOT / "action.yml").read_text())["runs"]["steps"]
    project = run.folder / "project"

    def shell(script: str, folder: Path = project) -> str:
        done = subprocess.run(
            ["bash", "-e", "-o", "pipefail", "-c", script],
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    shell(
        "git init --quiet --bare origin && git clone --quiet origin project", run.folder
    )
    (project / "kubestencil.toml").write_text(
        '[[generate]]\ntarget = ["typescript"]\nreleases = ["1.34"]\noutput = "out"\n'
        'kind = ["Pod"]\n'
    )
    commit = "git add --all && git commit --quiet --message a && git push --quiet"
    shell(f"kubestencil render --quiet && {commit}")
    for step in steps[1:]:
        shell(step["run"])
    assert not calls.exists()
    shell("sed -i s/1.34/1.35/ kubestencil.toml")
    # Such as the file of an action that logs in.
    (project / "credentials.json").write_text("s3cret")
    with pytest.raises(AssertionError, match="changes of earlier steps"):
        shell(steps[1]["run"])
    (project / "credentials.json").unlink()
    shell(f"{commit} --quiet")
    for step in steps[1:]:
        shell(step["run"])
    pushed = shell("git -C ../origin show kubestencil-update:kubestencil.lock")
    assert '"1.35"' in pushed
    create, edit = calls.read_text().splitlines()
    assert create.startswith("pr create --title ")
    assert edit == f"pr edit kubestencil-update --body-file {temporary / 'summary.md'}"
    summary = (temporary / "summary.md").read_text()
    assert "## API changes: 1.34 → 1.35" in summary


def test_the_facts_of_a_new_tag_become_a_change(tmp_path: Path) -> None:
    """The steps of its workflow, with real git and a program called gh; what makes facts is
    in tests/test_make_release.py."""
    programs = {
        "python": 'case "$3" in next) echo 1.99.0;; *) echo "# 1.99" >"$6"; echo >>specs/a;; esac',
        "gh": 'printf "%s\\n" "$*" >>"$GH_CALLS"',
    }
    for name, text in programs.items():
        path = tmp_path / "bin" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(0o755)
    environment = {
        "PATH": f"{tmp_path / 'bin'}:/usr/bin:/bin",
        "HOME": str(tmp_path),
        "RUNNER_TEMP": str(tmp_path),
        "GITHUB_OUTPUT": str(tmp_path / "output"),
        "GH_CALLS": str(tmp_path / "calls"),
    }

    def shell(script: str, folder: Path, **variables: str) -> str:
        done = subprocess.run(
            ["bash", "-e", "-o", "pipefail", "-c", script],
            cwd=folder,
            env={**environment, **variables},
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    shell(
        "git init --quiet --bare origin && git clone --quiet origin project", tmp_path
    )
    project = tmp_path / "project"
    (project / "specs").mkdir()
    workflow = yaml.safe_load((ROOT / ".github/workflows/facts.yml").read_text())
    find, make, change = (
        step for step in workflow["jobs"]["facts"]["steps"] if "name" in step
    )
    shell(find["run"], project)
    _, _, release = (tmp_path / "output").read_text().strip().partition("release=")
    for step in (make, change):
        shell(step["run"], project, RELEASE=release)
    pushed = shell("git -C ../origin log --format=%s --name-only facts-1.99.0", project)
    assert pushed.split("\n\n") == ["Add the facts of Kubernetes 1.99.0", "specs/a\n"]
    (create,) = (tmp_path / "calls").read_text().splitlines()
    assert create.endswith(f"--body-file {tmp_path / 'review.md'}")
    # It is opened once.
    (tmp_path / "output").unlink()
    shell(find["run"], project)
    assert not (tmp_path / "output").exists()
    assert (tmp_path / "review.md").read_text() == "# 1.99\n"
