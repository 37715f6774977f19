"""The command that makes all that is known of a release, on sources of a small Kubernetes
and a Go that downloads nothing."""

from __future__ import annotations

import hashlib
import shutil
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from kubestencil.engine import load_targets
from kubestencil.engine.manifest import Size
from kubestencil.errors import SourceError
from kubestencil.schema.knowledge import snapshots, tables
from kubestencil.source.releases import listed_previews
from specs.make import __main__ as specs_make
from specs.make import corrections
from specs.make import facts as specs_facts
from specs.make.checkouts import Checkout
from specs.make.makers import MAKERS, make_tables
from specs.make.release import listing, review, sizes
from specs.make.release.modules import next_release
from tests.small_kubernetes import make_checkouts

PREVIEW = "1.33.0-beta.0"
# What Go answers: modules that are there, one that is not, and no build.
GO = """#!/bin/sh
case "$*" in
    "env GOVERSION") echo go1.30.0 ;;
    "env GOMODCACHE") echo "{folder}" ;;
    list*) echo '{{"GoMod": "{folder}/go.mod"}}' ;;
    "mod download"*)
        echo '{{"Path": "k8s.io/api", "Version": "v0.33.0-beta.0"}}'
        echo '{{"Path": "k8s.io/kubelet", "Version": "v0.33.0-beta.0", "Error": "it is refused"}}' ;;
    *) exit 1 ;;
esac
"""
COVERAGE = "# read by people\ncombinations\t1.32\t-\nenums\t-\t1.31..1.31\n"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder with facts of 1.32, and a Go module cache with what comes after it."""
    specs = tmp_path / "specs"
    (specs / "facts").mkdir(parents=True)
    (specs / "facts/README.md").write_text(
        "## lifecycle\n\n- **apiVersion**\n- **kind**\n"
    )
    (specs / "corrections.tsv").write_text("# none\n")
    (specs / "coverage.tsv").write_text(COVERAGE)
    (specs / "releases.toml").write_text('[release."1.32"]\nurl = "a"\n')
    for module in (snapshots, specs_facts, corrections, listing, review, tables):
        monkeypatch.setattr(module, "data_file", tmp_path.joinpath)
    cache = tmp_path / "modules"
    newest = make_checkouts(cache)[-1]
    for path in list((cache / "k8s.io").glob("*@v?.32.0")):
        copy = path.name.replace(".32.0", f".{PREVIEW.partition('.')[2]}")
        shutil.copytree(path, path.with_name(copy))
    (cache / "go.mod").write_text("module k8s.io/kubernetes\n\ngo 1.29.0\n")
    go = tmp_path / "bin/go"
    go.parent.mkdir()
    go.write_text(GO.format(folder=cache))
    go.chmod(0o755)
    monkeypatch.setenv("PATH", str(go.parent), prepend=":")
    monkeypatch.setenv("KUBESTENCIL_VALIDATORS", str(tmp_path / "validators"))
    for cached in (snapshots.snapshots, corrections._corrections):
        cached.cache_clear()
    for table in ("parameters", "resources"):
        make_tables(MAKERS[table], newest)
    specs_facts.write_facts(
        "lifecycle", {"1.32": [("v1", "Pod", "1.30", "", "", "", "")]}
    )
    yield tmp_path
    for cached in (snapshots.snapshots, corrections._corrections):
        cached.cache_clear()


def test_a_release_is_made_as_far_as_its_sources_go(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = project / "review.md"
    before = (project / "specs/facts/1.32.tsv").read_bytes()
    assert specs_make.main(["release", f"v{PREVIEW}", "--review", str(page)]) == 0
    messages = capsys.readouterr().err
    # Nothing is there of which facts could be, and the run goes on.
    for left_out in ("configurations", "program to ask", "changed-fields"):
        assert f"left out: {left_out}: " in messages
    assert "not there: k8s.io/kubelet@v0.33.0-beta.0: it is refused" in messages
    assert "not reviewed: specs/combinations.tsv was read until 1.32" in messages
    facts = (project / f"specs/facts/{PREVIEW}.tsv").read_text()
    assert "[parameters]\n[resources]\n" in facts
    # A pre-release has what its minor version brings.
    assert "+\tshop.example.com/v1\tGadget\t1.33\t" in facts
    assert (project / "specs/facts/1.32.tsv").read_bytes() == before
    text = page.read_text()
    assert "| shop.example.com/v1 | Gadget | 1.33 |" in text
    assert text.endswith("- [ ] `specs/combinations.tsv`, read until 1.32\n")


def test_a_run_makes_what_is_not_there(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert specs_make.main(["release", PREVIEW]) == 0
    path = project / f"specs/facts/{PREVIEW}.tsv"
    path.write_text(path.read_text().replace("[parameters]\n", "[parameters]\n+\ta\n"))
    capsys.readouterr()
    assert specs_make.main(["release", PREVIEW]) == 0
    assert "parameters: " not in capsys.readouterr().err
    assert "[parameters]\n+\ta\n" in path.read_text()
    assert specs_make.main(["release", PREVIEW, "--again", "parameters"]) == 0
    assert "[parameters]\n[" in path.read_text()


def test_a_preview_is_listed_until_the_release_is_there(project: Path) -> None:
    modules = project / "modules"
    document = (
        modules / "k8s.io/kubernetes@v1.33.0-beta.0/api/openapi-spec/swagger.json"
    )
    list_file = project / "specs/releases.toml"
    assert listing.list_release(Checkout(modules, PREVIEW))
    listed = tomllib.loads(list_file.read_text())["preview"][PREVIEW]
    assert f"/v{PREVIEW}/" in listed["url"]
    assert listed["sha256"] == hashlib.sha256(document.read_bytes()).hexdigest()
    assert not listing.list_release(Checkout(modules, PREVIEW))
    final = document.parents[3] / "kubernetes@v1.33.0"
    shutil.copytree(document.parents[2], final)
    assert listing.list_release(Checkout(modules, "1.33"))
    assert [*tomllib.loads(list_file.read_text())] == ["release"]
    assert not listing.list_release(Checkout(modules, "1.33.1"))


@pytest.mark.parametrize(
    ("tagged", "expected"),
    [
        ("v1.37.2 v1.38.0-beta.0", None),
        ("v1.38.0-beta.0 v1.38.0-beta.1 v1.38.0-rc.0", "1.38.0-rc.0"),
        ("v1.38.0-rc.0 v1.38.0 v1.38.1 v1.39.0-alpha.0 v1.39.0-beta.0", "1.38.0"),
        ("v1.38.0-beta.0 v1.39.0-alpha.1", None),
    ],
)
def test_the_next_release_is_the_first_that_is_not_listed(
    project: Path, tagged: str, expected: str | None
) -> None:
    go = project / "bin/go"
    go.write_text(f"#!/bin/sh\necho k8s.io/kubernetes {tagged}\n")
    assert next_release(["1.37", "1.38.0-beta.0"]) == expected


def test_a_release_without_sources_is_refused(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "bin/go").write_text("#!/bin/sh\necho 'unknown revision' >&2\nexit 1\n")
    assert specs_make.main(["release", "1.40"]) == 1
    assert "unknown revision" in capsys.readouterr().err


def test_a_correction_is_applied_until_upstream_agrees(project: Path) -> None:
    path = project / "specs/corrections.tsv"
    row = "1.33..\tmetrics\t+\ta\tx\treason\n1.33..1.33\tmetrics\t-\tb\tx\treason\n"
    path.write_text(f"# of tests\n{row}")
    corrections._corrections.cache_clear()
    specs_facts.write_facts("metrics", {"1.32": ["bx"], "1.33": ["bx", "cx"]})
    assert snapshots.lines_of_releases("metrics") == {
        "1.32": {"b\tx": None}, "1.33": {"a\tx": None, "c\tx": None},
    }  # fmt: skip
    with pytest.raises(
        SourceError, match="say what a correction does: the table has a x"
    ):
        specs_facts.write_facts("metrics", {"1.33": ["ax", "bx"]})
    with pytest.raises(SourceError, match="the table lacks b x"):
        specs_facts.write_facts("metrics", {"1.33": ["cx"]})


def test_previews_have_facts() -> None:
    assert listed_previews().keys() <= snapshots.snapshots().keys()


def test_a_size_is_stated_again_where_a_target_makes_more() -> None:
    """Of the targets, one of one release, and one of several."""
    for name in ("go", "diff"):
        target = load_targets(None)[name]
        size = sizes.measured(target)
        assert sizes.is_near(size, target.size), (name, size)
        larger = Size(2 * size.files, size.kilobytes)
        assert not sizes.is_near(larger, target.size)
        text = target.manifest.read_text("utf-8")
        assert sizes.with_size(text, target.size) == text
        assert f"files = {larger.files}," in sizes.with_size(text, larger)
