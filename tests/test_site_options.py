"""The options of the docs site, and the user's own templates."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Command
from tests.site_pages import Site

# --- options and the user's own templates


def test_options_set_title_logo_footer_theme_and_pages(run: Command) -> None:
    (run.folder / "logo.png").write_bytes(b"\x89PNG")
    (run.folder / "ours.css").write_text(":root { --link: #070 }")
    (run.folder / "docs" / "how").mkdir(parents=True)
    (run.folder / "docs" / "about.md").write_text(
        "# About <us>\n\nSee [how](how/start.md).\n\n<script>alert(1)</script>\n"
    )
    (run.folder / "docs" / "how" / "start.md").write_text("# How to start\n")
    settings = {
        "title": "Our <API>",
        "footer": "Kept by us & them",
        "logo": "logo.png",
        "theme": "ours.css",
        "pages": "docs",
        "url": "https://example.com/k8s",
    }
    sets = [f"--set=site.{name}={value}" for name, value in settings.items()]
    selected = ("render", "1.35", "--kind", "Deployment")
    call = (*selected, "-t", "site", "-o", "out", *sets)
    assert run(*call).returncode == 0
    folder = run.folder / "out" / "site"
    site = Site(folder)
    page = site.page("1.35/apps/v1/Deployment/")
    assert "Our &lt;API&gt;" in page.text
    assert "Kept by us &amp; them" in page.text
    assert "../../../../assets/logo.png" in page.assets
    assert (folder / "assets/theme.css").read_text().endswith("--link: #070 }")
    about = site.page("pages/about/")
    assert "<script>alert" not in about.text
    assert "../how/start/" in about.links
    assert "pages/how/start/" in site.page("").links
    sitemap = (folder / "sitemap.xml").read_text()
    assert "<loc>https://example.com/k8s/pages/about/</loc>" in sitemap
    assert "/k8s/1.35/" in site.page("404.html").links
    assert {
        path
        for path in site.pages
        if path != "404.html" and site.broken_links(site.pages[path])
    } == set()
    (run.folder / "docs" / "about.md").write_text("# Other\n")
    assert run(*call, "--check").returncode == 1


@pytest.mark.nightly
def test_examples_follow_the_options_of_other_targets(run: Command) -> None:
    """They import the package that the target python generates."""
    site = ("render", "1.35", "--kind", "Pod", "-t", "site", "-o", "out")
    call = (*site, "--set", "python.package=ours")
    assert run(*call).returncode == 0
    page = run.folder / "out" / "site" / "1.35" / "core" / "v1" / "Pod" / "index.html"
    code = re.sub("<[^>]*>", "", page.read_text())
    assert "from ours import (\n    V1Container," in code
    assert run(*call[:-2], "--check").returncode == 1
    wrong = run(*call[:-1], "python.package=not-a-name")
    assert wrong.returncode == 2
    where = "--set python.package=not-a-name"
    assert f"{where}: 'not-a-name' is not a package name" in wrong.stderr


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("logo=nothing.png", "must be a file that ends in"),
        ("theme=specs", "must be a file that ends in .css"),
        ("pages=nothing", "is not a folder"),
        ("url=ftp://example.com", "must be the URL of the site"),
    ],
)
def test_wrong_options_are_refused(
    run: Command, small: Path, setting: str, message: str
) -> None:
    call = ("render", "x", "--spec", str(small), "-t", "site", "-o", "out")
    done = run(*call, f"--set=site.{setting}")
    assert done.returncode == 2
    assert message in done.stderr
    assert not (run.folder / "out").exists()


def test_a_release_cannot_have_the_name_of_the_site(run: Command, small: Path) -> None:
    done = run("render", "site", "--spec", str(small), "-t", "markdown")
    assert done.returncode == 2
    assert "'site' is the name of a target" in done.stderr


# --- a portal: own pages, pictures, links to types, notes about kinds

EXAMPLE = """\
```yaml
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: web}]}
```
"""
PORTAL = {
    "index.md": "---\ntitle: Welcome\norder: 1\n---\n# Ours\n\n[Pods](k8s:Pod) [go](a/go.md)",
    "a/go.md": "# Go\n\n[probe](k8s:pod.spec.containers.livenessProbe) ![x](../x.svg)",
    "notes/apps/Deployment.md": f"# Spec\n\nSee [go](../../a/go.md).\n\n{EXAMPLE}",
    "x.svg": "<svg/>",
    ".hidden/x.md": "# Not shown",
}


def write_portal(folder: Path, **changes: str) -> None:
    for name, text in {**PORTAL, **changes}.items():
        path = folder / "portal" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def render_portal(run: Command) -> Any:
    selected = ("render", "1.35", "--kind", "Deployment", "--kind", "Pod")
    pages = "--set=site.pages=portal"
    return run(*selected, "-t", "site", "-o", "out", pages)


def test_a_portal_has_own_pages_pictures_and_notes_about_kinds(run: Command) -> None:
    write_portal(run.folder)
    done = render_portal(run)
    assert done.returncode == 0, done.stderr
    folder = run.folder / "out" / "site"
    site = Site(folder)
    start = site.page("")
    assert {"1.35/core/v1/Pod/", "pages/a/go/"} <= {*start.links}
    assert '<h1 id="ours">Ours</h1>' in start.text
    go = site.page("pages/a/go/")
    probe = "../../../1.35/core/v1/Pod/#spec.containers.livenessProbe"
    assert probe in go.links
    assert 'src="../../x.svg"' in go.text
    assert (folder / "pages" / "x.svg").read_text() == "<svg/>"
    note = site.page("1.35/apps/v1/Deployment/")
    # A field is called spec, too.
    assert '<h1 id="note-spec">Spec</h1>' in note.text
    assert "../../../../pages/a/go/" in note.links
    assert "Not shown" not in str(site.pages)
    script = (folder / "assets" / "own-pages.js").read_text()
    assert '["pages/index/","Welcome",' in script
    broken = (site.broken_links(site.pages[path]) for path in ("", go.path, note.path))
    assert [*broken] == [[], [], []]


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a/go.md", "[x](k8s:Pod.spec.nothing)", "Pod has no field spec.nothing"),
        ("a/go.md", "[x](k8s:Pood)", "Pood"),
        ("a/go.md", "![x](none.png)", "links to none.png, which does not exist"),
        ("a/go.md", "---\ntitle: [\n---\n", "front matter that cannot be read"),
        ("notes/apps/Deploy.md", "# X", "is about no kind of 1.35"),
        (
            "notes/apps/Deployment.md",
            EXAMPLE.replace("image", "imag"),
            'unknown field "spec.template.spec.containers[0].imag"',
        ),
        # Pieces, templates and kinds of other programs are left alone.
        (
            "a/go.md",
            "```yaml\n- a: [\n```\n```yaml\napiVersion: example.com/v1\nkind: Other\n"
            "```\n" + EXAMPLE.replace("image", "imag"),
            'unknown field "spec.template.spec.containers[0].imag"',
        ),
    ],
)
def test_mistakes_in_a_portal_are_named(
    run: Command, name: str, text: str, message: str
) -> None:
    write_portal(run.folder, **{name: text})
    done = render_portal(run)
    assert done.returncode == 1
    assert message in done.stderr
    assert f"portal/{name}" in done.stderr
