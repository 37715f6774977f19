"""The docs site: links work, pages show their history, a change rebuilds only the pages
that show it, and text from a document is never HTML."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings

from kubestencil.engine import load_targets
from kubestencil.errors import KubestencilError
from kubestencil.schema import parse
from kubestencil.schema.load import load_release
from kubestencil.source import Source, locate
from kubestencil.targets import load_multi_release_view
from tests.conftest import POD, Command, make_command, make_document, read_output
from tests.site_pages import Site, Tags
from tests.strategies import VALID_NAMES, documents, generate_all_files

KIB = 1024
META = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site of three releases, from the embedded documents."""
    folder = tmp_path_factory.mktemp("site")
    done = make_command(folder)("render", "1.33..1.35", "-t", "site", "-o", "out")
    assert done.returncode == 0, done.stderr
    return folder / "out" / "site"


@pytest.fixture(scope="module")
def site(folder: Path) -> Site:
    return Site(folder)


# --- addresses and links


def test_no_link_is_broken(site: Site) -> None:
    """Including the links of fields that can be expanded, and to other releases."""
    assert len(site.pages) > 2500
    broken = {
        page.path: links
        for page in site.pages.values()
        if (links := site.broken_links(page))
    }
    assert broken == {}


@pytest.mark.parametrize(
    "address",
    [
        "1.35/apps/v1/Deployment/",
        "1.35/core/v1/PodSpec/",
        "1.35/resource.k8s.io/v1/ResourceClaim/",
        "1.35/meta/v1/ObjectMeta/",
        "1.35/intstr/unversioned/IntOrString/",
        "1.35/apps/v1/Deployment/all/",
        "1.35/apps/v1/",
        "1.35/apps/",
        "1.35/",
        "",
        "404.html",
        "diff/",
        "diff/1.34-1.35.html",
        "diff/history.html",
    ],
)
def test_addresses_are_stable(site: Site, address: str) -> None:
    assert address in site.pages


def test_fields_have_anchors_at_any_depth(site: Site) -> None:
    page = site.page("1.35/apps/v1/Deployment/")
    assert page.has("spec.template.spec.containers")
    path = "spec.template.spec.containers.livenessProbe.httpGet.httpHeaders.value"
    assert page.has(path)
    assert not page.has("spec.template.spec.container")


def test_ids_are_unique(site: Site) -> None:
    """A field's name is an id, too: HTTPGetAction has a field called scheme."""
    for page in site.pages.values():
        ids = re.findall(r' id="([^"]*)"', page.visible_text)
        assert len(ids) == len(set(ids)), page.path


def test_a_type_links_to_where_it_is_used(site: Site) -> None:
    """The resources that it is part of, and the types that refer to it."""
    page = site.page("1.35/core/v1/Container/")
    assert ">Used in resources</h2>" in page.text
    assert "../../../apps/v1/Deployment/#spec.template.spec.containers" in page.links
    assert ">Referenced by</h2>" in page.text
    assert "../../../core/v1/PodSpec/#containers" in page.links


def test_the_sitemap_has_all_pages_of_types(folder: Path, site: Site) -> None:
    sitemap = (folder / "sitemap.xml").read_text()
    assert "<loc>http://localhost:8000/1.35/apps/v1/Deployment/</loc>" in sitemap
    listed = sitemap.count("<loc>")
    absent = sum(
        '<i class="unavailable">' in page.text[:4000] for page in site.pages.values()
    )
    assert absent > 0
    assert 2000 < listed <= len(site.pages) - absent


# --- history


def field_line(site: Site, address: str, field: str) -> str:
    """The HTML of a field's line: name, type and badges."""
    text = site.page(address).text
    start = text.index(f'<li id="{field}">')
    return text[start : text.index("</div>", start)]


def test_types_and_fields_show_when_they_were_added_and_removed(site: Site) -> None:
    """1.34 made the DRA API stable, and added restart policy rules to containers."""
    container = "1.35/core/v1/Container/"
    assert "Added in 1.34" in field_line(site, container, "restartPolicyRules")
    assert "Added" not in field_line(site, container, "name")
    claim = site.page("1.35/resource.k8s.io/v1/ResourceClaim/").text
    assert '<h1>ResourceClaim <i class="added">Added in 1.34</i></h1>' in claim
    removed = site.page("1.34/storage.k8s.io/v1alpha1/VolumeAttributesClass/")
    assert "Removed in 1.35" in removed.text
    assert "../../../../1.35/storage.k8s.io/v1/VolumeAttributesClass/" in removed.links


def test_the_page_of_an_absent_type_links_to_replacements(site: Site) -> None:
    page = site.page("1.33/resource.k8s.io/v1/ResourceClaim/")
    assert "Not in 1.33" in page.text
    assert "was added in 1.34" in page.text
    assert "../../../resource.k8s.io/v1beta2/ResourceClaim/" in page.links
    removed = site.page("1.35/storage.k8s.io/v1alpha1/VolumeAttributesClass/")
    assert "was available in 1.33 to 1.34" in removed.text
    assert "../../../storage.k8s.io/v1/VolumeAttributesClass/" in removed.links


def test_release_links_lead_to_the_same_type(site: Site) -> None:
    page = site.page("1.35/resource.k8s.io/v1/ResourceClaim/")
    for release in ("1.33", "1.34", "1.35"):
        address = f"../../../../{release}/resource.k8s.io/v1/ResourceClaim/"
        assert address in page.links
    assert 'class="absent" title="Not in 1.33"' in page.text
    listing = site.page("1.35/apps/v1/")
    assert "../../../1.33/apps/v1/" in listing.links
    new = site.page("1.35/scheduling.k8s.io/v1alpha1/")
    assert "../../../1.34/" in new.links
    assert "../../../1.34/scheduling.k8s.io/v1alpha1/" not in new.links


def test_the_start_page_shows_what_is_new(site: Site) -> None:
    page = site.page("")
    assert "New in 1.35" in page.text
    assert "1.35/scheduling.k8s.io/v1alpha1/Workload/" in page.links
    assert "diff/1.34-1.35.html" in page.links


def test_reports_link_to_types_and_fields(site: Site) -> None:
    """To the newer release, or the last that has the type; the history of kinds to the
    last release."""
    links = site.page("diff/1.34-1.35.html").links
    assert "../1.35/core/v1/NodeStatus/" in links
    assert "../1.35/core/v1/NodeStatus/#declaredFeatures" in links
    assert "../1.34/storagemigration.k8s.io/v1alpha1/StorageVersionMigration/" in links
    links = site.page("diff/history.html").links
    assert "../1.35/apps/v1/Deployment/" in links
    assert "../1.34/storage.k8s.io/v1alpha1/VolumeAttributesClass/" in links


# --- size


def test_the_page_of_a_pod_is_small(folder: Path, site: Site) -> None:
    """With everything that it loads before the search is used."""
    address = "1.35/core/v1/Pod/"
    assets = {href.removeprefix("../" * 4) for href in site.page(address).assets}
    assert len(assets) == 6
    files = [folder / address / "index.html", *(folder / name for name in assets)]
    assert sum(file.stat().st_size for file in files) < 300 * KIB


def test_the_search_is_small(folder: Path) -> None:
    names = ["assets/minisearch.js", "assets/find.js", "1.35/search.js"]
    assert sum((folder / name).stat().st_size for name in names) < 1_500_000


# --- security


def test_pages_have_no_inline_scripts_and_styles(site: Site) -> None:
    """The content security policy forbids both."""
    for page in site.pages.values():
        assert "script-src 'self'; style-src 'self'" in page.text, page.path
        assert " style=" not in page.visible_text, page.path
        assert "<style" not in page.text, page.path
        assert page.text.count("<script") == page.text.count("<script src="), page.path


TARGET = load_targets(None)["site"]
TAGS = {
    *("a", "article", "aside", "b", "body", "br", "button", "code", "dd", "del"),
    *("dialog", "div", "dl", "dt", "em", "fieldset", "footer", "form", "h1", "h2"),
    *("h3", "h4", "head", "header", "html", "i", "img", "input", "ins", "kbd"),
    *("label", "legend", "li", "link", "main", "meta", "nav", "ol", "option"),
    *("output", "p", "pre", "script", "section", "select", "span", "strong"),
    *("summary", "details", "table", "tbody", "td", "template", "th", "thead"),
    *("title", "tr", "ul", "wbr"),
}
HOSTILE = [
    "<script>window.pwned=1</script>",
    "</template></code></pre><img src=x onerror=window.pwned=1>",
    '"><a href="javascript:window.pwned=1">x</a>',
    "[click](javascript:window.pwned=1) <javascript:window.pwned=1>",
    "{{ 7 * 7 }} {% raw %} ${window.pwned=1} `${window.pwned=1}`",
    "url(javascript:1) </style><style>*{display:none}</style>",
    "- <b>\n- *x*\n\n\t</pre><svg onload=window.pwned=1>",
    "</script><!-- --> ]]> &lt;b&gt; \u2028 \u202e",
]


def hostile_definitions() -> dict[str, Any]:
    """A kind with hostile text everywhere that a document can have text."""
    fields: dict[str, Any] = {
        f"field{number}": {
            "type": "string",
            "description": text,
            "default": text,
            "enum": [text, "b"],
            "format": text,
            "pattern": text,
            "x-kubernetes-list-map-keys": [text],
            "x-kubernetes-patch-merge-key": text,
            "x-kubernetes-validations": [{"rule": text, "message": text}],
        }
        for number, text in enumerate(HOSTILE)
    }
    hostile_names = {
        text: {"type": "string", "description": "Its name."} for text in HOSTILE
    }
    kind = {"group": HOSTILE[2], "version": HOSTILE[0], "kind": "Pod"}
    return {
        POD: {
            "description": " ".join(HOSTILE),
            "type": "object",
            "properties": {**fields, "part": {"$ref": "#/definitions/x.v1.Part"}},
            "required": ["field0"],
            "x-kubernetes-group-version-kind": [kind],
        },
        "x.v1.Part": {
            "description": HOSTILE[0],
            "type": "object",
            "properties": hostile_names,
        },
    }


def test_hostile_text_is_escaped(run: Command) -> None:
    """It becomes no tag, no attribute and no link."""
    spec = run.folder / "hostile.json"
    spec.write_text(json.dumps(make_document(hostile_definitions())))
    done = run("render", "evil", "--spec", str(spec), "-t", "site", "-o", "out")
    assert done.returncode == 0, done.stderr
    allowed_attributes = {
        *("charset", "class", "content", "data-release", "data-root", "data-type"),
        *("href", "http-equiv", "id", "lang", "name", "rel", "src", "defer", "title"),
        *("aria-label", "aria-labelledby", "aria-current", "aria-expanded", "role"),
        *("type", "tabindex", "alt", "width", "height", "value", "checked", "for"),
        *("aria-controls", "aria-autocomplete", "aria-hidden", "placeholder", "start"),
        *("autocomplete", "autocapitalize", "spellcheck", "enterkeyhint", "data-fill"),
        *("data-switch", "aria-busy"),
    }
    pages = Site(run.folder / "out" / "site").pages.values()
    for page in pages:
        for tag, attributes in Tags(page.text).tags:
            assert tag not in ("svg", "iframe", "style", "object", "embed"), page.path
            assert set(attributes) <= allowed_attributes, (page.path, tag, attributes)
            for name in ("href", "src"):
                address = attributes.get(name) or ""
                scheme = address.partition(":")[0] if ":" in address else ""
                assert scheme in ("", "http", "https"), (page.path, address)
    pod = next(page for page in pages if page.path == "evil/core/v1/Pod/")
    assert "&lt;script&gt;window.pwned=1&lt;/script&gt;" in pod.text


def list_document(*fields: str) -> dict[str, Any]:
    """A document whose only type is a list of inline objects with some fields."""
    return make_document({"v1.A": array({name: {"type": "string"} for name in fields})})


def array(properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": {"properties": properties}}


@settings(max_examples=100)
@given(documents(VALID_NAMES), documents(VALID_NAMES))
# A field that is added to the objects in a list is shown where the list is.
@example(list_document(), list_document("new"))
@example(
    list_document("list"), make_document({"v1.A": array({"list": array({"new": {}})})})
)
def test_any_document_is_refused_or_has_a_complete_site(
    before: dict[str, Any], after: dict[str, Any]
) -> None:
    """No link is broken, and there are no tags but those of the site's templates."""
    sources = [
        Source(name, "made-up", json.dumps(content).encode())
        for name, content in (("1.1", before), ("1.2", after))
    ]
    try:
        files = list(generate_all_files([parse(source) for source in sources], TARGET))
    except KubestencilError as error:
        assert error.what
        return
    site = Site.in_memory({file.path: file.data for file in files})
    for page in site.pages.values():
        assert site.broken_links(page) == []
        tags = {tag for tag, _ in Tags(page.text).tags}
        assert tags <= TAGS, page.path


# --- rebuilding


def specs_of(folder: Path, releases: tuple[str, ...]) -> dict[str, Any]:
    """Write the documents of releases to ``folder``, and return them by release."""
    folder.mkdir()
    documents = {}
    for name in releases:
        documents[name] = dict(load_release(locate(name, None)).document)
        (folder / f"{name}.json").write_text(json.dumps(documents[name]))
    return documents


def modification_times(folder: Path, release: str) -> dict[str, int]:
    files = (folder / release).rglob("*.html")
    return {path.as_posix(): path.stat().st_mtime_ns for path in files}


def test_a_change_rebuilds_the_pages_that_show_it(run: Command) -> None:
    """A changed description shows in one release, an added field in the others too."""
    documents = specs_of(run.folder / "specs", ("1.34", "1.35"))
    call = ("render", "1.34", "1.35", "-t", "site", "--specs", "specs", "-o", "out")
    assert run(*call).returncode == 0
    site = run.folder / "out" / "site"
    times_before = modification_times(site, "1.34")
    times_before_in_other = modification_times(site, "1.35")

    path = run.folder / "specs" / "1.34.json"
    document = documents["1.34"]
    container = document["definitions"]["io.k8s.api.core.v1.Container"]
    container["properties"]["image"]["description"] = "Which image it is."
    path.write_text(json.dumps(document))
    assert run(*call).returncode == 0
    assert modification_times(site, "1.35") == times_before_in_other
    written = {
        path
        for path, time in modification_times(site, "1.34").items()
        if time != times_before[path]
    }
    assert f"{site.as_posix()}/1.34/core/v1/Container/index.html" in written
    assert f"{site.as_posix()}/1.34/apps/v1/index.html" not in written

    container["properties"]["mood"] = {"type": "string"}
    path.write_text(json.dumps(document))
    assert run(*call).returncode == 0
    page = Site(site).page("1.34/core/v1/Container/")
    assert "Removed in 1.35" in page.text
    assert "unchanged" in run(*call).stdout


PRINT_CONTEXTS = """
import hashlib
from kubestencil.schema.load import load_release
from kubestencil.source import locate
from kubestencil.engine import load_targets
from kubestencil.targets import load_multi_release_view
names = ("1.33", "1.34")
target = load_targets(None)["site"]
view = load_multi_release_view(target)
releases = [load_release(locate(name, None)) for name in names]
contexts = [part.context() for part in view.divide(names, lambda: releases, target)]
print(hashlib.sha256(repr(contexts).encode()).hexdigest())
"""


def test_contexts_are_the_same_in_every_process(tmp_path: Path) -> None:
    """Otherwise all parts would be generated again in each run."""
    digests = {
        subprocess.run(
            [sys.executable, "-c", PRINT_CONTEXTS],
            env={**make_command(tmp_path).environment, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(digests) == 1


def test_releases_that_are_no_longer_generated_are_removed(run: Command) -> None:
    call = ("render", "-t", "site", "-o", "out")
    assert run(*call, "1.34", "1.35").returncode == 0
    drifted = run(*call, "1.35", "--check")
    assert drifted.returncode == 1
    assert "left over: out/site/1.34/" in drifted.stdout
    assert run(*call, "1.35").returncode == 0
    site = run.folder / "out" / "site"
    assert not (site / "1.34").exists()
    assert not (site / "diff").exists()
    assert run(*call, "1.35", "--check").returncode == 0
    assert Site(site).broken_links(Site(site).page("")) == []


# --- documentation of the templates


def test_the_documented_variables_are_those_of_the_contexts(
    tmp_path: Path,
) -> None:
    """Of all parts, with an extra page; all values of ``each`` are documented."""
    (tmp_path / "page.md").write_text("# A page")
    target = TARGET.with_options({"pages": str(tmp_path)})
    view = load_multi_release_view(target)
    releases = {name: load_release(locate(name, None)) for name in ("1.34", "1.35")}
    generated = set()
    for part in view.divide(list(releases), lambda: [*releases.values()], target):
        part_releases = [releases[name] for name in part.releases]
        contexts = view.make_part_contexts(
            part.name, part_releases, part.context(), target
        )
        assert contexts.files.keys().isdisjoint(contexts.handled_by_other_parts)
        assert {*contexts.files, *contexts.handled_by_other_parts} == view.EACH.keys()
        for each, files in contexts.files.items():
            file = next(iter(files()))
            documented = view.EACH[each]
            assert file.placeholders.keys() == documented.placeholders.keys(), each
            if not file.data:
                variables = {*contexts.shared_variables, *file.variables}
                assert variables == documented.variables.keys(), each
            generated.add(each)
    assert generated == view.EACH.keys()


def test_the_reference_explains_variables_and_their_classes(run: Command) -> None:
    reference = run("targets", "site").stdout
    assert (
        "\n  root: str  the path from the page to the root of the site\n" in reference
    )
    assert "\n  summary: ReleaseSummary | None  None for the oldest" in reference
    assert "\nType ReleaseSummary\n  What a release added and removed" in reference


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
    call = ("render", "1.35", "-t", "site", "-o", "out", *sets)
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


def test_examples_follow_the_options_of_other_targets(run: Command) -> None:
    """They import the package that the target python generates."""
    call = ("render", "1.35", "-t", "site", "-o", "out", "--set", "python.package=ours")
    assert run(*call).returncode == 0
    page = run.folder / "out" / "site" / "1.35" / "core" / "v1" / "Pod" / "index.html"
    assert "from ours import V1" in page.read_text()
    assert run(*call[:-2], "--check").returncode == 1
    wrong = run(*call[:-1], "python.package=not-a-name")
    assert wrong.returncode == 1
    assert "options.package: 'not-a-name' is not a package name" in wrong.stderr


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("logo=nothing.png", "must be a file that ends in"),
        ("theme=specs", "must be a file that ends in .css"),
        ("pages=nothing", "is not a folder"),
        ("url=ftp://example.com", "must be the URL of the site"),
    ],
)
def test_wrong_options_are_refused(run: Command, setting: str, message: str) -> None:
    done = run("render", "1.35", "-t", "site", "-o", "out", f"--set=site.{setting}")
    assert done.returncode == 2
    assert message in done.stderr
    assert not (run.folder / "out").exists()


def test_a_users_template_replaces_the_built_in_one(run: Command) -> None:
    user_folder = run.folder / "mine" / "site"
    user_folder.mkdir(parents=True)
    (user_folder / "footer.html.j2").write_text(
        "<footer>{{ release }} of ours</footer>\n"
    )
    call = ("render", "1.35", "-t", "site", "-o", "out", "--templates", "mine")
    assert run(*call).returncode == 0
    site = Site(run.folder / "out" / "site")
    assert "<footer>1.35 of ours</footer>" in site.page("1.35/core/v1/Pod/").text


def test_inline_objects_show_their_fields(run: Command) -> None:
    """The document of a cluster has custom resources with inline objects."""
    inner = {
        "type": "object",
        "properties": {
            "size": {"type": "integer", "description": "How many.", "default": 3},
            "name": {"type": "string", "default": "", "enum": ["", "a"]},
            "keys": {
                "type": "array",
                "items": {"type": "object", "additionalProperties": {"type": "string"}},
                "x-kubernetes-list-type": "map",
                "x-kubernetes-list-map-keys": ["id"],
                "x-kubernetes-patch-strategy": "merge",
            },
        },
        "required": ["size"],
    }
    spec = {"type": "object", "properties": {"store": inner}, "description": "S."}
    definitions = {
        "com.example.v1.Shop": {
            "type": "object",
            "properties": {"spec": spec},
            "x-kubernetes-group-version-kind": [
                {"group": "example.com", "version": "v1", "kind": "Shop"}
            ],
        }
    }
    path = run.folder / "crd.json"
    path.write_text(json.dumps(make_document(definitions)))
    done = run("render", "mine", "--spec", str(path), "-t", "site", "-o", "out")
    assert done.returncode == 0, done.stderr
    page = Site(run.folder / "out" / "site").page("mine/example.com/v1/Shop/")
    assert "spec.store.size" in page.ids
    assert "#spec.store.size" in page.links
    text = " ".join("".join(Tags(page.text).text).split())
    assert "size integer required" in text
    assert "default3" in text and 'default""allowed values""a' in text
    assert "keys []map[string]string" in text
    assert "list typemap" in text and "list map keysid" in text
    assert "patch strategymerge" in text


def test_output_does_not_depend_on_the_number_of_jobs(run: Command) -> None:
    for name in ("a", "b"):
        jobs = "1" if name == "a" else "2"
        done = run("render", "1.35", "-t", "site", "-o", name, "--jobs", jobs)
        assert done.returncode == 0
    assert read_output(run.folder / "a") == read_output(run.folder / "b")
    shutil.rmtree(run.folder / "a")


def test_a_release_cannot_have_the_name_of_the_site(run: Command, small: Path) -> None:
    done = run("render", "site", "--spec", str(small), "-t", "markdown")
    assert done.returncode == 2
    assert "'site' is the name of a target" in done.stderr
