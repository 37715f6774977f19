"""Nothing disappears unasked: what a run with fewer releases, kinds or options keeps."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import kubestencil
from kubestencil.errors import OutputError
from tests.conftest import POD, SMALL, Command, make_document, read_files
from tests.test_serve_command import ServeProcess

OTHER = "io.k8s.api.core.v1.Other"
TARGETS = ("-t", "site", "-t", "diff", "-t", "markdown")


def write_document(folder: Path, name: str) -> Path:
    fields = {"name": {"type": "string", "description": f"Only in {name}."}}
    other = {**SMALL, OTHER: {"type": "object", "properties": fields}}
    path = folder / f"{name}.json"
    path.write_text(json.dumps(make_document(other)))
    return path


@pytest.fixture
def generated(run: Command) -> Path:
    """The output of two releases, whose small documents are in the folder specs."""
    specs = run.folder / "specs"
    specs.mkdir()
    for release in ("1.34", "1.35"):
        write_document(specs, release)
    done = run("render", "1.34", "1.35", *TARGETS)
    assert done.returncode == 0, done.stderr
    return run.folder / "generated"


def paths(folder: Path) -> set[str]:
    return set(read_files(folder))


@pytest.mark.nightly
def test_a_cluster_is_added_to_the_releases_of_the_site(
    run: Command, generated: Path
) -> None:
    before = paths(generated)
    cluster = json.dumps(make_document(SMALL))
    done = run("render", "my-cluster", "--spec", "-", "-t", "site", stdin=cluster)
    assert done.returncode == 0, done.stderr
    assert not before - paths(generated)
    assert "my-cluster" in (generated / "site" / "index.html").read_text()
    assert "1.34" in (generated / "site" / "my-cluster" / "index.html").read_text()
    again = run("render", "1.34", "1.35", "-t", "site")
    assert again.returncode == 1
    assert "generated/site/my-cluster: " in again.stderr
    assert "--prune" in again.stderr
    assert (generated / "site" / "my-cluster" / "index.html").exists()


def test_a_run_of_one_release_leaves_a_site_of_two_as_it_is(
    run: Command, generated: Path
) -> None:
    before = read_files(generated)
    assert run("render", "1.35", *TARGETS[:2], "-t", "markdown").returncode == 0
    serving = ServeProcess(run, "1.35")
    serving.expect_output(r"site: \d+ files, .*, unchanged$")
    serving.interrupt()
    assert read_files(generated) == before
    assert run("render", "1.35", "-t", "site", "--check").returncode == 0


@pytest.mark.nightly
def test_other_limits_remove_nothing_without_prune(
    run: Command, generated: Path
) -> None:
    before = read_files(generated)
    call = ("render", "1.35", "-t", "markdown", "--kind", "Pod")
    done = run(*call)
    assert done.returncode == 1
    assert "generated/1.35/markdown: 1 files, such as docs/V1Other.md" in done.stderr
    assert read_files(generated) == before
    assert run(*call, "--prune").returncode == 0
    page = "1.35/markdown/docs/V1Other.md"
    assert [path for path in before if not (generated / path).exists()] == [page]
    assert run(*call).returncode == 0


@pytest.mark.nightly
def test_other_options_remove_nothing_without_prune(
    run: Command, generated: Path
) -> None:
    call = ("render", "1.34", "1.35", "-t", "site")
    assert run(*call, "--set", "site.url=https://example.com/").returncode == 0
    sitemap = generated / "site" / "sitemap.xml"
    assert sitemap.exists()
    assert run(*call).returncode == 1
    assert sitemap.exists()
    assert run(*call, "--prune").returncode == 0
    assert not sitemap.exists()


@pytest.mark.nightly
def test_a_newer_document_of_the_same_release_removes_what_it_lacks(
    run: Command, generated: Path
) -> None:
    """The same is asked for, so files that are left are out of date."""
    document = make_document({POD: SMALL[POD], **SMALL})
    (run.folder / "specs" / "1.35.json").write_text(json.dumps(document))
    done = run("render", "1.34", "1.35", *TARGETS)
    assert done.returncode == 0, done.stderr
    assert not (generated / "1.35" / "markdown" / "docs" / "V1Other.md").exists()


def test_the_python_function_keeps_files_as_well(
    generated: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(generated.parent)
    with pytest.raises(OutputError, match="--prune"):
        kubestencil.render(["1.35"], targets=["markdown"], kinds=["Pod"])
    kubestencil.render(["1.35"], targets=["markdown"], kinds=["Pod"], prune=True)
