"""Generated files have names that every platform can have."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubestencil.file_names import is_renamed, portable
from tests.conftest import Command, make_document

#: Devices of Windows, whatever suffix follows.
DEVICES = {"con", "prn", "aux", "nul", "com1", "lpt9"}
CRD = """\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: cons.nul.com}
spec:
  group: nul.com
  names: {kind: Con, plural: cons}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties: {aux: {type: object, properties: {prn: {type: string}}}}
"""


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("con", "con_"),
        ("CON.rs", "CON_.rs"),
        ("nul.com", "nul_.com"),
        ("com1 .txt", "com1_ .txt"),
        ("lpt²", "lpt²_"),
        ("a.", "a._"),
        ("a ", "a _"),
    ],
)
def test_a_name_that_windows_lacks_is_changed(name: str, expected: str) -> None:
    assert portable(name) == expected
    assert is_renamed(f"a/{expected}/b")


@pytest.mark.parametrize("name", ["console", "com0", "com10", "v1.con", "a.b", "_con"])
def test_other_names_stay(name: str) -> None:
    assert portable(name) == name
    assert not is_renamed(f"a/{name}/b")


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=400))
def test_every_name_is_a_name_of_every_platform(name: str) -> None:
    changed = portable(name)
    assert portable(changed) == changed
    assert len(changed.encode()) <= 255
    assert not changed.endswith((".", " "))
    assert changed.split(".")[0].strip().lower() not in DEVICES


@pytest.mark.nightly
def test_generated_files_can_be_copied_to_windows(run: Command) -> None:
    (run.folder / "crd.yaml").write_text(CRD)
    done = run("render", "x", "--spec", "crd.yaml", "-o", "out")
    assert done.returncode == 0, done.stderr
    assert "rust/src/api/nul_com/v1/con_.rs is called so" in done.stderr
    out = run.folder / "out"
    paths = [path.relative_to(out) for path in out.rglob("*")]
    assert len(paths) > 200
    for path in paths:
        stems = {part.split(".")[0].lower() for part in path.parts if part != ".."}
        assert not stems & DEVICES, path
    assert list(missing_pages(out / "site")) == []
    rust = (out / "x/rust/src/api/nul_com/v1/mod.rs").read_text()
    assert "mod con_;" in rust
    library = (out / "x/jsonnet/_gen/nul_/v1/main.libsonnet").read_text()
    assert "import 'con_.libsonnet'" in library
    module = (out / "x/typescript/index.d.ts").read_text()
    assert '"./nul_.com/v1.js"' in module


def test_pages_of_markdown_link_to_the_names_of_files(run: Command) -> None:
    def refers(name: str) -> dict[str, Any]:
        reference = {"$ref": f"#/definitions/{name}"}
        return {"type": "object", "description": "", "properties": {"a": reference}}

    definitions = {"con": refers("aux"), "aux": refers("con"), "x.v1.A": refers("con")}
    (run.folder / "x.json").write_text(json.dumps(make_document(definitions)))
    targets = ("-t", "markdown", "-t", "markdown-v4", "-t", "markdown-v5")
    done = run("render", "x", "--spec", "x.json", "-o", "out", *targets)
    assert done.returncode == 0, done.stderr
    pages = [*(run.folder / "out").rglob("*.md")]
    assert len([page for page in pages if page.name in ("Con_.md", "Aux_.md")]) == 6
    for page in pages:
        for link in re.findall(r"\]\(([^)#:]+\.md)", page.read_text()):
            assert (page.parent / link).is_file(), (page, link)


def missing_pages(site: Path) -> Iterator[str]:
    """The links of pages about the group that lead to no file."""
    for page in site.glob("*/nul_.com/**/*.html"):
        for link in re.findall(r'href="(\.\.?/[^"#?]*)', page.read_text()):
            target = page.parent / PurePosixPath(link)
            if not (target.is_file() or (target / "index.html").is_file()):
                yield f"{page}: {link}"
